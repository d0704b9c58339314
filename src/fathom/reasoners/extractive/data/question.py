"""A question read against a dataset: what it filters by, what it counts by, and what it needs the records for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from fathom.data.fields import DataField, DatasetDescription
from fathom.data.naming import quoted
from fathom.data.requests import DateHistogram, Filter, Interval, Scalar
from fathom.data.wanted import wanted_of
from fathom.reasoners.extractive.data import asked
from fathom.reasoners.extractive.data.conditions import amounts_in, mentions_in
from fathom.reasoners.extractive.data.days import Days, days_in, month_alone, no_such_day
from fathom.reasoners.extractive.data.leftover import Unknown, beyond, subjects, unaccounted
from fathom.reasoners.extractive.data.naming import (
    Naming,
    Place,
    ValueNaming,
    namings,
    negated,
    overlaps,
    speaks_of_records,
    values_in,
)
from fathom.reasoners.extractive.data.words import words_of_name
from fathom.reasoners.extractive.question import READ
from fathom.text.analysis import query_terms, stem
from fathom.text.phrases import phrases

MOST_GROUPS = 3
"""Fields that records are grouped by, one after the other."""
MOST_YEARS = 40
"""Years of which a month is meant when none is said."""
FEW = 60
"""Different values up to which records are grouped by a field of numbers or of texts."""
OF_COUNTED = 3
"""Words that may be left of a question that counts records under conditions; they are said to be left out."""
MOST_RANKED = 1_000
"""Groups that are compared by a number."""


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
    mentions: tuple[str, ...] = ()
    """Words that the text of a record must hold."""
    counts: bool = False
    """Whether it asks how many there are."""
    lists: bool = False
    """Whether it asks for the records themselves, all of them."""
    explains: bool = False
    """Whether it asks for more than counts, such as how something is."""
    names_one: bool = False
    """Whether it names a single record."""
    why: bool = False
    """Whether it asks for reasons, which only texts can tell."""
    extreme: Literal["", "max", "min"] = ""
    """`max` or `min` when it asks for the record that has the most or the least of the field that is summed up."""
    unknown: tuple[Unknown, ...] = ()
    """What it names besides, of which it must be said whether the data hold it."""
    beyond: tuple[str, ...] = ()
    """Words that ask for what no count tells, and fields that are named and play no part."""
    called: frozenset[str] = frozenset()
    """Stems of what it calls the records."""
    left_out: tuple[str, ...] = ()
    """What of it was not understood and is no condition: where there is any, no count surely answers it."""
    no_day: str = ""
    """The day that it names and that does not exist; empty when there is none."""
    touches: bool = True
    """Whether it speaks of the data at all: of the records, a field, a value, or of nothing else."""
    words: str = ""
    """What is left of it besides all that: what a search is asked, and what texts are read for."""

    @property
    def needs_texts(self) -> bool:
        """Whether counts alone leave it open."""
        return self.promises_scan or self.why or bool(self.explains and self.is_particular and self.is_open)

    @property
    def is_particular(self) -> bool:
        """Whether it asks for something that only single records tell."""
        return bool(self.mentions or self.unknown or self.why or self.names_one or asked.SAYS.search(self.text))

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
        return len(self.left_out) <= bool(self.filters or self.statistics)

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


def read_data_question(query: str, dataset: DatasetDescription, *, today: str = "") -> DataQuestion:
    """What `query` asks of `dataset`; never an error, whatever the two say. `today` is an ISO 8601 date.

    Each word is taken once, by what it surely is: a day, a value, a field, an amount, a text to look for. What asks
    is then read from what stands around them, and what nobody took is unknown.
    """
    text = " ".join(unicodedata.normalize("NFKC", query).split())[:READ]
    records, wanted = speaks_of_records(text, dataset), wanted_of(text)
    years = (field for field in dataset.fields if field.type == "number" and _is_year(field))
    moment = moment_of(dataset) or next(years, None)
    days = _days(text, moment, today)
    values = values_in(text, dataset, taken=days.places)
    taken: list[Place] = [*days.places, *(each.place for each in values)]
    named = namings(text, dataset, taken=taken)
    amounts, amount_places, lost = amounts_in(text, dataset, named, records=records, taken=taken)
    flags, flag_places = _flags(text, named, dataset)
    introduced = [*days.places, *amount_places, *(each.place for each in values if each.unwanted)]
    taken += [*amount_places, *flag_places]
    named = [each for each in named if not overlaps(each.place, [*amount_places, *flag_places])]
    if asked.OTHERS.search(text):
        values = [each for each in values if each.field not in [naming.field for naming in named]]
    places = [*taken, *(each.place for each in named)]
    alternatives, mention_places, in_title = mentions_in(text, taken=places, records=records)
    mentions = tuple(word for words in alternatives for word in words)

    over_time = _histogram(text, days, moment, named)
    why = bool(asked.WHY.search(text))
    counts = bool(asked.COUNT.search(text))
    # whoever asks why people do something does not ask for the sum of them
    tells = why or (asked.SAYS.search(text) and not counts)
    share = _asks_share_of(text, values)
    filters, compared = _of_values([each for each in values if each.field.name != share])
    single = {each.field for each in filters if each.op == "eq"}
    grouped = [*([share] if share else []), *_grouped(text, named, looked_up=bool(single))]
    grouped += [compared] if compared else []
    grouped = [name for name in dict.fromkeys(grouped) if name not in single][:MOST_GROUPS]
    numbers = [each.field.name for each in named if each.field.type == "number" and not _is_year(each.field)]
    statistics = tuple(name for name in dict.fromkeys(numbers) if name not in grouped)
    statistics = () if tells and {*wanted.statistics} <= {"sum"} else statistics
    if counts:  # how many have more than so much of it
        statistics = tuple(name for name in statistics if name not in [each.field for each in amounts])

    title, titled = dataset.field(dataset.mapping.title or ""), list[str]()
    is_most = len(statistics) == 1 and (wanted.extreme or wanted.statistics in (("max",), ("min",)))
    called = subjects(text, taken=taken)
    one = records.search(text) or asked.WHO.search(text) or called
    extreme: Literal["", "max", "min"] = ""
    if is_most and one and not grouped and not counts:
        extreme = "min" if wanted.least else "max"
    asks_who = one and single and not (counts or grouped or statistics or over_time or tells or mentions)
    if (extreme or asks_who) and title and title.distinct and title.distinct <= MOST_RANKED:
        grouped, extreme = [title.name] if title.name not in single else [], ""
    elif counts and not statistics and len(grouped) == 1 and _names_one(dataset.field(grouped[0]), dataset):
        grouped, titled = [], grouped  # to count what each has of its own is to count them
    lists = asked.lists_records(text, records, names_fields=bool(grouped or statistics or over_time))
    lists = (lists and not asked.OVERVIEW.search(text)) or bool(extreme)
    fields = [each.place for each in named]
    unknown = unaccounted(text, taken=[*places, *mention_places, *lost], records=records, fields=fields) + tuple(
        Unknown(text=text[start:end].strip(), is_name=False) for start, end in lost
    )
    field = text_field(mentions, dataset, first=[dataset.mapping.title or ""] if in_title else [])
    searched = [
        Filter(field=field, op="contains", value=each if each[1:] else each[0]) for each in alternatives if field
    ]
    filters += [*flags, *_of_days(days, moment), *amounts, *searched]
    names_one = any(each.op == "eq" and _names_one(dataset.field(each.field), dataset) for each in filters)
    # what is summed up or ranked must be numbers; of a single record it is what stands there
    summed = asked.SUMMED.search(text) and not counts and not names_one
    ends = wanted.extreme or wanted.least
    rival = [] if statistics else grouped if summed else grouped[1:] if ends else []
    told = {*statistics} if wanted.statistics or grouped or single or counts or over_time else set()
    used = {*grouped, *titled, *told, *(each.field for each in filters), over_time.field if over_time else ""}
    used -= {*rival} - {compared}
    unused = [text[slice(*each.place)] for each in named if each.field.name not in used]
    unused = [word for word in unused if not (counts and stem(word.lower()) in called)]
    explains = bool(asked.EXPLAIN.search(text))
    no_day = no_such_day(text)
    return DataQuestion(
        text=text,
        filters=tuple(dict.fromkeys(filters)),
        compared=compared or (moment.name if moment and over_time is None and _apart(days, moment) else ""),
        group_by=tuple(grouped),
        histogram=over_time,
        statistics=statistics,
        mentions=mentions,
        counts=counts,
        lists=lists or (names_one and not (grouped or statistics or explains)),
        explains=explains,
        names_one=names_one,
        why=why,
        extreme=extreme,
        unknown=unknown,
        beyond=(*beyond(text, taken=places, introduced=introduced), *unused),
        called=called,
        no_day=no_day,
        touches=not no_day
        and bool(records.search(text) or named or values or flags or amounts or in_title or not unknown),
        words=" ".join(dict.fromkeys((*mentions, *(each.text for each in unknown)))),
    )


# ── Filters ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _of_values(values: Sequence[ValueNaming]) -> tuple[list[Filter], str]:
    """A condition on each field whose values are named, and the field whose values stand side by side, if one does."""
    sides: dict[tuple[bool, str], list[str]] = {}
    for naming in sorted(values, key=lambda each: each.unwanted):
        if naming.value not in sides.get((False, naming.field.name), ()):
            sides.setdefault((naming.unwanted, naming.field.name), []).append(naming.value)
    found = []
    for (unwanted, name), several in sides.items():
        if len(several) == 1:
            found.append(Filter(field=name, op="ne" if unwanted else "eq", value=several[0]))
        else:
            found.append(Filter(field=name, op="not_in" if unwanted else "in", value=tuple(several)))
    return found, next((each.field for each in found if each.op == "in"), "")


def _flags(text: str, named: Sequence[Naming], dataset: DatasetDescription) -> tuple[list[Filter], list[Place]]:
    """Fields that are true or false and named as what records are: `online events`, `events that are not free`."""
    found: list[tuple[Filter, Place]] = []
    for each in named:
        if each.field.type == "boolean" and not asked.groups_by(text, each.place):
            found.append((Filter(field=each.field.name, value=not negated(text, each.place)), each.place))
    for field in dataset.fields:
        word = words_of_name(field.name)[-1:] if field.type == "boolean" else ()
        if word and (match := re.search(rf"\b(?:un|in|non-?){re.escape(word[0])}\w{{0,4}}\b", text, re.IGNORECASE)):
            found.append((Filter(field=field.name, value=False), match.span()))
    return [each for each, _ in found], [place for _, place in found]


def _names_one(field: DataField | None, dataset: DatasetDescription) -> bool:
    """Whether each value of a field belongs to a single record."""
    return field is not None and (
        field.name == dataset.mapping.id or (field.distinct is not None and field.distinct == dataset.total)
    )


def text_field(words: Sequence[str], dataset: DatasetDescription, *, first: Sequence[str] = ()) -> str:
    """The first of the fields that are named, else that whose texts say most; without texts that of whose values one
    holds the words, or else the title."""
    held = [
        field.name
        for field in dataset.fields
        if any(word.casefold() in value.casefold() for word in words for value in field.values)
    ]
    prose, named = ([field.name for field in dataset.fields if field.type == each] for each in ("text", "category"))
    mapping = dataset.mapping
    places = (*first, *mapping.text, *prose, *held, mapping.title, *mapping.category, *named)
    return next((name for name in places if name and dataset.field(name)), "")


# ── Days ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def moment_of(dataset: DatasetDescription) -> DataField | None:
    """The field of dates that says when: that of the mapping, else the first."""
    dates = [field for field in dataset.fields if field.type == "date"]
    return next((field for field in dates if field.name == dataset.mapping.date), dates[0] if dates else None)


def _days(text: str, moment: DataField | None, today: str) -> Days:
    """The days that are meant. A month without a year is that of every year that there is."""
    days = days_in(text, today=today) if moment else Days()
    if moment is None or moment.type != "date" or days.places or (alone := month_alone(text)) is None:
        return days
    number, place = alone
    first, last = _as_day(moment.minimum), _as_day(moment.maximum)
    if first is None or last is None or last.year - first.year > MOST_YEARS:
        return days
    return Days(places=(place,), apart=tuple(f"{year}-{number:02}" for year in range(first.year, last.year + 1)))


def _of_days(days: Days, moment: DataField | None) -> list[Filter]:
    """From the first day on, and before the day behind the last: so the last day counts whole, in years its year."""
    if moment is None:
        return []
    if apart := _apart(days, moment):
        return [Filter(field=moment.name, op="in", value=apart)]
    is_date = moment.type == "date"
    found = []
    if days.since:
        found.append(Filter(field=moment.name, op="gte", value=days.since.isoformat() if is_date else days.since.year))
    if days.until:
        until = days.until.isoformat() if is_date else (days.until - timedelta(days=1)).year + 1
        found.append(Filter(field=moment.name, op="lt", value=until))
    return found


def _apart(days: Days, moment: DataField | None) -> tuple[Scalar, ...]:
    """The years or months that stand apart, as the field has them: one of years has no months."""
    if moment is None or moment.type == "date":
        return days.apart
    return tuple(map(int, days.apart)) if all(map(str.isdigit, days.apart)) else ()


def _histogram(text: str, days: Days, moment: DataField | None, named: Sequence[Naming]) -> DateHistogram | None:
    """Counts over time when the question asks for them, names a date to count by, or sets periods side by side."""
    dates = [each for each in named if each.field.type == "date"]
    grouped = [each for each in dates if asked.groups_by(text, each.place)]
    asks = asked.over_time(text) or grouped or (days.several and not days.apart)
    if moment is None or moment.type != "date" or not asks:
        return None
    field = (grouped or dates)[0].field if dates else moment
    interval = asked.interval_of(text) or ("year" if days.several else _interval_for(field, days))
    return DateHistogram(field=field.name, interval=interval)


def _interval_for(field: DataField, days: Days) -> Interval:
    """Steps by how long the time is that is looked at: a reader can follow some thirty of them."""
    first = max(filter(None, (_as_day(field.minimum), days.since)), default=None)
    last = min(filter(None, (_as_day(field.maximum), days.until)), default=None)
    if first is None or last is None:
        return "month"
    span = (last - first).days
    return "day" if span <= 45 else "week" if span <= 180 else "month" if span <= 1_100 else "year"


def interval_within(field: DataField, filters: Sequence[Filter]) -> Interval:
    """Steps for the time that the conditions leave: the years of one year are one bar."""
    bounds = {each.op: _as_day(each.value) for each in filters if each.field == field.name}
    since, until = bounds.get("gte"), bounds.get("lt")
    return _interval_for(field, Days(since=since, until=until)) if since and until else "year"


def _as_day(value: Scalar | tuple[Scalar, ...]) -> date | None:
    match = re.match(r"\d{4}-\d\d-\d\d", value) if isinstance(value, str) else None
    try:
        return date.fromisoformat(match[0]) if match else None
    except ValueError:
        return None


# ── What is counted ────────────────────────────────────────────────────────────────────────────────────────────────


def _is_year(field: DataField) -> bool:
    return bool(re.search(r"(?:^|_)year$|^年$|年度$", field.name, re.IGNORECASE))


def _grouped(text: str, named: Sequence[Naming], *, looked_up: bool) -> list[str]:
    """The fields to group by in the order of the question.

    Where a value tells which records are meant, any field may be asked of them.
    """
    found: list[str] = []
    for naming in named:
        field = naming.field
        few = field.distinct is not None and field.distinct <= FEW
        if field.type == "number":
            is_year = _is_year(field)
            fits = (few or is_year) and asked.groups_by(text, naming.place, is_amount=not is_year)
        elif field.type == "text":
            fits = few or looked_up
        else:
            fits = field.type in ("category", "boolean", "other")
        if fits:
            found.append(field.name)
    return found


def _asks_share_of(text: str, values: Sequence[ValueNaming]) -> str:
    """The field of which one value's share is asked: it is counted and not filtered by; empty when no share is asked.

    `what share of events in India is about AI` asks for that of AI, `the share of AI in India` too.
    """
    match, wanted = asked.SHARE.search(text), [each for each in values if not each.unwanted]
    if not match or not wanted:
        return ""
    right_behind = [each for each in wanted if 0 <= each.place[0] - match.end() <= len(" of the ")]
    return (right_behind or wanted[-1:])[0].field.name


# ── What is left of it ─────────────────────────────────────────────────────────────────────────────────────────────


def looked_up(question: DataQuestion, dataset: DatasetDescription) -> DataQuestion:
    """The question under the condition that a text of the record holds the names that were not understood of it.

    So a place that the data do not know counts no record, and never all of them. Where texts are asked for, the rarest
    of the other words that stand there must, too; the others weigh when the texts are read. Any other word is no
    condition on any record: it is left out, and said to be, unless it is what the records are called.
    """
    field = text_field([each.text for each in question.unknown], dataset)
    names = [each for each in question.unknown if each.is_name and field]
    others = [each for each in question.unknown if each not in names]
    held = sorted((each for each in others if _held(each, dataset)), key=lambda each: _held(each, dataset))
    kept: list[Unknown] = []
    read: list[Unknown] = []
    explains = question.explains and question.is_open and not question.counts
    if not question.touches:
        kept = read = others  # it is asked only when all of its words are held
    elif field and not question.names_one and (question.why or explains or (question.lists and not question.extreme)):
        kept, read = held[:1], held
    left_out = [each.text for each in others if each not in read and stem(each.text.lower()) not in question.called]
    wanted = tuple(each for each in question.unknown if each in [*names, *kept])
    conditions = (Filter(field=field, op="contains", value=each.text) for each in wanted if field)
    return replace(
        question,
        filters=tuple(dict.fromkeys((*question.filters, *conditions))),
        unknown=wanted,
        left_out=tuple(dict.fromkeys((*question.beyond, *left_out))),
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
