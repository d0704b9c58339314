"""What the sources turn out to hold about a topic, by the headings of their passages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.evidence import Passage
from fathom.reasoners.extractive.rarity import Rarity
from fathom.text.analysis import query_terms, terms

_NUMBERING = re.compile(
    r"^(?:(?:chapter|section|part|appendix)\s+)?(?:\d+|[A-Z])(?:\.\d+)*\.?\s+|^第?\d+(?:\.\d+)*[章節.]?\s*",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[¶#§\u200b]+")
_LONGEST = 70
_SHARE = 0.5
_SPECIFIC = 2.0  # a term of every seventh passage


def clean_heading(heading: str) -> str:
    """A heading without its number and without marks of links.

    >>> clean_heading("25.1.6. The Autovacuum Daemon ¶")
    'The Autovacuum Daemon'
    """
    text = " ".join(_MARKS.sub(" ", heading).split())
    return _NUMBERING.sub("", text).strip() or text


def headings_about(topic: str, *, passages: Sequence[Passage], rarity: Rarity, limit: int) -> list[str]:
    """Headings that divide a topic, as the passages hold them, best first.

    None when all of the topic's words are common. A heading counts when it, or one above it, names most of the topic,
    and when it says something else besides.
    """
    wanted = set(query_terms(topic))
    if max(map(rarity.of, wanted), default=0.0) < _SPECIFIC:
        return []
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
    return list(found)
