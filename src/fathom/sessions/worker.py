"""A worker: takes runs out of the queue, several at once, and carries each to its report."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket

from fathom import wiring
from fathom.errors import FathomError, Fenced, NotFound
from fathom.events import Failed
from fathom.ports import RunRecord

LEASE_SECONDS = 10.0
"""How long a run stays a worker's that no longer renews: what a crash costs before another goes on."""
RENEW_SECONDS = 1.0
"""How often leases are renewed, requests to stop are heard, and the queue is looked into."""

FAULT = "A fault in Fathom has ended it: the log of the service tells more."

log = logging.getLogger(__name__)


class Worker:
    """Carries out what waits, at most `most` runs at once, until it is told to end.

    What it holds in memory is only what is under way: when it is killed, the leases run out, and the next worker goes
    on where the journals end.
    """

    def __init__(self, resources: wiring.Resources, *, most: int, name: str = "") -> None:
        self.name = name or f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(3)}"
        self._resources = resources
        self._most = most
        self._news = asyncio.Event()
        self._streams: dict[str, wiring.RunStream] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @property
    def running(self) -> int:
        """Runs under way."""
        return len(self._tasks)

    def wake(self) -> None:
        """Look at once: something waits, or shall stop."""
        self._news.set()

    async def run(self) -> None:
        """Work until the task is cancelled; what is under way is then broken off, for another worker to go on with."""
        try:
            while True:
                self._news.clear()
                await self._renew()
                await self._take()
                try:
                    await asyncio.wait_for(self._news.wait(), RENEW_SECONDS)
                except TimeoutError:
                    continue
        finally:
            for task in self._tasks.values():
                task.cancel()
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)
            await self._resources.queue.let_go(self.name)

    async def _renew(self) -> None:
        """Hold on to what is under way, and hear who shall stop."""
        if not self._tasks:
            return
        held = {lease.run_id: lease for lease in await self._resources.queue.renew(self.name, seconds=LEASE_SECONDS)}
        for run_id, stream in self._streams.items():
            lease = held.get(run_id)
            if lease is None:  # deleted, or another worker has it
                self._tasks[run_id].cancel()
            elif lease.stop_requested:
                stream.stop()

    async def _take(self) -> None:
        while len(self._tasks) < self._most:
            run = await self._resources.queue.claim(self.name, seconds=LEASE_SECONDS)
            if run is None:
                return
            task = asyncio.create_task(self._carry_out(run), name=run.run_id)
            self._tasks[run.run_id] = task
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        del self._tasks[task.get_name()]
        self._streams.pop(task.get_name(), None)
        self.wake()

    async def _carry_out(self, run: RunRecord) -> None:
        extra = {"session": run.run_id}
        log.info("session taken up", extra=extra)
        try:
            stream = wiring.carry_out(run, self._resources)
            async with stream as under_way:
                self._streams[run.run_id] = under_way
                report = await under_way.report()
            log.info("session ended: %s", report.partial or "completed", extra=extra)
        except (Fenced, NotFound) as error:  # somebody else has it, or it is gone
            log.info("session given up: %s", error, extra=extra)
        except FathomError as error:
            log.warning("session failed: %s", error, extra=extra)
            await self._fail(run.run_id, error)
        except Exception:
            log.exception("session failed by a fault of Fathom", extra=extra)
            await self._fail(run.run_id, FathomError(FAULT))
        await self._resources.queue.release(run.run_id, self.name, done=True)

    async def _fail(self, run_id: str, error: FathomError) -> None:
        """Say why there is no report, unless the engine has."""
        store = self._resources.store
        try:
            if (await store.run(run_id)).status == "failed":
                return
            fence = await store.acquire(run_id)
            await store.emit(run_id, Failed(error=str(error)), fence=fence)
            await store.update_run(run_id, fence=fence, status="failed", error=str(error), stop_requested=False)
        except NotFound:
            log.info("session is gone", extra={"session": run_id})
