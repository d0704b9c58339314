"""What every step may use: the run, its board, and the one door to reasoner, sources and store."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar, cast

from fathom.asks import Ask
from fathom.browsing import WEB
from fathom.engine import tracing
from fathom.engine.board import Board, Research
from fathom.engine.calls import RunCalls, packed, unpacked
from fathom.engine.gate import Gate, Priority
from fathom.engine.journal import ANSWER, GRACE_SECONDS, Journal, Phase
from fathom.engine.reach import Reach
from fathom.errors import NotFound, ProviderError
from fathom.events import CallFailed, Event, LeftOut, StoodIn
from fathom.evidence import Query, Retrieval, SourceDescription, text_digest
from fathom.noun import Noun
from fathom.plan import Subtask
from fathom.ports import Answered, Reasoner, Retriever, RunRecord, RunStore
from fathom.ports.data import Dataset
from fathom.ports.web import Web
from fathom.report import Outline, Report, Usage

if TYPE_CHECKING:
    from fathom.engine.scheduler import Scheduler
    from fathom.engine.steps.write import Written

A = TypeVar("A", bound=Noun)
T = TypeVar("T")
U = TypeVar("U")


@dataclass(eq=False)
class Context:
    """The only way from a step to anything outside of it. One per process that works on a run; never serialised."""

    run: RunRecord
    _: KW_ONLY
    store: RunStore
    journal: Journal
    reasoner: Reasoner
    retrievers: Mapping[str, Retriever]
    """The sources by name."""
    emit: Callable[[Event], Awaitable[None]]
    """Number and store an event; `await context.emit(Outlined(...))`."""
    fence: int = 0
    replay: bool = False
    """Whether nothing may be asked and nothing stored."""
    is_watched: bool = False
    """Whether somebody looks on: LangGraph walks then, which tells each step (see `fathom.engine.flow`)."""
    datasets: Mapping[str, Dataset] = field(default_factory=dict)
    """Structured data by name, as far as this process has it."""
    web: Web | None = None
    """The web, as far as this process has it."""
    reach: Reach | None = None
    """What of the web the run may use; `None` when it leaves it alone. Set before anything is asked."""
    lanes: dict[str, Gate] = field(default_factory=dict)
    """One for each provider of searches (see `lane`)."""
    board: Board = field(default_factory=Board)
    scheduler: Scheduler = field(init=False)
    """Starts subtasks; set by whoever walks the graph."""
    research: Research = field(init=False)
    outline: Outline = field(init=False)
    written: tuple[Written, ...] = field(init=False)
    report: Report = field(init=False)
    """What the last steps hand on, in this order."""

    async def ask(self, path: str, ask: Ask[A], *, phase: Phase = "research", heading: str = "") -> A:
        """The reasoner's answer, from the journal when it is there.

        `path` names the place in the run: `task_1/r0/assess`. Equal asks of the same path are one call. With `heading`,
        a section of that name is shown while it is written.

        Raises:
            LimitReached: the run has stopped; never in phase `report`.
            ProviderError: no usable answer.
        """
        subtask = getattr(ask, "subtask", None)
        priority = self.priority(subtask)
        if not self.reasoner.metered:
            answer = await self.journal.call(
                path,
                ask.kind(),
                request_digest(self.run.reasoner, ask.kind(), ask.digest()),
                lambda: self._answer(ask, RunCalls(self.journal, path, phase=phase, priority=priority)),
                phase=phase,
                shared=self.reasoner.deterministic,
                priority=priority,
            )
            return cast(A, ask.answer.model_validate_json(answer))
        calls = RunCalls(
            self.journal,
            path,
            phase=phase,
            priority=priority,
            emit=self.emit if heading else None,
            say=self.emit,
            heading=heading,
        )
        request = self._request(path, ask, phase)
        stored = await self.journal.call(path, ANSWER, request, lambda: self._answer(ask, calls), phase=phase)
        answered = unpacked(stored, ask)
        await self._tell_how(answered, ask, subtask)
        return answered.answer

    def _request(self, path: str, ask: Ask[A], phase: Phase) -> str:
        """The digest that the answer of a model is found by, whatever models are in force by now.

        What was answered once is not paid for again. But what an attempt had no model for, the next one asks anew.
        """
        attempts = (() if number == 1 else (f"attempt {number}",) for number in range(1, self.run.attempt + 1))
        *earlier, now = (request_digest(ANSWER, ask.kind(), ask.digest(), *attempt) for attempt in attempts)
        for request in earlier:
            stored = self.journal.answered(path, request, phase=phase)
            if stored is not None and not unpacked(stored, ask).stood_in:
                return request
        return now

    async def _answer(self, ask: Ask[A], calls: RunCalls) -> str:
        answered = await self.reasoner.answer(ask, calls)
        await calls.close()
        return packed(answered) if self.reasoner.metered else answered.answer.model_dump_json()

    async def _tell_how(self, answered: Answered[A], ask: Ask[A], subtask: Subtask | None) -> None:
        """Say, and keep for the report, what a reader must know of how the answer came about."""
        kind, id = ask.kind(), subtask and subtask.subtask_id
        self.board.invented += answered.invented
        self.board.missed |= answered.is_missed
        if answered.stood_in:
            self.board.stand_ins[kind] += 1
            await self.emit(StoodIn(subtask_id=id, call=kind, reason=answered.stood_in))
        if answered.left_out:
            await self.emit(LeftOut(subtask_id=id, call=kind, count=answered.left_out))

    async def describe(
        self, name: str, *, path: str = "", query: str = "", subtask: Subtask | None = None
    ) -> SourceDescription:
        """What the source says of itself before it is asked anything: near the question, or near `query` at `path`.

        Raises:
            LimitReached, ProviderError: as for `ask`.
        """
        retriever, query = self.retrievers[name], query or self.run.query

        async def perform() -> str:
            return (await retriever.describe(query)).model_dump_json()

        answer = await self.journal.call(
            f"{path}describe/{name}",
            "describe",
            request_digest("describe", name, *([self._revision(name)] if path else []), query),
            perform,
            shared=bool(path),
            priority=self.priority(subtask),
        )
        return SourceDescription.model_validate_json(answer)

    async def try_ask(self, path: str, ask: Ask[A], *, phase: Phase = "research") -> A | None:
        """As `ask`, but a failure is told as an event and answered with `None`."""
        try:
            return await self.ask(path, ask, phase=phase)
        except ProviderError as error:
            subtask = getattr(ask, "subtask", None)
            failed = CallFailed(subtask_id=subtask and subtask.subtask_id, call=ask.kind(), error=str(error))
            await self.emit(failed)
            return None

    async def search(
        self, path: str, name: str, query: Query, *, subtask: Subtask | None = None, limit: int | None = None
    ) -> Retrieval:
        """What the source finds for the query. The same query of the same content is asked once per run.

        `limit` is the number of passages; without it, that of the run.

        Raises:
            LimitReached, ProviderError: as for `ask`.
        """
        retriever, most = self.retrievers[name], limit or self.run.limits.max_passages

        async def perform() -> str:
            with tracing.search_span(name) as span:
                found = await retriever.search(query, limit=most)
                span.set_attributes({"fathom.passages": len(found.passages)})
            return found.model_dump_json()

        answer = await self.journal.call(
            path,
            "search",
            request_digest("search", name, self._revision(name), query.digest(), str(most)),
            perform,
            shared=True,
            priority=self.priority(subtask),
        )
        return Retrieval.model_validate_json(answer)

    async def try_search(
        self, path: str, name: str, query: Query, *, subtask: Subtask | None = None, limit: int | None = None
    ) -> Retrieval | None:
        """As `search`, but a failure is told as an event and answered with `None`; what is found goes on the board."""
        try:
            found = await self.search(path, name, query, subtask=subtask, limit=limit)
        except ProviderError as error:
            self.board.fail(name, error)
            failed = CallFailed(subtask_id=subtask and subtask.subtask_id, call=f"search {name}", error=str(error))
            await self.emit(failed)
            return None
        self.board.lacks.update(found.lacks)
        for document in found.documents:
            self.board.documents.setdefault(document.sha256, document)
            self.board.holders.setdefault(document.sha256, name)
            self.board.matched.add(document.sha256)
        return found

    def _revision(self, name: str) -> str:
        """Of the content that the source described; empty before it has."""
        return next((source.revision for source in self.board.sources if source.name == name), "")

    async def keep_snapshot(self, sha256: str) -> bool:
        """Store the text of a document with the run, so that evidence can always be checked against it.

        `False` when the source no longer has it as it was; decided once, since a source may change.
        """
        path = f"snapshot/{sha256}"
        if self.replay or self.journal.decision(path) is not None:
            return bool(await self.decide(path, False))
        try:
            text = await self.store.snapshot(sha256)
        except NotFound:
            try:
                text = await self._held(sha256)
            except (NotFound, ProviderError):
                return bool(await self.decide(path, False))
        kept = text_digest(text) == sha256
        if kept:
            await self.store.add_snapshot(self.run.run_id, sha256, text, fence=self.fence)
        return bool(await self.decide(path, kept))

    async def _held(self, sha256: str) -> str:
        """The text of a document, from whoever holds it."""
        holder = self.board.holders[sha256]
        if holder != WEB:
            return await self.retrievers[holder].snapshot(sha256)
        if self.web is None:
            raise NotFound(f"No text of {sha256[:12]}: the archive of pages is not open.")
        return await self.web.archive.snapshot(sha256)

    async def decide(self, path: str, value: Any) -> Any:
        """What was decided at `path`: `value`, unless it was decided before. For all that depends on timing or chance.

        JSON goes in and out: a tuple comes back as a list.
        """
        return await self.journal.decide(path, value)

    async def end(self) -> tuple[str, Usage]:
        """When the report was written, in UTC, and what the run took. Comes last: no ask may follow it."""
        await self.journal.close(grace=GRACE_SECONDS)
        return await self.journal.end(created_at=now())

    def lane(self, provider: str) -> Gate:
        """Lets a quarter of all calls be searches of a provider: while it has us wait, others must not wait too."""
        return self.lanes.setdefault(provider, Gate(max(1, self.run.limits.max_concurrency // 4)))

    def priority(self, subtask: Subtask | None) -> Priority:
        """Calls of the run as a whole go first, then by importance; `Limits.order` settles ties."""
        if subtask is None:
            return ()
        subtask = self.board.current(subtask.subtask_id)
        match self.run.limits.order:
            case "breadth_first":
                tie: Priority = (subtask.depth, subtask.priority)
            case "depth_first":
                tie = (-subtask.depth, subtask.priority)
            case "hybrid":
                tie = (subtask.priority, subtask.depth)
        return (-subtask.estimated_importance, *tie)


async def together(*calls: Awaitable[T]) -> list[T]:
    """The results of calls made side by side, in order; when one fails, all have ended before its error is raised.

    So the journal holds the same answers at every branch, however the calls overtake each other.
    """
    results = await asyncio.gather(*calls, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return cast(list[T], results)


async def both(first: Awaitable[T], second: Awaitable[U]) -> tuple[T, U]:
    """As `together`, of two calls whose results differ in type."""
    one, other = await together(cast(Awaitable[Any], first), cast(Awaitable[Any], second))
    return one, other


def request_digest(*parts: str) -> str:
    """SHA-256 of the parts: what the journal finds an answer by."""
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def now() -> str:
    """The time: ISO 8601, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
