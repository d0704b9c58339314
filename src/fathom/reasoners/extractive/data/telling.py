"""Which of the things that counts tell a question asks for: a mean and not a sum, texts before counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fathom.asks import OutlineReport
from fathom.data.wanted import wanted_of
from fathom.findings import Finding
from fathom.reasoners.extractive.data import asked
from fathom.reasoners.extractive.data.kinds import is_of_records, is_scope

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


def asks_for_texts(question: str) -> bool:
    """Whether it is the texts of records that answer, or the records themselves, and no count of them."""
    if asked.COUNT.search(question):
        return False
    return any(pattern.search(question) for pattern in (asked.WHY, asked.SAYS, asked.LIST))


def that_are_asked(findings: Sequence[Finding], ask: OutlineReport) -> Iterator[Finding]:
    """Without the measures beside the one that is asked for, the mean if none is; and without the number of groups
    where nobody asks how many there are."""
    questions = {subtask.subtask_id: f"{subtask.focus_area} {subtask.description}" for subtask in ask.subtasks}
    held: dict[tuple[str, str], set[str]] = {}
    for finding in findings:
        held.setdefault(_count_of(finding), set()).add(_measure_of(finding))
    for finding in findings:
        question = questions.get(finding.subtask_id) or ask.query
        told = held[_count_of(finding)]
        asked_for = wanted_of(question)
        asks: set[str] = {"max"} if asked_for.extreme and "extremes" in told else set(asked_for.statistics)
        wanted = (asks | ({"extremes"} if asks & {"max", "min"} else set())) & told or {"mean"} & told
        if wanted and _measure_of(finding) not in {"", *wanted}:
            continue
        if tells_groups(finding) and not _DIFFERENT.search(question):
            continue
        yield finding


def _count_of(finding: Finding) -> tuple[str, str]:
    return finding.evidence[0].document, finding.subtask_id


def _measure_of(finding: Finding) -> str:
    """The measure that a claim on counts tells; empty when it tells how many."""
    if is_of_records(finding):
        return ""
    return next((name for name, tells in _MEASURES.items() if tells.search(finding.claim)), "")


def tells_groups(finding: Finding) -> bool:
    """Whether it says of how many values of a field the records are."""
    named = any(
        re.search(rf"values of {re.escape(name)}|{re.escape(name)}は", finding.claim) for name in finding.facets
    )
    return is_scope(finding) and named
