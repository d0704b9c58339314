"""Generated questions over the real server: every figure of every report is DuckDB's own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import pytest

from fathom.data.servers import DataSource
from fathom.engine.run import execute, pin
from fathom.ports.data import Dataset
from fathom.reasoners.extractive import ExtractiveReasoner
from fathom.report import Figure, Report
from fathom.settings import Settings
from fathom.sources import AtHand
from fathom.stores.sqlite import SqliteRunStore
from fathom.text.numbers import numbers
from fathom.tools import open_dataset
from fathom_testing.events import write_events
from tests.acceptance.data.questions import Asked, questions
from tests.contracts import a_run

EVENTS = 3_000
STEPS = {r"\d{4}": "%Y", r"\d{4}-\d{2}": "%Y-%m", r"\d{4}-\d{2}-\d{2}": "%Y-%m-%d", r"\d{4}-W\d{2}": "%G-W%V"}
"""How the steps of a histogram are written, and what DuckDB calls that."""


class Table:
    """The events, asked by DuckDB itself."""

    def __init__(self, path: Path) -> None:
        self._connection = duckdb.connect()
        self._connection.execute("CREATE TABLE events AS SELECT * FROM read_csv(?)", [str(path)])

    def matched(self, asked: Asked) -> int:
        """How many records the question is about."""
        (row,) = self._ask("count(*)", asked.where, asked.parameters)
        return int(row[0])

    def counts(self, figure: Figure, asked: Asked, *, everything: bool = False) -> dict[tuple[str, ...], int]:
        """The counts that a table of a report should hold: of the records asked about, or of all."""
        keys = [self._key(figure, at) for at in range(figure.columns.index("records"))]
        where, parameters = ("true", ()) if everything else (asked.where, asked.parameters)
        rows = self._ask(f"{', '.join(keys)}, count(*)", where, parameters, grouped=len(keys))
        return {tuple("" if each is None else str(each) for each in row[:-1]): int(row[-1]) for row in rows}

    def means(self, asked: Asked) -> dict[str, float]:
        """The means that are asked for, by group."""
        rows = self._ask(f'"{asked.key}", avg("{asked.mean_of}")', asked.where, asked.parameters, grouped=1)
        return {str(row[0]): float(row[1]) for row in rows}

    def _key(self, figure: Figure, at: int) -> str:
        name, cells = figure.columns[at], [row[at] for row in figure.rows]
        if name in ("event_date", "開催日"):
            pattern = next(each for step, each in STEPS.items() if all(re.fullmatch(step, cell) for cell in cells))
            return f"strftime(CAST(\"{name}\" AS DATE), '{pattern}')"
        return f'"{name}"'

    def _ask(self, what: str, where: str, parameters: Sequence[object], *, grouped: int = 0) -> list[tuple[Any, ...]]:
        groups = f" GROUP BY {', '.join(str(at + 1) for at in range(grouped))}" if grouped else ""
        return self._connection.execute(f"SELECT {what} FROM events WHERE {where}{groups}", list(parameters)).fetchall()


async def answer(asked: Asked, dataset: Dataset, store: SqliteRunStore, number: int) -> Report:
    run = a_run(f"run_{number:03}", query=asked.query, language=asked.language, reasoner=pin(ExtractiveReasoner()))
    await store.create_run(run)
    return await execute(run, store=store, reasoner=ExtractiveReasoner(), sources=AtHand(datasets=[dataset]))


@pytest.mark.parametrize("count", [9, pytest.param(50, marks=pytest.mark.soak)])
@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.usefixtures("read_here")
async def test_every_figure_of_a_generated_question_is_duckdbs_own(language: str, count: int, tmp_path: Path) -> None:
    path = write_events(tmp_path / "events.csv", EVENTS, language=language)
    table, store = Table(path), SqliteRunStore(tmp_path / "runs.sqlite3")
    dataset = open_dataset(DataSource(name="events", paths=(str(path),)), Settings(home=tmp_path))
    wrong: list[str] = []
    try:
        for number, asked in enumerate(each for each in questions(count) if each.language == language):
            report = await answer(asked, dataset, store, number)
            wrong += [f"{asked.query}: {fault}" for fault in faults(report, asked, table)]
    finally:
        await dataset.close()
        await store.close()
    assert not wrong, "\n".join(wrong)


def faults(report: Report, asked: Asked, table: Table) -> Iterator[str]:
    """What a report has got wrong, or does not tell."""
    matched = table.matched(asked)
    for coverage in report.coverage.datasets:
        if (coverage.matched, coverage.total) != (matched, EVENTS):
            yield f"{coverage.matched} of {coverage.total} matched, not {matched} of {EVENTS}"
    for figure in report.figures:
        yield from _wrong_cells(figure, asked, table)
    answers = [figure for figure in report.figures if figure.columns[0] == asked.key]
    if not answers:
        yield f"no table counts by {asked.key}: {[figure.columns for figure in report.figures]}"
    elif asked.mean_of and not any(_holds_means(figure, table.means(asked)) for figure in answers):
        yield f"no table holds the means {table.means(asked)}"
    if not report.claims:
        yield "nothing is claimed"
    for claim in report.claims:
        if not claim.verified:
            yield f"{claim.status}: {claim.text}"
        cited = [figure for figure in report.figures if figure.source_id in claim.citations]
        if cited:
            told = numbers(claim.text.casefold())
            keys = [cell for figure in cited for row in figure.rows for cell in row[: figure.columns.index("records")]]
            said = " ".join((*keys, asked.query, *map(_year_after, re.findall(r"\d{4}", asked.query))))
            stray = told - _derivable(cited, matched) - numbers(said.casefold())
            if stray:
                yield f"{sorted(stray)} in: {claim.text}"


def _year_after(year: str) -> str:
    """What a filter on a year ends before."""
    return f"{int(year) + 1}-01-01"


def _wrong_cells(figure: Figure, asked: Asked, table: Table) -> Iterator[str]:
    at = figure.columns.index("records")
    if at == 0:
        return
    true, of_all = table.counts(figure, asked), table.counts(figure, asked, everything=True)
    for row in figure.rows:
        key, count = tuple("" if cell == "(no value)" else cell for cell in row[:at]), int(row[at])
        if count not in (true.get(key, 0), of_all.get(key, 0)):
            yield f"{figure.id} says {row}, and DuckDB {true.get(key, 0)}"
    shown = {row[:at] for row in figure.rows}
    if len(true) <= 20 and not {key for key in true if key and all(key)} <= shown:
        yield f"{figure.id} lacks {sorted(true.keys() - shown)}"


def _holds_means(figure: Figure, means: dict[str, float]) -> bool:
    return all(
        any(abs(each - means[row[0]]) < 0.005 for each in _numbers(row)) for row in figure.rows if row[0] in means
    )


def _numbers(row: Sequence[str]) -> list[float]:
    """The figures at the end of a row."""
    found: list[float] = []
    for cell in reversed(row):
        if not re.fullmatch(r"-?\d+(\.\d+)?", cell):
            break
        found.append(float(cell))
    return found


def _derivable(figures: Sequence[Figure], matched: int) -> set[str]:
    """Every number that a sentence on these tables may hold."""
    found: set[str] = set()
    for figure in figures:
        at = figure.columns.index("records")
        counts = [float(row[at]) for row in figure.rows]
        values = [float(cell) for row in figure.rows for cell in row[at:] if cell]
        half = len(counts) // 2
        sums = [sum(counts[:size]) for size in range(1, len(counts) + 1)] + [sum(counts[half:]), sum(counts[-half:])]
        amounts = {*values, *sums, *map(float, range(len(counts) + 1)), float(matched), float(EVENTS)}
        amounts |= {abs(one - two) for one, two in combinations(values, 2)}
        amounts |= {
            100 * part / whole for part in (*values, *sums) for whole in (matched, EVENTS, sum(counts)) if whole
        }
        amounts |= {ratio for one in (*values, *sums) for two in (*values, *sums) if two for ratio in (one / two,)}
        amounts |= {abs(100 * (one - two) / two) for one in (*values, *sums) for two in (*values, *sums) if two}
        amounts |= {sum(counts) / len(counts), _median(counts)} if counts else set()
        found |= {_written(amount, digits) for amount in amounts for digits in (0, 1, 2)}
    return found


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def _written(amount: float, digits: int) -> str:
    text = f"{amount:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
