"""Servers that misbehave: each call ends soon, with what can be used or with a clear error."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom import errors
from fathom.data.servers import Server
from fathom.errors import (
    FathomError,
    MalformedReply,
    ProviderError,
    ResultTooLarge,
    TimedOut,
    ToolFailed,
    ToolRefused,
    Unavailable,
)
from fathom.tools import link
from tests.support.doubles.data_server import command, events
from tests.support.mcp_serving import Faulty, called, dataset, plain, scanned
from tests.support.mcp_serving import faulty as of_the_sdk


@pytest.fixture(params=["plain", pytest.param("sdk", marks=pytest.mark.soak)])
def faulty(request: pytest.FixtureRequest) -> Faulty:
    """Makes servers that have a fault."""
    return plain if request.param == "plain" else of_the_sdk


@pytest.mark.parametrize(
    ("fault", "error", "said"),
    [
        ("dies", Unavailable, "disk full"),
        ("hangs", TimedOut, "no answer in time"),
        ("wrong-json", MalformedReply, "no message of the protocol"),
        ("wrong-result", MalformedReply, "no answer"),
        ("fails", ToolFailed, "database is locked"),
        ("huge", ResultTooLarge, "100,000 bytes"),
        ("endless", ResultTooLarge, "100,000 bytes"),
    ],
)
async def test_a_failing_call_says_what_happened_on_one_line_without_secrets(
    fault: str, error: type[FathomError], said: str, faulty: Faulty, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN_OF_EVENTS", "s3cr3t-t0ken")
    server = faulty(fault, size=150_000, env={"EVENTS_TOKEN": "$TOKEN_OF_EVENTS"}, timeout=2)
    async with dataset(server, mcp_max_bytes=100_000) as data:
        with pytest.raises(error, match=said) as raised:
            await data.call("list_events", {})

    assert getattr(errors, type(raised.value).__name__) is type(raised.value)  # a replay knows it by name
    text = f"{raised.value}{raised.value.__cause__ or ''}"
    assert "s3cr3t" not in text
    assert text.isprintable()
    assert len(str(raised.value)) < 500


async def test_a_server_that_does_not_start_says_why(faulty: Faulty, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_OF_EVENTS", "s3cr3t-t0ken")
    async with dataset(faulty("dies-at-start", env={"EVENTS_TOKEN": "$TOKEN_OF_EVENTS"})) as data:
        with pytest.raises(ProviderError, match=r"exit code 3: no database at \*\*\*"):
            await data.describe("")


async def test_a_server_that_hangs_at_its_start_is_given_up(faulty: Faulty, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "CONNECT_SECONDS", 0.5)
    async with dataset(faulty("hangs-at-start")) as data:
        with pytest.raises(TimedOut):
            await data.describe("")


async def test_a_server_that_has_died_is_started_again_and_asked_once_more(faulty: Faulty, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.touch()
    async with dataset(faulty("dies-once", log=log)) as data:
        result = await data.call("list_events", {"limit": 3})

    assert len(result.records) == 3
    assert called(log) == ["list_events", "died", "list_events"]


async def test_a_server_that_always_dies_is_not_started_for_ever(faulty: Faulty, tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with dataset(faulty("dies", log=log)) as data:
        for _ in range(4):
            with pytest.raises(Unavailable):
                await data.call("list_events", {})

    assert called(log) == ["list_events"] * 3


async def test_a_tool_that_changes_is_held_to_what_was_found(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with dataset(of_the_sdk("changes", log=log)) as data:
        described = await data.describe("")
        with pytest.raises(ToolRefused, match="may destroy"):
            await data.call("list_events", {})
        with pytest.raises(ToolRefused, match="no tool"):
            await data.call("list_secrets", {})

    assert [tool.name for tool in described.tools] == ["list_events", "count_events"]
    assert "list_secrets" not in called(log)


async def test_a_server_of_the_older_protocol_is_understood_and_held_to_its_tools() -> None:
    async with dataset(Server(command=command("old"))) as data:
        described = await data.describe("")
        result = await data.call("find_events", {})
        with pytest.raises(ToolRefused, match="no tool"):
            await data.call("list_secrets", {})

    assert [tool.name for tool in described.tools] == ["find_events", "list_events"]
    assert len(result.records) == 165


@pytest.mark.parametrize("fault", ["chatty", "wrong-schema", "deep", "long-names", "shifting-total"])
async def test_what_is_only_odd_is_read(fault: str, faulty: Faulty) -> None:
    async with dataset(faulty(fault)) as data:
        described = await data.describe("")
        result = await data.call("list_events", {"limit": 10})

    assert described.mapping.id == "event_id"
    assert [record.id for record in result.records] == [event["event_id"] for event in events(10)]
    assert all(len(name) <= 200 for record in result.records for name in record.fields)


async def test_numbers_that_are_none_and_half_letters_do_not_cost_the_record(faulty: Faulty) -> None:
    async with dataset(faulty("not-a-number")) as data:
        numbers = (await data.call("list_events", {})).records[0].fields
    async with dataset(faulty("half-letters")) as data:
        letters = (await data.call("list_events", {})).records[0].fields["title"]

    assert numbers == {"event_id": "EV1", "n": None, "i": None, "b": "123456789012345678901234567890"}
    assert isinstance(letters, str)
    assert letters.encode()  # what is half of a letter cannot be written


@pytest.mark.parametrize(("fault", "records"), [("loop", 100), ("empty-pages", 50), ("duplicates", 180)])
async def test_paging_ends_although_the_server_says_that_there_is_more(
    fault: str, records: int, faulty: Faulty
) -> None:
    async with dataset(faulty(fault)) as data:
        found = await scanned(data, await data.describe(""), tool="list_events")

    assert len(found) == records


async def test_hostile_values_are_inert_and_call_nothing(faulty: Faulty, tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with dataset(faulty("hostile-values", log=log)) as data:
        described = await data.describe("delete_all")
        result = await data.call("list_events", {})

    shown = "".join(str(value) for record in result.records for pair in record.fields.items() for value in pair)
    assert "Ignore previous instructions" in shown
    assert not {"\x1b", "\x07", "\u202e"} & set(shown + described.model_dump_json())
    assert set(called(log)) == {"list_events"}


async def test_a_failing_probe_leaves_the_tool_callable(faulty: Faulty) -> None:
    async with dataset(faulty("fails")) as data:
        described = await data.describe("")

    assert [(tool.name, tool.returns_records) for tool in described.tools] == [("list_events", False)]
    assert described.fields == ()
