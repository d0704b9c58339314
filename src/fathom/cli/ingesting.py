"""Shows how documents are read in: a bar with rate and time left on a terminal, lines elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from fathom.cli.terminal import counted, say
from fathom.reading.readers import instead

if TYPE_CHECKING:
    from fathom.knowledge.ingestion import IngestProgress as Ingested
    from fathom.knowledge.ingestion import IngestReport

SHOWN = 20
"""At most this many unreadable files are named."""
BAR_AFTER = 0.3
"""Seconds before there is a bar: nobody reads one that is gone at once."""
LINE_EVERY = 10.0
"""Seconds between two lines where there is no bar."""


class IngestBar:
    """Takes the progress of an ingestion and shows it, unless it is to be quiet."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._bar: Progress | None = None
        self._started = self._said = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def progress(self, at: Ingested) -> None:
        """Show how far it is, in bytes: files differ in size."""
        if self._quiet:
            return
        if has_live_terminal():
            if time.monotonic() - self._started > BAR_AFTER:
                self._draw(at)
        elif time.monotonic() - self._said > LINE_EVERY and at.done_files < at.total_files:
            self._said = time.monotonic()
            say(f"Reading: {at.done_files} of {at.total_files} files")

    def _draw(self, at: Ingested) -> None:
        if self._bar is None:
            self._bar = Progress(
                TextColumn("Reading"),
                BarColumn(),
                TextColumn("{task.fields[files]}"),
                _Rate(),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.add_task("", total=at.total_bytes, files="")
            self._bar.start()
        files = f"{at.done_files}/{at.total_files} files"
        self._bar.update(self._bar.task_ids[0], completed=at.done_bytes, total=at.total_bytes, files=files)

    def close(self) -> None:
        """Give the terminal back."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


class _Rate(ProgressColumn):
    """Kilobytes per second."""

    def render(self, task: Task) -> Text:
        return Text(f"{(task.finished_speed or task.speed or 0) / 1000:,.0f} KB/s", style="dim")


def has_live_terminal() -> bool:
    """Whether standard error is a terminal that can be drawn on."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def told(done: IngestReport) -> Iterator[str]:
    """What an ingestion did, in lines: the counts, the files that could not be read, and those left aside."""
    counts = {"added": done.added, "changed": done.changed, "removed": done.removed, "unchanged": done.unchanged}
    what = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing to read"
    yield f"Documents: {what} in {done.seconds:.1f} s."
    for path, reason in done.skipped[:SHOWN]:
        yield f"Not read: {path}: {reason}"
    if len(done.skipped) > SHOWN:
        yield f"Not read: {len(done.skipped) - SHOWN} more files."
    if done.unread:
        yield f"Not read, for the time was up: {counted(done.unread, 'file')}."
    if done.unknown:
        kinds = ", ".join(
            f"{count} {suffix or 'without a suffix'}" + (f" ({told})" if (told := instead(suffix)) else "")
            for suffix, count in done.unknown.items()
        )
        yield f"Left aside, because nothing reads files of that type: {kinds}."
