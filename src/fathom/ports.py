"""The promises between the engine and the adapters."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any, Literal, Protocol, TypeVar

from fathom.asks import Ask
from fathom.events import Event, StoredEvent
from fathom.evidence import Query, Retrieval, SourceDescription
from fathom.limits import Limits
from fathom.noun import Noun
from fathom.plan import Mode
from fathom.report import Report

A = TypeVar("A", bound=Noun)


class Reasoner(Protocol):
    """The one door to judgement."""

    name: str
    """Its name in the settings."""
    version: str
    """Changes whenever the same ask may get another answer: model, prompts, rules."""
    deterministic: bool
    """Whether the same ask always gets the same answer, so that equal asks of a run are one call."""

    async def answer(self, ask: Ask[A]) -> A:
        """The answer, of the type that the ask names.

        Raises:
            ProviderError: no usable answer.
        """
        ...


class Embedder(Protocol):
    """Turns texts into vectors whose inner product is their similarity."""

    name: str
    """Model and version; vectors of different names are never compared."""
    dimensions: int
    """How many numbers a vector has; 0 until the first answer has told."""
    multilingual: bool
    """Whether texts in Chinese, Japanese or Korean get useful vectors."""

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """One vector of length 1 per text, in order; the same text gets the same vector.

        Raises:
            ConfigurationError: the key or the model is wrong.
            ProviderError: no usable answer.
        """
        ...

    async def close(self) -> None:
        """Let go of what it holds open."""
        ...


class Retriever(Protocol):
    """Finds passages: the knowledge base, a web search, a dataset."""

    name: str
    """Its name in allocations."""

    async def describe(self, query: str) -> SourceDescription:
        """What a planner may know before asking: how much there is, and what of it lies near `query`.

        Raises:
            ProviderError: the source cannot be reached.
        """
        ...

    async def search(self, query: Query, *, limit: int) -> Retrieval:
        """At most `limit` passages, best first, at most one per span. Empty means nothing matches.

        The same query on the same `revision` gives the same retrieval.

        Raises:
            ProviderError: the source cannot be reached.
        """
        ...

    async def snapshot(self, sha256: str) -> str:
        """The whole text of a document that a retrieval has named.

        Raises:
            NotFound: no such document, or its content has changed since.
        """
        ...


RunStatus = Literal["running", "completed", "partial", "failed"]


class RunRecord(Noun):
    """A run as a listing shows it. It pins everything that its answers depend on."""

    run_id: str
    """`run_` and 12 characters that sort by time of creation."""
    query: str
    """The user's question."""
    language: str
    """ISO 639-1 code of the language of the question."""
    mode: Mode
    """As the user asked for it."""
    limits: Limits
    """The limits in force."""
    sources: dict[str, Any] = {}
    """How the sources are set up: name of the knowledge base, paths."""
    reasoner: str
    """Name and version."""
    version: str
    """Fathom's version."""
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """When it last changed."""
    status: RunStatus
    """`running` also for a run whose process has died: it waits to be resumed."""
    partial: str | None = None
    """Why its report is incomplete."""
    attempt: int = 1
    """Counts how often the run was taken up anew after it had ended with a partial report."""
    seconds: float = 0.0
    """Wall time spent so far, pauses excluded."""


class JournalEntry(Noun):
    """One call of a run."""

    seq: int
    """Order of completion in the run, 1 first."""
    path: str
    """Where in the run: `task_1/r0/extract`."""
    kind: str
    """Name of the ask, `search` or `describe`; `decide` for a decision, `failed` for a call that failed."""
    request: str
    """Digest of what was asked."""
    answer: str
    """The answer as JSON."""
    seconds: float
    """How long the call took."""


class RunStore(Protocol):
    """Runs, their journals, events, snapshots and reports. What a method has returned from is durable."""

    async def create_run(self, run: RunRecord) -> None:
        """Store a new run."""
        ...

    async def run(self, run_id: str) -> RunRecord:
        """The run with that id, or with the only id that begins so.

        Raises:
            NotFound: none has, or several have.
        """
        ...

    async def runs(self, *, limit: int = 100) -> list[RunRecord]:
        """Newest first."""
        ...

    async def delete_run(self, run_id: str) -> None:
        """Remove a run with all that is only its own.

        Raises:
            NotFound: no such run.
        """
        ...

    async def acquire(self, run_id: str) -> int:
        """Become the owner of a run. The returned fence is larger than all before; earlier owners are fenced off."""
        ...

    async def update_run(self, run_id: str, *, fence: int, **changes: Any) -> RunRecord:
        """Change fields of the record.

        Raises:
            Fenced: another owner has come since.
        """
        ...

    async def record(
        self, run_id: str, *, fence: int, path: str, kind: str, request: str, answer: str, seconds: float
    ) -> str:
        """Store the answer of a call, unless the path already has one for that request; return what is stored.

        Raises:
            Fenced: another owner has come since.
        """
        ...

    async def journal(self, run_id: str) -> list[JournalEntry]:
        """Every call of the run, in order of completion."""
        ...

    async def emit(self, run_id: str, event: Event, *, fence: int) -> StoredEvent:
        """Number and store an event.

        Raises:
            Fenced: another owner has come since.
        """
        ...

    async def events(self, run_id: str, *, after: int = 0) -> list[StoredEvent]:
        """The run's events so far from the first one behind `after`."""
        ...

    def follow(self, run_id: str, *, after: int = 0) -> AsyncIterator[StoredEvent]:
        """The run's events from the first one behind `after`, as they come, until `Finished` or `Failed`."""
        ...

    async def add_snapshot(self, run_id: str, sha256: str, text: str, *, fence: int) -> None:
        """Keep the text of a document for as long as the run is kept; a second time does nothing.

        Raises:
            Fenced: another owner has come since.
        """
        ...

    async def snapshot(self, sha256: str) -> str:
        """The text of a document that a run has used.

        Raises:
            NotFound: no run has used it.
        """
        ...

    async def save_report(self, run_id: str, report: Report, *, fence: int) -> None:
        """Store the run's report, in place of an earlier partial one.

        Raises:
            Fenced: another owner has come since.
        """
        ...

    async def report(self, run_id: str) -> Report:
        """The report of a run.

        Raises:
            NotFound: it has none yet.
        """
        ...

    async def close(self) -> None:
        """Write what is under way and let go of the file."""
        ...
