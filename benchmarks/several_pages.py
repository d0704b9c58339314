"""Questions that one page does not answer: how many of the pages that they need a report cites. Prints a table.

Run `python benchmarks/several_pages.py QUESTIONS.json FOLDER`. The questions are a list of objects with `question`,
`answer` and `gold_titles`; the folder holds a Markdown file for each page, as `retrieval/lay_out.py` of MuSiQue's and
HotpotQA's development parts lays them out, and FOLDER.index.json beside it says which file has which title: several
pages may be called the same. No model is asked.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from urllib.parse import unquote

import fathom
from fathom.settings import load_settings


async def main(questions: Path, folder: Path) -> None:
    """Ask every question, and print the table."""
    rows = json.loads(questions.read_text(encoding="utf-8"))
    called = json.loads(folder.with_name(f"{folder.name}.index.json").read_text(encoding="utf-8"))
    settings = load_settings(home=folder.parent / ".fathom", kb=folder.name)
    await fathom.ingest([folder], settings=settings)
    begun, whole, found, needed, pages, answers, calls = time.process_time(), 0, 0, 0, 0, 0, 0
    for row in rows:
        report = await fathom.research(row["question"], documents=[folder], settings=settings)
        cited = {id for claim in report.claims for id in claim.citations}
        titles = {called[unquote(source.uri).rpartition("/")[2]] for source in report.sources if source.id in cited}
        gold = set(row["gold_titles"])
        whole += gold <= titles
        found, needed, pages = found + len(gold & titles), needed + len(gold), pages + len(titles)
        answers += any(row["answer"].casefold() in claim.text.casefold() for claim in report.claims)
        calls += sum(report.usage.calls.values())
    count = len(rows)
    print(f"{'questions':>10}{'all pages':>11}{'of pages':>10}{'answer':>8}{'cited':>7}{'calls':>7}{'CPU s':>7}")
    print(
        f"{count:>10}{whole / count:>11.2f}{found / needed:>10.2f}{answers / count:>8.2f}{pages / count:>7.1f}"
        f"{calls / count:>7.1f}{(time.process_time() - begun) / count:>7.2f}"
    )


if __name__ == "__main__":
    asyncio.run(main(*map(Path, sys.argv[1:3])))
