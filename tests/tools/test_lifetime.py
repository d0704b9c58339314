"""What stays behind when a connection ends, in whatever way: nothing."""

from __future__ import annotations

import asyncio
import gc
import sys
import time
import tracemalloc
import warnings
from pathlib import Path

import pytest

from fathom.data.servers import DataSource, Server
from fathom.errors import Unreachable
from fathom.settings import Settings
from fathom.tools import open_dataset
from tests.support.doubles.data_server import command
from tests.support.mcp_serving import Faulty, dataset, plain
from tests.support.mcp_serving import faulty as of_the_sdk


@pytest.fixture(params=["plain", pytest.param("sdk", marks=pytest.mark.soak)])
def faulty(request: pytest.FixtureRequest) -> Faulty:
    """Makes servers that have a fault."""
    return plain if request.param == "plain" else of_the_sdk


def alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split(")")[1]
    except FileNotFoundError:
        return False


def gone(pids: list[int]) -> bool:
    deadline = time.monotonic() + 10
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(map(alive, pids))


def written(log: Path, word: str) -> bool:
    deadline = time.monotonic() + 10
    while not (log.exists() and word in log.read_text(encoding="utf-8")) and time.monotonic() < deadline:
        time.sleep(0.02)
    return word in log.read_text(encoding="utf-8")


def pids(log: Path) -> list[int]:
    return [int(pid) for pid in log.read_text(encoding="utf-8").splitlines()[0].split()[1:]]


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes by /proc")
async def test_a_server_that_will_not_go_is_killed_with_what_it_has_started(faulty: Faulty, tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with dataset(faulty("stubborn", log=log)) as data:
        await data.call("list_events", {})
        started = pids(log)
        assert all(map(alive, started))

    assert gone(started)


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes by /proc")
def test_a_loop_that_ends_with_a_live_connection_leaves_no_process_and_no_warning(
    faulty: Faulty, tmp_path: Path
) -> None:
    log = tmp_path / "log"

    async def forget() -> None:
        opened = open_dataset(DataSource(name="events", server=faulty("stubborn", log=log)), Settings())
        await opened.call("list_events", {})

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asyncio.run(forget())
        gc.collect()

    assert gone(pids(log))


async def test_it_may_be_closed_twice_and_is_not_opened_again(faulty: Faulty) -> None:
    async with dataset(faulty("none")) as data:
        await data.call("list_events", {})
        await data.close()
        await data.close()
        with pytest.raises(Unreachable, match="closed"):
            await data.call("list_events", {})


async def test_closing_what_was_never_asked_starts_nothing() -> None:
    async with dataset(Server(command=("there-is-no-such-program",))):
        pass


async def test_cancelling_a_call_tells_the_server_and_leaves_the_connection(faulty: Faulty, tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with dataset(faulty("hangs", log=log)) as data:
        call = asyncio.create_task(data.call("list_events", {}))
        await asyncio.to_thread(written, log, "list_events")
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert await asyncio.to_thread(written, log, "cancelled")


ELASTIC = Server(command=command("elastic", "--records", 20))


@pytest.mark.parametrize(
    ("server", "tool", "calls"),
    [
        (plain("none"), "list_events", 40),
        pytest.param(ELASTIC, "search_events", 150, marks=pytest.mark.soak),
    ],
)
async def test_hundreds_of_calls_keep_the_memory_flat(server: Server, tool: str, calls: int) -> None:
    async with dataset(server) as data:

        async def ask(times: int) -> None:
            for _ in range(times):
                await data.call(tool, {"limit": 20})

        await ask(20)
        gc.collect()
        tracemalloc.start()
        try:
            await ask(20)
            gc.collect()
            before, _ = tracemalloc.get_traced_memory()
            await ask(calls)
            gc.collect()
            after, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()

    assert after - before < 1_000 * calls


def test_no_variable_of_ours_reaches_a_foreign_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    script = "import os, sys; sys.stderr.write(' '.join(sorted(os.environ)) + '\\n'); sys.exit(1)"

    async def ask() -> None:
        async with dataset(Server(command=(sys.executable, "-c", script))) as data:
            await data.describe("")

    with pytest.raises(Unreachable, match="PATH") as raised:
        asyncio.run(ask())
    assert "OPENAI" not in str(raised.value)
