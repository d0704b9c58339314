"""The report for a person at a terminal."""

from __future__ import annotations

import io
import shutil

from rich.console import Console
from rich.markdown import Markdown

from fathom.report import Report
from fathom.text.harmless import inert_lines

READABLE = 100
"""Columns that a line of prose takes at most."""


def render(report: Report) -> str:
    """The report with headings, lists and colours of the terminal, as wide as the terminal and at most `READABLE`.

    The text can colour nothing of its own: control characters go before it is set.
    """
    width = min(shutil.get_terminal_size().columns, READABLE)
    console = Console(file=io.StringIO(), force_terminal=True, width=width)
    with console.capture() as captured:
        console.print(Markdown(inert_lines(report.markdown), hyperlinks=False))
    return captured.get()
