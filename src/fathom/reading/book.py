"""Electronic books (EPUB): their chapters, in the order of the book."""

from __future__ import annotations

import posixpath
import re
from mimetypes import guess_type
from unicodedata import normalize
from urllib.parse import unquote
from zipfile import ZipFile

from lxml import etree

from fathom.errors import Unreadable
from fathom.reading import html
from fathom.reading.composition import Composition
from fathom.reading.document import ReadDocument, iso_day
from fathom.reading.packages import opened, part, tree
from fathom.reading.page import Element
from fathom.reading.titles import given_authors
from fathom.reading.visible import all_struck

_CONTAINER, _RIGHTS = "META-INF/container.xml", "META-INF/encryption.xml"
_NO_PAGE = re.compile(r"(?:image|audio|video|font)/|text/(?:css|javascript)|application/(?!xhtml|xml|x-dtbook)")
_PAGES = (".html", ".htm", ".xhtml", ".xhtm")
_NUMBER = re.compile(r"(\d+)")


def read(data: bytes) -> ReadDocument:
    """Read a book: what its spine names, else its list of files, else all its pages by their names; without its table
    of contents. Chapters that are lost are in `left_out`. Raises `Unreadable` with the reason."""
    package = opened(data)
    names = {_key(name): name for name in reversed(package.namelist())}
    place = _tree(package, _CONTAINER).find(".//{*}rootfile")
    path = names.get("" if place is None else _key(place.get("full-path", "")), "")
    path = path or next((name for key, name in names.items() if key.endswith(".opf")), "")
    book = _tree(package, path)
    items = {item.get("id", ""): item for item in book.iterfind("{*}manifest/{*}item")}
    spine = [each.get("idref", "") for each in book.iterfind("{*}spine/{*}itemref")]
    pages = [
        posixpath.normpath(posixpath.join(posixpath.dirname(path), item.get("href", "").partition("#")[0]))
        for item in ([items[each] for each in spine if each in items] or items.values())
        if "nav" not in item.get("properties", "").split()
        and not _NO_PAGE.match(item.get("media-type") or guess_type(item.get("href", ""))[0] or "")
    ]
    if not items:
        inner = (each for each in package.namelist() if each.lower().endswith(_PAGES) and "META-INF/" not in each)
        pages = sorted(inner, key=lambda name: [each.zfill(9) for each in _NUMBER.split(name)])
    if _RIGHTS in package.namelist():
        locked = {_key(each.get("URI", "")) for each in tree(part(package, _RIGHTS)).iter("{*}CipherReference")}
        if locked.intersection(map(_key, pages)):
            raise Unreadable("it is encrypted: only the programs of its seller open it")
    out = Composition(left_out=[(each, "the book does not say where it is") for each in spine if each not in items])
    for page in pages:
        try:
            out.embed(html.read(part(package, names.get(_key(page), page))))
        except Unreadable as error:
            out.left_out.append((unquote(page), str(error)))
    if not out.blocks:
        raise Unreadable(out.left_out[0][1] if out.left_out else "it holds no text: its pages may be pictures")
    out.left_out = all_struck(out.left_out)
    title, day = (book.findtext(f"{{*}}metadata/{{*}}{name}") or "" for name in ("title", "date"))
    creators = "; ".join(each.text or "" for each in book.iterfind("{*}metadata/{*}creator"))
    return out.document(title, dated=iso_day(day), authors=given_authors(creators))


def _key(name: str) -> str:
    """A name in a package as it would be written elsewhere: some are packed where case does not count."""
    return normalize("NFC", unquote(name)).replace("\\", "/").casefold()


def _tree(package: ZipFile, name: str) -> Element:
    """As much of a part in XML as can be read."""
    try:
        return tree(part(package, name), recover=True)
    except Unreadable:
        return etree.Element("none")
