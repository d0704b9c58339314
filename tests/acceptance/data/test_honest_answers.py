"""Whole runs over a real server: what the data do not hold is said, and only what was asked is counted."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import fathom
from fathom.report import Report
from fathom.settings import Settings
from fathom_testing.events import LEAST, write_events

pytestmark = pytest.mark.usefixtures("read_here")

PEOPLE = [
    {"person_id": number, "name": f"Person {number}", "age": 20 + number, "city": city, "married": number % 2 == 0}
    for number, city in enumerate(["Oslo", "Lima", "Oslo", "Lima", "Oslo", "Lima", "Oslo", "Lima"], start=1)
]


@pytest.fixture(scope="module")
def events_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_events(tmp_path_factory.mktemp("data") / "events.csv", LEAST)


@pytest.fixture(scope="module")
def japanese_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_events(tmp_path_factory.mktemp("data") / "events.csv", LEAST, language="ja")


async def ask(query: str, path: Path, home: Path, **given: Sequence[Path]) -> Report:
    return await fathom.research(query, data=[path], settings=Settings(home=home), **given)  # type: ignore[arg-type]


def write_people(path: Path, rows: Sequence[Mapping[str, object]] = PEOPLE) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_people(tmp_path_factory.mktemp("people") / "people.csv")


def matched(report: Report) -> int | None:
    (coverage,) = report.coverage.datasets
    return coverage.matched


def counted_by(report: Report) -> list[str]:
    return [" × ".join(figure.columns[: figure.columns.index("records")]) for figure in report.figures]


async def test_a_place_that_no_record_knows_counts_no_record(events_file: Path, tmp_path: Path) -> None:
    report = await ask("Events by theme in Mongolia", events_file, tmp_path)

    assert matched(report) == 0
    assert counted_by(report) == []
    assert all("Mongolia" in claim.text and claim.verified for claim in report.claims)
    assert report.claims


async def test_a_place_that_no_record_knows_counts_no_record_in_japanese(japanese_file: Path, tmp_path: Path) -> None:
    report = await ask("モンゴルのイベントをテーマ別に教えてください", japanese_file, tmp_path)

    assert matched(report) == 0
    assert counted_by(report) == []
    assert any("モンゴル" in claim.text for claim in report.claims)


@pytest.mark.parametrize("query", ["What is the capital of Mongolia?", "Who won the World Cup in 2022?"])
async def test_a_question_that_touches_nothing_of_the_data_is_answered_with_nothing(
    query: str, events_file: Path, tmp_path: Path
) -> None:
    report = await ask(query, events_file, tmp_path)

    assert (report.claims, report.figures) == ((), ())


async def test_how_many_is_answered_with_the_number_alone(events_file: Path, tmp_path: Path) -> None:
    report = await ask("How many events in India are about AI?", events_file, tmp_path)

    assert matched(report) == 50
    assert counted_by(report) == []
    assert any("50" in claim.text for claim in report.claims)


async def test_a_comparison_counts_each_side_and_both_and_nothing_else(events_file: Path, tmp_path: Path) -> None:
    report = await ask("Compare India and Japan by theme", events_file, tmp_path)

    assert sorted(counted_by(report)) == ["country", "event_theme", "event_theme"]


async def test_what_people_said_is_told_in_their_words(events_file: Path, tmp_path: Path) -> None:
    report = await ask("What did people say about costs at AI events in India?", events_file, tmp_path)

    assert counted_by(report) == []
    assert any("costs are still hard to predict" in claim.text for claim in report.claims)


async def test_the_record_with_the_most_is_named(people: Path, tmp_path: Path) -> None:
    report = await ask("Who is the oldest person in Oslo?", people, tmp_path / "home")

    assert "Person 7 has the highest age: 27" in report.claims[0].text
    assert not any(f"Person {other}" in claim.text for claim in report.claims for other in (2, 4, 6, 8))


async def test_a_number_without_a_field_is_no_condition_that_is_dropped(people: Path, tmp_path: Path) -> None:
    assert matched(await ask("How many people are under 24?", people, tmp_path / "home")) == 3
    assert matched(await ask("How many unmarried people live in Lima?", people, tmp_path / "home")) == 0
    assert matched(await ask("How many unmarried people live in Oslo?", people, tmp_path / "home")) == 4


async def test_a_word_that_names_nothing_is_left_out_and_said_to_be(people: Path, tmp_path: Path) -> None:
    report = await ask("How many splendid people live in Oslo?", people, tmp_path / "home")

    assert matched(report) == 4
    assert "“splendid” was not understood and is left out." in report.limitations


async def test_what_is_not_surely_understood_is_no_count_but_the_records_it_may_be_about(
    people: Path, tmp_path: Path
) -> None:
    report = await ask("How many years lie between the people in Oslo?", people, tmp_path / "home")

    assert report.figures == ()
    assert "Person 1" in " ".join(claim.text for claim in report.claims)
    assert any("“between”" in each for each in report.limitations)


async def test_how_much_of_a_field_there_is_stands_before_how_many_records_match(people: Path, tmp_path: Path) -> None:
    report = await ask("What is the total age in Lima?", people, tmp_path / "home")

    assert "the sum of age is 100" in report.claims[0].text


async def test_a_day_that_does_not_exist_is_said_and_nothing_is_claimed(events_file: Path, tmp_path: Path) -> None:
    report = await ask("How many events took place on 2024-02-30?", events_file, tmp_path)

    assert (report.claims, report.figures) == ((), ())
    assert any("2024-02-30" in each for each in report.limitations)


async def test_one_of_several_words_is_enough_where_or_stands_between_them(events_file: Path, tmp_path: Path) -> None:
    one = matched(await ask("How many events mention quantum computing?", events_file, tmp_path / "a"))
    either = matched(await ask("How many events mention quantum computing or zebras?", events_file, tmp_path / "b"))

    assert one is not None
    assert either == one > 0


async def test_a_list_stands_before_how_many_there_are_is_told_again(events_file: Path, tmp_path: Path) -> None:
    report = await ask("List all events that mention solar power or zero trust", events_file, tmp_path)

    assert report.claims[0].text.startswith("Of the 2,000 records")
    assert not report.claims[1].text.startswith("Of the")


async def test_documents_answer_alone_what_the_data_know_nothing_of(events_file: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "travel.md").write_text(
        "# Travel policy\n\nOur travel policy allows hotels up to 120 euros a night. Trains come before flights.\n",
        encoding="utf-8",
    )
    report = await ask(
        "What does our travel policy say about hotels?", events_file, tmp_path / "home", documents=[notes]
    )

    assert {source.kind for source in report.sources} == {"file"}
    assert report.figures == ()
