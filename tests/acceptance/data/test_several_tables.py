"""Whole runs over a database of several tables: the one that the question is about is asked, and the report says so."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import fathom
from fathom.report import Report
from fathom.settings import Settings
from fathom.text.typeset import cells_of

pytestmark = pytest.mark.usefixtures("read_here")

DEPARTMENTS = ("Legal", "Sales", "Engineering")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "hr.sqlite"
    people = [(at, f"Person {at}", DEPARTMENTS[at % 3], 40_000 + 1_000 * at) for at in range(12)]
    leave = [(at, at % 12, ("illness", "holiday")[at % 2], at % 5 + 1) for at in range(60)]
    with closing(sqlite3.connect(path)) as con:
        con.execute(
            "CREATE TABLE absences (absence_id INTEGER PRIMARY KEY, employee_id INTEGER, reason TEXT, days INT)"
        )
        con.execute("CREATE TABLE employees (employee_id INTEGER PRIMARY KEY, name TEXT, department TEXT, salary INT)")
        con.executemany("INSERT INTO absences VALUES (?, ?, ?, ?)", leave)
        con.executemany("INSERT INTO employees VALUES (?, ?, ?, ?)", people)
        con.commit()
    return path


async def ask(query: str, path: Path, home: Path) -> Report:
    return await fathom.research(query, data=[path], settings=Settings(home=home))


async def test_counts_are_made_of_the_table_that_the_question_is_about(database: Path, tmp_path: Path) -> None:
    report = await ask("What is the average salary by department?", database, tmp_path)

    (figure,) = report.figures
    assert {row[0]: row[-1] for row in figure.rows} == {"Legal": "44500", "Sales": "45500", "Engineering": "46500"}
    assert {claim.status for claim in report.claims} == {"supported"}
    assert all(source.title.startswith("hr.sqlite / employees") for source in report.sources)
    assert all('"table": "employees"' in source.query for source in report.sources)
    assert report.limitations.count("Of the 2 tables of “hr” only employees was asked.") == 1
    (coverage,) = report.coverage.datasets
    assert (coverage.total, coverage.tables, coverage.asked) == (12, 2, ("employees",))


async def test_records_are_listed_of_the_table_that_the_question_is_about(database: Path, tmp_path: Path) -> None:
    report = await ask("List the employees in Legal", database, tmp_path)

    for at in range(12):
        told = any(f"Person {at}" in cells_of(claim.text) for claim in report.claims)
        assert told == (DEPARTMENTS[at % 3] == "Legal")
    (coverage,) = report.coverage.datasets
    assert (coverage.total, coverage.matched, coverage.scanned) == (12, 4, 4)


async def test_another_question_asks_another_table(database: Path, tmp_path: Path) -> None:
    report = await ask("How many absences are there by reason?", database, tmp_path)

    (figure,) = report.figures
    assert {row[0]: row[1] for row in figure.rows} == {"illness": "30", "holiday": "30"}
    assert "Of the 2 tables of “hr” only absences was asked." in report.limitations


async def test_the_table_that_was_asked_is_told_in_japanese(database: Path, tmp_path: Path) -> None:
    report = await ask("departmentがLegalのemployeesの一覧", database, tmp_path)

    assert "「hr」の2個のテーブルのうち、照会したのはemployeesのみです。" in report.limitations


async def test_a_table_beside_documents_is_asked_only_what_is_about_it(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "racking.md").write_text(
        "# Racking for the new hall\n\nThe racking arrives on 14 March. It is late because the mill had a strike.\n"
    )
    (tmp_path / "sales.csv").write_text(
        "month,product,revenue,reason\n2026-01,rope,766,ok\n2026-02,rope,1233,late\n2026-03,net,500,late\n"
    )

    async def asked(query: str) -> Report:
        settings = Settings(home=tmp_path / "home")
        return await fathom.research(
            query, documents=[tmp_path / "notes"], data=[tmp_path / "sales.csv"], settings=settings
        )

    of_documents = await asked("When does the racking arrive, and why is it late?")
    assert [claim.text for claim in of_documents.claims] == [
        "The racking arrives on 14 March. It is late because the mill had a strike."
    ]
    of_both = await asked("When does the racking arrive, and what is the total revenue by product?")
    assert any("14 March" in claim.text for claim in of_both.claims)
    assert any("1,999" in claim.text for claim in of_both.claims)
