"""The live tree of a run on a terminal: one row per subtask, on standard error."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from rich.cells import cell_len
from rich.console import Console, Group
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from fathom.cli.terminal import counted, duration
from fathom.plan import SubtaskStatus
from fathom.sessions.progress import Row, RunProgress
from fathom.text.harmless import inert

FRAMES_PER_SECOND = 8
HINT = "Ctrl-C finishes early with a partial report."
DRAFTS = 3
"""At most so many sections are shown while they are written."""

_MARKS: dict[SubtaskStatus, tuple[str, str]] = {
    "pending": ("·", "dim"),
    "researching": ("", "cyan"),
    "completed": ("✓", "green"),
    "partial": ("◐", "yellow"),
    "failed": ("✗", "red"),
    "skipped": ("–", "dim"),
    "removed": ("–", "dim"),
}


class Display:
    """Shows a run while it works; by itself, for `--quiet`, it shows nothing."""

    def tell(self, line: str) -> None:
        """Something has happened."""

    def note(self, line: str) -> None:
        """Say something that is no event."""

    def close(self) -> None:
        """Give the terminal back."""

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave the terminal to somebody else for as long as the block lasts."""
        yield


class LiveTree(Display):
    """Draws a view several times a second until it is closed; the last picture stays.

    It is told nothing: the view takes the events in, and the next picture shows them.
    Everything shown is a `Text`, so nothing in it is read as markup.
    """

    def __init__(self, view: RunProgress, console: Console) -> None:
        self._view = view
        self._console = console
        self._started = time.monotonic()
        self._spinner = Spinner("dots", style="cyan")
        self._live = Live(console=console, auto_refresh=False, vertical_overflow="crop")
        self._ticker: asyncio.Task[None] | None = None
        self.notice = HINT
        """The line under the tree."""

    async def __aenter__(self) -> Self:
        self._begin()
        return self

    def _begin(self) -> None:
        self.notice = HINT
        self._live.start()
        self._ticker = asyncio.create_task(self._tick())

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Draw a last time and give the terminal back."""
        if self._ticker is not None:
            self._ticker.cancel()
            self._ticker = None
            self.notice = ""
            self._live.update(self._picture(), refresh=True)
            self._live.stop()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave the terminal to somebody else, and draw a new picture below what that has left."""
        self.close()
        try:
            yield
        finally:
            self._live = Live(console=self._console, auto_refresh=False, vertical_overflow="crop")
            self._begin()

    def note(self, line: str) -> None:
        """Put a line under the tree."""
        self.notice = inert(line)
        self._live.update(self._picture(), refresh=True)

    async def _tick(self) -> None:
        while True:
            self._live.update(self._picture(), refresh=True)
            await asyncio.sleep(1 / FRAMES_PER_SECOND)

    def _picture(self) -> Group:
        now = datetime.now(UTC)
        elapsed = duration(time.monotonic() - self._started)
        head = Table.grid(expand=True, padding=(0, 1))
        head.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        head.add_column(justify="right", no_wrap=True)
        head.add_row(Text(inert(self._view.query), style="bold"), Text(f"{self._view.phase}  {elapsed}", style="cyan"))
        rows = self._view.tree()
        room = max(self._console.height - 5 - min(len(self._view.drafts), DRAFTS), 3)
        shown = rows if len(rows) <= room else _most_alive(rows, room)
        tree = Table.grid(expand=True, padding=(0, 1))
        tree.add_column(width=1)
        tree.add_column(ratio=3, no_wrap=True, overflow="ellipsis")
        tree.add_column(ratio=2, no_wrap=True, overflow="ellipsis")
        tree.add_column(justify="right", no_wrap=True)
        tree.add_column(justify="right", no_wrap=True)
        for row in shown:
            mark, style = _MARKS[row.status]
            seconds = row.seconds(now)
            tree.add_row(
                self._spinner if row.status == "researching" else Text(mark, style=style),
                Text("  " * row.depth + row.description),
                Text(row.doing, style=style),
                Text(f"{row.findings} found" if row.findings else "", style="dim"),
                Text(duration(seconds) if seconds is not None else "", style="dim"),
            )
        drafts = Table.grid(expand=True, padding=(0, 1))
        drafts.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        drafts.add_column(ratio=3, no_wrap=True, overflow="ellipsis")
        for heading, text in list(self._view.drafts.items())[-DRAFTS:]:
            drafts.add_row(Text(heading, style="dim"), Text(_end(text, self._console.width * 3 // 4), style="italic"))
        return Group(head, tree, drafts, Text(self._summary(rows, hidden=len(rows) - len(shown)), style="dim"))

    def _summary(self, rows: list[Row], *, hidden: int) -> str:
        ended = sum(row.ended is not None for row in rows)
        parts = [f"{ended} of {counted(len(rows), 'part')} done"] if rows else []
        parts += [counted(self._view.pages, "page")] if self._view.pages else []
        parts += [counted(sum(row.passages for row in rows), "passage")] if rows else []
        if (spent := self._view.spent) and spent.tokens:
            cost = f", ${spent.cost_usd:.2f}" if spent.cost_usd else ""
            parts.append(f"{counted(spent.tokens, 'token')}{cost}")
        parts += [f"{counted(hidden, 'row')} hidden"] if hidden else []
        parts += [self.notice] if self.notice else []
        return " · ".join(parts)


def _end(text: str, width: int) -> str:
    """The end of a text, as much of it as fits."""
    text = text.strip()
    while cell_len(text) > max(width - 4, 1):
        text = text[1:]
    return text


def _most_alive(rows: list[Row], room: int) -> list[Row]:
    """The rows that fit: those at work first, then those that wait, then those that have ended; in the tree's order."""
    order: dict[SubtaskStatus, int] = {"researching": 0, "pending": 1, "partial": 2, "failed": 2}
    kept = sorted(rows, key=lambda row: order.get(row.status, 3))[:room]
    return [row for row in rows if row in kept]
