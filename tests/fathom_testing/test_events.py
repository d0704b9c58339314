"""The made-up events: what is known of them holds, whatever their number and language."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import duckdb
import pytest

from fathom_testing.events import INDIA, LEAST, QUANTUM_IN_INDIA, events, row, write_events


@pytest.mark.parametrize("count", [LEAST, 5_001])
def test_165_events_are_in_india_whatever_their_number(count: int) -> None:
    found = list(events(count))
    in_india = [event for event in found if event.country == "India"]
    assert len(found) == count
    assert Counter(event.theme for event in in_india) == INDIA
    assert len(in_india) == 165
    assert sum("quantum" in row(event)["summary"] for event in in_india) == QUANTUM_IN_INDIA


def test_the_same_events_are_written_each_time() -> None:
    assert list(events(LEAST)) == list(events(LEAST))


def test_too_few_events_are_refused() -> None:
    with pytest.raises(ValueError, match="too few"):
        next(events(LEAST - 1))


def test_every_format_holds_the_same_events(tmp_path: Path) -> None:
    names = [row(event)["event_id"] for event in events(LEAST)]
    with write_events(tmp_path / "events.csv", LEAST).open(encoding="utf-8", newline="") as file:
        assert [each["event_id"] for each in csv.DictReader(file)] == names
    lines = write_events(tmp_path / "events.jsonl", LEAST).read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["event_id"] for line in lines] == names
    parquet = write_events(tmp_path / "events.parquet", LEAST)
    with duckdb.connect() as connection:
        assert connection.read_parquet(str(parquet)).project("event_id").fetchall() == [(name,) for name in names]
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".csv", ".jsonl", ".parquet"]


def test_a_japanese_event_has_japanese_fields_and_the_same_country() -> None:
    event = next(event for event in events(LEAST) if event.country == "India")
    found = row(event, language="ja")
    assert found["国"] == "インド"
    assert found["テーマ"] in found["概要"]


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"not as '\.xml'"):
        write_events(tmp_path / "events.xml", LEAST)
