"""The server: one port for all providers, each below its name, and a log of what it was sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fathom_testing.little_web.ranking import Entry
from fathom_testing.local_server import LocalServer
from fathom_testing.model_server.http import Asked, Connection
from fathom_testing.search_server.faults import LARGE, Fault, packed, spoiled_entries, spoiled_reply
from fathom_testing.search_server.shelf import Find, Shelf
from fathom_testing.search_server.wires import Wire, key_of, wire_of

_HANG = 3600.0
_PIECE = 20
_PAGE = "<!doctype html><html><head><title>503 Service Unavailable</title></head><body>Try later.</body></html>"


@dataclass
class Seen:
    """A request that came."""

    provider: str
    """Whose format it came for; empty when for none."""
    asked: Asked
    """Method, path behind the provider's name, headers, body."""
    status: int = 0
    """Of the answer; 0 when there was none."""
    fault: str = ""
    """The fault that befell it."""

    @property
    def json(self) -> dict[str, Any]:
        """The body."""
        return self.asked.json()


class SearchServer(LocalServer):
    """A server on this machine, in a thread of its own; several may run at once.

    >>> with SearchServer([Entry("https://a.org/", "Deep sea", "The sea is deep.")]) as server:
    ...     server.base("tavily") == f"{server.url}/tavily", server.seen
    (True, [])
    """

    def __init__(
        self,
        corpus: Iterable[Entry] | Find,
        *,
        port: int = 0,
        faults: Iterable[Fault] = (),
        keys: Mapping[str, str] | None = None,
        latency: float = 0.0,
    ) -> None:
        """`corpus` holds the pages, or finds them; `keys` the only right key of a provider, by name; `latency` is in
        seconds."""
        super().__init__(port=port)
        self._shelf = Shelf(corpus)
        self.faults: list[Fault] = list(faults)
        """What goes wrong; the first that befalls a request counts. May be changed at any time."""
        self._keys = dict(keys or {})
        self._latency = latency
        self.seen: list[Seen] = []
        """Every request so far, those under way included."""

    @property
    def url(self) -> str:
        """The address of the server."""
        return f"http://127.0.0.1:{self._port}"

    def base(self, provider: str) -> str:
        """The address that stands for a provider's own: `FATHOM_TAVILY_BASE_URL`."""
        return f"{self.url}/{provider}"

    async def _respond(self, connection: Connection, asked: Asked) -> None:
        name, _, rest = asked.path.lstrip("/").partition("/")
        seen = Seen(name, replace(asked, path=f"/{rest}"))
        self.seen.append(seen)
        await connection.wait(self._latency)
        try:
            wire = wire_of(name)
        except LookupError as error:
            seen.provider, seen.status = "", 404
            return await connection.send(404, packed({"error": str(error)}))
        fault = next((each for each in list(self.faults) if each.strikes(name, seen.asked.path)), None)
        if fault:
            seen.fault = fault.kind
            if await self._struck(connection, seen, wire, fault):
                return None
        status, reply = self._answer(seen, wire, fault)
        seen.status = status
        await self._send(connection, status, packed(reply), wire, fault)
        return None

    def _answer(self, seen: Seen, wire: Wire, fault: Fault | None) -> tuple[int, Any]:
        """Status and reply."""
        key = key_of(seen.asked, wire)
        if (right := self._keys.get(seen.provider)) is not None and key != right:
            return 401, wire.failure(401, "The key is wrong.")
        shelf = self._shelf
        if fault:
            kind = fault.kind
            shelf = shelf.changed(lambda entries: spoiled_entries(kind, entries, key))
        try:
            if wire.ROUTE not in ("", f"{seen.asked.method} {seen.asked.path}"):
                raise LookupError(seen.asked.path)
            reply = wire.answer(seen.asked, shelf)
        except LookupError as error:
            return 404, wire.failure(404, f"Nothing is here: {error}.")
        except (ValueError, TypeError, AttributeError) as error:
            return 400, wire.failure(400, str(error))
        return 200, spoiled_reply(fault, reply, wire) if fault else reply

    async def _struck(self, connection: Connection, seen: Seen, wire: Wire, fault: Fault) -> bool:
        """Let the fault befall the connection; whether that is all the answer there is."""
        after = {} if fault.retry_after is None else {"retry-after": fault.retry_after}
        match fault.kind:
            case "status":
                seen.status = fault.status
                body = packed(wire.failure(fault.status, "The server says no."))
                await connection.send(fault.status, body, after)
            case "echo_key":
                seen.status = fault.status
                told = f"Wrong: {json.dumps(dict(seen.asked.headers))} {seen.asked.query} {seen.asked.body.decode()}"
                await connection.send(fault.status, packed(wire.failure(fault.status, told)), after)
            case "html":
                seen.status = fault.status
                await connection.send(fault.status, _PAGE.encode(), {"content-type": "text/html", **after})
            case "not_json" | "empty":
                seen.status = 200
                await connection.send(200, b"" if fault.kind == "empty" else b"<<<results: none>>> {")
            case "too_large":
                seen.status = 200
                await self._pour(connection)
            case "wrong_packing":
                seen.status = 200
                await connection.send(200, b"\x00not gzip", {"content-encoding": "gzip"})
            case "redirect":
                seen.status = 302
                await connection.send(302, b"", {"location": fault.location})
            case "reset":
                connection.reset()
            case "slow":
                await connection.wait(fault.seconds)
                return False
            case _:
                return False
        return True

    async def _send(self, connection: Connection, status: int, body: bytes, wire: Wire, fault: Fault | None) -> None:
        kind = fault.kind if fault else ""
        form = {"content-type": "application/json" if wire.RESULTS else "application/atom+xml"}
        match kind:
            case "truncated":
                await connection.send(status, body[: len(body) // 2], form)
            case "broken_off":
                connection.open(status, {**form, "content-length": str(len(body))})
                connection.write(body[: len(body) // 2])
                await connection.drain()
                connection.close()
            case "drip":
                connection.open(status, {**form, "transfer-encoding": "chunked"})
                for at in range(0, len(body), _PIECE):
                    if connection.gone:
                        return
                    connection.chunk(body[at : at + _PIECE])
                    await connection.drain()
                    await asyncio.sleep(fault.seconds if fault else _HANG)
                connection.chunk(b"")
            case _:
                await connection.send(status, body, form)

    async def _pour(self, connection: Connection) -> None:
        """Send far more than is taken, as long as it is."""
        connection.open(200, {"content-type": "application/json", "content-length": str(LARGE)})
        for _ in range(LARGE // 100_000):
            if connection.gone:
                return
            connection.write(b" " * 100_000)
            await connection.drain()
