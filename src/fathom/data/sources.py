"""A dataset as a planner of the whole run sees it: a source among others."""

from __future__ import annotations

from fathom.data.fields import DatasetDescription
from fathom.evidence import SourceDescription
from fathom.text.analysis import query_terms

MOST_FIELDS = 40
"""Fields that are named; a planner of the run needs no more."""
VALUE_OF = " = "
"""Stands between a field and its value."""


def as_source(dataset: DatasetDescription, query: str) -> SourceDescription:
    """The dataset as a source: its fields stand for titles; `field = value` that the question names for headings.

    `cover` is the share of the question's terms that its fields and values hold.
    """
    wanted = query_terms(query)
    held = [term for term in wanted if dataset.terms.get(term)]
    return SourceDescription(
        name=dataset.name,
        kind="dataset",
        can=("count", "scan"),
        documents=dataset.total or 0,
        titles=tuple(field.name for field in dataset.fields)[:MOST_FIELDS],
        holds=tuple(field.type for field in dataset.fields)[:MOST_FIELDS],
        headings=tuple(
            dict.fromkeys(f"{field.name}{VALUE_OF}{value}" for field in dataset.fields for value in field.matches)
        )[:MOST_FIELDS],
        cover=round(len(held) / len(wanted), 4) if wanted else 0.0,
        revision=dataset.revision,
    )
