"""Calls of a reasoner, and of a source, outside of a run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from fathom.asks import Ask
from fathom.browsing import SearchResults
from fathom.errors import ProviderError
from fathom.events import Event
from fathom.frozen import FrozenModel
from fathom.plan import Subtask
from fathom.ports import ModelCall, ModelReply, Reasoner, RunRecord

A = TypeVar("A", bound=FrozenModel)


class DirectCalls:
    """Makes every call at once. `made` lists them in order, `told` what was shown on the way."""

    def __init__(self) -> None:
        self.made: list[ModelCall] = []
        self.replies: list[ModelReply] = []
        self.told: list[tuple[str, str]] = []
        self.gone: list[str] = []

    async def make(
        self,
        call: ModelCall,
        perform: Callable[[], Awaitable[ModelReply]],
        *,
        usable: Callable[[ModelReply], bool] | None = None,  # noqa: ARG002 - there is no earlier reply
    ) -> ModelReply:
        """What `perform` returns."""
        self.made.append(call)
        reply = await perform()
        self.replies.append(reply)
        return reply

    async def wait(self, seconds: float, *, gone: str | None = None) -> None:
        """Wait so long."""
        self.gone += [gone] if gone else []
        await asyncio.sleep(seconds)

    def tell(self, heading: str, text: str) -> None:
        """Take it down."""
        self.told.append((heading, text))


async def answer_of(reasoner: Reasoner, ask: Ask[A]) -> A:
    """The reasoner's answer, outside of a run."""
    return (await reasoner.answer(ask, DirectCalls())).answer


class DoorCalls:
    """A source's door to a run without an engine: answers are kept by what was asked. `made` lists the calls that were
    performed, by kind; with `replay` none is."""

    def __init__(self, run: RunRecord, *, kept: DoorCalls | None = None, replay: bool = False) -> None:
        self.run, self.replay = run, replay
        self.subtask: Subtask | None = None
        self.made: list[str] = []
        self.events: list[Event] = []
        self.failures: dict[str, str] = {}
        self.answers: dict[tuple[str, str], str] = kept.answers if kept else {}
        self.decided: dict[str, Any] = kept.decided if kept else {}
        self.snapshots: dict[str, str] = kept.snapshots if kept else {}

    def at(self, place: str) -> str:
        return place

    def revision(self, name: str) -> str:  # noqa: ARG002 - nothing has been described
        return ""

    async def call(self, path: str, kind: str, request: str, perform: Callable[[], Awaitable[str]], **_: Any) -> str:
        if (kind, request) not in self.answers:
            assert not self.replay, f"{path} was never asked"
            self.made.append(kind)
            self.answers[kind, request] = await perform()
        return self.answers[kind, request]

    async def buy(
        self, path: str, request: str, cost_usd: float, perform: Callable[[], Awaitable[SearchResults]]
    ) -> SearchResults:
        del path, request, cost_usd
        return await perform()

    def has_read(self) -> None: ...

    def missed(self) -> None: ...

    async def decide(self, path: str, value: Any) -> Any:
        return self.decided.setdefault(path, value)

    def decision(self, path: str) -> Any:
        return self.decided.get(path)

    async def emit(self, event: Event) -> None:
        self.events.append(event)

    async def failed(self, name: str, error: ProviderError, *, stands_alone: bool = True) -> None:  # noqa: ARG002
        self.failures[name] = str(error)

    async def keep_snapshot(self, sha256: str, text: str) -> None:
        self.snapshots[sha256] = text
