"""What research on one dataset has on its desk for a subtask; the state of its graph has ids and numbers alone."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from fathom.asks import Ask
from fathom.data.fields import DatasetDescription, DataTool
from fathom.data.met import Met
from fathom.data.paging import Paging
from fathom.data.requests import DataRequest
from fathom.data.sources import as_source
from fathom.data.turns import (
    AggregationResult,
    Phase,
    ResearchState,
    SubAgentCall,
    SubQuestion,
    ToolAnswer,
)
from fathom.engine.calls import PlacedCalls
from fathom.engine.context import Context
from fathom.engine.data.ending import Ended, Reading, TurnProgress
from fathom.engine.data.shelf import Shelf, findings_of
from fathom.errors import LOST, ProviderError
from fathom.events import ToolCalled
from fathom.evidence import Document, SourceDescription
from fathom.findings import Finding, GapAnalysis, Synthesis, Validation
from fathom.noun import Noun
from fathom.plan import Perspective, Subtask
from fathom.ports.source import CountingSource

A = TypeVar("A", bound=Noun)
LAST_BATCHES = 10
"""Batches whose number of findings is remembered."""


def conditions_of(request: DataRequest, besides: Mapping[str, Any] | None = None) -> str:
    """What decides which records match: table, words and filters, whatever the order of the filters.

    `besides` are arguments that only the tool understands.
    """
    filters = sorted(json.dumps(each.model_dump(mode="json"), sort_keys=True) for each in request.filters)
    known = [request.table, request.text, filters, *([besides] if besides else [])]
    return json.dumps(known, ensure_ascii=False, sort_keys=True, default=str)


@dataclass
class RecordPage:
    """Records that were fetched and not read yet."""

    document: Document
    conditions: str
    scope: str


@dataclass
class Desk:
    """All that is known of a dataset in a subtask. It outlives the subtask's rounds, so that nothing is done twice.

    Whoever runs side by side with others reads `state` and `seen`, which stand still during a turn; only those who read
    records, one after the other, write to `met`, `shelf` and `scans`. Everything else is written between the turns.
    """

    context: Context
    subtask: Subtask
    """With the queries that the dataset is asked for."""
    data: CountingSource
    """Whose tools are called."""
    dataset: DatasetDescription
    path: str = ""
    """Where in the run: `task_1/r0/data/events`."""
    met: Met = field(default_factory=Met)
    shelf: Shelf = field(init=False)
    source: SourceDescription = field(init=False)
    sub_questions: tuple[SubQuestion, ...] = ()
    perspectives: tuple[Perspective, ...] = ()
    results: dict[str, AggregationResult] = field(default_factory=dict)
    """Counts by the digest of their snapshot, in order."""
    documents: dict[str, Document] = field(default_factory=dict)
    """Snapshots that something rests on, by digest."""
    pages: dict[str, RecordPage] = field(default_factory=dict)
    """Records that wait for an extractor, by the digest of their snapshot."""
    scans: dict[tuple[str, str], Paging] = field(default_factory=dict)
    """By tool and conditions."""
    matched: dict[str, int] = field(default_factory=dict)
    """Records that match, by conditions."""
    total: int | None = None
    tables: set[str] = field(default_factory=set)
    """Those that were asked, where there are several."""
    last: DataRequest = field(default_factory=DataRequest)
    """The request in force: what a scan reads unless it is told otherwise."""
    besides: dict[str, Any] = field(default_factory=dict)
    """Its arguments that only the tool understands."""
    last_tool: str = ""
    promised: bool = False
    caveats: tuple[str, ...] = ()
    """What its turns have said of how the question was understood."""
    barren: int = 0
    new_findings: list[int] = field(default_factory=list)
    """Findings that each of the last batches has brought."""
    validation: Validation | None = None
    gaps: GapAnalysis | None = None
    synthesis: Synthesis | None = None
    revised: bool = False
    """Whether a validation has put the synthesizer off; once is enough."""
    turn: int = 0
    """Turns that were taken in this pass."""
    turns: int = 0
    """Turns of all passes."""
    empty: int = 0
    planner_failed: bool = False
    stopped: str = ""
    errors: tuple[str, ...] = ()
    done: list[str] = field(default_factory=list)
    made: set[str] = field(default_factory=set)
    """Calls that were made: none is made twice."""
    ended: Ended | None = None
    directed: Directed = field(default_factory=lambda: Directed())
    """What the turn under way does."""
    outcomes: list[TurnOutcome] = field(default_factory=list)
    """What came of it, in the order in which it was directed: sub-agents first."""
    named: set[str] = field(default_factory=set)
    """Records that evidence names."""
    state: ResearchState = field(default_factory=ResearchState)
    """As the turn under way has found it."""
    seen: tuple[Finding, ...] = ()
    """The findings before the turn under way."""
    batches_before: tuple[int, ...] = ()
    """What the last batches before the turn under way have brought."""

    def __post_init__(self) -> None:
        self.shelf = Shelf(self.met, most=self.context.run.limits.max_findings)
        self.total = self.dataset.total
        self.source = as_source(self.dataset, self.context.run.query)

    def begin(self, subtask: Subtask, path: str) -> None:
        """Make ready for another round, at a place of the run."""
        self.subtask, self.path = subtask, path
        self.turn = self.empty = self.barren = 0
        self.planner_failed, self.stopped, self.ended = False, "", None
        self.validation = self.synthesis = None

    def stand_still(self) -> None:
        """Make ready for another turn: what runs in it, side by side, sees what was known before it."""
        self.state, self.seen, self.batches_before = self._summary(), self.shelf.findings, tuple(self.new_findings)
        self.outcomes, self.directed = [], Directed()

    def _summary(self) -> ResearchState:
        """How far the research is, in numbers: what the planner sees."""
        conditions, met, validation = self.in_force, self.met, self.validation
        matched, fetched = self.matched.get(conditions), met.fetched[conditions]
        return ResearchState(
            turn=self.turn + 1,
            max_turns=self.context.run.limits.max_turns,
            phase=self._phase,
            sub_questions=self.sub_questions,
            perspectives=self.perspectives,
            aggregations=len(self.results),
            findings=self.shelf.found,
            sources=met.different,
            total=self.total,
            matched=matched,
            fetched=fetched,
            scanned=met.read[conditions],
            needs_full_scan=matched is not None and matched > fetched and self.reading in ("none", "open"),
            promised_scan=self.promised,
            max_records=self.most_records,
            batches_without_news=self.barren,
            confidence=validation.overall_confidence if validation else None,
            question_confidence=dict(validation.confidence_scores) if validation else {},
            validation=validation,
            gaps=self.gaps,
            errors=self.errors,
            done=tuple(self.done),
        )

    @property
    def _phase(self) -> Phase:
        if self.ended is not None or self.synthesis is not None:
            return "complete"
        if self.validation is not None or self.gaps is not None:
            return "validating"
        return "scanning" if self.scans else "exploring"

    @property
    def questions(self) -> tuple[SubQuestion, ...]:
        """What the data must answer: the sub-questions, or the question of the subtask as the only one."""
        return self.state.sub_questions or (SubQuestion(id="sq_1", question=self.subtask.description),)

    # ── Where the reading is ───────────────────────────────────────────────────────────────────────────────────────

    @property
    def in_force(self) -> str:
        """The conditions that everything is counted under."""
        return conditions_of(self.last, self.besides)

    @property
    def most_records(self) -> int | None:
        """Records that may be read."""
        return self.context.run.limits.max_records

    @property
    def left(self) -> int | None:
        """Records that may still be read; `None` without a cap."""
        return None if self.most_records is None else max(0, self.most_records - self.met.all_read)

    @property
    def reading(self) -> Reading:
        """How far the reading of all that matches is (see `TurnProgress.scan`)."""
        conditions = self.in_force
        matched, read = self.matched.get(conditions), self.met.read[conditions]
        scans = [scan for (_, under), scan in self.scans.items() if under == conditions]
        at_end = bool(scans) and all(scan.complete for scan in scans)
        if matched is not None and read >= matched and (at_end or not scans or len(scans) == 1):
            return "complete"
        if matched is None and at_end and read >= self.met.fetched[conditions]:
            return "complete"
        if self.left == 0:
            return "capped"
        if scans and all(scan.has_ended for scan in scans):
            return "blocked"  # a page could not be read, or not be had
        return "open" if scans else "none"

    @property
    def progress(self) -> TurnProgress:
        """What decides whether research goes on."""
        return TurnProgress(
            turn=self.turn,
            max_turns=self.context.run.limits.max_turns,
            promised=self.promised,
            scan=self.reading,
            barren=self.barren,
            confidence=self.validation.overall_confidence if self.validation else None,
            synthesized=self.synthesis is not None,
            empty=self.empty,
            planner_failed=self.planner_failed,
            stopped=self.stopped,
        )

    @property
    def failed(self) -> bool:
        """Whether the dataset has given nothing at all, because calls failed."""
        return bool(self.errors) and not self.results and not self.met.different and not self.stopped

    def said_by(self, result: AggregationResult) -> list[Finding]:
        """What counts say of the subtask."""
        id, question = self.subtask.subtask_id, self.subtask.description
        return findings_of(result, subtask_id=id, language=self.context.run.language, question=question)

    def documents_of(self, findings: Iterable[Finding]) -> tuple[Document, ...]:
        """The snapshots that the findings rest on."""
        cited = dict.fromkeys(span.document for finding in findings for span in finding.evidence)
        return tuple(self.documents[sha256] for sha256 in cited if sha256 in self.documents)

    @property
    def gap_descriptions(self) -> tuple[str, ...]:
        """What is missing, as the gap analyzer has said last."""
        return tuple(gap.description for gap in self.gaps.gaps) if self.gaps else ()

    def bench(self, place: str = "") -> Bench:
        """A place for one call, as `t1/tool/0`."""
        return Bench(self, f"{self.path}/{place}")

    def remember_batch(self, news: int) -> None:
        """Take down what a batch has brought."""
        self.barren = 0 if news else self.barren + 1
        self.new_findings = [*self.new_findings, news][-LAST_BATCHES:]


@dataclass
class Bench:
    """A place at the desk for one call of a turn: where it stands in the run, what failed, what tools have answered."""

    desk: Desk
    path: str
    errors: list[str] = field(default_factory=list)
    answers: list[ToolAnswer] = field(default_factory=list)
    """Answers of tools that are to be taken down when the turn has ended."""
    stopped: str = ""
    """The limit that has cut it off."""
    request: DataRequest | None = None
    """What a scan has read."""
    besides: dict[str, Any] = field(default_factory=dict)
    """Arguments of the call that only the tool understands."""

    def aside(self) -> Bench:
        """The same place for a call that is made beside others: what fails there is taken over in order."""
        return Bench(self.desk, self.path, besides=self.besides)

    async def ask(self, ask: Ask[A], *, at: str = "") -> A | None:
        """The reasoner's answer; a failure is told, and answered with `None`.

        Raises:
            LimitReached: the run has stopped.
        """
        context = self.desk.context
        try:
            return await context.ask(f"{self.path}/{at}" if at else self.path, ask)
        except ProviderError as error:
            self.errors.append(f"{ask.kind()}: {error}")
            await context.tell_failure(ask.kind(), error, self.desk.subtask)
            return None

    async def fetch(self, tool: DataTool, request: DataRequest, *, at: str = "") -> ToolAnswer | None:
        """What a tool returns for a request; a failure is told, and answered with `None`.

        Raises:
            LimitReached: the run has stopped.
        """
        calls = self._calls(at)
        return await self._tried(tool, self.desk.data.ask(tool, request, besides=self.besides, calls=calls))

    async def call(self, tool: DataTool, arguments: dict[str, Any]) -> ToolAnswer | None:
        """What a tool returns for arguments as the planner has written them; otherwise as `fetch`."""
        return await self._tried(tool, self.desk.data.call(tool, arguments, calls=self._calls()))

    def _calls(self, at: str = "") -> PlacedCalls:
        return self.desk.context.calls(f"{self.path}/{at}" if at else self.path, self.desk.subtask)

    async def _tried(self, tool: DataTool, answer: Awaitable[ToolAnswer]) -> ToolAnswer | None:
        desk = self.desk
        try:
            return await answer
        except ProviderError as error:
            if isinstance(error, LOST):
                desk.context.board.fail(desk.dataset.name, error)
            self.errors.append(f"{tool.name}: {error}")
            await desk.context.tell_failure(f"{desk.dataset.name} {tool.name}", error, desk.subtask)
            return None

    async def tell(self, tool: DataTool, answer: ToolAnswer) -> None:
        """Say that a tool has answered."""
        await self.desk.context.emit(
            ToolCalled(
                subtask_id=self.desk.subtask.subtask_id,
                dataset=self.desk.dataset.name,
                tool=tool.name,
                matched=answer.matched,
                records=answer.records,
                groups=sum(len(result.aggregation.buckets) for result in answer.results),
            )
        )


@dataclass(frozen=True)
class Directed:
    """What of a turn can be done."""

    agents: tuple[SubAgentCall, ...] = ()
    tools: tuple[tuple[DataTool, dict[str, Any]], ...] = ()
    last: tuple[SubAgentCall, ...] = ()
    """The synthesizer, if it is to run: it comes when all the rest is in."""
    errors: tuple[str, ...] = ()
    """What makes no sense, and why."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left to do."""
        return not (self.agents or self.tools or self.last)


@dataclass(frozen=True)
class TurnOutcome:
    """What one call of a turn has come to."""

    what: str
    """The call in a few words."""
    bench: Bench
    tool: str
    """The tool; empty for a sub-agent."""
    output: Noun | None
    """`None` when it failed."""
