"""What a question asks of a dataset before it is opened: whether it is asked at all, and in which parts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple, get_args

from fathom.asks import AllocateQueries, PlanResearch
from fathom.data.fields import DataField, DatasetDescription, FieldMapping, FieldType
from fathom.data.naming import conditions
from fathom.data.requests import DataRequest, DateHistogram
from fathom.data.sources import VALUE_OF
from fathom.evidence import Query, SourceDescription
from fathom.languages.packs import pack
from fathom.reasoners.extractive.data.naming import namings, speaks_of_records, values_in
from fathom.reasoners.extractive.data.question import DataQuestion, read_data_question
from fathom.reasoners.extractive.data.views import free_fields, views_of
from fathom.text.reach import asks_for_others

FEWEST = 3
"""Sub-questions that a question is taken apart into, if it is."""
HELD = 0.8
"""Share of the question's terms that fields, values and texts hold, from which the dataset knows what is meant."""


def described(source: SourceDescription, *, mapping: FieldMapping | None = None) -> DatasetDescription:
    """What can be told of a dataset by how it shows itself among the sources."""
    values: dict[str, list[str]] = {}
    for heading in source.headings:
        name, _, value = heading.partition(VALUE_OF)
        values.setdefault(name, []).append(value)
    kinds = get_args(FieldType)
    fields = tuple(
        DataField(name=name, type=kind if kind in kinds else "other", matches=tuple(filter(None, values.get(name, ()))))
        for name, kind in zip_longest(source.titles, source.holds[: len(source.titles)])
        if name
    )
    named = {kind: tuple(each.name for each in fields if each.type == kind) for kind in kinds}
    date = next(iter(named["date"]), None)
    return DatasetDescription(
        name=source.name,
        address="",
        fields=fields,
        mapping=mapping or FieldMapping(date=date, category=named["category"], text=named["text"]),
        total=source.documents,
        revision=source.revision,
    )


def asked_of_data(ask: PlanResearch) -> tuple[list[str], str]:
    """The questions that a question on data is taken apart into, and why, when all of its sides are asked for; else
    none, as the loop over the dataset answers it turn by turn."""

    def known(each: tuple[DataQuestion, DatasetDescription]) -> int:
        return len((*each[0].filters, *each[0].group_by, *each[0].statistics)) + bool(each[0].histogram)

    datasets = (described(source) for source in ask.sources)
    question, dataset = max(((read_data_question(ask.query, each), each) for each in datasets), key=known)
    if ask.mode == "hierarchical" and question.sides > 1 and ask.max_questions > 1:
        return _sub_questions(question, dataset, language=ask.language, most=ask.max_questions), "it has several sides"
    return [], "a dataset answers it turn by turn"


def _sub_questions(question: DataQuestion, dataset: DatasetDescription, *, language: str, most: int) -> list[str]:
    """Three to `most` questions that name the fields: one for each count that answers, then what rounds it off."""
    says = pack(language).says("sides")

    def said(view: DataRequest, texts: str = "") -> str:
        told = conditions(DataRequest(filters=view.filters), language)
        over = view.date_histogram.field if view.date_histogram and not view.statistics else ""
        words = {"by": says["joins"].join(view.group_by), "over": over, "sums": says["joins"].join(view.statistics)}
        form = says["_".join(name for name, given in (words | {"texts": texts}).items() if given) or "all"]
        return str(form.format(where=says["where"].format(told=told) if told else "", texts=texts, **words))

    whole, date = DataRequest(filters=question.filters, page_size=1), dataset.mapping.date
    found = [said(view) for view in views_of(question, dataset)]
    found += [said(whole, question.words)] if question.needs_texts and question.words else []
    further = [said(whole.model_copy(update={"date_histogram": DateHistogram(field=date)}))] if date else []
    further += [said(whole.model_copy(update={"group_by": (name,)})) for name in free_fields(question, dataset)]
    beside = dict.fromkeys((*found, *further, said(whole)))
    return list(beside)[: min(most, max(FEWEST, len({*found})))]


class AskedDatasets(NamedTuple):
    """The datasets that are asked, whether documents and the web are, too, and why: without the last full stop."""

    datasets: tuple[str, ...]
    others: bool
    reason: str


def ask_data(ask: AllocateQueries, queries: Sequence[Query], *, held: float | None, least: float) -> AskedDatasets:
    """Which datasets are asked, and whether the other sources are: `held` is how much the documents hold of it, if any.

    A dataset is asked when its records, fields or values are named (see `_reason`), or it is all there is. The others
    are asked when no dataset is, when the documents hold something, or when others are asked about.
    """
    others = [source for source in ask.sources if source.kind != "dataset"]
    text = ". ".join(dict.fromkeys((ask.subtask.description, *(query.text for query in queries))))
    datasets = [source for source in ask.sources if source.kind == "dataset"]
    why = {source.name: _reason(source, text) if others else "there is nothing but data" for source in datasets}
    chosen = {name: reason for name, reason in why.items() if reason}
    reasons = [f"{name} is asked: {reason}" for name, reason in chosen.items()]
    beside = bool(others) and (not chosen or asks_for_others(text) or (held is not None and held >= least))
    if others and chosen:
        known = ("the documents hold little of it", "the documents hold something of it, too")
        reasons.append((known if held is not None else ("the data answer it", "others are asked about"))[beside])
    return AskedDatasets(datasets=tuple(chosen), others=beside, reason="; ".join(reasons))


def _reason(source: SourceDescription, text: str) -> str:
    """Why a dataset is asked beside others; empty when it is not.

    It is asked for what it can count or list, and for what it holds all of: a value that is named beside words of
    which the data know nothing is what documents write about.
    """
    dataset = described(source)
    question = read_data_question(text, dataset)
    values = [naming.value for naming in values_in(text, dataset)]
    fields = [naming.field.name for naming in namings(text, dataset) if naming.by_name]
    spoken = bool(speaks_of_records(text, dataset).search(text))
    asks = question.statistics or question.histogram or question.counts or question.lists or spoken
    if not (values or fields or spoken) or (not asks and question.unknown and source.cover < HELD):
        return ""
    if values or fields:
        return f"it holds {values[0]}" if values else f"it has the field {fields[0]}"
    return "the records are to be listed" if question.lists else "it holds such records"
