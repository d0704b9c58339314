"""Which finding is told where: a model groups and orders them, the length of the report says how many there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Any

from fathom.asks import OutlineReport
from fathom.findings import ANSWERED, Finding
from fathom.plan import Subtask
from fathom.reasoners.extractive.outline import frame_words, in_turns, outline_report, title_of
from fathom.reasoners.language_model.task import Draft, Read, Task, Wire
from fathom.reasoners.language_model.tasks.layout import Layout, heading_of, laid_out
from fathom.reasoners.language_model.tasks.material import (
    FRAME_TOKENS,
    SPEAKER_TOKENS,
    TAG_TOKENS,
    Item,
    fitting_items,
    grouped,
    items_of,
    sources_of,
    speakers,
)
from fathom.reasoners.language_model.tasks.sources import has_web
from fathom.reasoners.language_model.tasks.words import Number, shown_tokens
from fathom.report import Outline, OutlineSection
from fathom.text.display import word_count

SHOWN = 1.4
"""What is shown would make a report of so many times its length: a model must have something to choose from."""
LEAD_IN_WORDS = 16
"""Longest lead-in that is shown; the writer of the section is shown all of them."""
FEW = 3
"""Findings up to which a summary that tells all of them is the whole report."""


class OutlinedPart(Wire):
    """A sub-section."""

    heading: str
    """Says in a few words what it holds."""
    findings: list[Number]
    """Ids of its findings, in the order of telling."""


class OutlinedSection(Wire):
    """A section."""

    heading: str
    """Says in a few words what it holds."""
    part: Number
    """Id of the part of the question that it answers."""
    findings: list[Number]
    """Ids of the findings told before its sub-sections, in the order of telling."""
    sections: list[OutlinedPart]
    """Sub-sections, for a section of eight findings and more that falls into groups; else empty."""


class OutlineReportAnswer(Wire, title="OutlineReport"):
    """The report as a model outlines it."""

    title: str
    """Title of the report: its subject, in at most twelve words."""
    summary: list[Number]
    """Ids of the at most five findings that answer the question most directly."""
    sections: list[OutlinedSection]
    """After the parts of the question."""
    conclusion: list[Number]
    """Ids of the findings that an overall conclusion rests on; empty if nothing follows from the parts together."""


class OutlineReportTask(Task[OutlineReport, Outline]):
    """Findings in, their places out. Of a question with a single part the outline is known without a model."""

    name = "outline_report"
    answer_tokens = 1_200
    prompt_tokens = 6_000

    def rule(self, ask: OutlineReport) -> Outline | None:
        """One section after the pages of the sources, when one subtask has answered the question."""
        if not ask.findings:
            return outline_report(ask)
        if len(ask.subtasks) != 1:
            return None
        (subtask,) = ask.subtasks
        stated = [s for synthesis in ask.syntheses for s in synthesis.statements]
        answered = {id: None for statement in stated for id in statement.findings}
        words = sum(word_count(statement.text) for statement in stated)
        # the section tells once more what the summary has told, so the two share the length of the report
        best = _within(ask, ask.findings, max_words=max(50, ask.max_words - words))
        if max(finding.confidence for finding in best) < ANSWERED:
            return outline_report(ask)  # what comes closest, and is said to
        known = {finding.id for finding in ask.findings}
        summary = tuple(id for id in answered if id in known) or tuple(finding.id for finding in best[:FEW])
        told = [finding for finding in best if answered or finding.id not in summary]
        title = title_of(ask)
        if len(told) <= FEW and answered.keys() >= {finding.id for finding in told}:
            return Outline(title=title, summary=summary)
        section = OutlineSection(
            heading=heading_of(subtask), subtask_id=subtask.subtask_id, findings=tuple(f.id for f in by_page(told))
        )
        return Outline(title=title, summary=summary, sections=(section,) if told else ())

    def drafts(self, ask: OutlineReport, *, room: int) -> Sequence[Draft[Outline]]:
        """One prompt: the parts of the question, each with its best findings in the order of the pages."""
        parts = dict(enumerate((each for each in ask.subtasks if each.parent_id is None), start=1))
        aside = FRAME_TOKENS + sum(shown_tokens(subtask.description) + TAG_TOKENS for subtask in parts.values())
        if has_web(ask.documents):
            aside += min(room // 4, SPEAKER_TOKENS * len(ask.documents))
        shown, left_out = _shown(ask, room - aside)
        order = [subtask.subtask_id for subtask in parts.values()]
        ordered = [
            finding
            for root in [*order, *(each.root for each in shown if each.root not in order)]
            for finding in by_page([each for each in shown if each.root == root])
        ]
        given = dict(enumerate(dict.fromkeys(ordered), start=1))
        sources = sources_of(given.values())
        told = speakers(range(1, len(sources) + 1), sources, ask.documents)
        variables = {"max_words": ask.max_words, "parts": _parts(ask, parts, given), "speakers": told}
        read = partial(_read, ask, parts, given)
        return (Draft(variables, OutlineReportAnswer, read, left_out=left_out),)


def by_page(findings: Sequence[Finding]) -> list[Finding]:
    """The findings page by page, in the order of the page: what stands together is told together."""
    pages = list(dict.fromkeys(finding.evidence[0].document for finding in findings))
    return sorted(findings, key=lambda each: (pages.index(each.evidence[0].document), each.evidence[0].start))


def _within(ask: OutlineReport, findings: Sequence[Finding], *, max_words: int) -> list[Finding]:
    """The best that a report of a length could tell in the words of the sources, each part of the question in turn."""
    by_part: dict[str, list[Finding]] = {}
    for finding in sorted(findings, key=lambda each: -each.relevance):
        by_part.setdefault(finding.root, []).append(finding)
    return in_turns(by_part.values(), max_words=max_words - frame_words(ask))


def _shown(ask: OutlineReport, room: int) -> tuple[list[Finding], int]:
    """What the report could tell, best first, and how much of that there is no room for."""
    known = {finding.id: finding for finding in ask.findings}
    best = _within(ask, ask.findings, max_words=round(ask.max_words * SHOWN))
    items, left_out = fitting_items([_item(finding) for finding in best], room)
    return [known[id] for item in items for id in item.findings], left_out


def _item(finding: Finding) -> Item:
    (item,) = items_of([finding])
    under = item.under if word_count(item.under) <= LEAD_IN_WORDS else ""
    return Item(text=item.text, findings=item.findings, under=under)


def _parts(ask: OutlineReport, parts: Mapping[int, Subtask], given: Mapping[int, Finding]) -> list[dict[str, Any]]:
    """The variables of the prompt: each part of the question with what was found for it."""
    best = max((finding.relevance for finding in given.values()), default=0.0)
    sources = sources_of(given.values())
    numbers = {subtask.subtask_id: number for number, subtask in parts.items()}
    shown = []
    for root, group in groupby(given.items(), key=lambda pair: pair[1].root):
        items = {
            id: replace(
                _item(finding),
                source=sources.index(finding.evidence[0].document) + 1,
                relevance=f"{max(0.0, finding.relevance / best) if best > 0 else 1:.2f}",
            )
            for id, finding in group
        }
        number = numbers.get(root, 0)
        asks = parts[number].description if number else ask.query
        shown.append({"id": number, "asks": asks, "groups": grouped(items)})
    return shown


def _read(
    ask: OutlineReport, parts: Mapping[int, Subtask], given: Mapping[int, Finding], wire: OutlineReportAnswer
) -> Read[Outline]:
    layout = Layout(parts=parts, given=given)
    for section in wire.sections:
        below = [(part.heading, part.findings) for part in section.sections]
        layout.place(section.heading, section.part, section.findings, below)
    summary, conclusion = layout.pick(wire.summary), layout.pick(wire.conclusion)
    promising = max((finding.confidence for finding in given.values()), default=0.0) >= ANSWERED
    if promising and not layout.placed and not summary:
        raise ValueError(f"`sections` must place the findings; their ids are 1 to {len(given)}")
    if promising:
        layout.add_missing(summary)
    outline = Outline(
        title=layout.title(wire.title, ask.query) or title_of(ask),
        summary=summary,
        sections=laid_out(layout, _kept(ask, layout.placed)),
        conclusion=conclusion,
    )
    return Read(outline, layout.invented)


def _kept(ask: OutlineReport, placed: Sequence[Finding]) -> frozenset[str]:
    """Ids of the findings that the report has room for, when they are told in the words of their sources."""
    return frozenset(finding.id for finding in _within(ask, placed, max_words=ask.max_words))
