"""The door to the sources: what they are asked goes through the journal, and what they tell into the state."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence

from fathom.engine.context import Context
from fathom.engine.gate import Gate
from fathom.engine.journal import Phase
from fathom.errors import BudgetSpent, NotFound, ProviderError
from fathom.events import Event
from fathom.evidence import Query, SourceDescription, text_digest
from fathom.outcomes import together
from fathom.plan import Subtask
from fathom.ports.source import SourceAnswer


class PlacedCalls:
    """The calls of a source at one place of a run (see `fathom.ports.source.SourceCalls`)."""

    def __init__(self, context: Context, path: str = "", subtask: Subtask | None = None) -> None:
        self.run, self.replay, self.subtask = context.run, context.replay, subtask
        self.decide, self.decision = context.journal.decide, context.journal.decision
        self.buy, self.has_read = context.journal.buy, context.journal.budget.has_read
        self._context, self._path = context, path

    def at(self, place: str) -> str:
        """The path of a place below this one."""
        return "/".join(filter(None, (self._path, place)))

    async def emit(self, event: Event) -> None:
        """Have it told."""
        await self._context.emit(event)

    def revision(self, name: str) -> str:
        """Of what a source has described."""
        return next((each.revision for each in self._context.state.material.sources if each.name == name), "")

    async def call(
        self,
        path: str,
        kind: str,
        request: str,
        perform: Callable[[], Awaitable[str]],
        *,
        shared: bool = True,
        phase: Phase = "research",
        lane: str = "",
        first: bool = False,
    ) -> str:
        """The answer, from the journal or from `perform`."""
        context, priority = self._context, () if first else self._context.priority(self.subtask)
        gate = context.lanes.setdefault(lane, Gate(max(1, self.run.limits.max_concurrency // 4))) if lane else None
        if gate:
            await gate.enter(priority)
        try:
            return await context.journal.call(
                path, kind, request, perform, phase=phase, shared=shared, priority=priority
            )
        finally:
            if gate:
                gate.leave()

    async def failed(self, name: str, error: ProviderError, *, stands_alone: bool = True) -> None:
        """Take the failure down, and tell it."""
        if not isinstance(error, BudgetSpent):  # which is told as the reason why the report is incomplete
            self._context.state.material.fail(name, error, stands_alone=stands_alone)
        await self._context.tell_failure(f"search {name}", error, self.subtask)

    def missed(self) -> None:
        """Take it down for the report."""
        self._context.state.material.missed = True

    async def keep_snapshot(self, sha256: str, text: str) -> None:
        """Store a text with the run."""
        await self._context.store.add_snapshot(self.run.run_id, sha256, text, fence=self._context.fence)


async def begin(context: Context) -> None:
    """See what this attempt may ask."""
    context.sources = {source.name: source for source in await context.at_hand.begin(PlacedCalls(context))}
    context.state.material.trails = {name: source.trail for name, source in context.sources.items()}


async def described(
    context: Context, sources: Iterable[SourceDescription], words: str, path: str, subtask: Subtask
) -> tuple[SourceDescription, ...]:
    """What sources hold near some words; one that cannot say it now is as it has described itself before."""

    async def described(source: SourceDescription) -> SourceDescription:
        try:
            return await context.sources[source.name].describe(words, PlacedCalls(context, path, subtask))
        except ProviderError:
            return source

    return tuple(await together(*map(described, sources)))


async def search(
    context: Context,
    name: str,
    path: str,
    queries: Sequence[Query],
    *,
    subtask: Subtask | None = None,
    limit: int | None = None,
    recall: bool = False,
) -> SourceAnswer:
    """What a source finds for a round of queries, or knows from the question as a whole; it goes into the state.

    `limit` is the number of passages of a query; without it, that of the run.
    """
    source, material = context.sources[name], context.state.material
    ask = source.recall if recall else source.search
    calls = PlacedCalls(context, path, subtask)
    found = await ask(queries, limit=limit or context.run.limits.max_passages, calls=calls)
    pages = material.pages_of(subtask.subtask_id if subtask else "")
    for answer in filter(None, found.answers):
        material.lacks.update(answer.lacks)
        for document in answer.documents:
            material.holders.setdefault(document.sha256, name)
            if document.sha256 not in pages:
                material.documents.setdefault(document.sha256, document)
    return found


async def text_of(context: Context, sha256: str) -> str:
    """The whole text of a document that is kept with the run; empty when none is: nothing can be quoted from it."""
    try:
        return await context.store.snapshot(sha256)
    except NotFound:
        return ""


async def keep_snapshot(context: Context, sha256: str) -> bool:
    """Store the text of a document with the run, so that evidence can always be checked against it.

    `False` when the source no longer has it as it was; decided once, since a source may change.
    """
    path = f"snapshot/{sha256}"
    if context.replay or context.journal.decision(path) is not None:
        return bool(await context.decide(path, False))
    try:
        text = await context.store.snapshot(sha256)
    except NotFound:
        try:
            text = await context.sources[context.state.material.holders[sha256]].snapshot(sha256)
        except (NotFound, ProviderError):
            return bool(await context.decide(path, False))
    kept = text_digest(text) == sha256
    if kept:
        await context.store.add_snapshot(context.run.run_id, sha256, text, fence=context.fence)
    return bool(await context.decide(path, kept))
