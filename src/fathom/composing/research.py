"""All that research has found, and became of each subtask: what a report is written from."""

from __future__ import annotations

from dataclasses import dataclass, field

from fathom.data.turns import AggregationResult
from fathom.evidence import Document, Lack, Retrieval, SourceDescription
from fathom.findings import DepthEvaluation, Finding, GapAnalysis, Synthesis, Validation
from fathom.plan import MasterPlan, Perspective, Subtask, SubtaskStatus
from fathom.report import Coverage, Estimate, ModelPart


@dataclass(frozen=True)
class Outcome:
    """A subtask and what became of it."""

    subtask: Subtask
    why: str
    """Why it is there."""
    status: SubtaskStatus
    reason: str
    """Why it is not `completed`; empty when it is."""
    evaluation: DepthEvaluation | None
    """The last one; `None` when it was not assessed."""
    findings: tuple[Finding, ...]
    """Its own, in the order in which they were found."""
    synthesis: Synthesis | None
    """`None` when it found nothing and was not synthesized."""


@dataclass(frozen=True)
class ReportMaterial:
    """Everything that the report is written from."""

    plan: MasterPlan
    """The root level as it stood at the end, removed subtasks left out."""
    outcomes: tuple[Outcome, ...]
    """In the order of the plan, each one followed by its children; removed ones come last."""
    documents: dict[str, Document]
    """Every document that a finding rests on, by `sha256`; its snapshot is in the store."""
    sources: tuple[SourceDescription, ...]
    """The sources that answered when they were asked what they hold."""
    preview: Retrieval
    """What the sources returned for the question as it stands."""
    failures: dict[str, str]
    """A failure of each source, and of each provider of searches, that failed, by its name."""
    lacks: tuple[Lack, ...]
    """What was left out of searches for want of time."""
    not_found: tuple[str, ...]
    """Ids of the subtasks that the sources cannot answer, as the last reflection has it."""
    coverage: Coverage
    """How much of what is in reach was looked at, in documents."""
    estimate: Estimate
    """What the run was expected to take."""
    partial: str | None
    """Why research is incomplete; `None` when it is not."""
    unapproved: int = 0
    """Approvals that nobody has answered in time."""
    stand_ins: dict[str, int] = field(default_factory=dict)
    """Asks, by name, that the extractive reasoner had answered in place of a model when research ended."""
    stand_in_reason: str = ""
    """Why most of them were, in a line."""
    by_models: ModelPart = ""
    """What models have answered of it."""
    invented: int = 0
    """Ids in a model's answers that it had not been given, when research ended; they were dropped."""
    origins: dict[str, str] = field(default_factory=dict)
    """Of each web page that a finding rests on, by `sha256`, the first of its near-copies; itself if it has none."""
    results: dict[str, AggregationResult] = field(default_factory=dict)
    """Counts over datasets that a finding rests on, by `sha256` of their snapshots, in the order of the plan."""
    perspectives: tuple[Perspective, ...] = ()
    """How experts would look at the question, when they were asked for."""
    validation: Validation | None = None
    """Whether the findings hold, when that was checked last."""
    gaps: GapAnalysis | None = None
    """What was missing, when that was looked for last."""
    researched_since: frozenset[str] = frozenset()
    """Ids of the subtasks that have found something since these two were asked."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding, in the order of the plan."""
        return tuple(finding for outcome in self.outcomes for finding in outcome.findings)

    @property
    def syntheses(self) -> tuple[Synthesis, ...]:
        """One per subtask that has one, in the order of the plan."""
        return tuple(outcome.synthesis for outcome in self.outcomes if outcome.synthesis)
