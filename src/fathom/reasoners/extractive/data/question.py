"""A question read against a dataset: what it filters by, what it counts by, and what it needs the records for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from fathom.data.fields import DataField, DatasetDescription
from fathom.data.requests import DateHistogram, Filter, Interval, Scalar
from fathom.data.turns import SynthesisFormat
from fathom.data.wanted import top_of, wanted_of
from fathom.reasoners.extractive.data import asked
from fathom.reasoners.extractive.data.amounts import amounts_in
from fathom.reasoners.extractive.data.days import Days, days_in, month_alone, no_such_day
from fathom.reasoners.extractive.data.mentions import mentions_in, quoted
from fathom.reasoners.extractive.data.naming import Naming, Place, namings, overlaps, speaks_of_records
from fathom.reasoners.extractive.data.states import states_in
from fathom.reasoners.extractive.data.unaccounted import Unknown, unaccounted
from fathom.reasoners.extractive.data.values import ValueNaming, values_in
from fathom.reasoners.extractive.data.words import words_of_name
from fathom.reasoners.extractive.question import READ
from fathom.text.analysis import stem

_SAID_OF = re.compile(r"\b(?:is|are|was|were|has|have|had|belongs?|about|concerns?)\b|うち", re.IGNORECASE)
MOST_GROUPS = 3
"""Fields that records are grouped by, one after the other."""
MOST_YEARS = 40
"""Years of which a month is meant when none is said."""
FEW = 60
"""Different numbers up to which records may be grouped by a field of numbers."""


@dataclass(frozen=True, kw_only=True)
class DataQuestion:
    """What a question asks of a dataset."""

    text: str
    """The question, white space collapsed, of normal width."""
    filters: tuple[Filter, ...] = ()
    """What all records must fulfil."""
    compared: str = ""
    """The field whose values are set against each other."""
    group_by: tuple[str, ...] = ()
    """Fields to group by, the first one first."""
    histogram: DateHistogram | None = None
    """Counts over time, when they are asked for."""
    statistics: tuple[str, ...] = ()
    """Fields of numbers to sum up."""
    periods: tuple[Scalar, ...] = ()
    """Years or months that are set against each other, with others between them that are not meant; one condition."""
    top_n: int | None = None
    """Groups that are asked for; `None` when that is not said."""
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
    """Whether it asks for the record that has the most of the field that is summed up, or the least."""
    unknown: tuple[Unknown, ...] = ()
    """What it names besides, of which it must be said whether the data hold it."""
    left_out: tuple[str, ...] = ()
    """What of it was not understood and is no condition."""
    no_day: str = ""
    """The day that it names and that does not exist; empty when there is none."""
    touches: bool = True
    """Whether it speaks of the data at all: of the records, a field, a value, or of nothing else."""
    words: str = ""
    """What is left of it besides all that: what a search is asked, and what texts are read for."""
    format: SynthesisFormat = "comprehensive_report"
    """How the answer is to be put."""

    @property
    def needs_texts(self) -> bool:
        """Whether counts alone leave it open."""
        counted = self.group_by or self.histogram or self.statistics or self.counts
        return self.promises_scan or self.why or bool(self.explains and self.is_particular and not counted)

    @property
    def is_particular(self) -> bool:
        """Whether it asks for something that only single records tell."""
        return bool(self.mentions or self.unknown or self.why or self.names_one or asked.SAYS.search(self.text))

    @property
    def promises_scan(self) -> bool:
        """Whether only the end of a scan answers it: it wants every record, or how many texts mention something."""
        return (self.lists and not self.extreme) or bool(self.mentions and self.counts)

    @property
    def is_open(self) -> bool:
        """Whether it names nothing to count by."""
        return not (self.group_by or self.histogram or self.statistics)

    @property
    def sides(self) -> int:
        """How many things it asks: from two on it is worth to be taken apart."""
        parts = (*self.group_by, *self.statistics, *(["time"] if self.histogram else []))
        asks = len(parts) + bool(self.filters) + bool(self.compared) + self.explains
        return 2 if not parts and not self.counts and not self.lists and not self.mentions else asks


def read_data_question(query: str, dataset: DatasetDescription, *, today: str = "") -> DataQuestion:
    """What `query` asks of `dataset`; never an error, whatever the two say. `today` is an ISO 8601 date."""
    text = " ".join(unicodedata.normalize("NFKC", query).split())[:READ]
    records = speaks_of_records(text, dataset)
    years = (field for field in dataset.fields if field.type == "number" and _is_year(field))
    moment = moment_of(dataset) or next(years, None)
    days = _days(text, moment, today)
    values = values_in(text, dataset, taken=days.places)
    taken = [*days.places, *(each.place for each in values)]
    named = namings(text, dataset, taken=taken)
    amounts, amount_places, lost = amounts_in(text, dataset, named, records=records, taken=taken)
    taken += amount_places
    states, state_places = states_in(text, dataset, taken=taken)
    taken += state_places
    named = [each for each in named if not overlaps(each.place, [*state_places, *amount_places])]
    flags, flag_places = _flags(text, named, dataset)
    taken += flag_places
    named = [each for each in named if each.place not in flag_places]
    others = asked.others_of(text)
    values = [each for each in values if not (others and any(each.field == naming.field for naming in named))]
    grouped = _grouped(text, named, values)
    over_time = _histogram(text, days, moment, named, asks=asked.over_time(text))
    why = bool(asked.WHY.search(text))
    # whoever asks why people do something does not ask for the sum of them
    tells = why or (asked.SAYS.search(text) and not asked.COUNT.search(text))
    statistics = () if tells and {*wanted_of(text).statistics} <= {"sum"} else _statistics(named, grouped)
    share = _asks_share_of(text, values)
    if share and share not in grouped:
        grouped = (share, *grouped)
    filters, compared = _of_values([each for each in values if each.field.name != share or not share])
    if compared and compared not in grouped:
        grouped = (*grouped, compared)
    single = {each.field for each in filters if each.op == "eq"}
    grouped = tuple(name for name in grouped if name not in single)[:MOST_GROUPS]
    places = [*taken, *(each.place for each in named)]
    alternatives, mention_places, in_title = mentions_in(text, taken=places, records=records)
    mentions = tuple(word for words in alternatives for word in words)
    looked_in = {each.field.name for each in named if mentions and _is_looked_in(each, dataset)}
    grouped = tuple(name for name in grouped if name not in looked_in)
    extreme = _extreme(text, records, grouped, statistics)
    lists = asked.lists_records(text, records, names_fields=bool(grouped or statistics), moment=bool(over_time))
    lists = (lists and not asked.OVERVIEW.search(text)) or bool(extreme)
    ids, id_places = _ids(text, records, named, dataset, taken=places)
    unknown = (
        *unaccounted(
            text,
            taken=[*places, *mention_places, *id_places, *lost],
            records=records,
            fields=[each.place for each in named],
        ),
        *(Unknown(text=text[start:end].strip(), is_name=False) for start, end in lost),
    )
    no_day = no_such_day(text)
    names_one = bool(ids) or any(each.op == "eq" and _names_one(dataset.field(each.field), dataset) for each in filters)
    explains = bool(asked.EXPLAIN.search(text))
    lists = lists or (names_one and not (grouped or statistics or explains))
    searched = _of_mentions(alternatives, dataset, named, in_title=in_title)
    conditions = (*filters, *flags, *_of_days(days, moment), *amounts, *ids, *states, *searched)
    return DataQuestion(
        text=text,
        filters=tuple(dict.fromkeys(conditions)),
        compared=compared,
        group_by=grouped,
        histogram=over_time,
        statistics=statistics,
        periods=_apart(days, moment) if days.several and over_time is None else (),
        top_n=top_of(text),
        mentions=mentions,
        counts=bool(asked.COUNT.search(text)),
        lists=lists,
        explains=explains,
        names_one=names_one,
        why=why,
        extreme=extreme,
        unknown=unknown,
        no_day=no_day,
        touches=not no_day
        and not _speaks_of_another_table(text, dataset)
        and bool(records.search(text) or named or values or flags or amounts or quoted(text) or not unknown),
        words=" ".join(dict.fromkeys((*mentions, *(each.text for each in unknown)))),
        format=asked.format_of(text),
    )


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


# ── Filters ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _of_values(values: Sequence[ValueNaming]) -> tuple[list[Filter], str]:
    """A condition on each field whose values are named, and the field whose values stand side by side, if one does."""
    wanted: dict[str, list[str]] = {}
    unwanted: dict[str, list[str]] = {}
    for naming in values:
        side = unwanted if naming.unwanted else wanted
        side.setdefault(naming.field.name, []).append(naming.value)
    found: list[Filter] = []
    compared = ""
    for name, several in wanted.items():
        each = tuple(dict.fromkeys(several))
        compared = compared or (name if len(each) > 1 else "")
        found.append(Filter(field=name, value=each[0]) if len(each) == 1 else Filter(field=name, op="in", value=each))
    for name, several in unwanted.items():
        each = tuple(value for value in dict.fromkeys(several) if value not in wanted.get(name, ()))
        if len(each) == 1:
            found.append(Filter(field=name, op="ne", value=each[0]))
        elif each:
            found.append(Filter(field=name, op="not_in", value=each))
    return found, compared


def _flags(text: str, named: Sequence[Naming], dataset: DatasetDescription) -> tuple[list[Filter], list[Place]]:
    """Fields that are true or false and named as what records are: `online events`, `events that are not free`."""
    found: list[Filter] = []
    places: list[Place] = []
    for naming in named:
        if naming.field.type == "boolean" and not asked.groups_numbers(text, naming.place):
            out = asked.negated(text, naming.place)
            found.append(Filter(field=naming.field.name, value=not out))
            places.append(naming.place)
    for field in dataset.fields:
        word = words_of_name(field.name)[-1:] if field.type == "boolean" else ()
        if word and (match := re.search(rf"\b(?:un|in|non-?){re.escape(word[0])}\w{{0,4}}\b", text, re.IGNORECASE)):
            found.append(Filter(field=field.name, value=False))
            places.append(match.span())
    return found, places


def _of_days(days: Days, moment: DataField | None) -> list[Filter]:
    """From the first day on, and before the day behind the last: so the last day counts whole, in years its year."""
    if moment is None:
        return []

    def bound(day: date) -> Scalar:
        return day.isoformat() if moment.type == "date" else day.year

    if apart := _apart(days, moment):
        return [Filter(field=moment.name, op="in", value=apart)]
    found = [Filter(field=moment.name, op="gte", value=bound(days.since))] if days.since else []
    if days.until:
        until = days.until if moment.type == "date" else date((days.until - timedelta(days=1)).year + 1, 1, 1)
        found.append(Filter(field=moment.name, op="lt", value=bound(until)))
    return found


def _apart(days: Days, moment: DataField | None) -> tuple[Scalar, ...]:
    """The years or months that stand apart, as the field has them: one of years has no months."""
    if moment is None or moment.type == "date":
        return days.apart
    return tuple(map(int, days.apart)) if all(map(str.isdigit, days.apart)) else ()


def _of_mentions(
    mentions: Sequence[tuple[str, ...]], dataset: DatasetDescription, named: Sequence[Naming], *, in_title: bool
) -> list[Filter]:
    """Where words must stand: as all conditions hold together, one field for each; that which is named, if any."""
    said = [each.field.name for each in named if _is_looked_in(each, dataset)][:1]
    title = [dataset.mapping.title] if in_title and dataset.mapping.title else []
    field = text_field([word for words in mentions for word in words], dataset, first=[*said, *title])
    values = [words if len(words) > 1 else words[0] for words in mentions]
    return [Filter(field=field, op="contains", value=value) for value in values] if field else []


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


def _is_looked_in(naming: Naming, dataset: DatasetDescription) -> bool:
    """Whether a field is named as where words stand."""
    mapping, field = dataset.mapping, naming.field
    said = field.name in (*mapping.text, mapping.title)
    return said and field.type in ("text", "category") and naming.role == "named"


def _names_one(field: DataField | None, dataset: DatasetDescription) -> bool:
    """Whether each value of a field belongs to a single record."""
    if field is None:
        return False
    return field.name == dataset.mapping.id or (field.distinct is not None and field.distinct == dataset.total)


def _ids(
    text: str, records: re.Pattern[str], named: Sequence[Naming], dataset: DatasetDescription, *, taken: Sequence[Place]
) -> tuple[list[Filter], list[Place]]:
    """The one record that is named by a number: `order 1003`, `ticket no. 7`."""
    named_ids = [each.name for each in dataset.fields if each.type == "id"]
    field = dataset.field(dataset.mapping.id or next(iter(named_ids), ""))
    if field is None or isinstance(field.minimum, str) or field.values:
        return [], []
    ends = [match.end() for match in records.finditer(text)]
    ends += [each.place[1] for each in named if each.field == field]
    for end in ends:
        match = re.compile(r"\s*(?:id|no\.?|number|#|番号|:|は|が|の)*\s*#?(\d+)(?![\d.,]*[\d%年月日件])").match(
            text, end
        )
        if match and not overlaps(match.span(1), taken):
            return [Filter(field=field.name, value=int(match[1]))], [match.span(1)]
    return [], []


# ── What is counted ────────────────────────────────────────────────────────────────────────────────────────────────


def moment_of(dataset: DatasetDescription) -> DataField | None:
    """The field of dates that says when: that of the mapping, else the first."""
    dates = [field for field in dataset.fields if field.type == "date"]
    return next((field for field in dates if field.name == dataset.mapping.date), dates[0] if dates else None)


def _speaks_of_another_table(text: str, dataset: DatasetDescription) -> bool:
    """Whether a table is named, and not the first one, whose fields alone are known."""
    said = {stem(word.lower()) for word in re.findall(r"[^\W_]+", text)}
    first, *others = [set(words_of_name(name)) for name in dataset.tables] or [set[str]()]
    return any(words and words <= said and not words <= first for words in others) and not first & said


def _is_year(field: DataField) -> bool:
    return bool(re.search(r"(?:^|_)year$|^年$|年度$", field.name, re.IGNORECASE))


def _can_group(field: DataField) -> bool:
    if field.type == "number":
        return _is_year(field) or (field.distinct is not None and field.distinct <= FEW)
    if field.type == "text":
        return field.distinct is not None and field.distinct <= FEW
    return field.type in ("category", "boolean", "other")


def _grouped(text: str, named: Sequence[Naming], values: Sequence[ValueNaming]) -> tuple[str, ...]:
    """The fields to group by in the order of the question; those that only introduce a value are not."""
    of_values = {each.field.name for each in values if each.beside_field}
    found: list[str] = []
    for naming in named:
        field = naming.field
        grouping = naming.role == "group"
        if field.type == "number" and not (grouping and asked.groups_numbers(text, naming.place)):
            continue
        if field.name in of_values and not grouping:
            continue
        if _can_group(field):
            found.append(field.name)
    return tuple(dict.fromkeys(found))


def _statistics(named: Sequence[Naming], grouped: Sequence[str]) -> tuple[str, ...]:
    """The fields of numbers that are named and not grouped by."""
    found = [each.field.name for each in named if each.field.type == "number" and not _is_year(each.field)]
    return tuple(dict.fromkeys(name for name in found if name not in grouped))


def _extreme(
    text: str, records: re.Pattern[str], grouped: Sequence[str], statistics: Sequence[str]
) -> Literal["", "max", "min"]:
    """Whether the record with the most of a number is asked for, or with the least: `which event had the most …`."""
    if grouped or len(statistics) != 1 or not (records.search(text) or asked.WHO.search(text)):
        return ""
    wanted = wanted_of(text)
    is_extreme = wanted.extreme or wanted.statistics in (("max",), ("min",))
    return ("min" if wanted.least else "max") if is_extreme else ""


def _asks_share_of(text: str, values: Sequence[ValueNaming]) -> str:
    """The field of which one value's share is asked: it is counted and not filtered by; empty when no share is asked.

    `what share of events in India is about AI` asks for that of AI, `the share of AI in India` too.
    """
    wanted = [each for each in values if not each.unwanted]
    match = asked.SHARE.search(text)
    if not match or not wanted:
        return ""
    if len({each.field.name for each in wanted}) == 1:
        return wanted[0].field.name
    # the subject stands before its place, and what is said of it at the end
    behind = [each for each in wanted if each.place[0] >= match.end()]
    is_said = behind and _SAID_OF.search(text[behind[0].place[1] : behind[-1].place[0]])
    return (behind[-1] if is_said else behind[0] if behind else wanted[-1]).field.name


def _histogram(
    text: str, days: Days, moment: DataField | None, named: Sequence[Naming], *, asks: bool
) -> DateHistogram | None:
    """Counts over time when the question asks for them, names a date to count by, or sets periods side by side."""
    dates = [each.field for each in named if each.field.type == "date" and each.role == "group"]
    if moment is None or moment.type != "date" or not (asks or dates or (days.several and not days.apart)):
        return None
    field = dates[0] if dates else next((each.field for each in named if each.field.type == "date"), moment)
    interval = asked.interval_of(text) or ("year" if days.several else _interval_for(field, days))
    return DateHistogram(field=field.name, interval=interval)


def _interval_for(field: DataField, days: Days) -> Interval:
    """Steps by how long the time is that is looked at: a reader can follow some thirty of them."""
    first, last = _as_day(field.minimum), _as_day(field.maximum)
    first, last = (
        max(filter(None, (first, days.since)), default=None),
        min(filter(None, (last, days.until)), default=None),
    )
    if first is None or last is None:
        return "month"
    span = (last - first).days
    return "day" if span <= 45 else "week" if span <= 180 else "month" if span <= 1_100 else "year"


def interval_within(field: DataField, filters: Sequence[Filter]) -> Interval:
    """Steps for the time that the conditions leave: the years of one year are one bar."""
    bounds = {each.op: _as_day(each.value) for each in filters if each.field == field.name and each.op in ("gte", "lt")}
    if not all(bounds.values()) or len(bounds) < 2:
        return "year"
    return _interval_for(field, Days(since=bounds["gte"], until=bounds["lt"]))


def _as_day(value: Scalar | tuple[Scalar, ...]) -> date | None:
    match = re.match(r"\d{4}-\d\d-\d\d", value) if isinstance(value, str) else None
    try:
        return date.fromisoformat(match[0]) if match else None
    except ValueError:
        return None
