"""Presentations of PowerPoint: what stands on each slide, and its notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any

from fathom.errors import Unreadable
from fathom.reading.composition import Composition, line
from fathom.reading.document import ReadDocument
from fathom.reading.packages import office, reading, tree
from fathom.reading.page import Element

_RUNNING = frozenset({"DATE", "FOOTER", "HEADER", "SLIDE_NUMBER"})
_POINTS = frozenset({"BODY", "OBJECT"})


def read(data: bytes) -> ReadDocument:
    """Read a presentation: each slide under its number and title, "Slide 3: Fees", and its notes below it; without what
    runs through all slides, as dates, feet and numbers do.

    Raises:
        Unreadable: with the reason.
        ConfigurationError: the package that reads it is not installed.
    """
    out, titles = Composition(), list[str]()
    with reading("Presentations of PowerPoint", package="pptx"):
        from pptx import Presentation

        package, title, changed = office(data)
        for number, slide in enumerate(Presentation(BytesIO(data)).slides, start=1):
            named = slide.shapes.title
            titles.append(line(named.text_frame.text) if named is not None else "")
            out.write("heading", f"Slide {number}: {titles[-1]}".removesuffix(": "), level=1)
            for shape in _shapes(slide.shapes):
                if named is None or shape.shape_id != named.shape_id:
                    _shape(shape, out)
            if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame) and notes.text.strip():
                out.write("heading", f"Slide {number}, notes", level=2)
                _paragraphs(notes, out)
    if not any(titles) and all(block.kind == "heading" for block in out.blocks):
        pictures = any(name.startswith("ppt/media/") for name in package.namelist())
        raise Unreadable("its slides hold pictures and no text" if pictures else "it holds no text")
    return out.document(titles[0] or title, dated=changed)


def _shapes(shapes: Iterable[Any]) -> Iterator[Any]:
    """The shapes, those in groups included, in the order in which they were put there."""
    for shape in shapes:
        yield from _shapes(shape.shapes) if hasattr(shape, "shapes") else (shape,)


def _shape(shape: Any, out: Composition) -> None:
    role = shape.placeholder_format.type.name if shape.is_placeholder and shape.placeholder_format.type else ""
    if role in _RUNNING:
        return
    if getattr(shape, "has_table", False):
        out.table([cell.text_frame.text for cell in row.cells] for row in shape.table.rows)
    elif getattr(shape, "has_chart", False):
        _chart(tree(shape.chart.part.blob), out)
    elif shape.has_text_frame:
        _paragraphs(shape.text_frame, out, points=role in _POINTS)


def _paragraphs(frame: Any, out: Composition, *, points: bool = False) -> None:
    for paragraph in frame.paragraphs:
        out.write("list_item" if points else "paragraph", paragraph.text, level=paragraph.level if points else 0)


def _chart(root: Element, out: Composition) -> None:
    """What a chart shows, as the table behind it: a row for each category, a column for each series."""
    out.write("paragraph", "".join(each.text or "" for each in root.iterfind("{*}chart/{*}title//{*}t")))
    series = list(root.iter("{*}ser"))
    names = next(filter(None, (_points(each, "cat", "xVal") for each in series)), {})
    columns = [_points(each, "val", "yVal") for each in series]
    places = sorted({*names, *(at for column in columns for at in column)}, key=lambda at: (len(at), at))
    rows = ([names.get(at, ""), *(column.get(at, "") for column in columns)] for at in places)
    out.table([["", *(each.findtext("{*}tx//{*}v") or "" for each in series)], *rows])


def _points(series: Element, *names: str) -> dict[str, str]:
    """The values of a series by their places."""
    points = (point for name in names for point in series.iterfind(f"{{*}}{name}//{{*}}pt"))
    return {point.get("idx", ""): point.findtext("{*}v") or "" for point in points}
