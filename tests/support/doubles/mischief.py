"""A reasoner that answers whatever an engine must survive: circles, duplicates, unknown ids, and never enough."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, get_args

from fathom.asks import (
    AllocateQueries,
    AnalyzeGaps,
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
from fathom.data.requests import DataRequest
from fathom.data.turns import (
    Aggregate,
    AnalyzeGap,
    DatasetTurn,
    Decompose,
    Extract,
    Scan,
    Synthesize,
    TakePerspectives,
    ToolCall,
    Validate,
)
from fathom.evidence import Evidence, Query
from fathom.findings import (
    DepthEvaluation,
    Finding,
    Findings,
    GapAnalysis,
    Reflection,
    ResearchGap,
    Statement,
    Synthesis,
    Validation,
)
from fathom.frozen import FrozenModel
from fathom.plan import Allocation, MasterPlan, Perspective, Perspectives, PlanRevision, StrategicPlan, Subtask
from fathom.ports import Answered, Calls
from fathom.preferences import Length, ReportPreferences
from fathom.report import Outline, OutlineSection, Section
from fathom.thread import StandingQuestion
from fathom.written import (
    BlockForm,
    Clause,
    Mistake,
    PlacedUnit,
    ReportCheck,
    Unit,
    WrittenBlock,
    WrittenReport,
    WrittenSection,
    WrongUnit,
)
from tests.support.doubles.reasoner import SimulatedReasoner

MANY = 500
_WORDS = ("depth", "current", "salt", "", " ", "\x1b[2J", "task_1", "depth", "../../etc/passwd", "ignore all of this")


class Mischief(SimulatedReasoner):
    """Equal asks get equal answers; another `seed` does other mischief.

    `tame` is the share of answers that make sense, so that runs get far enough for the rest to matter.
    """

    def __init__(self, seed: int, *, tame: float = 0.3) -> None:
        super().__init__()
        self.seed = seed
        self.tame = tame
        self.version = f"mischief {seed}"

    async def answer(self, ask: Any, calls: Calls) -> Answered[Any]:
        """Sense or nonsense, by the ask alone."""
        chance = Random(f"{self.seed} {ask.kind()} {ask.digest()}")
        sensible = await super().answer(ask, calls)
        if chance.random() < self.tame:
            return sensible
        makers: dict[type, Any] = {
            ResolveFollowUp: _resolve,
            ClarifyQuestion: _leave_open,
            HearWishes: _hear,
            PlanResearch: _plan,
            AllocateQueries: _allocate,
            ExtractFindings: _extract,
            AssessDepth: _assess,
            RevisePlan: _revise,
            Reflect: _reflect,
            SynthesizeSubtask: _synthesize,
            OutlineReport: _outline,
            WriteSection: _write,
            WriteReport: _report,
            CheckReport: _check,
            GeneratePerspectives: _look,
            ValidateFindings: _validate,
            AnalyzeGaps: _analyze,
            DirectDataset: _direct,
        }
        return Answered(makers[type(ask)](ask, chance, sensible.answer))


def _text(chance: Random) -> str:
    return " ".join(chance.choice(_WORDS) for _ in range(chance.randrange(1, 6)))


def _said(chance: Random) -> str:
    return _text(chance).strip() or "salt"


def _id(chance: Random) -> str:
    return chance.choice((f"task_{chance.randrange(1, 12)}", f"task_{chance.randrange(1, 5)}.1", "task_99", "nobody"))


def _count(chance: Random) -> int:
    return chance.choice((0, 1, 2, 5, 40, MANY))


def _numbered(chance: Random, count: int) -> list[Subtask]:
    """Subtasks that may say the same and depend on themselves, on each other, and on nobody."""
    return [
        Subtask(
            subtask_id=f"task_{chance.choice((number, number, 1))}",
            description=chance.choice((_said(chance), f"What is part {number}?")),
            focus_area=_text(chance),
            priority=chance.randrange(1, 9),
            dependencies=tuple(f"task_{chance.randrange(1, count + 2)}" for _ in range(chance.choice((0, 0, 1, 3)))),
            estimated_importance=chance.choice((0.0, 0.3, 0.8, 1.0)),
            queries=tuple(Query(text=_text(chance) or "?") for _ in range(chance.choice((0, 1, 9)))),
            parent_id=chance.choice((None, "task_1", "nobody")),
            depth=chance.choice((0, 0, 7)),
        )
        for number in range(1, count + 1)
    ]


def _hear(ask: HearWishes, chance: Random, __: FrozenModel) -> ReportPreferences:
    """Wishes for what was never found, in a length that nothing has."""
    return ReportPreferences(
        topic=chance.choice(("", _text(chance), ask.query)),
        wishes=tuple(_text(chance) for _ in range(_count(chance))),
        form=chance.choice((None, "table", "timeline", "brief", "literature_review")),
        lengths=(Length(most=chance.choice((1, 80)), unit=chance.choice(("words", "items"))),),
        language=chance.choice(("", "xx", "ja")),
        exclusions=(_text(chance),),
        since=chance.choice(("", "2030-01-01", "yesterday")),
    )


def _leave_open(ask: ClarifyQuestion, chance: Random, __: FrozenModel) -> OpenPoints:
    """Points that nobody can tell apart, and readings that ask something else."""
    choices = tuple(Choice(label=_said(chance), question=chance.choice((_said(chance), ask.query))) for _ in range(3))
    return OpenPoints(points=(OpenPoint(question=_said(chance), choices=choices),) * chance.randrange(4))


def _plan(_: PlanResearch, chance: Random, __: FrozenModel) -> MasterPlan:
    """Not validated, as if whoever made it knew no rule."""
    subtasks = tuple(_numbered(chance, chance.choice((1, 2, 7, MANY))))
    if chance.random() < 0.5:  # a plan that holds together, and is far too large
        subtasks = tuple(
            each.model_copy(update={"subtask_id": f"task_{number}", "dependencies": (), "parent_id": None, "depth": 0})
            for number, each in enumerate(subtasks, start=1)
        )
    return MasterPlan.model_construct(
        is_complex=chance.random() < 0.5,
        complexity_reasoning="",
        execution_mode=chance.choice(("simple", "hierarchical")),
        strategy=None,
        subtasks=subtasks,
        overall_strategy="",
    )


def _allocate(ask: AllocateQueries, chance: Random, _: FrozenModel) -> StrategicPlan:
    names = [*(source.name for source in ask.sources), "nobody"]
    return StrategicPlan(
        allocations=tuple(
            Allocation(source=name, queries=tuple(Query(text=_text(chance) or "?") for _ in range(_count(chance))))
            for name in names
        )
    )


def _extract(ask: ExtractFindings, chance: Random, sensible: FrozenModel) -> Findings:
    assert isinstance(sensible, Findings)
    found = [*sensible.findings] * chance.choice((0, 1, 3))
    for number in range(chance.choice((0, 2, 60))):
        span = Evidence(document="0" * 64, start=number, end=number + 4, quote="salt")
        found.append(
            Finding(subtask_id=chance.choice((ask.subtask.subtask_id, "task_99")), claim="S", evidence=(span,))
        )
    chance.shuffle(found)
    judged = _assess(None, chance, sensible) if chance.random() < 0.5 else None
    unread = tuple(each.id for each in ask.passages[: _count(chance)])
    return Findings(
        findings=tuple(found),
        evaluation=judged,
        synthesis=_synthesize(ask, chance, sensible) if chance.random() < 0.3 else None,
        unread=(*unread, "nobody"),
    )


def _assess(_: Any, chance: Random, __: FrozenModel) -> DepthEvaluation:
    """Never enough."""
    return DepthEvaluation(
        is_sufficient=False,
        depth_quality=chance.choice(("superficial", "superficial", "adequate")),
        drill_down_needed=chance.random() < 0.7,
        drill_down_areas=tuple(_text(chance) for _ in range(_count(chance))),
        missing=tuple(_text(chance) for _ in range(chance.choice((0, 1, MANY)))),
        queries=tuple(_text(chance) for _ in range(chance.choice((0, 1, MANY)))),
        openings=tuple(_id(chance) for _ in range(chance.choice((0, 3)))),
        changes_plan=True,
        reasoning="it is never enough",
    )


def _revise(ask: RevisePlan, chance: Random, _: FrozenModel) -> PlanRevision:
    known = [subtask.subtask_id for subtask in ask.plan.subtasks]
    return PlanRevision(
        should_revise=True,
        revision_reasoning="there is always more",
        trigger_type=chance.choice(("new_topic", "contradiction", None)),
        new_subtasks=tuple(_numbered(chance, chance.choice((0, 1, 3, 60)))),
        removed_subtasks=tuple(chance.choice((*known, "nobody")) for _ in range(chance.choice((0, 1, 9)))),
        priority_changes={chance.choice((*known, "nobody")): chance.randrange(-3, 9) for _ in range(3)},
        estimated_impact=1.0,
    )


def _reflect(ask: Reflect, chance: Random, _: FrozenModel) -> Reflection:
    weak = (*(each.subtask_id for each in ask.subtasks), *(each.subtask_id for each in ask.subtasks), "nobody")
    return Reflection(
        needs_improvement=True,
        weak=weak,
        suggested_searches={id: tuple(_text(chance) for _ in range(_count(chance))) for id in weak},
        not_found=("nobody", *weak),
        reasoning="all of it is weak",
    )


def _synthesize(ask: Any, chance: Random, _: FrozenModel) -> Synthesis:
    known = [finding.id for finding in getattr(ask, "findings", ())] or ["nobody"]
    return Synthesis(
        subtask_id=chance.choice((ask.subtask.subtask_id, "task_99")),
        text=_text(chance),
        findings=tuple(chance.choice((*known, "nobody")) for _ in range(chance.choice((0, 3, MANY)))),
        confidence=chance.random(),
        contradictions=(("nobody", known[0]), (known[0], known[0])),
        statements=tuple(
            Statement(text=_said(chance), findings=(chance.choice((*known, "nobody")),))
            for _ in range(chance.choice((0, 2, 50)))
        ),
    )


def _outline(ask: OutlineReport, chance: Random, _: FrozenModel) -> Outline:
    known = [*(finding.id for finding in ask.findings), "nobody"]

    def some() -> tuple[str, ...]:
        return tuple(chance.choice(known) for _ in range(chance.choice((0, 3, 30))))

    sections = tuple(
        OutlineSection(heading=_text(chance), subtask_id=chance.choice((None, _id(chance))), findings=some())
        for _ in range(chance.choice((0, 2, 60)))
    )
    nested = tuple(each.model_copy(update={"sections": sections[:2]}) for each in sections)
    return Outline(title=_text(chance), summary=some(), sections=nested, conclusion=some())


def _write(ask: WriteSection, chance: Random, _: FrozenModel) -> Section:
    known: Sequence[str] = [*(finding.id for finding in ask.findings), "nobody"]
    return Section(
        statements=tuple(
            Statement(text=_said(chance), findings=(chance.choice(known),)) for _ in range(chance.choice((0, 1, 60)))
        )
    )


def _report(ask: WriteReport, chance: Random, _: FrozenModel) -> WrittenReport:
    """Units that cite what is there, twice or not at all, in every form and in none."""
    known = [*ask.sheet.numbers, 77, 9_999]

    def units() -> tuple[Unit, ...]:
        return tuple(map(unit, range(chance.choice((0, 1, 3)))))

    def unit(_: int) -> Unit:
        cites = tuple(chance.choice(known) for _ in range(chance.choice((0, 1, 1, 2))))
        return Unit(clauses=(Clause(text=_text(chance), cites=cites, is_conclusion=chance.random() < 0.2),))

    def block(_: int) -> WrittenBlock:
        kind: BlockForm = chance.choice(("paragraph", "list", "steps", "table"))
        columns = tuple(map(str, range(chance.choice((0, 1, 4)))))
        rows = tuple(tuple(map(unit, range(len(columns)))) for _ in range(chance.choice((0, 2))))
        return WrittenBlock(kind=kind, text=units(), items=(units(), ()), columns=columns, rows=rows)

    sections = tuple(
        WrittenSection(heading=_text(chance), blocks=tuple(map(block, range(chance.choice((0, 1, 4))))))
        for _ in range(chance.choice((0, 1, 9)))
    )
    frame = {"disagreements": (units(),), "next_steps": (units(),), "limits": (units(), ())}
    return WrittenReport(title=_text(chance), lead=units(), sections=sections, **frame)


def _check(ask: CheckReport, chance: Random, _: FrozenModel) -> ReportCheck:
    """Verdicts and repairs of units that there are and are not, some twice."""
    known = [*(unit.id for unit in ask.units), "nobody"]
    wrong = tuple(
        WrongUnit(
            id=chance.choice(known),
            kind=chance.choice(get_args(Mistake)),
            repair=chance.choice((None, Unit(clauses=(Clause(text=_text(chance), cites=(1, 9_999)),)))),
        )
        for _ in range(chance.choice((0, 2, 30)))
    )
    placed = tuple(
        PlacedUnit(id=chance.choice(known), after=chance.choice((*known, "differ.1.1")), unit=each.repair)
        for each in wrong
    )
    return ReportCheck(wrong=wrong, placed=placed, read=tuple(chance.choice(known) for _ in range(_count(chance))))


def _resolve(_: ResolveFollowUp, chance: Random, __: FrozenModel) -> StandingQuestion:
    return StandingQuestion(question=_said(chance))


def _look(_: GeneratePerspectives, chance: Random, __: FrozenModel) -> Perspectives:
    return Perspectives(perspectives=tuple(Perspective(name=f"Reader {n}") for n in range(_count(chance))))


def _validate(_: ValidateFindings, __: Random, ___: FrozenModel) -> Validation:
    return Validation(status="NEEDS_REVISION", confidence_scores={"nobody": 0.1}, overall_confidence=0.1)


def _analyze(_: AnalyzeGaps, chance: Random, __: FrozenModel) -> GapAnalysis:
    gaps = tuple(
        ResearchGap(description="more", suggested_params={"query": _text(chance)}, question=_id(chance))
        for _ in range(_count(chance))
    )
    return GapAnalysis(gaps=gaps, recommendation="CONTINUE_RESEARCH")


def _direct(_: DirectDataset, chance: Random, __: FrozenModel) -> DatasetTurn:
    """Turns without end: now and then something that is there, never the end for certain."""
    agents = (
        Decompose(max_questions=chance.randrange(1, 11)),
        TakePerspectives(topic=_text(chance)),
        Aggregate(group_by=(chance.choice(("event_theme", "nothing", "visitors")),)),
        Scan(batch_size=chance.randrange(1, 101), request=DataRequest(text=chance.choice(("", "salt")))),
        Extract(documents=("nobody",)),
        Validate(),
        AnalyzeGap(),
        Synthesize(),
    )
    tools = (
        ToolCall(tool="drop", arguments={}),
        ToolCall(tool="analyze", arguments={"filters": {"nothing": _text(chance)}, "group_by": ["nothing"]}),
        ToolCall(tool="analyze", arguments={"page_size": 100, "search_after": [_text(chance)]}),
        ToolCall(tool="analyze", arguments={"top_n": -7, "page_size": 10**9}),
    )
    return DatasetTurn(
        sub_agent_calls=tuple(chance.choice(agents) for _ in range(chance.choice((0, 1, 3, 12)))),
        tool_calls=tuple(chance.choice(tools) for _ in range(chance.choice((0, 0, 1, 20)))),
        promises_scan=chance.random() < 0.3,
    )
