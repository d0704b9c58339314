"""Documents of Word, made ready for a reader that knows neither fields, equations, drawn boxes nor comments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from zipfile import ZipFile

from lxml import etree

from fathom.errors import Unreadable
from fathom.reading.packages import part, repacked, settled, transitional, tree, unwrap
from fathom.reading.page import Element, text_content

MOST_TAGS = 1_500_000
"""In a part of a document of Word: each takes a kilobyte of memory, and a page of text has 500."""
_SPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_W = f"{{{_SPACE}}}"
_RUNS = (f"{_W}r", "{http://schemas.openxmlformats.org/officeDocument/2006/math}r")
_TINY = frozenset("01234")
"""Half points."""
_OFF = frozenset({"0", "false", "off"})


@dataclass
class WordMarkup:
    """A document, and what is said of its text elsewhere."""

    package: ZipFile
    struck: int = 0
    """Places where text was left out that is struck through."""
    _struck: set[str] = field(default_factory=set)
    _listed: set[str] = field(default_factory=set)
    _comments: dict[str, str] = field(default_factory=dict)

    def readable(self) -> BytesIO:
        """The texts of the document without what is struck, hidden, white or tiny. Results of fields and equations are
        text in their sentences; what a box or a comment says follows the paragraph that it belongs to."""
        for name in self.package.namelist():
            if name.endswith("/styles.xml"):
                self._learn(_tree(part(self.package, name)))
            if name.endswith("/comments.xml"):
                for each in self._read(part(self.package, name)).iter(f"{_W}comment"):
                    said = " ".join(text_content(each).split())
                    by = f" by {author}" if (author := each.get(f"{_W}author", "").strip()) else ""
                    self._comments[each.get(f"{_W}id", "")] = f"[Comment{by}: {said}]" if said else ""
        return repacked(self.package, self._changed)

    def _changed(self, name: str, content: bytes) -> bytes:
        if _SPACE.encode() not in content or name.endswith(("/styles.xml", "/comments.xml")):
            return content
        root = self._read(content)
        self._place_comments(root)
        for box in reversed(list(root.iter(f"{_W}txbxContent"))):
            host = next(box.iterancestors(f"{_W}p"), None)
            if host is not None:
                for paragraph in reversed(box):
                    host.addnext(paragraph)
        return etree.tostring(root)

    def _learn(self, styles: Element) -> None:
        """Which styles strike text through, and which make items of lists."""
        for style in styles.iter(f"{_W}style"):
            own, based = style.get(f"{_W}styleId", ""), style.find(f"{_W}basedOn")
            above = "" if based is None else based.get(f"{_W}val", "")
            if _strikes(_properties(style), otherwise=above in self._struck):
                self._struck.add(own)
            if style.find(f"{_W}pPr/{_W}numPr") is not None or above in self._listed:
                self._listed.add(own)

    def _read(self, content: bytes) -> Element:
        """The tree of a part as a reader can take it."""
        root = settled(_tree(content), text=(f"{_W}r", f"{_W}t"))
        _drop_instructions(root)
        went: Element | None = None
        for run in root.iter(*_RUNS):
            properties = _properties(run)
            is_struck = self._is_struck(run, properties)
            if is_struck and text_content(run).strip():
                self.struck += went is None or went is not run.getprevious()
                went = run
            if is_struck or _is_unseen(run, properties):
                run[:] = []
        for each in list(root.iter(f"{_W}fldSimple", f"{_W}dir", f"{_W}bdo", f"{_W}ruby")):
            base = each.find(f"{_W}rubyBase")
            unwrap(each, each if base is None else base)
        return root

    def _is_struck(self, run: Element, properties: Mapping[str, str]) -> bool:
        by_style = properties.get("rStyle") in self._struck
        if self._struck and not by_style and (host := next(run.iterancestors(f"{_W}p"), None)) is not None:
            style = host.find(f"{_W}pPr/{_W}pStyle")
            by_style = style is not None and style.get(f"{_W}val") in self._struck
        return _strikes(properties, otherwise=by_style)

    def _place_comments(self, root: Element) -> None:
        for mark in reversed(list(root.iter(f"{_W}commentReference"))):
            said = self._comments.pop(mark.get(f"{_W}id", ""), "")
            host = next(mark.iterancestors(f"{_W}p"), None)
            if not said or host is None:
                continue
            style = host.find(f"{_W}pPr/{_W}pStyle")
            is_listed = style is not None and style.get(f"{_W}val") in self._listed
            if is_listed or host.find(f"{_W}pPr/{_W}numPr") is not None:  # a paragraph would end the list
                etree.SubElement(etree.SubElement(host, f"{_W}r"), f"{_W}t").text = f" {said}"
            else:
                beside = etree.Element(f"{_W}p")
                etree.SubElement(etree.SubElement(beside, f"{_W}r"), f"{_W}t").text = said
                host.addnext(beside)


def _tree(content: bytes) -> Element:
    if content.count(b"<") > MOST_TAGS:
        raise Unreadable(f"it has more than {MOST_TAGS:,} tags: split it")
    return tree(transitional(content))


def _properties(run: Element) -> dict[str, str]:
    return {etree.QName(each).localname: each.get(f"{_W}val", "") for each in run.iterfind(f"{_W}rPr/*")}


def _strikes(properties: Mapping[str, str], *, otherwise: bool) -> bool:
    own = [properties[name] not in _OFF for name in ("strike", "dstrike") if name in properties]
    return any(own) if own else otherwise


def _is_unseen(run: Element, properties: Mapping[str, str]) -> bool:
    if properties.get("vanish", "0") not in _OFF or properties.get("sz") in _TINY:
        return True
    is_white = properties.get("color", "").lower() == "ffffff" and not {"highlight", "shd"}.intersection(properties)
    is_in_box = next(run.iterancestors(f"{_W}tbl", f"{_W}txbxContent"), None) is not None  # which may be dark
    return is_white and not is_in_box and not run.findall(f"../{_W}pPr/{_W}shd")


def _drop_instructions(root: Element) -> None:
    """Empty what is between the beginning of a field and its result: how that is worked out."""
    awaited, begun = 0, list[int]()  # of each field, whether its result is still to come
    for each in root.iter(f"{_W}p", f"{_W}fldChar", f"{_W}t"):
        match each.get(f"{_W}fldCharType", "" if each.tag == f"{_W}t" else "paragraph"):
            case "":
                each.text = "" if awaited else each.text
            case "begin":
                begun.append(1)
                awaited += 1
            case "separate" if begun:
                awaited, begun[-1] = awaited - begun[-1], 0
            case "end" if begun:
                awaited -= begun.pop()
            case "paragraph":  # a field without an end costs no more than that
                begun, awaited = [], 0
