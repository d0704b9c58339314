"""Workbooks of Excel in XML, each cell made what a person sees in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from zipfile import ZipFile

from lxml import etree

from fathom.reading.cell_formats import BUILT_IN, shown
from fathom.reading.packages import part, repacked, transitional, tree, unwrap
from fathom.reading.page import Element, text_content
from fathom.reading.table import MOST_ROWS

_S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ROOT = re.compile(rb"<(?:\w+:)?(workbook|worksheet|styleSheet|sst)[\s>]")
_HEAD = 4_000
"""Bytes of a part in which its root begins."""
_ROW = re.compile(rb"<(?:\w+:)?row[\s>/]")
_ON = frozenset({"1", "true"})


@dataclass
class WorkbookMarkup:
    """A workbook, and what is said of its cells elsewhere."""

    package: ZipFile
    struck: int = 0
    """Places where something was left out that is struck through."""
    _is_calculated: bool = True
    _codes: list[str] = field(default_factory=list)
    """Formats of numbers by style."""
    _struck: list[bool] = field(default_factory=list)

    def readable(self) -> BytesIO | None:
        """The workbook with what its cells show in place of numbers, without what is struck through, and with its
        formulas where they have not been calculated; `None` if it is none in XML."""
        is_one = False
        for name in self.package.namelist():
            content = part(self.package, name) if name.endswith(".xml") else b""
            match _kind(content):
                case b"workbook":
                    is_one = True
                    for each in tree(transitional(content)).iter(f"{_S}calcPr"):
                        is_due = each.get("fullCalcOnLoad") in _ON or each.get("calcCompleted", "1") not in _ON
                        self._is_calculated = not is_due
                case b"styleSheet":
                    self._learn(tree(transitional(content)))
        return repacked(self.package, self._changed) if is_one else None

    def _learn(self, styles: Element) -> None:
        codes = BUILT_IN | {
            int(each.get("numFmtId", 0)): each.get("formatCode", "") for each in styles.iter(f"{_S}numFmt")
        }
        fonts = [any(map(_is_on, font.iterfind(f"{_S}strike"))) for font in styles.iterfind(f"{_S}fonts/{_S}font")]
        for style in styles.iterfind(f"{_S}cellXfs/{_S}xf"):
            self._codes.append(codes.get(int(style.get("numFmtId", 0)), ""))
            self._struck.append(fonts[int(style.get("fontId", 0))] if fonts else False)

    @cached_property
    def _texts(self) -> list[str]:
        """The texts that cells name by number."""
        names = (name for name in self.package.namelist() if name.endswith(".xml"))
        contents = (content for name in names if _kind(content := part(self.package, name)) == b"sst")
        return [_text(each) for content in contents for each in tree(transitional(content)).iterfind(f"{_S}si")]

    def _changed(self, _: str, content: bytes) -> bytes:
        is_sheet = _kind(content) == b"worksheet" and len(_ROW.findall(content)) <= MOST_ROWS  # else refused, or hidden
        if not is_sheet and not (_kind(content) == b"sst" and b"strike" in content):
            return content
        root = tree(content)
        for run in filter(_is_struck, list(root.iter(f"{_S}r"))):
            self.struck += 1
            unwrap(run, ())
        for cell in root.iter(f"{_S}c"):
            if (said := self._said(cell)) is not None:
                cell[:] = [etree.Element(f"{_S}is")]
                cell.set("t", "inlineStr")
                etree.SubElement(cell[0], f"{_S}t").text = said
        return etree.tostring(root)

    def _said(self, cell: Element) -> str | None:
        """What a cell shows; `None` if that is what it holds."""
        kind, style, value = cell.get("t", "n"), int(cell.get("s", 0)), cell.findtext(f"{_S}v") or ""
        formula, within = cell.find(f"{_S}f"), cell.find(f"{_S}is")
        is_styled = style < len(self._codes)
        if is_styled and self._struck[style] and (value or within is not None):
            self.struck += 1
            return ""
        is_due = not value or (not self._is_calculated and kind == "n" and not float(value))
        if formula is not None and kind != "str" and is_due:
            return f"={formula.text} (not calculated)" if formula.text else "(a formula, not calculated)"
        code = self._codes[style] if is_styled else ""
        if not code or not (value or within is not None) or (kind != "n" and "@" not in code):
            return None
        if kind in {"n", "str"}:
            return shown(float(value) if kind == "n" else value, code)
        text = self._texts[int(value)] if kind == "s" else _text(within) if within is not None else None
        return None if text is None else shown(text, code)


def _kind(content: bytes) -> bytes:
    """The root of a part, if it is one that has to be known."""
    found = _ROOT.search(content, 0, _HEAD)
    return found[1] if found else b""


def _text(element: Element) -> str:
    """A text that may be set in several ways, without what tells how to pronounce it."""
    runs = (each for each in element if etree.QName(each).localname in {"t", "r"} and not _is_struck(each))
    return "".join(text_content(run) for run in runs)


def _is_struck(run: Element) -> bool:
    return any(map(_is_on, run.iterfind(f"{_S}rPr/{_S}strike")))


def _is_on(strike: Element) -> bool:
    return strike.get("val", "1") in _ON
