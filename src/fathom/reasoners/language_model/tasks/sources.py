"""What a model is shown of the sources: what they hold, and who speaks in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

from fathom.evidence import Document, SourceDescription
from fathom.reasoners.language_model.tasks.words import fitting, lines, shown_tokens

TITLES = 20
"""Titles of documents of each source, the nearest to the question."""
HEADINGS = 40
FIELDS = 40
"""Fields of a dataset, which it names in place of titles."""


def shown_sources(sources: Sequence[SourceDescription], *, room: int) -> list[dict[str, Any]]:
    """Each source with the titles and headings that fit into its share of the room; of a dataset fields and values."""
    share = room // max(len(sources), 1)
    shown = []
    for source in sources:
        most = FIELDS if source.kind == "dataset" else TITLES
        titles = fitting(lines(source.titles, most=most, length=100), share // 2)
        headings = fitting(lines(source.headings, most=HEADINGS, length=80), share - sum(map(shown_tokens, titles)))
        shown.append({"source": source, "titles": titles, "headings": headings})
    return shown


def has_web(sources: Iterable[SourceDescription | Document]) -> bool:
    """Whether the web is among them: only then it matters who speaks."""
    return any(source.kind == "web" for source in sources)


def has_data(sources: Iterable[SourceDescription | Document]) -> bool:
    """Whether a dataset is among them: it is counted, not searched."""
    return any(source.kind == "dataset" for source in sources)


def told_of(document: Document, *, speaks: bool) -> dict[str, str]:
    """What stands above what is shown of a document: its title, its file where the title does not name it, its day;
    with `speaks`, who speaks there, and when.

    >>> plan = Document(sha256="0", uri="file:///srv/Plan%20B.md", title="The plan", kind="file", language="en",
    ...                 retrieved_at="2026-01-01", published="2025-03-01")
    >>> told_of(plan, speaks=False)
    {'title': 'The plan', 'file': 'Plan B.md', 'date': '2025-03-01'}
    """
    file = PurePosixPath(unquote(document.uri)) if document.kind == "file" else PurePosixPath()
    told = {"title": document.title}
    if _letters(file.stem) not in _letters(document.title):
        told["file"] = file.name
    if speaks:
        told["from"] = speaker(document)
    if document.published and not (speaks and document.kind == "web"):  # where the speaker has it
        told["date"] = document.published[:10]
    return told


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def speaker(document: Document) -> str:
    """Who speaks in a document, and when, in a few words.

    >>> page = Document(sha256="0", uri="https://sea.example/", title="Sea", kind="web", language="en",
    ...                 retrieved_at="2026-01-01", published="2025-03-01", nature="news", site="sea.example")
    >>> speaker(page), speaker(page.model_copy(update={"kind": "file"}))
    ('web, sea.example, news, 2025-03-01', "user's document")
    """
    if document.kind != "web":
        return "user's document" if document.kind == "file" else "user's data"
    nature = document.nature if document.nature and document.nature != "other" else ""
    return ", ".join(filter(None, ("web", document.site[:60], nature, document.published[:10] or "no date")))
