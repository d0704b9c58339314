"""A server of the tests: on this machine, in a thread of its own, as long as a block lasts."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TextIO

from fathom.errors import ConfigurationError, FathomError

if TYPE_CHECKING:
    from fathom_testing.model_server.http import Asked, Connection


@contextmanager
def program(name: str) -> Iterator[None]:
    """A server as a program: what is printed in the block is told, and it serves from there until it is interrupted."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        yield
    except KeyboardInterrupt:
        return
    except FathomError as error:
        sys.exit(f"{name}: {error}")


class LogFile:
    """What a server logs, a line of JSON for each request, when it has a file for that."""

    def __init__(self, path: Path | None = None) -> None:
        """Add to what the file holds.

        Raises:
            ConfigurationError: the file cannot be written.
        """
        try:
            self._file: TextIO | None = path.open("a", encoding="utf-8") if path else None
        except OSError as error:
            raise ConfigurationError(f"The log {path} cannot be written: {error}.") from error

    def write(self, line: dict[str, Any]) -> None:
        """Add a request that began and ended at so many seconds."""
        if self._file:
            line |= {"start": round(line["start"], 4), "end": round(line["end"], 4)}
            self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
            self._file.flush()

    def close(self) -> None:
        """Let go of the file."""
        if self._file:
            self._file.close()


class LocalServer(ABC):
    """Listens on 127.0.0.1 from the beginning of a `with` block to its end, and answers what it is asked."""

    def __init__(self, *, port: int = 0) -> None:
        """`port` 0 takes one that is free."""
        self._port = port
        self._tasks: set[asyncio.Task[Any]] = set()
        self._ready = threading.Event()
        self._failure: OSError | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._held = ExitStack()
        """What is closed with it, or when it cannot start."""
        name = type(self).__name__
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), name=name, daemon=True)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return self._port

    @abstractmethod
    async def _respond(self, connection: Connection, asked: Asked) -> None:
        """Answer a request."""

    def __enter__(self) -> Self:
        """Start to listen.

        Raises:
            ConfigurationError: the port is taken.
        """
        self._thread.start()
        self._ready.wait()
        if self._failure:
            self._held.close()
            raise ConfigurationError(f"The port {self._port} cannot be used: {self._failure}.") from self._failure
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        self._held.close()

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._began = time.monotonic()
        try:
            server = await asyncio.start_server(self._accept, "127.0.0.1", self._port, backlog=512, limit=2**20)
        except OSError as error:
            self._failure = error
            self._ready.set()
            return
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from fathom_testing.model_server.http import Connection  # its package has a server of this kind

        task = asyncio.get_running_loop().create_task(self._serve(Connection(reader, writer)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, connection: Connection) -> None:
        """Answer the requests of a connection, one after the other."""
        try:
            while asked := await connection.read():
                await self._respond(connection, asked)
        except ValueError:
            await connection.send(400, b"")
        finally:
            connection.close()
