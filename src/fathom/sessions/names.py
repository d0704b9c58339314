"""Names for files that somebody sends: harmless on every system, and still the ones that a person knows."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 180
"""Bytes of a name; numbers that are put into it later come on top."""
_LONGEST_SUFFIX = 16
_KEPT = frozenset(" -_.,+()@&=~#")
"""Signs of ASCII that no system, no shell and no database reads as anything but a part of a name."""
_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin_|conout_|clock_|(?:com|lpt)[0-9¹²³])", re.IGNORECASE)
_EDGES = " .-~"


def safe_name(given: str) -> str:
    """The name under which a file called `given` by a client is kept.

    It names a file in a folder and never the folder, another folder or a hidden file; it is printable, in composed
    Unicode, at most 180 bytes of UTF-8, and the same when it is made safe again.

    >>> [safe_name(each) for each in ("../../etc/passwd", "議事録 (1).pdf", ".env", "CON.md", "a*b?.csv", "")]
    ['passwd', '議事録 (1).pdf', 'env', 'CON_.md', 'a_b_.csv', 'file']
    """
    last = re.split(r"[/\\]", given)[-1]
    seen = "".join(char for char in last if unicodedata.category(char)[0] != "C")
    plain = "".join(map(_plain, unicodedata.normalize("NFC", seen)))
    name = " ".join(plain.split()).lstrip(_EDGES).rstrip(" .")
    stem, suffix = split_name(name)
    stem = _cut(stem, LONGEST - len(suffix.encode()))
    first, dot, rest = stem.partition(".")
    if _RESERVED.fullmatch(first.rstrip()):
        stem = f"{_cut(first.rstrip(), LONGEST - len(suffix.encode()) - 1)}_{dot}{rest}"
    safe = f"{stem}{suffix}" if stem else "file"
    return safe if safe == given else safe_name(safe)  # without what was cut the ending may be a longer one


def numbered(name: str, number: int) -> str:
    """The name of another file that would have the same one.

    >>> numbered("sales.csv.gz", 2), numbered("notes", 3)
    ('sales-2.csv.gz', 'notes-3')
    """
    stem, suffix = split_name(name)
    return f"{stem}-{number}{suffix}"


def split_name(name: str) -> tuple[str, str]:
    """What a file is called, and the ending that says what it is.

    >>> split_name("sales.2024.csv.gz"), split_name("notes"), split_name("v1. first draft")
    (('sales.2024', '.csv.gz'), ('notes', ''), ('v1. first draft', ''))
    """
    found = re.search(r"(?:\.[A-Za-z0-9]{1,10})?\.gz$|\.[A-Za-z0-9]+$", name, re.IGNORECASE)
    if found is None or found.start() == 0 or len(found[0]) > _LONGEST_SUFFIX:
        return name, ""
    return name[: found.start()], found[0]


def _plain(char: str) -> str:
    if char.isspace() or unicodedata.category(char)[0] == "Z":
        return " "
    return char if not char.isascii() or char.isalnum() or char in _KEPT else "_"


def _cut(text: str, most: int) -> str:
    """The beginning of a text that has at most so many bytes."""
    return text.encode()[:most].decode("utf-8", "ignore").rstrip(" .")
