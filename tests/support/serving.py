"""A real server for tests: real sockets, a real home, real documents and a real worker."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI

from fathom import wiring
from fathom.api.answering import HttpServer
from fathom.api.app import create_app
from fathom.sessions.datasets import ServedDataset
from fathom.sessions.worker import Worker
from fathom.settings import Settings, load_settings

NOTES = {
    "engines.md": "# Engines\n\nThe analytical engine was designed by Charles Babbage in 1837. It was never built. "
    "Ada Lovelace wrote the first program for it in 1843.\n\n## Parts\n\nIt had a mill, which computed, and a store, "
    "which held numbers of fifty digits. The difference engine came before it and could only add.\n",
    "looms.md": "# Looms\n\nThe Jacquard loom was shown in 1804. It reads cards with holes, and each card sets one row "
    "of the pattern. Babbage took the cards for his analytical engine from the Jacquard loom.\n",
}
QUESTION = "Who designed the analytical engine, and where did its cards come from?"
SESSIONS = "/api/research/sessions"


@dataclass
class Served:
    """A server under way."""

    url: str
    """Its address, without a slash at the end."""
    settings: Settings
    app: FastAPI
    fathom: wiring.Fathom
    worker: Worker | None
    loop: asyncio.AbstractEventLoop
    client: httpx.Client
    """A client of it, open for as long as the server."""

    def run(self, work: Any) -> Any:
        """The result of a coroutine in the server's own loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(30)

    def ask(self, query: str = QUESTION, **config: Any) -> str:
        """The id of a new session."""
        reply = self.client.post(SESSIONS, json={"query": query, "config": {"effort": "quick", **config}})
        assert reply.status_code == 201, reply.text
        return str(reply.json()["id"])

    def session(self, id: str) -> dict[str, Any]:
        """A session as the API tells it."""
        reply = self.client.get(f"{SESSIONS}/{id}")
        assert reply.status_code == 200, reply.text
        told: dict[str, Any] = reply.json()
        return told

    def ended(self, id: str) -> dict[str, Any]:
        """A session once it has ended: its stream says when."""
        with self.client.stream("GET", f"{SESSIONS}/{id}/events", timeout=60) as reply:
            for _ in reply.iter_lines():
                pass
        return self.session(id)


def home_with_notes(home: Path, notes: dict[str, str] = NOTES) -> Settings:
    """Settings whose knowledge base holds the notes."""
    folder = home / "notes"
    folder.mkdir(parents=True)
    for name, text in notes.items():
        (folder / name).write_text(text, encoding="utf-8")
    settings = load_settings(home=home / "home")

    async def ingest() -> None:
        async with wiring.opened_knowledge(settings) as knowledge:
            await knowledge.ingest([folder])

    asyncio.run(ingest())
    return settings


@contextmanager
def served(
    settings: Settings,
    *,
    datasets: Sequence[ServedDataset] = (),
    access: Callable[[FastAPI], None] | None = None,
    with_worker: bool = True,
    headers: dict[str, str] | None = None,
) -> Iterator[Served]:
    """A server on a free port, with a worker of its own, until the end of the block."""
    begun: list[Served] = []
    ready = threading.Event()
    servers: list[HttpServer] = []
    trouble: list[BaseException] = []
    listener = socket.socket(proto=socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(100)  # whoever comes too early waits
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    client = httpx.Client(base_url=url, headers=headers, timeout=30)

    async def work() -> None:
        async with wiring.Fathom(settings) as fathom:
            worker = Worker(fathom, most=4) if with_worker else None
            app = create_app(fathom, worker=worker, datasets=datasets, access=access)
            server = HttpServer(app, lambda: None, lifespan="off")
            server.capture_signals = _no_signals  # type: ignore[method-assign]  # this is no main thread
            servers.append(server)
            task = asyncio.create_task(worker.run()) if worker else None
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            begun.append(Served(url, settings, app, fathom, worker, asyncio.get_running_loop(), client))
            ready.set()
            try:
                await serving
            finally:
                if task is not None:
                    task.cancel()
                    await asyncio.gather(task, return_exceptions=True)

    def run() -> None:
        try:
            asyncio.run(work())
        except BaseException as error:
            trouble.append(error)
            raise
        finally:
            ready.set()

    thread = threading.Thread(target=run, name="served", daemon=True)
    thread.start()
    ready.wait(30)
    if trouble:
        raise trouble[0]
    try:
        yield begun[0]
    finally:
        client.close()
        servers[0].should_exit = True
        servers[0].force_exit = True  # a stream that nobody ends is broken off
        thread.join(30)
        listener.close()


@contextmanager
def _no_signals() -> Iterator[None]:
    yield


ID = "run_01m8qz4bnk7d"


def wait_for(look: Callable[[], Any]) -> Any:
    """What is looked for, once it is there; pytest's own limit ends it otherwise."""
    for _ in range(4_000):
        if found := look():
            return found
        time.sleep(0.005)
    raise AssertionError("it never came to that")
