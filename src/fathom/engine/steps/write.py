"""Writing: outline first, then section by section; each section cites only the findings that it was given."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence

from fathom.asks import OutlineReport, WriteSection
from fathom.composing.numbering import Written
from fathom.composing.research import ReportMaterial
from fathom.engine.context import Context
from fathom.engine.journal import NO_TIME
from fathom.errors import Unavailable
from fathom.events import Outlined, SectionWritten
from fathom.evidence import DocumentKind
from fathom.findings import Finding, Statement, Synthesis
from fathom.preferences import BRIEF
from fathom.report import Outline, OutlineSection, Section, SectionRole
from fathom.text.display import word_count
from fathom.text.phrases import phrases

FRAME_WORDS = 90
"""Words of what a report says besides its sections and its sources."""
SUMMARY_SHARE = 0.14
"""Share of the report's words that its summary may take."""
CONCLUSION_SHARE = 0.15
"""The same for its conclusion."""
ENTRY_WORDS: dict[DocumentKind, int] = {"file": 0, "web": 7, "dataset": 12}
"""Words of an entry in the list of sources, besides its title and mark."""
ROOMY, TIGHT = 1.4, 0.9
"""How much longer, and how much shorter, than the findings in the words of their sources a section may have to be."""
ANSWERS = 5
"""Findings of a subtask that are shown for its answer, when nobody has put that into statements."""


async def outline(context: Context, research: ReportMaterial) -> Outline:
    """Decide which finding is told where: each once, and none that nobody found.

    Raises:
        Unavailable: nothing was found because no source answered, which is not the same as nothing being there.
    """
    run = context.run
    answered = any(each.matched is not None or each.fetched or each.counted for each in research.coverage.datasets)
    down = any(error != NO_TIME for error in research.failures.values())
    if down and not (research.coverage.matched or research.findings or answered):
        raise Unavailable("; ".join(f"{name}: {error}" for name, error in research.failures.items()))
    if not research.findings:
        return Outline(title=run.query)
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
    outline = told_once(answer, research.findings)
    wished = context.state.asked.preferences
    if wished and wished.form in BRIEF and context.reasoner.metered:  # by rule the best of all is told
        outline = briefly(outline)
    await context.emit(
        Outlined(title=outline.title, sections=tuple(section.heading for section in _all(outline.sections)))
    )
    return outline


def told_once(outline: Outline, findings: Iterable[Finding]) -> Outline:
    """The outline without unknown findings, and with each claim in one section only: where it is told first.

    Two subtasks may have found the same sentence: it is one claim to the reader. What summary and conclusion tell may
    be told in a section too, if the outline says so of that very finding.
    """
    claims = {finding.id: " ".join(finding.claim.casefold().split()) for finding in findings}
    told: dict[str, str] = {}

    def first(ids: Iterable[str], here: set[str], again: Iterable[str] = ()) -> tuple[str, ...]:
        kept = []
        for id in ids:
            if id in claims and id not in here and (id in again or told.setdefault(claims[id], id) == id):
                here.add(id)
                kept.append(id)
        return tuple(kept)

    below: set[str] = set()

    def section(old: OutlineSection) -> OutlineSection:
        findings = first(old.findings, below, old.again)
        return old.model_copy(update={"findings": findings, "sections": tuple(map(section, old.sections))})

    summary = first(outline.summary, set())
    sections = tuple(map(section, outline.sections))
    return outline.model_copy(
        update={"summary": summary, "sections": sections, "conclusion": first(outline.conclusion, set())}
    )


def briefly(outline: Outline) -> Outline:
    """The outline of the answer alone: without what else bears on it, unless nothing answers first."""
    answers = tuple(section for section in outline.sections if section.role == "summary")
    return outline.model_copy(update={"sections": answers}) if answers or outline.summary else outline


def _all(sections: Iterable[OutlineSection]) -> Iterator[OutlineSection]:
    for section in sections:
        yield section
        yield from _all(section.sections)


async def sections(context: Context, research: ReportMaterial, outline: Outline) -> tuple[Written, ...]:
    """Every section, written side by side; summary first, conclusion last. Empty ones are left out."""
    words = phrases(context.told_in)
    writer = _Writer(context, research, outline)
    told = [finding for finding in research.findings if finding.id in outline.summary]
    heading = words.answer if told and all(finding.is_passage for finding in told) else words.summary
    summary = OutlineSection(heading=heading, findings=outline.summary)
    conclusion = OutlineSection(heading=words.conclusion, findings=outline.conclusion)
    return tuple(
        await asyncio.gather(
            writer.write("summary", summary, "report/summary"),
            *(
                writer.write(section.role, section, f"report/section_{number}")
                for number, section in enumerate(outline.sections, start=1)
            ),
            writer.write("conclusion", conclusion, "report/conclusion"),
        )
    )


class _Writer:
    """Where the sections of one report are written."""

    def __init__(self, context: Context, research: ReportMaterial, outline: Outline) -> None:
        self._context = context
        self._findings = {finding.id: finding for finding in research.findings}
        self._documents = tuple(research.documents.values())
        self._answers = answers(research.syntheses) if outline.summary or outline.sections else ()
        self._stated = any(synthesis.statements for synthesis in self._answers)
        self._headings = tuple(section.heading for section in _all(outline.sections))
        told = [self._findings[id] for section in _all(outline.sections) for id in section.findings]
        self._told_words = _words(told)
        pages = {finding.evidence[0].document for finding in told}
        listed = [document for document in self._documents if document.sha256 in pages]
        sources = sum(word_count(each.title) + 3 + ENTRY_WORDS[each.kind] for each in listed)
        self._free = context.max_words - FRAME_WORDS - sources - 4 * len(self._headings)

    async def write(self, role: SectionRole, section: OutlineSection, path: str) -> Written:
        """A section and those below it, side by side."""
        below = (self.write(child.role, child, f"{path}.{at}") for at, child in enumerate(section.sections, start=1))
        (statements, invented), children = await asyncio.gather(
            self._statements(role, section, path), asyncio.gather(*below)
        )
        return Written(role, section.heading, section.subtask_id, statements, tuple(children), invented, section.again)

    async def _statements(
        self, role: SectionRole, section: OutlineSection, path: str
    ) -> tuple[tuple[Statement, ...], int]:
        """What the section says, and how many citations of findings that were not given it had."""
        given = self._given(role, section)
        if not given:
            return (), 0
        ask = self._context.about(
            WriteSection,
            role=role,
            section=section.model_copy(update={"sections": ()}),
            findings=given,
            documents=self._documents,
            syntheses=tuple(
                each for each in self._answers if role != "section" or each.subtask_id == section.subtask_id
            ),
            headings=tuple(heading for heading in self._headings if heading != section.heading),
            max_words=self._most(role, given),
        )
        text = await self._context.ask(path, ask, phase="report", heading=section.heading)
        statements, invented = only_given(text, given)
        if statements:
            told = " ".join(statement.text for statement in statements)
            await self._context.emit(SectionWritten(heading=section.heading, statements=len(statements), text=told))
        return statements, invented

    def _given(self, role: SectionRole, section: OutlineSection) -> tuple[Finding, ...]:
        """The findings of the section.

        For the summary, and for a conclusion that is wanted, also what the answers to the subtasks cite, when they were
        put into statements.
        """
        ids = list(section.findings)
        is_whole = role == "summary" and not section.subtask_id
        if self._stated and (is_whole or (role == "conclusion" and ids)):
            for synthesis in self._answers:
                cited = [id for statement in synthesis.statements for id in statement.findings]
                ids += cited or synthesis.findings[:ANSWERS]
        return tuple(self._findings[id] for id in dict.fromkeys(ids) if id in self._findings)

    def _most(self, role: SectionRole, given: Sequence[Finding]) -> int:
        """How long a section may be: its share of the report, and not much longer than its findings."""
        most = self._context.max_words
        if role == "summary" and not self._headings and self._context.state.asked.preferences:
            return most  # it is all there is
        if role != "section":
            return round(most * (SUMMARY_SHARE if role == "summary" else CONCLUSION_SHARE))
        aside = SUMMARY_SHARE * most if self._stated else 0
        own = _words(given)
        share = (self._free - aside) * own / self._told_words
        return max(20, round(min(max(share, TIGHT * own), ROOMY * own + 20)))


def answers(syntheses: Sequence[Synthesis]) -> tuple[Synthesis, ...]:
    """What the root subtasks amount to, children included; in place of a root without an answer, its children's."""
    answered = {synthesis.subtask_id for synthesis in syntheses if synthesis.statements or synthesis.text}
    return tuple(
        synthesis
        for synthesis in syntheses
        if synthesis.subtask_id in answered and not any(above in answered for above in _above(synthesis.subtask_id))
    )


def _above(id: str) -> Iterator[str]:
    """The subtasks that a subtask stands under: `task_1.2` under `task_1`."""
    while "." in id:
        id = id.rpartition(".")[0]
        yield id


def _words(findings: Iterable[Finding]) -> int:
    """Words of the findings in the words of their sources, at least 1."""
    leads = {finding.lead_in.id: finding.lead_in.quote for finding in findings if finding.lead_in}
    return max(1, sum(word_count(text) for text in (*(finding.claim for finding in findings), *leads.values())))


def only_given(section: Section, given: tuple[Finding, ...]) -> tuple[tuple[Statement, ...], int]:
    """The statements with only those citations that the writer was given, and how many others were dropped."""
    known = {finding.id for finding in given}
    statements = tuple(
        statement.model_copy(update={"findings": tuple(id for id in statement.findings if id in known)})
        for statement in section.statements
    )
    invented = sum(len(set(statement.findings) - known) for statement in section.statements)
    return statements, invented
