"""The outline of what data say: counts before records, what was asked first at the top, documents behind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from fathom.asks import OutlineReport
from fathom.data.fields import DataField, DatasetDescription
from fathom.data.requests import Interval
from fathom.data.results import Statistic
from fathom.data.wanted import wanted_of
from fathom.evidence import Document
from fathom.findings import Finding
from fathom.plan import Subtask
from fathom.reasoners.extractive.data import asked
from fathom.reasoners.extractive.data.kinds import is_of_records, is_scope
from fathom.reasoners.extractive.data.naming import Naming, namings
from fathom.reasoners.extractive.data.records import EXAMPLE, LISTED
from fathom.report import Outline, OutlineSection
from fathom.text.display import word_count

SOURCE_WORDS = 10
"""Words of an entry in the list of sources besides the title, and of a heading."""
SHARE = 0.5
"""Share of the report that data take when there is something else to tell."""
MOST_EXAMPLES = 6
"""Records that are told as mere examples."""
MOST_RECORDS = 12
"""Records that are told where no list is asked for."""
MOST_SUMMED_UP = 5
"""Findings of a summary."""
OF_LEAD = 2
"""Of these, at most so many from the count that answers first."""
WITH_HEADINGS = 5
"""Findings from which a section is divided by what was counted."""
_ENGLISH = {
    "by": "By {fields}",
    "": "Figures",
    "joins": " and ",
    "records": "Records",
    "data": "What the data say",
    "texts": "What is written about it",
}
_JAPANESE = {
    "by": "{fields}別",
    "": "集計",
    "joins": "・",
    "records": "個々の記録",
    "data": "データから分かること",
    "texts": "文書の記述",
}
"""Headings by what stands below."""
_TREND = re.compile(rf" / (?:{'|'.join(get_args(Interval))})\b")
"""What the title of counts over time holds (see `fathom.data.titles`)."""
_Group = tuple[str, list[Finding]]
"""Findings of one count, by what was counted as its title has it; records, and how many there are, by nothing."""


@dataclass(frozen=True)
class DataPart:
    """What data say in a report."""

    summary: tuple[str, ...]
    sections: dict[str, OutlineSection]
    """By the id of the root subtask."""
    words: int
    """Words that it takes."""


def data_part(ask: OutlineReport, findings: Sequence[Finding], *, max_words: int) -> DataPart:
    """Every finding that there is room for, the most relevant first."""
    documents = {document.sha256: document for document in ask.documents}
    told, words = _that_fit(list(_that_are_asked(findings, ask)), documents, ask.query, max_words=max_words)
    roots = [subtask for subtask in ask.subtasks if subtask.parent_id is None]
    summary: list[str] = []
    sections: dict[str, OutlineSection] = {}
    for subtask in roots:
        if own := [each for each in told if each.root == subtask.subtask_id]:
            summary += [each.id for each in _first(own, subtask, documents, most=max(2, MOST_SUMMED_UP // len(roots)))]
            sections[subtask.subtask_id] = _section(subtask, own, summary, documents, says=_says(ask.language))
    return DataPart(tuple(summary), sections, words)


def joined(ask: OutlineReport, data: DataPart, texts: Outline) -> Outline:
    """Data first, what is written behind it, part by part in the order of the plan."""
    written = {section.subtask_id: section for section in texts.sections}
    sections: list[OutlineSection] = []
    for subtask in ask.subtasks:
        told = {"data": data.sections.get(subtask.subtask_id), "texts": written.get(subtask.subtask_id)}
        parts = {name: section for name, section in told.items() if section}
        if len(parts) > 1:
            says = _says(ask.language)
            below = tuple(part.model_copy(update={"heading": says[name]}) for name, part in parts.items())
            heading = parts["data"].heading
            parts = {"": OutlineSection(heading=heading, subtask_id=subtask.subtask_id, sections=below)}
        sections += parts.values()
    sections += [section for section in texts.sections if not section.subtask_id]
    return texts.model_copy(update={"summary": (*data.summary, *texts.summary), "sections": tuple(sections)})


def _says(language: str) -> dict[str, str]:
    return _JAPANESE if language == "ja" else _ENGLISH


def _text(subtask: Subtask) -> str:
    return f"{subtask.focus_area} {subtask.description}"


# ── What is told ───────────────────────────────────────────────────────────────────────────────────────────────────


def _that_are_asked(findings: Sequence[Finding], ask: OutlineReport) -> Iterator[Finding]:
    """Without the measures beside the one that is asked for, the mean if none is; and without the number of groups
    where nobody asks how many there are."""
    questions = {subtask.subtask_id: _text(subtask) for subtask in ask.subtasks}
    held: dict[tuple[str, str], set[str]] = {}
    for finding in findings:
        held.setdefault((finding.evidence[0].document, finding.subtask_id), set()).add(_measure_of(finding))
    for finding in findings:
        question = questions.get(finding.subtask_id) or ask.query
        told, wanted = held[finding.evidence[0].document, finding.subtask_id], wanted_of(question)
        asks = {"extremes"} if wanted.extreme and "extremes" in told else {*wanted.statistics}
        kept = (asks | ({"extremes"} if asks & {"max", "min"} else set())) & told or {"mean"} & told
        counts = wanted.different or asked.COUNT.search(question)
        if _measure_of(finding) in {"", *(kept or told)} and (counts or not _is(finding, "distribution")):
            yield finding


def _is(finding: Finding, kind: str) -> bool:
    return finding.fact is not None and finding.fact.kind == kind


def _measure_of(finding: Finding) -> str:
    """The measure that a claim on counts tells; empty when it tells how many."""
    measure = finding.fact.kind.rpartition("_")[2] if finding.fact else ""
    return measure if measure in ("extremes", *get_args(Statistic)) else ""


def _that_fit(
    findings: Sequence[Finding], documents: Mapping[str, Document], query: str, *, max_words: int
) -> tuple[list[Finding], int]:
    """Findings within the length, the most relevant first; their order stays. Whole or not at all."""
    figures = asked.over_time(query) or asked.COUNT.search(query) or wanted_of(query).statistics
    left = {EXAMPLE: 0 if figures else MOST_EXAMPLES, LISTED: len(findings)}
    words, records = 0, MOST_RECORDS
    kept: set[str] = set()
    seen: set[str] = set()
    for finding in sorted(findings, key=lambda each: -each.relevance):
        document, folded = finding.evidence[0].document, " ".join(finding.claim.casefold().split())
        more = word_count(finding.claim) + (word_count(finding.lead_in.quote) if finding.lead_in else 0)
        more += 0 if document in seen else word_count(documents[document].title) + SOURCE_WORDS
        room = left.get(finding.relevance, records) if is_of_records(finding) else 1
        if folded in seen or (kept and words + more > max_words) or not room:
            continue
        if is_of_records(finding) and finding.relevance in left:
            left[finding.relevance] -= 1
        elif is_of_records(finding):
            records -= 1
        words += more
        kept.add(finding.id)
        seen |= {folded, document}
    return [finding for finding in findings if finding.id in kept], words


def _groups(own: Sequence[Finding], documents: Mapping[str, Document]) -> list[_Group]:
    """Findings of one count together, all records together."""
    groups: dict[str, list[Finding]] = {}
    for finding in own:
        title = "" if is_of_records(finding) else documents[finding.evidence[0].document].title
        groups.setdefault(title.partition(": ")[2], []).append(finding)
    return list(groups.items())


def _named_in(text: str, group: _Group) -> list[Naming]:
    """The fields that a text names of those that records are counted by."""
    names = dict.fromkeys(name for name in group[1][0].facets if name and group[0])
    fields = tuple(DataField(name=name, type="category") for name in names)
    return namings(text, DatasetDescription(name="data", address="", fields=fields))


def _fit(text: str, group: _Group) -> int:
    """How much of a question a count answers: the fields that it names, and the time if it asks for it."""
    over_time = bool(_TREND.search(group[0])) and asked.over_time(text)
    return len({each.field.name for each in _named_in(text, group)}) + over_time


# ── Where it is told ───────────────────────────────────────────────────────────────────────────────────────────────


def _first(own: Sequence[Finding], subtask: Subtask, documents: Mapping[str, Document], *, most: int) -> list[Finding]:
    """What answers first: how many there are if that is asked, and not how much of a field; then the best of the count
    that the question names most of, and the best of every other one. What only texts tell stands in records."""
    text = _text(subtask)
    counts = [each for each in own if not is_of_records(each)]
    by_count = _groups([each for each in counts if not is_scope(each)], documents)
    groups = [
        sorted(group[1], key=lambda each: (not _measure_of(each), -each.relevance))
        for group in sorted(by_count, key=lambda group: -_fit(text, group))
    ]
    # what names no field that is counted by says how many there are, what names one how many groups
    named = (each for group in _groups(counts, documents) for each in _named_in(text, group))
    of_groups = wanted_of(text).different or any(asked.HOW_MANY.search(text[: each.place[0]]) for each in named)
    scopes = sorted(filter(is_scope, counts), key=lambda each: _is(each, "distribution") != of_groups)
    wants_number = bool(asked.COUNT.search(text) or asked.LIST.search(text)) and not any(map(_measure_of, counts))
    found = scopes[:1] if wants_number or not groups else []
    if asked.TOLD.search(text):
        of_records = [each for each in own if is_of_records(each) and each.relevance > EXAMPLE]
        found = sorted(of_records, key=lambda each: -each.relevance)[:OF_LEAD]
    if groups:
        found += groups[0][: max(1, min(OF_LEAD, len(groups[0]) - 1)) if len(groups) < most else 1]
        found += [best[0] for best in groups[1:]]
    return (found or sorted(own, key=lambda each: -each.relevance)[: most - 1])[:most]


def _section(
    subtask: Subtask,
    own: Sequence[Finding],
    summary: Sequence[str],
    documents: Mapping[str, Document],
    *,
    says: Mapping[str, str],
) -> OutlineSection:
    """By what was counted, under headings when there is enough of it: what the question names comes first, records
    last unless they are to be listed. What the summary tells is told here only where a count would else have no place.
    """
    text = _text(subtask)

    def place(group: _Group) -> tuple[bool, int]:
        listed = bool(asked.LIST.search(text))
        return (not group[0]) is not listed, -_fit(text, group)

    groups = sorted(_groups(own, documents), key=place)
    names = [_heading(group, says) for group in groups]
    parts = []
    for (made, group), name in zip(groups, names, strict=True):
        best = sorted(group, key=lambda each: -each.relevance) if made else group
        rest = [each.id for each in best if each.id not in summary] or [best[0].id]
        heading = made if names.count(name) > 1 else name
        parts.append(OutlineSection(heading=heading, subtask_id=subtask.subtask_id, findings=tuple(rest)))
    section = OutlineSection(heading=subtask.focus_area or subtask.description, subtask_id=subtask.subtask_id)
    if len(parts) == 1 or len(own) < WITH_HEADINGS:
        told = tuple(dict.fromkeys(id for part in parts for id in part.findings))
        return section.model_copy(update={"findings": told})
    return section.model_copy(update={"sections": tuple(parts)})


def _heading(group: _Group, says: Mapping[str, str]) -> str:
    """What was counted, as a heading."""
    fields = says["joins"].join(name.replace("_", " ") for name in group[1][0].facets)
    return says["records" if not group[0] else "by" if fields else ""].format(fields=fields)
