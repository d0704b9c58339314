"""A run keeps to its time whoever hangs, from the question on: it ends with what was found, and says what it lacks."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import fathom
from fathom.cli import main
from fathom.engine import run
from fathom.errors import UsageError
from fathom.knowledge import ingestion
from fathom.reading import bounded
from fathom.report import Report
from fathom.wiring import fathom as whole
from fathom.wiring import opening, question
from fathom_testing.model_server import ModelServer
from fathom_testing.search_server import Entry, SearchServer
from tests.support.corpus import QUESTION, corpus
from tests.support.mcp_serving import plain

FILES = "Not all files were read"
WORDS = "searched by their words alone"


@asynccontextmanager
async def silence() -> AsyncIterator[str]:
    """The address of a server that takes whatever it is sent and never says a word."""
    heard = asyncio.Event()

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.set()
        while await reader.read(1000):
            pass
        writer.close()

    server = await asyncio.start_server(hold, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        assert heard.is_set(), "nobody has asked it"


async def researched(folder: Path, documents: Path | None, *, max_time: float, **settings: Any) -> Report:
    """The report on a few documents, or the test hangs too."""
    asked: dict[str, Any] = {"mcp": settings.pop("mcp", None), "limits": {"max_time": max_time}}
    own = fathom.Settings(home=folder / "home", **settings)
    research = fathom.research(QUESTION, documents=[documents] if documents else None, settings=own, **asked)
    return await asyncio.wait_for(research, 300)


Hanging = Callable[[str], dict[str, Any]]
HANGING: dict[str, Hanging] = {
    "model": lambda host: {"model": "openai:fathom-test", "base_url": f"http://{host}/v1"},
    "embedder": lambda host: {"embedder": "ollama:words", "embedder_base_url": f"http://{host}"},
    "search": lambda host: {"web": True, "search": ("searxng",), "searxng_base_url": f"http://{host}"},
}


async def test_an_embedder_that_hangs_is_left_out_of_the_search_and_the_report_says_so(tmp_path: Path) -> None:
    await fathom.ingest([corpus(tmp_path)], settings=fathom.Settings(home=tmp_path / "home"))
    async with silence() as host:
        report = await researched(tmp_path, None, max_time=6.0, **HANGING["embedder"](host))
    assert report.claims and report.partial is None
    assert WORDS in " ".join(report.limitations)


@pytest.mark.soak
@pytest.mark.parametrize("who", HANGING)
async def test_a_server_that_hangs_is_left_out_and_what_the_documents_hold_is_told(tmp_path: Path, who: str) -> None:
    async with silence() as host:
        report = await researched(tmp_path, corpus(tmp_path), max_time=8.0, **HANGING[who](host))
    assert report.claims, "the documents have answered"
    assert (WORDS in " ".join(report.limitations)) == (who == "embedder")


@pytest.mark.soak
async def test_a_page_that_hangs_is_left_out_and_what_the_documents_hold_is_told(tmp_path: Path) -> None:
    async with silence() as host:
        with SearchServer([Entry(f"http://{host}/", "Norvik lighthouse", "The Norvik lighthouse is high.")]) as search:
            web: dict[str, Any] = {"web": True, "search": ("searxng",), "searxng_base_url": search.base("searxng")}
            report = await researched(tmp_path, corpus(tmp_path), max_time=8.0, private_hosts=(host,), **web)
    assert report.claims


@pytest.mark.soak
@pytest.mark.parametrize("fault", ["hangs", "hangs-at-start"])
async def test_a_dataset_that_hangs_is_left_out_and_what_the_documents_hold_is_told(tmp_path: Path, fault: str) -> None:
    report = await researched(tmp_path, corpus(tmp_path), max_time=8.0, mcp=[plain(fault)])
    assert report.claims


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The time of ingestions: `now`, which stands still."""
    clock = SimpleNamespace(now=0.0)
    clock.monotonic = lambda: clock.now
    monkeypatch.setattr(ingestion, "time", clock)
    return clock


@pytest.mark.parametrize("read", [0, 1])
async def test_no_further_file_is_read_when_half_of_the_time_is_up_and_the_report_says_so(
    tmp_path: Path, clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, read: int
) -> None:
    ask, folder = bounded.ask, corpus(tmp_path)

    def slow(*what: Any, clock_of: SimpleNamespace = clock, **how: Any) -> Any:
        """The file that is read when the time is up is given up, as its process would be."""
        if len(seen) == read:
            clock_of.now += bounded.allowed.get()[0]
            raise UsageError("Reading it all takes longer.")
        seen.append(how["path"])
        return ask(*what, **how)

    seen: list[str] = []
    monkeypatch.setattr(bounded, "ask", slow)
    if not read:
        with pytest.raises(UsageError, match=r"No document could be read in its share of `max_time`"):
            await researched(tmp_path, folder, max_time=600.0)
        return
    report = await researched(tmp_path, folder, max_time=600.0)
    assert len(report.cited) == 1
    assert report.claims and FILES in " ".join(report.limitations)
    monkeypatch.setattr(bounded, "ask", ask)  # the next one reads what is left, and takes nothing for unreadable
    assert FILES not in " ".join((await researched(tmp_path, folder, max_time=600.0)).limitations)


@pytest.mark.parametrize("hangs", ["everywhere", pytest.param("answering", marks=pytest.mark.soak)])
def test_a_command_whose_model_hangs_delivers_a_report_with_claims(
    tmp_path: Path, hangs: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FATHOM_HOME", str(tmp_path / "home"))
    folder = corpus(tmp_path)
    faults = [{"fault": "timeout"}, {"fault": "timeout", "ask": "models"}]
    with ModelServer(faults=faults[: 2 if hangs == "everywhere" else 1]) as server:
        asked = ("--model", "openai:fathom-test", "--base-url", f"{server.url}/v1", "--max-time", "8s")
        with pytest.raises(SystemExit) as ended:
            main(["research", QUESTION, "--docs", str(folder), *asked])
        assert server.entries
    out, err = capfd.readouterr()
    assert not ended.value.code, err
    assert "[S1]" in out and "limit on time" in err


async def test_what_comes_before_a_plan_counts_as_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken, plan_only = [], run.plan_only
    now = SimpleNamespace(time=time.time, seconds=0.0)
    now.monotonic = lambda: now.seconds

    async def slowly_opened(*what: Any, **how: Any) -> Any:
        now.seconds += 7.0
        return await opening.opened_anew(*what, **how)

    async def planned(*what: Any, **how: Any) -> Any:
        taken.append(how["taken"])
        return await plan_only(*what, **how)

    for place in (whole, question):
        monkeypatch.setattr(place, "time", now)
    monkeypatch.setattr(whole, "opened_anew", slowly_opened)
    monkeypatch.setattr(run, "plan_only", planned)
    settings, documents = fathom.Settings(home=tmp_path / "home"), [corpus(tmp_path)]
    for limits in ({}, {"max_time": 60.0}, {"max_time": 10.0}):
        await fathom.plan_for(QUESTION, documents=documents, settings=settings, limits=limits)
    assert taken == [7.0, 7.0, 5.0], "the planning gets its half also on a slow machine"


HANGS = """
import asyncio, sys, threading
from fathom.cli import main
from fathom.outcomes import in_thread
from fathom.wiring.running import Begun

execute = Begun.execute

async def beside_a_thread_that_hangs(*what, **how):
    task = asyncio.ensure_future(in_thread(threading.Event().wait))
    await asyncio.sleep(0)
    return await execute(*what, **how)

Begun.execute = beside_a_thread_that_hangs
main(sys.argv[1:])
"""


@pytest.mark.soak
def test_a_thread_that_hangs_holds_up_neither_the_report_nor_the_end_of_the_command(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HANGS, "research", QUESTION, "--docs", corpus(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "FATHOM_HOME": str(tmp_path / "home")},
    )
    assert (done.returncode, "[S1]" in done.stdout) == (0, True), done.stderr
