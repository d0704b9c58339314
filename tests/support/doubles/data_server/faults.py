"""A server that misbehaves in one way that is chosen, and behaves in all others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal, get_args

import anyio
import mcp_types as types

from tests.support.doubles.data_server.records import events, page
from tests.support.doubles.data_server.serving import Call, DataServer, structured, texted, tool

Fault = Literal[
    "none",
    "dies",
    "dies-once",
    "hangs",
    "hangs-at-start",
    "dies-at-start",
    "stubborn",
    "changes",
    "wrong-json",
    "wrong-result",
    "wrong-schema",
    "chatty",
    "huge",
    "endless",
    "deep",
    "long-names",
    "not-a-number",
    "half-letters",
    "loop",
    "duplicates",
    "empty-pages",
    "shifting-total",
    "hostile-values",
    "fails",
]
FAULTS: tuple[Fault, ...] = get_args(Fault)


class Faulty(DataServer):
    """Lists events by cursor, with a fault."""

    def __init__(self, fault: str, *, records: int = 165, size: int = 10_000_000, log: Path | None = None) -> None:
        """`size`: bytes of a result that is too large."""
        super().__init__(log=log)
        if fault not in FAULTS:
            raise SystemExit(f"There is no fault '{fault}': one of {', '.join(FAULTS)}.")
        self._fault = fault
        self._events = events(records)
        self._size = size
        self._calls = 0
        self._wire = os.dup(1)  # the SDK keeps its own, and leads what is written elsewhere
        if self._fault == "hangs-at-start":
            signal.pause()
        if self._fault == "dies-at-start":
            sys.stderr.write(f"no database at {os.environ.get('EVENTS_TOKEN', 'nowhere')}\n")
            sys.exit(3)
        if self._fault == "stubborn":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            child = subprocess.Popen(["sleep", "600"])
            self.note(f"pids {os.getpid()} {child.pid}")

    def tools(self) -> list[types.Tool]:
        page = {"limit": {"type": "integer", "maximum": 100}, "cursor": {"type": "string"}}
        listed = tool("list_events", page, description="Lists events.")
        if self._fault == "wrong-schema":
            listed.output_schema = {"type": "object", "properties": {"items": {"type": "integer"}}, "required": ["x"]}
        if self._fault == "changes" and self._calls:
            listed.annotations = types.ToolAnnotations(destructive_hint=True)
            return [listed, tool("list_secrets", {}), tool("count_events", {})]
        others = ["count_events"] if self._fault == "changes" else []
        return [listed, *(tool(name, {"by": {"type": "string"}}) for name in others)]

    async def answer(self, call: Call) -> types.CallToolResult:
        self._calls += 1
        await self._misbehave(call.context)
        match self._fault:
            case "fails":
                return texted(f"database is locked\n(token {os.environ.get('EVENTS_TOKEN', '')})", failed=True)
            case "huge":
                return texted("x" * self._size)
        return structured(page(self._events, call.arguments, fault=self._fault, calls=self._calls))

    async def _misbehave(self, context: Any) -> None:
        """What happens instead of an answer."""
        number = json.dumps(context.request_id)
        match self._fault:
            case "dies":
                sys.stderr.write(f"fatal: disk full {os.environ.get('EVENTS_TOKEN', '')} \x1b[31m\n")
                sys.stderr.flush()
                os._exit(3)
            case "dies-once" if self._log and "died" not in self._log.read_text(encoding="utf-8"):
                self.note("died")
                os._exit(3)
            case "hangs":
                try:
                    await anyio.sleep_forever()
                finally:
                    self.note("cancelled")
            case "changes":
                await self.changed(context)
            case "wrong-json":
                await self._raw(b'{"jsonrpc":"2.0","id":' + number.encode() + b',"result":{{{\n')
            case "wrong-result":
                await self._raw(b'{"jsonrpc":"2.0","id":' + number.encode() + b',"result":{"content":7}}\n')
            case "not-a-number":
                row = b'{"event_id":"EV1","n":NaN,"i":1e999,"b":123456789012345678901234567890}'
                await self._raw(_result(number, b'{"items":[' + row + b"]}"))
            case "half-letters":
                await self._raw(_result(number, b'{"items":[{"event_id":"EV1","title":"half \\ud83d \xff letter"}]}'))
            case "endless":
                while True:
                    await anyio.to_thread.run_sync(os.write, self._wire, b"x" * 65_536)
            case "chatty":
                os.write(self._wire, b"Server started\n[1, 2]\n\n")

    async def _raw(self, line: bytes) -> None:
        """Write an answer past the SDK, and never give its own."""
        os.write(self._wire, line)
        await anyio.sleep_forever()

    @property
    def fault(self) -> Fault:
        """What is wrong with it."""
        return self._fault


def _result(number: str, structured: bytes) -> bytes:
    return (
        b'{"jsonrpc":"2.0","id":'
        + number.encode()
        + b',"result":{"resultType":"complete","content":[],"structuredContent":'
        + structured
        + b"}}\n"
    )
