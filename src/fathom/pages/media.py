"""Tells of which type a body is when its header is silent or wrong."""

from __future__ import annotations

import re

_HTML = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|script|div|p|h1|meta)\b",
    re.IGNORECASE,
)
_XML = re.compile(rb"\s*<(?:\?xml|rss|feed)\b", re.IGNORECASE)
_UNREADABLE = {
    b"\x89PNG": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"PK\x03\x04": "application/zip",
    b"\x1f\x8b": "application/gzip",
    b"\x7fELF": "application/x-executable",
    b"OggS": "audio/ogg",
    b"ID3": "audio/mpeg",
}
_UNKNOWN = {"", "application/octet-stream", "binary/octet-stream", "application/force-download", "unknown/unknown"}
_SILENT = ("image/", "audio/", "video/", "font/")
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
NEEDED = 1024
"""Bytes of a body that are looked at."""


def header_type(header: str) -> tuple[str, str | None]:
    """Media type and charset of a `content-type`.

    >>> header_type('Text/HTML; Charset="UTF-8"')
    ('text/html', 'utf-8')
    """
    kind, *parameters = header.split(";")
    for name, _, value in (part.partition("=") for part in parameters):
        if name.strip().lower() == "charset" and (found := value.strip().strip("\"'").lower()):
            return kind.strip().lower(), found[:40]
    return kind.strip().lower(), None


def _behind_comments(start: bytes) -> bytes:
    """What follows the comments that a page may begin with; each is looked at once."""
    while start.startswith(b"<!--") and (end := start.find(b"-->", 4)) >= 0:
        start = start[end + 3 :].lstrip()
    return start


def media_type(said: str, start: bytes) -> str:
    """What a body is by what its header said and by its first bytes.

    Bytes that belong to one format alone win over the header; a header that says nothing is filled in.

    >>> media_type("text/html", b"%PDF-1.7"), media_type("", b"<!DOCTYPE html>"), media_type("text/html", b"\\x89PNG")
    ('application/pdf', 'text/html', 'image/png')
    """
    start = start[:NEEDED]
    bare = start.removeprefix(_BOMS[0]).lstrip()
    if bare.startswith(b"%PDF-"):
        return "application/pdf"
    for magic, kind in _UNREADABLE.items():
        if start.startswith(magic):
            return kind
    looks_html = bool(_HTML.match(_behind_comments(bare)))
    if said in _UNKNOWN or "/" not in said:
        if looks_html:
            return "text/html"
        if _XML.match(bare):
            return "application/xml"
        text = not start or start.startswith(_BOMS) or b"\0" not in start
        return "text/plain" if text else "application/octet-stream"
    if said == "application/pdf" and looks_html:
        return "text/html"  # an error page or a login in the place of a paper
    return said


def is_silent(kind: str) -> bool:
    """Whether nothing of that type can be read as text."""
    return kind.startswith(_SILENT) or kind in {*_UNREADABLE.values(), "application/octet-stream"}
