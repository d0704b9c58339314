"""The outline of what data say: counts before records, what was asked first at the top, documents behind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, get_args

from fathom.asks import OutlineReport
from fathom.data.fields import DataField, DatasetDescription
from fathom.data.results import Statistic
from fathom.data.wanted import wanted_of
from fathom.evidence import Document
from fathom.findings import Finding
from fathom.languages.packs import pack
from fathom.plan import Subtask
from fathom.reasoners.extractive.data.constructions import over_time, said
from fathom.reasoners.extractive.data.kinds import is_of_records
from fathom.reasoners.extractive.data.naming import namings
from fathom.reasoners.extractive.data.records import EXAMPLE, LISTED, MOST_RECORDS
from fathom.report import Outline, OutlineSection
from fathom.text.display import word_count

SOURCE_WORDS = 10
"""Words of an entry in the list of sources besides the title, and of a heading."""
SHARE = 0.5
"""Share of the report that data take when there is something else to tell."""
MOST_SUMMED_UP = 5
"""Findings of a summary."""
OF_LEAD = 2
"""Of these, at most so many from the count that answers first."""
WITH_HEADINGS = 5
"""Findings from which a section is divided by what was counted."""
_SCOPE = ("scope", "distribution", "nothing")
"""Facts that tell no group, but how many records or groups there are."""
_Group = tuple[str, list[Finding]]
"""Findings of one count, by what was counted as its title has it; records, and how many there are, by nothing."""


class DataPart(NamedTuple):
    """What data say in a report: its summary, its sections by root subtask, and how many words it takes."""

    summary: tuple[str, ...]
    sections: dict[str, OutlineSection]
    words: int


def data_part(ask: OutlineReport, findings: Sequence[Finding], *, max_words: int) -> DataPart:
    """Every finding that there is room for, the most relevant first."""
    documents = {document.sha256: document for document in ask.documents}
    told, words = _that_fit(list(_that_are_asked(findings, ask)), documents, ask.query, max_words=max_words)
    roots = [subtask for subtask in ask.subtasks if subtask.parent_id is None]
    summary: list[str] = []
    sections: dict[str, OutlineSection] = {}
    for root in roots:
        groups: dict[str, list[Finding]] = {}
        for finding in (each for each in told if each.root == root.subtask_id):
            title = "" if is_of_records(finding) else documents[finding.evidence[0].document].title
            groups.setdefault(title.partition(": ")[2], []).append(finding)
        if groups:
            ordered = sorted(groups.items(), key=lambda group: -_fit(_text(root), group))
            summary += [
                each.id for each in _first(ordered, root.description, most=max(2, MOST_SUMMED_UP // len(roots)))
            ]
            sections[root.subtask_id] = _section(root, ordered, summary, pack(ask.language).says("headings"))
    return DataPart(tuple(summary), sections, words)


def joined(ask: OutlineReport, data: DataPart, texts: Outline) -> Outline:
    """Data first, what is written behind it, part by part in the order of the plan."""
    written = {section.subtask_id: section for section in texts.sections}
    sections: list[OutlineSection] = []
    says = pack(ask.language).says("headings")
    for subtask in ask.subtasks:
        told = [part.get(subtask.subtask_id) for part in (data.sections, written)]
        named = zip(told, (says["data"], says["texts"]), strict=True)
        both = [each.model_copy(update={"heading": heading}) for each, heading in named if each]
        sections += [_whole(subtask, sections=both)] if both[1:] else filter(None, told)
    sections += [section for section in texts.sections if not section.subtask_id]
    return texts.model_copy(update={"summary": (*data.summary, *texts.summary), "sections": tuple(sections)})


def _text(subtask: Subtask) -> str:
    return f"{subtask.focus_area} {subtask.description}"


def _whole(subtask: Subtask, findings: Sequence[str] = (), sections: Sequence[OutlineSection] = ()) -> OutlineSection:
    heading = subtask.focus_area or subtask.description
    told, below = tuple(dict.fromkeys(findings)), tuple(sections)
    return OutlineSection(heading=heading, subtask_id=subtask.subtask_id, findings=told, sections=below)


def _that_are_asked(findings: Sequence[Finding], ask: OutlineReport) -> Iterator[Finding]:
    """Without the measures beside those that are asked for, or beside the most telling one; and without the number of
    groups where nobody asks how many there are."""
    questions = {subtask.subtask_id: _text(subtask) for subtask in ask.subtasks}
    for finding in findings:
        same = [
            each for each in findings if each.evidence[0].document == finding.evidence[0].document and _kind(finding)
        ]
        told = [_measure_of(each) for each in sorted(same, key=lambda each: -each.relevance) if _measure_of(each)]
        question = questions.get(finding.subtask_id) or ask.query
        kept = set(wanted_of(question).statistics).intersection(told) or told[:1]
        if _measure_of(finding) in ("", *kept) and (said("count", question) or _kind(finding) != "distribution"):
            yield finding


def _kind(finding: Finding) -> str:
    return finding.fact.kind if finding.fact else ""


def _measure_of(finding: Finding) -> str:
    """The measure that a claim on counts tells; empty when it tells how many."""
    measure = _kind(finding).rpartition("_")[2]
    return measure if measure in ("extremes", *get_args(Statistic)) else ""


def _that_fit(
    findings: Sequence[Finding], documents: Mapping[str, Document], query: str, *, max_words: int
) -> tuple[list[Finding], int]:
    """Findings within the length, the most relevant first; their order stays. Whole or not at all."""
    figures = over_time(query) or said("count", query) or wanted_of(query).statistics
    words, records = 0, MOST_RECORDS
    kept: set[str] = set()
    seen: set[str] = set()
    for finding in sorted(findings, key=lambda each: -each.relevance):
        document, folded = finding.evidence[0].document, " ".join(finding.claim.casefold().split())
        more = word_count(finding.claim) + (word_count(finding.lead_in.quote) if finding.lead_in else 0)
        more += 0 if document in seen else word_count(documents[document].title) + SOURCE_WORDS
        is_one = is_of_records(finding) and finding.relevance != LISTED
        is_beside = is_one and (not records or (figures and finding.relevance <= EXAMPLE))
        if not is_beside and folded not in seen and (not kept or words + more <= max_words):
            records -= is_one
            words += more
            kept.add(finding.id)
            seen |= {folded, document}
    return [finding for finding in findings if finding.id in kept], words


def _fit(text: str, group: _Group) -> int:
    """How much of a question a count answers: the fields that it names, and the time if it asks for it."""
    names = dict.fromkeys(name for name in group[1][0].facets if name and group[0])
    fields = tuple(DataField(name=name, type="category") for name in names)
    named = namings(text, DatasetDescription(name="data", address="", fields=fields))
    return len({each.field.name for each in named}) + (" / " in group[0] and over_time(text))


def _first(groups: Sequence[_Group], text: str, *, most: int) -> list[Finding]:
    """What answers first: how many there are if that is asked, and not how much of a field; then the best of the count
    that the question names most of, and the best of every other one. What only texts tell stands in records."""
    own = sorted((each for _, group in groups for each in group), key=lambda each: -each.relevance)
    counts = [each for each in own if not is_of_records(each)]
    scopes = [each for each in counts if _kind(each) in _SCOPE]
    best = [[each for each in own if each in group and each in counts and each not in scopes] for _, group in groups]
    best = [sorted(told, key=lambda each: not _measure_of(each)) for told in best if told]
    wants_number = bool(said("count", text) or said("list", text)) and not any(map(_measure_of, counts))
    found = scopes[:1] if wants_number or not best else []
    if said("told", text):
        sentences = [each for each in own if is_of_records(each) and EXAMPLE < each.relevance != LISTED]
        found = sentences[:OF_LEAD] or found
    for at, told in enumerate(best):
        found += told[: 1 if at or len(best) >= most else max(1, min(OF_LEAD, len(told) - 1))]
    return (found or own[: most - 1])[:most]


def _section(
    subtask: Subtask, groups: Sequence[_Group], summary: Sequence[str], says: Mapping[str, str]
) -> OutlineSection:
    """By what was counted, under headings when there is enough of it, records last unless they are to be listed. What
    the summary tells is told here only where a count would else have no place."""
    listed = bool(said("list", subtask.description))
    names = [_heading(group, says) for group in groups]
    parts = []
    for (made, group), name in sorted(zip(groups, names, strict=True), key=lambda each: (not each[0][0]) is not listed):
        rest = [each.id for each in group if each.id not in summary] or [group[0].id]
        heading = made if names.count(name) > 1 else name
        parts.append(OutlineSection(heading=heading, subtask_id=subtask.subtask_id, findings=tuple(rest)))
    if len(parts) == 1 or sum(len(group) for _, group in groups) < WITH_HEADINGS:
        return _whole(subtask, [id for part in parts for id in part.findings])
    return _whole(subtask, sections=parts)


def _heading(group: _Group, says: Mapping[str, str]) -> str:
    """What was counted, as a heading."""
    fields = says["joins"].join(name.replace("_", " ") for name in group[1][0].facets)
    return says["records"] if not group[0] else says["by"].format(fields) if fields else says["other"]
