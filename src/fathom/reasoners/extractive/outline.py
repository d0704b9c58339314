"""The outline: which findings are told within the length of the report, and where."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from fathom.asks import OutlineReport
from fathom.evidence import Document
from fathom.findings import Finding
from fathom.plan import Subtask
from fathom.reasoners.extractive.holdings import clean_heading
from fathom.reasoners.extractive.overlap import overlap
from fathom.reasoners.extractive.question import read_question
from fathom.reasoners.extractive.rarity import Rarity
from fathom.reasoners.extractive.topic import topic_of
from fathom.report import Outline, OutlineSection
from fathom.text.analysis import terms
from fathom.text.display import display, word_count

LENGTH_POWER = 0.7
"""Score is divided by the words that telling costs, to this power."""
SERVED = 0.93
"""What is left of a score for each finding already told for the same subtask."""
SAME_SECTION = 0.97
"""The same for findings of the same section of the same page."""
SAME = 0.85
"""Overlap with something told from which a finding says nothing new."""
ALIKE = 0.4
"""Overlap from which it is worth less."""
FLOOR = 0.0
"""Share of the best score below which nothing is told."""
MARK_WORDS = 1
"""Words of a citation mark."""
SOURCE_WORDS = 8
"""Words of an entry in the list of sources."""
FRAME_WORDS = 60
"""Words of title, fixed headings, footer and counts."""
SUMMARY_MOST = 5
SUMMARY_WORDS = 60
"""Longest finding that a summary tells."""


@dataclass(frozen=True, kw_only=True)
class _Option:
    """A finding that may be told, with what telling it takes."""

    finding: Finding
    subtask: str
    terms: frozenset[str]
    words: int
    lead: str
    lead_words: int
    document: str
    section: tuple[str, str]


@dataclass
class _Told:
    """What is chosen so far."""

    options: list[_Option] = field(default_factory=list)
    words: int = FRAME_WORDS
    served: Counter[str] = field(default_factory=Counter)
    sections: Counter[tuple[str, str]] = field(default_factory=Counter)
    groups: set[tuple[str, str]] = field(default_factory=set)
    leads: set[str] = field(default_factory=set)
    documents: set[str] = field(default_factory=set)

    def cost(self, option: _Option) -> int:
        """Words that the report grows by when the option is told."""
        cost = option.words + MARK_WORDS
        if option.lead and option.lead not in self.leads:
            cost += option.lead_words
        if option.document not in self.documents:
            cost += SOURCE_WORDS
        if (option.subtask, option.document) not in self.groups:
            cost += 4  # a sub-heading
        if option.subtask not in self.served:
            cost += 6  # a heading
        return cost

    def add(self, option: _Option) -> None:
        self.words += self.cost(option)
        self.options.append(option)
        self.served[option.subtask] += 1
        self.sections[option.section] += 1
        self.groups.add((option.subtask, option.document))
        self.documents.add(option.document)
        if option.lead:
            self.leads.add(option.lead)


def outline_report(ask: OutlineReport) -> Outline:
    """Choose by score and length, tell the best of each subtask first, and group the rest by page."""
    documents = {document.sha256: document for document in ask.documents}
    told = choose(_options(ask, documents), max_words=ask.max_words)
    titles = {subtask.subtask_id: subtask.focus_area or subtask.description for subtask in ask.subtasks}
    summary = _summary(told.options, ask.subtasks)
    rest = [option for option in told.options if option.finding.id not in summary]
    sections = []
    for subtask in ask.subtasks:
        own = [option for option in rest if option.subtask == subtask.subtask_id]
        if own:
            sections.append(_section(titles[subtask.subtask_id], subtask.subtask_id, own, documents))
    return Outline(title=_title(ask), summary=tuple(summary), sections=tuple(sections))


def choose(options: Sequence[_Option], *, max_words: int) -> _Told:
    """Greedily the option with the most score for its words, until nothing fits any more."""
    told = _Told()
    left = list(options)
    alike = dict.fromkeys(range(len(left)), 0.0)
    best = max((option.finding.relevance for option in left), default=0.0)
    open_options = {at for at, option in enumerate(left) if option.finding.relevance >= FLOOR * best}
    while open_options:
        values = {}
        for at in list(open_options):
            option = left[at]
            cost = told.cost(option)
            if told.words + cost > max_words or alike[at] > SAME:
                open_options.discard(at)
                continue
            value = option.finding.relevance * SERVED ** told.served[option.subtask]
            value *= SAME_SECTION ** told.sections[option.section]
            if alike[at] > ALIKE:
                value *= 1 - 0.5 * (alike[at] - ALIKE)
            values[at] = value / cost**LENGTH_POWER
        if not values:
            break
        chosen = max(values, key=lambda at: (values[at], -at))
        told.add(left[chosen])
        open_options.discard(chosen)
        for at in open_options:
            alike[at] = max(alike[at], overlap(left[at].terms, left[chosen].terms))
    return told


def _options(ask: OutlineReport, documents: dict[str, Document]) -> list[_Option]:
    """Every span once, for the subtask that it answers best."""
    roots = {subtask.subtask_id: subtask.subtask_id for subtask in ask.subtasks}
    best: dict[tuple[str, int, int], Finding] = {}
    for finding in ask.findings:
        evidence = finding.evidence[0]
        key = (evidence.document, evidence.start, evidence.end)
        if key not in best or finding.relevance > best[key].relevance:
            best[key] = finding
    options = []
    for finding in best.values():
        evidence = finding.evidence[0]
        markup = documents[evidence.document].markup
        lead = display(finding.lead_in.quote, markup) if finding.lead_in else ""
        options.append(
            _Option(
                finding=finding,
                subtask=roots.get(finding.subtask_id, finding.subtask_id),
                terms=frozenset(terms(finding.claim)),
                words=word_count(finding.claim),
                lead=f"{finding.lead_in.id}" if finding.lead_in else "",
                lead_words=word_count(lead) + MARK_WORDS if lead else 0,
                document=evidence.document,
                section=(evidence.document, evidence.locator),
            )
        )
    return options


def _summary(options: Sequence[_Option], subtasks: Sequence[Subtask]) -> list[str]:
    """The best finding of each subtask that can stand at the beginning, in the order of the plan."""
    chosen = []
    for subtask in subtasks:
        own = [option for option in options if option.subtask == subtask.subtask_id and option.words <= SUMMARY_WORDS]
        free = [option for option in own if not option.lead] or own
        if free:
            chosen.append(max(free, key=lambda option: option.finding.relevance))
    best = sorted(chosen, key=lambda option: -option.finding.relevance)[:SUMMARY_MOST]
    return [option.finding.id for option in chosen if option in best]


def _section(
    heading: str, subtask_id: str, options: Sequence[_Option], documents: dict[str, Document]
) -> OutlineSection:
    groups: dict[str, list[_Option]] = {}
    for option in options:  # in the order of choice: the page that was needed first comes first
        groups.setdefault(option.document, []).append(option)
    ordered = [sorted(group, key=lambda option: option.finding.evidence[0].start) for group in groups.values()]
    if len(ordered) == 1:
        return OutlineSection(heading=heading, subtask_id=subtask_id, findings=_ids(ordered[0]))
    return OutlineSection(
        heading=heading,
        subtask_id=subtask_id,
        sections=tuple(
            OutlineSection(heading=_name(group, documents), subtask_id=subtask_id, findings=_ids(group))
            for group in ordered
        ),
    )


def _ids(options: Sequence[_Option]) -> tuple[str, ...]:
    return tuple(option.finding.id for option in options)


def _name(group: Sequence[_Option], documents: dict[str, Document]) -> str:
    """The heading that all of the group stands under, else the title of the page."""
    paths = {option.section[1].split(" › ")[-1] for option in group}
    if len(paths) == 1 and (name := clean_heading(paths.pop())):
        return name
    return clean_heading(documents[group[0].document].title)


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
