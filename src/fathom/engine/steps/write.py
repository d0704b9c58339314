"""Writing: with a model from everything that was found; without one an outline, and its sections in quotations."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence

from fathom.asks import OutlineReport, PartOfReport, WriteReport, WriteSection
from fathom.composing.numbering import Written
from fathom.composing.research import ReportMaterial
from fathom.composing.sheet import sheet_of
from fathom.engine.context import Context
from fathom.engine.journal import NO_TIME
from fathom.engine.sources import text_of
from fathom.engine.state import DraftedReport
from fathom.errors import ProviderError, Unavailable
from fathom.events import Outlined, SectionWritten
from fathom.findings import Finding, Statement
from fathom.outcomes import in_thread
from fathom.report import Outline, OutlineSection, SectionRole
from fathom.sheet import Sheet
from fathom.text.phrases import phrases
from fathom.text.reach import asks_for_current
from fathom.verification.contradictions import disagreements
from fathom.verification.disagreement import Pair
from fathom.verification.quality import Quality
from fathom.written import WrittenReport


async def write(context: Context, research: ReportMaterial) -> DraftedReport:
    """The text of the report, its citations not checked yet.

    Raises:
        Unavailable: nothing was found because no source answered, which is not the same as nothing being there.
    """
    answered = any(each.matched is not None or each.fetched or each.counted for each in research.coverage.datasets)
    down = any(error != NO_TIME for error in research.failures.values())
    if down and not (research.coverage.matched or research.findings or answered):
        raise Unavailable("; ".join(f"{name}: {error}" for name, error in research.failures.items()))
    if not research.findings:
        return DraftedReport(research, title=context.run.query)
    sheet = Sheet()
    if context.reasoner.metered:
        counted = research.results.keys()
        texts = {sha256: await text_of(context, sha256) for sha256 in research.documents.keys() - counted}
        sheet = await in_thread(sheet_of, research, texts)
        quality, known = quality_of(context, research), {finding.id for finding in research.findings}
        pairs = await in_thread(disagreements, quality, research.syntheses, known, query=context.run.query)
        if report := await _by_model(context, research, sheet, pairs):
            return DraftedReport(research, title=report.title, sheet=sheet, report=report, pairs=pairs)
    outlined = await outline(context, research)
    return DraftedReport(research, outlined.title, sheet, written=await sections(context, research, outlined))


# ── With a model ───────────────────────────────────────────────────────────────────────────────────────────────────


async def _by_model(
    context: Context, research: ReportMaterial, sheet: Sheet, pairs: Sequence[Pair]
) -> WrittenReport | None:
    """The report as a model writes it; `None` where none gave one, which is told."""
    ask = context.about(
        WriteReport,
        parts=tuple(
            PartOfReport(
                subtask=outcome.subtask,
                findings=outcome.findings,
                synthesis=outcome.synthesis,
                missing=outcome.evaluation.missing if outcome.evaluation else (),
            )
            for outcome in research.outcomes
            if outcome.status != "removed"
        ),
        sheet=sheet,
        contradictions=tuple((one.finding.id, other.finding.id) for one, other in pairs),
        max_words=context.max_words,
        template=context.run.template,
    )
    try:
        report = await context.ask("report/write", ask, phase="report")
    except ProviderError as error:
        await context.stands_in(WriteReport.kind(), error)
        return None
    report = only_given(report, sheet)
    title = report.title or context.run.query
    await context.emit(Outlined(title=title, sections=tuple(section.heading for section in report.sections)))
    for section in report.sections:
        units = [unit for _, unit in WrittenReport(sections=(section,)).units()]
        text = " ".join(unit.text for unit in units if unit.cites)
        await context.emit(SectionWritten(heading=section.heading, statements=len(units), text=text))
    return report.model_copy(update={"title": title})


def only_given(report: WrittenReport, sheet: Sheet) -> WrittenReport:
    """The report without citations of what is not on the sheet, and without units that say nothing."""
    return report.mapped(lambda _, unit: unit.citing_only(sheet.numbers) if unit.text else None)


def quality_of(context: Context, research: ReportMaterial) -> Quality:
    """What is known of the sources of the report."""
    today = context.run.created_at[:10]
    return Quality(
        documents=research.documents,
        findings=research.findings,
        copies=research.origins,
        today=today,
        is_current=asks_for_current(context.run.query, today=today),
    )


# ── Without one ────────────────────────────────────────────────────────────────────────────────────────────────────


async def outline(context: Context, research: ReportMaterial) -> Outline:
    """Decide which finding goes where: each into one section, and none that nobody found."""
    answer = await context.ask(
        "report/outline",
        context.about(
            OutlineReport,
            subtasks=tuple(outcome.subtask for outcome in research.outcomes if outcome.status != "removed"),
            syntheses=research.syntheses,
            findings=research.findings,
            documents=tuple(research.documents.values()),
            max_words=context.max_words,
        ),
        phase="report",
    )
    outline = each_once(answer, research.findings)
    await context.emit(
        Outlined(title=outline.title, sections=tuple(section.heading for section in _all(outline.sections)))
    )
    return outline


def each_once(outline: Outline, findings: Iterable[Finding]) -> Outline:
    """The outline without unknown findings, and with each claim in one section only, the first.

    Two subtasks may have found the same sentence: it is one claim to the reader. What summary and conclusion have may
    be in a section too, if the outline says so of that very finding.
    """
    known = {finding.id: finding for finding in findings}
    placed: dict[str, str] = {}

    def first(ids: Iterable[str], here: set[str]) -> tuple[str, ...]:
        kept: list[str] = []
        for id in ids:
            if id not in known or id in here:
                continue
            one = placed.setdefault(" ".join(known[id].claim.casefold().split()), id)
            if one == id or (known[id].is_passage and one in kept):  # a passage may answer two parts
                here.add(id)
                kept.append(id)
        return tuple(kept)

    below: set[str] = set()

    def section(old: OutlineSection) -> OutlineSection:
        findings = first(old.findings, below)
        return old.model_copy(update={"findings": findings, "sections": tuple(map(section, old.sections))})

    summary = first(outline.summary, set())
    sections = tuple(map(section, outline.sections))
    return outline.model_copy(
        update={"summary": summary, "sections": sections, "conclusion": first(outline.conclusion, set())}
    )


def _all(sections: Iterable[OutlineSection]) -> Iterator[OutlineSection]:
    for section in sections:
        yield section
        yield from _all(section.sections)


async def sections(context: Context, research: ReportMaterial, outline: Outline) -> tuple[Written, ...]:
    """Every section in the words of its findings, side by side; summary first, conclusion last."""
    words = phrases(context.told_in)
    findings = {finding.id: finding for finding in research.findings}
    documents = tuple(research.documents.values())

    async def write(role: SectionRole, section: OutlineSection, path: str) -> Written:
        below = (write(child.role, child, f"{path}.{at}") for at, child in enumerate(section.sections, start=1))
        children = tuple(await asyncio.gather(*below))
        given = tuple(findings[id] for id in section.findings if id in findings)
        if not given:
            return Written(role, section.heading, section.subtask_id, (), children)
        own = section.model_copy(update={"sections": ()})
        ask = context.about(WriteSection, role=role, section=own, findings=given, documents=documents)
        statements = citing_only((await context.ask(path, ask, phase="report")).statements, given)
        if statements:
            text = " ".join(statement.text for statement in statements)
            await context.emit(SectionWritten(heading=section.heading, statements=len(statements), text=text))
        return Written(role, section.heading, section.subtask_id, statements, children)

    first = [findings[id] for id in outline.summary if id in findings]
    heading = words.nearest if first and all(finding.is_passage for finding in first) else words.summary
    numbered = enumerate(outline.sections, start=1)
    return tuple(
        await asyncio.gather(
            write("summary", OutlineSection(heading=heading, findings=outline.summary), "report/summary"),
            *(write(section.role, section, f"report/section_{number}") for number, section in numbered),
            write(
                "conclusion",
                OutlineSection(heading=words.conclusion, findings=outline.conclusion),
                "report/conclusion",
            ),
        )
    )


def citing_only(statements: Iterable[Statement], given: Iterable[Finding]) -> tuple[Statement, ...]:
    """The statements without citations of what their writer was not given."""
    ids = {finding.id for finding in given}
    kept = ((each, tuple(id for id in each.findings if id in ids)) for each in statements)
    return tuple(statement.model_copy(update={"findings": findings}) for statement, findings in kept)
