"""The promise between the engine and its sources: the one door to the world, as `Reasoner` is the one to judgement."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from fathom.browsing import ArchivedPage, PageLink, Reach, SearchResults
from fathom.data.fields import DatasetDescription, DataTool
from fathom.data.requests import DataRequest
from fathom.data.turns import ToolAnswer
from fathom.errors import ProviderError
from fathom.events import Event
from fathom.evidence import Query, Retrieval, SourceDescription
from fathom.plan import Subtask
from fathom.ports import Phase, RunRecord


class SourceCalls(Protocol):
    """A source's door to the run, at one place of it: what it asks goes through the run's journal and its limits."""

    run: RunRecord
    replay: bool
    """Whether nothing may be asked, decided or stored."""
    subtask: Subtask | None
    """Whom the source is asked for; `None` for the question as a whole."""

    def at(self, place: str) -> str:
        """The path of a place below this one: `task_1/r0/search/knowledge/0`."""
        ...

    def revision(self, name: str) -> str:
        """Of the content that a source has described; empty before it has."""
        ...

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
        """The answer, as JSON, to what `request` is the digest of: from the journal, or from `perform`.

        Args:
            shared: Whether equal requests of the run are one call, whatever their paths.
            lane: Whom it keeps waiting: a quarter of all calls may be under way there, so that others need not wait.
            first: Whether it goes before what is more important: it asks nobody.

        Raises:
            LimitReached: the run has stopped, and this call was not made before.
            ProviderError: the call failed.
        """
        ...

    async def buy(
        self, path: str, request: str, cost_usd: float, perform: Callable[[], Awaitable[SearchResults]]
    ) -> SearchResults:
        """The answer to a search that costs so many dollars; one that fails is not paid for.

        Raises:
            BudgetSpent: research may not spend as much any more.
            ProviderError: it failed.
        """
        ...

    def has_read(self) -> None:
        """Take down that a page was asked for and read."""
        ...

    async def decide(self, path: str, value: Any) -> Any:
        """What was decided at `path`: `value`, unless it was decided before. JSON goes in and out."""
        ...

    def decision(self, path: str) -> Any:
        """What was decided at `path`; `None` when nothing was."""
        ...

    async def emit(self, event: Event) -> None:
        """Have an event told."""
        ...

    async def failed(self, name: str, error: ProviderError, *, stands_alone: bool = True) -> None:
        """Take down and tell that a search failed at `name`; another one may answer in place of what does not stand
        alone."""
        ...

    def missed(self) -> None:
        """Take down that something was done without a provider that could not be reached."""
        ...

    async def keep_snapshot(self, sha256: str, text: str) -> None:
        """Store a text with the run."""
        ...


class SourceAnswer(NamedTuple):
    """What came of a round of queries."""

    answers: Sequence[Retrieval | None] = ()
    """Of each query in order; `None` when the source gave none, which is told. None at all when it was not asked."""
    stopped: str = ""
    """The limit of the run that has cut the round off; empty when none has."""


@dataclass
class Trail:
    """What a run has come upon in a source so far: every process makes it again from the journal."""

    found: set[str] = field(default_factory=set)
    """What its searches have found: documents, or pages that may be read."""
    read: set[str] = field(default_factory=set)
    """Those of them that were fetched."""
    pages: dict[str, dict[str, ArchivedPage]] = field(default_factory=dict)
    """The web pages of each subtask by `sha256`, in the order of their worth; `""` has those of the question itself.

    A text may have several addresses: which of them a subtask has met must not depend on what another one does.
    """
    links: dict[str, dict[str, PageLink]] = field(default_factory=dict)
    """Where these pages lead, by subtask and address; none that the subtask has met or opened."""
    holdings: dict[str, SourceDescription] = field(default_factory=dict)
    """What these pages hold, by subtask."""
    dataset: DatasetDescription | None = None
    """Fields and tools of what can be counted, once it has told them."""


class Source(Protocol):
    """Something that is asked: documents, the web, a dataset. It is made for one attempt of a run.

    What it can do its description says: searching, which is here; counting and scanning (see `CountingSource`).
    """

    name: str
    """Its name in allocations: `knowledge`, `web`, `events`."""
    reach: Reach | None
    """What it may ask of others, for what nobody has at hand; `None` when it holds what it finds."""
    trail: Trail

    async def describe(self, query: str, calls: SourceCalls) -> SourceDescription:
        """What a planner may know before it is asked anything: what there is, and what of it lies near `query`.

        Raises:
            LimitReached: the run has stopped.
            ProviderError: it cannot be reached.
        """
        ...

    async def search(self, queries: Sequence[Query], *, limit: int, calls: SourceCalls) -> SourceAnswer:  # noqa: ARG002
        """At most `limit` passages for each query of a round, best first, of all that the source can come by.

        A failure is told, and answered with `None`. A source that cannot search has no answers.

        Raises:
            StoreError: what it keeps cannot be read.
        """
        return SourceAnswer()

    async def recall(self, queries: Sequence[Query], *, limit: int, calls: SourceCalls) -> SourceAnswer:  # noqa: ARG002
        """The same, of what was fetched for the question as a whole: it costs no request.

        It shows where a source that reaches out disagrees with those that need not.
        """
        return SourceAnswer()

    async def snapshot(self, sha256: str) -> str:
        """The whole text of a document that it has found.

        Raises:
            NotFound: no such document, or its content has changed since.
            ProviderError: the source is not there.
        """
        ...


class CountingSource(Source, Protocol):
    """A source whose records are counted and scanned by tools."""

    async def call(self, tool: DataTool, arguments: Mapping[str, Any], *, calls: SourceCalls) -> ToolAnswer:
        """What a tool returns for these arguments. The same call of the same content is made once per run.

        Raises:
            LimitReached: the run has stopped.
            ToolFailed: it says that it failed, or the dataset is no longer what the run has begun with.
            ProviderError: no usable answer.
        """
        ...

    async def ask(
        self, tool: DataTool, request: DataRequest, *, besides: Mapping[str, Any], calls: SourceCalls
    ) -> ToolAnswer:
        """The same for a request, `besides` with other arguments of the tool's own; what is too large, or takes too
        long, is asked for again in half the size."""
        ...


class Sources(Protocol):
    """All that a process can ask."""

    async def begin(self, calls: SourceCalls) -> Sequence[Source]:
        """What this attempt of a run may ask, each thing new; a later process and a replay follow what was decided."""
        ...
