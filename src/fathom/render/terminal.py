"""The report for a person at a terminal."""

from __future__ import annotations

import io
import shutil
from urllib.parse import unquote

from rich.console import Console
from rich.markdown import Markdown

from fathom.report import Report
from fathom.text.commonmark import address
from fathom.text.harmless import inert_lines
from fathom.text.phrases import phrases
from fathom.text.places import names

READABLE = 100
"""Columns that a line of prose takes at most."""


def render(report: Report) -> str:
    """The report with headings, lists, links and colours of the terminal, at most `READABLE` columns wide.

    What it rests on (limitations, sources, counts) comes first and dim: the answer is what stands last on the screen.
    The text can colour nothing of its own: control characters go before it is set.
    """
    console = Console(file=io.StringIO(), force_terminal=True, width=min(shutil.get_terminal_size().columns, READABLE))
    words, text = phrases(report.language), report.markdown
    headings = [words.limitations] * bool(report.limitations) + [words.sources] * bool(report.sources)
    # the last of that name: a program that is quoted may hold one, too
    at = next((at for each in headings if (at := text.rfind(f"\n## {each}\n")) >= 0), len(text))
    uris = {name: address(uri) for uri, name in names(source.uri for source in report.sources).items()}
    with console.capture() as captured:
        for part, style in ((text[at:], "dim"), (text[:at], "")):
            shown = Markdown(inert_lines(part), hyperlinks=bool(console.color_system))  # else the address is told
            for link in (
                child for token in shown.parsed for child in token.children or () if child.type == "link_open"
            ):
                link.attrs["href"] = uris.get(unquote(str(link.attrs["href"])), link.attrs["href"])
            console.print(shown, "", style=style)
    return captured.get()
