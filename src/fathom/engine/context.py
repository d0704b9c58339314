"""What every step may use: the run, its board, and the one door to reasoner, sources and store."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, TypeVar, cast

from fathom.asks import Ask
from fathom.engine.board import Board
from fathom.engine.gate import Priority
from fathom.engine.journal import Journal, Phase
from fathom.events import Event
from fathom.evidence import Query, Retrieval, SourceDescription
from fathom.noun import Noun
from fathom.plan import Subtask
from fathom.ports import Reasoner, Retriever, RunRecord, RunStore
from fathom.report import Usage

A = TypeVar("A", bound=Noun)
N = TypeVar("N", bound=Noun)


class Context:
    """The only way from a step to anything outside of it. One per process that works on a run; never serialised."""

    def __init__(
        self,
        run: RunRecord,
        *,
        store: RunStore,
        journal: Journal,
        reasoner: Reasoner,
        retrievers: Iterable[Retriever],
        emit: Callable[[Event], Awaitable[None]],
        fence: int = 0,
        replay: bool = False,
    ) -> None:
        self.run = run
        self.store = store
        self.journal = journal
        self.board = Board()
        self.fence = fence
        self.replay = replay
        """Whether nothing may be asked and nothing stored."""
        self.emit = emit
        """Number and store an event; `await context.emit(Outlined(...))`."""
        self._reasoner = reasoner
        self.retrievers = {retriever.name: retriever for retriever in retrievers}
        """The sources by name."""

    async def ask(self, path: str, ask: Ask[A], *, phase: Phase = "research") -> A:
        """The reasoner's answer, from the journal when it is there.

        `path` names the place in the run: `task_1/r0/assess`. Equal asks of the same path are one call.

        Raises:
            LimitReached: the run has stopped; never in phase `report`.
            ProviderError: no usable answer.
        """
        subtask = getattr(ask, "subtask", None)
        answer = await self.journal.call(
            path,
            ask.kind(),
            _digest(self.run.reasoner, ask.kind(), ask.digest()),
            lambda: self._answer(ask),
            phase=phase,
            shared=self._reasoner.deterministic,
            priority=self._priority(subtask),
        )
        return cast(A, ask.answer.model_validate_json(answer))

    async def _answer(self, ask: Ask[A]) -> str:
        return (await self._reasoner.answer(ask)).model_dump_json()

    async def describe(self, name: str) -> SourceDescription:
        """What the source says of itself before it is asked anything.

        Raises:
            LimitReached, ProviderError: as for `ask`.
        """
        retriever = self.retrievers[name]

        async def perform() -> str:
            return (await retriever.describe(self.run.query)).model_dump_json()

        request = _digest("describe", name, self.run.query)
        answer = await self.journal.call(f"describe/{name}", "describe", request, perform)
        return SourceDescription.model_validate_json(answer)

    async def search(
        self, path: str, name: str, query: Query, *, revision: str, subtask: Subtask | None = None
    ) -> Retrieval:
        """What the source finds for the query. The same query of the same `revision` is asked once per run.

        Raises:
            LimitReached, ProviderError: as for `ask`.
        """
        retriever, limit = self.retrievers[name], self.run.limits.max_passages

        async def perform() -> str:
            return (await retriever.search(query, limit=limit)).model_dump_json()

        answer = await self.journal.call(
            path,
            "search",
            _digest("search", name, revision, query.digest(), str(limit)),
            perform,
            shared=True,
            priority=self._priority(subtask),
        )
        return Retrieval.model_validate_json(answer)

    async def decide(self, path: str, value: Any) -> Any:
        """What was decided at `path`: `value`, unless it was decided before. For all that depends on timing or chance.

        JSON goes in and out: a tuple comes back as a list.
        """
        return await self.journal.decide(path, value)

    async def end(self) -> tuple[str, Usage]:
        """When the report was written, in UTC, and what the run took. Comes last: no ask may follow it."""
        end = await self.journal.end(created_at=now())
        return end["created_at"], Usage(calls=end["calls"], seconds=end["seconds"])

    def _priority(self, subtask: Subtask | None) -> Priority:
        """Calls of the run as a whole go first, then by importance; `Limits.order` settles ties."""
        if subtask is None:
            return ()
        subtask = self.board.subtasks.get(subtask.subtask_id, subtask)  # a revision may have changed its priority
        match self.run.limits.order:
            case "breadth_first":
                tie: Priority = (subtask.depth, subtask.priority)
            case "depth_first":
                tie = (-subtask.depth, subtask.priority)
            case "hybrid":
                tie = (subtask.priority, subtask.depth)
        return (-subtask.estimated_importance, *tie)


def _digest(*parts: str) -> str:
    """SHA-256 of the parts: what the journal finds an answer by."""
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def now() -> str:
    """The time: ISO 8601, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
