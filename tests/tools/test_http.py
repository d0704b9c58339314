"""Servers at an address: what each status and each broken answer means."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fathom.data.servers import Server
from fathom.errors import (
    ConfigurationError,
    FathomError,
    MalformedReply,
    ProviderError,
    ProviderFault,
    RateLimited,
    ResultTooLarge,
    ToolFailed,
    Unauthorized,
    Unreachable,
)
from fathom_testing.local_server import LocalServer
from fathom_testing.model_server.http import Asked, Connection
from tests.support.doubles.data_server import served
from tests.support.mcp_serving import dataset


class Odd(LocalServer):
    """Speaks the protocol of 2025 by plain JSON, and answers a call of a tool as it is told."""

    def __init__(
        self,
        status: int = 200,
        body: bytes = b"",
        *,
        kind: str = "application/json",
        at_start: bool = False,
        **headers: str,
    ) -> None:
        super().__init__()
        self._answer = status, body, {"content-type": kind, **{k.replace("_", "-"): v for k, v in headers.items()}}
        self._at_start = at_start
        self.seen: list[Asked] = []
        self.drops = 0
        """Calls of a tool that it will not answer."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    async def _respond(self, connection: Connection, asked: Asked) -> None:
        self.seen.append(asked)
        message = json.loads(asked.body or b"{}")
        method = message.get("method")
        if method == "tools/call" and self.drops:
            self.drops -= 1
            connection.close()
        elif method == "tools/call" or self._at_start:
            status, body, headers = self._answer
            await connection.send(status, body.replace(b"ID", json.dumps(message.get("id")).encode()), headers)
        elif method == "initialize":
            about = {"protocolVersion": "2025-06-18", "serverInfo": {"name": "odd", "version": "1"}}
            await self._tell(connection, message, {**about, "capabilities": {"tools": {}}})
        elif method == "tools/list":
            tools = [{"name": "list_events", "inputSchema": {"type": "object"}}]
            await self._tell(connection, message, {"tools": tools})
        elif "id" in message:
            error = {"code": -32601, "message": "no such method"}
            await self._send(connection, {"jsonrpc": "2.0", "id": message["id"], "error": error})
        else:
            await connection.send(202, b"")

    async def _tell(self, connection: Connection, asked: dict[str, Any], result: dict[str, Any]) -> None:
        await self._send(connection, {"jsonrpc": "2.0", "id": asked["id"], "result": result})

    async def _send(self, connection: Connection, message: dict[str, Any]) -> None:
        await connection.send(200, json.dumps(message).encode(), {"content-type": "application/json"})


STATUSES: list[tuple[int, type[FathomError], str]] = [
    (401, Unauthorized, "check its headers"),
    (403, Unauthorized, "check its headers"),
    (429, RateLimited, "ask it less often"),
    (500, ProviderFault, "failed"),
    (503, ProviderFault, "failed"),
]


@pytest.mark.parametrize("at_start", [False, True])
@pytest.mark.parametrize(("status", "error", "said"), STATUSES)
async def test_a_status_is_the_error_that_it_stands_for(
    status: int, error: type[FathomError], said: str, at_start: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN_OF_EVENTS", "s3cr3t-t0ken")
    body = json.dumps({"error": "no entry for Bearer s3cr3t-t0ken"}).encode()
    with Odd(status, body, at_start=at_start) as odd:
        server = Server(url=odd.url, headers={"Authorization": "Bearer $TOKEN_OF_EVENTS"})
        async with dataset(server) as data:
            with pytest.raises(error, match=said) as raised:
                await data.call("list_events", {})

    assert odd.seen[0].headers["authorization"] == "Bearer s3cr3t-t0ken"
    assert "s3cr3t" not in f"{raised.value}{raised.value.__cause__ or ''}"


async def test_how_long_to_wait_is_passed_on() -> None:
    with Odd(429, b"", retry_after="7") as odd:
        async with dataset(Server(url=odd.url)) as data:
            with pytest.raises(RateLimited) as raised:
                await data.call("list_events", {})

    assert raised.value.retry_after == 7


@pytest.mark.parametrize(
    ("body", "kind", "error"),
    [
        (b"<html>Welcome</html>", "text/html", ToolFailed),
        (b'{"jsonrpc": "2.0", "id": ID, "result": {{', "application/json", MalformedReply),
        (b'{"jsonrpc": "2.0", "id": ID, "result": {"content": 7}}', "application/json", MalformedReply),
        (
            b'{"jsonrpc": "2.0", "id": ID, "error": {"code": -32602, "message": "bad limit"}}',
            "application/json",
            ToolFailed,
        ),
        (b'{"jsonrpc": "2.0", "id": ID, "result": "' + b"x" * 60_000 + b'"}', "application/json", ResultTooLarge),
        (b"data: " + b"x" * 60_000 + b"\n\n", "text/event-stream", ResultTooLarge),
        (b"x: y\n\n", "text/event-stream", ProviderError),
    ],
)
async def test_an_answer_that_is_none_fails_its_call_alone(body: bytes, kind: str, error: type[FathomError]) -> None:
    with Odd(200, body, kind=kind) as odd:
        async with dataset(Server(url=odd.url, timeout=5), mcp_max_bytes=50_000) as data:
            for _ in range(2):
                with pytest.raises(error):
                    await data.call("list_events", {})


async def test_a_packed_answer_is_refused_before_it_unpacks() -> None:
    with Odd(200, b"\x1f\x8b", content_encoding="gzip") as odd:
        async with dataset(Server(url=odd.url)) as data:
            with pytest.raises(MalformedReply, match="packs"):
                await data.call("list_events", {})


async def test_another_host_is_not_followed() -> None:
    with Odd() as elsewhere, Odd(307, b"", location=elsewhere.url, at_start=True) as odd:
        async with dataset(Server(url=odd.url)) as data:
            with pytest.raises(ProviderError):
                await data.describe("")

    assert elsewhere.seen == []


async def test_what_is_no_mcp_server_is_said_to_be_none() -> None:
    with Odd(404, b"not here", kind="text/plain", at_start=True) as odd:
        async with dataset(Server(url=odd.url)) as data:
            with pytest.raises(ProviderError, match="speaks no MCP"):
                await data.describe("")


async def test_a_server_that_is_not_there_is_unreachable() -> None:
    with Odd() as odd:
        url = odd.url
    async with dataset(Server(url=url)) as data:
        with pytest.raises(Unreachable, match="cannot be reached"):
            await data.describe("")


async def test_a_connection_that_breaks_is_opened_again_and_the_call_tried_once_more() -> None:
    body = b'{"jsonrpc": "2.0", "id": ID, "result": {"content": [{"type": "text", "text": "here"}]}}'
    with Odd(200, body) as odd:
        odd.drops = 1
        async with dataset(Server(url=odd.url)) as data:
            assert (await data.call("list_events", {})).text == "here"
        odd.drops = 9
        async with dataset(Server(url=odd.url)) as data:
            with pytest.raises(Unreachable):
                await data.call("list_events", {})

    assert odd.drops == 7


async def test_under_no_web_only_this_machine_is_asked() -> None:
    with served("listing") as url:
        async with dataset(Server(url=url), no_web=True) as data:
            assert (await data.describe("")).fields

    for server in (Server(url="https://mcp.example/mcp"), Server(command=("npx", "some-server"))):
        with pytest.raises(ConfigurationError, match="`no_web`"):
            async with dataset(server, no_web=True):
                pass
