"""Whoever looks on cannot hold a session up, nor make the server hold what they do not read."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from contextlib import ExitStack

from fathom import wiring
from fathom.events import SectionDrafted
from fathom.settings import load_settings
from fathom_testing.model_server import ModelServer
from tests.page.conftest import LATENCY
from tests.page.conftest import SLOW as SLOWLY
from tests.support.page_material import QUESTION
from tests.support.page_serving import PATIENCE, Service, Viewer, ask, ended

EVENTS = 300
TEXT = "The light of the lighthouse reaches far over the sea. " * 300
SLOW = 10
FENCE = 1
"""Of a session that no other worker has had."""
ROOM = 24_000_000
"""Bytes that the server may grow by. What the slow viewers do not read is more than ten times as much."""


async def test_a_viewer_who_never_reads_neither_slows_a_session_nor_grows_the_server(
    service: Service, waiting_model: ModelServer
) -> None:
    async with service.client() as client:
        waiting_model.latency = LATENCY
        await ended(client, await ask(client, QUESTION))  # what the first session imports is no growth
        waiting_model.latency = SLOWLY
        run_id = await ask(client, f"{QUESTION} Some look on and never read.")
        with ExitStack() as open_sockets:
            for _ in range(SLOW):
                _never_reading(open_sockets, service, run_id)
            viewer = Viewer(run_id)
            reading = asyncio.create_task(viewer.follow(client))
            await viewer.begun.wait()
            await _flood(service, run_id)
            await _seen(viewer, EVENTS)  # what one flood takes stays, and is no growth
            before = service.memory
            await _flood(service, run_id)
            await _seen(viewer, 2 * EVENTS)
            assert service.memory - before < ROOM, f"{(service.memory - before) / 1e6:.0f} MB"
            waiting_model.latency = LATENCY
            await reading
        (session,) = await ended(client, run_id)
        assert session["status"] == "completed"
        assert viewer.missed_nothing
        assert len(viewer.seen) == session["last_event"] > 2 * EVENTS


async def test_a_session_goes_on_when_every_viewer_leaves(service: Service) -> None:
    async with service.client() as client:
        run_id = await ask(client, f"{QUESTION} Nobody looks on.")
        async with client.stream("GET", f"/api/research/sessions/{run_id}/events") as answer:
            async for line in answer.aiter_lines():
                if line.startswith("data:") and json.loads(line[5:])["seq"] == 2:
                    break
        (session,) = await ended(client, run_id)
    assert session["status"] == "completed"


async def _seen(viewer: Viewer, events: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while len(viewer.seen) < events:
        assert time.monotonic() < deadline, f"{len(viewer.seen)} of {events} events"
        await asyncio.sleep(0.05)


def _never_reading(stack: ExitStack, service: Service, run_id: str) -> None:
    """A viewer who asks and then does nothing, with the smallest room for what comes that the system gives."""
    viewer = stack.enter_context(socket.socket())
    viewer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    viewer.connect(("127.0.0.1", service.port))
    host = f"Host: 127.0.0.1:{service.port}"
    viewer.sendall(f"GET /api/research/sessions/{run_id}/events HTTP/1.1\r\n{host}\r\n\r\n".encode())


async def _flood(service: Service, run_id: str) -> None:
    """Large events, put beside those of the session by another process: this one."""
    async with wiring.opened_store(load_settings(home=service.home)) as store:
        drafted = (SectionDrafted(heading=f"Part {number}", text=TEXT) for number in range(EVENTS))
        await asyncio.gather(*(store.emit(run_id, event, fence=FENCE) for event in drafted))
