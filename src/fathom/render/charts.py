"""Draws a figure as SVG: bars for a distribution, lines for counts over time. Made by Vega-Lite, without a network.

Nothing is left to the fonts of the machine: every place is reckoned here, so that the same figure gives the same bytes
everywhere. Text from outside is data to Vega, never a part of the specification.
"""

from __future__ import annotations

import importlib.util
import math
import unicodedata
from collections.abc import Sequence
from typing import Any

from fathom.data.snapshots import COUNT, NO_VALUE
from fathom.render.steps import positions
from fathom.report import Figure
from fathom.text.harmless import inert
from fathom.text.numbers import plain_number
from fathom.text.phrases import phrases
from fathom.text.typeset import column_name, count_column

INSTALL = "pip install 'fathom-research[charts]'"
"""What brings Vega-Lite."""
LABEL = 30
"""Characters of a label."""
BARS = 40
"""Bars that are drawn; the table has the rest."""
TICKS = 8
"""Labels below a line."""

_FONT = "Noto Sans, Noto Sans JP, Noto Sans CJK JP, Hiragino Sans, Yu Gothic, Meiryo, IPAexGothic, sans-serif"
_FORBIDDEN = dict.fromkeys((0xFFFE, 0xFFFF))  # besides what is never shown (see `inert`)
_SIZE = 12
_INK = "#333333"
_COLORS = ["#4c78a8", "#f58518", "#54a24b", "#e45756", "#79706e", "#b279a2", "#9d755d", "#2b8c8c"]
_BAR_WIDTH, _BAR_STEP = 420, 24
_LINE_WIDTH, _LINE_HEIGHT = 620, 260
_CONFIG = {
    "aria": False,
    "font": _FONT,
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": _SIZE,
        "titleFontSize": _SIZE,
        "titleFontWeight": "normal",
        "labelColor": _INK,
        "titleColor": _INK,
        "gridColor": "#e4e4e4",
    },
    "title": {"fontSize": _SIZE + 2, "color": _INK, "fontWeight": "normal", "anchor": "start", "frame": "group"},
}


def can_draw() -> bool:
    """Whether Vega-Lite is installed."""
    return importlib.util.find_spec("vl_convert") is not None


def draw(figure: Figure, *, language: str = "en", titled: bool = True) -> str:
    """The figure, whose kind is not `table`, as SVG with a white background. It needs `can_draw()`.

    It need not be `titled` where its caption stands beside it.
    """
    from vl_convert import vegalite_to_svg

    measured = column_name(figure.value_name, phrases(language))
    specification = _bars(figure, measured) if figure.kind == "bar" else _lines(figure, measured)
    if not titled:
        del specification["title"]
        specification["padding"]["top"] = 12
    return vegalite_to_svg(specification, allowed_base_urls=[])


def _bars(figure: Figure, measured: str) -> dict[str, Any]:
    """Horizontal bars from top to bottom, in the order of the figure, each with its label and its value."""
    bars = list(zip(figure.labels, figure.values, strict=True))[:BARS]
    data = [
        {"at": at, "label": _label(label), "value": value, "told": plain_number(value)}
        for at, (label, value) in enumerate(bars)
    ]
    height = _BAR_STEP * len(data)
    told = max(_width(str(each["told"])) for each in data)
    aside = 8 + (told if min(figure.values) < 0 else 0)  # between the labels and the bars
    left = 8 + aside + max(_width(str(each["label"])) for each in data)
    rows = {"field": "at", "type": "ordinal", "sort": None, "axis": None, "scale": {"paddingInner": 0.25}}
    return {
        **_frame(figure, width=_BAR_WIDTH, height=height, left=left, right=16 + told, bottom=48),
        "data": {"values": data},
        "encoding": {"y": rows},
        "layer": [
            {
                "mark": {"type": "bar", "color": _COLORS[0]},
                "encoding": {"x": _values(measured, [value for _, value in bars], titleY=32)},
            },
            {
                "mark": {**_text(), "align": "right"},
                "encoding": {"x": {"value": -aside}, "text": {"field": "label", "type": "nominal"}},
            },
            {
                "mark": {
                    **_text(),
                    "align": {"expr": "datum.value < 0 ? 'right' : 'left'"},
                    "dx": {"expr": "datum.value < 0 ? -5 : 5"},
                },
                "encoding": {
                    "x": {"field": "value", "type": "quantitative"},
                    "text": {"field": "told", "type": "nominal"},
                },
            },
        ],
    }


def _lines(figure: Figure, measured: str) -> dict[str, Any]:
    """A line over the steps of a histogram; when it was grouped, one for each group."""
    at = count_column(figure)
    points: dict[tuple[str, str], float] = {
        (" / ".join(row[: at - 1]), row[at - 1]): value
        for row, value in zip(figure.rows, figure.values, strict=True)
        if row[at - 1] != NO_VALUE
    }
    series = list(dict.fromkeys(name for name, _ in points))
    labels = positions([step for _, step in points])
    if figure.value_name == COUNT and not (figure.more_groups or figure.more_records):
        points = {(name, step): points.get((name, step), 0.0) for name in series for step in labels}
    data = [
        {"at": labels[step], "series": series.index(name), "value": value} for (name, step), value in points.items()
    ]
    data.sort(key=lambda each: (each["series"], each["at"]))
    values = list(points.values())
    several = len(series) > 1
    left = 40 + max(24, *(_width(f"{round(value):,}") for value in values))
    right = 60 + max(map(_width, map(_label, series))) if several else 40
    places = list(labels.values())
    across = {
        "field": "at",
        "type": "quantitative",
        "scale": {"zero": False, "nice": False, "domain": [min(places), max(places)]},
        "axis": {"labels": False, "ticks": False, "grid": False, "title": _cut(figure.columns[at - 1]), "titleY": 34},
    }
    color = {
        "field": "series",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": list(range(len(series))), "range": _COLORS[: len(series)]},
    }
    steps = _some([{"at": place, "label": _cut(step)} for step, place in labels.items()])
    return {
        **_frame(figure, width=_LINE_WIDTH, height=_LINE_HEIGHT, left=left, right=right, bottom=56),
        "resolve": {"scale": {"y": "independent"}},
        "layer": [
            {
                "data": {"values": data},
                "mark": {"type": "line", "strokeJoin": "round", "point": len(labels) <= 60},
                "encoding": {"x": across, "y": _values(measured, values, titleX=20 - left), "color": color},
            },
            {
                "data": {"values": steps},
                "mark": _text(),
                "encoding": {
                    "x": {"field": "at", "type": "quantitative"},
                    "y": {"value": _LINE_HEIGHT + 14},
                    "text": {"field": "label", "type": "nominal"},
                },
            },
            *(_legend(series, color) if several else ()),
        ],
    }


def _legend(series: Sequence[str], color: dict[str, Any]) -> list[dict[str, Any]]:
    """Which line is which, to the right: a point and a label for each."""
    names = [{"series": at, "label": _label(name), "down": 10 + 20 * at} for at, name in enumerate(series)]
    scale = {"domain": [0, _LINE_HEIGHT], "range": [0, _LINE_HEIGHT], "nice": False}
    down = {"field": "down", "type": "quantitative", "axis": None, "scale": scale}
    return [
        {
            "data": {"values": names},
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
            "encoding": {"x": {"value": _LINE_WIDTH + 24}, "y": down, "color": color},
        },
        {
            "data": {"values": names},
            "mark": {**_text(), "align": "left"},
            "encoding": {
                "x": {"value": _LINE_WIDTH + 34},
                "y": down,
                "text": {"field": "label", "type": "nominal"},
            },
        },
    ]


def _frame(figure: Figure, *, width: int, height: int, left: float, right: float, bottom: int) -> dict[str, Any]:
    """What both kinds share: the size, reckoned here, the title and the looks."""
    padding = {"left": math.ceil(left), "right": math.ceil(right), "top": 44, "bottom": bottom}
    title = _fitted(figure.title, width + left + right - 16)
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "background": "white",
        "autosize": {"type": "none"},
        "padding": padding,
        "width": width,
        "height": height,
        "title": {"text": title, "limit": 0, "dx": 8 - padding["left"], "offset": 16},
        "config": _CONFIG,
    }


def _values(measured: str, values: Sequence[float], **places: float) -> dict[str, Any]:
    """The axis of the values, from zero; without ticks between whole numbers. `places` are those of its title."""
    whole = {"tickMinStep": 1} if all(value == int(value) for value in values) else {}
    axis = {"title": _cut(measured), "tickCount": 6, **whole, **places}
    return {"field": "value", "type": "quantitative", "scale": {"zero": True}, "axis": axis}


def _label(text: str) -> str:
    return _cut(text) or "–"


def _cut(text: str) -> str:
    return _clean(text, width=LABEL)


def _clean(text: str, *, width: int | None = None) -> str:
    """The text without what XML forbids: one such character, and the library ends the whole process."""
    return inert(text.translate(_FORBIDDEN), width=width)


def _fitted(text: str, width: float) -> str:
    """As much of the text as stands in `width` pixels in the size of a title."""
    text = _clean(text)
    room = width / (1 + 2 / _SIZE)
    if _width(text) <= room:
        return text
    while text and _width(f"{text}…") > room:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _width(text: str) -> float:
    """About how many pixels a text takes: a wide character is as wide as it is high."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return _SIZE * (wide + 0.62 * (len(text) - wide))


def _text() -> dict[str, Any]:
    return {"type": "text", "align": "center", "baseline": "middle", "fontSize": _SIZE, "color": _INK}


def _some(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """At most `TICKS` of the steps, evenly apart, the first among them."""
    steps.sort(key=lambda each: each["at"])
    return steps[:: math.ceil(len(steps) / TICKS)]
