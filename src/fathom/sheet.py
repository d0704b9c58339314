"""The sheet: every sentence that a report may rest on, numbered once, with the document that it is in."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from fathom.evidence import Document, Evidence
from fathom.frozen import FrozenModel


class SheetSentence(FrozenModel):
    """A sentence, list item or row that may be cited, or what was computed from the rows of a dataset."""

    text: str = Field(min_length=1)
    """As a reader sees it, without markup."""
    evidence: tuple[Evidence, ...] = Field(min_length=1)
    """Its span; of a computed statement, all spans that it follows from."""
    lead: str = ""
    """What a reader needs before it: the lead-in of its list, the head of its table."""
    findings: tuple[str, ...] = ()
    """Ids of the findings that cite it; empty for a neighbour of such a sentence."""
    computed: bool = False
    """Whether it was computed from the rows of a dataset."""


class SheetDocument(FrozenModel):
    """A document with its sentences on the sheet."""

    document: Document
    """What it is."""
    sentences: tuple[SheetSentence, ...]
    """In the order of the document."""
    left_out: int = 0
    """Rows of a table of counts that the sheet has no room for."""


class Sheet(FrozenModel):
    """Documents with their sentences, which are numbered from 1 in this order."""

    documents: tuple[SheetDocument, ...] = ()
    """In the order of the plan: those that the first part cites come first."""

    @property
    def numbers(self) -> range:
        """All numbers on it."""
        return range(1, sum(len(each.sentences) for each in self.documents) + 1)

    def __iter__(self) -> Iterator[tuple[int, SheetDocument, SheetSentence]]:  # type: ignore[override]
        """Every sentence with its number and its document."""
        number = 0
        for document in self.documents:
            for sentence in document.sentences:
                number += 1
                yield number, document, sentence
