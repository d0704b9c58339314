"""The server as a client meets it: in another process, over standard input and output or over HTTP.

What it answers is the same wherever it is; only the long counts ask that in another process each time.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.server.lowlevel import Server

from fathom.datasets.database import DataTables, open_database
from fathom.datasets.server import server_of
from fathom.settings.data import DataSettings
from tests.datasets.conftest import csv_file, parquet

Asked = str | Server[Any]
"""Where a client finds it: at an address, or in this process."""
COMMAND = ["-m", "fathom", "dataset", "serve"]


@pytest.fixture
def temp(tmp_path: Path) -> Path:
    """Where the server may put what it reads."""
    folder = tmp_path / "temp"
    folder.mkdir()
    return folder


@pytest.fixture
def events(tmp_path: Path) -> Path:
    return write_events(tmp_path)


def write_events(folder: Path) -> Path:
    rows = [[f"EV{at:05}", ["AI", "Cloud"][at % 2], f"2024-0{at % 9 + 1}-01"] for at in range(165)]
    return csv_file(folder / "events.csv", [["id", "event_theme", "day"], *rows])


def left_in(folder: Path) -> list[str]:
    """What a server has left behind."""
    return [path.name for path in folder.glob("fathom-data-*")]


@asynccontextmanager
async def client(path: Path, temp: Path, **settings: str) -> AsyncIterator[Client]:
    env = {"TMPDIR": str(temp), **settings}
    server = StdioServerParameters(command=sys.executable, args=[*COMMAND, str(path)], env=env)
    async with Client(server, client_info=types.Implementation(name="other", version="1")) as found:
        yield found


async def call(found: Client, tool: str, **arguments: Any) -> Any:
    result = await found.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def test_a_client_can_describe_count_and_page_over_standard_input_and_output(events: Path, temp: Path) -> None:
    before = events.read_bytes()
    async with client(events, temp) as found:
        tools = {tool.name: tool for tool in (await found.list_tools()).tools}
        assert list(tools) == ["describe", "analyze"]
        for tool in tools.values():
            assert tool.annotations and tool.annotations.read_only_hint and tool.annotations.destructive_hint is False
            assert tool.description and tool.output_schema
        assert tools["analyze"].input_schema["properties"]["page_size"]["maximum"] == 100

        told = await call(found, "describe", question="Which events about AI were there?")
        assert (told["total"], told["tables"], told["mapping"]["id"]) == (165, ["events"], "id")
        assert {field["name"]: field["matches"] for field in told["fields"]}["event_theme"] == ["AI"]

        counts = await call(found, "analyze", group_by="event_theme", top_n=1)
        assert counts["aggregations"]["group_by"] == {
            "fields": ["event_theme"],
            "buckets": [{"key": "AI", "doc_count": 83}],
            "distinct": 2,
            "other_doc_count": 82,
        }
        first = await call(found, "analyze", page_size=100)
        second = await call(found, "analyze", page_size=100, search_after=first["page"]["search_after"])
        assert (len(first["documents"]), len(second["documents"]), second["page"]["has_more"]) == (100, 65, False)
        assert len({record["id"] for record in first["documents"] + second["documents"]}) == 165
        assert left_in(temp)
    assert left_in(temp) == []
    assert events.read_bytes() == before
    assert sorted(path.name for path in events.parent.iterdir()) == ["events.csv", "temp"]


async def test_what_went_wrong_reaches_the_client(shared: Asked) -> None:
    async with Client(shared) as found:
        for tool, arguments, told in (
            ("analyze", {"group_by": "event_them"}, "Did you mean 'event_theme'"),
            ("analyze", {"page_size": 1_000}, "from 1 to 100"),
            ("describe", {"table": "x"}, "There is no table 'x'"),
            ("describe", {"tabel": "x"}, "Did you mean 'table'"),
        ):
            result = await found.call_tool(tool, arguments)
            assert result.is_error and isinstance(result.content[0], types.TextContent)
            assert told in result.content[0].text


async def test_only_a_client_that_needs_it_gets_the_result_as_text_too(shared: Asked) -> None:
    texts = []
    for name in ("other", "fathom"):
        async with Client(shared, client_info=types.Implementation(name=name, version="1")) as found:
            result = await found.call_tool("analyze", {"group_by": ["event_theme"]})
            assert isinstance(result.content[0], types.TextContent)
            texts.append(result.content[0].text)

    assert json.loads(texts[0])["data_context"]["unique_ids_matched"] == 165
    assert texts[1] == "165 of 165 records match."


async def test_calls_side_by_side_are_all_answered(shared: Asked) -> None:
    async with Client(shared) as found:
        results = await asyncio.gather(
            *(call(found, "analyze", page_size=10, search_after=[at]) for at in range(0, 160, 10)),
            *(call(found, "analyze", group_by=["day"]) for _ in range(10)),
        )

    assert [each["documents"][0]["id"] for each in results[:16]] == [f"EV{at:05}" for at in range(0, 160, 10)]


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("big") / "big.parquet"
    return parquet(path, "SELECT i AS a, hash(i)::VARCHAR AS b, hash(-i)::VARCHAR AS c FROM range(400000) AS r(i)")


@asynccontextmanager
async def asked(way: str, path: Path, temp: Path, *, seconds: float = 30) -> AsyncIterator[Client]:
    """A client of the server in this process, or in another."""
    if way == "another":
        async with client(path, temp, FATHOM_DATA_TIMEOUT=str(seconds)) as found:
            yield found
        return
    settings = DataSettings(data_timeout=seconds)
    database = open_database([path], settings)
    try:
        async with Client(server_of(database, settings)) as found:
            yield found
    finally:
        database.close()


WAYS = ["this", pytest.param("another", marks=pytest.mark.soak)]


@pytest.mark.parametrize("way", WAYS)
async def test_a_call_that_is_given_up_is_stopped_and_the_server_goes_on(way: str, big: Path, temp: Path) -> None:
    async with asked(way, big, temp) as found:
        slow = {"group_by": ["b", "c"], "statistics": ["a"], "samples_per_bucket": 2, "top_n": 1_000}
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await found.call_tool("analyze", slow)
        assert (await call(found, "analyze"))["data_context"]["total_records"] == 400_000


@pytest.mark.parametrize("way", WAYS)
async def test_a_question_that_takes_too_long_says_so(way: str, big: Path, temp: Path) -> None:
    async with asked(way, big, temp, seconds=0.01) as found:
        result = await found.call_tool("analyze", {"group_by": ["b"], "statistics": ["a"]})

    assert result.is_error and "FATHOM_DATA_TIMEOUT" in str(result.content[0])


def started(path: Path, temp: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *COMMAND, str(path), *options],
        env={**os.environ, "TMPDIR": str(temp)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def over_http(events: Path, temp: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The server over HTTP, and where it is."""
    with listening(events, temp) as found:
        yield found


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataTables]:
    found = open_database([write_events(tmp_path_factory.mktemp("data"))], DataSettings())
    yield found
    found.close()


@pytest.fixture(params=WAYS)
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Asked]:
    """Where one is that several tests ask."""
    if request.param == "this":
        yield server_of(request.getfixturevalue("database"), DataSettings())
        return
    with listening(write_events(tmp_path), tmp_path) as (_, url):
        yield url


@contextmanager
def listening(events: Path, temp: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    process = started(events, temp, "--http", "--port", "0")
    assert process.stderr
    line = process.stderr.readline()
    found = re.search(r"http://127\.0\.0\.1:\d+/mcp", line)
    assert found, line
    yield process, found[0]
    process.kill()
    process.communicate()


async def test_a_client_can_use_it_over_http_and_a_page_of_another_host_cannot(
    over_http: tuple[subprocess.Popen[str], str], temp: Path
) -> None:
    process, url = over_http
    async with Client(url) as found:
        assert (await call(found, "analyze", filters={"event_theme": "AI"}))["data_context"]["unique_ids_matched"] == 83
        assert (await found.call_tool("analyze", {"group_by": ["x"]})).is_error

    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    accepted = {"accept": "application/json, text/event-stream"}
    async with httpx.AsyncClient() as web:
        for headers in ({"host": "evil.example"}, {"origin": "https://evil.example"}):
            answer = await web.post(url, json=body, headers={**accepted, **headers})
            assert answer.status_code in (403, 421)

    process.send_signal(signal.SIGTERM)
    out, _ = await asyncio.to_thread(process.communicate, timeout=30)
    assert out == "" and left_in(temp) == []


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.soak)])
def test_a_signal_ends_it_and_leaves_nothing(number: signal.Signals, events: Path, temp: Path) -> None:
    process = started(events, temp)
    wait_for_data(temp)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err, left_in(temp)) == (128 + number, "", "", [])


def test_what_a_killed_server_has_left_the_next_one_removes_and_the_end_of_its_input_ends_that(
    events: Path, temp: Path
) -> None:
    killed = started(events, temp)
    wait_for_data(temp)
    killed.kill()
    killed.communicate()
    left = left_in(temp)

    process = started(events, temp)
    out, err = process.communicate(timeout=30)

    assert left
    assert (process.returncode, out, err, left_in(temp)) == (0, "", "", [])


def wait_for_data(temp: Path) -> None:
    """Until a server has read its files."""
    while not any((folder / "data.duckdb").exists() for folder in temp.glob("fathom-data-*")):
        time.sleep(0.01)
