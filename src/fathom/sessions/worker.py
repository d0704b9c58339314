"""A worker: takes runs out of the queue, several at once, and carries each to its report."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
from contextlib import suppress

from fathom import wiring
from fathom.errors import Conflict, FathomError, Fenced, NotFound, StoreError
from fathom.events import Failed
from fathom.ports import RunRecord

LEASE_SECONDS = 10.0
"""How long a run stays a worker's that no longer renews: what a crash costs at most before another goes on."""
RENEW_SECONDS = 1.0
"""How often leases are renewed, requests to stop are heard, and the queue is looked into."""
PAUSE_SECONDS = 5.0
"""How long a run waits when the store has failed it; twice as long each time."""
LONGEST_PAUSE_SECONDS = 300.0
"""It never waits longer."""
MOST_WAITING = 100
"""Runs in the hands of a worker at once, those that wait for an approval included."""
LEAVE_SECONDS = 1.5
"""How long what is under way may take to break off when the worker ends."""

FAULT = "A fault in Fathom has ended it: the log of the service tells more."
CANCELLED = "It was cancelled before it had begun: resume it to have it carried out."

log = logging.getLogger(__name__)


class _UnderWay:
    """A run in the worker's hands."""

    def __init__(self, task: asyncio.Task[None], *, has_begun: bool) -> None:
        """`has_begun` says whether an earlier worker has left something of it, to write a report from."""
        self.task = task
        self._has_begun = has_begun
        self.stream: wiring.RunStream | None = None
        """`None` while what it needs is opened."""
        self.is_stopped = False
        """Whether somebody has asked it to finish early."""
        self.waits = False
        """Whether it waits for its person to approve something."""

    def stop(self) -> None:
        """Finish early; before it has begun, break off."""
        if self.stream is not None:
            self.stream.stop()
        elif not self.is_stopped and not self._has_begun:
            self.task.cancel()
        self.is_stopped = True


class Worker:
    """Carries out what is queued, at most `most` runs at once beside those that wait for an approval, until it is told
    to end.

    What it holds in memory is only what is under way: when it is killed, its leases run out, and the next worker goes
    on where the journals end.
    """

    def __init__(self, fathom: wiring.Fathom, *, most: int, name: str = "") -> None:
        self.name = name or f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(8)}"
        self._fathom = fathom
        self._most = most
        self._news = asyncio.Event()
        self._under_way: dict[str, _UnderWay] = {}
        self._pauses: dict[str, float] = {}
        """Of runs that the store has failed, how long they have waited last."""
        self._is_ending = False

    @property
    def running(self) -> int:
        """Runs under way."""
        return len(self._under_way)

    def wake(self) -> None:
        """Look at once: something waits, or shall stop."""
        self._news.set()

    async def run(self) -> None:
        """Work until the task is cancelled; what is under way is then broken off, for another worker to go on with."""
        trouble = ""
        try:
            while True:
                self._news.clear()
                try:
                    await self._renew()
                    await self._take()
                    trouble = ""
                except StoreError as error:
                    if str(error) != trouble:  # once, however long it lasts
                        log.warning("no session can be taken up: %s", error)
                    trouble = str(error)
                with suppress(TimeoutError):
                    async with asyncio.timeout(RENEW_SECONDS):
                        await self._news.wait()
        finally:
            await self._leave()

    async def _leave(self) -> None:
        self._is_ending = True
        tasks = [each.task for each in self._under_way.values()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=LEAVE_SECONDS)  # whoever goes on fences off what has not ended by then
        try:
            await self._fathom.queue.let_go(self.name)
        except StoreError as error:
            log.warning("the sessions under way wait until their leases run out: %s", error)

    async def _renew(self) -> None:
        """Hold on to what is under way, and hear who shall stop."""
        if not self._under_way:
            return
        held = {lease.run_id: lease for lease in await self._fathom.queue.renew(self.name, seconds=LEASE_SECONDS)}
        for run_id, under_way in self._under_way.items():
            lease = held.pop(run_id, None)
            if lease is None:  # deleted, or somebody else has it
                under_way.task.cancel()
                continue
            under_way.waits = lease.waits
            if lease.stop_requested:
                under_way.stop()
        for run_id in held:  # it has ended, and the store did not hear of it
            await self._fathom.queue.release(run_id, self.name, done=False)

    async def _take(self) -> None:
        while sum(not each.waits for each in self._under_way.values()) < self._most and self.running < MOST_WAITING:
            run = await self._fathom.queue.claim(self.name, seconds=LEASE_SECONDS)
            if run is None:
                return
            if earlier := self._under_way.get(run.run_id):  # it has just ended, and was asked for again
                earlier.task.cancel()
                await asyncio.wait([earlier.task])
            task = asyncio.create_task(self._carry_out(run), name=run.run_id)
            self._under_way[run.run_id] = _UnderWay(task, has_begun=run.status == "running")
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        under_way = self._under_way.get(task.get_name())
        if under_way is not None and under_way.task is task:
            del self._under_way[task.get_name()]
        if not task.cancelled() and (error := task.exception()):
            log.error("session given up by a fault of Fathom", exc_info=error, extra={"session": task.get_name()})
        self.wake()

    # ── One run ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _carry_out(self, run: RunRecord) -> None:
        """Take a run to its end, whatever that is, and let go of it."""
        queue, extra = self._fathom.queue, {"session": run.run_id}
        log.info("session taken up", extra=extra)
        try:
            try:
                await self._work(run)
            except (Fenced, NotFound):
                raise
            except Conflict:  # whoever had it last has not let go of it yet
                await queue.release(run.run_id, self.name, done=False, pause=RENEW_SECONDS)
                return
            except StoreError as error:
                await self._wait_for_the_store(run.run_id, error)
                return
            await queue.release(run.run_id, self.name, done=True)
            self._pauses.pop(run.run_id, None)
        except (Fenced, NotFound) as error:  # somebody else has it, or it is gone
            log.info("session given up: %s", error, extra=extra)
            await queue.release(run.run_id, self.name, done=True)
        except StoreError as error:
            log.warning("session is not let go of yet: %s", error, extra=extra)

    async def _work(self, run: RunRecord) -> None:
        """Take a run to its report, or say why there is none.

        Raises:
            Fenced, NotFound, Conflict: it is somebody else's, or gone.
            StoreError: the store fails; what is finished is in the journal.
        """
        extra = {"session": run.run_id}
        under_way = self._under_way[run.run_id]
        if run.stop_requested and run.status == "queued":
            await self._withdraw(run.run_id)
            return
        try:
            async with self._fathom.carry_out(run) as stream:
                under_way.stream = stream
                if under_way.is_stopped:
                    stream.stop()
                report = await stream.report()
            log.info("session ended: %s", report.partial or "completed", extra=extra)
        except asyncio.CancelledError:
            if not under_way.is_stopped or under_way.stream is not None or self._is_ending:
                raise
            under_way.task.uncancel()
            await self._withdraw(run.run_id)
        except (StoreError, Conflict):
            raise
        except FathomError as error:
            await self._fathom.store.run(run.run_id)  # of one that is gone nothing can be said
            log.warning("session failed: %s", error, extra=extra)
            await self._fail(run.run_id, str(error), error.kind)
        except Exception:
            log.exception("session failed by a fault of Fathom", extra=extra)
            await self._fail(run.run_id, FAULT, FathomError.kind)

    async def _wait_for_the_store(self, run_id: str, error: StoreError) -> None:
        """Have the run tried again later: what is durable of it is still there."""
        pause = min(2 * self._pauses.get(run_id, PAUSE_SECONDS / 2), LONGEST_PAUSE_SECONDS)
        self._pauses[run_id] = pause
        log.warning("session waits %g seconds: %s", pause, error, extra={"session": run_id})
        await self._fathom.queue.release(run_id, self.name, done=False, pause=pause)

    async def _withdraw(self, run_id: str) -> None:
        """End a run that was cancelled before it had begun."""
        await self._fathom.queue.withdraw(run_id, error=CANCELLED, worker=self.name)

    async def _fail(self, run_id: str, error: str, kind: str) -> None:
        """Say why there is no report, unless the engine has."""
        store = self._fathom.store
        run = await store.run(run_id)
        if not run.is_active:
            return
        fence = await store.acquire(run_id)
        try:
            await store.emit(run_id, Failed(error=error), fence=fence)
            failed = {"status": "failed", "error": error, "failure": kind}
            await store.update_run(run_id, fence=fence, **failed, stop_requested=False)
        finally:
            store.release(run_id)
