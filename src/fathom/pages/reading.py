"""Turns what a server has sent into a page, whatever its type."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import unquote, urlsplit

from fathom.errors import NoEvidence, Unreadable
from fathom.natures import nature_of
from fathom.pages import html
from fathom.pages.about import About
from fathom.pages.evidence import check
from fathom.pages.fetch import Fetched
from fathom.pages.html import Reading
from fathom.ports.web import Page
from fathom.reading import feed, markdown, pdf, plain, rst
from fathom.reading.document import ReadDocument, Reader
from fathom.text.harmless import inert
from fathom.text.language import detect
from fathom.text.likeness import signature

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


def page_of(fetched: Fetched, *, url: str) -> Page:
    """The page that was found at `url`.

    Raises:
        NoEvidence: nothing of it could be quoted.
    """
    try:
        found = _read(fetched)
    except (NoEvidence, Unreadable) as error:
        kind = type(error) if isinstance(error, NoEvidence) else NoEvidence
        raise kind(f"{url} is no evidence: {error}.") from error
    content = cut(found.content)
    last_modified = fetched.headers.get("last-modified", "")
    return Page(
        url=url,
        address=found.address,
        content=content,
        title=inert(found.title, width=300) or url,
        language=found.language,
        retrieved_at=datetime.now(UTC).isoformat(timespec="seconds"),
        published=found.published,
        nature=found.nature,
        etag=fetched.headers.get("etag", ""),
        last_modified=last_modified,
        likeness=signature(content.text),
    )


def cut(content: ReadDocument) -> ReadDocument:
    """The first part of a document, up to the block that does not fit into a snapshot."""
    if len(content.text) <= LONGEST:
        return content
    blocks = [block for block in content.blocks if block.end <= LONGEST]
    end = max((block.end for block in blocks), default=LONGEST)
    return ReadDocument(content.text[:end], content.title, content.markup, tuple(blocks))


def _read(fetched: Fetched) -> Reading:
    last_modified = fetched.headers.get("last-modified", "")
    kind = fetched.media_type
    if kind in _HTML or (kind in {"application/xml", "text/xml"} and b"<html" in fetched.body[:2048].lower()):
        return html.read(fetched.body, address=fetched.address, charset=fetched.charset, last_modified=last_modified)
    path = unquote(urlsplit(fetched.address).path)
    if kind == "application/pdf":
        read: Callable[[bytes], ReadDocument] = pdf.read
    elif kind in _FEEDS:
        if not feed.is_feed(fetched.body):
            raise NoEvidence(f"it is data, not text ({kind})")
        read = feed.read
    elif kind in _TEXTS:
        if max(map(fetched.body.count, (b"\n", b"\r"))) > MOST_LINES:
            raise NoEvidence(f"it has more than {MOST_LINES:,} lines")
        read = _SUFFIXES.get(path[path.rfind(".") :].lower(), _TEXTS[kind])
    else:
        raise NoEvidence(f"its type cannot be read ({inert(kind, width=60)})")
    content = read(fetched.body)
    name = path.rstrip("/").rpartition("/")[2]
    title = content.title or name or fetched.address
    check(content.text, title=title)
    published = About().published("", address=fetched.address, last_modified=last_modified)
    return Reading(
        content=content,
        title=title,
        language=detect(content.text),
        address=fetched.address,
        published=published,
        nature=nature_of(fetched.address),
    )
