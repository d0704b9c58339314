"""What a question asks of a dataset, as sub-questions that name its fields, before the dataset is opened."""

from __future__ import annotations

import re

from fathom.asks import PlanResearch
from fathom.data.fields import DataField, DatasetDescription, FieldMapping, FieldType
from fathom.data.naming import conditions
from fathom.data.requests import DataRequest, DateHistogram
from fathom.data.sources import VALUE_OF
from fathom.evidence import SourceDescription
from fathom.reasoners.extractive import english_forms
from fathom.reasoners.extractive.data.question import DataQuestion, read_data_question
from fathom.reasoners.extractive.data.views import free_fields, how_many, views_of
from fathom.reasoners.extractive.data.words import DATE_WORDS, DATE_WORDS_JA, meanings_of, words_of_name
from fathom.reasoners.extractive.question import read_question
from fathom.text.analysis import stem
from fathom.text.characters import count_cjk

FEWEST = 3
"""Sub-questions that a question is taken apart into, if it is."""
_NUMBERS = frozenset(
    "attendance price cost amount sales budget profit quantity rating population duration weight height distance "
    "temperature salary capacity age".split()
)
"""Meanings of fields that hold numbers."""
_NUMBER_WORDS = frozenset(stem(word) for word in "count total score number amount sum quantity size km eur usd".split())
_PROSE = frozenset(
    stem(word) for word in "title name text description body summary abstract content note comment headline".split()
)
_PROSE_JA = ("タイトル", "題名", "名称", "説明", "概要", "本文", "内容", "備考", "コメント", "要約")


def described(source: SourceDescription, *, mapping: FieldMapping | None = None) -> DatasetDescription:
    """What can be told of a dataset by how it shows itself among the sources: its fields, their kind by their names."""
    values: dict[str, list[str]] = {}
    for heading in source.headings:
        name, between, value = heading.partition(VALUE_OF)
        if between and value:
            values.setdefault(name, []).append(value)
    fields = tuple(
        DataField(name=name, type=_type_of(name, name in values), matches=tuple(values.get(name, ())))
        for name in source.titles
        if name
    )
    moment = next((field.name for field in fields if field.type == "date"), None)
    guessed = FieldMapping(
        date=moment,
        category=tuple(field.name for field in fields if field.type == "category"),
        text=tuple(field.name for field in fields if field.type == "text"),
    )
    return DatasetDescription(
        name=source.name,
        address="",
        fields=fields,
        mapping=mapping or guessed,
        total=source.documents,
        revision=source.revision,
    )


def _type_of(name: str, has_values: bool) -> FieldType:
    """What a field probably holds, by its name."""
    words = words_of_name(name)
    if has_values:
        return "category"
    if not words or words[-1] in ("id", "uuid", "key") or name.upper() == "ID":
        return "id"
    if words[-1] in ("url", "link", "uri", "href"):
        return "url"
    if words[-1] in {stem(word) for word in DATE_WORDS} or name.endswith(DATE_WORDS_JA):
        return "date"
    if words[0] in ("is", "has"):
        return "boolean"
    if words[-1] in _PROSE or name.endswith(_PROSE_JA):
        return "text"
    if meanings_of(name) & _NUMBERS or words[-1] in _NUMBER_WORDS or re.search(r"(?:数|額|率|点)$", name):
        return "number"
    return "category"


# ── Sub-questions ──────────────────────────────────────────────────────────────────────────────────────────────────


_ENGLISH = {
    "where": " with {conditions}",
    "": "How many records{where} are there?",
    "by": "How are the records{where} distributed over {by}?",
    "over": "How does the number of records{where} develop over {over}?",
    "by over": "How does the distribution of the records{where} over {by} change over {over}?",
    "sums": "What are the mean and the sum of {sums} of the records{where}?",
    "by sums": "Which {by} has the highest mean of {sums} among the records{where}?",
    "texts": "What do the texts of the records{where} say about {words}?",
    "joins": " and ",
}
_JAPANESE = {
    "where": "（{conditions}）",
    "": "記録{where}は何件ありますか",
    "by": "記録{where}は{by}別にどのように分布していますか",
    "over": "記録{where}の件数は{over}でみるとどう推移していますか",
    "by over": "{by}別の件数は{over}でみるとどう推移していますか{where}",
    "sums": "記録{where}の{sums}の平均と合計はいくらですか",
    "by sums": "{sums}の平均が最も高い{by}はどれですか{where}",
    "texts": "記録{where}の文章は{words}について何を述べていますか",
    "joins": "と",
}
"""Sub-questions by what is counted: `{where}` says which records, `{by}`, `{over}`, `{sums}` are fields."""


def sub_questions(question: DataQuestion, dataset: DatasetDescription, *, language: str, most: int) -> list[str]:
    """Three to `most` questions that name the fields: one for each count that answers, then what rounds it off."""
    says = _JAPANESE if language == "ja" else _ENGLISH

    def said(form: str, view: DataRequest, **words: str) -> str:
        told = conditions(DataRequest(filters=view.filters), language)
        return says[form].format(where=says["where"].format(conditions=told) if told else "", **words)

    def counted(view: DataRequest) -> str:
        words = {"by": says["joins"].join(view.group_by), "sums": says["joins"].join(view.statistics)}
        words["over"] = view.date_histogram.field if view.date_histogram and not words["sums"] else ""
        return said(" ".join(name for name in ("by", "over", "sums") if words[name]), view, **words)

    found = dict.fromkeys(map(counted, views_of(question, dataset)))
    whole = how_many(question.filters)
    if question.needs_texts and question.words:
        found.setdefault(said("texts", whole, words=question.words))
    rounding = [whole.model_copy(update={"group_by": (name,)}) for name in free_fields(question, dataset)]
    if dataset.mapping.date:
        steps = DateHistogram(field=dataset.mapping.date)
        rounding.insert(0, whole.model_copy(update={"date_histogram": steps}))
    for further in map(counted, [*rounding, whole]):
        if len(found) < FEWEST:
            found.setdefault(further)
    return list(found)[:most]


# ── As a plan ──────────────────────────────────────────────────────────────────────────────────────────────────────


def asked_of_data(ask: PlanResearch) -> tuple[list[str], str]:
    """The questions that a question on data is taken apart into, and why: it asks several things, or all of its sides
    are asked for; else none, as the loop over the dataset answers it turn by turn."""
    datasets = [described(source) for source in ask.sources]
    questions = [read_data_question(ask.query, dataset) for dataset in datasets]
    at = max(range(len(datasets)), key=lambda each: _fit(questions[each]))
    question, dataset = questions[at], datasets[at]
    if ask.mode == "hierarchical" and question.sides > 1 and ask.max_questions > 1:
        asked = sub_questions(question, dataset, language=ask.language, most=ask.max_questions)
        return asked, "it has several sides"
    several = _clauses(ask, dataset) if ask.mode != "simple" else []
    return several, f"asks {len(several)} things" if several else "a dataset answers it turn by turn"


def _clauses(ask: PlanResearch, dataset: DatasetDescription) -> list[str]:
    """What is asked one beside the other, when each says itself what is to be counted; else nothing.

    The conditions of one are none of the other: `which country has most, and what is the mean in Japan`.
    """
    clauses = read_question(ask.query, language=ask.language).clauses
    if not 2 <= len(clauses) <= ask.max_questions or any(clause.refers for clause in clauses):
        return []
    if any(read_data_question(clause.text, dataset).is_open for clause in clauses):
        return []
    said = [f"{clause.topic} {clause.text}".strip() for clause in clauses]
    return [text if count_cjk(text) else english_forms.sentence(text) for text in said]


def _fit(question: DataQuestion) -> int:
    """How much of a question a dataset knows."""
    return len(question.filters) + len(question.group_by) + len(question.statistics) + bool(question.histogram)
