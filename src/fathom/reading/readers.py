"""The file types that can be read, by suffix."""

from __future__ import annotations

from pathlib import Path

from fathom.errors import Unreadable
from fathom.reading.document import ReadDocument, Reader
from fathom.registry import Registry

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
        ".pdf": "fathom.reading.pdf:read",
    },
)
"""One function per suffix; another package adds its own as entry points of the group `fathom.readers`."""


def suffixes() -> frozenset[str]:
    """The suffixes that are known, in lower case, with their dots."""
    return frozenset(readers.names())


def read_bytes(data: bytes, suffix: str) -> ReadDocument:
    """Read the content of a file of that type.

    Raises:
        Unreadable: with the reason.
        ConfigurationError: no reader is known for the suffix.
    """
    return readers.get(suffix)(data)


def read_file(path: Path) -> ReadDocument:
    """Read a file by its suffix.

    Raises:
        Unreadable: with the reason.
        ConfigurationError: no reader is known for the suffix.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from error
    return read_bytes(data, path.suffix.lower())
