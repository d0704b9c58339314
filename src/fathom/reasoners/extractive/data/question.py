"""A question read against a dataset: what it filters by, what it counts by, and what it needs the records for."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fathom.data.fields import DataField, DatasetDescription
from fathom.data.naming import quoted
from fathom.data.requests import DateHistogram, Filter
from fathom.data.wanted import wanted_of
from fathom.languages.english.questions import without_form
from fathom.reasoners.extractive.data import days
from fathom.reasoners.extractive.data.constructions import (
    TAKEN,
    each_said,
    fields_said,
    interval_of,
    over_time,
    said,
    signed,
)
from fathom.reasoners.extractive.data.leftover import Unknown, beyond, unaccounted
from fathom.reasoners.extractive.data.naming import Naming
from fathom.reasoners.extractive.data.ordering import Placed, placed
from fathom.reasoners.extractive.data.understood import Understood, is_unique
from fathom.reasoners.extractive.question import READ
from fathom.text.analysis import query_terms
from fathom.text.phrases import phrases
from fathom.text.when import no_such_day

MOST_GROUPS = 3
"""Fields that records are grouped by, one after the other."""
FEW = 60
"""Different values up to which records are grouped by a field of numbers or of texts."""
OF_COUNTED = 3
"""Words that may be left of a question that counts records under conditions; they are said to be left out."""
OF_PLACED = 2
"""Words that may be left of a question that asks for a record by its place."""
MOST_RANKED = 1_000
"""Groups that are compared by a number."""


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
    placed: Placed | None = None
    """The place of the record that it asks for, of which the fields of `group_by` are told."""
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
        if self.placed:
            return len(self.left_out) <= OF_PLACED
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
    return _Reading(Understood(without_form(text), dataset, today=today), dataset).question()


class _Reading:
    """What is asked of what a question names."""

    def __init__(self, named: Understood, dataset: DatasetDescription) -> None:
        self._named, self._dataset, self._wanted = named, dataset, wanted_of(named.text)
        self._counts = named.says("count")
        has_amount = any(each.field.type == "number" for each in named.fields)  # "what does it cost?"
        self._told = not self._counts and named.says("why" if has_amount else "told")
        self._ranks = self._wanted.extreme or self._wanted.statistics in (("max",), ("min",))
        self._mentioned = tuple(word for words in named.mentions for word in words)
        self._set_apart = self._field_set_apart()
        of_values, self._compared = _of_values([each for each in named.values if each.field.name != self._set_apart])
        field = text_field(self._mentioned, dataset)
        texts = [
            Filter(field=field, op="contains", value=each if each[1:] else each[0]) for each in named.mentions if field
        ]
        self._filters = (*of_values, *days.filters_of(named.days, named.moment), *named.amounts, *texts)
        self._single = {each.field for each in of_values if each.op == "eq"}
        self._names_one = any(is_unique(dataset.field(name), dataset) for name in self._single)
        self._placed = self._place()
        self._over_time = None if self._placed else self._histogram()
        self._left = signed(named.left, [self._placed.span], TAKEN) if self._placed else named.left

    def question(self) -> DataQuestion:
        """The request that it comes to."""
        named, moment = self._named, self._named.moment
        groups, statistics, extreme = self._counted()
        explains, counted = named.says("explain"), bool(groups or statistics)
        lists = self._lists(names_fields=counted or bool(self._over_time))
        unknown = unaccounted(self._left)
        touches = self._touches(unknown, lists=lists)
        apart = moment and self._over_time is None and days.apart(named.days, moment)
        no_day = no_such_day(named.text)
        return DataQuestion(
            text=named.text,
            filters=tuple(dict.fromkeys(self._filters)),
            compared=self._compared or (moment.name if moment and apart else ""),
            group_by=groups,
            histogram=self._over_time,
            statistics=statistics,
            extreme=extreme,
            placed=self._placed,
            mentions=self._mentioned,
            counts=self._counts,
            lists=lists or bool(extreme) or (self._names_one and not (counted or explains)),
            explains=explains,
            told=self._told,
            names_one=self._names_one,
            unknown=tuple(each for each in unknown if not (touches and named.calls_so(each.text))),
            beyond=self._beyond(groups, statistics),
            no_day=no_day,
            touches=touches and not no_day,
        )

    def _place(self) -> Placed | None:
        """The place of the record that it asks for, where it asks for nothing else."""
        found = placed(self._named.shape, self._dataset, names_some=bool(self._filters) and not self._compared)
        if found is None or self._counts or self._told or self._mentioned:
            return None
        start, end = found.span
        others = wanted_of(f"{self._named.text[:start]} {self._named.text[end:]}")  # not `top` of `the top of the list`
        return None if others.extreme or others.statistics else found

    def _histogram(self) -> DateHistogram | None:
        """Counts over time when it asks for them, names a date to count by, or sets periods side by side."""
        named = self._named
        dates = [each for each in named.fields if each.field.type == "date"]
        grouped = [each for each in dates if named.groups_by(each)]
        asks = over_time(named.steps) or grouped or (named.days.several and not named.days.apart)
        if named.moment is None or named.moment.type != "date" or not asks:
            return None
        field = (grouped or dates)[0].field if dates else named.moment
        usual = "year" if named.days.several else days.interval_for(field, days.filters_of(named.days, field))
        return DateHistogram(field=field.name, interval=interval_of(named.steps) or usual)

    def _field_set_apart(self) -> str:
        """The field of which one value's share is asked: it is counted and not filtered by; empty when none is.

        `what share of events in India is about AI` asks for that of AI, `the share of AI in India` too.
        """
        match, wanted = said("share", self._named.shape), [each for each in self._named.values if not each.unwanted]
        if not match or not wanted:
            return ""
        right_behind = [each for each in wanted if each.place[0] == match.end()]
        return (right_behind or wanted[-1:])[0].field.name

    def _counted(self) -> tuple[tuple[str, ...], tuple[str, ...], Literal["", "max", "min"]]:
        """The fields to group by, those to sum up, and of which end of the one the record is asked for.

        Records are told apart by their titles where some of them are asked for: by their number, or by conditions.
        """
        names = dict.fromkeys((self._set_apart, *self._grouped(), self._compared))
        if self._placed:
            return self._asked_of_place(), (), ""
        groups = tuple(name for name in names if name and name not in self._single)[:MOST_GROUPS]
        statistics = self._summed(groups)
        named, title = self._named, self._dataset.field(self._dataset.mapping.title or "")
        has_most = any(each.field.type == "number" and not each.by_name for each in named.fields)  # the cheapest drill
        if groups or self._counts or not (named.speaks_of_records or named.says("who") or named.called or has_most):
            return groups, statistics, ""
        ranked = len(statistics) == 1 and self._ranks
        others = self._ranks or statistics or self._over_time or self._told or self._mentioned
        told_apart = self._filters and not others and not is_unique(title, self._dataset)
        if (ranked or told_apart) and title and 0 < (title.distinct or 0) <= MOST_RANKED:
            return (title.name,) if title.name not in self._single else (), statistics, ""
        return groups, statistics, ("min" if self._wanted.least else "max") if ranked else ""

    def _asked_of_place(self) -> tuple[str, ...]:
        """What is asked of a record by its place: the field that is named, when it is, or what it is called."""
        moment = self._named.moment
        named = [each.field for each in self._named.fields if each.field.type != "id"]
        named = [each for each in named if each != moment] or ([] if self._named.says("who") else named)
        if moment and not named and self._named.says("time"):
            return (moment.name,)
        if named:
            return (named[0].name,)
        called = next(iter(self._single), "") if self._placed and self._placed.step else ""
        return tuple(filter(None, [called or self._dataset.mapping.title or ""]))

    def _grouped(self) -> list[str]:
        """The fields to group by in the order of the question: of an amount only one that it says to group by.

        Where a value tells which records are meant, any field may be asked of them.
        """
        how_many = fields_said("how many", self._named.shape)

        def fits(each: Naming) -> bool:
            few = each.field.distinct is not None and each.field.distinct <= FEW
            by = self._named.groups_by(each)
            if days.is_year(each.field):
                return by or each.place[0] in how_many
            if each.field.type == "number":
                return few and by and not self._wanted.statistics
            if each.field.type == "text":
                return few or bool(self._single)
            return each.field.type in ("category", "boolean", "other")

        return [each.field.name for each in self._named.fields if fits(each)]

    def _summed(self, groups: Sequence[str]) -> tuple[str, ...]:
        """The fields of numbers that are summed up; not those of which it asks how many have more than so much."""
        others = {*groups, *(each.field for each in self._named.amounts if self._counts)}
        asked = [each for each in self._named.fields if each.by_name or not self._names_one]  # of one its row tells
        named = [each.field for each in asked if each.field.type == "number"]
        sums = (each for each in named if not (days.is_year(each) or days.only_numbers(each, self._dataset.total)))
        return tuple(dict.fromkeys(each.name for each in sums if each.name not in others))

    def _lists(self, *, names_fields: bool) -> bool:
        """Whether the records themselves are asked for, all of them: `list all events`, `which events mention …`, 一覧.

        To list the values of a field is to count by it, unless the records are named behind.
        """
        named, listed = self._named, said("list", self._named.shape)
        if named.says("overview"):
            return False
        if names_fields:
            return named.says("list records")
        if listed and not self._counts:
            return named.speaks_of_records or named.says("all")
        return named.says("which") and not self._wanted.extreme

    def _touches(self, unknown: Sequence[Unknown], *, lists: bool) -> bool:
        """Whether it speaks of the data at all: names something of it, or nothing else than what is to be listed."""
        named = self._named
        if named.speaks_of_records or named.fields or named.values or named.amounts or not unknown:
            return True
        are_records = all(named.calls_so(each.text) for each in unknown)  # "list all users"
        return ((lists or bool(self._placed)) and are_records) or bool(self._counts and named.called and self._filters)

    def _beyond(self, groups: Sequence[str], statistics: Sequence[str]) -> tuple[str, ...]:
        """What no count tells, fields that play no part, and that it asks for the most where it is not known of what; a
        word for the records that are counted is none of these."""
        named, over = self._named, self._over_time.field if self._over_time else ""
        in_groups = set(groups)
        if not statistics:  # what is summed up or ranked must be numbers; of a single record it is what stands there
            summed = named.says("sum") and not self._counts and not self._names_one
            in_groups -= {*(groups if summed else groups[1:] if self._ranks else ())} - {self._compared}
            of_end = fields_said("end of", named.shape)
            in_groups -= {each.field.name for each in named.fields if each.place[0] in of_end}
        used = {*in_groups, *statistics, *(each.field for each in self._filters), over}
        asked = [each for each in named.fields if each.by_name or not self._names_one]
        free = [each for each in asked if each.field.name not in used and each.field.type != "id"]
        words = [named.text[slice(*each.place)] for each in free]
        unused = [word for word in words if not (self._counts and named.calls_so(word))]
        ends = each_said("end", named.text) if self._ranks and not (*groups, *statistics, self._counts, over) else []
        return (*beyond(self._left), *unused, *(match[0] for match in ends))


def _of_values(values: Sequence[Naming]) -> tuple[list[Filter], str]:
    """A condition on each field whose values are named, and the field whose values stand side by side, if one does."""
    sides: dict[tuple[bool, str], dict[str | bool, None]] = {}
    for each in sorted(values, key=lambda each: each.unwanted):
        sides.setdefault((each.unwanted, each.field.name), {})[each.value] = None
    found = []
    for (unwanted, name), several in sides.items():
        value, *others = several
        if others:
            found.append(Filter(field=name, op="not_in" if unwanted else "in", value=tuple(several)))
        elif value is True:
            found.append(Filter(field=name, value=not unwanted))
        else:
            found.append(Filter(field=name, op="ne" if unwanted else "eq", value=value))
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
    if question.touches:
        asks_texts = question.told or (question.explains and question.is_open and not question.counts)
        looks = asks_texts or (question.lists and not question.extreme)
        held = [each for each in others if looks and field and not question.names_one and _held(each, dataset)]
        read = sorted(held, key=lambda each: _held(each, dataset))
        wanted = tuple(each for each in question.unknown if each not in others or each in read[:1])
    else:
        read, wanted = others, question.unknown
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
