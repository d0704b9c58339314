"""Pictures of figures."""

from __future__ import annotations

import re
import sys
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from fathom.render.charts import BARS, LABEL, can_draw, draw
from fathom.render.pictures import drawable, illustrated
from fathom.report import Figure
from fathom.text.numbers import plain_number
from tests.support.figures import bars, line, report_of

MONTHS = {"2024-01": 4.0, "2024-02": 7.0, "2024-04": 2.0}
HOSTILE = {
    "<script>alert(1)</script>": 9.0,
    '"/><image href="http://evil.example/p.png"/>': 8.0,
    "javascript:alert(1) & url(http://evil.example)": 7.0,
    "datum.value; signal": 6.0,
    "\x00\x1b]0;owned\x07": 5.0,
    "": 4.0,
}
SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return ["".join(each.itertext()) for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def grouped() -> Figure:
    rows = [(theme, month, count) for theme in ("AI", "クラウド") for month, count in MONTHS.items()]
    return line(
        MONTHS,
        columns=("event_theme", "date", "records"),
        rows=tuple((theme, month, plain_number(count)) for theme, month, count in rows),
        labels=tuple(f"{theme} / {month}" for theme, month, _ in rows),
        values=tuple(count for *_, count in rows),
    )


@pytest.mark.parametrize("figure", [bars({"AI": 50.0, "Cloud": 40.0}), line(MONTHS), grouped()])
def test_the_same_figure_gives_the_same_picture(figure: Figure) -> None:
    svg = draw(figure)
    assert svg == draw(figure)
    assert 'fill="white"' in svg and "Noto Sans JP" in svg


def test_bars_stand_in_the_order_of_the_figure_with_their_values_beside() -> None:
    svg = draw(bars({"AI": 50.0, "Cloud": 40.0, "Security": 12.5}))
    shown = texts(svg)
    assert [text for text in shown if text in ("AI", "Cloud", "Security")] == ["AI", "Cloud", "Security"]
    assert {"50", "40", "12.5", "records", "events: event_theme (country = India)"} <= set(shown)
    bars_drawn = [each for each in ElementTree.fromstring(svg).iter(f"{SVG}path") if each.get("fill") == "#4c78a8"]
    widths = [re.match(r"M0,[\d.]+h([\d.]+)", str(each.get("d"))) for each in bars_drawn]
    assert [round(float(width[1])) for width in widths if width] == [420, 336, 105]


def test_what_is_below_nothing_goes_to_the_left() -> None:
    svg = draw(bars({"JP": 12.5, "US": -3.25}, name="mean of price"))
    assert {"-3.25", "12.5", "mean of price"} <= set(texts(svg))


def test_a_month_without_records_is_drawn_as_none() -> None:
    svg = draw(line(MONTHS))
    path = next(each for each in ElementTree.fromstring(svg).iter(f"{SVG}path") if each.get("stroke") == "#4c78a8")
    heights = [float(place) for place in re.findall(r",(-?[\d.]+)", str(path.get("d")))]
    assert len(heights) == 4 and heights[2] == 260  # the baseline
    assert {"2024-01", "2024-03", "date", "records"} <= set(texts(svg))


def test_a_month_that_may_have_been_left_out_is_not_drawn_as_none() -> None:
    svg = draw(line(MONTHS, more_groups=1))
    path = next(each for each in ElementTree.fromstring(svg).iter(f"{SVG}path") if each.get("stroke") == "#4c78a8")
    assert len(re.findall(r",(-?[\d.]+)", str(path.get("d")))) == 3


def test_each_group_of_a_histogram_has_its_line_and_is_named() -> None:
    svg = draw(grouped())
    assert {"AI", "クラウド"} <= set(texts(svg))
    assert {"#4c78a8", "#f58518"} <= set(re.findall(r'stroke="(#\w+)"', svg))


@pytest.mark.parametrize("figure", [bars(HOSTILE, title="<script>x</script>", name="<b>"), line(HOSTILE)])
def test_a_picture_loads_nothing_and_runs_nothing_whatever_the_labels_say(figure: Figure) -> None:
    svg = draw(figure)
    elements = list(ElementTree.fromstring(svg).iter())
    assert {each.tag.removeprefix(SVG) for each in elements} <= {"svg", "g", "path", "rect", "line", "text", "circle"}
    assert not [name for each in elements for name in each.attrib if "href" in name or name.startswith("on")]
    values = [value for each in elements for value in each.attrib.values()]
    assert not [value for value in values if re.search(r"url\(|https?:|javascript:", value)]
    assert not re.search(r"[\x00-\x08\x0e-\x1f]", svg)


def test_long_labels_and_many_bars_are_cut() -> None:
    svg = draw(bars({f"{number:03} {'x' * 60}": 1000.0 - number for number in range(200)}))
    labels = [text for text in texts(svg) if "xx" in text]
    assert len(labels) == BARS
    assert all(len(label) == LABEL and label.endswith("…") for label in labels)


def test_the_markdown_shows_each_picture_above_its_table() -> None:
    report = report_of(bars({"AI": 50.0, "Cloud": 40.0}), line(MONTHS), bars({"AI": 1.0}, kind="table", id="F3"))
    markdown, pictures = illustrated(report, "my report")
    assert list(pictures) == ["my report.F1.svg", "my report.F2.svg"]
    images = [
        token for block in MarkdownIt().parse(markdown) for token in block.children or () if token.type == "image"
    ]
    assert [image.attrs["src"] for image in images] == ["my%20report.F1.svg", "my%20report.F2.svg"]
    lines = markdown.splitlines()
    at = next(number for number, text in enumerate(lines) if text.startswith("!["))
    assert lines[at + 2].startswith("**F1** · events: event")
    assert re.sub(r"!\[.*\n\n", "", markdown) == report.markdown


def test_a_title_in_the_text_is_no_figure() -> None:
    figure = bars({"AI": 50.0, "Cloud": 40.0}, title="![x](http://evil.example/p.png) **F1** · [S1]")
    markdown, _ = illustrated(report_of(figure), "report")
    images = [
        token for block in MarkdownIt().parse(markdown) for token in block.children or () if token.type == "image"
    ]
    assert [image.attrs["src"] for image in images] == ["report.F1.svg"]


def test_without_what_draws_the_markdown_is_the_report_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    report = report_of(bars({"AI": 50.0, "Cloud": 40.0}))
    assert not can_draw()
    assert illustrated(report, "report") == (report.markdown, {})
    assert [figure.id for figure in drawable(report)] == ["F1"]
