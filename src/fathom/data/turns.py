"""One turn of research over a dataset: what the planner sees, what it directs, and what the sub-agents bring back."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from fathom.data.requests import Counting, DataRequest, Scalar
from fathom.data.results import Aggregation
from fathom.evidence import Document, Span
from fathom.findings import Check, GapAnalysis, Validation
from fathom.frozen import FrozenModel
from fathom.plan import Perspective

SynthesisFormat = Literal["comprehensive_report", "executive_summary", "bullet_points"]
Phase = Literal["exploring", "scanning", "validating", "complete"]


class SubQuestion(FrozenModel):
    """A question that the data must answer, as part of the one that was asked."""

    id: str
    """`sq_1`, …"""
    question: str = Field(min_length=1)
    """In words that stand alone."""
    priority: int = Field(default=1, ge=1)
    """Its place in the order, 1 first."""
    depends_on: tuple[str, ...] = ()
    """Ids of those that must be answered first."""


# ── What the planner may direct ────────────────────────────────────────────────────────────────────────────────────


class Decompose(FrozenModel):
    """Break the question into sub-questions."""

    agent: Literal["decomposer"] = "decomposer"
    query: str = ""
    """The question; empty for that of the subtask."""
    max_questions: int = Field(default=7, ge=1, le=10)
    """At most this many."""


class TakePerspectives(FrozenModel):
    """Look at the topic through the eyes of several experts."""

    agent: Literal["perspective"] = "perspective"
    topic: str = ""
    """What is looked at; empty for the question of the subtask."""
    domain: str = ""
    """The field that it belongs to."""
    num_perspectives: int = Field(default=3, ge=1, le=7)
    """How many."""


class Aggregate(Counting):
    """Count, without reading every record."""

    agent: Literal["aggregator"] = "aggregator"
    tool_names: tuple[str, ...] = ()
    """The tools to ask, all at once; empty for the first that counts."""

    @property
    def request(self) -> DataRequest:
        """The same as a request."""
        return DataRequest(**self.model_dump(exclude={"agent", "tool_names"}))


class Scan(FrozenModel):
    """Read every record that matches, page by page; with `group_by`, samples of each group instead."""

    agent: Literal["scanner"] = "scanner"
    tool_names: tuple[str, ...] = ()
    """The tools to ask; empty for the first that returns records."""
    request: DataRequest = DataRequest()
    """What is read. Groups that were inherited from a call before are left away; filters are kept."""
    by_samples: bool = False
    """Whether `group_by` is meant: one batch of samples of each group, and no pages."""
    batch_size: int = Field(default=75, ge=1, le=100)
    """Records of a batch."""
    max_batches: int | None = Field(default=None, ge=1)
    """At most this many; without it, as many as the records take."""
    extraction_focus: str = ""
    """What to look for."""


class Extract(FrozenModel):
    """State what records say that were fetched before; nothing is fetched."""

    agent: Literal["extractor"] = "extractor"
    documents: tuple[str, ...] = ()
    """Digests of the fetched pages of records; empty for all that were not read yet."""
    extraction_focus: str = ""
    """What to look for."""
    max_findings_per_doc: int = Field(default=3, ge=1, le=20)
    """Findings that one record may yield."""


class Validate(FrozenModel):
    """Check the findings."""

    agent: Literal["validator"] = "validator"
    validation_checks: tuple[Check, ...] = ("contradiction", "coverage", "evidence_strength", "relevance")
    """What is looked at."""


class AnalyzeGap(FrozenModel):
    """Tell what is missing."""

    agent: Literal["gap_analyzer"] = "gap_analyzer"


class Synthesize(FrozenModel):
    """Sum the findings up and end the research of this dataset."""

    agent: Literal["synthesizer"] = "synthesizer"
    format: SynthesisFormat = "comprehensive_report"
    """How the answer is put."""


SubAgentCall = Annotated[
    Decompose | TakePerspectives | Aggregate | Scan | Extract | Validate | AnalyzeGap | Synthesize,
    Field(discriminator="agent"),
]
AgentName = Literal[
    "decomposer",
    "perspective",
    "aggregator",
    "scanner",
    "extractor",
    "validator",
    "gap_analyzer",
    "synthesizer",
]


class ToolCall(FrozenModel):
    """A call of a tool as the planner writes it."""

    tool: str = Field(min_length=1)
    """Its name."""
    arguments: dict[str, Any] = {}
    """By its own schema."""


class DatasetTurn(FrozenModel):
    """What one turn does. Agents and tools run side by side; the synthesizer ends the research."""

    sub_agent_calls: tuple[SubAgentCall, ...] = ()
    """Sub-agents to run."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Tools to call."""
    promises_scan: bool = False
    """Whether the question needs every record, so that only the end of a scan answers it. A promise is never taken
    back."""
    reasoning: str = ""
    """Why, in a sentence."""
    caveats: tuple[str, ...] = ()
    """What a reader must know of how the question was understood, in the language of the run."""


# ── What the planner sees ──────────────────────────────────────────────────────────────────────────────────────────


class AgentLine(FrozenModel):
    """A sub-agent as the planner knows it."""

    name: AgentName
    """Its name."""
    fetches: bool
    """Whether it calls tools."""
    line: str
    """What it does, in a line."""


class ResearchState(FrozenModel):
    """How far the research of a dataset is, in numbers."""

    turn: int = Field(default=1, ge=1)
    """The turn that is to be directed."""
    max_turns: int = Field(default=10, ge=1)
    """At most this many."""
    phase: Phase = "exploring"
    """Where the research stands."""
    sub_questions: tuple[SubQuestion, ...] = ()
    """What the decomposer has found."""
    perspectives: tuple[Perspective, ...] = ()
    """What the perspective agent has found."""
    aggregations: int = Field(default=0, ge=0)
    """Counts that were made."""
    findings: int = Field(default=0, ge=0)
    """What was found."""
    sources: int = Field(default=0, ge=0)
    """Different records that were seen."""
    total: int | None = None
    """Records of the dataset; `None` when not known."""
    matched: int | None = None
    """Records that the filters in force match; `None` when not known."""
    fetched: int = Field(default=0, ge=0)
    """Of them, those that were fetched, each once."""
    scanned: int = Field(default=0, ge=0)
    """Of them, those that were read for findings."""
    needs_full_scan: bool = False
    """Whether matching records remain that were not fetched."""
    promised_scan: bool = False
    """Whether the question needs every record."""
    max_records: int | None = None
    """At most this many are read; `None` for no cap."""
    batches_without_news: int = Field(default=0, ge=0)
    """Batches in a row that brought nothing new."""
    confidence: float | None = Field(default=None, ge=0, le=1)
    """How sure the answer is, as the validator has it; `None` before it has run."""
    question_confidence: dict[str, float] = {}
    """The same by sub-question."""
    validation: Validation | None = None
    """What the validator has said last."""
    gaps: GapAnalysis | None = None
    """What the gap analyzer has said last."""
    errors: tuple[str, ...] = ()
    """What failed in the turn before."""
    done: tuple[str, ...] = ()
    """What the turns before have done, one line each."""

    @property
    def unfetched(self) -> int:
        """Matching records that were not fetched."""
        return max(0, (self.matched or 0) - self.fetched)

    @property
    def warning(self) -> str:
        """The UNFETCHED warning; empty when no record remains, or the cap is reached."""
        capped = self.max_records is not None and self.scanned >= self.max_records
        if not self.needs_full_scan or capped or not self.unfetched:
            return ""
        return f"UNFETCHED RECORDS: {self.unfetched} of {self.matched} matching records were not fetched."


# ── What the sub-agents bring back ─────────────────────────────────────────────────────────────────────────────────


class DecomposerOutput(FrozenModel):
    """Sub-questions."""

    sub_questions: tuple[SubQuestion, ...] = ()
    """In the order of their priority."""


class AggregationResult(FrozenModel):
    """Counts with the snapshot that they are cited from."""

    document: str
    """`sha256` of the snapshot."""
    request: DataRequest
    """What was asked for."""
    tool: str
    """Who was asked."""
    aggregation: Aggregation
    """What came back."""
    matched: int | None = None
    """Records that the filters match; `None` when the tool does not say."""
    total: int | None = None
    """Records of the dataset; `None` when the tool does not say."""
    head: Span
    """Where the names of the columns stand in the snapshot."""
    rows: tuple[Span, ...] = ()
    """Where each bucket stands, in order."""
    matched_line: Span | None = None
    """Where it is said how many records match; `None` when it is not."""


class ToolAnswer(FrozenModel):
    """What a tool has returned, as the journal keeps it: counts and references; the records stand in the snapshot."""

    request: DataRequest
    """What was asked for, as far as its arguments are understood."""
    results: tuple[AggregationResult, ...] = ()
    """Counts, each with its snapshot; without samples."""
    documents: tuple[Document, ...] = ()
    """Every snapshot that was made of it."""
    page: str = ""
    """`sha256` of the snapshot with the records, samples of groups included; empty when there were none."""
    prose: str = ""
    """`sha256` of the snapshot of what is neither counts nor records; empty when there was none."""
    records: int = 0
    """Different records in it."""
    matched: int | None = None
    """Records that the filters match."""
    total: int | None = None
    """Records of the dataset."""
    has_more: bool = False
    """Whether there is another page."""
    search_after: tuple[Scalar, ...] = ()
    """What asks for it."""
    revision: str = ""
    """Of the content that it was made of; empty when not known."""

    def document(self, sha256: str) -> Document:
        """The snapshot of that digest."""
        return next(document for document in self.documents if document.sha256 == sha256)


class RecordsRead(FrozenModel):
    """What a scanner or an extractor has read; what was found stands with the dataset."""

    records: int = 0
    """Different records that were read."""
    findings: int = 0
    """What was found in them and is kept, each claim once."""
    complete: bool = False
    """Whether every matching record was read."""
