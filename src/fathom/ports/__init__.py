"""The promises between the engine and the adapters."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from pydantic import Field

from fathom.frozen import FrozenModel, later
from fathom.limits import Limits, Tier
from fathom.plan import Mode
from fathom.preferences import ReportTemplate
from fathom.report import Report, Tally, Verdicts
from fathom.steering import Approval

if TYPE_CHECKING:
    from fathom.asks import Ask
    from fathom.events import Event, StoredEvent
    from fathom.evidence import Query, Retrieval, SourceDescription

A = TypeVar("A", bound=FrozenModel)
Phase = Literal["research", "report"]
"""Calls of the report are always allowed: what was found is written up whatever limit binds."""


class CallUsage(FrozenModel):
    """What one call to a model took."""

    model: str
    """`provider:model`."""
    tier: Tier
    """The tier that it was asked for."""
    prompt_tokens: int = Field(default=0, ge=0)
    """Tokens sent."""
    completion_tokens: int = Field(default=0, ge=0)
    """Tokens received."""
    cost_usd: float = Field(default=0.0, ge=0)
    """US dollars; when the price is not known, at one that next to no model has."""
    priced: bool = True
    """Whether the price is known."""
    estimated: bool = False
    """Whether the tokens are counted by Fathom because the provider told none."""
    cached: bool = False
    """Whether an earlier answer was used, so that nothing was paid."""
    held_tokens: int = Field(default=0, ge=0)
    """What the caps are held against, where it is more: what Fathom counts, or what a call can take at most."""
    held_usd: float = Field(default=0.0, ge=0)
    """The same in US dollars."""

    @property
    def tokens(self) -> int:
        """Sent and received."""
        return self.prompt_tokens + self.completion_tokens


class ModelCall(FrozenModel):
    """A request to a model, as far as the journal and the budget need to know it."""

    ask: str
    """Name of the ask that it serves."""
    request: str
    """Digest of everything that the answer depends on: model, messages, schema, parameters."""
    attempt: int = Field(default=1, ge=1)
    """Counts the tries of the same request."""
    expected: CallUsage
    """What it will take: the prompt as counted, and an answer of usual length; held is what it can take at most."""
    prompt: tuple[tuple[str, str], ...] = Field(default=(), repr=False)
    """The messages, each with its role, for a trace: the journal keeps no prompt."""


class ModelReply(FrozenModel):
    """What a model wrote."""

    text: str
    """Its answer as it came: JSON or text."""
    usage: CallUsage
    """What it took."""
    finish: Literal["stop", "length"] = "stop"
    """`length` says that the answer was cut."""
    only_thoughts: bool = later(False)
    """Whether the model has shown what it thinks, and no answer."""


class Calls(Protocol):
    """A reasoner's door to paid services: each request goes through the run's journal and its budget."""

    async def make(
        self,
        call: ModelCall,
        perform: Callable[[], Awaitable[ModelReply]],
        *,
        usable: Callable[[ModelReply], bool] | None = None,
    ) -> ModelReply:
        """The reply to `call`: from this run's journal, from an earlier run's, or from `perform`.

        Args:
            usable: Whether an earlier run's reply is of use; without it, every one is.

        Raises:
            LimitReached: the run has stopped; it is written up.
            BudgetSpent: research, or the report, may spend no more; the rest is done without a model.
            ProviderError: the call failed; another attempt is a call of its own.
        """
        ...

    async def wait(self, seconds: float, *, gone: str | None = None) -> None:
        """Wait before a call, but no longer than the run has time.

        Args:
            gone: What to tell the user of a server that is waited for, empty when it was told. In the report, too, such
                a wait ends when the run is stopped.

        Raises:
            LimitReached, BudgetSpent: as for `make`; the time is up, or the run was stopped meanwhile.
        """
        ...

    def tell(self, heading: str, text: str) -> None:
        """Show a block of the report that has been written, under its heading, to those who follow the run."""
        ...


@dataclass(frozen=True)
class Answered(Generic[A]):
    """An answer and how it came about."""

    answer: A
    """Of the type that the ask names."""
    stood_in: str = ""
    """Why the extractive reasoner has answered in place of a model; empty when it has not."""
    left_out: int = 0
    """Passages or findings of the ask that the model was not shown, for want of room."""
    invented: int = 0
    """Ids in the answer that the model was not given; they were dropped."""
    is_missed: bool = False
    """Whether it stands in for want of a provider, so that it is worth asking again."""
    by_model: bool = False
    """Whether a model has given it."""


class Reasoner(Protocol):
    """The one door to judgement."""

    name: str
    """Its name in the settings."""
    version: str
    """Changes whenever the same ask may get another answer: model, prompts, rules."""
    deterministic: bool
    """Whether the same ask always gets the same answer, so that equal asks of a run are one call."""
    metered: bool
    """Whether it answers by calls of its own, each of them journaled, counted and paid for."""

    async def answer(self, ask: Ask[A], calls: Calls) -> Answered[A]:
        """The answer, of the type that the ask names.

        Raises:
            LimitReached: the run has stopped (see `Calls`).
            ProviderError: no usable answer.
        """
        ...

    async def close(self) -> None:
        """Let go of what it holds open."""
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


def knows(embedder: Embedder, language: str) -> bool:
    """Whether texts in a language, by its ISO 639-1 code, get useful vectors."""
    return embedder.multilingual or language == "en"


class Retriever(Protocol):
    """Finds passages in documents: a knowledge base, or the snapshots of a run (see `fathom.sources.documents`)."""

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


RunStatus = Literal["planned", "queued", "running", "completed", "partial", "failed"]
ACTIVE: tuple[RunStatus, ...] = ("queued", "running")
"""Of a run that is under way or waits for a worker."""
BY_ITS_PERSON = ("declined", "cancelled")
"""Of a run that has ended without a report because its person wanted that."""


class RunRecord(FrozenModel):
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
    """How the sources are set up: name of the knowledge base, paths; the `template` of the report; the runs that it
    follows or is a fork of; and when it was `imported`, if it was carried out elsewhere."""
    reasoner: str
    """Name and version."""
    models: dict[str, Any] = {}
    """The settings of the language models, by name, secrets excluded; empty without one."""
    version: str
    """Fathom's version."""
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """When it last changed."""
    status: RunStatus
    """`planned` when a model has made the plan and nobody has begun to carry it out; `queued` while it waits for a
    worker (see `fathom.ports.queue`). `running` also for a run whose process has died: it waits to be resumed."""
    partial: str | None = None
    """Why its report is incomplete."""
    attempt: int = 1
    """Counts how often the run was taken up anew after it had ended with a partial report."""
    seconds: float = 0.0
    """Wall time spent so far, pauses excluded."""
    stop_requested: bool = False
    """Whether somebody has asked it to finish early; whoever carries it out looks here."""
    title: str | None = None
    """Title of its report; `None` when it has none yet."""
    claims: Verdicts | None = None
    """How the sentences of its report stand to what they cite; `None` when it has none yet."""
    error: str | None = None
    """Why it has failed; `None` when it has not."""
    failure: str = later("")
    """What has failed, for programs: the `kind` of the error, `declined` when its person did not want the plan, or
    `cancelled` when it was stopped before it had begun; empty when it has not."""
    tally: Tally | None = later(None)
    """What came of its question; `None` when it has no report yet, or was stored by an earlier version."""
    name: str = later("")
    """What its person calls it in place of its question; mostly empty."""
    pinned: bool = later(False)
    """Whether its person wants it at the top."""
    waiting_for: tuple[Approval, ...] = later(())
    """What it waits for its person to approve."""

    @property
    def template(self) -> ReportTemplate | None:
        """The outline that the user has brought."""
        given = self.sources.get("template")
        return ReportTemplate.model_validate(given) if given else None

    @property
    def is_active(self) -> bool:
        """Whether it is under way or waits for a worker, so that more events are to come."""
        return self.status in ACTIVE

    @property
    def earlier(self) -> str | None:
        """The run that it is again: which it updates, or was forked from."""
        return self.sources.get("update_of") or self.sources.get("fork_of")

    @property
    def kb(self) -> str | None:
        """Name of the knowledge base that it asks; `None` when the web or data alone are asked."""
        return self.sources.get("kb") if self.sources.get("knowledge", True) else None

    @property
    def imported(self) -> str:
        """When it was imported: ISO 8601, UTC; empty when it was carried out here."""
        return str(self.sources.get("imported", ""))

    @property
    def follows(self) -> str:
        """Id of the run that its question follows; empty when it stands by itself."""
        return str(self.sources.get("follows", ""))

    @property
    def about(self) -> str:
        """Id of the claim of that run's report that it researches further; empty when it is about the whole."""
        return str(self.sources.get("about", ""))

    @property
    def thread(self) -> str:
        """Id of the run that its thread began with: its own when it follows nobody."""
        return str(self.sources.get("thread", self.run_id))

    @property
    def standing(self) -> str:
        """How it stands, as a list shows it: one that is completed may have found nothing."""
        found_nothing = self.status == "completed" and self.claims == Verdicts()
        ended = self.failure if self.status == "failed" and self.failure in BY_ITS_PERSON else self.status
        return self.partial or ("nothing found" if found_nothing else ended)


class JournalEntry(FrozenModel):
    """One call of a run."""

    seq: int
    """Order of completion in the run, 1 first."""
    path: str
    """Where in the run: `task_1/r0/extract`."""
    kind: str
    """Name of the ask, `search`, `recall`, `describe`, `web_search`, `read`, `keep`, `dataset` or `tool`; `decide` for
    a decision, `failed` for a call that failed."""
    request: str
    """Digest of what was asked."""
    answer: str
    """The answer as JSON."""
    seconds: float
    """How long the call took."""
    usage: CallUsage | None = None
    """What a call to a model took; `None` for all else."""


class News(NamedTuple):
    """What is new of a run."""

    status: RunStatus
    """Of the run, before the events were looked at: of one that has ended, these are the last."""
    last: int
    """Number of its last event; 0 when it has none."""
    events: list[StoredEvent]
    """Those that were asked for."""

    @property
    def is_active(self) -> bool:
        """Whether more events are to come."""
        return self.status in ACTIVE


class EndedRun(NamedTuple):
    """All that a store has of a run."""

    run: RunRecord
    journal: Iterable[JournalEntry]
    events: Iterable[StoredEvent]
    snapshots: Callable[[], Iterable[tuple[str, str]]]
    """Gives the digests and the texts of what was read, one at a time."""
    report: Report


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

    async def runs(
        self,
        *,
        limit: int = 100,
        before: str | None = None,
        statuses: Collection[RunStatus] = (),
        text: str = "",
        thread: str = "",
        kb: str = "",
        pinned: bool | None = None,
    ) -> list[RunRecord]:
        """Newest first.

        Args:
            before: Only those that were created before the run of this id.
            statuses: Only those with one of these; all without any.
            text: Only those whose question or name holds it, in whatever case.
            pinned: Only those that are pinned, or that are not.
            thread: Only those of the thread that began with the run of this id.
            kb: Only those that belong to the knowledge base of this name.

        Raises:
            NotFound: `before` names no run.
        """
        ...

    async def counts(self) -> dict[RunStatus, int]:
        """How many runs there are of each status that any has."""
        ...

    async def delete_run(self, run_id: str) -> None:
        """Remove a run with all that is only its own.

        Raises:
            NotFound: no such run.
        """
        ...

    async def prune(self, before: str, *, keep_reports: bool, dry_run: bool) -> tuple[list[str], int]:
        """Remove the runs that were touched last before a moment (ISO 8601, UTC), none that is at work or waits.

        Args:
            keep_reports: Leave the report of one that has it, with the texts it cites.
            dry_run: Only say what that would do.

        Returns:
            The ids of the runs, oldest first, and how many bytes are free by that.
        """
        ...

    async def acquire(self, run_id: str) -> int:
        """Become the owner of a run. The returned fence is larger than all before; earlier owners are fenced off.

        Raises:
            Conflict: another process owns it and is known to be at work.
        """
        ...

    def release(self, run_id: str) -> None:
        """Own the run no more, so that another process may; nothing happens when this one does not."""
        ...

    async def update_run(self, run_id: str, *, fence: int, **changes: Any) -> RunRecord:
        """Change fields of the record.

        Raises:
            Fenced: another owner has come since.
        """
        ...

    async def record(
        self,
        run_id: str,
        *,
        fence: int,
        path: str,
        kind: str,
        request: str,
        answer: str,
        seconds: float,
        usage: CallUsage | None = None,
    ) -> str:
        """Store the answer of a call, unless the path already has one for that request; return what is stored.

        Raises:
            Fenced: another owner has come since.
        """
        ...

    async def mend(self, run_id: str) -> None:
        """Forget the calls and the events of a run that are not as they were stored, so that they are made again."""
        ...

    async def reply(self, request: str) -> str | None:
        """The newest answer of any run, or else of none, to a model call with that digest; `None` without one."""
        ...

    async def keep_reply(self, request: str, answer: str) -> None:
        """Store the answer to a model call that belongs to no run, in place of an earlier one."""
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

    async def label(self, run_id: str, *, name: str | None = None, pinned: bool | None = None) -> RunRecord:
        """Call a run otherwise, or pin it; what is `None` stays. It is no part of the research: nobody need own it.

        Raises:
            NotFound: no such run.
        """
        ...

    async def request_stop(self, run_id: str, *, wanted: bool = True) -> RunRecord:
        """Ask whoever carries the run out to finish early, or take that back; nobody is fenced off.

        A run that has ended is not asked: it stays as it is.

        Raises:
            NotFound: no such run.
        """
        ...

    async def direct(self, run_id: str, key: str, said: str) -> None:
        """Store what somebody tells a run that is under way, as JSON; nobody is fenced off. The first one stands.

        Raises:
            NotFound: no such run.
            Conflict: something is said under that key already, or the run is not under way.
        """
        ...

    async def directions(self, run_id: str) -> dict[str, str]:
        """What the run was told, by key, in the order of being said.

        Raises:
            NotFound: no such run.
        """
        ...

    async def events(self, run_id: str, *, after: int = 0, limit: int | None = None) -> list[StoredEvent]:
        """The run's events so far from the first one behind `after`, at most `limit`.

        Raises:
            NotFound: no such run.
        """
        ...

    async def news(self, after: Mapping[str, int], *, limit: int) -> dict[str, News]:
        """What is new of several runs at once, in one look: for each, at most `limit` events behind the number given
        for it. A run that is gone is missing."""
        ...

    @property
    def stirring(self) -> asyncio.Event:
        """Set, and replaced, whenever this process has stored an event or a status: take it before you look. What
        other processes store announces itself to nobody."""
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

    async def snapshots(self, run_id: str) -> list[str]:
        """Digests of the documents whose text is kept with the run, in order of digest.

        Raises:
            NotFound: no such run.
        """
        ...

    async def save_report(self, run_id: str, report: Report, *, fence: int) -> None:
        """Store the run's report, in place of an earlier partial one.

        Raises:
            Fenced: another owner has come since.
        """
        ...

    async def adopt(self, ended: EndedRun) -> None:
        """Store a run that has ended elsewhere with all that it has, or nothing of it.

        No other run takes over what the models of one that was `imported` are said to have answered.

        Raises:
            UsageError: its id is taken.
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
