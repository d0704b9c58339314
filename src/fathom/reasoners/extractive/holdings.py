"""What the sources turn out to hold about a topic, by the headings of their passages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.evidence import Document, Passage
from fathom.reasoners.extractive.rarity import Rarity
from fathom.text.analysis import query_terms, terms

_NUMBERING = re.compile(
    r"^(?:(?:chapter|section|part|appendix)\s+)?(?:\d{1,3}(?:\.\d{1,3})*\.?|[A-Z](?:\.\d+)+\.?|[A-Z]\.)\s+"
    r"|^(?:第\d+(?:\.\d+)*[章節]?|\d{1,3}(?:\.\d+)*[章節.](?!\d))\s*",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[¶#§\u200b]+")
_LONGEST = 70
_SHARE = 0.5
_SPECIFIC = 2.0  # a term of every seventh passage


def clean_heading(heading: str) -> str:
    """A heading without its number and without marks of links; a year or a date is no number.

    >>> clean_heading("25.1.6. The Autovacuum Daemon ¶")
    'The Autovacuum Daemon'
    >>> clean_heading("A visit to the bridge"), clean_heading("B. Parts"), clean_heading("Appendix C.2 Tables")
    ('A visit to the bridge', 'Parts', 'Tables')
    >>> clean_heading("2026-01-14-ops"), clean_heading("2024年度決算"), clean_heading("第2章 会計")
    ('2026-01-14-ops', '2024年度決算', '会計')
    """
    text = " ".join(_MARKS.sub(" ", heading).split())
    return _NUMBERING.sub("", text).strip() or text


def headings_about(
    topic: str, *, passages: Sequence[Passage], documents: Sequence[Document] = (), rarity: Rarity, limit: int
) -> list[str]:
    """Headings that divide a topic, as the passages hold them, best first.

    A heading counts when it, or one above it, names most of the topic, and when it says something else besides. When
    all of the topic's words are common, only headings and titles that name the whole topic count. None when the
    sources hold fewer than two.
    """
    wanted = set(query_terms(topic))
    if max(map(rarity.of, wanted), default=0.0) < _SPECIFIC:
        return _naming(wanted, passages=passages, documents=documents, limit=limit)
    found: dict[str, set[str]] = {}
    for passage in passages:
        path = [clean_heading(heading) for heading in passage.headings]
        if not path or not wanted:
            continue
        leaf = path[-1]
        named = wanted & set(terms(" ".join(path)))
        own = set(query_terms(leaf)) - wanted
        if len(named) < _SHARE * len(wanted) or not own or len(leaf) > _LONGEST:
            continue
        if any(own <= other or other <= own for other in found.values()):
            continue
        found[leaf] = own
        if len(found) == limit:
            break
    return list(found) if len(found) > 1 else []


def _naming(wanted: set[str], *, passages: Sequence[Passage], documents: Sequence[Document], limit: int) -> list[str]:
    """Headings and titles that hold all the wanted terms and others besides."""
    titles = {document.sha256: document.title for document in documents}
    found: dict[str, set[str]] = {}
    for passage in passages:
        for heading in (*reversed(passage.headings), titles.get(passage.document, "")):
            leaf = clean_heading(heading)
            own = set(query_terms(leaf)) - wanted
            if not wanted or not wanted <= set(terms(leaf)) or not own or len(leaf) > _LONGEST:
                continue
            if not any(own <= other or other <= own for other in found.values()):
                found[leaf] = own
    return list(found)[:limit] if len(found) > 1 else []
