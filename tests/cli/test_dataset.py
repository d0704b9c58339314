"""`fathom dataset`: what files hold, at a terminal."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from tests.cli.conftest import Call

ROWS = """event_id,title,theme,start_date,price
E1,First,AI,2024-01-05,1.5
E2,Second,AI,2024-02-06,2
E3,Third,ML,2024-02-07,
"""


@pytest.fixture
def events(tmp_path: Path) -> Path:
    path = tmp_path / "events.csv"
    path.write_text(ROWS)
    return path


def test_describe_shows_fields_ranges_parts_and_a_record(call: Call, events: Path) -> None:
    done = call("dataset", "describe", events)

    assert done.code == 0 and "events: 3 records, 5 fields" in done.out
    lines = [line.split() for line in done.out.splitlines()]
    assert ["start_date", "date", "3", "0", "2024-01-05", "…", "2024-02-07"] in lines
    assert ["price", "number", "2", "1", "1.5", "…", "2"] in lines
    assert ["theme", "category", "2", "0", "AI,", "ML"] in lines
    assert ["id", "event_id"] in lines and ["event_id", "E1"] in lines


def test_describe_as_json_is_what_the_tool_says(call: Call, events: Path) -> None:
    done = call("dataset", "describe", events, "--format", "json")

    (table,) = json.loads(done.out)
    assert table["total"] == 3 and table["mapping"]["id"] == "event_id" and table["mapping"]["date"] == "start_date"
    assert table["samples"][0] == {
        "event_id": "E1",
        "title": "First",
        "theme": "AI",
        "start_date": "2024-01-05",
        "price": 1.5,
    }


def test_a_mapping_is_written_corrected_and_used(call: Call, events: Path, tmp_path: Path) -> None:
    file = tmp_path / "mapping.toml"
    assert call("dataset", "describe", events, "--write-mapping", file).code == 0
    file.write_text(file.read_text().replace('title = "title"', 'title = "theme"'))

    done = call("dataset", "describe", events, "--mapping", file, "--format", "json")

    assert json.loads(done.out)[0]["mapping"]["title"] == "theme"


def test_a_mapping_that_fits_nothing_is_pointed_out(call: Call, events: Path, tmp_path: Path) -> None:
    file = tmp_path / "mapping.toml"
    file.write_text('[event]\ntitle = "title"\n')
    assert "nothing of it is used" in call("dataset", "describe", events, "--mapping", file).err
    file.write_text('[events]\ntitle = "titel"\n')
    done = call("dataset", "describe", events, "--mapping", file)
    assert done.code == 2 and "Did you mean 'title'" in done.complaints[0]


@pytest.mark.parametrize("command", ["describe", "serve"])
def test_what_cannot_be_read_is_one_line(call: Call, tmp_path: Path, command: str) -> None:
    (tmp_path / "x.parquet").write_text("no")

    for path in (tmp_path / "none.csv", tmp_path / "x.parquet"):
        done = call("dataset", command, path)
        assert done.code == 2 and len(done.complaints) == 1 and done.out == ""


def test_what_files_hold_cannot_steer_the_terminal(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,\x1b[31mred\n1,\x1b]0;title\x07x\n2,\x1b]0;title\x07x\n")

    assert "\x1b" not in call("dataset", "describe", path).out


def test_a_port_that_is_taken_or_needless_is_refused(call: Call, events: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = call("dataset", "serve", events, "--http", "--port", taken.getsockname()[1])
    assert done.code == 2 and "cannot be used" in done.complaints[0]
    assert "--http" in call("dataset", "serve", events, "--port", 1).complaints[0]


def test_it_is_served_to_this_machine_alone(call: Call, events: Path) -> None:
    done = call("dataset", "serve", events, "--http", "--host", "0.0.0.0")

    assert done.code == 2 and len(done.complaints) == 1
