"""Documents of Word, which mammoth turns into HTML."""

from __future__ import annotations

import re
from dataclasses import replace
from io import BytesIO
from zipfile import ZipFile

from lxml import etree

from fathom.errors import Unreadable
from fathom.reading import html
from fathom.reading.document import ReadDocument
from fathom.reading.inline import text_in
from fathom.reading.packages import office, part, reading, tree
from fathom.reading.page import Element, body_of

_STYLES = "p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => p:fresh"
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_NOTE = re.compile(r"#(?:foot|end)note-")
_OFF = frozenset({"0", "false", "off"})
_TINY = frozenset("01234")
"""Half points."""
_MOST_TAGS = 1_500_000
"""Each takes a kilobyte of memory; a page of text has 500."""


def read(data: bytes) -> ReadDocument:
    """Read a document: its text with headings, lists, tables and notes, without heads and feet of pages, what was
    deleted in revisions, and what is set so that nobody sees it. Nothing in it is run, and nothing fetched.

    Raises:
        Unreadable: with the reason.
        ConfigurationError: the package that reads it is not installed.
    """
    with reading("Documents of Word", package="mammoth"):
        import mammoth

        package, title, changed = office(data)
        told = {"style_map": _STYLES, "include_embedded_style_map": False, "convert_image": lambda _: []}
        page = mammoth.convert_to_html(_seen(package), **told).value
    root = html.parse(page.encode("utf-8", "replace"), declared="utf-8")
    if root is None:
        pictures = any(name.startswith("word/media/") for name in package.namelist())
        raise Unreadable("it holds pictures and no text" if pictures else "it holds no text")
    for link in root.iter("a"):
        if _NOTE.match(link.get("href", "")):  # what leads to a note, and back
            link.text = ""
    for table in root.iter("table"):
        _mark_head(table)
    found = html.read_tree(root, body_of(root), of_the_web=True)
    begins = bool(found.blocks) and found.blocks[0].kind == "heading"
    return replace(found, title=(not begins and title) or found.title, dated=changed)


def _seen(package: ZipFile) -> BytesIO:
    """The texts of a document without what is hidden, white or tiny."""
    written = BytesIO()
    with ZipFile(written, "w") as copy:
        for name in dict.fromkeys(package.namelist()):
            content = part(package, name) if name.endswith((".xml", ".rels")) else b""
            if content.count(b"<") > _MOST_TAGS:
                raise Unreadable(f"it has more than {_MOST_TAGS:,} tags: split it")
            if b"rPr" in content:
                root = tree(content)
                for run in filter(_is_unseen, root.iter(f"{_W}r")):
                    run[:] = []
                content = etree.tostring(root)
            copy.writestr(name, content)
    return written


def _is_unseen(run: Element) -> bool:
    told = {etree.QName(each).localname: each.get(f"{_W}val", "") for each in run.iterfind(f"{_W}rPr/*")}
    if told.get("vanish", "0") not in _OFF or told.get("sz") in _TINY:
        return True
    if told.get("color", "").lower() != "ffffff" or {"highlight", "shd"}.intersection(told):
        return False
    # something dark may lie behind it
    return next(run.iterancestors(f"{_W}tbl", f"{_W}txbxContent"), None) is None and not run.findall(
        f"../{_W}pPr/{_W}shd"
    )


def _mark_head(table: Element) -> None:
    """Take the first row of a table for its head where it is set in bold, as Word has seldom been told of it."""
    rows = list(table.iter("tr"))
    cells = ["".join(text_in(cell).split()) for cell in rows[0]] if rows else []
    bold = ["".join("".join(map(text_in, cell.iter("strong"))).split()) for cell in rows[0]] if rows else []
    if len(rows) > 1 < len(cells) and all(bold) and bold == cells:
        for cell in rows[0]:
            cell.tag = "th"
