"""Slides are read in the order of a person, with their diagrams, and without those that are hidden."""

from __future__ import annotations

from typing import Any

import pytest
from pptx.util import Inches

from fathom.errors import Unreadable
from fathom.reading.readers import read_bytes
from tests.support.office import altered, parts, slides, strict
from tests.support.readers import shown


def said(data: bytes) -> list[str]:
    return [text for _, text in shown(read_bytes(data, ".pptx"))]


def _put(shapes: Any, *places: tuple[float, float, float, str]) -> None:
    for left, top, height, text in places:
        shapes.add_textbox(Inches(left), Inches(top), Inches(2), Inches(height)).text_frame.text = text


@pytest.mark.parametrize(
    "places",
    [
        [(1, 5, 1, "c"), (1, 3, 1, "b"), (1, 1, 1, "a")],
        [(5, 3.1, 1, "d"), (5, 1.2, 1, "b"), (1, 3, 1, "c"), (1, 1, 1, "a")],  # a grid
        [(5, 4, 1, "d"), (4.9, 2.5, 1, "c"), (5, 1, 1, "b"), (1, 1, 4, "a")],  # a column beside another
        [(1, 1.8, 1, "b"), (1, 2.6, 1, "c"), (1, 1, 1, "a")],  # one over the other
    ],
)
def test_shapes_are_read_from_top_to_bottom_and_from_left_to_right(
    places: list[tuple[float, float, float, str]],
) -> None:
    def fill(made: Any) -> None:
        slide = made.slides.add_slide(made.slide_layouts[6])
        _put(slide.shapes, *places)
        _put(slide.shapes.add_group_shape().shapes, (1, 6.9, 0.4, "z"), (1, 6.2, 0.4, "y"))

    letters = sorted(text for *_, text in places)
    assert said(slides(fill)) == ["Slide 1", *letters, "y", "z"]


@pytest.mark.parametrize("change", [bytes, strict])
def test_what_a_layout_has_put_somewhere_is_read_in_its_order(change: Any) -> None:
    def fill(made: Any) -> None:
        for text, shape in zip("Tabcd", made.slides.add_slide(made.slide_layouts[4]).placeholders, strict=True):
            shape.text_frame.text = text  # two columns, each with a heading of its own

    assert said(change(slides(fill))) == ["Slide 1: T", "a", "b", "c", "d"]


def test_hidden_slides_are_left_out_and_said_to_be() -> None:
    def fill(made: Any) -> None:
        for text in "abc":
            slide = made.slides.add_slide(made.slide_layouts[6])
            _put(slide.shapes, (1, 1, 1, text))
            if text != "b":
                slide._element.set("show", "0")

    read = read_bytes(slides(fill), ".pptx")
    assert [text for _, text in shown(read)] == ["Slide 2", "b"]
    assert read.left_out == (("hidden slides left out", "1, 3"),)

    def hide(made: Any) -> None:
        made.slides.add_slide(made.slide_layouts[6])._element.set("show", "0")

    with pytest.raises(Unreadable, match="hidden"):
        read_bytes(slides(hide), ".pptx")


def test_a_cell_merged_downwards_is_read_in_each_row() -> None:
    def fill(made: Any) -> None:
        table = made.slides.add_slide(made.slide_layouts[6]).shapes.add_table(3, 2, *[Inches(2)] * 4).table
        for at, text in enumerate(("Region", "Site", "North", "Alder", "", "Birch")):
            table.cell(at // 2, at % 2).text = text
        table.cell(1, 0).merge(table.cell(2, 0))

    assert said(slides(fill)) == ["Slide 1", "North | Alder", "North | Birch"]


DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def _diagram(points: str, links: str, *, wrapped: bool) -> bytes:
    data = slides(lambda made: made.slides.add_slide(made.slide_layouts[6]))
    frame = (
        "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id='9' name='d'/><p:cNvGraphicFramePr/><p:nvPr/>"
        f"</p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData uri='{DIAGRAM}'>"
        f"<dgm:relIds xmlns:dgm='{DIAGRAM}' xmlns:r='{OFFICE}' r:dm='rId9'/>"
        "</a:graphicData></a:graphic></p:graphicFrame>"
    )
    if wrapped:
        space = "http://schemas.openxmlformats.org/markup-compatibility/2006"
        choice = f"<mc:Choice Requires='dgm'>{frame}</mc:Choice><mc:Fallback/>"
        frame = f"<mc:AlternateContent xmlns:mc='{space}'>{choice}</mc:AlternateContent>"
    of_slide, rels = "ppt/slides/slide1.xml", "ppt/slides/_rels/slide1.xml.rels"
    link = f"<Relationship Id='rId9' Type='{OFFICE}/diagramData' Target='../diagrams/data1.xml'/></Relationships>"
    model = f"<d:dataModel xmlns:d='{DIAGRAM}' xmlns:a='http://schemas.openxmlformats.org/drawingml/2006/main'>"
    held = parts(data)
    return altered(data, {
        of_slide: held[of_slide].replace(b"</p:spTree>", f"{frame}</p:spTree>".encode()),
        rels: held[rels].replace(b"</Relationships>", link.encode()),
        "ppt/diagrams/data1.xml": f"{model}{points}{links}</d:dataModel>".encode(),
    })  # fmt: skip


@pytest.mark.parametrize("wrapped", [False, True])
def test_the_texts_of_a_diagram_are_points_in_its_order(wrapped: bool) -> None:
    points = "<d:pt modelId='0' type='doc'/>" + "".join(
        f"<d:pt modelId='{id}'><d:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></d:t></d:pt>"
        for id, text in enumerate(("Pay", "Call", "at the kiosk"), start=1)
    )
    links = "".join(
        f"<d:cxn srcId='{above}' destId='{id}' srcOrd='{at}'/>"
        for above, id, at in ((0, 1, 1), (0, 2, 0), (1, 3, 0), (3, 1, 0))
    )
    read = read_bytes(_diagram(points, links, wrapped=wrapped), ".pptx")
    assert [(each.level, read.text[each.start : each.end]) for each in read.blocks[1:]] == [
        (0, "Call"), (0, "Pay"), (1, "at the kiosk"),
    ]  # fmt: skip
    assert said(_diagram(points, "", wrapped=wrapped)) == ["Slide 1", "Pay", "Call", "at the kiosk"]
