"""Whether a dataset is asked in a round of a subtask, and whether documents and the web are asked beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fathom.asks import AllocateQueries
from fathom.data.sources import VALUE_OF
from fathom.evidence import Query, SourceDescription
from fathom.reasoners.extractive.data import asked
from fathom.reasoners.extractive.data.asking import described
from fathom.reasoners.extractive.data.naming import namings
from fathom.text.reach import asks_for_others

SURE = 0.7
"""How surely a field must be named for the dataset to be asked."""


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

    A dataset is asked when its fields or values are named, or something is to be counted or listed, or it is all there
    is. The others are asked when no dataset is, when the documents hold something, or when others are asked about.
    """
    datasets = [source for source in ask.sources if source.kind == "dataset"]
    others = [source for source in ask.sources if source.kind != "dataset"]
    text = " ".join((ask.subtask.description, *(query.text for query in queries)))
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
    """Why a dataset is asked; empty when it is not."""
    if alone:
        return "there is nothing but data"
    folded = text.casefold()
    values = [heading.partition(VALUE_OF)[2] for heading in source.headings]
    if named := next((value for value in values if value and value.casefold() in folded), ""):
        return f"it holds {named}"
    fields = [naming.field.name for naming in namings(text, described(source)) if naming.sure >= SURE]
    if fields:
        return f"it has the field {fields[0]}"
    if asked.COUNT.search(text) or asked.SHARE.search(text) or asked.STATISTIC.search(text):
        return "something is to be counted"
    return "the records are to be listed" if asked.LIST.search(text) else ""
