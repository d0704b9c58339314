"""A run over documents and the web without a network, and a picture of its report.

    python examples/both_worlds.py docs/report.svg

The documents are a team's notes; the web is the Python reference, served on this machine with a search engine.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown

import fathom
from fathom_testing.little_web import LittleWeb

QUESTION = "What do our guidelines say about catching exceptions, and how does Python search for an exception handler?"
NOTES = """# Our guidelines for exceptions

Our guidelines forbid catching `Exception` without logging it. An exception handler of ours names the exceptions that it
expects, and nothing else.

Retries are for exceptions of the network alone, three times at most.
"""


def report_of(folder: Path) -> fathom.Report:
    """Research the question in the notes and on the web."""
    notes, reference = folder / "notes", folder / "reference"
    notes.mkdir()
    (notes / "exceptions.md").write_text(NOTES, encoding="utf-8")
    subprocess.run([sys.executable, Path(__file__).with_name("write_corpus.py"), reference], check=True)
    with LittleWeb(generated=False) as web:
        web.serve(reference, host="python-reference.localhost")
        settings = fathom.Settings(
            home=folder / "home",
            web=True,
            search=("searxng",),
            searxng_base_url=web.search.base("searxng"),
            private_hosts=(f"*.localhost:{web.port}",),
            page_delay=0,
        )
        run = fathom.research(QUESTION, documents=[notes], limits={"max_words": 300}, settings=settings)
        return asyncio.run(run)


def picture_of(markdown: str) -> str:
    """The report as a terminal shows it, as SVG, with addresses that do not tell where it was made."""
    shown = re.sub(r"^\[S\d+\]: <[^>\n]*>\n", "", markdown, flags=re.MULTILINE)
    shown = re.sub(r"\[([^\]]+)\]\(<\w+://[^/]*/(?:\S+/)?([^/>]+)>\)", r"\1 (\2)", shown)
    console = Console(record=True, width=104, file=io.StringIO(), force_terminal=True)
    console.print(Markdown(shown, hyperlinks=False))
    svg = console.export_svg(title="fathom research … --docs ./notes --web")
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL).replace(
        "Fira Code", "ui-monospace, Menlo, Consolas"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("svg", type=Path)
    with tempfile.TemporaryDirectory() as place:
        written = report_of(Path(place).resolve())
    print(written.markdown)
    parser.parse_args().svg.write_text(picture_of(written.markdown), encoding="utf-8")
