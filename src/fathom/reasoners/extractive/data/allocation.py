"""Whether a dataset is asked in a round of a subtask, and whether documents and the web are asked beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fathom.asks import AllocateQueries
from fathom.evidence import Query, SourceDescription
from fathom.reasoners.extractive.data.asking import described
from fathom.reasoners.extractive.data.naming import namings, speaks_of_records, values_in
from fathom.reasoners.extractive.data.question import read_data_question
from fathom.text.reach import asks_for_others

SURE = 0.7
"""How surely a field must be named for the dataset to be asked."""
HELD = 0.8
"""Share of the question's terms that fields, values and texts hold, from which the dataset knows what is meant."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked beside each other, and why."""

    datasets: tuple[str, ...]
    """Names of the datasets that are asked."""
    others: bool
    """Whether documents and the web are asked, too."""
    reason: str
    """In sentences, without the last full stop."""


def ask_data(ask: AllocateQueries, queries: Sequence[Query], *, held: float | None, least: float) -> Asked:
    """Which datasets are asked, and whether the other sources are: `held` is how much the documents hold of it, if any.

    A dataset is asked when its records, fields or values are named (see `_reason`), or it is all there is. The others
    are asked when no dataset is, when the documents hold something, or when others are asked about.
    """
    datasets = [source for source in ask.sources if source.kind == "dataset"]
    others = [source for source in ask.sources if source.kind != "dataset"]
    text = ". ".join(dict.fromkeys((ask.subtask.description, *(query.text for query in queries))))
    why = {source.name: _reason(source, text, alone=not others) for source in datasets}
    chosen = {name: reason for name, reason in why.items() if reason}
    reasons = [f"{name} is asked: {reason}" for name, reason in chosen.items()]
    beside = bool(others) and (not chosen or asks_for_others(text) or (held is not None and held >= least))
    if beside and chosen:
        reasons.append("the documents hold something of it, too" if held is not None else "others are asked about")
    elif others and chosen:
        reasons.append("the documents hold little of it" if held is not None else "the data answer it")
    return Asked(datasets=tuple(chosen), others=beside, reason="; ".join(reasons))


def _reason(source: SourceDescription, text: str, *, alone: bool) -> str:
    """Why a dataset is asked; empty when it is not.

    Beside others it is asked for what it can count or list, and for what it holds all of: a value that is named beside
    words of which the data know nothing is what documents write about.
    """
    if alone:
        return "there is nothing but data"
    dataset = described(source)
    question = read_data_question(text, dataset)
    values = [naming.value for naming in values_in(text, dataset)]
    fields = [naming.field.name for naming in namings(text, dataset) if naming.sure >= SURE]
    spoken = bool(speaks_of_records(text, dataset).search(text))
    if not (values or fields or spoken):
        return ""
    asks = question.statistics or question.histogram or question.counts or question.lists
    if not (asks or spoken) and question.unknown and source.cover < HELD:
        return ""
    if values:
        return f"it holds {values[0]}"
    if fields:
        return f"it has the field {fields[0]}"
    return "the records are to be listed" if question.lists else "it holds such records"
