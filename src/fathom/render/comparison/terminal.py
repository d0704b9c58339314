"""A comparison of two reports for a person at a terminal."""

from __future__ import annotations

import io
import shutil

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fathom.comparison.records import Comparison
from fathom.render.comparison.view import ComparisonView, Side
from fathom.text.harmless import inert, inert_lines

WIDE, WIDEST = 100, 160
"""Columns from which on both reports stand side by side, and those that are used at most."""
_STYLES = {"gone": "red strike", "new": "bold green", "same": ""}


def render(comparison: Comparison) -> str:
    """What differs, in the colours of the terminal: side by side where it is `WIDE`, else one below the other."""
    columns, height = shutil.get_terminal_size()  # both: else rich takes 80 for a dumb terminal
    width, view = min(columns, WIDEST), ComparisonView(comparison)
    console = Console(file=io.StringIO(), force_terminal=True, width=width, height=height, highlight=False)
    with console.capture() as captured:
        console.print(Text(inert(view.title), style="bold"))
        for line in filter(None, view.lines):
            console.print(Text(inert(line)))
        for heading, places in view.parts:
            console.print(Text(f"\n{heading}", style="bold underline"))
            for place, within in places:
                console.print(Text(inert(place), style="dim"))
                for sides in within:
                    table = Table.grid(padding=(0, 2), expand=True)
                    for _ in sides if width >= WIDE else sides[:1]:
                        table.add_column(ratio=1)
                    said = [_said(side) for side in sides]
                    for row in [said] if width >= WIDE else ([each] for each in said):
                        table.add_row(*row)
                    console.print(Padding(table, (0, 0, 0, 2)))
        for at, (pair, told) in enumerate(view.sources):
            if at == 0:
                console.print(Text(f"\n{view.phrases.sources}", style="bold underline"))
            now, before, state = told
            ids = f"{view.labels['new']} {now:<4} {view.labels['old']} {before:<4} {state}: "
            console.print(Padding(Text(f"{ids}{inert(pair.entry.title or pair.entry.uri)}"), (0, 0, 0, 2)))
    return captured.get()


def _said(side: Side) -> Text:
    label, cites = side.label and f"{side.label}: ", f" {side.cites}" if side.cites else ""
    words = ((inert_lines(piece.text), _STYLES[piece.state]) for piece in side.pieces)
    return Text.assemble((label, "dim"), *words, (cites, "dim"))
