"""The server: takes calls by every protocol, waits as long as a model would, and keeps a log."""

from __future__ import annotations

import asyncio
import json
import time
import traceback
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from fathom.outcomes import in_thread
from fathom_testing.local_server import LocalServer
from fathom_testing.model_server import mind, openai
from fathom_testing.model_server.faults import STATUSES, Rule, Script
from fathom_testing.model_server.http import Asked, Connection
from fathom_testing.model_server.listings import listing
from fathom_testing.model_server.log import Entry, Log
from fathom_testing.model_server.spoil import spoil
from fathom_testing.model_server.talk import Reply, Request, bounded
from fathom_testing.model_server.wires import BY_NAME, WIRES, Wire

MODEL = "fathom-test"
WINDOW = 131_072
_HANG = 3600.0
_SLOW = 5.0
_TICK = 0.004
"""Seconds; pieces of a stream that are due within them leave together."""
_TOLD = {
    "401": "Incorrect API key provided.",
    "429": "Rate limit reached for requests.",
    "500": "The server had an error while processing your request.",
    "503": "The model is loading.",
    "529": "Overloaded",
    "no_json_schema": "This model does not support response formats with a JSON schema (`response_format`).",
    "no_json_mode": "This model does not support the JSON mode (`response_format`).",
    "no_tools": "This model does not support tools.",
}


class ModelServer(LocalServer):
    """A model server on this machine, in a thread of its own; several may run at once.

    >>> with ModelServer() as server:
    ...     server.url.startswith("http://127.0.0.1:"), server.calls
    (True, [])
    """

    def __init__(
        self,
        *,
        port: int = 0,
        latency: float = 0.0,
        faults: Script | Iterable[Rule | dict[str, Any]] = (),
        models: Sequence[str] = (),
        window: int | None = None,
        api_key: str = "",
        log: Path | None = None,
        log_prompts: bool = False,
    ) -> None:
        """`latency` in seconds, which may be changed at any time, also of answers under way; `models` refuses others,
        `api_key` all other keys, `window` longer prompts.

        Raises:
            ConfigurationError: a rule is none, or the log cannot be written.
        """
        super().__init__(port=port)
        self.latency = latency
        self._script = faults if isinstance(faults, Script) else Script(faults)
        self._models = tuple(models)
        self._window = window
        self._api_key = api_key
        self._log = Log(log, prompts=log_prompts)
        self._held.callback(self._log.close)

    @property
    def url(self) -> str:
        """The address; OpenAI's clients want `/v1` behind it."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def entries(self) -> list[Entry]:
        """Every request so far, those in flight included."""
        return list(self._log.entries)

    @property
    def calls(self) -> list[Entry]:
        """Every request for an answer so far, those in flight included."""
        return [entry for entry in self._log.entries if entry.ask not in ("models", "embeddings", "")]

    async def _respond(self, connection: Connection, asked: Asked) -> None:
        entry = self._log.begin(self._now())
        wire = WIRES.get(asked.path) if asked.method == "POST" else None
        if wire is None:
            await self._list(connection, asked, entry)
        else:
            entry.protocol = wire.name
            await self._call(connection, asked, entry, wire)

    async def _list(self, connection: Connection, asked: Asked, entry: Entry) -> None:
        """Answer what takes no model."""
        if asked.method in ("GET", "HEAD") and asked.path == "/":
            self._finish(entry, 200)
            return await connection.send(200, b"", {"content-type": "text/plain"})
        try:
            found = listing(asked, self._models or (MODEL,), self._window or WINDOW)
        except ValueError as error:
            return await self._fail(connection, entry, openai, 400, str(error))
        if found is None:
            return await self._fail(connection, entry, openai, 404, f"There is no {asked.method} {asked.path}.")
        entry.protocol, entry.ask = found.protocol, found.ask
        wire = BY_NAME[found.protocol]
        rule = self._script.strike(found.protocol, found.ask, None)
        if not self._may(asked):
            return await self._fail(connection, entry, wire, 401, _TOLD["401"])
        if rule and not await self._struck(connection, entry, wire, rule):
            return None
        if found.body is None:
            return await self._fail(connection, entry, wire, 404, "There is no such model.")
        self._finish(entry, 200)
        return await connection.send(200, json.dumps(found.body).encode())

    async def _call(self, connection: Connection, asked: Asked, entry: Entry, wire: Wire) -> None:
        """Answer as a model would, or as the script has it."""
        try:
            request = wire.parse(asked.json())
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            entry.ask = "text"
            return await self._fail(connection, entry, wire, 400, f"The body is no call: {error!r}.")
        entry.ask, entry.model, entry.streamed = mind.ask_of(request), request.model, request.streamed
        entry.messages, entry.prompt_tokens = len(request.messages), request.prompt_tokens
        self._log.show(entry, [message.text for message in request.messages])
        if not self._may(asked):
            return await self._fail(connection, entry, wire, 401, _TOLD["401"])
        if self._models and request.model not in self._models:
            return await self._fail(connection, entry, wire, 404, f"The model '{request.model}' does not exist.")
        rule = self._script.strike(wire.name, entry.ask, request)
        if rule is None and self._window is not None:
            rule = self._overlong(request)
        if rule and not await self._struck(connection, entry, wire, rule):
            return None
        thinking = asyncio.ensure_future(in_thread(mind.reply, request))
        await asyncio.wait([thinking])
        if failure := thinking.exception():
            last = traceback.extract_tb(failure.__traceback__)[-1]
            entry.error = f"{type(failure).__name__}: {failure} ({Path(last.filename).name}:{last.lineno})"
            return await self._fail(connection, entry, wire, 500, f"The answerer of {entry.ask} failed: {entry.error}")
        reply = thinking.result()
        reply = bounded(spoil(request, reply, rule) if rule else reply, request.max_tokens)
        entry.completion_tokens = reply.completion_tokens
        return await self._tell(connection, entry, wire, request, reply, rule)

    async def _struck(self, connection: Connection, entry: Entry, wire: Wire, rule: Rule) -> bool:
        """Let the rule's fault befall the connection; whether there is an answer to be told nevertheless."""
        entry.fault = rule.fault
        if rule.fault in STATUSES:
            wait = {} if rule.retry_after is None else {"retry-after": f"{rule.retry_after:g}"}
            await self._fail(connection, entry, wire, int(rule.fault), _TOLD[rule.fault], headers=wait)
        elif rule.fault == "context_too_long":
            told = f"prompt is too long: {entry.prompt_tokens} tokens > {rule.window} maximum context length"
            await self._fail(connection, entry, wire, 400, told, code="context_length_exceeded")
        elif rule.fault in _TOLD:
            await self._fail(connection, entry, wire, 400, _TOLD[rule.fault])
        elif rule.fault == "timeout":
            await connection.wait(_HANG if rule.seconds is None else rule.seconds)
            self._finish(entry, 0)
            connection.close()
        elif rule.fault == "reset":
            await connection.wait(self.latency)
            self._finish(entry, 0)
            connection.reset()
        else:
            return True
        return False

    async def _tell(
        self, connection: Connection, entry: Entry, wire: Wire, request: Request, reply: Reply, rule: Rule | None
    ) -> None:
        """Write the answer when it is due, or as far as the script lets it come."""
        fault = rule.fault if rule else ""
        seconds = rule.seconds if rule else None
        more = (_SLOW if seconds is None else seconds) if fault == "slow" else 0

        def left(share: float = 1.0) -> float:
            return entry.start + (self.latency + more) * share - self._now()

        if request.streamed:
            parts = list(wire.stream(request, reply))
            head = {"content-type": wire.content_type, "transfer-encoding": "chunked", "cache-control": "no-cache"}
        else:
            body = json.dumps(wire.whole(request, reply), ensure_ascii=False).encode()
            parts = [body[: len(body) // 2], body[len(body) // 2 :]]
            head = {"content-type": "application/json", "content-length": str(len(body))}
            await connection.wait_out(left)
        broken = fault in ("cut_stream", "stall_stream")
        count = len(parts)
        connection.open(200, head)
        for index, part in enumerate(parts[: count // 2] if broken else parts):
            share = (index + 1) / count
            if left(share) > _TICK:
                await connection.drain()
                await connection.wait_out(partial(left, share))
            if index + 1 == count:
                self._finish(entry, 499 if connection.gone else 200)
            (connection.chunk if request.streamed else connection.write)(part)
        if broken:
            await connection.drain()
            await connection.wait((_HANG if seconds is None else seconds) if fault == "stall_stream" else 0)
            self._finish(entry, 200)
            return connection.close()
        if request.streamed:
            connection.chunk(b"")
        return await connection.drain()

    async def _fail(
        self,
        connection: Connection,
        entry: Entry,
        wire: Wire,
        status: int,
        message: str,
        *,
        code: str = "",
        headers: dict[str, str] | None = None,
    ) -> None:
        entry.error = entry.error or ("" if entry.fault else message)
        self._finish(entry, status)
        await connection.send(status, json.dumps(wire.error(status, message, code)).encode(), headers)

    def _may(self, asked: Asked) -> bool:
        given = asked.headers.get("x-api-key") or asked.headers.get("authorization", "").removeprefix("Bearer ")
        return not self._api_key or given == self._api_key

    def _overlong(self, request: Request) -> Rule | None:
        window = self._window or 0
        return Rule(fault="context_too_long", window=window) if request.prompt_tokens > window else None

    def _finish(self, entry: Entry, status: int) -> None:
        """Complete the entry, before the client has the last of the answer."""
        self._log.end(entry, status, self._now())

    def _now(self) -> float:
        return time.monotonic() - self._began
