"""What an answer must keep to, given its ask: bounds, and no id, source or quote that was not given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
from fathom.data.requests import DataRequest
from fathom.data.turns import Aggregate, DatasetTurn, Scan, Synthesize
from fathom.evidence import Evidence, Passage
from fathom.findings import Finding
from tests.contracts.asking import flat


def hold(ask: Ask[Any], answer: Any) -> None:
    """Hold an answer to what its ask and the nouns promise: bounds, and no id, source or quote that was not given."""
    match ask:
        case PlanResearch():
            assert len(answer.subtasks) <= ask.max_questions
            assert answer.is_complex == (answer.execution_mode == "hierarchical")
            assert answer.is_complex or len(answer.subtasks) == 1
            assert [subtask.priority for subtask in answer.subtasks] == sorted(
                subtask.priority for subtask in answer.subtasks
            )
            assert all(subtask.parent_id is None and subtask.depth == 0 for subtask in answer.subtasks)
        case ResolveFollowUp():
            assert any(char.isalnum() for char in answer.question)
        case AllocateQueries():
            named = [allocation.source for allocation in answer.allocations]
            assert len(set(named)) == len(named)
            assert set(named) <= {source.name for source in ask.sources}
            assert all(len(allocation.queries) <= ask.max_queries for allocation in answer.allocations)
        case ExtractFindings():
            hold_findings(ask, answer.findings)
        case AssessDepth():
            assert not answer.is_sufficient or ask.findings
            assert not answer.drill_down_needed or answer.drill_down_areas
        case RevisePlan():
            planned = {subtask.subtask_id for subtask in ask.plan.subtasks}
            assert {*answer.removed_subtasks, *answer.priority_changes} <= planned
            assert answer.should_revise or not (answer.new_subtasks or answer.removed_subtasks)
        case Reflect():
            ids = {subtask.subtask_id for subtask in ask.subtasks}
            assert {*answer.weak, *answer.suggested_searches, *answer.not_found} <= ids
            assert answer.needs_improvement or not answer.weak
            assert (answer.validation is not None) == (answer.gaps is not None) == ask.validates
            if answer.validation:
                assert answer.validation.confidence_scores.keys() <= ids
                assert {issue.question for issue in answer.validation.issues} <= {*ids, ""}
                given = {finding.id for finding in ask.findings}
                assert {id for issue in answer.validation.issues for id in issue.findings} <= given
            if answer.gaps:
                assert answer.gaps.coverage_by_question.keys() <= ids
                assert {gap.question for gap in answer.gaps.gaps} <= {*ids, ""}
        case SynthesizeSubtask():
            given = {finding.id for finding in ask.findings} | {id for child in ask.children for id in child.findings}
            assert answer.subtask_id == ask.subtask.subtask_id
            assert set(answer.findings) <= given
            assert len(set(answer.findings)) == len(answer.findings)
            assert {id for pair in answer.contradictions for id in pair} <= given
            assert bool(answer.text) == bool(answer.findings)
        case OutlineReport():
            known = {finding.id for finding in ask.findings}
            told = [id for section in flat(answer.sections) for id in section.findings]
            assert len(set(told)) == len(told)
            assert {*told, *answer.summary, *answer.conclusion} <= known
            assert len(set(answer.summary)) == len(answer.summary)
            assert len(set(answer.conclusion)) == len(answer.conclusion)
            subtasks = {subtask.subtask_id for subtask in ask.subtasks}
            assert {section.subtask_id for section in flat(answer.sections)} <= {*subtasks, None}
            assert answer.title.strip()
            assert all(section.heading.strip() for section in flat(answer.sections))
        case WriteSection():
            given = {finding.id for finding in ask.findings}
            assert {id for statement in answer.statements for id in statement.findings} <= given
            assert given or not answer.statements
        case WriteReport():
            assert all(set(unit.cites) <= {*ask.sheet.numbers} for _, unit in answer.units())
            assert all(unit.text or place.label for place, unit in answer.units()), "only a cell may be empty"
        case CheckReport():
            ids, numbers = {unit.id for unit in ask.units}, {*ask.sheet.numbers}
            named = [wrong.id for wrong in answer.wrong]
            assert {*named, *answer.read} <= ids and len(set(named)) == len(named)
            assert all(set(wrong.repair.cites) <= numbers for wrong in answer.wrong if wrong.repair)
            left = {unit.id for unit in ask.units if unit.left_out}
            assert all(each.id in left and each.after in ids - left for each in answer.placed)
            assert all(set(each.unit.cites) <= numbers for each in answer.placed if each.unit)
        case GeneratePerspectives():
            names = [each.name for each in answer.perspectives]
            assert 0 < len(names) <= ask.num_perspectives
            assert len({name.casefold() for name in names}) == len(names)
        case ValidateFindings():
            given = {finding.id for finding in ask.findings}
            questions = {question.id for question in ask.questions}
            assert answer.confidence_scores.keys() <= questions
            assert all(0 <= score <= 1 for score in answer.confidence_scores.values())
            for issue in answer.issues:
                assert issue.type in ask.validation_checks
                assert set(issue.findings) <= given
                assert issue.question in {*questions, ""}
        case AnalyzeGaps():
            questions = {question.id for question in ask.questions}
            assert answer.coverage_by_question.keys() <= questions
            assert all(0 <= share <= 1 for share in answer.coverage_by_question.values())
            assert {gap.question for gap in answer.gaps} <= {*questions, ""}
            assert {gap.suggested_agent for gap in answer.gaps} <= {
                "",
                "aggregator",
                "scanner",
                "extractor",
                "validator",
            }
        case DirectDataset():
            hold_turn(ask, answer)
        case ClarifyQuestion():
            readings = [choice.question for point in answer.points for choice in point.choices]
            assert len(set(readings)) == len(readings) and ask.query not in readings, "an answer that changes nothing"
        case HearWishes():
            said = " ".join(ask.query.split()).casefold()
            assert all(wish.casefold() in said for wish in answer.wishes), "a wish that nobody has said"
            assert answer.topic == ask.query if not answer.wishes else answer.topic
        case _:
            raise AssertionError(f"no promise is known for {ask.kind()}: add it")


def hold_turn(ask: DirectDataset, turn: DatasetTurn) -> None:
    """A turn directs something, names nothing that there is not, and lets the synthesizer stand alone."""
    tools, fields = {tool.name for tool in ask.dataset.tools}, {field.name for field in ask.dataset.fields}
    calls = (*turn.sub_agent_calls, *turn.tool_calls)
    assert calls
    assert len(calls) == 1 or not any(isinstance(call, Synthesize) for call in calls)
    assert {call.agent for call in turn.sub_agent_calls} <= {agent.name for agent in ask.agents}
    assert {call.tool for call in turn.tool_calls} <= tools
    for call in turn.sub_agent_calls:
        if isinstance(call, Aggregate | Scan):
            assert set(call.tool_names) <= tools
            assert not fields or named_in(call.request) <= fields
        assert not isinstance(call, Aggregate) or not call.request.is_page


def named_in(request: DataRequest) -> set[str]:
    """The fields that a request names."""
    dates = {request.date_histogram.field} if request.date_histogram else set[str]()
    return {each.field for each in request.filters} | {*request.group_by, *request.statistics} | dates


def hold_findings(ask: ExtractFindings, findings: Sequence[Finding]) -> None:
    """Findings are few enough, different, for the subtask, and quote nothing but the passages of the ask and what the
    findings known before it rest on."""
    assert len(findings) <= ask.max_findings
    assert len({finding.id for finding in findings}) == len(findings)
    documents = {document.sha256 for document in ask.documents}
    known = {span for finding in ask.known for span in finding.spans}
    for finding in findings:
        assert finding.subtask_id == ask.subtask.subtask_id
        assert finding.claim.strip()
        for evidence in finding.spans:
            if evidence in known:
                continue
            assert evidence.document in documents
            assert evidence.quote in [
                passage.quote(evidence.start, evidence.end)
                for passage in ask.passages
                if passage.document == evidence.document and holds(passage, evidence)
            ]


def holds(passage: Passage, evidence: Evidence) -> bool:
    """Whether a span stands in a passage, or is one of its lead-ins."""
    inside = passage.start <= evidence.start < evidence.end <= passage.end
    return inside or f"{evidence.start}-{evidence.end}" in passage.lead_ins
