"""A comparison of two reports for a person at a terminal."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fathom.comparison.records import Comparison
from fathom.render.comparison.view import ComparisonView, Shown, Side
from fathom.text.harmless import inert, inert_lines

WIDE = 100
"""Columns from which on both reports stand side by side."""
WIDEST = 160
_STYLES = {"gone": "red strike", "new": "bold green", "same": ""}


def render(comparison: Comparison) -> str:
    """What differs, in the colours of the terminal: side by side where it is `WIDE`, else one below the other."""
    width = min(shutil.get_terminal_size().columns, WIDEST)
    console = Console(file=io.StringIO(), force_terminal=True, width=width, highlight=False)
    with console.capture() as captured:
        for part in _parts(ComparisonView(comparison), wide=width >= WIDE):
            console.print(part)
    return captured.get()


def _parts(view: ComparisonView, *, wide: bool) -> Iterator[RenderableType]:
    yield Text(inert(view.title), style="bold")
    yield Text("\n".join(map(inert, view.runs)), style="dim")
    yield Text(view.counts)
    if view.comparison.unchanged:
        yield Text(view.labels.unchanged, style="bold")
    for heading, places in view.parts:
        yield Text(f"\n{heading}", style="bold underline")
        for place, within in places:
            if place:
                yield Text(inert(place), style="dim")
            yield from (Padding(_sentence(shown, wide=wide), (0, 0, 0, 2)) for shown in within)
    if sources := view.sources:
        yield Text(f"\n{view.phrases.sources}", style="bold underline")
        table = Table(view.labels.new, view.labels.old, "", "", box=None, pad_edge=False, header_style="dim")
        for pair in sources:
            ids = (each.id if each else "–" for each in (pair.new, pair.old))
            table.add_row(*ids, view.labels.sources[pair.state], Text(inert(pair.entry.title or pair.entry.uri)))
        yield Padding(table, (0, 0, 0, 2))


def _sentence(shown: Shown, *, wide: bool) -> RenderableType:
    if len(shown.sides) == 1:
        return _said(inert_lines(shown.text), shown.sides[0])
    if wide and not shown.text:
        table = Table.grid(padding=(0, 2), expand=True)
        for _ in shown.sides:
            table.add_column(ratio=1)
        table.add_row(*(_labelled(side) for side in shown.sides))
        return table
    said = [Text(inert_lines(shown.text))] if shown.text else []
    return Text("\n").join([*said, *map(_labelled, shown.sides)])


def _labelled(side: Side) -> Text:
    return Text.assemble((f"{side.label}: ", "dim"), _said("", side))


def _said(text: str, side: Side) -> Text:
    said = Text.assemble(text, *((inert_lines(piece.text), _STYLES[piece.state]) for piece in side.pieces))
    return said.append(f" {side.cites}" if side.cites else "", style="dim")
