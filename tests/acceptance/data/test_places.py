"""Whole runs over a real server: the first and the last record, and the one that stands behind or before another."""

from __future__ import annotations

from pathlib import Path

import pytest

import fathom
from fathom.report import Report
from fathom.settings import Settings
from tests.datasets.conftest import csv_file

pytestmark = pytest.mark.usefixtures("read_here")

FINALS = (
    ("2001", "Ana Silva", "Lisbon"),
    ("2003", "Bo Larsen", "Oslo"),
    ("2004", "Chris Doe", "Lima"),
    ("2007", "Ana Silva", "Quito"),
)
WORDS = ("Year", "Winner", "Venue")


async def ask(query: str, path: Path, home: Path) -> Report:
    return await fathom.research(query, data=[path], settings=Settings(home=home, web=False))


@pytest.fixture(params=[False, True], ids=["first on top", "last on top"])
def finals(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return csv_file(tmp_path / "finals.csv", [WORDS, *(FINALS[::-1] if request.param else FINALS)])


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("what was the first venue?", "Venue = Lisbon"),
        ("What was the last venue?", "Venue = Quito"),
        ("which venue was next after Oslo?", "Venue = Lima"),
        ("which winner came before Chris Doe?", "Winner = Bo Larsen"),
        ("what was the last venue before 2005?", "Venue = Lima"),
    ],
)
async def test_a_record_is_found_by_its_place_in_time(query: str, told: str, finals: Path, tmp_path: Path) -> None:
    report = await ask(query, finals, tmp_path)

    assert told in report.claims[0].text
    assert report.outcome == "answered"


async def test_a_place_in_the_table_is_meant_whenever_its_records_are(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "finals.csv", [WORDS, *FINALS[::-1]])

    report = await ask("which venue is at the top of the list?", path, tmp_path)

    assert "Venue = Quito" in report.claims[0].text


async def test_records_in_no_order_have_no_first_one(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "finals.csv", [WORDS, FINALS[1], FINALS[0], FINALS[3], FINALS[2]])

    report = await ask("what was the first venue?", path, tmp_path)

    assert not any("Venue =" in claim.text for claim in report.claims)


async def test_nothing_stands_behind_the_last_one(finals: Path, tmp_path: Path) -> None:
    report = await ask("which venue was next after Quito?", finals, tmp_path)

    assert not any("Venue = L" in claim.text or "Venue = O" in claim.text for claim in report.claims)
