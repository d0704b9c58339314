"""The end of a run: what was written is checked, and becomes the report (see `fathom.composing`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fathom.composing.numbering import Written, judge
from fathom.composing.report import composed, numbered
from fathom.composing.research import ReportMaterial
from fathom.composing.template import in_template
from fathom.composing.wishes import Shape
from fathom.engine.context import Context
from fathom.engine.steps.second_look import look_again
from fathom.events import Checked, Routed
from fathom.report import Outline, Report, verdicts_of
from fathom.text.phrases import Phrases, phrases
from fathom.text.reach import asks_for_current
from fathom.verification.contradictions import disagreements
from fathom.verification.quality import Quality


async def assemble(context: Context, research: ReportMaterial, outline: Outline, written: Sequence[Written]) -> Report:
    """Check, number and compose."""
    run, state = context.run.model_copy(update={"language": context.told_in}), context.state
    await context.emit(Routed(decision="check", reason=""))
    findings = {finding.id: finding for finding in research.findings}
    judged = judge(written, findings, research.documents, research.results)
    told = [finding.id for section in judged for each in section.all_sentences() for finding in each.cited]
    quality = Quality(
        documents=research.documents,
        findings=research.findings,
        copies=research.origins,
        today=run.created_at[:10],
        is_current=asks_for_current(run.query, today=run.created_at[:10]),
    )
    judged, pairs = await look_again(context, judged, disagreements(quality, research.syntheses, told, query=run.query))
    # what the report has asked since counts too
    partial = research.partial or ("unavailable" if state.material.missed else None)
    stand_ins = dict(sorted(state.stand_ins.items()))
    research = replace(research, stand_ins=stand_ins, invented=state.invented, partial=partial)
    words, notes = phrases(run.language), list[str]()
    if template := run.template:
        ids = [each.subtask_id for each in state.plan.subtasks] if state.plan else []
        judged = in_template(judged, template, ids, is_written=context.reasoner.metered)
        outline = outline.model_copy(update={"title": template.title or outline.title})
    if wished := state.asked.preferences:
        headings = {id: subtask.planned.focus_area for id, subtask in state.subtasks.items()}
        shape = Shape(wished, research.documents, words, title=outline.title, headings=headings)
        judged = shape.shaped(judged)
        notes = shape.notes(is_written=context.reasoner.metered)
    if wished or template:
        told = [finding.id for section in judged for each in section.all_sentences() for finding in each.cited]
    checked = numbered(run, research, judged, pairs, quality, told=[findings[id] for id in told])
    doubts = {each.subtask_id: each.doubts for each in checked.subtasks if each.doubts}
    await context.emit(Checked.like(verdicts_of(checked.numbering.claims), doubts=doubts))
    known = state.asked.clarified
    left_open = [words.left_open.format(what=what) for what in (known.open if known else ())]
    notes = [*await _passed(context, words), *left_open, *notes]
    created_at, usage = await context.end()
    report = composed(run, outline, written, checked, notes=notes, created_at=created_at, usage=usage)
    if not (wished or known):
        return report
    asked = await context.store.run(run.run_id)  # as the user has put it
    return report.model_copy(update={"query": asked.query, "preferences": wished, "clarified": known})


async def _passed(context: Context, words: Phrases) -> list[str]:
    """By how much the caps were passed, if they were; decided once, for a replay spends nothing."""
    path = f"passed/{context.run.attempt}"
    tokens, cost = context.journal.budget.passed_by
    if (tokens or cost) and not context.replay:
        await context.decide(path, {"tokens": tokens, "cost": cost})
    decided = context.journal.decision(path)
    return [words.passed_by.format(**decided)] if decided else []
