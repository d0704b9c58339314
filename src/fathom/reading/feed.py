"""Feeds: RSS, Atom and JSON Feed, one heading per entry with its date and its text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from time import struct_time
from typing import Any

from fathom.errors import Unreadable
from fathom.reading.composition import Composition
from fathom.reading.document import ReadDocument, decode
from fathom.reading.html import read as read_html
from fathom.reading.inline import collapsed
from fathom.text.sentences import sentences

_MOST_ENTRIES = 500
_MOST_BYTES, _MOST_TAGS = 5_000_000, 200_000
"""Of a feed in XML, which takes a second for each 400 KB."""
_MARKED_UP = re.compile(r"<[a-zA-Z!/]|&[a-zA-Z#]\w*;")
_OPENED = re.compile(rb"<(?:\w+:)?(?:rss|feed|rdf)[\s>]", re.IGNORECASE)
_ENTITY = re.compile(rb"<!ENTITY", re.IGNORECASE)


@dataclass(frozen=True)
class Entry:
    """One entry of a feed."""

    title: str
    published: str
    """ISO 8601 date; empty when it says none."""
    html: str
    """Its text, maybe with markup."""


def is_feed(data: bytes) -> bool:
    """Whether XML or JSON looks like a feed."""
    return bool(_OPENED.search(data[:2048])) or (data.lstrip()[:1] == b"{" and b"jsonfeed.org/version" in data[:4096])


def read(data: bytes) -> ReadDocument:
    """Read a feed; what its entries say is their summary, or their content when that says more.

    Raises:
        Unreadable: it is no feed, or has no entries.
    """
    title, entries = _json_feed(data) if data.lstrip()[:1] == b"{" else _xml_feed(data)
    out = Composition()
    for entry in islice(entries, _MOST_ENTRIES):
        inner = read_html(f"<body>{entry.html}</body>".encode("utf-8", "replace"))
        texts = [(block.kind, collapsed(inner.text[block.start : block.end])) for block in inner.blocks]
        name = collapsed(entry.title) or next((_first(text) for _, text in texts if text), "")
        if not name:
            continue
        out.write("heading", name, level=2)
        out.write("paragraph", entry.published)
        for kind, text in texts:
            out.write("paragraph" if kind in {"heading", "table_row", "definition"} else kind, text)
    if not out.blocks:
        raise Unreadable("it is no feed, or has no entries")
    return out.document(collapsed(title))


def _first(text: str) -> str:
    start, end = sentences(text, start=0, end=len(text))[0]
    return text[start:end][:120]


def _xml_feed(data: bytes) -> tuple[str, Iterator[Entry]]:
    if not is_feed(data) or _ENTITY.search(data):
        raise Unreadable("it is no feed")
    if len(data) > _MOST_BYTES or data.count(b"<") > _MOST_TAGS:
        raise Unreadable("it is too large for a feed")
    import feedparser  # type: ignore[import-untyped]

    # as a stream: bytes are tried as the name of a file first
    found = feedparser.parse(BytesIO(data), sanitize_html=False, resolve_relative_uris=False)
    return _text(found.feed.get("title")), (_entry(each) for each in found.entries)


def _entry(entry: Any) -> Entry:
    contents = [_text(each.get("value")) for each in entry.get("content") or ()]
    html = max([_text(entry.get("summary")), *contents], key=len)
    return Entry(
        _shown(_text(entry.get("title"))), _day(entry.get("published_parsed") or entry.get("updated_parsed")), html
    )


def _json_feed(data: bytes) -> tuple[str, Iterator[Entry]]:
    try:
        feed = json.loads(decode(data))
    except (ValueError, RecursionError) as error:
        raise Unreadable("it is no feed") from error
    items = feed.get("items")
    if "jsonfeed.org" not in _text(feed.get("version")) or not isinstance(items, list):
        raise Unreadable("it is no feed")
    return _text(feed.get("title")), (_json_entry(item) for item in items if isinstance(item, dict))


def _json_entry(item: Mapping[str, Any]) -> Entry:
    html = _text(item.get("content_html")) or _text(item.get("content_text")).replace("<", "&lt;")
    day = _text(item.get("date_published"))[:10]
    return Entry(
        _text(item.get("title")),
        day if re.fullmatch(r"\d{4}-\d\d-\d\d", day) else "",
        html or _text(item.get("summary")),
    )


def _shown(title: str) -> str:
    """A title without the markup that some feeds put into it."""
    if not _MARKED_UP.search(title):
        return title
    inner = read_html(f"<body><p>{title}</p></body>".encode("utf-8", "replace"))
    return collapsed(inner.text)


def _day(moment: object) -> str:
    return "{:04}-{:02}-{:02}".format(*moment[:3]) if isinstance(moment, struct_time) else ""


def _text(value: object) -> str:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""  # half a character is none
