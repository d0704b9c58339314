"""What a command says to the person at the terminal, and how it prints a list."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Collection, Coroutine, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import click

from fathom.text.harmless import inert
from fathom.text.plural import counted as counted

T = TypeVar("T")

INTERRUPTED = 130
"""What a command exits with that was interrupted."""
_WHOLE = 1_000_000
"""Columns of a list that nobody reads on a screen."""


def awaited(work: Coroutine[Any, Any, T]) -> T:
    """What `work` gives, as by `asyncio.run`, but Ctrl-C cancels it in a turn of the event loop of its own.

    asyncio cancels it in the middle of whatever the loop is doing, which may be to hand a result to the very task that
    is cancelled: that leaves a traceback. A second Ctrl-C interrupts at once.

    Raises:
        KeyboardInterrupt: it was interrupted.
    """
    import asyncio
    import signal
    import threading

    async def interruptible() -> T:
        loop, task, heard = asyncio.get_running_loop(), asyncio.ensure_future(work), asyncio.Event()

        def interrupt() -> None:
            heard.set()
            loop.remove_signal_handler(signal.SIGINT)
            task.cancel()

        if threading.current_thread() is threading.main_thread() and sys.platform != "win32":
            loop.add_signal_handler(signal.SIGINT, interrupt)
        try:
            return await task
        except asyncio.CancelledError as error:
            raise KeyboardInterrupt if heard.is_set() else error from None

    return asyncio.run(interruptible())


def say(message: str) -> None:
    """One line on standard error, with nothing in it that could steer the terminal."""
    click.echo(inert(message), err=True)


def complain(message: str, *, code: int) -> int:
    """One line on standard error that says what is wrong; returns the exit code."""
    say(f"fathom: {message}")
    return code


def print_json(value: Any) -> None:
    """A value as JSON on standard output."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def print_rows(
    rows: Iterable[Sequence[str]],
    *,
    headings: Sequence[str] = (),
    numbers: Collection[int] = (),
    flexible: int = 1,
    wraps: bool = False,
) -> None:
    """Rows in aligned columns on standard output; `numbers` are the places of columns that are set to the right.

    On a terminal `headings` stand above, and the last `flexible` columns are cut to fit, or wrapped; elsewhere each row
    is a line of its own and whole.
    """
    from rich.console import Console  # the help needs none of rich
    from rich.table import Table
    from rich.text import Text

    table, on_terminal = [[inert(cell) for cell in row] for row in rows], sys.stdout.isatty()
    shown = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=bool(headings) and on_terminal)
    columns = len(table[0]) if table else 0
    for at, heading in enumerate(headings or [""] * columns):
        shown.add_column(heading, justify="right" if at in numbers else "left", no_wrap=at < columns - flexible)
    for row in table:
        shown.add_row(*(Text(cell, no_wrap=not wraps, overflow="fold" if wraps else "ellipsis") for cell in row))
    width, height = shutil.get_terminal_size()  # both: else rich takes 80 for a dumb terminal
    console = Console(width=width if on_terminal else _WHOLE, height=height, highlight=False)
    with console.capture() as captured:
        console.print(shown)
    click.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))


def moment(iso: str) -> str:
    """A time as lists show it: short and local to whoever sits at a terminal, elsewhere in UTC."""
    told = datetime.fromisoformat(iso)
    if not sys.stdout.isatty():
        return f"{told.astimezone(UTC):%Y-%m-%d %H:%M}"
    is_recent = datetime.now(UTC) - told < timedelta(days=180)
    return f"{told.astimezone():{'%b %d %H:%M' if is_recent else '%b %d  %Y'}}"


def shortfall(reason: str) -> str:
    """Why a report is incomplete, in a few words.

    >>> shortfall("max_calls"), shortfall("written_early")
    ('limit on calls', 'written early')
    """
    return reason.replace("max_", "limit on ").replace("_", " ")


def duration(seconds: float) -> str:
    """`7 s`, `2:05` or `1:02:05`."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def size(count: float) -> str:
    """Bytes for a person.

    >>> size(900), size(2_500_000)
    ('900 B', '2.4 MB')
    """
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TB"
