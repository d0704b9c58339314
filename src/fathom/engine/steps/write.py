"""Writing: outline first, then section by section; each section cites only the findings that it was given."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from fathom.asks import OutlineReport, WriteSection
from fathom.engine.board import Research
from fathom.engine.context import Context
from fathom.errors import Unavailable
from fathom.events import Outlined, SectionWritten
from fathom.findings import Finding, Statement
from fathom.report import Outline, OutlineSection, Section
from fathom.text.phrases import phrases

Role = Literal["summary", "section", "conclusion"]


@dataclass(frozen=True)
class Written:
    """A section of the outline with its statements. What they cite was given to whoever wrote them."""

    role: Role
    heading: str
    subtask_id: str | None
    statements: tuple[Statement, ...]
    sections: tuple[Written, ...] = ()
    invented: int = 0
    """Citations of findings that were not given, dropped."""


async def outline(context: Context, research: Research) -> Outline:
    """Decide which finding is told where: each once, and none that nobody found.

    Raises:
        Unavailable: nothing was found because no source answered, which is not the same as nothing being there.
    """
    run = context.run
    if research.failures and not research.coverage.matched:
        raise Unavailable("; ".join(f"{name}: {error}" for name, error in research.failures.items()))
    if not research.findings:
        return Outline(title=run.query)
    answer = await context.ask(
        "report/outline",
        OutlineReport(
            query=run.query,
            language=run.language,
            subtasks=tuple(outcome.subtask for outcome in research.outcomes if outcome.status != "removed"),
            syntheses=research.syntheses,
            findings=research.findings,
            documents=tuple(research.documents.values()),
            max_words=run.limits.max_words,
        ),
        phase="report",
    )
    outline = told_once(answer, research.findings)
    await context.emit(
        Outlined(title=outline.title, sections=tuple(section.heading for section in _all(outline.sections)))
    )
    return outline


def told_once(outline: Outline, findings: Iterable[Finding]) -> Outline:
    """The outline without unknown findings, and with each claim only where it is told first.

    Two subtasks may have found the same sentence: it is one claim to the reader.
    """
    claims = {finding.id: " ".join(finding.claim.casefold().split()) for finding in findings}
    told: set[str] = set()

    def first(ids: Iterable[str]) -> tuple[str, ...]:
        kept = []
        for id in ids:
            if id in claims and claims[id] not in told:
                told.add(claims[id])
                kept.append(id)
        return tuple(kept)

    def section(old: OutlineSection) -> OutlineSection:
        findings = first(old.findings)
        return old.model_copy(update={"findings": findings, "sections": tuple(map(section, old.sections))})

    summary = first(outline.summary)
    sections = tuple(map(section, outline.sections))
    return outline.model_copy(
        update={"summary": summary, "sections": sections, "conclusion": first(outline.conclusion)}
    )


def _all(sections: Iterable[OutlineSection]) -> Iterator[OutlineSection]:
    for section in sections:
        yield section
        yield from _all(section.sections)


async def sections(context: Context, research: Research, outline: Outline) -> tuple[Written, ...]:
    """Every section, written side by side; summary first, conclusion last. Empty ones are left out."""
    words = phrases(context.run.language)
    findings = {finding.id: finding for finding in research.findings}

    async def write(role: Role, section: OutlineSection, path: str) -> Written:
        given = tuple(findings[id] for id in section.findings)
        children = (write("section", child, f"{path}.{at}") for at, child in enumerate(section.sections, start=1))
        text, below = await asyncio.gather(
            _text(context, research, role, section, given, path), asyncio.gather(*children)
        )
        statements, invented = only_given(text, given)
        if statements:
            await context.emit(SectionWritten(heading=section.heading, statements=len(statements)))
        return Written(role, section.heading, section.subtask_id, statements, tuple(below), invented)

    summary = OutlineSection(heading=words.summary, findings=outline.summary)
    conclusion = OutlineSection(heading=words.conclusion, findings=outline.conclusion)
    return tuple(
        await asyncio.gather(
            write("summary", summary, "report/summary"),
            *(
                write("section", section, f"report/section_{number}")
                for number, section in enumerate(outline.sections, start=1)
            ),
            write("conclusion", conclusion, "report/conclusion"),
        )
    )


async def _text(
    context: Context,
    research: Research,
    role: Role,
    section: OutlineSection,
    given: tuple[Finding, ...],
    path: str,
) -> Section:
    if not given:
        return Section()
    return await context.ask(
        path,
        WriteSection(
            query=context.run.query,
            language=context.run.language,
            role=role,
            section=section.model_copy(update={"sections": ()}),
            findings=given,
            documents=tuple(research.documents.values()),
        ),
        phase="report",
    )


def only_given(section: Section, given: tuple[Finding, ...]) -> tuple[tuple[Statement, ...], int]:
    """The statements with only those citations that the writer was given, and how many others were dropped."""
    known = {finding.id for finding in given}
    statements = tuple(
        statement.model_copy(update={"findings": tuple(id for id in statement.findings if id in known)})
        for statement in section.statements
    )
    invented = sum(len(set(statement.findings) - known) for statement in section.statements)
    return statements, invented
