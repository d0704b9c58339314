"""Shows what runs tell to many viewers at once: every event is read and encoded once, however many look on."""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging
from collections import deque
from collections.abc import AsyncGenerator
from itertools import islice
from typing import Any

from fathom.errors import NotFound, StoreError
from fathom.events import StoredEvent
from fathom.ports import RunStore
from fathom.sessions.views import Progress, session_progress
from fathom.text.places import unplaced

POLL_SECONDS = 0.1
"""How often it is looked what other processes have told, of all runs that are watched together."""
GATHER_SECONDS = 0.02
"""How long it is waited after what this process tells, so that one look serves many events."""
TROUBLE_SECONDS = 1.0
"""How long it is waited when the store cannot be read."""
PAGE = 200
"""Events of a run that the reader takes at once."""
OWN_PAGE = 50
"""Events that a viewer takes at once who reads for itself: as much as it may have waiting."""
KEPT = 512
"""At most so many of the last frames of a run are kept for its viewers."""
KEPT_BYTES = 256_000
"""At most so many bytes of them; one frame is always kept."""
PIECE_BYTES = 64_000
"""Frames are joined until they have so many bytes."""

HEARTBEAT = b": still here\n\n"

log = logging.getLogger(__name__)


def frame_of(stored: StoredEvent) -> bytes:
    """An event as a frame of a `text/event-stream`. JSON has no line break, so that the data is one line."""
    event = stored.event
    told: dict[str, Any] = {name: unplaced(getattr(event, name, None) or "") for name in ("error", "reason")}
    for name in ("shown", "named"):
        told[name] = tuple(each.model_copy(update={"uri": unplaced(each.uri)}) for each in getattr(event, name, ()))
    told = {name: value for name, value in told.items() if value}
    data = stored.model_copy(update={"event": event.model_copy(update=told)}) if told else stored
    return f"id: {stored.seq}\nevent: {event.kind}\ndata: {data.model_dump_json()}\n\n".encode()


def end_frame(status: str) -> bytes:
    """The last frame of a stream. It has no id, so that a client's place is that of the last event."""
    return f"event: end\ndata: {json.dumps({'status': status})}\n\n".encode()


class _Watch:
    """A run that somebody looks at: its last frames, in order and without gaps."""

    def __init__(self, after: int) -> None:
        self.seen = after
        """Number of the last event that was read."""
        self.end: bytes | None = None
        """The last frame, once the run has ended and every event of it was read."""
        self.error: BaseException | None = None
        """Why nobody reads any more."""
        self.viewers = 0
        self.changed = asyncio.Event()
        """Set, and replaced, with every change."""
        self._frames: deque[bytes] = deque()
        self._bytes = 0

    @property
    def first(self) -> int:
        """Number of the first event that is kept, or will be."""
        return self.seen - len(self._frames) + 1

    def add(self, frame: bytes) -> None:
        """Keep the frame of the next event, and let go of old ones when there are too many."""
        self.seen += 1
        self._frames.append(frame)
        self._bytes += len(frame)
        while len(self._frames) > 1 and (len(self._frames) > KEPT or self._bytes > KEPT_BYTES):
            self._bytes -= len(self._frames.popleft())

    def after(self, seen: int) -> list[bytes]:
        """The frames behind an event that is not before the first one kept, up to `PIECE_BYTES`."""
        piece: list[bytes] = []
        size = 0
        for frame in islice(self._frames, max(0, seen + 1 - self.first), None):
            if piece and size + len(frame) > PIECE_BYTES:
                break
            piece.append(frame)
            size += len(frame)
        return piece

    def tell(self) -> None:
        """Wake every viewer."""
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()


class Feed:
    """The events of runs, for as many viewers as there are.

    One reader looks after all runs that are watched, whichever process carries them out. Each viewer is only a place in
    a run: one that is slow is waited for by nobody, and reads from the store what is no longer kept.
    """

    def __init__(self, store: RunStore, *, poll: float = POLL_SECONDS) -> None:
        self._store = store
        self._poll = poll
        self._watches: dict[str, _Watch] = {}
        self._joined = asyncio.Event()
        self._reader: asyncio.Task[None] | None = None

    @property
    def viewers(self) -> int:
        """How many look at a run that has not ended."""
        return sum(watch.viewers for watch in self._watches.values())

    async def has_ended(self, run_id: str, *, after: int = 0) -> bool:
        """Whether no event of the run is to come behind `after`, now or later.

        Raises:
            NotFound: no such run.
        """
        news = (await self._store.news({run_id: after}, limit=0)).get(run_id)
        if news is None:
            raise NotFound(f"No session has the id '{run_id}'.")
        return not news.is_active and news.last <= after

    async def frames(
        self, run_id: str, *, after: int = 0, progress: bool = False, heartbeat: float = 15.0
    ) -> AsyncGenerator[bytes, None]:
        """The run's events from the first one behind `after`, as they come, as the bytes of a `text/event-stream`.

        Each piece is one or more whole frames, or a comment after `heartbeat` seconds of silence. The last frame says
        how the run has ended: when its record says so, not when an event does, as a run that is taken up again has
        several ends behind it. A run that is deleted meanwhile ends with the status `deleted`.

        With `progress`, each piece begins with a frame of how far the run is, so that whoever has seen an event has
        seen what it has changed.
        """
        watch = self._joined_watch(run_id, after)
        known: Progress | None = None
        try:
            while True:
                changed = watch.changed
                if watch.error is not None:
                    raise watch.error
                is_behind = after + 1 < watch.first
                piece = await self._page(run_id, after) if is_behind else watch.after(after)
                if piece:
                    after += len(piece)
                    if progress:
                        far = await session_progress(self._store, run_id, least=after)
                        piece.insert(0, f"event: progress\ndata: {far.since(known).model_dump_json()}\n\n".encode())
                        known = far
                    yield b"".join(piece)
                elif watch.end is not None:
                    yield watch.end
                    return
                else:
                    try:
                        async with asyncio.timeout(heartbeat):
                            await changed.wait()
                    except TimeoutError:
                        yield HEARTBEAT
        except NotFound:
            yield end_frame("deleted")
        finally:
            self._leave(run_id, watch)

    async def _page(self, run_id: str, after: int) -> list[bytes]:
        """A viewer's own look at what is no longer kept, or never was."""
        return [frame_of(stored) for stored in await self._store.events(run_id, after=after, limit=OWN_PAGE)]

    # ── Who watches ────────────────────────────────────────────────────────────────────────────────────────────────

    def _joined_watch(self, run_id: str, after: int) -> _Watch:
        watch = self._watches.get(run_id)
        if watch is None:
            watch = self._watches[run_id] = _Watch(after)
            self._joined.set()
        watch.viewers += 1
        if self._reader is None or self._reader.done():
            nobody = contextvars.Context()  # it reads for all, not for the request that came first
            self._reader = asyncio.create_task(self._read(), name="feed", context=nobody)
            self._reader.add_done_callback(self._ended)
        return watch

    def _leave(self, run_id: str, watch: _Watch) -> None:
        watch.viewers -= 1
        if not watch.viewers and self._watches.get(run_id) is watch:
            del self._watches[run_id]

    # ── The reader ─────────────────────────────────────────────────────────────────────────────────────────────────

    async def _read(self) -> None:
        """Look what is new for as long as anybody watches."""
        while self._watches:
            self._joined.clear()
            stirring = self._store.stirring
            watched = dict(self._watches)
            pause = self._poll
            try:
                news = await self._store.news({id: watch.seen for id, watch in watched.items()}, limit=PAGE)
            except StoreError as error:
                log.warning("events cannot be read: %s", error)
                await asyncio.sleep(TROUBLE_SECONDS)
                continue
            for run_id, watch in watched.items():
                found = news.get(run_id)
                if found is None:
                    self._end(run_id, watch, "deleted")
                    continue
                for stored in found.events:
                    watch.add(frame_of(stored))
                if len(found.events) == PAGE:
                    pause = 0.0
                elif not found.is_active:
                    self._end(run_id, watch, found.status)
                elif found.last < watch.seen:  # a viewer has asked for what is not there yet
                    watch.seen = found.last
                    watch.tell()
                if found.events:
                    watch.tell()
            await self._wait(stirring, pause)

    async def _wait(self, stirring: asyncio.Event, seconds: float) -> None:
        """Wait until a run is watched that was not, this process has told something, or the time is up."""
        waits = [asyncio.ensure_future(each.wait()) for each in (self._joined, stirring)]
        try:
            await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()
        if stirring.is_set() and not self._joined.is_set():
            await asyncio.sleep(min(GATHER_SECONDS, seconds))

    def _end(self, run_id: str, watch: _Watch, status: str) -> None:
        """Whoever comes later looks anew: a run that has ended may be taken up again."""
        watch.end = end_frame(status)
        watch.tell()
        if self._watches.get(run_id) is watch:
            del self._watches[run_id]

    def _ended(self, reader: asyncio.Task[None]) -> None:
        """A reader that has failed takes its viewers along: they come again, and find another."""
        error = asyncio.CancelledError() if reader.cancelled() else reader.exception()
        if error is not None:
            watches, self._watches = self._watches, {}
            for watch in watches.values():
                watch.error = error
                watch.tell()
