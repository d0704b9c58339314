"""A reasoner that answers every ask at once or after a while, sensibly enough for a whole run, and always the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from fathom.asks import (
    AllocateQueries,
    AnalyzeGaps,
    Ask,
    AssessDepth,
    CheckReport,
    ClarifyQuestion,
    DirectDataset,
    ExtractFindings,
    GeneratePerspectives,
    HearWishes,
    OutlineReport,
    PlanResearch,
    Reflect,
    ResolveFollowUp,
    RevisePlan,
    SynthesizeSubtask,
    ValidateFindings,
    WriteReport,
    WriteSection,
)
from fathom.clarification import Choice, OpenPoint, OpenPoints
from fathom.data.snapshots import records_in
from fathom.data.turns import DatasetTurn, Decompose, Scan, Synthesize, ToolCall
from fathom.errors import Unavailable
from fathom.evidence import Evidence, Query
from fathom.findings import (
    DepthEvaluation,
    DepthQuality,
    Finding,
    Findings,
    GapAnalysis,
    Reflection,
    ResearchGap,
    Statement,
    Synthesis,
    Validation,
    ValidationIssue,
)
from fathom.frozen import FrozenModel
from fathom.plan import Allocation, MasterPlan, Perspective, Perspectives, PlanRevision, StrategicPlan, Subtask
from fathom.ports import Answered, Calls
from fathom.reasoners.extractive.wishes import hear_wishes
from fathom.report import Outline, OutlineSection, Section
from fathom.thread import StandingQuestion
from fathom.written import Clause, ReportCheck, Unit, WrittenBlock, WrittenReport, WrittenSection

A = TypeVar("A", bound=FrozenModel)
Latency = Callable[[str, str], float]
"""Seconds that a call takes, from its kind and the digest of what is asked."""


def no_latency(kind: str, digest: str) -> float:  # noqa: ARG001 - the signature of a latency
    """Answers at once."""
    return 0.0


def jittered(seconds: float, *, salt: str = "") -> Latency:
    """Between half and one and a half of `seconds`, the same for the same call and salt."""

    def latency(kind: str, digest: str) -> float:
        return seconds * (0.5 + share(kind, digest, salt))

    return latency


def share(*parts: str) -> float:
    """A number from 0 to 1 that depends on `parts` alone."""
    return int(Query(text="\0".join(parts)).digest()[:8], 16) / 0x1_0000_0000


@dataclass(frozen=True)
class Shape:
    """What a simulated run looks like."""

    subtasks: int = 4
    """Subtasks of the plan, if the ask allows so many."""
    dependencies: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Numbers of the subtasks that a subtask depends on, by its number; 1 is the first."""
    importance: Mapping[int, float] = field(default_factory=dict)
    """By number; 0.8 for the others."""
    queries: int = 2
    """Queries per source and round."""
    common_queries: bool = False
    """Whether all subtasks ask the same."""
    findings: int = 3
    """Findings of a round; for less, nothing is there to be found."""
    relevance: float | None = None
    """Of every finding; else each has its own."""
    rounds: int = 1
    """Rounds until a subtask is sufficient."""
    children: Mapping[int, int] = field(default_factory=dict)
    """Areas that a subtask is drilled into, by its number at the root level; they are named at every depth."""
    quality: DepthQuality = "superficial"
    """Of what is not sufficient."""
    left_open: tuple[str, ...] = ()
    """What the question does not say which of; there are two of each."""
    weak: tuple[str, ...] = ()
    """Subtasks that the first reflection finds weak."""
    revisions: Mapping[str, PlanRevision] = field(default_factory=dict)
    """What the end of a subtask changes, by its id."""
    invented: int = 0
    """Findings per round whose quotes stand nowhere."""
    at_once: bool = False
    """Whether whoever reads the passages also judges and sums up, and names the queries of the next round."""
    concludes: bool = False
    """Whether a subtask that builds on others, read at once, finds nothing in its passages and answers with what these
    have found, and with a conclusion from it."""
    failing: tuple[str, ...] = ()
    """Kinds of asks that fail."""
    turns: Callable[[DirectDataset], DatasetTurn] | None = None
    """What each turn of research on a dataset does; without it a count, a scan of what it counts, and the summary."""
    confidence: float = 0.9
    """Of the validator in what is not weak."""


class SimulatedReasoner:
    """Answers from the ask alone. `performed` lists what it was asked, by kind and digest, in order."""

    name = "simulated"
    version = "1"
    deterministic = True
    metered = False
    looks_beside = False

    def __init__(self, shape: Shape | None = None, *, latency: Latency = no_latency) -> None:
        self.shape = shape or Shape()
        self.latency = latency
        self.asks: list[Ask[Any]] = []
        self.asked = asyncio.Event()
        """Set with every ask; whoever waits for it clears it."""

    @property
    def performed(self) -> list[tuple[str, str]]:
        """Kind and digest of every ask so far."""
        return [(ask.kind(), ask.digest()) for ask in self.asks]

    async def answer(self, ask: Ask[A], calls: Calls) -> Answered[A]:  # noqa: ARG002 - it makes none
        """The answer, after the latency of the ask."""
        self.asks.append(ask)
        self.asked.set()
        seconds = self.latency(ask.kind(), ask.digest() if self.latency is not no_latency else "")
        await asyncio.sleep(seconds)
        if ask.kind() in self.shape.failing:
            raise Unavailable(f"The simulated reasoner fails every {ask.kind()}.")
        answers: dict[type, Callable[[Any], FrozenModel]] = {
            ResolveFollowUp: _resolve,
            ClarifyQuestion: self._leave_open,
            HearWishes: hear_wishes,
            PlanResearch: self._plan,
            AllocateQueries: self._allocate,
            ExtractFindings: self._extract,
            AssessDepth: self._assess,
            RevisePlan: self._revise,
            Reflect: self._reflect,
            SynthesizeSubtask: _synthesize,
            OutlineReport: _outline,
            WriteSection: _write,
            WriteReport: _report,
            CheckReport: _check,
            GeneratePerspectives: _look,
            ValidateFindings: self._validate,
            AnalyzeGaps: self._analyze,
            DirectDataset: self.shape.turns or _direct,
        }
        return Answered(cast(A, answers[type(ask)](ask)))

    async def close(self) -> None:
        """Nothing is held open."""

    def _leave_open(self, ask: ClarifyQuestion) -> OpenPoints:
        return OpenPoints(
            points=tuple(
                OpenPoint(
                    question=f"Which {what}?",
                    choices=tuple(
                        Choice(label=f"{what} {n}", question=f"{ask.query} of {what} {n}") for n in range(1, 3)
                    ),
                )
                for what in self.shape.left_open
            )
        )

    def _plan(self, ask: PlanResearch) -> MasterPlan:
        shape = self.shape
        count = min(shape.subtasks, ask.max_questions)
        if ask.mode == "simple" or count == 1:
            only = Subtask(subtask_id="task_1", description=ask.query, focus_area="All", estimated_importance=1.0)
            return MasterPlan(is_complex=False, subtasks=(only,))
        return MasterPlan(
            is_complex=True,
            execution_mode="hierarchical",
            strategy="aspect",
            subtasks=tuple(
                Subtask(
                    subtask_id=f"task_{n}",
                    description=f"What is part {n} of it?",
                    focus_area=f"Part {n}",
                    priority=n,
                    dependencies=tuple(f"task_{on}" for on in shape.dependencies.get(n, ()) if on <= count),
                    estimated_importance=shape.importance.get(n, 0.8),
                )
                for n in range(1, count + 1)
            ),
        )

    def _allocate(self, ask: AllocateQueries) -> StrategicPlan:
        count = min(self.shape.queries, ask.max_queries)
        who = "" if self.shape.common_queries else f"{ask.subtask.subtask_id} "
        texts = [f"{who}round {len(ask.asked)} query {n}" for n in range(count)]
        queries = ask.proposed[: ask.max_queries] or tuple(Query(text=text, context=ask.query) for text in texts)
        return StrategicPlan(
            allocations=tuple(Allocation(source=source.name, queries=queries) for source in ask.sources),
            allocation_strategy="every source is asked the same",
        )

    def _extract(self, ask: ExtractFindings) -> Findings:
        """The first sentence of each passage, as a claim."""
        findings = []
        relevance = share if self.shape.relevance is None else lambda _: self.shape.relevance
        for passage in ask.passages[: min(self.shape.findings, ask.max_findings)]:
            start, quote = passage.start, passage.text.split(". ")[0] or passage.text
            fields = [] if ask.mapping is None else [each.fields for each in records_in(passage.text)]
            if fields and len(fields[0]) > 1:  # a record: its second field
                _, at = list(fields[0].values())[:2]
                start, quote = passage.start + at.start, passage.text[at.start : at.end]
            evidence = Evidence(
                document=passage.document,
                start=start,
                end=start + len(quote),
                quote=quote,
                locator=" > ".join(passage.headings),
            )
            findings.append(
                Finding(
                    subtask_id=ask.subtask.subtask_id,
                    claim=quote,
                    evidence=(evidence,),
                    confidence=0.8,
                    relevance=relevance(evidence.id if ask.mapping is None else quote),  # a page says when it was read
                )
            )
        for n in range(self.shape.invented if ask.passages else 0):
            made_up = Evidence(document=ask.passages[0].document, start=n, end=n + 9, quote=f"made up {n}")
            findings.append(
                Finding(subtask_id=ask.subtask.subtask_id, claim=f"Nobody wrote claim {n}", evidence=(made_up,))
            )
        known = {finding.id for finding in ask.known}
        new = tuple(finding for finding in findings if finding.id not in known)
        return self._judged(ask, new) if self.shape.at_once else Findings(findings=new)

    def _judged(self, ask: ExtractFindings, new: tuple[Finding, ...]) -> Findings:
        id, common = ask.subtask.subtask_id, {"query": ask.query, "language": ask.language, "subtask": ask.subtask}
        if self.shape.concludes and (others := [each for each in ask.known if each.subtask_id != id]):
            first = others[0]
            drawn = first.model_copy(update={"subtask_id": id, "claim": f"So {first.claim}"})
            stated = tuple(Statement(text=f"{each.claim}.", findings=(each.id,)) for each in (first, drawn))
            found = tuple(each.findings[0] for each in stated)
            answer = Synthesis(subtask_id=id, text="So.", findings=found, confidence=0.8, statements=stated).model_copy(
                update={"contradictions": (found,)}
            )
            good = DepthEvaluation(is_sufficient=True, depth_quality="deep")
            return Findings(findings=(drawn,), evaluation=good, synthesis=answer)
        own = (*(finding for finding in ask.known if finding.subtask_id == id), *new)
        evaluation = self._assess(AssessDepth(**common, findings=own, max_depth=ask.max_depth))
        queries = () if evaluation.is_sufficient else (f"{id} after {len(own)} findings",)
        evaluation = evaluation.model_copy(update={"queries": queries, "changes_plan": id in self.shape.revisions})
        synthesis = _synthesize(SynthesizeSubtask(**common, findings=own)) if own else None
        return Findings(findings=new, evaluation=evaluation, synthesis=synthesis)

    def _assess(self, ask: AssessDepth) -> DepthEvaluation:
        shape, subtask = self.shape, ask.subtask
        areas = shape.children.get(int(subtask.subtask_id.split("_")[1].split(".")[0]), 0)
        wanted = shape.rounds * shape.findings
        if not areas and len(ask.findings) >= wanted:
            return DepthEvaluation(is_sufficient=True, depth_quality="deep")
        return DepthEvaluation(
            is_sufficient=False,
            depth_quality=shape.quality,
            drill_down_needed=bool(areas),
            drill_down_areas=tuple(f"area {n}" for n in range(1, areas + 1)),
            missing=(f"{wanted - len(ask.findings)} findings",) if len(ask.findings) < wanted else (),
            reasoning="so the simulation has it",
        )

    def _revise(self, ask: RevisePlan) -> PlanRevision:
        return self.shape.revisions.get(ask.finished.subtask_id, PlanRevision(should_revise=False))

    def _reflect(self, ask: Reflect) -> Reflection:
        judged: dict[str, Any] = {}
        if ask.validates:
            judged = {"validation": self._validate(ask), "gaps": self._analyze(ask)}
        if ask.round > 1 or not self.shape.weak:
            return Reflection(needs_improvement=False, reasoning="nothing is weak", **judged)
        return Reflection(
            needs_improvement=True,
            weak=self.shape.weak,
            suggested_searches={id: (f"{id} once more",) for id in self.shape.weak},
            reasoning="some answers are weak",
            **judged,
        )

    def _validate(self, ask: ValidateFindings | Reflect) -> Validation:
        weak = [question for question in ask.questions if question.id in self.shape.weak]
        sure = self.shape.confidence
        scores = {question.id: 0.4 if question in weak else sure for question in ask.questions}
        return Validation(
            status="NEEDS_REVISION" if weak else "PASSED",
            issues=tuple(
                ValidationIssue(type="coverage", description=f"{each.id} is weak.", question=each.id) for each in weak
            ),
            confidence_scores=scores,
            overall_confidence=sum(scores.values()) / len(scores) if scores else 0.0,
        )

    def _analyze(self, ask: AnalyzeGaps | Reflect) -> GapAnalysis:
        weak = [question for question in ask.questions if question.id in self.shape.weak]
        return GapAnalysis(
            gaps=tuple(
                ResearchGap(
                    description=f"{each.id} lacks something.",
                    suggested_params={"query": f"{each.id} gap"},
                    question=each.id,
                )
                for each in weak
            ),
            coverage_by_question={question.id: 0.4 if question in weak else 0.9 for question in ask.questions},
            recommendation="CONTINUE_RESEARCH" if weak else "SUFFICIENT_COVERAGE",
        )


def _direct(ask: DirectDataset) -> DatasetTurn:
    """A count with the sub-questions, a scan while records remain, and the summary."""
    if ask.state.turn == 1:
        field = ask.dataset.mapping.category[0]
        named = {each.name: each.matches[0] for each in ask.dataset.fields if each.matches}
        tool = ToolCall(tool=ask.dataset.tools[0].name, arguments={"filters": named, "group_by": [field]})
        return DatasetTurn(sub_agent_calls=(Decompose(),), tool_calls=(tool,), reasoning="count first")
    if ask.state.warning:
        return DatasetTurn(sub_agent_calls=(Scan(batch_size=100),), reasoning="records remain")
    return DatasetTurn(sub_agent_calls=(Synthesize(),), reasoning="all is read")


def _resolve(ask: ResolveFollowUp) -> StandingQuestion:
    return StandingQuestion(question=ask.query)


def _look(ask: GeneratePerspectives) -> Perspectives:
    readers = range(1, ask.num_perspectives + 1)
    return Perspectives(perspectives=tuple(Perspective(name=f"Reader {n}", questions=(ask.topic,)) for n in readers))


def _synthesize(ask: SynthesizeSubtask) -> Synthesis:
    below = [id for child in ask.children for id in child.findings]
    return Synthesis(
        subtask_id=ask.subtask.subtask_id,
        text=" ".join(f"{finding.claim}." for finding in ask.findings),
        findings=(*(finding.id for finding in ask.findings), *below),
        confidence=0.8,
    )


def _outline(ask: OutlineReport) -> Outline:
    by_subtask: dict[str, list[str]] = {}
    for finding in ask.findings:
        by_subtask.setdefault(finding.subtask_id, []).append(finding.id)
    sections = tuple(
        OutlineSection(
            heading=subtask.focus_area or subtask.description,
            subtask_id=subtask.subtask_id,
            findings=tuple(by_subtask.get(subtask.subtask_id, ())),
        )
        for subtask in ask.subtasks
        if subtask.subtask_id in by_subtask
    )
    return Outline(title=ask.query, sections=sections)


def _write(ask: WriteSection) -> Section:
    return Section(
        statements=tuple(Statement(text=f"{finding.claim}.", findings=(finding.id,)) for finding in ask.findings)
    )


def _report(ask: WriteReport) -> WrittenReport:
    """A section a part, with every sentence that its findings cite."""
    numbers = {id: (number, sentence.text) for number, _, sentence in ask.sheet for id in sentence.findings}
    sections = tuple(
        WrittenSection(
            heading=part.subtask.focus_area or part.subtask.description,
            blocks=(WrittenBlock(kind="paragraph", text=tuple(_cited(*numbers[each.id]) for each in part.findings)),),
        )
        for part in ask.parts
        if part.findings
    )
    return WrittenReport(title=ask.query, sections=sections)


def _cited(number: int, text: str) -> Unit:
    return Unit(clauses=(Clause(text=text, cites=(number,)),))


def _check(ask: CheckReport) -> ReportCheck:
    return ReportCheck(read=tuple(unit.id for unit in ask.units))
