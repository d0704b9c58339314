"""The report: every citation checked, every sentence numbered, and what a reader must know of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from fathom.asks import CheckReport, UnitToCheck
from fathom.composing.numbering import Text, judge
from fathom.composing.report import composed, numbered
from fathom.composing.sections import QuotedText
from fathom.composing.template import in_outline, in_template
from fathom.composing.wishes import Shape, as_wished
from fathom.composing.written import WrittenText, trimmed, with_left_out, with_placed
from fathom.engine.context import Context
from fathom.engine.state import DraftedReport
from fathom.engine.steps.write import quality_of
from fathom.errors import ProviderError
from fathom.events import Checked, Routed
from fathom.outcomes import in_thread
from fathom.report import VERIFIED, Report, verdicts_of
from fathom.sheet import Sheet
from fathom.text.phrases import Phrases, phrases
from fathom.verification.contradictions import disagreements
from fathom.verification.disagreement import Pair
from fathom.verification.judged import Judged
from fathom.verification.quality import Quality
from fathom.verification.units import UnitJudge, lead_ins
from fathom.written import Place, PlacedUnit, Unit, WrittenReport, WrongUnit

SLACK = 1.15
"""How far a report may be longer than it is to be."""
KEEP = 8
"""Relevance, of 10, from which what a unit cites stays in a report that is too long, and what is left out is added."""
MOST_ADDED = 6
"""Findings that are added to a report because its writer left them out."""


async def assemble(context: Context, draft: DraftedReport) -> Report:
    """Check, number and compose."""
    run, state, research = context.run.model_copy(update={"language": context.told_in}), context.state, draft.material
    words, wished, title = phrases(run.language), state.asked.preferences, draft.title
    await context.emit(Routed(decision="check", reason=""))
    quality, notes = quality_of(context, research), list[str]()
    text: Text
    if draft.report is not None:
        report = fitted(draft.report, context, draft)
        whole = with_forgotten(report, context, draft)
        written = await checked_text(context, whole, draft, forgotten=len(whole.sections) > len(report.sections))
        text, pairs = written, _confirmed(draft.pairs, written)
    else:
        text, notes, title = _quoted(context, draft, quality, words)
        pairs = list(text.pairs)
    # what the report has asked since counts too
    partial = research.partial or ("unavailable" if state.material.missed else None)
    research = replace(research, **state.models.for_report(), partial=partial)
    if draft.report is not None:
        research = replace(research, by_models="report")
    checked = numbered(run, research, text, pairs, quality, is_written=draft.report is not None)
    doubts = {each.subtask_id: each.doubts for each in checked.subtasks if each.doubts}
    await context.emit(Checked.like(verdicts_of(checked.numbering.claims), doubts=doubts))
    known = state.asked.clarified
    left_open = [words.left_open.format(what=what) for what in (known.open if known else ())]
    notes = [*await _passed(context, words), *left_open, *notes]
    created_at, usage = await context.end()
    made = composed(run, title, checked, notes=notes, created_at=created_at, usage=usage)
    if not (wished or known):
        return made
    asked = await context.store.run(run.run_id)  # as the user has put it
    return made.model_copy(update={"query": asked.query, "preferences": wished, "clarified": known})


# ── What a model has written ───────────────────────────────────────────────────────────────────────────────────────


def fitted(report: WrittenReport, context: Context, draft: DraftedReport) -> WrittenReport:
    """The report as its question wishes it, and no longer than it may be."""
    if wished := context.state.asked.preferences:
        report = as_wished(report, wished, documents=draft.material.documents, sheet=draft.sheet)
    if template := context.run.template:
        report = in_outline(report, template)
    relevance = {finding.id: finding.relevance for finding in draft.material.findings}
    best = max((1.0, *relevance.values()))
    behind = {number: sentence.findings for number, _, sentence in draft.sheet}
    points = {
        place.id: max((round(10 * relevance[id] / best) for at in unit.cites for id in behind[at]), default=0)
        for place, unit in report.units()
    }
    return trimmed(report, points, most=round(SLACK * context.max_words), keep=KEEP)


def with_forgotten(report: WrittenReport, context: Context, draft: DraftedReport) -> WrittenReport:
    """The report with what matters and nothing in it cites, in a last section until a check has placed it."""
    wished = context.state.asked.preferences
    if context.run.template or (wished and (wished.form or wished.lengths)):
        return report
    best = max((1.0, *(finding.relevance for finding in draft.material.findings)))
    must = [each for each in draft.material.findings if 10 * each.relevance >= KEEP * best and not each.fact]
    return with_left_out(report, must, draft.sheet, heading=phrases(context.told_in).further, most=MOST_ADDED)


async def checked_text(
    context: Context, report: WrittenReport, draft: DraftedReport, *, forgotten: bool = False
) -> WrittenText:
    """Every unit compared with what it cites: by rules, then by a model that sees the whole sheet.

    Of what was `forgotten`, the last section, the model says where it belongs.
    """
    last = f"s{len(report.sections)}." if forgotten else "none"
    research = draft.material
    leading = lead_ins(report)
    units_judge = UnitJudge(draft.sheet, {each.id: each for each in research.findings}, research.results)
    units = {place: unit for place, unit in report.units() if unit.text}
    by_rule = await in_thread(lambda: {place: units_judge.judged(place, unit) for place, unit in units.items()})
    by_rule |= {
        place: units_judge.leading(place, unit, leading[place.id])
        for place, unit in units.items()
        if place.id in leading
    }
    to_check = [
        UnitToCheck(
            id=place.id,
            unit=unit,
            label=place.label,
            flag=_flag(by_rule[place]),
            left_out=place.id.startswith(last),
        )
        for place, unit in units.items()
        if place.id.startswith(last) or not _is_settled(place, unit, by_rule[place])
    ][: context.run.limits.max_checks]
    found = None
    if to_check:
        ask = context.about(CheckReport, sheet=draft.sheet, units=tuple(to_check))
        try:
            found = await context.ask("report/check", ask, phase="report")
        except ProviderError as error:  # the verdicts of the rules are in its place
            await context.stands_in(CheckReport.kind(), error)
    wrong = {each.id: _on_sheet(each, draft.sheet) for each in found.wrong} if found else {}
    read = set(found.read) if found else set()
    judged: dict[str, Judged] = {}
    repaired: dict[str, Unit] = {}
    for place, unit in units.items():
        new, judged[place.id] = units_judge.settled(
            place, unit, by_rule[place], wrong.get(place.id), is_read=place.id in read
        )
        repaired[place.id] = new
    text = WrittenText(report.mapped(lambda place, unit: repaired.get(place.id, unit)), judged)
    left = {place.id: (place, unit) for place, unit in units.items() if place.id.startswith(last)}
    return _with_placed(text, found.placed, left, units_judge, draft.sheet) if found and left else text


def _with_placed(
    text: WrittenText,
    placed: Iterable[PlacedUnit],
    left: Mapping[str, tuple[Place, Unit]],
    units_judge: UnitJudge,
    sheet: Sheet,
) -> WrittenText:
    """The text with what was `left` out where a check places it; what rules refuse stays at the end."""
    behind = {id for id in text.judged.keys() - left if id.startswith(("lead.", "s", "next."))}
    known = {each.id: each for each in placed if each.id in left and each.after in behind}
    fitting: dict[str, Judged] = {}
    for id, each in known.items():
        anew = WrongUnit(id=id, kind="not_said", why="it was compared with what it cites", repair=each.unit)
        if fits := units_judge.rewritten(*left[id], _on_sheet(anew, sheet)):
            fitting[id] = fits
    return with_placed(text, known.values(), fitting) if known else text


def _on_sheet(wrong: WrongUnit, sheet: Sheet) -> WrongUnit:
    """A mistake whose repair cites nothing but the sheet."""
    repair = wrong.repair and wrong.repair.citing_only(sheet.numbers)
    return wrong.model_copy(update={"repair": repair})


def _is_settled(place: Place, unit: Unit, judged: Judged) -> bool:
    """Whether a check has nothing to look for: a whole quotation, figures that follow from cells, the name of a row."""
    names_row = bool(place.label) and not unit.cites and place.id.endswith("c1")
    return names_row or (judged.verdict.is_proved and judged.verdict.status in VERIFIED)


def _flag(judged: Judged) -> str:
    """What a comparison of words has found; nothing where it only found other words."""
    return "" if judged.verdict.status in VERIFIED or judged.verdict.status == "unjudged" else judged.verdict.why


def _confirmed(pairs: Sequence[Pair], text: WrittenText) -> list[Pair]:
    """The disagreements of rules that the report speaks of: both sides are cited in one."""
    named = [
        {id for place, each in text.judged.items() if place.startswith(f"differ.{at}.") for id in each.findings}
        for at in range(1, len(text.report.disagreements) + 1)
    ]
    return [pair for pair in pairs if any({side.finding.id for side in pair} <= ids for ids in named)]


# ── What is quoted ─────────────────────────────────────────────────────────────────────────────────────────────────


def _quoted(
    context: Context, draft: DraftedReport, quality: Quality, words: Phrases
) -> tuple[QuotedText, list[str], str]:
    """The sections with their quotations checked, as the question wishes them; which wishes were not met; the title."""
    research, state, title = draft.material, context.state, draft.title
    findings = {finding.id: finding for finding in research.findings}
    judged = judge(draft.written, findings, research.documents, research.results)
    told = [finding.id for section in judged for each in section.all_sentences() for finding in each.cited]
    pairs = disagreements(quality, research.syntheses, told, query=context.run.query)
    if template := context.run.template:
        ids = [each.subtask_id for each in state.plan.subtasks] if state.plan else []
        judged = in_template(judged, template, ids)
        title = template.title or title
    notes: list[str] = []
    if wished := state.asked.preferences:
        headings = {id: subtask.planned.focus_area for id, subtask in state.subtasks.items()}
        shape = Shape(wished, research.documents, words, title=title, headings=headings)
        judged = shape.shaped(judged)
        notes = shape.notes()
    return QuotedText(judged, pairs), notes, title


async def _passed(context: Context, words: Phrases) -> list[str]:
    """By how much the caps were passed, if they were; decided once, for a replay spends nothing."""
    path = f"passed/{context.run.attempt}"
    tokens, cost = context.journal.budget.passed_by
    if (tokens or cost) and not context.replay:
        await context.decide(path, {"tokens": tokens, "cost": cost})
    decided = context.journal.decision(path)
    return [words.passed_by.format(**decided)] if decided else []
