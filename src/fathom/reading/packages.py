"""Files that are ZIP files of parts, as Office and books have them: opened without trust."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from io import BytesIO
from zipfile import BadZipFile, ZipFile, ZipInfo

from lxml import etree

from fathom.errors import ConfigurationError, Unreadable
from fathom.reading.document import iso_day
from fathom.reading.equations import MATH, linear
from fathom.reading.page import Element, text_content
from fathom.reading.titles import given_authors, given_title

MOST_BYTES = 200_000_000
"""Bytes that all parts together may have."""
MOST_PARTS = 20_000
_BROKEN = (BadZipFile, ValueError, NotImplementedError, OSError)
_XML = (".xml", ".rels")
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
_CHOICE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_CORE = "docProps/core.xml"


@contextmanager
def reading(what: str, *, package: str) -> Iterator[None]:
    """Read `what` with a package that may lack (`ConfigurationError`), and whose every error is damage to the file."""
    if find_spec(package) is None:
        raise ConfigurationError(f"{what} need a package: run `pip install 'fathom-research[office]'`.")
    try:
        yield
    except (Unreadable, MemoryError):
        raise
    except Exception as error:  # each has errors of its own, and raises those of others, too
        raise Unreadable(f"it is damaged ({type(error).__name__})") from error


def unpacked(data: bytes) -> ZipFile:
    """The parts of a file, none of them longer than it says; `Unreadable` if it has none."""
    try:
        return ZipFile(BytesIO(data))
    except _BROKEN as error:
        raise Unreadable("it is damaged: it is no ZIP file, as files of that type are") from error


def opened(data: bytes) -> ZipFile:
    """The same of a file that is to be read as a whole; `Unreadable` with the reason."""
    if data.startswith(b"\xd0\xcf\x11\xe0"):  # as the compound files of Office do
        raise Unreadable("it is encrypted, or older than Office 2007: save it anew, without a password")
    package = unpacked(data)
    parts = package.infolist()
    if any(part.flag_bits & 1 for part in parts):
        raise Unreadable("it is encrypted: save it without a password")
    if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > MOST_BYTES:
        raise Unreadable(f"it unpacks to more than {MOST_BYTES // 1_000_000} MB or {MOST_PARTS:,} parts")
    return package


def part(package: ZipFile, name: str | ZipInfo) -> bytes:
    """The content of a part; `Unreadable` if it is not there, or damaged."""
    try:
        return package.read(name)
    except (*_BROKEN, KeyError, EOFError, RuntimeError, zlib.error) as error:
        told = f"part {name[:80]}" if isinstance(name, str) else "content"
        raise Unreadable(f"it is damaged: its {told} cannot be read") from error


def textless(package: ZipFile) -> Unreadable:
    """Why nothing is read in a document of Office."""
    pictures = any("/media/" in name for name in package.namelist())
    return Unreadable("it holds pictures and no text, which are not read" if pictures else "it holds no text")


def tree(data: bytes, *, recover: bool = False) -> Element:
    """XML, without what it refers to, or to `recover` as much of it as is sound; `Unreadable` if it is none."""
    try:
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=recover)
        root: Element | None = etree.fromstring(data, parser)
        if root is None:
            raise ValueError("nothing in it is an element")
        return root
    except (etree.LxmlError, ValueError) as error:
        raise Unreadable("it is damaged: a part of it is no XML") from error


def repacked(package: ZipFile, change: Callable[[str, bytes], bytes]) -> BytesIO:
    """A document of Office of which each part in XML is what `change` makes of it by its name; the others are empty.
    What is written by the strict standard becomes what other programs write."""
    written = BytesIO()
    with ZipFile(written, "w") as copy:
        for name in dict.fromkeys(package.namelist()):
            is_xml = name.lower().endswith(_XML)
            copy.writestr(name, change(name, transitional(part(package, name))) if is_xml else b"")
    written.seek(0)
    return written


def transitional(content: bytes) -> bytes:
    """XML of Office with the names of the transitional standard in place of those of the strict one."""
    return _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", content)


def settled(root: Element, *, text: tuple[str, str]) -> Element:
    """The tree of a part of a document in which one of alternatives is left, the first that has text, and equations are
    `text`: the tags of a run and of what is in it."""
    for each in list(root.iter(f"{_CHOICE}AlternateContent")):
        branches = (branch for branch in each if text_content(branch).strip())
        unwrap(each, next(branches, each[0] if len(each) else each))
    for each in list(root.iter(f"{MATH}oMathPara", f"{MATH}oMath")):
        run = etree.Element(text[0])
        etree.SubElement(run, text[1]).text = linear(each)
        parent = each.getparent()
        unwrap(parent if parent is not None and etree.QName(parent).localname == "m" else each, [run])
    return root


def unwrap(element: Element, inner: Iterable[Element]) -> None:
    """Put others in the place of an element, most often those in it."""
    if (parent := element.getparent()) is not None:
        for each in list(inner):
            element.addprevious(each)
        parent.remove(element)


def comments_note(package: ZipFile) -> tuple[tuple[str, str], ...]:
    """What is said of comments in a document of Office that are not read."""
    has_some = any("/comments" in name.lower() or "/threadedcomments" in name.lower() for name in package.namelist())
    return (("comments left out", "they are read in documents of Word only"),) if has_some else ()


def office(data: bytes) -> tuple[ZipFile, str, str, tuple[str, ...]]:
    """The parts of a document of Office, its title, the day when it was changed last, and who has written it;
    `Unreadable` if one of them declares entities, too."""
    package = opened(data)
    for name in package.namelist():
        if name.lower().endswith(_XML) and b"<!DOCTYPE" in part(package, name).replace(b"\0", b""):  # in UTF-16, too
            raise Unreadable("it is damaged: it declares entities, as no program of Office does")
    core = tree(part(package, _CORE)) if _CORE in package.namelist() else etree.Element("none")
    title, changed, creator = (core.findtext(f"{{*}}{name}") or "" for name in ("title", "modified", "creator"))
    return package, given_title(title), iso_day(changed), given_authors(creator)
