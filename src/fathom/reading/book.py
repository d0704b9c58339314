"""Electronic books (EPUB): their chapters, in the order of the book."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

from fathom.errors import Unreadable
from fathom.reading import html
from fathom.reading.composition import Composition
from fathom.reading.document import ReadDocument, iso_day
from fathom.reading.packages import opened, part, tree
from fathom.reading.titles import given_authors

_CONTAINER, _RIGHTS = "META-INF/container.xml", "META-INF/encryption.xml"
_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})


def read(data: bytes) -> ReadDocument:
    """Read a book: what its spine names, without its table of contents. Raises `Unreadable` with the reason."""
    package = opened(data)
    place = tree(part(package, _CONTAINER)).find(".//{*}rootfile")
    path = "" if place is None else place.get("full-path", "")
    book = tree(part(package, path))
    items = {item.get("id"): item for item in book.iterfind("{*}manifest/{*}item")}
    spine = [items.get(each.get("idref")) for each in book.iterfind("{*}spine/{*}itemref")]
    pages = [
        posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(item.get("href", ""))))
        for item in spine
        if item is not None and item.get("media-type") in _PAGES and "nav" not in item.get("properties", "").split()
    ]
    if _RIGHTS in package.namelist():
        locked = {each.get("URI", "") for each in tree(part(package, _RIGHTS)).iter("{*}CipherReference")}
        if locked.intersection(pages):
            raise Unreadable("it is encrypted: only the programs of its seller open it")
    out = Composition()
    for page in pages:
        out.embed(html.read(part(package, page)))
    if not out.blocks:
        raise Unreadable("it holds no text: its pages may be pictures")
    title, day = (book.findtext(f"{{*}}metadata/{{*}}{name}") or "" for name in ("title", "date"))
    creators = "; ".join(each.text or "" for each in book.iterfind("{*}metadata/{*}creator"))
    return out.document(title, dated=iso_day(day), authors=given_authors(creators))
