"""Asks over given pages, each made from the answers before it, as the engine makes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fathom.asks import (
    AllocateQueries,
    Ask,
    AssessDepth,
    CheckReport,
    ClarifyQuestion,
    ExtractFindings,
    HearWishes,
    OutlineReport,
    PlanResearch,
    Reflect,
    ResolveFollowUp,
    RevisePlan,
    SynthesizeSubtask,
    UnitToCheck,
    WriteSection,
)
from fathom.evidence import Retrieval
from fathom.findings import DepthEvaluation, Finding, Findings, Synthesis
from fathom.plan import Subtask
from fathom.ports import Reasoner
from fathom.report import OutlineSection
from fathom.thread import Exchange
from tests.contracts.dataset import walk_data, walk_whole
from tests.contracts.material import a_source
from tests.support.doubles.calls import answer_of
from tests.support.researched import material, write_ask

FOLLOW_UPS = {"en": "and in winter?", "ja": "では、その理由は？"}
"""Questions that lean on the one before them."""


def a_subtask(number: int = 1, description: str = "How deep is the sea?") -> Subtask:
    return Subtask(subtask_id=f"task_{number}", description=description, focus_area="Depth", estimated_importance=0.9)


def plan_ask(query: str, found: Retrieval, *, language: str = "en", **changes: Any) -> PlanResearch:
    return PlanResearch.model_validate(
        {
            "query": query,
            "language": language,
            "sources": (a_source(query, found),),
            "preview": found,
            "max_questions": 4,
            **changes,
        }
    )


def extract_ask(found: Retrieval, *, max_findings: int = 20) -> ExtractFindings:
    return ExtractFindings(
        query="How deep is the sea?",
        language="en",
        subtask=a_subtask(),
        documents=found.documents,
        passages=found.passages,
        sources=(a_source("How deep is the sea?", found),),
        max_findings=max_findings,
    )


async def walk(reasoner: Reasoner, query: str, found: Retrieval, *, language: str = "en") -> list[tuple[Ask[Any], Any]]:
    """Every ask of a small run, each made from the answers before it, with its answer."""
    walked: list[tuple[Ask[Any], Any]] = []
    common = {"query": query, "language": language}
    source = a_source(query, found)
    exchange = Exchange(run_id="run_one", asked=query, question=query, answer="The sea is deep.", parts=(query,))
    resolve = ResolveFollowUp.model_validate({**common, "query": FOLLOW_UPS[language], "exchanges": (exchange,)})
    walked.append((resolve, await answer_of(reasoner, resolve)))
    hear = HearWishes(query=query, language=language, today="2026-11-22")
    walked.append((hear, await answer_of(reasoner, hear)))
    clarify = ClarifyQuestion(query=query, language=language, sources=(source,), preview=found, today="2026-11-22")
    walked.append((clarify, await answer_of(reasoner, clarify)))
    plan_it = plan_ask(query, found, language=language)
    plan = await answer_of(reasoner, plan_it)
    walked.append((plan_it, plan))
    findings: list[Finding] = []
    evaluations: dict[str, DepthEvaluation] = {}
    syntheses: list[Synthesis] = []
    for subtask in plan.subtasks:
        shared = {**common, "subtask": subtask}
        allocate = AllocateQueries.model_validate({**shared, "sources": (source,), "max_queries": 3})
        walked.append((allocate, await answer_of(reasoner, allocate)))
        extract = ExtractFindings.model_validate(
            {
                **shared,
                "documents": found.documents,
                "passages": found.passages,
                "sources": (source,),
                "known": tuple(findings),
                "max_findings": 12,
            }
        )
        own = (await answer_of(reasoner, extract)).findings
        walked.append((extract, Findings(findings=own)))
        findings += own
        assess = AssessDepth.model_validate({**shared, "findings": own, "max_depth": 3})
        evaluations[subtask.subtask_id] = await answer_of(reasoner, assess)
        walked.append((assess, evaluations[subtask.subtask_id]))
        synthesize = SynthesizeSubtask.model_validate({**shared, "findings": own, "children": tuple(syntheses[:1])})
        syntheses.append(await answer_of(reasoner, synthesize))
        walked.append((synthesize, syntheses[-1]))
        revise = RevisePlan.model_validate(
            {
                **common,
                "plan": plan,
                "finished": subtask,
                "synthesis": syntheses[-1],
                "findings": own,
                "preview": found,
            }
        )
        walked.append((revise, await answer_of(reasoner, revise)))
    whole = {"findings": tuple(findings), "documents": found.documents, "new_findings": (len(findings),)}
    for more in ({}, {**whole, "validates": True, "docs_processed": len(found.documents)}):
        reflect = Reflect.model_validate(
            {**common, "subtasks": plan.subtasks, "evaluations": evaluations, "syntheses": tuple(syntheses), **more}
        )
        walked.append((reflect, await answer_of(reasoner, reflect)))
    walked += await walk_whole(reasoner, query, found, tuple(findings), language=language)
    walked += await walk_data(reasoner, language)
    told = [synthesis for synthesis in syntheses if synthesis.findings]
    return walked + await write_up(
        reasoner, found, findings, subtasks=plan.subtasks, syntheses=told, query=query, language=language
    )


async def write_up(
    reasoner: Reasoner,
    found: Retrieval,
    findings: Sequence[Finding],
    *,
    subtasks: Sequence[Subtask] = (a_subtask(1), a_subtask(2)),
    syntheses: Sequence[Synthesis] = (),
    query: str = "How deep is the sea?",
    language: str = "en",
    max_words: int = 950,
) -> list[tuple[Ask[Any], Any]]:
    """The outline of these findings and every section of it; of a reasoner with a model also the report as it writes
    it, and what it finds wrong with a few sentences."""
    common = {"query": query, "language": language, "documents": found.documents}
    outline_it = OutlineReport.model_validate(
        {
            **common,
            "subtasks": tuple(subtasks),
            "syntheses": tuple(syntheses),
            "findings": tuple(findings),
            "max_words": max_words,
        }
    )
    outline = await answer_of(reasoner, outline_it)
    walked: list[tuple[Ask[Any], Any]] = [(outline_it, outline)]
    known = {finding.id: finding for finding in findings}
    parts = [
        ("summary", OutlineSection(heading="Summary", findings=outline.summary)),
        *(("section", section) for section in flat(outline.sections)),
        ("conclusion", OutlineSection(heading="Conclusion", findings=outline.conclusion)),
    ]
    for role, section in parts:
        given = tuple(known[id] for id in section.findings if id in known)
        write = WriteSection.model_validate({**common, "role": role, "section": section, "findings": given})
        walked.append((write, await answer_of(reasoner, write)))
    if reasoner.metered and any(
        char.isalnum() for each in findings for char in each.claim
    ):  # there is something to write
        research = material(findings, found.documents, parts=subtasks, syntheses=syntheses)
        report_it = write_ask(research, query=query, language=language, max_words=max_words)
        report = await answer_of(reasoner, report_it)
        units = tuple(UnitToCheck(id=place.id, unit=unit, label=place.label) for place, unit in report.units())
        check = CheckReport(query=query, language=language, sheet=report_it.sheet, units=units)
        walked += [(report_it, report), (check, await answer_of(reasoner, check))]
    return walked


def flat(sections: Sequence[OutlineSection]) -> Iterator[OutlineSection]:
    """Every section, the sub-sections included."""
    for section in sections:
        yield section
        yield from flat(section.sections)
