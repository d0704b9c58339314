"""The counts that a report cites, as figures: where each stands, what it shows, and what it leaves out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fathom.composing.numbering import Numbering
from fathom.data.results import Bucket, Statistic
from fathom.data.snapshots import COUNT, NO_VALUE, cells_of, columns_of
from fathom.data.titles import caption_of
from fathom.data.turns import AggregationResult
from fathom.report import Claim, Figure, ReportSection
from fathom.text.numbers import numbers, plain_number
from fathom.text.phrases import Phrases
from fathom.text.typeset import left_out

MOST, MOST_BESIDE_TABLES = 8, 3
"""Figures of a report; and of one that has tables of its own."""
LEAST_BARS, LEAST_STEPS = 2, 3
"""Groups of a distribution, and steps of a histogram, that a picture needs to tell anything."""
MOST_LINES = 8
"""Groups of a histogram that one picture can hold."""
_MEASURES: tuple[Statistic, ...] = ("mean", "sum", "median", "max", "min")
"""What of a field of numbers is shown, when the report tells of none more than of another."""


@dataclass(frozen=True)
class _Cited:
    """Counts that the report cites."""

    result: AggregationResult
    source_id: str
    subtask_id: str
    claims: tuple[Claim, ...]
    """Those that cite them."""


def with_figures(
    sections: tuple[ReportSection, ...], numbering: Numbering, words: Phrases, *, language: str, beside_tables: bool
) -> tuple[tuple[ReportSection, ...], tuple[Figure, ...]]:
    """The sections with the figures below the sentences of the subtask that counted, and all figures in order.

    Where a report has tables of its own (`beside_tables`), counts that these have, or by more than one field, are no
    figures.
    """
    flat = list(_all(sections))
    placed: dict[int, list[_Cited]] = {}
    in_tables = _in_tables(flat, numbering) if beside_tables else frozenset[tuple[str, ...]]()
    counts = [
        each
        for each in _cited(numbering)
        if not beside_tables or (len(each.result.aggregation.fields) == 1 and _counted_by(each.result) not in in_tables)
    ]
    counts = counts if flat else []  # what is cited only where sources disagree has no place
    for cited in counts[: MOST_BESIDE_TABLES if beside_tables else MOST]:
        placed.setdefault(_place(cited, flat), []).append(cited)
    figures: list[Figure] = []
    shown: dict[int, tuple[str, ...]] = {}
    for at in sorted(placed):
        first = len(figures)
        for cited in placed[at]:
            named = numbering.quality.documents[cited.result.document].title
            title = caption_of(named, cited.result.request, language)
            figures.append(_figure(cited, f"F{len(figures) + 1}", title, words))
        shown[at] = tuple(figure.id for figure in figures[first:])
    return _rebuilt(sections, iter(range(len(flat))), shown), tuple(figures)


def _in_tables(sections: Iterable[ReportSection], numbering: Numbering) -> frozenset[tuple[str, ...]]:
    """What the counts are of that the cells of tables cite."""
    claims = {claim.id: claim for claim in numbering.claims}
    cells = (cell for each in sections for block in each.blocks for row in block.rows for cell in row)
    cited = {id for cell in cells if cell.claim for id in claims[cell.claim].citations}
    results = (numbering.results.get(sha256) for sha256, entry in numbering.sources.items() if entry.id in cited)
    return frozenset(_counted_by(result) for result in results if result is not None)


def _counted_by(result: AggregationResult) -> tuple[str, ...]:
    """The fields that counts are grouped by, and the conditions on what is counted."""
    return (*result.aggregation.fields, str(result.request.filters))


def _all(sections: Iterable[ReportSection]) -> Iterator[ReportSection]:
    for section in sections:
        yield section
        yield from _all(section.sections)


def _rebuilt(
    sections: Iterable[ReportSection], places: Iterator[int], shown: Mapping[int, tuple[str, ...]]
) -> tuple[ReportSection, ...]:
    return tuple(
        each.model_copy(
            update={"figures": shown.get(next(places), ()), "sections": _rebuilt(each.sections, places, shown)}
        )
        for each in sections
    )


def _cited(numbering: Numbering) -> Iterator[_Cited]:
    """The counts in the order in which the report cites them; the same counts, made twice, once."""
    by_id = {entry.id: sha256 for sha256, entry in numbering.sources.items()}
    evidence = {entry.id: entry for entry in numbering.evidence.values()}
    known: set[tuple[str, str]] = set()
    for source_id in dict.fromkeys(id for claim in numbering.claims for id in claim.citations):
        result = numbering.results.get(by_id[source_id])
        if result is None or not result.aggregation.buckets:
            continue
        same = (numbering.quality.documents[result.document].uri, result.aggregation.model_dump_json())
        if same in known:
            continue
        known.add(same)
        claims = tuple(claim for claim in numbering.claims if source_id in claim.citations)
        quotes = (evidence[id] for id in claims[0].evidence)
        subtask_id = next(quote.subtask_id or "" for quote in quotes if quote.source_id == source_id)
        yield _Cited(result, source_id, subtask_id, claims)


def _place(cited: _Cited, flat: Sequence[ReportSection]) -> int:
    """The section that it stands in: that of its subtask, if there is one, else one that cites it, the summary last."""

    def distance(at: int) -> tuple[bool, bool, bool, int]:
        section = flat[at]
        tells = any(claim.id in section.claims for claim in cited.claims)
        return section.subtask_id != cited.subtask_id, not tells, not section.subtask_id, at

    return min(range(len(flat)), key=distance)


def _figure(cited: _Cited, id: str, title: str, words: Phrases) -> Figure:
    cited = replace(cited, result=_sorted(cited, words))
    counts = cited.result.aggregation
    value_name, values = _measured(cited, words)
    groups = max(0, (counts.distinct or 0) - len(counts.buckets))
    kind = _kind(cited.result) if values else "table"
    shown = _columns(cited, words)
    return Figure(
        id=id,
        title=title,
        kind=kind,
        source_id=cited.source_id,
        subtask_id=cited.subtask_id,
        columns=tuple(columns_of(counts)[at] for at in shown),
        rows=tuple(tuple(cells_of(counts, bucket)[at] for at in shown) for bucket in counts.buckets),
        labels=tuple(" / ".join(part or NO_VALUE for part in bucket.key) for bucket in counts.buckets),
        values=values or tuple(float(bucket.count) for bucket in counts.buckets),
        value_name=value_name,
        more_groups=groups,
        more_records=counts.other or 0,
        note=left_out(words, groups=groups, records=counts.other or 0, in_steps=kind == "line"),
    )


def _sorted(cited: _Cited, words: Phrases) -> AggregationResult:
    """Groups that are compared by a number in its order, those without it last; every other count as it came."""
    counts = cited.result.aggregation
    shown = _shown(cited, words)
    if shown is None or counts.type != "group_by":
        return cited.result
    field, kind = shown
    sign = 1 if kind == "min" else -1

    def place(bucket: Bucket) -> tuple[bool, float]:
        value = bucket.statistics.get(field, {}).get(kind)
        known = value is not None and math.isfinite(value)
        return not known, sign * value if value is not None and known else 0.0

    ordered = counts.model_copy(update={"buckets": tuple(sorted(counts.buckets, key=place))})
    return cited.result.model_copy(update={"aggregation": ordered})


def _kind(result: AggregationResult) -> Literal["bar", "line", "table"]:
    counts = result.aggregation
    match counts.type:
        case "group_by" if len(counts.buckets) >= LEAST_BARS:
            return "bar"
        case "date_histogram":
            keys = [bucket.key for bucket in counts.buckets if bucket.key and bucket.key[-1]]
            steps, lines = {key[-1] for key in keys}, {key[:-1] for key in keys}
            return "line" if len(steps) >= LEAST_STEPS and len(lines) <= MOST_LINES else "table"
        case _:
            return "table"


def _columns(cited: _Cited, words: Phrases) -> list[int]:
    """The columns that are shown: the groups, their records, the measures that the report tells of, and how many
    records have a value where some have none; of all records every measure."""
    counts = cited.result.aggregation
    keys = len(counts.fields)
    measures = list(
        dict.fromkeys((n, kind) for each in counts.buckets for n in each.statistics for kind in each.statistics[n])
    )
    shown = _shown(cited, words)
    told = {each for each in measures if each == shown or _is_told(cited, *each, words)}
    fields = {field for field, _ in told}
    lacking = {
        field
        for field in fields
        if any(each.statistics.get(field, {}).get("count") != each.count for each in counts.buckets)
    }
    whole = counts.type == "statistics" and len(counts.buckets) == 1
    kept = [
        at
        for at, (field, kind) in enumerate(measures, start=keys + 1)
        if whole or (field, kind) in told or (kind == "count" and field in lacking)
    ]
    return [*range(keys + 1), *kept]


def _is_told(cited: _Cited, field: str, kind: Statistic, words: Phrases) -> bool:
    """Whether the report names a measure beside the figures of these counts."""
    return kind != "count" and _told_at(cited, field, kind, words) < len(cited.claims)


def _told_at(cited: _Cited, field: str, kind: Statistic, words: Phrases) -> int:
    """The place of the first claim that names a measure; behind all of them when none does."""
    named = words.measures[kind].format(field=field).casefold()
    places = (at for at, claim in enumerate(cited.claims) if named in claim.text.casefold())
    return next(places, len(cited.claims))


def _shown(cited: _Cited, words: Phrases) -> tuple[str, Statistic] | None:
    """The measure that is shown: the one that the report names, or tells most figures of; `None` without measures."""
    buckets = cited.result.aggregation.buckets
    measures = [
        (field, kind)
        for field in dict.fromkeys(name for bucket in buckets for name in bucket.statistics)
        for kind in _MEASURES
        if any(kind in bucket.statistics.get(field, {}) for bucket in buckets)
    ]
    told = {number for claim in cited.claims for number in numbers(claim.text.casefold())}

    def tells(measure: tuple[str, Statistic]) -> tuple[int, int]:
        figures = sum(bool(told & _written(value)) for value in _values(buckets, *measure) if value is not None)
        return -_told_at(cited, *measure, words), figures

    return max(measures, key=tells, default=None)


def _measured(cited: _Cited, words: Phrases) -> tuple[str, tuple[float, ...]]:
    """What the figure shows: the counts, or where numbers were summed up, that measure which the report tells most of.

    No values when a group lacks them, or when they are none that can be drawn.
    """
    buckets = cited.result.aggregation.buckets
    shown = _shown(cited, words)
    if shown is None:
        return COUNT, tuple(float(bucket.count) for bucket in buckets)
    field, kind = shown
    values = _values(buckets, field, kind)
    known = tuple(value for value in values if value is not None and math.isfinite(value))
    return f"{kind} of {field}", known if len(known) == len(values) else ()


def _values(buckets: Iterable[Bucket], field: str, kind: Statistic) -> list[float | None]:
    return [bucket.statistics.get(field, {}).get(kind) for bucket in buckets]


def _written(value: float) -> set[str]:
    """A number as a sentence may write it."""
    return {plain_number(round(value, digits)) for digits in range(3)} | {plain_number(value)}
