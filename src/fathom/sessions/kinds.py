"""What a file is by its name and by its first bytes."""

from __future__ import annotations

from fathom.reading.readers import instead
from fathom.sessions.names import split_name

_ELSE = "something else"
FIRST = 4_096
"""Bytes from the beginning of a file by which it is judged."""
_TEXTS = frozenset(".md .markdown .rst .txt .text .html .htm .xhtml .csv .tsv .tab .json .jsonl .ndjson".split())
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "a ZIP file"),
    (b"PK\x05\x06", "a ZIP file"),
    (b"%PDF-", "a PDF"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"\x1f\x8b", "a compressed file"),
    (b"BZh", "a compressed file"),
    (b"\xfd7zXZ", "a compressed file"),
    (b"\x28\xb5\x2f\xfd", "a compressed file"),
    (b"7z\xbc\xaf", "an archive"),
    (b"Rar!", "an archive"),
    (b"\xd0\xcf\x11\xe0", "an Office document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"RIFF", "a picture or a recording"),
    (b"SQLite format 3\x00", "an SQLite file"),
    (b"PAR1", "a Parquet file"),
)


def refusal(name: str, suffixes: frozenset[str], *, first: bytes = b"") -> str:
    """Why a file is not taken; empty when nothing speaks against it.

    Args:
        suffixes: Endings that may come, in lower case; without any, the name is not looked at.
        first: The first bytes of its content, as many as there are up to `FIRST`.

    >>> refusal("a.exe", frozenset({".md", ".txt"}))
    "files of type '.exe' are not taken here; known are .md, .txt"
    >>> refusal("a.md", frozenset(), first=b"PK\\x03\\x04\\x14\\x00")
    "its name ends in '.md', and it is a ZIP file"
    """
    suffix = split_name(name)[1].lower()
    if suffixes and suffix not in suffixes:
        told = f"files of type '{suffix}' are not taken here; known are {', '.join(sorted(suffixes))}"
        return instead(suffix) or told
    if is_text(name):
        is_other = first.startswith(b"%PDF-") or (b"\x00" in first and _told(first) != _ELSE)
    else:
        is_other = suffix == ".pdf" and bool(first) and b"%PDF-" not in first
    return f"its name ends in '{suffix}', and it is {_told(first)}" if is_other else ""


def is_text(name: str) -> bool:
    """Whether a file of that name holds text."""
    return split_name(name)[1].lower() in _TEXTS


def _told(first: bytes) -> str:
    return next((kind for magic, kind in _MAGIC if first.startswith(magic)), _ELSE)
