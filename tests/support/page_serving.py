"""`fathom serve` in a process of its own, and viewers who follow its sessions over real sockets."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

SERVE = ("-m", "fathom", "serve")
PATIENCE = 60.0
ENDED = frozenset({"completed", "partial", "failed"})


class Service:
    """The server on a home of its own. It may be killed, and started again on the same port."""

    def __init__(
        self, home: Path, *, environment: Mapping[str, str] | None = None, serve: Sequence[str] = SERVE
    ) -> None:
        self.home = home
        self.port = _free_port()
        self.log = home / "serve.log"
        self._environment = {**os.environ, "FATHOM_HOME": str(home), **(environment or {})}
        self._serve = serve
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """Of the process that serves."""
        assert self._process is not None
        return self._process.pid

    def fathom(self, *arguments: str | Path) -> str:
        """What a command says that is given on the same home, which must end well."""
        command = [sys.executable, "-m", "fathom", *map(str, arguments)]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self, *arguments: str) -> Service:
        """Serve, and return when it answers."""
        self.home.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, *self._serve, "--port", str(self.port), *arguments]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command, env=self._environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                break
            try:
                httpx.get(f"{self.url}/api/health", trust_env=False, timeout=5)
                return self
            except httpx.TransportError:
                time.sleep(0.05)
        self.kill()
        raise RuntimeError(f"it does not serve:\n{self.log.read_text(encoding='utf-8')}")

    def kill(self) -> None:
        """`kill -9`."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """End it as an operator does; returns its exit code."""
        return self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> int:
        assert self._process is not None
        if self._process.poll() is None:
            self._process.send_signal(how)
        try:
            return self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise

    @property
    def memory(self) -> int:
        """Resident size in bytes."""
        fields = Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()
        return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")

    def client(self, **options: Any) -> httpx.AsyncClient:
        """Speaks to it."""
        return httpx.AsyncClient(base_url=self.url, trust_env=False, timeout=PATIENCE, **options)


def _free_port() -> int:
    """A port that no other server is given while this one is dead: systems hand out higher ones."""
    while True:
        with socket.socket() as tried, suppress(OSError):
            tried.bind(("127.0.0.1", random.randrange(20_000, 32_000)))
            return int(tried.getsockname()[1])


async def ask(client: httpx.AsyncClient, query: str, **config: Any) -> str:
    """Begin a session; returns its id."""
    answer = await client.post("/api/research/sessions", json={"query": query, "config": config})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def ended(client: httpx.AsyncClient, *ids: str) -> list[dict[str, Any]]:
    """The sessions, once none of them is under way; a server that is away is waited for."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            sessions = [(await client.get(f"/api/research/sessions/{id}")).json() for id in ids]
        except httpx.TransportError:
            sessions = []
        if sessions and all(session["status"] in ENDED for session in sessions):
            return sessions
        assert time.monotonic() < deadline, [session.get("status") for session in sessions]
        await asyncio.sleep(0.1)


@dataclass
class Viewer:
    """Follows a session as an EventSource does: it comes back after every break, and says what it has seen."""

    id: str
    """The session."""
    seen: list[int] = field(default_factory=list)
    """Numbers of the events, in the order of their arrival."""
    kinds: list[str] = field(default_factory=list)
    end: str | None = None
    """The status that the last frame told."""
    breaks: int = 0
    """How often the connection was lost."""
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once an event was seen."""

    async def follow(self, client: httpx.AsyncClient) -> Viewer:
        """Follow it to its end."""
        deadline = time.monotonic() + PATIENCE
        while self.end is None:
            assert time.monotonic() < deadline, f"{self.id}: {len(self.seen)} events and no end"
            headers = {"last-event-id": str(self.seen[-1])} if self.seen else {}
            try:
                path = f"/api/research/sessions/{self.id}/events"
                async with client.stream("GET", path, headers=headers) as answer:
                    if answer.status_code == 204:
                        self.end = "gone quiet"
                        break
                    assert answer.status_code == 200, answer.status_code
                    assert answer.headers["content-type"].startswith("text/event-stream")
                    await self._read(answer)
            except httpx.TransportError:
                self.breaks += 1
                await asyncio.sleep(0.1)
        return self

    async def _read(self, answer: httpx.Response) -> None:
        frame: dict[str, str] = {}
        async for line in answer.aiter_lines():
            if line:
                name, _, value = line.partition(":")
                frame[name] = value.removeprefix(" ")
                continue
            if frame.get("event") == "end":
                self.end = json.loads(frame["data"])["status"]
            elif "data" in frame:
                stored = json.loads(frame["data"])
                assert frame["id"] == str(stored["seq"])
                assert frame["event"] == stored["event"]["kind"]
                self.seen.append(stored["seq"])
                self.kinds.append(stored["event"]["kind"])
                self.begun.set()
            frame = {}

    @property
    def missed_nothing(self) -> bool:
        """Whether each number was seen, once, in order."""
        return self.seen == list(range(1, len(self.seen) + 1))
