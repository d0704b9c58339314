"""Knowledge bases, documents and passages as the library tells of them: by ids, never by paths."""

from __future__ import annotations

from fathom.frozen import FrozenModel
from fathom.text.places import Unplaced


class KnowledgeBaseSummary(FrozenModel):
    """A knowledge base as a listing shows it."""

    name: str
    """Its name."""
    documents: int
    """Number of documents."""
    datasets: int
    """Number of files of data that were uploaded to it."""
    unread: int
    """Number of files that gave no text (see `list_unread`)."""
    bytes: int
    """Size of its file."""
    is_default: bool
    """Whether sessions ask it that name none."""


class DocumentSummary(FrozenModel):
    """A document as a listing shows it."""

    id: str
    """Names it in its knowledge base."""
    title: str
    """Its title."""
    name: str
    """Name of its file."""
    language: str
    """ISO 639-1 code; `und` when not known."""
    characters: int
    """Length of its text."""
    passages: int
    """How many passages it was cut into."""
    retrieved_at: str
    """When it was read: ISO 8601, UTC."""
    uploaded: bool
    """Whether it was uploaded: its file is removed with it then."""


class DocumentPage(FrozenModel):
    """A part of the list of documents."""

    documents: tuple[DocumentSummary, ...]
    """In the order of their files."""
    total: int
    """How many there are in all that match."""
    next: str | None
    """What to give as `after` for the documents behind these; `None` when there are none."""


class UnreadFile(FrozenModel):
    """A file that gave no text, or something attached to a document."""

    name: str
    """Name of the file; behind `›` what is attached to it."""
    reason: Unplaced
    """Why, and what to do."""


class DocumentText(DocumentSummary):
    """A document with an excerpt of its text."""

    text: str
    """That stretch."""
    start: int
    """Offset of its first character."""
    end: int
    """Offset behind its last character."""


class FoundPassage(FrozenModel):
    """A passage that matches a query."""

    document: str
    """Id of the document that it stands in."""
    title: str
    """Title of that."""
    headings: tuple[str, ...]
    """The headings that it stands under, outermost first."""
    score: float
    """How well it matches, higher is better; only comparable within one search."""
    text: str
    """Its text."""
    start: int
    """Offset of its first character in the document."""
    end: int
    """Offset behind its last character."""
