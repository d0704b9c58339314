"""Where the words of a question are looked for that no field and no value accounts for: in the texts of the records."""

from __future__ import annotations

from dataclasses import replace

from fathom.data.fields import DatasetDescription
from fathom.data.requests import Filter
from fathom.reasoners.extractive.data.asked import CALLED
from fathom.reasoners.extractive.data.question import DataQuestion
from fathom.reasoners.extractive.data.unaccounted import Unknown
from fathom.text.analysis import query_terms


def looked_up(question: DataQuestion, dataset: DatasetDescription) -> DataQuestion:
    """The question under the condition that a text of the record holds what was not understood of it.

    So what the data do not know counts no record, and never all of them. Of what texts are asked about in the asker's
    own words, names must stand there, and the rarest of the words that do; the others weigh when the texts are read.
    """
    field = text_field(question, dataset)
    if not question.unknown or not field:
        return question
    wanted = question.unknown
    if _asks_texts(question) and len(wanted) > 1:
        held = sorted((each for each in wanted if _held(each, dataset)), key=lambda each: _held(each, dataset))
        wanted = tuple(dict.fromkeys((*(each for each in wanted if each.is_name), *(held or wanted)[:1])))
    conditions = (Filter(field=field, op="contains", value=each.text) for each in wanted)
    return replace(question, filters=(*question.filters, *conditions))


def text_field(question: DataQuestion, dataset: DatasetDescription) -> str:
    """The field whose texts say most; without texts that of whose values one holds the words, or else the title."""
    mapping = dataset.mapping
    prose = [field.name for field in dataset.fields if field.type == "text"]
    named = [field.name for field in dataset.fields if field.type == "category"]
    words = [each.text.casefold() for each in question.unknown]
    held = [
        field.name
        for field in dataset.fields
        if any(word in value.casefold() for word in words for value in field.values)
    ]
    title = [mapping.title or ""]
    places = (
        *(title if CALLED.search(question.text) else []),
        *mapping.text,
        *prose,
        *held,
        *title,
        *mapping.category,
        *named,
    )
    return next((name for name in places if name and dataset.field(name) is not None), "")


def _asks_texts(question: DataQuestion) -> bool:
    return question.why or (question.explains and question.is_open and not question.counts and not question.lists)


def _held(unknown: Unknown, dataset: DatasetDescription) -> int:
    """In how many values and texts its rarest term stands; 0 when any of them stands in none."""
    return min((dataset.terms.get(term, 0) for term in query_terms(unknown.text)), default=0)
