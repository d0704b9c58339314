"""Follows a run to its report: shows its events, and turns Ctrl-C into an early end."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import NoReturn

from rich.console import Console

from fathom.cli.ingesting import IngestBar, has_live_terminal, told
from fathom.cli.live import Display, LiveTree
from fathom.cli.prompting import Prompter
from fathom.cli.terminal import INTERRUPTED, say
from fathom.report import Report
from fathom.sessions.progress import RunProgress
from fathom.wiring import RunStream
from fathom.wiring.ending import END_SECONDS, end, told_to_end

TERM_SECONDS = 8.0
"""When a run ends at the latest that SIGTERM has told to: whoever sends it sends SIGKILL some ten seconds later."""


class EventLines(Display):
    """One line per event, for logs and pipes."""

    def tell(self, line: str) -> None:
        """Print it."""
        say(line)

    note = tell


def followed(stream: RunStream, deliver: Callable[[Report], int], *, quiet: bool, bar: IngestBar | None = None) -> int:
    """Show the run until it ends, and deliver its report, before any thread is waited for; the exit code. `bar` shows
    the documents being read before it begins.

    A thread that hangs does not hold up the end for long.

    Raises:
        FathomError: the run failed, or could not begin.
    """
    with asyncio.Runner() as runner:
        code = deliver(runner.run(_report(stream, quiet=quiet, bar=bar)))
        patience = threading.Timer(END_SECONDS, end, [code])
        patience.daemon = True
        patience.start()
    patience.cancel()
    return code


async def _report(stream: RunStream, *, quiet: bool, bar: IngestBar | None) -> Report:
    view = RunProgress()
    async with stream as run:
        if bar:
            bar.close()
        if run.ingested and not quiet:
            for said in told(run.ingested):
                say(said)
        if (kb := run.without_documents) and not quiet:
            say(f"Only the web is searched: no documents are given, and the knowledge base '{kb}' is empty.")
        async with _display(view, quiet=quiet) as display:
            with _interrupts(run, display):
                may_ask = not quiet and sys.stdin.isatty() and sys.stderr.isatty()
                prompter = Prompter(run.run_id, display, may_ask=may_ask)
                try:
                    async for stored in run:
                        line = view.take(stored)
                        if stored.seq > run.known:
                            if line:
                                display.tell(line)
                            prompter.hear(stored.event)
                    return await run.report()
                finally:
                    await prompter.close()


@asynccontextmanager
async def _display(view: RunProgress, *, quiet: bool) -> AsyncIterator[Display]:
    if quiet:
        yield Display()
    elif has_live_terminal():
        async with LiveTree(view, Console(stderr=True)) as tree:
            yield tree
    else:
        yield EventLines()


@contextmanager
def _interrupts(run: RunStream, display: Display) -> Iterator[None]:
    """A first Ctrl-C, or a polite end from outside, finishes early; a second one stops at once.

    Whoever sits at a terminal sees what it waits for; whoever ends a process from outside does not wait for long.
    """
    loop = asyncio.get_running_loop()

    def finish() -> None:
        run.stop()
        display.note("Finishing what is under way, then writing a partial report. Ctrl-C again stops at once.")

    def stop(_: int) -> NoReturn:
        stopped = f"Stopped. Nothing that was finished is lost: continue with `fathom resume {run.run_id}`."
        try:
            display.close()
            say(stopped)
        except RuntimeError:  # whoever was interrupted was writing, and nobody else may write there meanwhile
            os.write(sys.stderr.fileno(), f"{stopped}\n".encode())
        finally:
            end(INTERRUPTED)

    within = {signal.SIGTERM: TERM_SECONDS}
    with told_to_end(lambda _: loop.call_soon_threadsafe(finish), last=stop, within=within):
        yield
