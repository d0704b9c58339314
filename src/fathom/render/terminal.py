"""The report for a person at a terminal."""

from __future__ import annotations

import io
import re
import shutil

from markdown_it import MarkdownIt
from rich.console import Console
from rich.markdown import Markdown

from fathom.report import Report
from fathom.text.harmless import inert_lines

_TARGET = re.compile(r"^\[S\d+\]: <[^>\n]*>\n", re.MULTILINE)
READABLE = 100
"""Columns that a line of prose takes at most."""


def render(report: Report) -> str:
    """The report with headings, lists, links and colours of the terminal, at most `READABLE` columns wide.

    What it rests on (limitations, sources, counts) comes first and dim: the answer is what stands last on the screen.
    The text can colour nothing of its own: control characters go before it is set.
    """
    console = Console(file=io.StringIO(), force_terminal=True, width=min(shutil.get_terminal_size().columns, READABLE))
    parser = MarkdownIt().enable(["strikethrough", "table"])
    parser.validateLink = bool  # type: ignore[method-assign,assignment]  # `file:`, too: every link is the report's own
    tokens = parser.parse(inert_lines(_TARGET.sub("", report.markdown)))
    parts = [at for at, each in enumerate(tokens) if (each.type, each.tag, each.level) == ("heading_open", "h2", 0)]
    behind = bool(report.limitations) + bool(report.sources)  # each is a part of its own, and they are the last
    at = next(iter(parts[len(parts) - behind :]), len(tokens))
    with console.capture() as captured:
        for part, style in ((tokens[at:], "dim"), (tokens[:at], "")):
            shown = Markdown("", hyperlinks=bool(console.color_system))  # else the address is told
            shown.parsed = part
            console.print(shown, "", style=style)
    return captured.get()
