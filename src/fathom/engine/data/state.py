"""What is known of a dataset in a subtask, by how long it lasts: for the subtask, for a round, for a turn."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from fathom.data.fields import DatasetDescription, DataTool
from fathom.data.met import Met
from fathom.data.paging import Paging
from fathom.data.requests import DataRequest
from fathom.data.turns import AggregationResult, Phase, ResearchState, SubAgentCall, SubQuestion, ToolAnswer
from fathom.engine.data.ending import Ended, Extent, TurnProgress
from fathom.engine.data.findings import DatasetFindings, findings_of
from fathom.evidence import Document, SourceDescription
from fathom.findings import Finding, GapAnalysis, Synthesis, Validation
from fathom.frozen import FrozenModel
from fathom.limits import Limits
from fathom.plan import Perspective, Subtask
from fathom.ports.source import CountingSource

LAST_BATCHES = 10
"""Batches whose number of findings is remembered."""


def conditions_of(request: DataRequest, besides: Mapping[str, Any] | None = None) -> str:
    """What decides which records match: table, words and filters, whatever the order of the filters.

    `besides` are arguments that only the tool understands.
    """
    filters = sorted(json.dumps(each.model_dump(mode="json"), sort_keys=True) for each in request.filters)
    known = [request.table, request.text, filters, *([besides] if besides else [])]
    return json.dumps(known, ensure_ascii=False, sort_keys=True, default=str)


@dataclass(frozen=True)
class DirectedCalls:
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


@dataclass
class CallOutcome:
    """What one call of a turn has come to."""

    what: str = ""
    """The call in a few words."""
    tool: str = ""
    """The tool; empty for a sub-agent."""
    output: FrozenModel | None = None
    """What the sub-agent has returned; `None` when it failed."""
    errors: list[str] = field(default_factory=list)
    answers: list[ToolAnswer] = field(default_factory=list)
    """Answers of tools that are to be taken down when the turn has ended."""
    stopped: str = ""
    """The limit that has cut it off."""
    request: DataRequest | None = None
    """What a scan has read."""
    besides: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of the call that only the tool understands."""


@dataclass(frozen=True)
class RequestInForce:
    """What was asked last: everything is counted under its conditions, and a scan reads it unless told otherwise."""

    request: DataRequest = field(default_factory=DataRequest)
    besides: Mapping[str, Any] = field(default_factory=dict)
    """Its arguments that only the tool understands."""
    tool: str = ""

    @property
    def conditions(self) -> str:
        """Of the records that match it."""
        return conditions_of(self.request, self.besides)


@dataclass
class RecordPage:
    """Records of one snapshot that were fetched together."""

    document: Document
    conditions: str
    scope: str


@dataclass
class Records:
    """Which records were asked for, fetched and read. Written by those who read records, one after the other."""

    most: int | None
    """Records that may be read."""
    total: int | None = None
    """Records of the dataset."""
    met: Met = field(default_factory=Met)
    matched: dict[str, int] = field(default_factory=dict)
    """Records that match, by conditions."""
    scans: dict[tuple[str, str], Paging] = field(default_factory=dict)
    """By tool and conditions."""
    pages: dict[str, RecordPage] = field(default_factory=dict)
    """Records that wait for an extractor, by the digest of their snapshot."""
    tables: set[str] = field(default_factory=set)
    """Those that were asked, where there are several."""
    named: set[str] = field(default_factory=set)
    """Ids of the records that evidence names."""

    @property
    def left(self) -> int | None:
        """Records that may still be read; `None` without a cap."""
        return None if self.most is None else max(0, self.most - self.met.all_read)

    def extent(self, conditions: str) -> Extent:
        """How far the reading of all that matches is (see `TurnProgress.scan`)."""
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


@dataclass
class Notes:
    """What the turns have said and done so far."""

    sub_questions: tuple[SubQuestion, ...] = ()
    perspectives: tuple[Perspective, ...] = ()
    gaps: GapAnalysis | None = None
    """What is missing, as was said last."""
    promised: bool = False
    """Whether every record is to be read."""
    caveats: tuple[str, ...] = ()
    """How the question was understood."""
    turns: int = 0
    done: list[str] = field(default_factory=list)
    """What each turn has come to."""
    errors: tuple[str, ...] = ()
    """Of the last turn."""
    made: set[str] = field(default_factory=set)
    """Calls that were made: none is made twice."""
    news: list[int] = field(default_factory=list)
    """Findings that each of the last batches has brought."""
    revised: bool = False
    """Whether a validation has put the synthesizer off; once is enough."""


@dataclass
class DatasetRound:
    """A round of the subtask's loop, as the dataset sees it."""

    path: str = ""
    """Where in the run: `task_1/r0/data/events`."""
    turns: int = 0
    """That were taken."""
    empty: int = 0
    """Turns in a row in which nothing was done."""
    barren: int = 0
    """Batches in a row without news."""
    planner_failed: bool = False
    validation: Validation | None = None
    synthesis: Synthesis | None = None
    stopped: str = ""
    """The limit of the run that has cut it off."""
    ended: Ended | None = None


@dataclass
class Turn:
    """The turn under way: what runs in it, side by side, sees what was known before it."""

    state: ResearchState = field(default_factory=ResearchState)
    findings: tuple[Finding, ...] = ()
    news: tuple[int, ...] = ()
    """What the last batches have brought."""
    directed: DirectedCalls = field(default_factory=DirectedCalls)
    """What it does."""
    outcomes: list[CallOutcome] = field(default_factory=list)
    """What came of it, in the order in which it was directed: sub-agents first."""


@dataclass
class DatasetState:
    """All that is known of a dataset in a subtask. It outlives the subtask's rounds, so that nothing is done twice.

    Whoever runs side by side with others reads `turn`, which stands still; only those who read records, one after the
    other, write to `records` and `findings`. Everything else is written between the turns.
    """

    subtask: Subtask
    """With the queries that the dataset is asked for."""
    _: KW_ONLY
    data: CountingSource
    """Whose tools are called."""
    description: DatasetDescription
    source: SourceDescription
    """The dataset as a source among others."""
    language: str
    """Of the question."""
    limits: Limits
    records: Records
    findings: DatasetFindings
    results: dict[str, AggregationResult] = field(default_factory=dict)
    """Counts by the digest of their snapshot, in order."""
    documents: dict[str, Document] = field(default_factory=dict)
    """Snapshots that something rests on, by digest."""
    in_force: RequestInForce = field(default_factory=RequestInForce)
    notes: Notes = field(default_factory=Notes)
    round: DatasetRound = field(default_factory=DatasetRound)
    turn: Turn = field(default_factory=Turn)

    def begin_turn(self) -> None:
        """Make ready for another turn."""
        self.turn = Turn(self._summary(), self.findings.kept, tuple(self.notes.news))

    def _summary(self) -> ResearchState:
        """How far the research is, in numbers: what the planner sees."""
        notes, records, conditions = self.notes, self.records, self.in_force.conditions
        validation = self.round.validation
        matched, fetched = records.matched.get(conditions), records.met.fetched[conditions]
        return ResearchState(
            turn=self.round.turns + 1,
            max_turns=self.limits.max_turns,
            phase=self._phase,
            sub_questions=notes.sub_questions,
            perspectives=notes.perspectives,
            aggregations=len(self.results),
            findings=self.findings.found,
            sources=records.met.different,
            total=records.total,
            matched=matched,
            fetched=fetched,
            scanned=records.met.read[conditions],
            needs_full_scan=matched is not None and matched > fetched and self.extent in ("none", "open"),
            promised_scan=notes.promised,
            max_records=records.most,
            batches_without_news=self.round.barren,
            confidence=validation.overall_confidence if validation else None,
            question_confidence=dict(validation.confidence_scores) if validation else {},
            validation=validation,
            gaps=notes.gaps,
            errors=notes.errors,
            done=tuple(notes.done),
        )

    @property
    def _phase(self) -> Phase:
        if self.round.ended is not None or self.round.synthesis is not None:
            return "complete"
        if self.round.validation is not None or self.notes.gaps is not None:
            return "validating"
        return "scanning" if self.records.scans else "exploring"

    @property
    def questions(self) -> tuple[SubQuestion, ...]:
        """What the data must answer: the sub-questions, or the question of the subtask as the only one."""
        return self.turn.state.sub_questions or (SubQuestion(id="sq_1", question=self.subtask.description),)

    @property
    def extent(self) -> Extent:
        """How far the reading of what the request in force asks for is."""
        return self.records.extent(self.in_force.conditions)

    @property
    def progress(self) -> TurnProgress:
        """What decides whether research goes on."""
        round = self.round
        return TurnProgress(
            turn=round.turns,
            max_turns=self.limits.max_turns,
            promised=self.notes.promised,
            scan=self.extent,
            barren=round.barren,
            confidence=round.validation.overall_confidence if round.validation else None,
            synthesized=round.synthesis is not None,
            empty=round.empty,
            planner_failed=round.planner_failed,
            stopped=round.stopped,
        )

    @property
    def failed(self) -> bool:
        """Whether the dataset has given nothing at all, because calls failed."""
        has_given = self.results or self.records.met.different or self.round.stopped
        return bool(self.notes.errors) and not has_given

    def said_by(self, result: AggregationResult) -> list[Finding]:
        """What counts say of the subtask."""
        id, question = self.subtask.subtask_id, self.subtask.description
        return findings_of(result, subtask_id=id, language=self.language, question=question)

    def documents_of(self, findings: Iterable[Finding]) -> tuple[Document, ...]:
        """The snapshots that the findings rest on."""
        cited = dict.fromkeys(span.document for finding in findings for span in finding.evidence)
        return tuple(self.documents[sha256] for sha256 in cited if sha256 in self.documents)

    def remember_batch(self, news: int) -> None:
        """Take down what a batch has brought."""
        self.round.barren = 0 if news else self.round.barren + 1
        self.notes.news = [*self.notes.news, news][-LAST_BATCHES:]
