"""Documents of Word, which mammoth turns into HTML."""

from __future__ import annotations

import re
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

from lxml import etree

from fathom.errors import Unreadable
from fathom.reading import html
from fathom.reading.document import ReadDocument
from fathom.reading.inline import text_in
from fathom.reading.packages import damage_told, needs, office, part, tree
from fathom.reading.page import Element, body_of

_STYLES = "p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => p:fresh"
_TEXTS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_NOTE = re.compile(r"#(?:foot|end)note-")
_OFF = frozenset({"0", "false", "off"})
_TINY = 5
"""Half points."""


def read(data: bytes) -> ReadDocument:
    """Read a document: its text with headings, lists, tables and notes, without heads and feet of pages, what was
    deleted in revisions, and what is set so that nobody sees it. Nothing in it is run, and nothing fetched.

    Raises:
        Unreadable: with the reason.
        ConfigurationError: the package that reads it is not installed.
    """
    needs("mammoth", "Documents of Word")
    package, properties = office(data)
    with damage_told():
        import mammoth

        seen = BytesIO(_without_unseen(data, package))
        page = mammoth.convert_to_html(
            seen, style_map=_STYLES, include_embedded_style_map=False, convert_image=lambda _: []
        ).value
    root = html.parse(page.encode("utf-8", "replace"), declared="utf-8")
    if root is None:
        pictures = any(name.startswith("word/media/") for name in package.namelist())
        raise Unreadable("it holds pictures and no text" if pictures else "it holds no text")
    for link in list(root.iter("a")):
        if _NOTE.match(link.get("href", "")):  # what leads to a note, and back
            link.text = ""
    for table in root.iter("table"):
        _mark_head(table)
    found = html.read_tree(root, body_of(root), of_the_web=True)
    first = found.blocks[0] if found.blocks and found.blocks[0].kind == "heading" else None
    title = found.text[first.start : first.end] if first else properties.title or found.title
    return ReadDocument(found.text, title, "plain", found.blocks, dated=properties.dated)


def _without_unseen(data: bytes, package: ZipFile) -> bytes:
    """The document without the runs that are hidden, white or tiny; the same bytes where there are none."""
    mended: dict[str, bytes] = {}
    for name in _TEXTS:
        if name in package.namelist():
            root = tree(part(package, name))
            unseen = [run for run in root.iter(f"{_W}r") if _is_unseen(run)]
            for run in unseen:
                run[:] = []
            if unseen:
                mended[name] = etree.tostring(root, encoding="utf-8", xml_declaration=True)
    if not mended:
        return data
    written = BytesIO()
    with ZipFile(written, "w", ZIP_DEFLATED) as copy:
        for name in dict.fromkeys(package.namelist()):
            copy.writestr(name, mended.get(name) or part(package, name))
    return written.getvalue()


def _is_unseen(run: Element) -> bool:
    told = {etree.QName(each).localname: each.get(f"{_W}val", "") for each in run.iterfind(f"{_W}rPr/*")}
    if told.get("vanish", "0") not in _OFF or int(told.get("sz") or 99) < _TINY:
        return True
    return told.get("color", "").lower() == "ffffff" and "highlight" not in told and not _is_shaded(run)


def _is_shaded(run: Element) -> bool:
    """Whether something dark may lie behind it: a cell of a table, a box, or a shading of its own."""
    shaded = (f"{_W}rPr/{_W}shd", f"../{_W}pPr/{_W}shd")
    around = next(run.iterancestors(f"{_W}tbl", f"{_W}txbxContent"), None)
    return around is not None or any(run.find(path) is not None for path in shaded)


def _mark_head(table: Element) -> None:
    """Take the first row of a table for its head where it is set in bold, as Word has seldom been told of it."""
    rows = list(table.iter("tr"))
    if len(rows) < 2 or len(rows[0]) < 2 or table.find("thead") is not None:
        return
    bold = ["".join(" ".join(map(text_in, cell.iter("strong"))).split()) for cell in rows[0]]
    if all(bold) and bold == ["".join(text_in(cell).split()) for cell in rows[0]]:
        for cell in rows[0]:
            cell.tag = "th"
