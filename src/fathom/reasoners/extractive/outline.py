"""The outline: which findings are told within the length of the report, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from fathom.asks import OutlineReport
from fathom.evidence import Document, Markup
from fathom.findings import Finding
from fathom.plan import Subtask
from fathom.reasoners.extractive import weights
from fathom.reasoners.extractive.cues import CUES, cues_of
from fathom.reasoners.extractive.holdings import clean_heading
from fathom.reasoners.extractive.question import read_question
from fathom.reasoners.extractive.selection import Option, choose
from fathom.reasoners.extractive.write import is_term
from fathom.report import Outline, OutlineSection
from fathom.text.analysis import query_terms, terms
from fathom.text.display import display, word_count
from fathom.text.phrases import phrases

MARKS = 12
"""Marks of headings and lines of the frame, which some count as words."""
FINDINGS_WITH_HEADINGS = 6
"""Findings from which a section is divided by headings."""
SOURCE_MARKS = 3
"""Words of an entry in the list of sources besides the title."""
PAGE_WORDS = 7
"""Words of the entry of a web page besides: site, who speaks, dates."""
FLOOR = 0.02
"""Share of the best relevance that anything told must have: a short answer is not filled up."""
TITLE_LETTERS = 80
"""Longest topic that is taken for a title, in characters."""
TITLE_WORDS = 28
"""Longest question that is taken for a title."""
SUBJECT_TERMS = 6
"""How many terms at the beginning of a sentence are taken for its subject."""
LONE_SHARE = 0.6
"""Share of the relevance of the section's best that a finding must have to stand alone before the sub-sections."""
SUMMARY_LEAST = 3
"""Findings that the summary of a simple question tells."""
SUMMARY_MOST = 5
"""Findings that a summary tells."""
SUMMARY_CHOICE = 8
"""Best findings of a subtask that a summary chooses from."""
SUMMARY_SHARE = 0.2
"""Share of the relevance of the best that a finding of the summary must have."""
SUMMARY_WORDS = 60
"""Longest finding that a summary tells."""
_TELLING = ("number", "identifier", "consequence", "condition", "modal", "reason")


def outline_report(ask: OutlineReport) -> Outline:
    """Choose by score and length, tell the best of each subtask first, and group the rest by page and heading."""
    if max((finding.confidence for finding in ask.findings), default=0.0) < weights.TOLD_FROM:
        return Outline(title=title_of(ask))
    documents = {document.sha256: document for document in ask.documents}
    findings = {finding.id: finding for finding in ask.findings}
    told = choose(options(ask.findings, documents), max_words=ask.max_words, frame_words=frame_words(ask))
    chosen = [findings[option.key] for option in told.options]
    homes = _homes(chosen)
    roots = [subtask for subtask in ask.subtasks if subtask.parent_id is None]
    summary = _summary(chosen, homes, roots, {sha256: document.markup for sha256, document in documents.items()})
    sections = []
    for subtask in roots:
        own = [f for f in chosen if homes[f.id] == subtask.subtask_id and f.id not in summary]
        if own:
            sections.append(_section(subtask, own, documents, language=ask.language))
    return Outline(title=title_of(ask), summary=summary, sections=tuple(sections))


def frame_words(ask: OutlineReport) -> int:
    """Words of what the report says besides the findings: title, fixed headings, limitations, footer."""
    fixed = phrases(ask.language)
    lines = (
        title_of(ask),
        fixed.summary,
        fixed.sources,
        fixed.limitations,
        fixed.single_source,
        fixed.conclusion,
        fixed.answered,
        *(fixed.thinnest + root.focus_area for root in ask.subtasks if root.parent_id is None),
        fixed.footer,
        fixed.coverage,
    )
    return sum(map(word_count, lines)) + MARKS


def root_of(finding: Finding) -> str:
    """The root subtask that a finding belongs to: `task_1` for one of `task_1.2`."""
    return finding.subtask_id.partition(".")[0]


def options(findings: Sequence[Finding], documents: Mapping[str, Document]) -> list[Option]:
    """Every span once, for the subtask that it answers best."""
    best: dict[tuple[str, int, int], Finding] = {}
    for finding in findings:
        key = (finding.evidence[0].document, *_place(finding))
        if key not in best or finding.relevance > best[key].relevance:
            best[key] = finding
    made = []
    least = FLOOR * max((finding.relevance for finding in best.values()), default=0.0)
    for finding in best.values():
        if finding.relevance < least:
            continue
        lead, document = finding.lead_in, documents[finding.evidence[0].document]
        made.append(
            Option(
                key=finding.id,
                score=finding.relevance,
                subtask=root_of(finding),
                terms=frozenset(terms(finding.claim)),
                words=word_count(finding.claim),
                document=document.sha256,
                span=_place(finding),
                lead=(lead.start, lead.end) if lead else None,
                lead_words=word_count(display(lead.quote, document.markup)) if lead else 0,
                section=finding.evidence[0].locator,
                source_words=word_count(document.title) + SOURCE_MARKS + (PAGE_WORDS if document.kind == "web" else 0),
            )
        )
    return made


def _homes(chosen: Sequence[Finding]) -> dict[str, str]:
    """The root subtask that tells each finding: what shares a lead-in, or is one, is told together."""
    best: dict[tuple[str, int, int], Finding] = {}
    for finding in chosen:
        key = _lead_key(finding)
        if key not in best or finding.relevance > best[key].relevance:
            best[key] = finding
    return {finding.id: root_of(best[_lead_key(finding)]) for finding in chosen}


def _lead_key(finding: Finding) -> tuple[str, int, int]:
    """Where the lead-in of a finding stands; of one without, where itself stands."""
    span = finding.lead_in or finding.evidence[0]
    return finding.evidence[0].document, span.start, span.end


def _summary(
    chosen: Sequence[Finding],
    homes: Mapping[str, str],
    roots: Sequence[Subtask],
    markups: Mapping[str, Markup],
) -> tuple[str, ...]:
    """The best findings of each subtask that can stand at the beginning, in the order of the plan."""
    leads = {_lead_key(finding) for finding in chosen if finding.lead_in}
    free = [
        finding
        for finding in chosen
        if _stands_alone(finding, markups, leads) and word_count(finding.claim) <= SUMMARY_WORDS
    ]
    first: list[Finding] = []
    for subtask in roots:
        own = [finding for finding in free if homes[finding.id] == subtask.subtask_id]
        own = sorted(own, key=lambda finding: -finding.relevance)[:SUMMARY_CHOICE]
        asked = frozenset(query_terms(f"{subtask.focus_area} {subtask.description}"))
        own.sort(key=partial(_worth, asked=asked), reverse=True)
        picked = own[: max(1, SUMMARY_LEAST // len(roots))]
        pages = [finding.evidence[0].document for finding in picked]
        first += sorted(picked, key=lambda finding: (pages.index(finding.evidence[0].document), _place(finding)))
    most = max((finding.relevance for finding in first), default=0.0)
    best = sorted(first, key=lambda finding: -finding.relevance)[:SUMMARY_MOST]
    return tuple(finding.id for finding in first if finding in best and finding.relevance >= SUMMARY_SHARE * most)


def _stands_alone(finding: Finding, markups: Mapping[str, Markup], leads: set[tuple[str, int, int]]) -> bool:
    """Whether a finding can be told apart from its neighbours: nothing leads it but a term, and it leads nothing."""
    if finding.lead_in is None:
        return _lead_key(finding) not in leads
    return is_term(display(finding.lead_in.quote, markups[finding.lead_in.document]))


def _worth(finding: Finding, *, asked: frozenset[str]) -> float:
    """Relevance, more for what is specific, and for what speaks of what was asked, best from its first words on.

    A summary answers, it does not announce; and it is read before anything else, so it must name its subject.
    """
    cues = dict(zip(CUES, cues_of(finding.claim), strict=True))
    said = terms(f"{finding.lead_in.quote if finding.lead_in else ''} {finding.claim}")
    named = len(asked.intersection(said)) / max(1, len(asked))
    subject = bool(asked.intersection(said[:SUBJECT_TERMS]))
    return finding.relevance * (1 + 0.15 * sum(cues[name] for name in _TELLING)) * (0.5 + named) * (1 + 0.5 * subject)


def _section(
    subtask: Subtask, own: Sequence[Finding], documents: Mapping[str, Document], *, language: str
) -> OutlineSection:
    """Pages in the order of their first choice, each by its headings in document order.

    A heading with a single finding is left out: the finding stands at the beginning of the section if it is strong
    enough to be read first, else at its end.
    """
    pages: dict[str, list[Finding]] = {}
    for finding in own:
        pages.setdefault(finding.evidence[0].document, []).append(finding)
    groups: dict[tuple[str, str], list[Finding]] = {}
    for group in pages.values():
        for finding in sorted(group, key=_place):
            groups.setdefault((finding.evidence[0].document, finding.evidence[0].locator), []).append(finding)
    heading, id = subtask.focus_area or subtask.description, subtask.subtask_id
    large = {key: group for key, group in groups.items() if len(group) > 1 and len(own) >= FINDINGS_WITH_HEADINGS}
    if len(groups) == 1 or not large:
        return OutlineSection(
            heading=heading, subtask_id=id, findings=_ids([f for group in groups.values() for f in group])
        )
    strong = LONE_SHARE * max(finding.relevance for finding in own)
    lone = [group[0] for key, group in groups.items() if key not in large]
    first = sorted((finding for finding in lone if finding.relevance >= strong), key=lambda each: -each.relevance)
    last = [finding for finding in lone if finding.relevance < strong]
    parts = [(_name(key, documents), group) for key, group in large.items()]
    parts += [(phrases(language).further, last)] if last else []
    return OutlineSection(
        heading=heading,
        subtask_id=id,
        findings=_ids(first),
        sections=tuple(OutlineSection(heading=name, subtask_id=id, findings=_ids(group)) for name, group in parts),
    )


def _name(group: tuple[str, str], documents: Mapping[str, Document]) -> str:
    """The last heading above the findings, else the title of their page."""
    document, locator = group
    return clean_heading(locator.split(" › ")[-1]) or clean_heading(documents[document].title)


def _place(finding: Finding) -> tuple[int, int]:
    return finding.evidence[0].start, finding.evidence[0].end


def _ids(findings: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(finding.id for finding in findings)


def title_of(ask: OutlineReport) -> str:
    """The topic of the question; of a question with several parts, the question itself, cut between its parts."""
    question = read_question(ask.query, language=ask.language)
    clause = question.clauses[0]
    if clause.topic and len(clause.topic) < TITLE_LETTERS:
        title = clause.topic
    elif len(question.clauses) == 1:
        title = clause.heading
    else:
        title = " ".join(ask.query.split())
        if word_count(title) > TITLE_WORDS:
            title = f"{clause.heading} …"
    title = title.strip(" 、。,.") or question.text[:TITLE_LETTERS]
    return title[:1].upper() + title[1:]
