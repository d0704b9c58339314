"""Asks the person at the terminal what a run waits for, while the run goes on."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import click
from pydantic import ValidationError

from fathom import wiring
from fathom.cli.clarifying import Clarifying
from fathom.cli.live import Display, LiveTree
from fathom.cli.planning import Proposal
from fathom.cli.terminal import say
from fathom.errors import Conflict, UsageError
from fathom.events import ApprovalAsked, ApprovalGiven, Event
from fathom.steering import Approval


class Prompter:
    """Puts one approval after the other to the person; one that is answered elsewhere is taken back."""

    def __init__(self, run_id: str, display: Display, *, may_ask: bool) -> None:
        self._run_id, self._display, self._may_ask = run_id, display, may_ask
        self._waiting: dict[str, Approval] = {}
        self._asking: asyncio.Task[None] | None = None
        self._current = ""

    def hear(self, event: Event) -> None:
        """Take down what is asked and what was answered."""
        if isinstance(event, ApprovalAsked):
            self._waiting[event.approval.id] = event.approval
            if not self._may_ask and isinstance(self._display, LiveTree):
                self._display.note(f"Waiting for you: `fathom approve {self._run_id} --show` says what for.")
        elif isinstance(event, ApprovalGiven):
            self._waiting.pop(event.approval_id, None)
            if self._asking and self._current == event.approval_id:
                self._asking.cancel()
        self._next()

    async def close(self) -> None:
        """Ask no more."""
        self._may_ask = False
        if self._asking:
            self._asking.cancel()
            await asyncio.wait([self._asking])

    def _next(self, _: object = None) -> None:
        if self._may_ask and self._waiting and (self._asking is None or self._asking.done()):
            self._current = next(iter(self._waiting))
            self._asking = asyncio.ensure_future(self._ask(self._waiting.pop(self._current)))
            self._asking.add_done_callback(self._next)

    async def _ask(self, asked: Approval) -> None:
        proposal = Clarifying(asked) if asked.open_points else Proposal(asked)
        with self._display.paused():
            async with _typed() as lines:
                shown = None
                while True:
                    if shown != (shown := [*proposal.lines()]):
                        click.echo("\n".join(shown), err=True)
                    say(proposal.help)
                    typed = await lines.get()
                    if typed is None:
                        say(f"Still waiting: `fathom approve {self._run_id}` answers it.")
                        return
                    try:
                        if said := proposal.take(typed):
                            await wiring.answer(self._run_id, said, approval_id=asked.id)
                        elif isinstance(proposal, Proposal):
                            proposal.estimate = await wiring.expected(self._run_id, proposal.said, approval_id=asked.id)
                    except Conflict as error:
                        say(str(error))
                        return
                    except (UsageError, ValidationError) as error:
                        say(str(error) if isinstance(error, UsageError) else "That is too long.")
                        continue
                    if said:
                        return


@asynccontextmanager
async def _typed() -> AsyncIterator[asyncio.Queue[str | None]]:
    """The lines that are typed, `None` behind the last one. No thread waits for them, so nobody has to type one."""
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    loop, file, rest = asyncio.get_running_loop(), sys.stdin.fileno(), b""

    def read() -> None:
        nonlocal rest
        *whole, rest = (rest + (got := os.read(file, 4096))).split(b"\n")
        for line in whole:
            lines.put_nowait(line.decode("utf-8", "replace"))
        if not got:
            loop.remove_reader(file)
            lines.put_nowait(None)

    loop.add_reader(file, read)
    try:
        yield lines
    finally:
        with suppress(OSError, ValueError):
            loop.remove_reader(file)
