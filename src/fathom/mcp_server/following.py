"""Waiting for a session: what happens in it meanwhile is told line by line."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from fathom.errors import NotFound
from fathom.events import Failed, StoredEvent
from fathom.mcp_server.outputs import EventLine, SessionLine, SessionState, SubtaskState
from fathom.ports import RunRecord, RunStore
from fathom.sessions.progress import RunProgress
from fathom.text.harmless import inert

LOOK_SECONDS = 0.25
"""How often it is looked what is new."""
PAGE = 500
"""Events that are read at once."""

Tell = Callable[[int, str], Awaitable[None]]
"""Is told the number of an event and its line."""


@dataclass
class Watched:
    """What was seen of a session."""

    run: RunRecord
    """As it stood last."""
    view: RunProgress = field(default_factory=RunProgress)
    lines: list[EventLine] = field(default_factory=list)
    last_event: int = 0

    @property
    def state(self) -> SessionState:
        """The session as it stands."""
        error = inert(self.run.error, width=1_000) if self.run.error else None
        return SessionState.like(line_of(self.run, width=2_000), done=not self.run.is_active, error=error)

    @property
    def subtasks(self) -> list[SubtaskState]:
        """The sub-questions as they stand, each behind the one that it deepens."""
        return [SubtaskState.like(row, description=inert(row.description, width=300)) for row in self.view.tree()]

    def take(self, stored: StoredEvent, *, after: int) -> EventLine | None:
        """Take an event in; its line, when it lies behind `after` and has one."""
        self.last_event = stored.seq
        line = self.view.take(stored)
        if isinstance(stored.event, Failed):
            line = f"Failed: {self.view.error}"
        if line is None or stored.seq <= after:
            return None
        told = EventLine(seq=stored.seq, line=inert(line, width=400))
        self.lines.append(told)
        return told


def line_of(run: RunRecord, *, width: int) -> SessionLine:
    """A session as it stands, its question cut to a width."""
    question, seconds = inert(run.query, width=width), round(run.seconds, 1)
    waits = tuple(each.id for each in run.waiting_for)
    return SessionLine.like(run, session_id=run.run_id, question=question, seconds=seconds, waiting_for=waits)


async def watched(
    store: RunStore, run_id: str, *, after: int = 0, wait: float = 0, tell: Tell | None = None
) -> Watched:
    """What has happened in a session, once it has ended or waits as a whole to be approved, or `wait` seconds from now.

    It may be left early: that changes nothing for the session.

    Args:
        after: Lines are kept of what lies behind this event.
        tell: Told what happens from now on; what has happened before is told by the lines alone.

    Raises:
        NotFound: it is gone.
    """
    deadline = asyncio.get_running_loop().time() + wait
    seen = Watched(await store.run(run_id))
    is_new = False
    while True:
        news = (await store.news({run_id: seen.last_event}, limit=PAGE)).get(run_id)
        if news is None:
            raise NotFound(f"The session {run_id} was deleted.")
        for stored in news.events:
            line = seen.take(stored, after=after)
            if line and tell and is_new:
                await tell(line.seq, line.line)
        left = deadline - asyncio.get_running_loop().time()
        if len(news.events) == PAGE:
            continue
        waits = seen.view.step.name == "waiting_for_you" and await _waits(store, run_id)
        if not news.is_active or left <= 0 or waits:
            seen.run = await store.run(run_id)
            return seen
        is_new = True
        await asyncio.sleep(min(LOOK_SECONDS, left))


async def _waits(store: RunStore, run_id: str) -> bool:
    """Whether nobody has answered yet: what was said is heard a moment later."""
    said = await store.directions(run_id)
    return any(f"approval/{each.id}" not in said for each in (await store.run(run_id)).waiting_for)
