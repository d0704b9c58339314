"""The file types that can be read, by suffix."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from fathom.errors import ConfigurationError, Unreadable
from fathom.reading import bounded
from fathom.reading.document import ReadDocument, Reader
from fathom.registry import Registry
from fathom.text.own import is_own

PICTURES = frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff"})
"""Read where they are named; in a folder most only illustrate what stands beside them."""

readers: Registry[Reader] = Registry(
    "file type",
    group="fathom.readers",
    builtin={
        ".md": "fathom.reading.markdown:read",
        ".markdown": "fathom.reading.markdown:read",
        ".rst": "fathom.reading.rst:read",
        ".txt": "fathom.reading.plain:read",
        ".text": "fathom.reading.plain:read",
        ".html": "fathom.reading.html:read",
        ".htm": "fathom.reading.html:read",
        ".xhtml": "fathom.reading.html:read",
        ".eml": "fathom.reading.mail:read",
        ".pdf": "fathom.reading.pdf:read",
        ".csv": "fathom.reading.table:read",
        ".tsv": "fathom.reading.table:read",
        **dict.fromkeys(sorted(PICTURES), "fathom.reading.picture:read"),
    },
)
"""One function per suffix; another package adds its own as entry points of the group `fathom.readers`."""

MOST_LINES = 4_000_000
"""Lines of a file: an empty one takes as much memory as another."""


_TEXTS = frozenset({".md", ".markdown", ".rst", ".txt", ".text"})
_PART = 1_000_000  # bytes
_BLANK = re.compile(rb"\n[ \t\r]*\n(?=\S)")


def suffixes() -> frozenset[str]:
    """The suffixes that are known, in lower case, with their dots."""
    return frozenset(readers.names())


def read_bytes(data: bytes, suffix: str) -> ReadDocument:
    """Read the content of a file of that type, in a process of its own.

    Raises:
        Unreadable: with the reason.
        ConfigurationError: no reader is known for the suffix.
    """
    return bounded.ask(
        ReadDocument, "fathom.reading.readers:read_here", data, raises=(ConfigurationError,), suffix=suffix
    )


def read_here(data: bytes, suffix: str) -> ReadDocument:
    """The same within this process, for whatever the document makes of it."""
    if max(map(data.count, (b"\n", b"\r"))) > MOST_LINES:
        raise Unreadable(f"it has more than {MOST_LINES:,} lines")
    read = readers.get(suffix)(data)
    if is_own(data, read.text):
        raise Unreadable("it is a report of Fathom, which is no source")
    return read


def read_parts(path: Path, *, read: Callable[[bytes, str], ReadDocument] = read_bytes) -> Iterator[ReadDocument]:
    """Read a file by its suffix; a long text in parts, each by itself, whose texts together are the file's.

    Raises:
        Unreadable: with the reason.
        ConfigurationError: no reader is known for the suffix.
    """
    suffix = path.suffix.lower()
    try:
        with path.open("rb") as file:
            held = file.read(_PART)
            if suffix not in _TEXTS or held.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
                held += file.read()  # what has no parts, and texts in which a line's end is no single byte
            lines = 0
            while more := file.read(_PART):
                lines += max(held.count(b"\n"), held.count(b"\r"))
                if lines > MOST_LINES:
                    raise Unreadable(f"it has more than {MOST_LINES:,} lines")
                held += more
                end = _end_of_part(held)
                yield read(held[:end], suffix)
                held = held[end:]
            yield read(held, suffix)
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from error


def _end_of_part(data: bytes) -> int:
    """Where the beginning of a text may end: behind a blank line, else a line, else a character."""
    blank = [match.end() for match in _BLANK.finditer(data)]
    if end := blank[-1] if blank else data.rfind(b"\n") + 1:
        return end
    return next((at for at in range(len(data) - 1, len(data) - 5, -1) if data[at] & 0xC0 != 0x80), len(data))
