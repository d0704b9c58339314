"""The server as a process: what stands on its standard output, how it ends, and what becomes of what was under way."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fathom import wiring
from fathom.api.listening import place_of
from fathom.data.servers import DataSource, Server
from fathom.errors import ConfigurationError, ToolRefused
from fathom.mcp_server.serving import over_http
from fathom.sessions.requests import SessionRequest
from fathom.sessions.service import Sessions
from fathom.settings import load_settings
from fathom.tools import open_dataset
from tests.mcp_server.conftest import Served, call
from tests.serving import QUESTION


def sent(process: subprocess.Popen[str], method: str, id: int | None = None, **params: Any) -> None:
    message = {"jsonrpc": "2.0", "method": method, "params": params, **({} if id is None else {"id": id})}
    assert process.stdin
    process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()


def answered(process: subprocess.Popen[str], id: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The answer to a request, and what was said before it."""
    assert process.stdout
    before: list[dict[str, Any]] = []
    for line in process.stdout:
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        if message.get("id") == id:
            return message, before
        before.append(message)
    raise AssertionError("it has ended without an answer")


def structured(answer: dict[str, Any]) -> dict[str, Any]:
    """What a tool has returned."""
    found: dict[str, Any] = answer["result"]["structuredContent"]
    return found


def greeted(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Shake hands as clients of the years before do."""
    who = {"name": "other", "version": "1"}
    sent(process, "initialize", 0, protocolVersion="2025-06-18", capabilities={}, clientInfo=who)
    answer, _ = answered(process, 0)
    sent(process, "notifications/initialized")
    result: dict[str, Any] = answer["result"]
    return result


def status_of(served: Served, run_id: str) -> str:
    with sqlite3.connect(served.home / "runs.sqlite3") as db:
        found: tuple[str] = db.execute(
            "SELECT json_extract(record, '$.status') FROM runs WHERE run_id = ?", (run_id,)
        ).fetchone()
    return found[0]


def test_nothing_but_the_protocol_stands_on_standard_output(served: Served) -> None:
    process = served.started()
    assert "research" in greeted(process)["instructions"]
    sent(
        process,
        "tools/call",
        1,
        name="research",
        _meta={"progressToken": "p"},
        arguments={"question": QUESTION, "wait_seconds": 60},
    )
    answer, before = answered(process, 1)
    sent(process, "tools/call", 2, name="no such tool", arguments={})
    sent(process, "no/such/method", 3)
    assert answered(process, 2)[0]["result"]["isError"]
    assert "error" in answered(process, 3)[0]
    out, err = process.communicate(timeout=30)

    assert structured(answer)["session"]["status"] == "completed"
    assert before and {each["method"] for each in before} == {"notifications/progress"}
    places = [each["params"]["progress"] for each in before]
    assert places == sorted(set(places))
    assert (process.returncode, out) == (0, "")
    assert "serves MCP over standard input and output" in err and "Traceback" not in err


async def test_what_is_under_way_when_a_server_ends_the_next_one_takes_to_its_report(served: Served) -> None:
    broken_off = {
        begun_and_ended(served, end): end
        for end in (None, signal.SIGTERM, signal.SIGKILL)  # the client leaves, somebody ends it, it dies
    }

    async with served.stdio(env=served.slow(0)) as client:
        for run_id in broken_off:
            told = await call(client, "follow", session_id=run_id, wait_seconds=60)
            report = await call(client, "report", session_id=run_id)
            assert told["session"]["status"] == "completed" and report["claims"]
            assert any("goes on" in line["line"] for line in told["lines"])


def begun_and_ended(served: Served, end: signal.Signals | None) -> str:
    """The id of a session that was under way when its server ended."""
    process = served.started(env=served.slow(0.5))
    greeted(process)
    sent(process, "tools/call", 1, name="research", arguments={"question": QUESTION, "wait_seconds": 0})
    run_id = str(structured(answered(process, 1)[0])["session"]["session_id"])
    lines: list[Any] = []
    for at in range(2, 1_000):
        if lines:
            break
        sent(process, "tools/call", at, name="follow", arguments={"session_id": run_id, "wait_seconds": 0.1})
        lines = structured(answered(process, at)[0])["lines"]
    if end is not None:
        process.send_signal(end)
    out, err = process.communicate(timeout=30)
    expected = {None: 0, signal.SIGTERM: 128 + signal.SIGTERM, signal.SIGKILL: -signal.SIGKILL}[end]
    assert (process.returncode, out, "Traceback" in err) == (expected, "", False), err
    assert status_of(served, run_id) == "running"
    if end == signal.SIGKILL:
        time_passes(served)
    return run_id


def time_passes(served: Served) -> None:
    """Until nobody holds what a killed worker has held."""
    with sqlite3.connect(served.home / "runs.sqlite3") as db:
        db.execute("UPDATE runs SET leased_until = 0")


async def test_fathom_itself_reads_here_and_starts_nothing(served: Served) -> None:
    settings = load_settings(home=served.home)
    async with wiring.opened_resources(settings) as resources:
        waiting = await Sessions(resources).create(SessionRequest(query=QUESTION))
    command = (sys.executable, "-m", "fathom", "mcp")
    env = {"FATHOM_HOME": str(served.home), "PYTHONPATH": served.env["PYTHONPATH"]}
    dataset = open_dataset(DataSource(name="fathom", server=Server(command=command, env=env)), settings)
    try:
        described = await dataset.describe("")
        offered = {tool.name for tool in described.tools}
        assert offered == {"follow", "report", "source", "search_knowledge", "list_sources", "list_sessions"}
        assert set(described.refused) == {"research", "plan", "resume", "cancel"}
        for tool in described.refused:
            with pytest.raises(ToolRefused):
                await dataset.call(tool, {"question": "Why?"})
        assert "Jacquard" in str(await dataset.call("search_knowledge", {"query": "Jacquard"}))
        await asyncio.sleep(1.2)  # longer than a worker takes to find what waits
    finally:
        await dataset.close()

    assert status_of(served, waiting.run_id) == "queued"


async def test_any_other_host_needs_a_token(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path, serve_port=0)
    with pytest.raises(ConfigurationError, match="fathom token create"):
        await over_http(settings, place_of("0.0.0.0"), ready=pytest.fail)
