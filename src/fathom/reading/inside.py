"""Files in files: what is attached to a mail, and what an archive holds. None of it is unpacked to a path."""

from __future__ import annotations

import re
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from itertools import pairwise
from pathlib import PurePath
from zipfile import ZipInfo

from fathom.errors import ConfigurationError, Unreadable
from fathom.reading.composition import Composition, line
from fathom.reading.document import ReadDocument
from fathom.reading.packages import MOST_BYTES, MOST_PARTS, part, unpacked
from fathom.text.characters import is_cjk

MOST_DEPTH = 3
"""Mails and archives in one another that are read, the outermost included."""
ARCHIVE = ".zip"
_HOLDERS = frozenset({ARCHIVE, ".eml", ".mbox"})
_OUTWARDS = re.compile(r"/|[A-Za-z]:|(?:.*/)?\.\.(?:/|$)")
_ASIDE = re.compile(r"(?:.*/)?(?:\.(?!\./)|__MACOSX/)")
"""What programs leave behind: hidden files, and what the archives of a Mac say besides."""
_BUNDLE = frozenset({"manifest.json", "run.json", "journal.jsonl"})
_UTF8 = 0x800
UNKNOWN = "files of that type are not known"
_depth: ContextVar[int] = ContextVar("depth", default=1)


def read_inner(name: str, content: bytes) -> ReadDocument:
    """A file that another one holds, read as one of that name. Raises as its reader does."""
    from fathom.reading.readers import instead, read_here, suffixes  # which know this module, too

    suffix = PurePath(name).suffix.lower()
    if suffix not in suffixes():
        raise Unreadable(instead(suffix) or UNKNOWN)
    deeper = _depth.get() + (suffix in _HOLDERS)
    if deeper > MOST_DEPTH:
        raise Unreadable(f"it is a file in a file in a file, of which {MOST_DEPTH} are read")
    token = _depth.set(deeper)
    try:
        return read_here(content, suffix)
    finally:
        _depth.reset(token)


def read(data: bytes) -> ReadDocument:
    """Read an archive as one document, each file in it under its name. Raises `Unreadable` with the reason."""
    out = Composition()
    for name, found in members(data):
        if isinstance(found, str):
            out.left_out.append((name, found))
        else:
            out.embed(found, under=name)
    if not out.blocks:
        raise unread(out.left_out)
    return out.document()


def unread(left_out: Sequence[tuple[str, str]]) -> Unreadable:
    """Why nothing is read in an archive."""
    told = "; ".join(f"{name}: {reason}" for name, reason in left_out[:3])
    return Unreadable(f"nothing in it can be read ({told})" if told else "there is no file in it")


def members(data: bytes) -> Iterator[tuple[str, ReadDocument | str]]:
    """The files in an archive by their names, as they are read, or why not; those of types unknown at the end.

    Raises:
        Unreadable: it is no archive, has too many files, or is a run that Fathom has exported.
    """
    from fathom.reading.readers import instead, suffixes

    package = unpacked(data)
    files = [member for member in package.infolist() if not member.filename.endswith("/")]
    if len(files) > MOST_PARTS:
        raise Unreadable(f"it holds more than {MOST_PARTS:,} files")
    if _BUNDLE.issubset(package.namelist()):
        raise Unreadable("it is a run that Fathom has exported: import it")
    left, unknown, seen = MOST_BYTES, Counter[str](), set[str]()
    for member, name in zip(files, _names(files), strict=True):
        suffix = PurePath(name).suffix.lower()
        if _ASIDE.match(name):
            continue
        try:
            if reason := _refusal(member, name, left) or ("it stands there twice" if name in seen else ""):
                raise Unreadable(reason)
            if suffix in suffixes():
                seen.add(name)
                left -= member.file_size
                yield name, read_inner(name, part(package, member))
            else:
                unknown[suffix] += 1
        except (Unreadable, ConfigurationError) as error:
            yield name, str(error)
    for suffix, count in unknown.items():
        yield f"{count} × {suffix or 'without an ending'}", instead(suffix) or UNKNOWN


def _refusal(member: ZipInfo, name: str, left: int) -> str:
    """Why a file in an archive is not even looked at; empty when it may be."""
    if _OUTWARDS.match(name):
        return "its name leads out of the archive"
    if stat.S_ISLNK(member.external_attr >> 16):
        return "it is a link"
    if member.flag_bits & 1:
        return "it is encrypted: pack it without a password"
    if member.file_size > left:
        return f"with what stands before it, it unpacks to more than {MOST_BYTES // 1_000_000} MB"
    return ""


def _names(members: Sequence[ZipInfo]) -> Iterator[str]:
    """The names of files as who packed them saw them: in UTF-8, Shift-JIS as Windows packs in Japan, or that of DOS."""
    bare = b"\n".join(each.filename.encode("cp437") for each in members if not each.flag_bits & _UTF8)
    encoding = next(encoding for encoding in ("utf-8", "cp932", "cp437") if _fits(bare, encoding))
    for each in members:
        name = each.filename if each.flag_bits & _UTF8 else each.filename.encode("cp437").decode(encoding)
        yield line(name.replace("\\", "/"))


def _fits(names: bytes, encoding: str) -> bool:
    try:
        text = names.decode(encoding)
    except UnicodeDecodeError:
        return False
    letters = [is_cjk(char) for char in text if not char.isascii()]
    pairs = any(is_cjk(one) and is_cjk(other) for one, other in pairwise(text))  # one alone may be "Ém" of "Émile"
    return encoding != "cp932" or (pairs and sum(letters) * 2 > len(letters))
