"""The asks: every place where Fathom needs judgement, as a typed request that names its typed answer.

An ask is a frozen value: the same ask has the same digest, which is what the journal stores its answer under.
"""

from __future__ import annotations

from typing import ClassVar, Generic, Literal, TypeVar

from pydantic import Field

from fathom.browsing import PageLink
from fathom.clarification import OpenPoints
from fathom.data.fields import DatasetDescription, FieldMapping
from fathom.data.turns import AgentLine, AggregationResult, DatasetTurn, ResearchState, SubQuestion, SynthesisFormat
from fathom.evidence import Document, Passage, Query, Retrieval, SourceDescription
from fathom.findings import (
    Check,
    DepthEvaluation,
    Finding,
    Findings,
    GapAnalysis,
    Reflection,
    Synthesis,
    Validation,
)
from fathom.frozen import FrozenModel, later
from fathom.limits import Tier
from fathom.plan import MasterPlan, Mode, Perspective, Perspectives, PlanRevision, StrategicPlan, Subtask
from fathom.preferences import ReportPreferences, ReportTemplate
from fathom.report import Outline, OutlineSection, Section
from fathom.sheet import Sheet
from fathom.thread import Exchange, StandingQuestion
from fathom.written import ReportCheck, Unit, WrittenReport

A = TypeVar("A", bound=FrozenModel)

NARROW = 32_000
"""Tokens of a window up to which prompts are as short as they can be."""


class Ask(FrozenModel, Generic[A]):
    """A request for judgement. `query` is the user's question, without the wishes that were heard in it."""

    answer: ClassVar[type[FrozenModel]]
    """The type of the answer."""
    tier: ClassVar[Tier] = "balanced"
    """How much judgement it takes."""
    grows: ClassVar[float] = 1.0
    """So many times what a narrow window holds of it is put to a model with a wide one."""
    writes: ClassVar[bool] = False
    """Whether its answer is a part of the report, so that it heeds how that is wished for."""

    query: str
    """The user's question."""
    language: str
    """ISO 639-1 code of the language of the question, and of every answer."""
    wishes: str = later("")
    """What the question wishes of the report, in its own words, once that is no part of `query` any more."""

    @classmethod
    def kind(cls) -> str:
        """Its name in the journal, the events and the usage account."""
        return cls.__name__

    @classmethod
    def widened(cls, tokens: int, window: int) -> int:
        """What becomes of `tokens` of a prompt in a window of that size: the same in one of `NARROW` tokens.

        >>> [SynthesizeSubtask.widened(1_000, window) for window in (8_192, 32_000, 48_000, 200_000)]
        [1000, 1000, 1500, 2000]
        """
        return round(tokens * max(1.0, min(cls.grows, window / NARROW)))


class ResolveFollowUp(Ask[StandingQuestion]):
    """What does a question ask that follows others, in words that stand by themselves?"""

    answer = StandingQuestion
    tier = "fast"

    exchanges: tuple[Exchange, ...]
    """The questions before it with their answers, oldest first."""
    topic: str = ""
    """The sentence of the last report that it is asked about; empty when it is asked about the whole."""


class HearWishes(Ask[ReportPreferences]):
    """Which words of the question are about the report and not about its topic? Comes first; `query` is all of it."""

    answer = ReportPreferences
    tier = "fast"

    today: str
    """The day on which the run was created (ISO 8601 date)."""
    follows: bool = later(False)
    """Whether it follows another question: it may be nothing but wishes then, and has no topic of its own."""


class ClarifyQuestion(Ask[OpenPoints]):
    """What does the question leave open that would make the plan another one?"""

    answer = OpenPoints
    tier = "balanced"

    sources: tuple[SourceDescription, ...]
    """What can be asked."""
    preview: Retrieval = Retrieval()
    """What the sources return for the question as it stands."""
    today: str
    """The day on which the run was created (ISO 8601 date)."""


class PlanResearch(Ask[MasterPlan]):
    """Is the question complex, and which subtasks answer it?"""

    answer = MasterPlan
    tier = "strong"
    grows = 1.5

    mode: Mode = "auto"
    """`auto` decides by the criteria; the others are the user's word."""
    sources: tuple[SourceDescription, ...]
    """What can be asked."""
    preview: Retrieval = Retrieval()
    """What the sources return for the question as it stands."""
    max_questions: int = Field(ge=1)
    """At most this many subtasks."""
    perspectives: tuple[Perspective, ...] = ()
    """How experts would look at the question, when they were asked for."""
    before: tuple[Subtask, ...] = later(())
    """The parts of the plan that is not wanted so."""
    remark: str = later("")
    """What the user wants otherwise of it."""


class AllocateQueries(Ask[StrategicPlan]):
    """Which source is asked which queries in this round of a subtask?"""

    answer = StrategicPlan
    tier = "fast"

    subtask: Subtask
    """The subtask to research."""
    sources: tuple[SourceDescription, ...]
    """What can be asked. With several of them, each tells what it holds on this subtask."""
    proposed: tuple[Query, ...] = ()
    """Queries that are known already, from the plan, a gap or reflection: only where each goes is open. By rule, no
    model is asked for it."""
    feedback: DepthEvaluation | None = None
    """What the round before was found to lack; `None` in the first round."""
    asked: tuple[str, ...] = ()
    """Texts of the queries of earlier rounds."""
    known: tuple[Finding, ...] = ()
    """Findings of the subtasks that this one depends on."""
    max_queries: int = Field(ge=0, le=5)
    """At most this many per source."""
    today: str = ""
    """The day on which the run was created (ISO 8601 date); empty when it does not matter, as without the web."""


class ExtractFindings(Ask[Findings]):
    """What do these passages say about the subtask?"""

    answer = Findings
    tier = "balanced"
    grows = 1.5

    subtask: Subtask
    """The subtask that is researched."""
    documents: tuple[Document, ...]
    """Every document that a passage stands in."""
    passages: tuple[Passage, ...]
    """The passages not read before, best first."""
    sources: tuple[SourceDescription, ...]
    """The sources that they come from; tells how common a term is."""
    known: tuple[Finding, ...] = ()
    """Findings of the subtask's dependencies and earlier rounds: not to be stated again."""
    max_findings: int = Field(ge=1)
    """At most this many."""
    max_depth: int = Field(default=1, ge=1)
    """Levels of the plan, the root's included."""
    parts: tuple[str, ...] = ()
    """What the subtasks of the first plan are about, this one included."""
    missing: tuple[str, ...] = later(())
    """What the rounds before were found to lack."""
    opened: tuple[str, ...] = later(())
    """Ids of the passages that were asked for by their place: they come first, and whole."""
    links: tuple[PageLink, ...] = later(())
    """Where the web pages that were read for the subtask lead; an evaluation may open any of them."""
    questions: tuple[SubQuestion, ...] = ()
    """The research questions that the records of a dataset are read for."""
    focus: str = ""
    """What to look for in the records of a dataset."""
    mapping: FieldMapping | None = None
    """Which field of the records plays which part; `None` for documents and the web."""


class AssessDepth(Ask[DepthEvaluation]):
    """How deep do the findings go, and what is missing?"""

    answer = DepthEvaluation
    tier = "fast"

    subtask: Subtask
    """The subtask that was researched."""
    findings: tuple[Finding, ...]
    """All of its findings so far."""
    max_depth: int
    """Levels of the plan, the root's included."""


class RevisePlan(Ask[PlanRevision]):
    """Does what a root subtask brought to light change the plan?"""

    answer = PlanRevision
    tier = "strong"

    plan: MasterPlan
    """The plan as it stands."""
    finished: Subtask
    """The root subtask that has just ended."""
    synthesis: Synthesis
    """What it amounts to."""
    findings: tuple[Finding, ...]
    """Its findings, and those that they contradict."""
    preview: Retrieval = Retrieval()
    """What the sources returned for the question as it stands."""


class Reflect(Ask[Reflection]):
    """Which answers are still weak, now that all subtasks have ended?"""

    answer = Reflection
    tier = "strong"
    grows = 2.0

    subtasks: tuple[Subtask, ...]
    """Every subtask that was researched."""
    evaluations: dict[str, DepthEvaluation]
    """The last evaluation of each, by id."""
    syntheses: tuple[Synthesis, ...]
    """One per subtask."""
    refined: tuple[str, ...] = ()
    """Ids of those for which what was missing has been searched for once more already."""
    round: int = Field(default=1, ge=1)
    """Which reflection this is, 1 first."""
    findings: tuple[Finding, ...] = ()
    """All that was found."""
    documents: tuple[Document, ...] = ()
    """Every document that a finding rests on."""
    validates: bool = False
    """Whether it is judged, too, if the findings hold, and what is missing; the subtasks are the questions."""
    results: tuple[AggregationResult, ...] = ()
    """What was counted."""
    docs_processed: int = 0
    """Documents that were read."""
    total_docs_available: int | None = None
    """Those that there are; `None` when not known."""
    new_findings: tuple[int, ...] = ()
    """Findings that each of the last rounds brought, in order."""

    @property
    def questions(self) -> tuple[SubQuestion, ...]:
        """The subtasks as questions."""
        known = {each.subtask_id for each in self.subtasks}
        return tuple(
            SubQuestion(
                id=each.subtask_id,
                question=each.description,
                priority=each.priority,
                depends_on=tuple(id for id in each.dependencies if id in known),
            )
            for each in self.subtasks
        )


class SynthesizeSubtask(Ask[Synthesis]):
    """What do a subtask's findings, and the syntheses of its children, amount to?"""

    answer = Synthesis
    tier = "balanced"
    grows = 2.0
    writes = True

    subtask: Subtask
    """The subtask to answer."""
    findings: tuple[Finding, ...]
    """Its own findings, best first."""
    children: tuple[Synthesis, ...] = ()
    """The syntheses of its children."""
    questions: tuple[SubQuestion, ...] = ()
    """The research questions that the answer must address, each in turn."""
    format: SynthesisFormat = "comprehensive_report"
    """How the answer is put."""


class OutlineReport(Ask[Outline]):
    """Which finding goes where in a report of quotations? Answered by rule alone."""

    answer = Outline
    writes = True

    subtasks: tuple[Subtask, ...]
    """Every subtask that was researched, in the order of the plan."""
    syntheses: tuple[Synthesis, ...]
    """One per subtask that found something."""
    findings: tuple[Finding, ...]
    """Every finding of the run."""
    documents: tuple[Document, ...]
    """Every document that a finding rests on."""
    max_words: int = Field(ge=50)
    """Length of the whole report, headings and list of sources included."""


class WriteSection(Ask[Section]):
    """The text of one section of such a report."""

    answer = Section
    writes = True

    role: Literal["summary", "section", "conclusion"]
    """What the section is for."""
    section: OutlineSection
    """The section to write; its sub-sections are written by asks of their own."""
    findings: tuple[Finding, ...]
    """Its findings, in the order of the outline; nothing else may be cited."""
    documents: tuple[Document, ...]
    """Every document that a finding rests on."""


class PartOfReport(FrozenModel):
    """What research has found for a part of the question."""

    subtask: Subtask
    """The part."""
    findings: tuple[Finding, ...] = ()
    """What was found for it."""
    synthesis: Synthesis | None = None
    """What that amounts to; `None` when nobody has summed it up."""
    missing: tuple[str, ...] = ()
    """What it asks for and nothing answers."""


class WriteReport(Ask[WrittenReport]):
    """The whole report, written from everything that was found."""

    answer = WrittenReport
    tier = "strong"
    writes = True

    parts: tuple[PartOfReport, ...]
    """Every part that was researched, in the order of the plan."""
    sheet: Sheet
    """Every sentence that may be cited."""
    contradictions: tuple[tuple[str, str], ...] = ()
    """Ids of findings that may contradict each other, each a pair."""
    max_words: int = Field(ge=50)
    """Length of the report, its list of sources left out."""
    template: ReportTemplate | None = None
    """The outline that it is to follow, where the user has brought one."""


class UnitToCheck(FrozenModel):
    """A sentence, an item or a cell of a report that is not proved."""

    id: str
    """Its place in the report."""
    unit: Unit
    """What it says and cites."""
    label: str = ""
    """Of a cell, its row and column."""
    flag: str = ""
    """What a comparison of words has found, which may be nothing."""
    left_out: bool = False
    """Whether the writer left it out: it is in a list at the end until a check says where it belongs."""


class CheckReport(Ask[ReportCheck]):
    """Which of these units do the sentences that they cite not support?"""

    answer = ReportCheck
    tier = "check"

    sheet: Sheet
    """What the report may rest on."""
    units: tuple[UnitToCheck, ...]
    """In the order of the report."""


# ── Looking at the whole ───────────────────────────────────────────────────────────────────────────────────────────


class GeneratePerspectives(Ask[Perspectives]):
    """How would different experts look at this?"""

    answer = Perspectives
    tier = "fast"

    topic: str
    """What is looked at."""
    domain: str = ""
    """The field that it belongs to."""
    num_perspectives: int = Field(default=3, ge=1, le=7)
    """How many."""
    sources: tuple[SourceDescription, ...] = ()
    """What can be asked."""


class ValidateFindings(Ask[Validation]):
    """Do the findings hold: do they contradict each other, cover the questions, rest on enough, keep to the point?"""

    answer = Validation
    tier = "balanced"

    findings: tuple[Finding, ...]
    """All that was found."""
    questions: tuple[SubQuestion, ...]
    """What must be answered."""
    documents: tuple[Document, ...] = ()
    """Every document that a finding rests on."""
    validation_checks: tuple[Check, ...] = ("contradiction", "coverage", "evidence_strength", "relevance")
    """What is looked at."""


class AnalyzeGaps(Ask[GapAnalysis]):
    """What is missing, and is it worth going on?"""

    answer = GapAnalysis
    tier = "balanced"

    findings: tuple[Finding, ...]
    """All that was found."""
    questions: tuple[SubQuestion, ...]
    """What must be answered."""
    results: tuple[AggregationResult, ...] = ()
    """What was counted."""
    docs_processed: int = 0
    """Records that were read."""
    total_docs_available: int | None = None
    """Those that there are; `None` when not known."""
    new_findings: tuple[int, ...] = ()
    """Findings that each of the last batches or rounds brought, in order."""


class DirectDataset(Ask[DatasetTurn]):
    """Which sub-agents and tools does this turn of research over a dataset run?"""

    answer = DatasetTurn
    tier = "balanced"

    subtask: Subtask
    """The subtask to research."""
    dataset: DatasetDescription
    """Its tools and fields."""
    agents: tuple[AgentLine, ...]
    """The sub-agents that there are."""
    state: ResearchState
    """How far the research is."""
    results: tuple[AggregationResult, ...] = ()
    """What was counted so far, in order."""
    findings: tuple[Finding, ...] = ()
    """What was found so far, the most relevant first."""
    today: str
    """The day on which the run was created (ISO 8601 date)."""
