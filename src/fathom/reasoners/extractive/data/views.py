"""The counts that a question needs of a dataset, the most telling first."""

from __future__ import annotations

import math

from fathom.data.fields import ROW, DatasetDescription
from fathom.data.requests import PAGE_SIZE, TOP_N, DataRequest, DateHistogram, Filter
from fathom.data.wanted import top_of
from fathom.reasoners.extractive.data.constructions import said
from fathom.reasoners.extractive.data.days import interval_for, moment_of
from fathom.reasoners.extractive.data.question import MOST_RANKED, DataQuestion

MOST_SIDES = 3
"""Values that are each counted on their own when they are compared."""
OVERVIEWS = 2
"""Fields that an open question is counted by, besides time."""
MOST_TOGETHER = 2
"""Fields whose values make groups together."""
MOST_TOLD = 100
"""Groups that are told when all are asked for."""


def views_of(
    question: DataQuestion, dataset: DatasetDescription, *, place: tuple[Filter, ...] = ()
) -> list[DataRequest]:
    """The counts that answer it and no others: by field, side by side, over time, summed up, or only how many.

    Of a record by its place it is first asked which rows match, then, once its `place` is known, what is asked of it.

    A broad question that names nothing to count by gets an overview: by the categories of the mapping, then over time.
    """
    plain = DataRequest(filters=question.filters, page_size=1)
    asks = plain.model_copy(update={"date_histogram": question.histogram, "statistics": question.statistics})
    if question.placed:
        rows = [plain.model_copy(update={"statistics": (ROW,)})] if question.filters else []
        return [*rows, *([_by(plain.model_copy(update={"filters": place}), *question.group_by)] if place else [])]
    if sides := _sides(question):
        groups = [name for name in question.group_by if name != question.compared][:1]
        found = [_by(asks, question.compared)] if question.compared in question.group_by else []
        if groups or question.histogram or not found:
            found += [_by(asks.model_copy(update={"filters": side}), *groups) for side in sides]
    elif not question.is_open:
        found = [_by(asks, *question.group_by[:MOST_TOGETHER])]
        found += [_by(plain, name) for name in question.group_by[MOST_TOGETHER:]]
    elif question.counts or question.lists or question.is_particular:
        found = [asks]
    else:
        found = _overview(question, dataset, plain) or [asks]
    return [view.model_copy(update={"top_n": _top_n(question, dataset, view)}) for view in found]


def _by(view: DataRequest, *names: str) -> DataRequest:
    return view.model_copy(update={"group_by": names})


def _sides(question: DataQuestion) -> list[tuple[Filter, ...]]:
    """The conditions of each of the values that are set against each other, or of each of the periods."""
    for several in question.filters:
        known = several.op == "in" and several.field == question.compared
        if known and isinstance(several.value, tuple) and len(several.value) <= MOST_SIDES:
            rest = [each for each in question.filters if each != several]
            return [(Filter(field=several.field, value=value), *rest) for value in several.value]
    return []


def _overview(question: DataQuestion, dataset: DatasetDescription, plain: DataRequest) -> list[DataRequest]:
    """Counts by the categories that the filters leave open, and over time.

    Where values are named, one category tells what they are about; without any, it takes two to know the data.
    """
    found = [_by(plain, name) for name in free_fields(question, dataset)[: 1 if question.filters else OVERVIEWS]]
    if (moment := moment_of(dataset)) and moment.type == "date":
        steps = DateHistogram(field=moment.name, interval=interval_for(moment, question.filters))
        found.append(plain.model_copy(update={"date_histogram": steps}))
    return found


def free_fields(question: DataQuestion, dataset: DatasetDescription) -> list[str]:
    """The categories that the filters leave open, the most telling first."""
    fixed = {each.field for each in question.filters if each.op == "eq"} | {question.compared}
    named = [field.name for field in dataset.fields if field.type in ("category", "boolean")]
    return [name for name in dict.fromkeys((*dataset.mapping.category, *named)) if name not in fixed]


def _top_n(question: DataQuestion, dataset: DatasetDescription, view: DataRequest) -> int:
    """All groups, as far as a reader can look at them; where they are ranked by a number, as many as a tool returns.

    The largest groups are not those with the largest numbers: of these it takes all to know which comes first.
    """
    counts = [field.distinct for name in view.group_by if (field := dataset.field(name)) and field.distinct]
    several = max(math.prod(counts), TOP_N)
    if view.group_by and view.statistics:
        return min(several, MOST_RANKED) if len(counts) == len(view.group_by) else MOST_RANKED
    if len(view.group_by) == 1 and (top := top_of(question.text)):
        return top
    every = view.group_by[1:] or question.counts or said("all", question.text)
    return min(several, MOST_TOLD) if view.group_by and every else TOP_N


def key_of(view: DataRequest) -> str:
    """What tells two counts apart: not how many groups are told."""
    filters = tuple(sorted(view.filters, key=lambda each: each.model_dump_json()))
    plain = {"top_n": TOP_N, "samples_per_bucket": 0, "search_after": (), "page_size": PAGE_SIZE, "filters": filters}
    return view.model_copy(update=plain).model_dump_json()
