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
from fathom.text.phrases import phrases

_TARGET = re.compile(r"^\[S\d+\]: <[^>\n]*>\n", re.MULTILINE)
READABLE = 100
"""Columns that a line of prose takes at most."""


def render(report: Report) -> str:
    """The report with headings, lists, links and colours of the terminal, at most `READABLE` columns wide.

    What it rests on (limitations, sources, counts) comes first and dim: the answer is what stands last on the screen.
    The text can colour nothing of its own: control characters go before it is set.
    """
    console = Console(file=io.StringIO(), force_terminal=True, width=min(shutil.get_terminal_size().columns, READABLE))
    words, text = phrases(report.language), _TARGET.sub("", report.markdown)
    headings = [words.limitations] * bool(report.limitations) + [words.sources] * bool(report.sources)
    # the last of that name: a program that is quoted may hold one, too
    at = next((at for each in headings if (at := text.rfind(f"\n## {each}\n")) >= 0), len(text))
    parser = MarkdownIt().enable(["strikethrough", "table"])
    parser.validateLink = bool  # type: ignore[method-assign,assignment]  # `file:`, too: every link is the report's own
    with console.capture() as captured:
        for part, style in ((text[at:], "dim"), (text[:at], "")):
            shown = Markdown("", hyperlinks=bool(console.color_system))  # else the address is told
            shown.parsed = parser.parse(inert_lines(part))
            console.print(shown, "", style=style)
    return captured.get()
