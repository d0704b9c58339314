"""What a question asks of a dataset, as sub-questions that name its fields, before the dataset is opened."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fathom.asks import PlanResearch
from fathom.data.fields import DataField, DatasetDescription, FieldMapping, FieldType
from fathom.data.naming import conditions
from fathom.data.requests import DataRequest, Filter
from fathom.data.sources import VALUE_OF
from fathom.evidence import Query, SourceDescription
from fathom.plan import MasterPlan, Subtask
from fathom.reasoners.extractive import english_forms
from fathom.reasoners.extractive.data.question import DataQuestion, read_data_question
from fathom.reasoners.extractive.data.views import OVERVIEWS
from fathom.reasoners.extractive.data.words import DATE_WORDS, DATE_WORDS_JA, meanings_of, words_of_name
from fathom.reasoners.extractive.parts import heading_of
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


@dataclass(frozen=True)
class _Said:
    """Sub-questions in a language. `{where}` says which records, `{by}`, `{other}`, `{date}`, `{sum}` are fields."""

    where: str
    how: str
    most: str
    cross: str
    sides: str
    course: str
    course_by: str
    sums: str
    sums_by: str
    texts: str
    count: str
    joins: str


_ENGLISH = _Said(
    where=" with {conditions}",
    how="How are the records{where} distributed over {by}?",
    most="Which {by} has the most records{where}?",
    cross="How does the distribution over {by} differ by {other} among the records{where}?",
    sides="How do {values} compare in the number of records by {by}?",
    course="How does the number of records{where} develop over {date}?",
    course_by="How does the distribution over {by} change over {date}?",
    sums="What are the mean and the sum of {sum} of the records{where}?",
    sums_by="Which {by} has the highest mean of {sum} among the records{where}?",
    texts="What do the texts of the records{where} say about {words}?",
    count="How many records{where} are there?",
    joins=" and ",
)
_JAPANESE = _Said(
    where="（{conditions}）",
    how="記録{where}は{by}別にどのように分布していますか",
    most="記録{where}が最も多い{by}はどれですか",
    cross="{by}別の分布は{other}ごとにどう違いますか{where}",
    sides="{values}の件数は{by}別に比べるとどう違いますか",
    course="記録{where}の件数は{date}でみるとどう推移していますか",
    course_by="{by}別の件数は{date}でみるとどう推移していますか{where}",
    sums="記録{where}の{sum}の平均と合計はいくらですか",
    sums_by="{sum}の平均が最も高い{by}はどれですか{where}",
    texts="記録{where}の文章は{words}について何を述べていますか",
    count="記録{where}は何件ありますか",
    joins="と",
)


def sub_questions(question: DataQuestion, dataset: DatasetDescription, *, language: str, most: int) -> list[str]:
    """Three to `most` questions that name the fields: what was asked first, then what rounds it off."""
    found = dict.fromkeys(_asked(question, language))
    for further in _rounding(question, dataset, language):
        if len(found) >= FEWEST:
            break
        found.setdefault(further)
    return list(found)[:most]


def _asked(question: DataQuestion, language: str) -> Iterator[str]:
    """What the question itself asks."""
    says, where = _saying(question, language)
    groups = question.group_by
    date = question.histogram.field if question.histogram else ""
    values = _compared(question)
    for name in question.statistics:
        yield says.sums.format(where=where, sum=name)
        if groups:
            yield says.sums_by.format(where=where, sum=name, by=groups[0])
    if values and len(groups) > 1:
        other = next(name for name in groups if name != question.compared)
        yield says.sides.format(values=says.joins.join(values), by=other)
    for by in groups:
        yield says.how.format(where=where, by=by)
    if groups:
        yield says.most.format(where=where, by=groups[0])
    if len(groups) > 1 and not values:
        yield says.cross.format(where=where, by=groups[0], other=groups[1])
    if date:
        yield says.course.format(where=where, date=date)
        if groups:
            yield says.course_by.format(where=where, by=groups[0], date=date)
    if question.needs_texts and question.words:
        yield says.texts.format(where=where, words=question.words)


def _rounding(question: DataQuestion, dataset: DatasetDescription, language: str) -> Iterator[str]:
    """What a reader would ask next: how the records develop, how they are spread over what was not named."""
    says, where = _saying(question, language)
    fixed = {each.field for each in question.filters if each.op == "eq"}
    free = [name for name in dataset.mapping.category if name not in fixed and name not in question.group_by]
    if question.is_open:
        for by in free[:OVERVIEWS]:
            yield says.how.format(where=where, by=by)
        yield from (says.most.format(where=where, by=by) for by in free[:1])
    if dataset.mapping.date:
        yield says.course.format(where=where, date=dataset.mapping.date)
    for by in free:
        yield says.how.format(where=where, by=by)
    yield says.count.format(where=where)


def _saying(question: DataQuestion, language: str) -> tuple[_Said, str]:
    """The sentences of a language, and which records are meant."""
    says = _JAPANESE if language == "ja" else _ENGLISH
    said = conditions(DataRequest(filters=question.filters), language)
    return says, says.where.format(conditions=said) if said else ""


def _compared(question: DataQuestion) -> list[str]:
    """The values that are set against each other."""
    sides: Sequence[Filter] = [each for each in question.filters if each.field == question.compared and each.op == "in"]
    return [str(value) for each in sides if isinstance(each.value, tuple) for value in each.value]


# ── As a plan ──────────────────────────────────────────────────────────────────────────────────────────────────────


def plan_data(ask: PlanResearch) -> MasterPlan:
    """One subtask, which the loop over the dataset answers turn by turn; taken apart only in hierarchical mode.

    A simple question stays one there, too.
    """
    datasets = [described(source) for source in ask.sources]
    questions = [read_data_question(ask.query, dataset) for dataset in datasets]
    at = max(range(len(datasets)), key=lambda each: _fit(questions[each]))
    question, dataset = questions[at], datasets[at]
    if ask.mode == "hierarchical" and question.sides > 1 and ask.max_questions > 1:
        asked = sub_questions(question, dataset, language=ask.language, most=ask.max_questions)
        return _plan(ask, asked, reason="it has several sides")
    several = _clauses(ask, dataset)
    if several and ask.mode != "simple":
        return _plan(ask, several, reason=f"asks {len(several)} things")
    whole = read_question(ask.query, language=ask.language)
    text = whole.text or ask.query
    subtask = Subtask(
        subtask_id="task_1",
        description=text,
        focus_area=heading_of(whole.clauses[0]) if len(whole.clauses) == 1 else _heading(text),
        estimated_importance=1.0,
        queries=(Query(text=text, context=text),),
    )
    return MasterPlan(
        is_complex=False,
        complexity_reasoning="a dataset answers it turn by turn",
        subtasks=(subtask,),
        overall_strategy=subtask.focus_area,
    )


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


def _plan(ask: PlanResearch, asked: Sequence[str], *, reason: str) -> MasterPlan:
    return MasterPlan(
        is_complex=True,
        complexity_reasoning=reason,
        execution_mode="hierarchical",
        strategy="aspect",
        subtasks=tuple(
            Subtask(
                subtask_id=f"task_{number}",
                description=text,
                focus_area=_heading(text),
                priority=number,
                estimated_importance=1.0 if number == 1 else 0.8,
                queries=(Query(text=text, context=ask.query),),
            )
            for number, text in enumerate(asked, start=1)
        ),
        overall_strategy="by what the fields of the data tell",
    )


def _heading(text: str) -> str:
    """A question as the heading of what is told of it."""
    short = text.rstrip("。.?？ ")
    return short[:1].upper() + short[1:] if short else text
