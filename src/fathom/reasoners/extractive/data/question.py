"""A question read against a dataset: what it filters by, what it counts by, and what it needs the records for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fathom.data.fields import DataField, DatasetDescription
from fathom.data.naming import quoted
from fathom.data.requests import DateHistogram, Filter
from fathom.data.wanted import Wanted, wanted_of
from fathom.reasoners.extractive.data import asked, when
from fathom.reasoners.extractive.data.conditions import amounts_in, flags_in, mentions_in
from fathom.reasoners.extractive.data.days import Days, no_such_day
from fathom.reasoners.extractive.data.leftover import Unknown, beyond, subjects, unaccounted
from fathom.reasoners.extractive.data.naming import (
    Naming,
    Place,
    namings,
    overlaps,
    speaks_of_records,
    values_in,
)
from fathom.reasoners.extractive.question import READ
from fathom.text.analysis import query_terms, stem
from fathom.text.phrases import phrases

MOST_GROUPS = 3
"""Fields that records are grouped by, one after the other."""
FEW = 60
"""Different values up to which records are grouped by a field of numbers or of texts."""
OF_COUNTED = 3
"""Words that may be left of a question that counts records under conditions; they are said to be left out."""
MOST_RANKED = 1_000
"""Groups that are compared by a number."""
UNIQUE = 0.95
"""Different values of a field that names records, as a share of the records."""


@dataclass(frozen=True, kw_only=True)
class DataQuestion:
    """What a question asks of a dataset."""

    text: str
    """The question, white space collapsed, of normal width."""
    filters: tuple[Filter, ...] = ()
    """What all records must fulfil."""
    compared: str = ""
    """The field whose values are set against each other, or the field of time of years or months that stand apart."""
    group_by: tuple[str, ...] = ()
    """Fields to group by, the first one first."""
    histogram: DateHistogram | None = None
    """Counts over time, when they are asked for."""
    statistics: tuple[str, ...] = ()
    """Fields of numbers to sum up."""
    extreme: Literal["", "max", "min"] = ""
    """`max` or `min` when it asks for the record that has the most or the least of the field that is summed up."""
    mentions: tuple[str, ...] = ()
    """Words that the text of a record must hold."""
    counts: bool = False
    """Whether it asks how many there are."""
    lists: bool = False
    """Whether it asks for the records themselves, all of them."""
    explains: bool = False
    """Whether it asks for more than counts, such as how something is."""
    told: bool = False
    """Whether it asks for what only texts tell, such as reasons."""
    names_one: bool = False
    """Whether it names a single record."""
    unknown: tuple[Unknown, ...] = ()
    """What it names besides, of which it must be said whether the data hold it."""
    beyond: tuple[str, ...] = ()
    """Words that ask for what no count tells, and fields that are named and play no part."""
    left_out: tuple[str, ...] = ()
    """What of it was not understood and is no condition."""
    no_day: str = ""
    """The day that it names and that does not exist; empty when there is none."""
    touches: bool = True
    """Whether it speaks of the data at all: of the records, a field, a value, or of nothing else."""

    @property
    def words(self) -> str:
        """What is left of it besides what is counted: what a search is asked, and what texts are read for."""
        return " ".join(dict.fromkeys((*self.mentions, *(each.text for each in self.unknown))))

    @property
    def needs_texts(self) -> bool:
        """Whether counts alone leave it open."""
        return self.promises_scan or self.told or bool(self.explains and self.is_particular and self.is_open)

    @property
    def is_particular(self) -> bool:
        """Whether it asks for something that only single records tell."""
        return bool(self.mentions or self.unknown or self.told or self.names_one)

    @property
    def promises_scan(self) -> bool:
        """Whether only the end of a scan answers it: it wants every record, or how many texts mention something."""
        return (self.lists and not self.extreme) or bool(self.mentions and self.counts)

    @property
    def is_sure(self) -> bool:
        """Whether counts answer it: little is left of it beside what tells which records are meant.

        What is left where records are counted mostly says what they do (`participated`); of a field it may be anything.
        """
        if self.beyond or (self.names_one and self.counts and self.is_open) or (not self.touches and self.unknown[1:]):
            return False
        if self.counts and self.is_open:
            return len(self.left_out) <= (OF_COUNTED if self.filters else 1)
        return len(self.left_out) <= bool(self.filters or (self.statistics and self.group_by))

    @property
    def is_open(self) -> bool:
        """Whether it names nothing to count by."""
        return not (self.group_by or self.histogram or self.statistics)

    @property
    def sides(self) -> int:
        """How many things it asks: from two on it is worth to be taken apart."""
        if self.is_open and not (self.counts or self.lists or self.mentions):
            return 2
        parts = len(self.group_by) + len(self.statistics) + bool(self.histogram)
        return parts + bool(self.filters) + bool(self.compared) + self.explains


@dataclass(frozen=True, kw_only=True)
class _Words:
    """The words of a question, each taken once by what it surely is."""

    days: Days
    values: list[Naming]
    flags: list[Filter]
    amounts: list[Filter]
    mentions: tuple[tuple[str, ...], ...]
    named: list[Naming]
    """Fields that are named for themselves, and not as a part of a condition."""
    taken: list[Place]
    """Where all but these fields stand."""
    introduced: list[Place]
    """Where a word such as `after` or `except` stands, with what it leads to."""


def read_data_question(query: str, dataset: DatasetDescription, *, today: str = "") -> DataQuestion:
    """What `query` asks of `dataset`; never an error, whatever the two say. `today` is an ISO 8601 date.

    Each word is taken once, by what it surely is: a day, a value, a field, an amount, a text to look for. What asks
    is then read from what stands around them, and what nobody took is unknown.
    """
    text = " ".join(unicodedata.normalize("NFKC", query).split())[:READ]
    records, moment, wanted = speaks_of_records(text, dataset), when.moment_of(dataset), wanted_of(text)
    said = _taken(text, dataset, moment, records, today=today)
    places = [*said.taken, *(each.place for each in said.named)]
    counts = bool(asked.COUNT.search(text))
    told = not counts and bool(asked.TOLD.search(text))
    over_time = when.histogram_of(text, said.named, said.days, moment)

    set_apart = _set_apart(text, said.values)
    of_values, compared = _of_values([each for each in said.values if each.field.name != set_apart])
    mentioned = tuple(word for words in said.mentions for word in words)
    field = text_field(mentioned, dataset)
    searched = (Filter(field=field, op="contains", value=each if each[1:] else each[0]) for each in said.mentions)
    filters = [
        *of_values,
        *said.flags,
        *when.filters_of(said.days, moment),
        *said.amounts,
        *(searched if field else ()),
    ]
    single = {each.field for each in of_values if each.op == "eq"}
    names_one = any(is_unique(dataset.field(name), dataset) for name in single)

    groups = [set_apart, *_grouped(text, said.named, wanted, looked_up=bool(single)), compared]
    groups = [name for name in dict.fromkeys(groups) if name and name not in single][:MOST_GROUPS]
    statistics = _summed(said, wanted, told=told, counts=counts, groups=groups)
    ranks = wanted.extreme or wanted.statistics in (("max",), ("min",))
    items: set[str] = set()
    if not statistics and (counts or ranks):  # to count what each record has of its own is to count the records
        items = {
            each.field.name for each in said.named if asked.of_most(text, each.place) and each.field.type == "text"
        }
        if counts or groups[1:] or items:
            items |= {each.field.name for each in said.named if is_unique(each.field, dataset)}
        groups = [name for name in groups if name not in items]
    called = subjects(text, taken=said.taken)
    extreme: Literal["", "max", "min"] = ""
    if (records.search(text) or asked.WHO.search(text) or called) and not (groups or counts):  # which of the records
        title = dataset.field(dataset.mapping.title or "")
        if len(statistics) == 1 and ranks:
            extreme = "min" if wanted.least else "max"
        one_by_one = extreme or (filters and not (ranks or statistics or over_time or told or mentioned))
        if one_by_one and title and title.distinct and title.distinct <= MOST_RANKED:
            groups, extreme = [title.name] if title.name not in single else [], ""

    ids = {field.name for field in dataset.fields if field.type == "id"}
    used = {*groups, *items, *statistics, *(each.field for each in filters), over_time.field if over_time else ""}
    if not statistics:  # what is summed up or ranked must be numbers; of a single record it is what stands there
        summed = asked.SUMMED.search(text) and not counts and not names_one
        used -= {*(groups if summed else groups[1:] if ranks or wanted.least else [])} - {compared}
    unused = [text[slice(*each.place)] for each in said.named if each.field.name not in used | ids]
    unused = [word for word in unused if not (counts and stem(word.lower()) in called)]
    if ranks and not (groups or statistics or counts or over_time):  # of what it asks who has the most of is not known
        unused += [match[0] for match in asked.END.finditer(text)]
    no_day = no_such_day(text)
    unknown = unaccounted(text, taken=places, records=records, fields=[each.place for each in said.named])
    touches = bool(records.search(text) or said.named or said.values or said.flags or said.amounts or not unknown)
    explains, counted = bool(asked.EXPLAIN.search(text)), bool(groups or statistics)
    lists = _lists(text, records, wanted, names_fields=counted or bool(over_time))
    return DataQuestion(
        text=text,
        filters=tuple(dict.fromkeys(filters)),
        compared=compared or (moment.name if moment and over_time is None and when.apart(said.days, moment) else ""),
        group_by=tuple(groups),
        histogram=over_time,
        statistics=statistics,
        extreme=extreme,
        mentions=mentioned,
        counts=counts,
        lists=lists or bool(extreme) or (names_one and not (counted or explains)),
        explains=explains,
        told=told,
        names_one=names_one,
        unknown=tuple(each for each in unknown if not touches or stem(each.text.lower()) not in called),
        beyond=(*beyond(text, taken=[*places, *said.introduced]), *unused),
        no_day=no_day,
        touches=touches and not no_day,
    )


def _taken(
    text: str, dataset: DatasetDescription, moment: DataField | None, records: re.Pattern[str], *, today: str
) -> _Words:
    """What each word of `text` is."""
    days = when.days_of(text, moment, today=today)
    values = values_in(text, dataset, taken=days.places)
    taken: list[Place] = [*days.places, *(each.place for each in values)]
    named = namings(text, dataset, taken=taken)
    amounts, amount_places = amounts_in(text, dataset, named, records=records, taken=taken)
    flags, flag_places = flags_in(text, dataset, named)
    taken += [*amount_places, *flag_places]
    named = [each for each in named if not overlaps(each.place, taken)]
    mentions, mention_places = mentions_in(text, taken=[*taken, *(each.place for each in named)], records=records)
    return _Words(
        days=days,
        values=values,
        flags=flags,
        amounts=amounts,
        mentions=mentions,
        named=named,
        taken=[*taken, *mention_places],
        introduced=[
            *((start - len("between "), end) for start, end in days.places),
            *((each.place[0] - len("excluding any of "), each.place[1]) for each in values if each.unwanted),
        ],
    )


# ── Which records ──────────────────────────────────────────────────────────────────────────────────────────────────


def _of_values(values: Sequence[Naming]) -> tuple[list[Filter], str]:
    """A condition on each field whose values are named, and the field whose values stand side by side, if one does."""
    sides: dict[tuple[bool, str], dict[str, None]] = {}
    for naming in sorted(values, key=lambda each: each.unwanted):
        if naming.value not in sides.get((False, naming.field.name), ()):
            sides.setdefault((naming.unwanted, naming.field.name), {})[naming.value] = None
    found = []
    for (unwanted, name), several in sides.items():
        if len(several) == 1:
            found.append(Filter(field=name, op="ne" if unwanted else "eq", value=next(iter(several))))
        else:
            found.append(Filter(field=name, op="not_in" if unwanted else "in", value=tuple(several)))
    return found, next((each.field for each in found if each.op == "in"), "")


def _set_apart(text: str, values: Sequence[Naming]) -> str:
    """The field of which one value's share is asked: it is counted and not filtered by; empty when none is.

    `what share of events in India is about AI` asks for that of AI, `the share of AI in India` too.
    """
    match, wanted = asked.SHARE.search(text), [each for each in values if not each.unwanted]
    if not match or not wanted:
        return ""
    right_behind = [each for each in wanted if 0 <= each.place[0] - match.end() <= len(" of the ")]
    return (right_behind or wanted[-1:])[0].field.name


def is_unique(field: DataField | None, dataset: DatasetDescription) -> bool:
    """Whether each value of a field belongs to a single record."""
    counted = field is not None and field.distinct is not None and dataset.total is not None
    return field is not None and (
        field.name == dataset.mapping.id or bool(counted and (field.distinct or 0) >= UNIQUE * (dataset.total or 0))
    )


def text_field(words: Sequence[str], dataset: DatasetDescription) -> str:
    """The field whose texts say most; without texts that of whose values one holds the words, or else the title."""
    held = [
        field.name
        for field in dataset.fields
        if any(word.casefold() in value.casefold() for word in words for value in field.values)
    ]
    prose, named = ([field.name for field in dataset.fields if field.type == each] for each in ("text", "category"))
    mapping = dataset.mapping
    places = (*mapping.text, *prose, *held, mapping.title, *mapping.category, *named)
    return next((name for name in places if name and dataset.field(name)), "")


# ── What is counted ────────────────────────────────────────────────────────────────────────────────────────────────


def _grouped(text: str, named: Sequence[Naming], wanted: Wanted, *, looked_up: bool) -> list[str]:
    """The fields to group by in the order of the question: of an amount only one that it says to group by.

    Where a value tells which records are meant, any field may be asked of them.
    """

    def fits(each: Naming) -> bool:
        few = each.field.distinct is not None and each.field.distinct <= FEW
        if when.is_year(each.field):
            return asked.groups_by(text, each.place) or bool(asked.HOW_MANY.search(text[: each.place[0]]))
        if each.field.type == "number":
            return few and not wanted.groups and asked.groups_by(text, each.place)
        return each.field.type in ("category", "boolean", "other") or (each.field.type == "text" and (few or looked_up))

    return [each.field.name for each in named if fits(each)]


def _summed(said: _Words, wanted: Wanted, *, told: bool, counts: bool, groups: Sequence[str]) -> tuple[str, ...]:
    """The fields of numbers that are summed up. Whoever asks why people do something does not ask for the sum of it,
    nor does who asks how many have more of it than so much."""
    if told and {*wanted.statistics} <= {"sum"}:
        return ()
    not_summed = {*groups, *(each.field for each in said.amounts if counts)}
    numbers = (each.field for each in said.named if each.field.type == "number" and not when.is_year(each.field))
    return tuple(dict.fromkeys(field.name for field in numbers if field.name not in not_summed))


def _lists(text: str, records: re.Pattern[str], wanted: Wanted, *, names_fields: bool) -> bool:
    """Whether the records themselves are asked for, all of them: `list all events`, `which events mention …`, 一覧.

    To list the values of a field is to count by it, unless the records are named behind.
    """
    listed = asked.LIST.search(text)
    if asked.OVERVIEW.search(text):
        return False
    if names_fields:
        return bool(listed and records.search(text[listed.end() : listed.end() + 24]))
    if listed and not asked.COUNT.search(text):
        return bool(records.search(text) or asked.ALL.search(text))
    return not wanted.extreme and any(asked.WHICH.search(text[: each.start()]) for each in records.finditer(text))


# ── What is left of it ─────────────────────────────────────────────────────────────────────────────────────────────


def looked_up(question: DataQuestion, dataset: DatasetDescription) -> DataQuestion:
    """The question under the condition that a text of the record holds the names that were not understood of it.

    So a place that the data do not know counts no record, and never all of them. Where texts are asked for, the rarest
    of the other words that stand there must, too; the others weigh when the texts are read. Any other word is no
    condition on any record: it is left out, and said to be.
    """
    field = text_field([each.text for each in question.unknown], dataset)
    others = [each for each in question.unknown if not (each.is_name and field)]
    held = sorted((each for each in others if _held(each, dataset)), key=lambda each: _held(each, dataset))
    kept: list[Unknown] = []
    read: list[Unknown] = []
    explains = question.explains and question.is_open and not question.counts
    if not question.touches:
        kept = read = others  # it is asked only when all of its words are held
    elif field and not question.names_one and (question.told or explains or (question.lists and not question.extreme)):
        kept, read = held[:1], held
    wanted = tuple(each for each in question.unknown if each not in others or each in kept)
    conditions = (Filter(field=field, op="contains", value=each.text) for each in wanted if field)
    return replace(
        question,
        filters=tuple(dict.fromkeys((*question.filters, *conditions))),
        unknown=wanted,
        left_out=tuple(dict.fromkeys((*question.beyond, *(each.text for each in others if each not in read)))),
    )


def _held(unknown: Unknown, dataset: DatasetDescription) -> int:
    """In how many values and texts its rarest term stands; 0 when any of them stands in none."""
    return min((dataset.terms.get(term, 0) for term in query_terms(unknown.text)), default=0)


def caveats_of(question: DataQuestion, language: str) -> tuple[str, ...]:
    """What is to be said of how a question was understood."""
    words = phrases(language)
    if question.no_day:
        return (words.data_no_day.format(day=question.no_day),)
    if not question.left_out or not question.touches:
        return ()
    named = words.comma.join(quoted(each, language) for each in question.left_out)
    return (words.data_left_out["one" if len(question.left_out) == 1 else "many"].format(words=named),)
