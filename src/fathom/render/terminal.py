"""The report for a person at a terminal."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Iterable
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console
from rich.markdown import Heading, Markdown

from fathom.report import Report
from fathom.text.harmless import inert_lines

_TARGET = re.compile(r"^\[(S\d+)\]: <([^>\n]*)>\n", re.MULTILINE)
_SOURCE = re.compile(r"S\d+")
READABLE = 100
"""Columns that a line of prose takes at most."""


class _Heading(Heading):
    """A heading that begins where every other line does."""

    LEVEL_ALIGN = {**Heading.LEVEL_ALIGN, "h1": "left"}


class _Markdown(Markdown):
    elements = {**Markdown.elements, "heading_open": _Heading}


def render(report: Report) -> str:
    """The report with headings, lists, links and colours of the terminal, at most `READABLE` columns wide.

    `[S1]` leads to the source; a terminal that takes no escape sequences is told the addresses below the sources.
    What it rests on (limitations, sources, counts) comes first and dim: the answer is what stands last on the screen.
    The text can colour nothing of its own: control characters go before it is set.
    """
    width, height = shutil.get_terminal_size()  # both: else rich takes 80 for a dumb terminal
    console = Console(file=io.StringIO(), force_terminal=True, width=min(width, READABLE), height=height)
    parser = MarkdownIt().enable(["strikethrough", "table"])
    parser.validateLink = bool  # type: ignore[method-assign,assignment]  # `file:`, too: every link is the report's own
    can_link = bool(console.color_system)
    markdown = report.markdown if can_link else _TARGET.sub(r"\1 `\2`  \n", report.markdown)
    tokens = parser.parse(inert_lines(markdown))
    _bracket(tokens)
    parts = [at for at, each in enumerate(tokens) if (each.type, each.tag, each.level) == ("heading_open", "h2", 0)]
    behind = bool(report.limitations) + bool(report.sources)  # each is a part of its own, and they are the last
    at = next(iter(parts[len(parts) - behind :]), len(tokens))
    with console.capture() as captured:
        for part, style in ((tokens[at:], "dim"), (tokens[:at], "")):
            shown = _Markdown("", hyperlinks=can_link)
            shown.parsed = part
            console.print(shown, "", style=style)
    return captured.get()


def _bracket(tokens: Iterable[Token]) -> None:
    """Give the marks that lead to sources back the brackets that were those of their link."""
    for inline in tokens:
        for link, text in pairwise(inline.children or ()):
            if link.type == "link_open" and _SOURCE.fullmatch(text.content):
                text.content = f"[{text.content}]"
