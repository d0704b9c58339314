"""What a command says to the person at the terminal, and how it prints a list."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Collection, Coroutine, Iterable, Sequence
from typing import Any, TypeVar

import click

from fathom.text.harmless import inert
from fathom.text.plural import counted as counted

T = TypeVar("T")

INTERRUPTED = 130
"""What a command exits with that was interrupted."""


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


def print_rows(rows: Iterable[Sequence[str]], *, numbers: Collection[int] = ()) -> None:
    """Rows in aligned columns on standard output; on a terminal the last column is cut to fit.

    `numbers` are the places of columns, from 0, that are set to the right.
    """
    from rich.cells import cell_len, set_cell_size  # the help needs none of rich

    table = [[inert(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*table, strict=True)]
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for row in table:
        row = [cell.rjust(widths[at]) if at in numbers else cell for at, cell in enumerate(row)]
        line = "  ".join([*map(set_cell_size, row[:-1], widths), row[-1]]).rstrip()
        click.echo(set_cell_size(line, room).rstrip() if room and cell_len(line) > room else line)


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
