"""The outline: which findings are told within the length of the report, and where."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fathom.asks import OutlineReport
from fathom.findings import Finding
from fathom.plan import Subtask
from fathom.reasoners.extractive import weights
from fathom.reasoners.extractive.holdings import clean_heading
from fathom.reasoners.extractive.question import read_question
from fathom.reasoners.extractive.rarity import Rarity
from fathom.reasoners.extractive.select import Option, choose
from fathom.reasoners.extractive.topic import topic_of
from fathom.report import Outline, OutlineSection
from fathom.text.analysis import terms
from fathom.text.display import display, word_count

FRAME_WORDS = 45
"""Words of the title, the fixed headings and the footer."""
SOURCE_MARKS = 3
"""Words of an entry in the list of sources besides the title."""
SUMMARY_MOST = 5
"""Findings that a summary tells."""
SUMMARY_WORDS = 60
"""Longest finding that a summary tells."""


def outline_report(ask: OutlineReport) -> Outline:
    """Choose by score and length, tell the best of each subtask first, and group the rest by page."""
    if max((finding.confidence for finding in ask.findings), default=0.0) < weights.TOLD_FROM:
        return Outline(title=_title(ask))
    desk = _Desk(ask)
    told = choose(desk.options(), max_words=ask.max_words, frame_words=FRAME_WORDS)
    chosen = [desk.findings[option.key] for option in told.options]
    summary = desk.summary(chosen)
    rest = [finding for finding in chosen if finding.id not in summary]
    return Outline(title=_title(ask), summary=tuple(summary), sections=tuple(desk.sections(rest)))


class _Desk:
    """The material of a report, spread out."""

    def __init__(self, ask: OutlineReport) -> None:
        self.documents = {document.sha256: document for document in ask.documents}
        self.findings = {finding.id: finding for finding in ask.findings}
        self.roots = [subtask for subtask in ask.subtasks if subtask.parent_id is None]

    def root(self, finding: Finding) -> str:
        """The root subtask whose section tells a finding."""
        return finding.subtask_id.partition(".")[0]

    def options(self) -> list[Option]:
        """Every span once, for the subtask that it answers best."""
        best: dict[tuple[str, int, int], Finding] = {}
        for finding in self.findings.values():
            evidence = finding.evidence[0]
            key = (evidence.document, evidence.start, evidence.end)
            if key not in best or finding.relevance > best[key].relevance:
                best[key] = finding
        return [self._option(finding) for finding in best.values()]

    def _option(self, finding: Finding) -> Option:
        evidence, lead = finding.evidence[0], finding.lead_in
        document = self.documents[evidence.document]
        return Option(
            key=finding.id,
            score=finding.relevance,
            subtask=self.root(finding),
            terms=frozenset(terms(finding.claim)),
            words=word_count(finding.claim),
            lead=lead.id if lead else "",
            lead_words=word_count(display(lead.quote, document.markup)) if lead else 0,
            document=evidence.document,
            section=evidence.locator,
            source_words=word_count(document.title) + SOURCE_MARKS,
        )

    def summary(self, chosen: Sequence[Finding]) -> list[str]:
        """The best finding of each subtask that can stand at the beginning, in the order of the plan."""
        first: list[Finding] = []
        for subtask in self.roots:
            own = [f for f in chosen if self.root(f) == subtask.subtask_id and word_count(f.claim) <= SUMMARY_WORDS]
            if free := [finding for finding in own if finding.lead_in is None]:
                first.append(max(free, key=lambda finding: finding.relevance))
        best = sorted(first, key=lambda finding: -finding.relevance)[:SUMMARY_MOST]
        return [finding.id for finding in first if finding in best]

    def sections(self, rest: Sequence[Finding]) -> Iterator[OutlineSection]:
        """One section per root subtask, in the order of the plan."""
        for subtask in self.roots:
            own = [finding for finding in rest if self.root(finding) == subtask.subtask_id]
            if own:
                yield self._section(subtask, own)

    def _section(self, subtask: Subtask, own: Sequence[Finding]) -> OutlineSection:
        """Pages in the order of their first choice; a page with a single finding needs no heading of its own."""
        heading, id = subtask.focus_area or subtask.description, subtask.subtask_id
        pages: dict[str, list[Finding]] = {}
        for finding in own:
            pages.setdefault(finding.evidence[0].document, []).append(finding)
        groups = [sorted(group, key=_place) for group in pages.values()]
        if len(groups) == 1:
            return OutlineSection(heading=heading, subtask_id=id, findings=_ids(groups[0]))
        single = tuple(finding.id for group in groups if len(group) == 1 for finding in group)
        return OutlineSection(
            heading=heading,
            subtask_id=id,
            findings=single,
            sections=tuple(
                OutlineSection(heading=self._name(group), subtask_id=id, findings=_ids(group))
                for group in groups
                if len(group) > 1
            ),
        )

    def _name(self, group: Sequence[Finding]) -> str:
        """The heading that all of the group stand under, else the title of their page."""
        leaves = {finding.evidence[0].locator.split(" › ")[-1] for finding in group}
        if len(leaves) == 1 and (name := clean_heading(leaves.pop())):
            return name
        return clean_heading(self.documents[group[0].evidence[0].document].title)


def _place(finding: Finding) -> tuple[int, int]:
    return finding.evidence[0].start, finding.evidence[0].end


def _ids(findings: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(finding.id for finding in findings)


def _title(ask: OutlineReport) -> str:
    question = read_question(ask.query, language=ask.language)
    clause = question.clauses[0]
    if clause.topic and len(clause.topic) < 80:
        title = clause.topic
    elif len(question.clauses) == 1 or clause.items:
        title = clause.heading
    else:
        claims = [finding.claim for finding in ask.findings]
        title = topic_of(question.text, texts=claims, rarity=Rarity({}, passages=1)) or clause.heading
    title = re.sub(r"\s+", " ", title).strip(" 、。,.?？") or question.text[:60]
    return title[:1].upper() + title[1:]
