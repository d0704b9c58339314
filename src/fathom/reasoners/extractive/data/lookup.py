"""Where the words of a question are looked for that no field and no value accounts for: in the texts of the records."""

from __future__ import annotations

from dataclasses import replace

from fathom.data.fields import DatasetDescription
from fathom.data.naming import quoted
from fathom.data.requests import Filter
from fathom.reasoners.extractive.data.question import DataQuestion, text_field
from fathom.reasoners.extractive.data.unaccounted import Unknown
from fathom.text.analysis import query_terms
from fathom.text.phrases import phrases


def looked_up(question: DataQuestion, dataset: DatasetDescription) -> DataQuestion:
    """The question under the condition that a text of the record holds the names that were not understood of it.

    So a place that the data do not know counts no record, and never all of them. Where texts are asked for, the rarest
    of the other words that stand there must, too; the others weigh when the texts are read. Any other word is no
    condition on any record: it is left out, and said to be.
    """
    field = text_field([each.text for each in question.unknown], dataset)
    if not question.unknown or not field:
        return replace(question, left_out=tuple(each.text for each in question.unknown))
    names = [each for each in question.unknown if each.is_name]
    others = [each for each in question.unknown if not each.is_name]
    held = sorted((each for each in others if _held(each, dataset)), key=lambda each: _held(each, dataset))
    if not question.touches:
        kept, read = others, others  # it is asked only when all of its words are held
    elif _asks_texts(question):
        kept, read = held[:1], held
    else:
        kept, read = [], []
    wanted = tuple(each for each in question.unknown if each in names + kept)
    conditions = (Filter(field=field, op="contains", value=each.text) for each in wanted)
    return replace(
        question,
        filters=tuple(dict.fromkeys((*question.filters, *conditions))),
        unknown=wanted,
        left_out=tuple(each.text for each in others if each not in read),
    )


def caveats_of(question: DataQuestion, language: str) -> tuple[str, ...]:
    """What is to be said of how a question was understood."""
    words = phrases(language)
    if question.no_day:
        return (words.data_no_day.format(day=question.no_day),)
    if not question.left_out or not question.touches:
        return ()
    named = words.comma.join(quoted(each, language) for each in question.left_out)
    return (words.data_left_out["one" if len(question.left_out) == 1 else "many"].format(words=named),)


def _asks_texts(question: DataQuestion) -> bool:
    """Whether texts are asked for: why, what is said, or the records themselves."""
    return (
        question.why
        or (question.lists and not question.extreme)
        or (question.explains and question.is_open and not question.counts)
    )


def _held(unknown: Unknown, dataset: DatasetDescription) -> int:
    """In how many values and texts its rarest term stands; 0 when any of them stands in none."""
    return min((dataset.terms.get(term, 0) for term in query_terms(unknown.text)), default=0)
