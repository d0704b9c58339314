"""A question read against a dataset: what it filters by, what it counts by, and what it needs the records for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fathom.data.fields import DataField, DatasetDescription
from fathom.data.naming import quoted
from fathom.data.requests import DateHistogram, Filter
from fathom.data.wanted import wanted_of
from fathom.reasoners.extractive.data import days
from fathom.reasoners.extractive.data.conditions import amounts_in, mentions_in
from fathom.reasoners.extractive.data.constructions import (
    DAYS,
    FIELD,
    RECORDS,
    TAKEN,
    VALUE,
    Place,
    each_said,
    is_free,
    said,
    signed,
)
from fathom.reasoners.extractive.data.leftover import Unknown, beyond, subjects, unaccounted
from fathom.reasoners.extractive.data.naming import Naming, namings, speaks_of_records, values_in
from fathom.reasoners.extractive.data.words import words_of_name
from fathom.reasoners.extractive.english import without_form
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
    compared: str = ""
    """The field whose values are set against each other, or the field of time of years or months that stand apart."""
    group_by: tuple[str, ...] = ()
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
    """The day that it names and that does not exist."""
    touches: bool = True
    """Whether it speaks of the data at all: of the records, a field, a value, or of nothing else."""

    @property
    def words(self) -> str:
        """What is left of it besides what is counted: what a search is asked, and what texts are read for."""
        return " ".join(dict.fromkeys((*self.mentions, *(each.text for each in self.unknown))))

    @property
    def is_particular(self) -> bool:
        """Whether it asks for something that only single records tell."""
        return bool(self.mentions or self.unknown or self.told or self.names_one)

    @property
    def promises_scan(self) -> bool:
        """Whether only the end of a scan answers it: it wants every record, or how many texts mention something."""
        return (self.lists and not self.extreme) or bool(self.mentions and self.counts)

    @property
    def needs_texts(self) -> bool:
        """Whether counts alone leave it open."""
        return self.promises_scan or self.told or (self.explains and self.is_particular and self.is_open)

    @property
    def is_open(self) -> bool:
        """Whether it names nothing to count by."""
        return not (self.group_by or self.histogram or self.statistics)

    @property
    def is_sure(self) -> bool:
        """Whether counts answer it: little is left of it beside what tells which records are meant.

        What is left where records are counted mostly says what they do (`participated`); of a field it may be anything.
        """
        counts = self.counts and self.is_open
        if self.beyond or (self.names_one and counts) or (not self.touches and self.unknown[1:]):
            return False
        sure = bool(self.filters or counts or (self.group_by and not self.counts))
        return len(self.left_out) <= (OF_COUNTED if counts and self.filters else sure)

    @property
    def sides(self) -> int:
        """How many things it asks: from two on it is worth to be taken apart."""
        if self.is_open and not (self.counts or self.lists or self.mentions):
            return 2
        parts = len(self.group_by) + len(self.statistics) + bool(self.histogram)
        return parts + bool(self.filters) + bool(self.compared) + self.explains


def read_data_question(query: str, dataset: DatasetDescription, *, today: str = "") -> DataQuestion:
    """What `query` asks of `dataset`; never an error, whatever the two say. `today` is an ISO 8601 date.

    Each word is taken once, by what it surely is: a day, a value, a field, an amount, a text to look for. What asks
    is then read from the shape that they leave, and what nobody took is unknown.
    """
    text = " ".join(unicodedata.normalize("NFKC", query).split())[:READ]
    return _Reading(without_form(text), dataset, today).question()


class _Reading:
    """The words of a question, each by what it is, and what is asked of them."""

    def __init__(self, text: str, dataset: DatasetDescription, today: str) -> None:
        self._text, self._dataset, self._wanted = text, dataset, wanted_of(text)
        self._bare = self._shape = text
        """The text with a sign for all that is understood but fields and words for the records, and with all signs."""
        records = speaks_of_records(text, dataset)
        self._moment = days.moment_of(dataset)
        self._days = days.days_of(text, self._moment, today=today)
        self._take(self._days.places, DAYS)
        values = values_in(self._bare, dataset)
        self._take((each.place for each in values), VALUE)
        named = namings(self._bare, dataset)
        by_field = each_said("by", signed(self._bare, (each.place for each in named), FIELD))
        self._by = {max(match.start(group) for group in match.groupdict()) for match in by_field}
        """Where fields are named that records are grouped by: `by country`, `which country`, `国別`."""
        flags = self._flags(named)
        self._take((each.place for each in flags), VALUE)
        denials = [match.span() for match in each_said("not", self._bare)]
        self._take(denials, TAKEN)
        self._values = [
            replace(each, unwanted=each.unwanted or any(start <= each.place[0] < end for start, end in denials))
            for each in (*values, *flags)
        ]
        self._amounts, of_amounts = amounts_in(self._bare, dataset, named, records=records)
        self._take(of_amounts, TAKEN)
        self._named = [each for each in named if is_free(self._bare, each.place)]
        """Fields that are named for themselves, and not as a part of a condition."""
        self._shape = signed(self._shape, (each.place for each in self._named), FIELD)
        self._mentions, of_mentions = mentions_in(self._shape, records=records)
        self._take(of_mentions, TAKEN)
        self._called = subjects(self._bare)
        places = (match.span() for match in records.finditer(text))
        self._left = signed(self._shape, (place for place in places if is_free(self._shape, place)), RECORDS)
        """The shape with a sign for each word for the records, too."""
        self._counts = bool(said("count", self._shape))
        self._ranks = bool(self._wanted.extreme) or self._wanted.statistics in (("max",), ("min",))

    def _take(self, places: Iterable[Place], sign: str) -> None:
        taken = list(places)
        self._bare, self._shape = signed(self._bare, taken, sign), signed(self._shape, taken, sign)

    def _flags(self, named: Sequence[Naming]) -> list[Naming]:
        """Fields that are true or false and named as what records are: `online events`, `unmarried nurses`."""
        flags = [
            replace(each, value=True)
            for each in named
            if each.field.type == "boolean" and each.place[0] not in self._by
        ]
        for field in self._dataset.fields:
            word = words_of_name(field.name)[-1:] if field.type == "boolean" else ()
            if word and (match := re.search(rf"\b(?:un|in|non-?){re.escape(word[0])}\w{{0,4}}\b", self._bare, re.I)):
                flags.append(Naming(field=field, place=match.span(), value=True, unwanted=True))
        return flags

    def question(self) -> DataQuestion:
        """What is asked."""
        shape, dataset, counts = self._shape, self._dataset, self._counts
        told = not counts and bool(said("told", shape))
        over_time = days.histogram_of(self._text, self._named, self._days, self._moment, by=self._by)
        set_apart = self._set_apart()
        of_values, compared = _of_values([each for each in self._values if each.field.name != set_apart])
        mentioned = tuple(word for words in self._mentions for word in words)
        field = text_field(mentioned, dataset)
        texts = [
            Filter(field=field, op="contains", value=each if each[1:] else each[0]) for each in self._mentions if field
        ]
        filters = (*of_values, *days.filters_of(self._days, self._moment), *self._amounts, *texts)
        single = {each.field for each in of_values if each.op == "eq"}
        names_one = any(self._is_unique(dataset.field(name)) for name in single)

        groups = list(dict.fromkeys((set_apart, *self._grouped(looked_up=bool(single)), compared)))
        groups = [name for name in groups if name and name not in single][:MOST_GROUPS]
        statistics = self._summed(groups)
        extreme: Literal["", "max", "min"] = ""
        if (RECORDS in self._left or said("who", shape) or self._called) and not (groups or counts):
            title = dataset.field(dataset.mapping.title or "")
            if len(statistics) == 1 and self._ranks:  # which of the records
                extreme = "min" if self._wanted.least else "max"
            others = self._ranks or statistics or over_time or told or mentioned
            told_apart = filters and not others and not self._is_unique(title)
            if (extreme or told_apart) and title and 0 < (title.distinct or 0) <= MOST_RANKED:
                groups, extreme = [title.name] if title.name not in single else [], ""

        used = {*groups, *statistics, *(each.field for each in filters), over_time.field if over_time else ""}
        if not statistics:  # what is summed up or ranked must be numbers; of a single record it is what stands there
            summed = said("sum", shape) and not counts and not names_one
            used -= {*(groups if summed else groups[1:] if self._ranks else [])} - {compared}
        unknown = unaccounted(self._left)
        explains, counted = bool(said("explain", shape)), bool(groups or statistics)
        lists = self._lists(names_fields=counted or bool(over_time))
        is_what_they_are = all(stem(each.text.lower()) in self._called for each in unknown)  # "list all users"
        named = RECORDS in self._left or self._named or self._values or self._amounts
        touches = bool(named or not unknown or (counts and self._called and filters) or (lists and is_what_they_are))
        no_day = days.no_such_day(self._text)
        apart = self._moment and over_time is None and days.apart(self._days, self._moment)
        return DataQuestion(
            text=self._text,
            filters=tuple(dict.fromkeys(filters)),
            compared=compared or (self._moment.name if self._moment and apart else ""),
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
            unknown=tuple(each for each in unknown if not touches or stem(each.text.lower()) not in self._called),
            beyond=self._beyond(used, of_what=bool(groups or statistics or counts or over_time)),
            no_day=no_day,
            touches=touches and not no_day,
        )

    def _set_apart(self) -> str:
        """The field of which one value's share is asked: it is counted and not filtered by; empty when none is.

        `what share of events in India is about AI` asks for that of AI, `the share of AI in India` too.
        """
        match, wanted = said("share", self._shape), [each for each in self._values if not each.unwanted]
        if not match or not wanted:
            return ""
        right_behind = [each for each in wanted if each.place[0] == match.end()]
        return (right_behind or wanted[-1:])[0].field.name

    def _is_unique(self, field: DataField | None) -> bool:
        """Whether each value of a field belongs to a single record."""
        if field is None or field.name == self._dataset.mapping.id:
            return field is not None
        return bool(field.distinct and self._dataset.total and field.distinct >= UNIQUE * self._dataset.total)

    def _grouped(self, *, looked_up: bool) -> list[str]:
        """The fields to group by in the order of the question: of an amount only one that it says to group by.

        Where a value tells which records are meant, any field may be asked of them.
        """
        how_many = {match.end() - 1 for match in each_said("how many", self._shape)}

        def fits(each: Naming) -> bool:
            few = each.field.distinct is not None and each.field.distinct <= FEW
            by = each.place[0] in self._by
            if days.is_year(each.field):
                return by or each.place[0] in how_many
            if each.field.type in ("number", "text"):
                return (few and by) if each.field.type == "number" else few or looked_up
            return each.field.type in ("category", "boolean", "other")

        return [each.field.name for each in self._named if fits(each)]

    def _summed(self, groups: Sequence[str]) -> tuple[str, ...]:
        """The fields of numbers that are summed up; not those of which it asks how many have more than so much."""
        others = {*groups, *(each.field for each in self._amounts if self._counts)}
        named = [each.field for each in self._named if each.field.type == "number" and each.field.name not in others]
        return tuple(dict.fromkeys(each.name for each in named if not (days.is_year(each) or self._only_numbers(each))))

    def _only_numbers(self, field: DataField) -> bool:
        """Whether a field of numbers only numbers the records, from 1 on."""
        return days.numbers_of(field) == (1, self._dataset.total) and field.distinct == self._dataset.total

    def _lists(self, *, names_fields: bool) -> bool:
        """Whether the records themselves are asked for, all of them: `list all events`, `which events mention …`, 一覧.

        To list the values of a field is to count by it, unless the records are named behind.
        """
        shape, listed = self._shape, said("list", self._shape)
        if said("overview", shape):
            return False
        if names_fields:
            return bool(listed and RECORDS in self._left[listed.end() : listed.end() + 24])
        if listed and not self._counts:
            return RECORDS in self._left or bool(said("all", shape))
        return bool(said("which", self._left)) and not self._wanted.extreme

    def _beyond(self, used: set[str], *, of_what: bool) -> tuple[str, ...]:
        """What no count tells, fields that play no part, and that it asks for the most where it is not known of what; a
        word for the records that are counted is none of these."""
        ids = {field.name for field in self._dataset.fields if field.type == "id"}
        unused = [self._text[slice(*each.place)] for each in self._named if each.field.name not in used | ids]
        unused = [word for word in unused if not (self._counts and stem(word.lower()) in self._called)]
        ends = [match[0] for match in each_said("end", self._text)] if self._ranks and not of_what else []
        return (*beyond(self._left), *unused, *ends)


def _of_values(values: Sequence[Naming]) -> tuple[list[Filter], str]:
    """A condition on each field whose values are named, and the field whose values stand side by side, if one does."""
    sides: dict[tuple[bool, str], dict[str | bool, None]] = {}
    for naming in sorted(values, key=lambda each: each.unwanted):
        if naming.value not in sides.get((False, naming.field.name), ()):
            sides.setdefault((naming.unwanted, naming.field.name), {})[naming.value] = None
    found = []
    for (unwanted, name), several in sides.items():
        if len(several) == 1:
            value = next(iter(several))
            of_flag = Filter(field=name, value=not unwanted)
            found.append(of_flag if value is True else Filter(field=name, op="ne" if unwanted else "eq", value=value))
        else:
            found.append(Filter(field=name, op="not_in" if unwanted else "in", value=tuple(several)))
    return found, next((each.field for each in found if each.op == "in"), "")


def text_field(words: Sequence[str], dataset: DatasetDescription) -> str:
    """The field whose texts say most; without texts that of whose values one holds the words, or else the title."""

    def holds(field: DataField) -> bool:
        return any(word.casefold() in value.casefold() for word in words for value in field.values)

    prose, named = ([field.name for field in dataset.fields if field.type == each] for each in ("text", "category"))
    held = (field.name for field in dataset.fields if holds(field))
    places = (*dataset.mapping.text, *prose, *held, dataset.mapping.title, *dataset.mapping.category, *named)
    return next((name for name in places if name and dataset.field(name)), "")


def looked_up(question: DataQuestion, dataset: DatasetDescription) -> DataQuestion:
    """The question under the condition that a text of the record holds the names that were not understood of it.

    So a place that the data do not know counts no record, and never all of them. Where texts are asked for, the rarest
    of the other words that stand there must, too; the others weigh when the texts are read. Any other word is no
    condition on any record: it is left out, and said to be. What speaks of nothing else must all be held.
    """
    field = text_field([each.text for each in question.unknown], dataset)
    others = [each for each in question.unknown if not (each.is_name and field)]
    explains = question.told or (question.explains and question.is_open and not question.counts)
    read = others if not question.touches else []
    if (
        question.touches
        and field
        and not question.names_one
        and (explains or (question.lists and not question.extreme))
    ):
        read = sorted((each for each in others if _held(each, dataset)), key=lambda each: _held(each, dataset))
    kept = read[:1] if question.touches else read
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
