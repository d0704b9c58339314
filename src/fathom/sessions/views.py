"""Sessions as a client sees them: what the store knows, without what only this machine may know."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Self
from weakref import WeakKeyDictionary

from fathom.evidence import DocumentKind
from fathom.frozen import FrozenModel
from fathom.limits import Limits
from fathom.plan import Mode, SubtaskStatus
from fathom.ports import RunRecord, RunStatus, RunStore
from fathom.report import Verdicts
from fathom.sessions.library import document_id
from fathom.sessions.outcome import Outcome, outcome_of
from fathom.sessions.progress import Row, RunProgress, SourceRow, Stage, Step
from fathom.sessions.requests import WebConfig
from fathom.steering import About
from fathom.text.places import Unplaced
from fathom.wiring import rules_of

KEPT = 256
"""Sessions of a store whose events are not read anew with every look."""
SOURCES_TOLD = 6
"""At most so many of what a session has read are told while it goes on; its results have them all."""


class SessionSources(FrozenModel):
    """What a session asks. Files and servers are named and not located."""

    kb: str | None
    """Name of the knowledge base; `None` when the web or data alone are asked."""
    documents: tuple[str, ...] = ()
    """Ids of the documents that it keeps to; all of the knowledge base without any."""
    web: WebConfig | None = None
    """What of the web; `None` when it is left alone."""
    datasets: tuple[str, ...] = ()
    """Names of the datasets."""

    @classmethod
    def of(cls, run: RunRecord) -> Self:
        """The sources of a run's record."""
        web = None
        if rules := rules_of(run):
            since = date.fromisoformat(rules.since) if rules.since else None
            web = WebConfig(allow=rules.allow, deny=rules.deny, since=since, refresh=rules.refresh)
        return cls(
            kb=run.kb,
            documents=tuple(document_id(path) for path in run.sources.get("paths", ())),
            web=web,
            datasets=tuple(each["name"] for each in run.sources.get("data", ())),
        )


class Expense(FrozenModel):
    """What a session has taken so far."""

    calls: int
    """Calls to reasoner, models, sources and the web."""
    tokens: int
    """Tokens sent to and received from models."""
    cost_usd: float
    """US dollars, as far as prices are known."""


class SubtaskView(FrozenModel):
    """A subtask as it stands."""

    subtask_id: str
    """`task_1`; a child of it is `task_1.1`."""
    parent_id: str | None
    """The subtask that it deepens; `None` at the root level."""
    depth: int
    """0 at the root level."""
    description: str
    """The sub-question."""
    priority: int
    """Its place in the order, 1 first."""
    status: SubtaskStatus
    """How far it is."""
    doing: Unplaced
    """What it is doing, in a few words; of a subtask that has ended, how it ended."""
    passages: int
    """Passages that were found."""
    findings: int
    """What was found in them."""

    @classmethod
    def of(cls, row: Row) -> Self:
        """A row of the progress."""
        return cls.like(row, parent_id=row.subtask_id.rpartition(".")[0] or None)


class SubtaskProgress(SubtaskView):
    """A subtask as it stands while a session goes on."""

    step: Step
    """What it is doing, or how it ended."""
    started: datetime | None
    """When research on it has begun."""
    ended: datetime | None
    """When that has ended."""


class SourceProgress(FrozenModel):
    """A document, a page or a dataset that was read, or that something was found in."""

    number: int
    """1 for the first that was met."""
    kind: DocumentKind
    """Where it comes from."""
    title: Unplaced
    """Its title."""
    host: str
    """Whose it is, of a page; empty for all else."""
    records: int
    """Records that were read of a dataset."""
    findings: int
    """Findings that were shown of a document or a page."""

    @classmethod
    def of(cls, number: int, row: SourceRow) -> Self:
        """A row of the progress."""
        return cls.like(row, number=number)


class Progress(FrozenModel):
    """How far a session is."""

    step: Step
    """What it is doing as a whole, or how it ended."""
    stage: Stage
    """Which of its four parts it is in; of one that has ended, the one that it has come to."""
    started: datetime | None
    """When it was taken up last."""
    spent: Expense | None
    """What it has taken; `None` before it was taken up."""
    pages: int
    """Web pages that were read."""
    datasets: int
    """Datasets that are researched."""
    records: int
    """Records of them that were read."""
    read: int
    """Documents, pages and datasets that were read, or that something was found in."""
    sources: tuple[SourceProgress, ...] | None
    """The last of them, newest first; `None` when they are as they were told last."""
    whole: bool
    """Whether `subtasks` has them all."""
    subtasks: dict[str, SubtaskProgress]
    """By id; without `whole`, those alone that have changed since this was told last."""

    @classmethod
    def of(cls, progress: RunProgress) -> Self:
        """All of what a run's events amount to."""
        newest = list(enumerate(progress.sources.values(), 1))[: -SOURCES_TOLD - 1 : -1]
        return cls.like(
            progress,
            spent=Expense.like(progress.spent) if progress.spent else None,
            datasets=len(progress.datasets),
            records=sum(sum(scanned.values()) for scanned in progress.datasets.values()),
            read=len(progress.sources),
            sources=tuple(SourceProgress.of(number, row) for number, row in newest),
            whole=True,
            subtasks={row.subtask_id: SubtaskProgress.of(row) for row in progress.tree()},
        )

    def since(self, known: Progress | None) -> Progress:
        """What of it is to be told to a viewer who knows all of an earlier one."""
        if known is None or not known.subtasks or not known.subtasks.keys() <= self.subtasks.keys():
            return self
        changed = {id: each for id, each in self.subtasks.items() if known.subtasks.get(id) != each}
        sources = self.sources if self.sources != known.sources else None
        return self.model_copy(update={"whole": False, "subtasks": changed, "sources": sources})


class SessionSummary(FrozenModel):
    """A session as a listing shows it."""

    id: str
    """Its id."""
    query: str
    """The question."""
    language: str
    """ISO 639-1 code of the language of the question."""
    mode: Mode
    """As it was asked for."""
    status: RunStatus
    """`queued` until it is taken up; `running` until it has ended."""
    partial: Unplaced | None
    """Why its report is incomplete."""
    standing: Unplaced
    """How it stands, in short: `nothing found` when it is completed without a sentence, `declined` or `cancelled` when
    its person did not want it, else `partial` or `status`."""
    outcome: Outcome
    """The same for who tells it in words of their own, with what came of its parts and of its sentences."""
    name: str
    """What its person calls it in place of its question; mostly empty."""
    pinned: bool
    """Whether its person wants it at the top."""
    stop_requested: bool
    """Whether it was asked to finish early and has not yet."""
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """When it last changed."""
    seconds: float
    """Wall time that it has taken so far, pauses excluded."""
    attempt: int
    """Counts how often it was taken up anew after it had ended."""
    reasoner: str
    """Name and version of what judges."""
    title: str | None
    """Title of the report; `None` as long as there is none."""
    error: Unplaced | None
    """Why it has failed; `None` when it has not."""
    failure: str
    """What has failed, for programs: `set_up`, `outside`, `store`, `declined`, `cancelled` or `other`; mostly empty."""
    claims: Verdicts | None
    """How the sentences of the report stand to what they cite; `None` as long as none is checked."""
    last_event: int
    """Number of its last event; 0 when it has none."""
    earlier: str | None
    """Id of the session that it is again: which it updates, or was forked from."""
    follows: str
    """Id of the session that its question follows; empty when it stands by itself."""
    about: str
    """Id of the sentence of that session's report that it researches further; empty when it is about the whole."""
    thread: str
    """Id of the session that its thread began with: its own when it follows none."""
    kb: str | None
    """Name of the knowledge base that it asks, which may have been removed; `None` for the web or data alone."""
    imported: str
    """When it was imported: ISO 8601, UTC; empty when it was carried out here."""
    waiting_for: tuple[About, ...]
    """What it waits for its person to approve (see `list_approvals`); mostly nothing."""


class SessionView(SessionSummary):
    """A session with all that is told of it while it goes on."""

    sources: SessionSources
    """What it asks."""
    limits: Limits
    """The limits in force."""
    model: str | None
    """The language model that it asks; `None` without one."""
    spent: Expense | None
    """What it has taken; `None` before it was taken up."""
    subtasks: tuple[SubtaskView, ...]
    """Its subtasks, each behind its parent."""


@dataclass
class _Folded:
    """What the first events of a session amount to. They never change, so that only those behind them are read."""

    progress: RunProgress = field(default_factory=RunProgress)
    last: int = 0
    """Number of the last event that was taken in."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by who reads on."""


_KEPT: WeakKeyDictionary[RunStore, dict[str, _Folded]] = WeakKeyDictionary()
"""Of each store, the sessions that were looked at last, by id."""


async def _folded(store: RunStore, run_id: str, *, least: int | None = None) -> _Folded:
    """What all events of a session amount to by now, or by when it had told `least` of them.

    Raises:
        NotFound: it is gone.
    """
    kept = _KEPT.setdefault(store, {})
    folded = kept[run_id] = kept.pop(run_id) if run_id in kept else _Folded()
    if len(kept) > KEPT:
        del kept[next(iter(kept))]
    async with folded.lock:
        if least is None or folded.last < least:
            for stored in await store.events(run_id, after=folded.last):
                folded.progress.take(stored)
                folded.last = stored.seq
    return folded


async def session_view(store: RunStore, run: RunRecord) -> SessionView:
    """A session as it stands: `run` with what its events tell.

    Raises:
        NotFound: it is gone.
    """
    folded = await _folded(store, run.run_id)
    progress = folded.progress
    known = _known(run, folded.last)
    if run.is_active or run.status == "failed":  # of one that has a report, the record knows best
        known["title"] = progress.title or run.title
        known["claims"] = Verdicts.like(progress.checked) if progress.checked else run.claims
    if run.status == "failed":
        known["error"] = run.error or progress.error
    return SessionView.like(
        run,
        **known,
        sources=SessionSources.of(run),
        model=run.models.get("model") or run.models.get("model_strong") or run.models.get("model_fast"),
        spent=Expense.like(progress.spent) if progress.spent else None,
        subtasks=tuple(SubtaskView.of(row) for row in progress.tree()),
    )


async def session_progress(store: RunStore, run_id: str, *, least: int) -> Progress:
    """How far a session is when it has told at least so many events.

    Raises:
        NotFound: it is gone.
    """
    return Progress.of((await _folded(store, run_id, least=least)).progress)


async def session_summaries(store: RunStore, runs: Sequence[RunRecord]) -> list[SessionSummary]:
    """Sessions as a listing shows them, in the same order; one that was deleted meanwhile is left out."""
    news = await store.news({run.run_id: 0 for run in runs}, limit=0)
    return [SessionSummary.like(run, **_known(run, news[run.run_id].last)) for run in runs if run.run_id in news]


def _known(run: RunRecord, last: int) -> dict[str, Any]:
    """What a summary has under other names than the record, or in other words; `last` is the number of its last event.

    What it waits for is told once of each kind.
    """
    waiting_for = tuple(dict.fromkeys(each.about for each in run.waiting_for))
    return {"id": run.run_id, "outcome": outcome_of(run), "last_event": last, "waiting_for": waiting_for}
