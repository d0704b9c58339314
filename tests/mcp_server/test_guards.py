"""What the guards of the service mean for MCP over HTTP."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import httpx

from fathom import wiring
from fathom.api.listening import place_of
from fathom.mcp_server.serving import over_http
from fathom.sessions.tokens import Tokens
from fathom.settings import load_settings
from tests.mcp_server.conftest import Http
from tests.support.serving import QUESTION
from tests.support.shop import until

HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}


async def test_a_token_that_is_revoked_ends_the_streams_it_has_open_and_the_session_goes_on(
    http: Http,
) -> None:
    settings = load_settings(home=http.home)
    async with wiring.Fathom(settings) as fathom:
        token, secret = await Tokens(fathom.tokens).create("to be revoked")
        async with httpx.AsyncClient(headers={**HEADERS, "Authorization": f"Bearer {secret}"}, timeout=60) as client:
            client.headers["MCP-Session-Id"] = await greeted(client, http.url)
            waiting = asyncio.create_task(researched(client, http.url))
            hears = asyncio.Event()
            listening = asyncio.create_task(listened(client, http.url, hears))

            async def has_begun() -> bool:
                return bool(await fathom.store.runs(text="patiently revoked"))

            await until(has_begun)
            await hears.wait()
            (run,) = await fathom.store.runs(text="patiently revoked")
            assert not waiting.done() and not listening.done()
            await fathom.tokens.revoke(token.token_id)
            async with asyncio.timeout(10):
                messages = await waiting
                await listening
        run = await fathom.store.run(run.run_id)
    assert not any("result" in message for message in messages)
    assert run.status in ("queued", "running", "completed")


async def test_a_client_that_starts_too_many_sessions_is_told_to_wait(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path, serve_port=0, serve_new_sessions=1)
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(over_http(settings, place_of("127.0.0.1"), ready=ready.set_result))
    try:
        async with asyncio.timeout(30):
            url = await ready
        async with httpx.AsyncClient(headers=HEADERS, timeout=60) as client:
            client.headers["MCP-Session-Id"] = await greeted(client, url)
            first, second, third = [
                await called(client, url, tool, question="?") for tool in ("research", "plan", "research")
            ]
            free = await called(client, url, "list_sessions")
    finally:
        serving.cancel()
        await asyncio.wait([serving])
    assert "no letter" in first
    assert "too many sessions" in second and "too many sessions" in third
    assert "sessions" in free and "too many" not in free


async def called(client: httpx.AsyncClient, url: str, tool: str, **arguments: object) -> str:
    """What a tool says."""
    call = {"name": tool, "arguments": arguments}
    reply = await client.post(url, json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    return reply.text


async def greeted(client: httpx.AsyncClient, url: str) -> str:
    """Shake hands; the id of the client's session with the server."""
    who = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "other", "version": "1"}}
    reply = await client.post(url, json={"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": who})
    await client.post(
        url,
        json={"jsonrpc": "2.0", "method": "notifications/initialized"},
        headers={"MCP-Session-Id": reply.headers["mcp-session-id"]},
    )
    return str(reply.headers["mcp-session-id"])


async def researched(client: httpx.AsyncClient, url: str) -> list[dict[str, object]]:
    """Ask for research that takes long; what was said until the stream ended."""
    arguments = {"question": f"Asked patiently revoked: {QUESTION}", "wait_seconds": 60}
    call = {"name": "research", "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    async with client.stream("POST", url, json=body) as reply:
        lines = [line async for line in reply.aiter_lines()]
    return [json.loads(line[5:]) for line in lines if line.startswith("data:") and line[5:].strip()]


async def listened(client: httpx.AsyncClient, url: str, hears: asyncio.Event) -> None:
    """Hear what the server says by itself, until the stream ends."""
    async with client.stream("GET", url) as reply:
        assert reply.status_code == 200
        hears.set()
        async for _ in reply.aiter_lines():
            pass
