"""Documents, their snapshots, and the verbatim spans of them that claims may cite."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Literal

from pydantic import Field

from fathom.frozen import FrozenModel, later

BlockKind = Literal["heading", "paragraph", "list_item", "definition", "table_row", "code", "quote"]
DocumentKind = Literal["file", "web", "dataset"]
Markup = Literal["plain", "markdown", "rst"]
SourceNature = Literal["official", "academic", "reference", "news", "forum", "vendor", "other"]
"""Who speaks: an authority, science, a work of reference, the press, anybody, who sells it, or none of these."""


def text_digest(text: str) -> str:
    """SHA-256 of the UTF-8 bytes of `text`: the identity of a snapshot."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def now(*, less: float = 0.0) -> str:
    """The time, or that of so many seconds before: ISO 8601, UTC, to the second."""
    return (datetime.now(UTC) - timedelta(seconds=less)).isoformat(timespec="seconds")


class Span(FrozenModel):
    """A stretch of a snapshot's text, as half-open character offsets."""

    start: int = Field(ge=0)
    """Offset of the first character."""
    end: int = Field(ge=0)
    """Offset behind the last character."""


class Block(FrozenModel):
    """One structural piece of a snapshot: a paragraph, a list item, a table row."""

    kind: BlockKind
    """What the piece is in its document."""
    start: int = Field(ge=0)
    """Offset of its first character in the snapshot, list markers and markup of the block excluded."""
    end: int = Field(ge=0)
    """Offset behind its last character."""
    level: int = Field(default=0, ge=0)
    """For a heading its level, 1 outermost; for a list item or definition its nesting, 0 outermost."""
    lead_in: Span | None = None
    """What a reader must have read before: the sentence before a list, a defined term, the head of a table."""


class Document(FrozenModel):
    """Something that was read, without its text."""

    sha256: str
    """Digest of the snapshot's text (see `text_digest`); for a text file in UTF-8, of the file itself."""
    uri: str
    """`file://…` for a local file, else the address it was read from."""
    title: str
    """The document's own title, or its file name."""
    kind: DocumentKind
    """Where it comes from."""
    markup: Markup = "plain"
    """Inline markup that the snapshot's text still holds; a snapshot of HTML is plain."""
    language: str
    """Main language of the text as an ISO 639-1 code; `und` when not known."""
    retrieved_at: str
    """When it was read: ISO 8601, UTC."""
    published: str = ""
    """When it was published or changed last (ISO 8601 date), of a page; empty when not known."""
    authors: tuple[str, ...] = later(())
    """Who has written it, as a file says itself."""
    left_out: tuple[str, ...] = later(())
    """What of a file was not read, and why, each in a line."""
    nature: SourceNature | None = None
    """Who speaks there, of a page; `None` for a file."""
    site: str = ""
    """Whose page it is: the registered part of its host; empty for a file."""
    query: str = ""
    """What was asked of a dataset, as the tool and its arguments in JSON; empty for all else."""


class Passage(FrozenModel):
    """A section of a snapshot, or a part of one, as a source of evidence."""

    document: str
    """`sha256` of the document that it stands in."""
    start: int = Field(ge=0)
    """Offset of `text` in the snapshot."""
    end: int = Field(ge=0)
    """Offset behind it."""
    text: str
    """The snapshot's text at `[start:end]`."""
    headings: tuple[str, ...] = ()
    """The headings that it stands under, outermost first."""
    blocks: tuple[Block, ...] = ()
    """Its structure, in order, with offsets into the snapshot (a lead-in may stand before `start`)."""
    lead_ins: dict[str, str] = {}
    """Text of the lead-ins that stand outside of `text`, under `"start-end"`."""
    goes_on: bool = False
    """Whether the table or the list that it ends in goes on behind it."""
    score: float = 0.0
    """How well it matches the query, higher is better; only comparable within one retrieval."""

    @property
    def id(self) -> str:
        """Names the span: `<12 hex digits of the document>:<start>-<end>`."""
        return span_id(self.document, self.start, self.end)

    def quote(self, start: int, end: int) -> str:
        """The snapshot's text at `[start:end]`, which must lie in the passage or be one of its lead-ins."""
        if self.start <= start <= end <= self.end:
            return self.text[start - self.start : end - self.start]
        return self.lead_ins[f"{start}-{end}"]


def span_id(document: str, start: int, end: int) -> str:
    """The name of a span, the same wherever the span is used."""
    return f"{document[:12]}:{start}-{end}"


class Evidence(FrozenModel):
    """A verbatim span of a snapshot."""

    document: str
    """`sha256` of the document that it was taken from."""
    start: int = Field(ge=0)
    """Offset of the quote in the snapshot."""
    end: int = Field(ge=0)
    """Offset behind it."""
    quote: str = Field(min_length=1)
    """The snapshot's text at `[start:end]`, to the letter."""
    locator: str = ""
    """Where that is, for a person: the heading path, the page, the record's id."""
    block: Span | None = None
    """The paragraph, list item or row that it stands in; `None` when not known."""

    @property
    def id(self) -> str:
        """Names the span (see `span_id`)."""
        return span_id(self.document, self.start, self.end)

    def leads_to(self, other: Evidence) -> bool:
        """Whether another span goes on where this one ends: nothing but marks and white space is between them."""
        near = 0 <= other.start - self.end < _MARKS
        return near and (self.document, self.locator) == (other.document, other.locator)


_MARKS = 20
"""Characters that a mark of a list takes at most, with the white space before it."""

Lack = Literal["files", "vectors"]
"""Documents that were not read; an embedder that gave no answer."""


class Query(FrozenModel):
    """What a source is asked for."""

    text: str = Field(min_length=1)
    """The words that matter."""
    context: str = ""
    """The question that they are part of. A source that can weigh words gives these a low weight."""
    opens: bool = later(False)
    """Whether `text` is the address of a page to read, which one that was read links to."""


class Retrieval(FrozenModel):
    """What a source found for a query."""

    documents: tuple[Document, ...] = ()
    """Every document that a passage stands in, once."""
    passages: tuple[Passage, ...] = ()
    """Best first. Empty means that nothing matches, never that something failed."""
    lacks: tuple[Lack, ...] = ()
    """What would perhaps have brought more, and was left out for want of time."""


Ability = Literal["search", "open", "count", "scan"]
"""Find passages for a query; return those of one document; count records; read them one after the other."""


class SourceDescription(FrozenModel):
    """What a planner may know of a source before it asks it anything."""

    name: str
    """The source's name, as in an allocation: `knowledge`, `web`, …"""
    kind: DocumentKind
    """What its documents are."""
    can: tuple[Ability, ...] = Field(default=("search",), exclude=True)
    """What it does when it is asked. Neither stored nor part of a digest: it is what the source of this process can."""
    documents: int = Field(ge=0)
    """Number of documents in reach of this run."""
    passages: int = Field(default=0, ge=0)
    """Number of passages in reach of this run."""
    languages: dict[str, int] = {}
    """Documents per language."""
    titles: tuple[str, ...] = ()
    """Titles of the documents that match the question best, at most 20."""
    headings: tuple[str, ...] = ()
    """Headings that match the question best, at most 40."""
    holds: tuple[str, ...] = Field(default=(), exclude=True)
    """What each field of a dataset holds: a number, a date, … Neither stored nor part of a digest: its revision is."""
    term_passages: dict[str, int] = {}
    """For each term of the question (as the analyser writes it), the number of passages that hold it."""
    spellings: dict[str, str] = {}
    """For terms of the question that no passage holds, how the passages write them: another form, or spelt right."""
    cover: float = Field(default=0.0, ge=0, le=1)
    """Share of the query's terms, weighed by how rare they are, that its best passage holds."""
    revision: str = ""
    """Changes whenever the content in reach changes."""
