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
from tests.support.serving import QUESTION


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


def held(served: Served, run_id: str) -> tuple[str, str | None]:
    """The status of a session, and who carries it out."""
    query = "SELECT json_extract(record, '$.status'), worker FROM runs WHERE run_id = ?"
    with sqlite3.connect(served.home / "runs.sqlite3") as db:
        status, worker = db.execute(query, (run_id,)).fetchone()
    return status, worker


def test_nothing_but_the_protocol_stands_on_standard_output_and_a_client_that_leaves_leaves_nobody_at_work(
    served: Served,
) -> None:
    process = served.started(env=served.slow(0.02))
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
    arguments = {"question": f"Asked patiently: {QUESTION}", "wait_seconds": 0}
    sent(process, "tools/call", 4, name="research", arguments=arguments)
    left = str(structured(answered(process, 4)[0])["session"]["session_id"])
    out, err = process.communicate(timeout=30)  # it closes the input

    assert structured(answer)["session"]["status"] == "completed"
    assert before and {each["method"] for each in before} == {"notifications/progress"}
    places = [each["params"]["progress"] for each in before]
    assert places == sorted(set(places))
    assert (process.returncode, out) == (0, "")
    assert "serves MCP over standard input and output" in err and "Traceback" not in err
    status, worker = held(served, left)
    assert (status in ("queued", "running"), worker) == (True, None)


async def test_a_session_outlives_the_servers_that_carry_it_out(served: Served) -> None:
    killed = served.started(env=served.slow(0.3))
    greeted(killed)
    sent(killed, "tools/call", 1, name="research", arguments={"question": QUESTION, "wait_seconds": 0})
    run_id = str(structured(answered(killed, 1)[0])["session"]["session_id"])
    until_told(killed, run_id, "Plan:")
    killed.kill()
    killed.communicate(timeout=30)
    time_passes(served)

    ended = served.started(env=served.slow(0.3))
    greeted(ended)
    until_told(ended, run_id, "continues")
    ended.terminate()
    out, err = ended.communicate(timeout=30)
    assert (ended.returncode, out, "Traceback" in err) == (128 + signal.SIGTERM, "", False), err
    assert held(served, run_id) == ("running", None)

    async with served.stdio(env=served.slow(0)) as client:
        told = await call(client, "follow", session_id=run_id, wait_seconds=60)
        report = await call(client, "report", session_id=run_id)
    assert told["session"]["status"] == "completed" and report["claims"]
    assert sum("continues" in line["line"] for line in told["lines"]) == 2


def until_told(process: subprocess.Popen[str], run_id: str, words: str) -> None:
    """Follow a session until a line holds the words."""
    for id in range(10, 1_000):
        sent(process, "tools/call", id, name="follow", arguments={"session_id": run_id, "wait_seconds": 0.1})
        if any(words in each["line"] for each in structured(answered(process, id)[0])["lines"]):
            return
    raise AssertionError(f"it never told of {words!r}")


def time_passes(served: Served) -> None:
    """Until nobody holds what a killed worker has held."""
    with sqlite3.connect(served.home / "runs.sqlite3") as db:
        db.execute("UPDATE runs SET leased_until = 0")


async def test_fathom_itself_reads_here_and_starts_nothing(served: Served) -> None:
    settings = load_settings(home=served.home)
    async with wiring.Fathom(settings) as fathom:
        waiting, _ = await Sessions(fathom).create(SessionRequest(query=QUESTION))
    command = (sys.executable, "-m", "fathom", "mcp")
    env = {"FATHOM_HOME": str(served.home), "PYTHONPATH": served.env["PYTHONPATH"]}
    dataset = open_dataset(DataSource(name="fathom", server=Server(command=command, env=env)), settings)
    try:
        described = await dataset.describe("")
        offered = {tool.name for tool in described.tools}
        looks = {"check", "follow", "approvals", "report", "compare", "source", "search_knowledge"}
        assert offered == looks | {"list_sources", "list_sessions"}
        changing = {"research", "ask", "plan", "resume", "update", "cancel", "answer", "steer"}
        assert set(described.refused) == changing
        for tool in described.refused:
            with pytest.raises(ToolRefused):
                await dataset.call(tool, {"question": "Why?"})
        assert "Jacquard" in str(await dataset.call("search_knowledge", {"query": "Jacquard"}))
        await asyncio.sleep(1.2)  # longer than a worker takes to find what waits
    finally:
        await dataset.close()

    assert held(served, waiting.run_id) == ("queued", None)


async def test_any_other_host_needs_a_token(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path, serve_port=0)
    with pytest.raises(ConfigurationError, match="fathom token create"):
        await over_http(settings, place_of("0.0.0.0"), ready=pytest.fail)
