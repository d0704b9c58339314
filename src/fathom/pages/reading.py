"""Reads what a server has sent, whatever its type."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import unquote, urlsplit

from fathom.errors import NoEvidence, Unreadable
from fathom.pages import html
from fathom.pages.about import About
from fathom.pages.evidence import PageReading, check
from fathom.publishers import nature_of
from fathom.reading import feed, markdown, pdf, plain, rst
from fathom.reading.document import ReadDocument, Reader
from fathom.text.harmless import inert
from fathom.text.language import detect
from fathom.text.own import is_own

LONGEST = 2_000_000
"""Characters of a snapshot: of a longer text, the first part is one."""
MOST_LINES = 300_000
"""Lines of a text: the empty ones, of which a megabyte holds a million, take as much memory as the others."""
_HTML = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_FEEDS = frozenset(
    "application/rss+xml application/atom+xml application/rdf+xml application/feed+json application/xml text/xml "
    "application/json".split()
)
_TEXTS: dict[str, Reader] = {
    "text/markdown": markdown.read,
    "text/x-markdown": markdown.read,
    "text/x-rst": rst.read,
    "text/prs.fallenstein.rst": rst.read,
    "text/plain": plain.read,
}
_SUFFIXES: dict[str, Reader] = {".md": markdown.read, ".markdown": markdown.read, ".rst": rst.read}


def read(
    data: bytes, *, media_type: str, address: str, charset: str | None = None, last_modified: str = ""
) -> PageReading:
    """What a server has sent as the page at `address`.

    Raises:
        NoEvidence: nothing of it could be quoted.
    """
    try:
        found = _read(data, media_type, address, charset, last_modified)
    except Unreadable as error:
        raise NoEvidence(str(error)) from error
    if is_own(data, found.content.text):
        raise NoEvidence("it is a report of Fathom, which is no source")
    return replace(found, content=cut(found.content))


def warm(_: bytes) -> bool:
    """Load what takes longest to load."""
    import trafilatura

    return bool(trafilatura)


def cut(content: ReadDocument) -> ReadDocument:
    """The first part of a document, up to the block that does not fit into a snapshot."""
    if len(content.text) <= LONGEST:
        return content
    blocks = [block for block in content.blocks if block.end <= LONGEST]
    end = max((block.end for block in blocks), default=LONGEST)
    return ReadDocument(content.text[:end], content.title, content.markup, tuple(blocks))


def _read(data: bytes, kind: str, address: str, charset: str | None, last_modified: str) -> PageReading:
    if kind in _HTML or (kind in {"application/xml", "text/xml"} and b"<html" in data[:2048].lower()):
        return html.read(data, address=address, charset=charset, last_modified=last_modified)
    path = unquote(urlsplit(address).path)
    if kind == "application/pdf":
        reader: Reader = pdf.read
    elif kind in _FEEDS:
        if not feed.is_feed(data):
            raise NoEvidence(f"it is data, not text ({kind})")
        reader = feed.read
    elif kind in _TEXTS:
        if max(map(data.count, (b"\n", b"\r"))) > MOST_LINES:
            raise NoEvidence(f"it has more than {MOST_LINES:,} lines")
        reader = _TEXTS[kind]
        if kind == "text/plain":
            reader = _SUFFIXES.get(path[path.rfind(".") :].lower(), reader)
    else:
        raise NoEvidence(f"its type cannot be read ({inert(kind, width=60)})")
    content = reader(data)
    name = path.rstrip("/").rpartition("/")[2]
    title = content.title or name or address
    check(content.text, title=title)
    published = About().published(content.text, address=address, last_modified=last_modified)
    return PageReading(
        content=content,
        title=title,
        language=detect(content.text),
        address=address,
        published=published,
        nature=nature_of(address),
    )
