"""What a description says of the data and of a question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fathom.datasets.database import DataTables
from fathom.datasets.describing import Describer, named_in
from tests.datasets.conftest import Open, csv_file, parquet

ROWS = [
    ["event_id", "event_title", "theme", "country", "start_date", "attendees", "year", "description", "link"],
    *(
        [
            f"EV{at:03}",
            f"Meeting {at}",
            ["AI", "Cloud", "IT"][at % 3],
            ["India", "日本", ""][at % 3],
            f"2024-{at % 12 + 1:02}-01",
            str(at * 10),
            str(2020 + at % 5),
            f"People talk about bicycles and companies, part {at}. " * 3,
            f"https://example.org/{at}",
        ]
        for at in range(60)
    ),
]


def described(database: DataTables, question: str = "", table: str = "") -> Any:
    with database.session(seconds=30) as session:
        return Describer(database).describe(session, question=question, table=table)


@pytest.fixture
def events(tmp_path: Path, opened: Open) -> DataTables:
    return opened(csv_file(tmp_path / "events.csv", ROWS))


def test_fields_are_told_with_types_ranges_and_counts(events: DataTables) -> None:
    told = described(events)

    fields = {field["name"]: field for field in told["fields"]}
    assert {name: field["type"] for name, field in fields.items()} == {
        "event_id": "id",
        "event_title": "text",
        "theme": "category",
        "country": "category",
        "start_date": "date",
        "attendees": "number",
        "year": "number",
        "description": "text",
        "link": "url",
    }
    assert (fields["country"]["distinct"], fields["country"]["missing"]) == (2, 20)
    assert (fields["start_date"]["minimum"], fields["start_date"]["maximum"]) == ("2024-01-01", "2024-12-01")
    assert (fields["attendees"]["minimum"], fields["attendees"]["maximum"]) == (0, 590)
    assert fields["theme"]["values"] == ["AI", "Cloud", "IT"] and fields["description"]["values"] == []
    assert told["mapping"] == {
        "id": "event_id",
        "title": "event_title",
        "text": ["description"],
        "date": "start_date",
        "category": ["theme", "country"],
        "url": "link",
    }
    assert told["total"] == 60 and len(told["samples"]) == 5 and told["samples"][0]["event_id"] == "EV000"


def test_the_values_and_terms_that_a_question_names_are_told(events: DataTables) -> None:
    told = described(events, "How many cloud events in 日本 and India were there in 2023 about a company?")

    matches = {field["name"]: field["matches"] for field in told["fields"]}
    assert matches["theme"] == ["Cloud"] and sorted(matches["country"]) == ["India", "日本"]
    assert matches["year"] == ["2023"]
    assert told["terms"]["compani"] == 60 and told["terms"]["cloud"] == 1 and "event" in told["terms"]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("インドのイベントをテーマ別に", ["インド"]),
        ("what does it cost?", []),
        ("What does IT cost?", ["IT"]),
        ("SOUTH INDIA trips", ["South India"]),
        ("Indian themes", []),
        ("R&D in New-York", ["New-York", "R&D"]),
        ("nothing of that", []),
        ("", []),
    ],
)
def test_a_question_names_values_in_any_case_and_not_by_chance(question: str, found: list[str]) -> None:
    values = ["インド", "IT", "India", "South India", "New-York", "R&D", "A", "日", ""]

    assert sorted(named_in(question, values)) == sorted(found)


def test_a_value_of_a_field_of_very_many_is_found_too(tmp_path: Path, opened: Open) -> None:
    path = tmp_path / "people.parquet"
    parquet(path, "SELECT 'Person Number' || i AS name, i % 3 AS n FROM range(50000) AS r(i)")

    told = described(opened(path), "What about person number123 and others?")

    assert next(field for field in told["fields"] if field["name"] == "name")["matches"] == ["Person Number123"]


def test_of_several_tables_the_one_that_is_asked_for_is_told(tmp_path: Path, opened: Open) -> None:
    csv_file(tmp_path / "a.csv", [["x"], ["1"]])
    csv_file(tmp_path / "b.csv", [["y"], ["1"], ["2"]])
    database = opened(tmp_path)

    assert described(database)["tables"] == ["b", "a"]
    assert described(database, table="a")["tables"] == ["a", "b"]
    assert described(database, table="a")["total"] == 1


def test_the_table_that_fits_most_of_the_question_is_told(tmp_path: Path, opened: Open) -> None:
    people = [["person_id", "name", "department", "salary"], *([str(at), f"P {at}", "Legal", "9"] for at in range(4))]
    leave = [["leave_id", "person_id", "reason"], *([str(at), str(at % 4), "illness"] for at in range(30))]
    visits = [["visit", "city"], *([str(at), "Oslo"] for at in range(60))]
    files = {"absences": leave, "employees": people, "visits": visits}
    database = opened(*(csv_file(tmp_path / f"{name}.csv", rows) for name, rows in files.items()))

    def told(question: str) -> tuple[str, list[str], int]:
        found = described(database, question)
        return found["table"], found["tables"], found["total"]

    by_field = told("What is the average salary by department?")
    assert by_field == ("employees", ["employees", "absences", "visits"], 4)
    assert told("List the employees in Legal")[0] == "employees"
    assert told("How often was illness the reason?")[0] == "absences"
    assert told("What happened in Oslo?")[0] == "visits"
    assert told("How many absences did employees have?")[0] == "absences"
    assert told("How many employees had absences?")[0] == "employees"
    assert told("What is the capital of Mongolia?")[0] == "visits"
    assert told("")[0] == "absences"
    assert described(database, "Salary by department", table="visits")["table"] == "visits"
