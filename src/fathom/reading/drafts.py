"""A text that somebody has written about sources: the sentences of it that claim something."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fathom.errors import ConfigurationError
from fathom.languages.packs import words
from fathom.reading import bounded
from fathom.reading.document import ReadDocument
from fathom.reading.readers import readers
from fathom.text.display import display
from fathom.text.phrases import LANGUAGES, phrases
from fathom.text.sentences import sentences
from fathom.text.typeset import CONCLUSION

_CITATION = re.compile(rf"\s?\[\^?[A-Z]?\d{{1,3}}(?:[,;–-] ?[A-Z]?\d{{1,3}}){{0,20}}\](?!\(){CONCLUSION}?")
"""A mark, with the sign that a report of our own puts behind those of a conclusion."""
_LEADS_ON = ("?", "？", ":", "：")
_WORD = re.compile(r"[^\W\d_]")
_APPARATUS = {phrases(language).sources.casefold() for language in LANGUAGES} | words("documents.apparatus")
"""Headings of what claims nothing."""


def claims_in(data: bytes, suffix: str) -> list[str]:
    """The sentences of a file of that type that claim something, without markup and marks of citations: those of its
    paragraphs, lists and quotations, and the rows of its tables. Headings, code, questions and lists of sources claim
    nothing. It is read in a process of its own.

    Raises:
        Unreadable: with the reason.
        ConfigurationError: no reader is known for the suffix.
    """
    return bounded.ask(
        list[str], "fathom.reading.drafts:claims_here", data, raises=(ConfigurationError,), suffix=suffix
    )


def claims_here(data: bytes, suffix: str) -> list[str]:
    """The same within this process."""
    return list(_claims(readers.get(suffix)(data)))


def _claims(draft: ReadDocument) -> Iterator[str]:
    apparatus = 0  # level of the heading below which nothing is claimed
    for block in draft.blocks:
        if block.kind == "heading":
            if not apparatus or block.level <= apparatus:
                named = display(draft.text[block.start : block.end], draft.markup).casefold().strip(" :：")
                apparatus = max(1, block.level) if named in _APPARATUS else 0
            continue
        if apparatus or block.kind == "code":
            continue
        text = _CITATION.sub("", draft.text[block.start : block.end])
        spans = [(0, len(text))] if block.kind == "table_row" else sentences(text)
        for start, end in spans:
            claim = display(text[start:end], draft.markup).strip()
            if _WORD.search(claim) and not claim.endswith(_LEADS_ON):
                yield claim
