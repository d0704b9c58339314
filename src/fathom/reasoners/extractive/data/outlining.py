"""The outline of what data say: counts before records, what was asked first at the top, documents behind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fathom.asks import OutlineReport
from fathom.data.wanted import wanted_of
from fathom.evidence import Document
from fathom.findings import Finding
from fathom.plan import Subtask
from fathom.reasoners.extractive.data import asked
from fathom.reasoners.extractive.data.kinds import ORDER, Counted, counted, is_of_records, is_scope, named_in
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
    "where": "{heading} ({conditions})",
    "joins": " and ",
    "over": "By {step}",
    "over by": "{fields} by {step}",
    "sums": "Figures of {fields}",
    "records": "Records",
    "data": "What the data say",
    "texts": "What is written about it",
}
_JAPANESE = {
    "by": "{fields}別",
    "where": "{heading}（{conditions}）",
    "joins": "・",
    "over": "{step}別の推移",
    "over by": "{fields}別・{step}別の推移",
    "sums": "{fields}の集計",
    "records": "個々の記録",
    "data": "データから分かること",
    "texts": "文書の記述",
    **dict(zip("year quarter month week day hour".split(), "年 四半期 月 週 日 時間".split(), strict=True)),
}
_MEASURES = {
    "mean": re.compile(r"\bmean of |の平均[がは]"),
    "median": re.compile(r"\bmedian of |の中央値[がは]"),
    "sum": re.compile(r"\bsum of |の合計[がは]"),
    "max": re.compile(r"\bhighest maximum of |の最大値が"),
    "min": re.compile(r"\blowest minimum of |の最小値が"),
    "extremes": re.compile(r"\bthe minimum of |の最小値は"),
}
"""How a claim tells of a measure."""
_DIFFERENT = re.compile(r"\b(?:different|distinct|unique)\b|\bhow\s+many\b|何(?:種類|か国|カ国)|種類", re.IGNORECASE)


def headings(language: str) -> dict[str, str]:
    """The headings of a language, and what steps of time are called; of one that has none, the English ones."""
    return _JAPANESE if language == "ja" else _ENGLISH


@dataclass(frozen=True)
class DataPart:
    """What data say in a report."""

    summary: tuple[str, ...]
    sections: dict[str, OutlineSection]
    """By the id of the root subtask."""
    words: int
    """Words that it takes."""


def data_part(ask: OutlineReport, findings: Sequence[Finding], *, max_words: int) -> DataPart:
    """Every finding that there is room for, the most relevant first, told in the order of `ORDER`."""
    documents = {document.sha256: document for document in ask.documents}
    figures = asked.over_time(ask.query) or asked.COUNT.search(ask.query) or wanted_of(ask.query).statistics
    told, words = _that_fit(
        list(_that_are_asked(findings, ask)),
        documents,
        max_words=max_words,
        most_examples=0 if figures else MOST_EXAMPLES,
    )
    roots = [subtask for subtask in ask.subtasks if subtask.parent_id is None]
    summary: list[str] = []
    sections: dict[str, OutlineSection] = {}
    for subtask in roots:
        if own := [each for each in told if each.root == subtask.subtask_id]:
            summary += [each.id for each in _first(own, subtask, documents, most=max(2, MOST_SUMMED_UP // len(roots)))]
            sections[subtask.subtask_id] = _section(subtask, own, summary, documents, language=ask.language)
    return DataPart(tuple(summary), sections, words)


def _that_are_asked(findings: Sequence[Finding], ask: OutlineReport) -> Iterator[Finding]:
    """Without the measures beside the one that is asked for, the mean if none is; and without the number of groups
    where nobody asks how many there are."""
    questions = {subtask.subtask_id: _text(subtask) for subtask in ask.subtasks}
    held: dict[tuple[str, str], set[str]] = {}
    for finding in findings:
        held.setdefault((finding.evidence[0].document, finding.subtask_id), set()).add(_measure_of(finding))
    for finding in findings:
        question = questions.get(finding.subtask_id) or ask.query
        told = held[finding.evidence[0].document, finding.subtask_id]
        wanted = wanted_of(question)
        asks: set[str] = {"max"} if wanted.extreme and "extremes" in told else set(wanted.statistics)
        kept = (asks | ({"extremes"} if asks & {"max", "min"} else set())) & told or {"mean"} & told
        is_beside = kept and _measure_of(finding) not in {"", *kept}
        if not is_beside and (_DIFFERENT.search(question) or not _tells_groups(finding)):
            yield finding


def _measure_of(finding: Finding) -> str:
    """The measure that a claim on counts tells; empty when it tells how many."""
    if is_of_records(finding):
        return ""
    return next((name for name, tells in _MEASURES.items() if tells.search(finding.claim)), "")


def _tells_groups(finding: Finding) -> bool:
    """Whether it says of how many values of a field the records are."""
    said = (re.search(rf"values of {re.escape(name)}|{re.escape(name)}は", finding.claim) for name in finding.facets)
    return is_scope(finding) and any(said)


def _text(subtask: Subtask) -> str:
    return f"{subtask.focus_area} {subtask.description}"


def _that_fit(
    findings: Sequence[Finding], documents: Mapping[str, Document], *, max_words: int, most_examples: int
) -> tuple[list[Finding], int]:
    """Findings within the length, the most relevant first; their order stays. Whole or not at all."""
    words = 0
    left = {"example": most_examples, "record": MOST_RECORDS}
    kept: set[str] = set()
    seen: set[str] = set()
    for finding in sorted(findings, key=lambda each: -each.relevance):
        document = finding.evidence[0].document
        more = word_count(finding.claim) + (word_count(finding.lead_in.quote) if finding.lead_in else 0)
        if document not in seen:
            more += word_count(documents[document].title) + SOURCE_WORDS
        folded = " ".join(finding.claim.casefold().split())
        kind = "example" if finding.relevance <= EXAMPLE else "record" if finding.relevance != LISTED else ""
        kind = kind if is_of_records(finding) else ""
        if folded in seen or (kept and words + more > max_words) or left.get(kind, 1) == 0:
            continue
        if kind:
            left[kind] -= 1
        words += more
        kept.add(finding.id)
        seen |= {folded, document}
    return [finding for finding in findings if finding.id in kept], words


def _counts(own: Sequence[Finding], documents: Mapping[str, Document]) -> list[tuple[Counted, list[Finding]]]:
    """Findings of one count together, all records together."""
    groups: dict[str, list[Finding]] = {}
    for finding in own:
        title = "" if is_of_records(finding) else documents[finding.evidence[0].document].title
        groups.setdefault(title if ": " in title else "", []).append(finding)
    return [(counted(title), told) for title, told in groups.items()]


def _fit(text: str, made: Counted) -> int:
    """How much of a question a count answers: the fields that it names, and the time if it asks for it."""
    return len(named_in(text, made)) + (made.kind == "trend" and asked.over_time(text))


def _first(own: Sequence[Finding], subtask: Subtask, documents: Mapping[str, Document], *, most: int) -> list[Finding]:
    """What answers first: how many there are if that is asked, and not how much of a field; then the best of the count
    that the question names most of, and the best of every other one. Reasons stand in records."""
    text = _text(subtask)
    by_count = _counts([each for each in own if not is_of_records(each) and not is_scope(each)], documents)
    sums = {name for made, _ in by_count for name in named_in(text, made).intersection(made.sums)}
    groups = [
        sorted(group, key=lambda each: (not any(name in each.claim for name in sums), -each.relevance))
        for made, group in sorted(by_count, key=lambda each: -_fit(text, each[0]))
    ]
    # what names no field that is counted by says how many there are, what names one how many groups
    wants_groups = wanted_of(text).different
    scopes = sorted((each for each in own if is_scope(each)), key=lambda each: _tells_groups(each) != wants_groups)
    wants_number = bool(asked.COUNT.search(text) or asked.LIST.search(text)) and not sums
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
    language: str,
) -> OutlineSection:
    """By what was counted, under headings when there is enough of it: what the question names comes first, records
    last unless they are to be listed. What the summary tells is told here only where a count would else have no place.
    """
    says, text = headings(language), _text(subtask)

    def place(count: tuple[Counted, list[Finding]]) -> tuple[bool, int, int]:
        made, _ = count
        listed = made.kind == "records" and bool(asked.LIST.search(text))
        return not listed, -_fit(text, made), ORDER.index(made.kind)

    groups = sorted(_counts(own, documents), key=place)
    names = [_heading(made, says) for made, _ in groups]
    parts = []
    for (made, group), name in zip(groups, names, strict=True):
        best = sorted(group, key=lambda each: -each.relevance) if made.kind != "records" else group
        rest = [each.id for each in best if each.id not in summary] or [best[0].id]
        heading = says["where"].format(heading=name, conditions=made.conditions) if names.count(name) > 1 else name
        parts.append(OutlineSection(heading=heading, subtask_id=subtask.subtask_id, findings=tuple(rest)))
    heading = subtask.focus_area or subtask.description
    if len(parts) == 1 or len(own) < WITH_HEADINGS:
        told = tuple(dict.fromkeys(id for part in parts for id in part.findings))
        return OutlineSection(heading=heading, subtask_id=subtask.subtask_id, findings=told)
    return OutlineSection(heading=heading, subtask_id=subtask.subtask_id, sections=tuple(parts))


def _heading(made: Counted, says: Mapping[str, str]) -> str:
    """What was counted, as a heading."""
    fields = says["joins"].join(name.replace("_", " ") for name in made.fields)
    if made.kind == "records":
        return says["records"]
    if made.kind == "statistics":
        return says["sums"].format(fields=says["joins"].join(made.sums))
    form = says["by" if made.kind != "trend" else "over by" if fields else "over"]
    name = form.format(fields=fields, step=says.get(made.interval, made.interval))
    return name[:1].upper() + name[1:]


def joined(ask: OutlineReport, data: DataPart, texts: Outline) -> Outline:
    """Data first, what is written behind it, part by part in the order of the plan."""
    says = headings(ask.language)
    written = {section.subtask_id: section for section in texts.sections}
    sections: list[OutlineSection] = []
    for subtask in ask.subtasks:
        told = {"data": data.sections.get(subtask.subtask_id), "texts": written.get(subtask.subtask_id)}
        parts = {name: section for name, section in told.items() if section}
        if len(parts) > 1:
            below = tuple(part.model_copy(update={"heading": says[name]}) for name, part in parts.items())
            both = OutlineSection(heading=parts["data"].heading, subtask_id=subtask.subtask_id, sections=below)
            parts = {"data": both}
        sections += parts.values()
    sections += [section for section in texts.sections if not section.subtask_id]
    return texts.model_copy(update={"summary": (*data.summary, *texts.summary), "sections": tuple(sections)})
