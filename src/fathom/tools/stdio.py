"""A server that we start, over its standard input and output.

The SDK has a transport of its own; ours bounds what one message may take, answers a call at once whose answer cannot be
read, keeps what the server complains of off the terminal, and leaves no process behind.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import json
import os
import signal
import sys
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage

from fathom.errors import ConfigurationError, MalformedReply, ProviderError, ResultTooLarge
from fathom.tools.access import Access
from fathom.tools.failures import Failures
from fathom.tools.lines import ByteLine, ByteLines

_CHUNK = 1 << 16
_FLOOD = 20
"""A message of that many times what is allowed ends the connection."""
_GRACE = 2.0
"""Seconds for a server to end when its input has ended."""
_USAGE = 2
"""What our own server exits with when it cannot read its files."""
_TERM_GRACE = 0.5
"""Seconds for it to end when it is told to."""
_LAST_WORDS = 20
"""Lines of its standard error that are kept."""

_groups: set[int] = set()
"""Process groups that are alive."""


class StdioServer:
    """One life of a server as a process of ours."""

    def __init__(self, access: Access, failures: Failures, *, max_bytes: int) -> None:
        self._access = access
        self._failures = failures
        self._max_bytes = max_bytes
        self._asked: set[int] = set()
        self._words: deque[str] = deque(maxlen=_LAST_WORDS)
        self._process: asyncio.subprocess.Process | None = None

    @property
    def last_words(self) -> str:
        """How it ended and what it complained of last, for a message; empty while it runs."""
        code = self._process.returncode if self._process else None
        if code is None:
            return ""
        words = next((line for line in reversed(self._words) if line), "")
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"{how}: {words}" if words else how

    @property
    def refusal(self) -> str:
        """What our own server has refused its files for, in its one line; empty when it was not that."""
        refused = self._process is not None and self._process.returncode == _USAGE
        words = next((line for line in reversed(self._words) if line), "")
        return words.removeprefix("fathom: ") if refused else ""

    @contextlib.asynccontextmanager
    async def connected(self) -> AsyncIterator[Any]:
        """Start it, and end it with all that it has started; the streams are those of a transport of the SDK.

        Raises:
            ConfigurationError: it cannot be started.
        """
        self._process = process = await self._started()
        incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        tasks = [
            asyncio.create_task(self._listen(process, incoming)),
            asyncio.create_task(self._complaints(process)),
            asyncio.create_task(self._talk(process, outgoing, incoming)),
        ]
        try:
            yield read, write
        finally:
            for stream in (read, write, incoming, outgoing):
                stream.close()
            with anyio.CancelScope(shield=True):
                await _end(process)
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _started(self) -> asyncio.subprocess.Process:
        try:
            process = await asyncio.create_subprocess_exec(
                *self._access.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env={**get_default_environment(), **self._access.env},
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "it holds what no command can hold"
            name = self._access.told(self._access.command[0], width=100)
            raise ConfigurationError(f"{self._access.who} cannot be started: '{name}': {why}.") from error
        _groups.add(process.pid)
        return process

    async def _listen(
        self, process: asyncio.subprocess.Process, incoming: MemoryObjectSendStream[SessionMessage | Exception]
    ) -> None:
        assert process.stdout
        lines = ByteLines(self._max_bytes)
        with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, ConnectionError):
            async with incoming:
                while chunk := await process.stdout.read(_CHUNK):
                    for line in lines.feed(chunk):
                        for message in self._messages(line):
                            await incoming.send(SessionMessage(message))
                    if lines.size > _FLOOD * self._max_bytes:  # it will not stop
                        for message in self._messages(ByteLine(b"", b"", is_whole=False)):
                            await incoming.send(SessionMessage(message))
                        return
                await _has_ended(process, 1.0)  # so that how it ended can be told

    async def _complaints(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr
        lines = ByteLines(1_000)
        with contextlib.suppress(ConnectionError):
            while chunk := await process.stderr.read(_CHUNK):
                for line in lines.feed(chunk):
                    self._words.append(self._access.told(line.start.decode("utf-8", "replace")))

    async def _talk(
        self,
        process: asyncio.subprocess.Process,
        outgoing: MemoryObjectReceiveStream[SessionMessage],
        incoming: MemoryObjectSendStream[SessionMessage | Exception],
    ) -> None:
        assert process.stdin
        try:
            async with outgoing:
                async for each in outgoing:
                    self._note(each.message)
                    process.stdin.write(
                        each.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
                    )
                    await process.stdin.drain()
        finally:
            await incoming.aclose()  # so that calls end, and do not wait for what cannot come

    def _note(self, message: Any) -> None:
        """Know which requests have no answer yet."""
        if isinstance(message, types.JSONRPCRequest) and isinstance(message.id, int):
            self._asked.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._asked.discard((message.params or {}).get("requestId", -1))

    def _messages(self, line: ByteLine) -> list[Any]:
        """What a line says: a message, nothing, or the failure of the call that it should have answered."""
        who = self._access.who
        if not line.is_whole:
            most = f"{self._max_bytes:,} bytes"
            return self._failed(
                line, ResultTooLarge(f"A result of {who[0].lower()}{who[1:]} has over {most}: ask for less.")
            )
        if not line.start.lstrip().startswith(b"{"):
            return []  # what a careless program prints
        try:
            message = _parsed(line.start)
        except (ValueError, RecursionError):
            return self._failed(line, MalformedReply(f"{who} has sent what is no message of the protocol: try again."))
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) and isinstance(message.id, int):
            self._asked.discard(message.id)
        return [message]

    def _failed(self, line: ByteLine, error: ProviderError) -> list[Any]:
        answered = line.answers
        lost = {answered} if answered in self._asked else set(self._asked)  # whose it was nobody can tell
        self._asked -= lost
        return [
            types.JSONRPCError(
                jsonrpc="2.0",
                id=number,
                error=types.ErrorData(code=types.INTERNAL_ERROR, message=self._failures.note(error)),
            )
            for number in lost
        ]


def _parsed(line: bytes) -> Any:
    try:
        return types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:  # half of a pair, or bytes that are no text: cleaned later, where they stand
        return types.jsonrpc_message_adapter.validate_python(json.loads(line.decode("utf-8", "replace")), by_name=False)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Let it end by itself, tell it to, and end it and what it has started."""
    assert process.stdin
    try:
        with contextlib.suppress(OSError):
            process.stdin.close()
        if not await _has_ended(process, _GRACE):
            _signal(process, signal.SIGTERM)
            await _has_ended(process, _TERM_GRACE)
    finally:  # also when whoever waits for it is broken off
        _kill(process.pid)
        try:
            await _has_ended(process, _GRACE)
        finally:
            transport = getattr(process, "_transport", None)
            if transport is not None:  # what has left the group may hold a pipe open for ever
                transport.close()
            _groups.discard(process.pid)


async def _has_ended(process: asyncio.subprocess.Process, seconds: float) -> bool:
    """Whether it ends in time; `wait` would also wait for whoever has inherited its output."""
    deadline = asyncio.get_running_loop().time() + seconds
    while process.returncode is None:
        if asyncio.get_running_loop().time() >= deadline:
            return False
        await asyncio.sleep(0.01)
    return True


def _signal(process: asyncio.subprocess.Process, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.terminate()
        else:
            os.killpg(process.pid, number)


def _kill(group: int) -> None:
    """Kill what is left of a group, whose number is that of its first process."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            os.kill(group, signal.SIGTERM)
        else:
            os.killpg(group, signal.SIGKILL)


@atexit.register
def kill_all() -> None:
    """End what is still running, with all that it has started."""
    for group in list(_groups):
        _kill(group)
