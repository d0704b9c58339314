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
_CODE = (
    "bash:sh,bash c:c,h cpp:cc,cpp,cxx,hpp csharp:cs go:go java:java javascript:js,jsx,mjs julia:jl kotlin:kt lua:lua "
    "perl:pl,pm php:php python:py,pyi r:r ruby:rb rust:rs scala:scala sql:sql swift:swift typescript:ts,tsx"
)
"""Languages by their names in Pygments, and how their files end."""
_LANGUAGES = [each.partition(":") for each in _CODE.split()]

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
        ".mbox": "fathom.reading.mail:read_many",
        ".pdf": "fathom.reading.pdf:read",
        **dict.fromkeys((".docx", ".docm"), "fathom.reading.office:read_word"),
        ".pptx": "fathom.reading.office:read_slides",
        **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), "fathom.reading.office:read_workbook"),
        ".epub": "fathom.reading.book:read",
        ".zip": "fathom.reading.inside:read",
        ".csv": "fathom.reading.table:read",
        ".tsv": "fathom.reading.table:read",
        **dict.fromkeys(sorted(PICTURES), "fathom.reading.picture:read"),
        **dict.fromkeys((".jsonl", ".ndjson"), "fathom.reading.table:read_records"),
        **{f".{end}": f"fathom.reading.code:{name}" for name, _, ends in _LANGUAGES for end in ends.split(",")},
    },
)
"""One function per suffix; another package adds its own as entry points of the group `fathom.readers`."""

_NOT_READ = {
    "it is a picture, in which nothing is read: write down what it says": "gif bmp webp heic svg",
    "it is a recording: write down what is said": "mp3 m4a wav ogg flac mp4 mov avi mkv webm",
    "unpack it, and give what is in it": "gz tgz tar bz2 xz 7z rar zst",
    "save it as .docx": "doc dot dotx odt rtf pages wpd",
    "save it as .pptx": "ppt pps ppsx odp key",
    "save it as .xlsx": "numbers",
    "save it as .eml": "msg",
    "save it as .mbox": "pst ost",
    "save it as .epub, without protection": "mobi azw azw3",
}
"""What is to be done with files that have no reader, by their suffixes."""

MOST_LINES = 4_000_000
"""Lines of a file: an empty one takes as much memory as another."""


_TEXTS = frozenset({".md", ".markdown", ".rst", ".txt", ".text", ".mbox"})
_PART = 1_000_000  # bytes
_BLANK = re.compile(rb"\n[ \t\r]*\n(?=\S)")


def suffixes() -> frozenset[str]:
    """The suffixes that are known, in lower case, with their dots."""
    return frozenset(readers.names())


def instead(suffix: str) -> str:
    """What is to be done with files of a well-known type that has no reader; empty when nothing is known."""
    return next((told for told, others in _NOT_READ.items() if suffix[1:] in others.split()), "")


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
                lines += max(held.count(b"\n"), held.count(b"\r")) * (suffix != ".mbox")  # of which more is held
                if lines > MOST_LINES:
                    raise Unreadable(f"it has more than {MOST_LINES:,} lines")
                held += more
                if end := held.rfind(b"\n\nFrom ") + 1 if suffix == ".mbox" else _end_of_part(held):
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
