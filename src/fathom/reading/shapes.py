"""The shapes of a slide in the order in which a person reads them, and the texts of its diagrams."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from lxml import etree

from fathom.reading.packages import settled, tree
from fathom.reading.page import text_content

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_RELATED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"
_DEEPEST = 20
_STRUCK = frozenset({"sngStrike", "dblStrike"})


def readable(content: bytes) -> tuple[bytes, int]:
    """A part of a presentation without alternatives, equations as text, and without text that is struck through; in how
    many places that was."""
    if not any(each in content for each in (b"AlternateContent", b"oMath", b"Strike")):
        return content, 0
    root = settled(tree(content), text=(f"{_A}r", f"{_A}t"))
    struck = [run for run in root.iter(f"{_A}r") if any(each.get("strike") in _STRUCK for each in run)]
    for run in struck:
        run[:] = [etree.Element(f"{_A}t")]
    return etree.tostring(root), sum(run.getprevious() not in struck for run in struck)


def in_order(shapes: Iterable[Any]) -> Iterator[Any]:
    """The shapes from top to bottom, those beside each other from left to right; those in a group stand together, and
    so do those that are where the layout of the slide has put them, in its order."""
    laid: list[Any] = []
    units: list[list[Any]] = []
    for shape in shapes:
        is_laid = shape.is_placeholder and shape.element.find(f".//{_A}off") is None
        if not is_laid or not laid:
            units.append(laid if is_laid else [shape])
        if is_laid:
            laid.append(shape)
    for unit in _sorted(units):
        for shape in unit:
            yield from in_order(shape.shapes) if hasattr(shape, "shapes") else (shape,)


def _sorted(units: list[list[Any]], depth: int = 0) -> list[list[Any]]:
    """Cut into rows that no shape crosses, each of them into columns, and so on."""
    for start, size in (("top", "height"), ("left", "width")) if depth < _DEEPEST else ():
        groups: list[list[list[Any]]] = []
        reached = -math.inf
        for unit in sorted(units, key=lambda unit: _start(unit, start)):
            if not groups or _start(unit, start) >= reached:
                groups.append([])
            groups[-1].append(unit)
            reached = max(reached, *((getattr(each, start) or 0) + (getattr(each, size) or 0) for each in unit))
        if len(groups) > 1:
            return [unit for group in groups for unit in _sorted(group, depth + 1)]
    return sorted(units, key=lambda unit: (_start(unit, "top"), _start(unit, "left")))


def _start(unit: list[Any], side: str) -> int:
    return min(getattr(each, side) or 0 for each in unit)


def diagram(shape: Any) -> Iterator[tuple[int, str]]:
    """The texts of a diagram (SmartArt) with their levels, in its order; nothing of another shape."""
    for ids in shape.element.iter(f"{_DIAGRAM}relIds"):
        data = shape.part.rels.get(ids.get(_RELATED))
        root = tree(data.target_part.blob) if data is not None and not data.is_external else etree.Element("none")
        points = {each.get("modelId", ""): each for each in root.iter(f"{_DIAGRAM}pt")}
        below: dict[str, list[str]] = {}
        links = (each for each in root.iter(f"{_DIAGRAM}cxn") if each.get("type", "parOf") == "parOf")
        for link in sorted(links, key=lambda link: int(link.get("srcOrd", 0))):
            below.setdefault(link.get("srcId", ""), []).append(link.get("destId", ""))
        tops = [id for id, point in points.items() if point.get("type") == "doc"]
        waiting = [(0, id) for id in (*tops, *points)][::-1]
        while waiting:
            level, id = waiting.pop()
            point = points.pop(id, None)
            if point is not None and point.get("type") != "pres":
                paragraphs = point.iterfind(f"{_DIAGRAM}t/{_A}p")
                yield from ((max(0, level - 1), text_content(each)) for each in paragraphs)
                waiting += ((level + 1, each) for each in reversed(below.pop(id, [])))
