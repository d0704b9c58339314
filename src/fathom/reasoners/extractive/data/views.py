"""The counts that a question needs of a dataset, the most telling first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from fathom.data.fields import DataField, DatasetDescription
from fathom.data.requests import TOP_N, DataRequest, DateHistogram, Filter
from fathom.reasoners.extractive.data.question import DataQuestion

MOST_VIEWS = 6
"""Counts that one question is answered with."""
MOST_SIDES = 3
"""Values that are each counted on their own when they are compared."""
OVERVIEWS = 2
"""Fields that an open question is counted by, besides time."""
MOST_TOLD = 100
"""Groups that are told when all are asked for."""
_ALL_VALUES = re.compile(r"\b(?:list|all|every|how\s+many)\b|一覧|すべて|全て|全部|いくつ", re.IGNORECASE)


def views_of(question: DataQuestion, dataset: DatasetDescription) -> list[DataRequest]:
    """The counts that answer it: by field, field by field where values are compared, over time, summed up.

    A question that names nothing to count by gets an overview: by the categories of the mapping, then over time.
    """
    filters = question.filters
    top = question.top_n or _top_n(question, dataset)

    def view(
        groups: Sequence[str] = (), *, histogram: DateHistogram | None = None, statistics: Sequence[str] = ()
    ) -> DataRequest:
        return DataRequest(
            filters=filters,
            group_by=tuple(groups),
            date_histogram=histogram,
            statistics=tuple(statistics),
            top_n=max(top, TOP_N) if len(groups) > 1 else top,
        )

    if question.is_open:
        return _overview(question, dataset, view(groups=()))[:MOST_VIEWS]
    found: list[DataRequest] = []
    groups, summed = question.group_by, question.statistics
    if question.compared in groups:  # the sides first, then what they are compared by
        groups = (question.compared, *(name for name in groups if name != question.compared))
    first = groups[:1]
    if groups:
        found.append(view(first, statistics=summed))
    elif summed:
        found.append(view(statistics=summed))
    if question.histogram:
        found.append(view(histogram=question.histogram, statistics=() if groups else summed))
    if len(groups) > 1:
        found += [
            view(groups[1:2], statistics=summed).model_copy(update={"filters": side}) for side in _sides(question)
        ]
        both = groups[:2] if not question.compared else groups[1::-1]
        # what all records are counted by comes last: the next turn sees how many these are
        found += [view(both), view(groups[1:2], statistics=summed)]
        found += [view(groups[2:3], statistics=summed)] if len(groups) > 2 else []
    if question.histogram and groups:
        found.append(view(first, histogram=question.histogram))
    if groups and summed:
        found.append(view(statistics=summed))
    return _each_once(found)[:MOST_VIEWS]


def _sides(question: DataQuestion) -> list[tuple[Filter, ...]]:
    """The conditions of each of the values that are set against each other."""
    several = next((each for each in question.filters if each.field == question.compared and each.op == "in"), None)
    if several is None or not isinstance(several.value, tuple) or len(several.value) > MOST_SIDES:
        return []
    rest = [each for each in question.filters if each != several]
    return [(Filter(field=several.field, value=value), *rest) for value in several.value]


def _overview(question: DataQuestion, dataset: DatasetDescription, plain: DataRequest) -> list[DataRequest]:
    """Counts by the categories that the filters leave open, and over time; else by what is filtered by."""
    fixed = {each.field for each in question.filters if each.op == "eq"}
    named = [field.name for field in dataset.fields if field.type in ("category", "boolean")]
    order = [name for name in (*dataset.mapping.category, *named) if dataset.field(name) is not None]
    free = [name for name in dict.fromkeys(order) if name not in fixed]
    found = [plain.model_copy(update={"group_by": (name,)}) for name in free[:OVERVIEWS]]
    moment = moment_of(dataset)
    if moment is not None:
        found.append(plain.model_copy(update={"date_histogram": DateHistogram(field=moment.name, interval="year")}))
    if not found:
        found += [plain.model_copy(update={"group_by": (name,)}) for name in sorted(fixed)[:1]]
    if question.counts or question.lists or question.mentions:
        return found[:1]
    return found


def moment_of(dataset: DatasetDescription) -> DataField | None:
    """The field that says when, if it is one of dates."""
    mapped = dataset.field(dataset.mapping.date or "")
    if mapped is not None and mapped.type == "date":
        return mapped
    return next((field for field in dataset.fields if field.type == "date"), None)


def _top_n(question: DataQuestion, dataset: DatasetDescription) -> int:
    """All groups when all are asked for, as far as a reader can look at them."""
    field = dataset.field(question.group_by[0]) if question.group_by else None
    if field is None or not _ALL_VALUES.search(question.text):
        return TOP_N
    return min(max(field.distinct or TOP_N, TOP_N), MOST_TOLD)


def also(
    views: Iterable[DataRequest], questions: Iterable[DataQuestion], dataset: DatasetDescription
) -> list[DataRequest]:
    """The counts that sub-questions need besides, under the conditions of the whole question."""
    known = list(views)
    filters = known[0].filters if known else ()
    for question in questions:
        if not question.is_open:
            further = [view.model_copy(update={"filters": filters}) for view in views_of(question, dataset)[:1]]
            known += [view for view in further if not any(_holds(each, view) for each in known)]
    return _each_once(known)[:MOST_VIEWS]


def _holds(view: DataRequest, other: DataRequest) -> bool:
    """Whether a count tells all that another one would."""
    same = (view.filters, view.group_by, view.date_histogram) == (other.filters, other.group_by, other.date_histogram)
    return same and set(other.statistics) <= set(view.statistics)


def _each_once(views: Iterable[DataRequest]) -> list[DataRequest]:
    return list({key_of(view): view for view in reversed(list(views))}.values())[::-1]


def key_of(view: DataRequest) -> str:
    """What tells two counts apart: not how many groups are told."""
    plain = view.model_copy(update={"top_n": TOP_N, "samples_per_bucket": 0, "search_after": (), "page_size": 100})
    filters = sorted(plain.filters, key=lambda each: each.model_dump_json())
    return plain.model_copy(update={"filters": tuple(filters)}).model_dump_json()
