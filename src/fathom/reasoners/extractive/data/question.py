"""A question read against a dataset: what it filters by, what it counts by, and what it needs the records for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from fathom.data.fields import DataField, DatasetDescription
from fathom.data.requests import DateHistogram, Filter, Interval, Scalar
from fathom.data.turns import SynthesisFormat
from fathom.reasoners.extractive.data import asked
from fathom.reasoners.extractive.data.amounts import amounts_in
from fathom.reasoners.extractive.data.days import Days, days_in
from fathom.reasoners.extractive.data.mentions import inside, mentions_in, quoted
from fathom.reasoners.extractive.data.naming import Naming, Place, namings, overlaps, speaks_of_records
from fathom.reasoners.extractive.data.values import ValueNaming, values_in
from fathom.text.analysis import query_terms

READ = 2_000
"""Characters that are read; what is longer is a text, and its beginning says what it wants."""
MOST_GROUPS = 3
"""Fields that records are grouped by, one after the other."""
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
    why: bool = False
    """Whether it asks for reasons, which only texts can tell."""
    words: str = ""
    """What is left of it besides all that: what a search is asked, and what texts are read for."""
    format: SynthesisFormat = "comprehensive_report"
    """How the answer is to be put."""

    @property
    def needs_texts(self) -> bool:
        """Whether counts alone leave it open."""
        counted = self.group_by or self.histogram or self.statistics or self.counts
        return self.promises_scan or self.why or (self.explains and not counted)

    @property
    def promises_scan(self) -> bool:
        """Whether only the end of a scan answers it: it wants every record, or how many texts mention something."""
        return self.lists or bool(self.mentions and self.counts)

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
    moment = _moment(dataset)
    days = days_in(text, today=today) if moment else Days()
    quotes = quoted(text)
    values = [each for each in values_in(text, dataset, taken=days.places) if not inside(each.place, quotes)]
    taken = [*days.places, *(each.place for each in values)]
    named = namings(text, dataset, taken=taken)
    amounts, amount_places = amounts_in(text, dataset, named, records=records, taken=taken)
    taken += amount_places
    named = [each for each in named if not overlaps(each.place, amount_places)]
    flags, flag_places = _flags(text, named)
    taken += flag_places
    named = [each for each in named if each.place not in flag_places]
    others = asked.others_of(text)
    values = [each for each in values if not (others and any(each.field == naming.field for naming in named))]
    grouped = _grouped(text, named, values)
    over_time = _histogram(text, days, moment, named, asks=bool(asked.TIME.search(text)))
    why = bool(asked.WHY.search(text))
    # whoever asks why people do something does not ask for the sum of them
    statistics = () if why and not asked.STATISTIC.search(text) else _statistics(named, grouped)
    share = _asks_share_of(text, values)
    if share and share not in grouped:
        grouped = (share, *grouped)
    filters, compared = _of_values([each for each in values if each.field.name != share or not share])
    if compared and compared not in grouped:
        grouped = (*grouped, compared)
    single = {each.field for each in filters if each.op == "eq"}
    grouped = tuple(name for name in grouped if name not in single)[:MOST_GROUPS]
    places = [*taken, *(each.place for each in named)]
    mentions, mention_places, in_title = mentions_in(text, taken=places, records=records)
    lists = asked.lists_records(text, records, names_fields=bool(grouped or statistics), moment=bool(over_time))
    left = asked.without(text, [*places, *mention_places], records)
    return DataQuestion(
        text=text,
        filters=(
            *filters,
            *flags,
            *_of_days(days, moment),
            *amounts,
            *_of_mentions(mentions, dataset, in_title=in_title),
        ),
        compared=compared,
        group_by=grouped,
        histogram=over_time,
        statistics=statistics,
        top_n=asked.top_n(text),
        mentions=mentions,
        counts=bool(asked.COUNT.search(text)),
        lists=lists,
        explains=bool(asked.EXPLAIN.search(text)),
        why=why,
        words=" ".join(dict.fromkeys((*mentions, *left.split()))),
        format=asked.format_of(text),
    )


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


def _flags(text: str, named: Sequence[Naming]) -> tuple[list[Filter], list[Place]]:
    """Fields that are true or false and named as what records are: `online events`, `events that are not free`."""
    found: list[Filter] = []
    places: list[Place] = []
    for naming in named:
        if naming.field.type == "boolean" and naming.role == "named":
            out = asked.negated(text, naming.place)
            found.append(Filter(field=naming.field.name, value=not out))
            places.append(naming.place)
    return found, places


def _of_days(days: Days, moment: DataField | None) -> list[Filter]:
    """From the first day on, and before the day behind the last: so the last day counts whole."""
    if moment is None:
        return []

    def bound(day: date) -> Scalar:
        return day.isoformat() if moment.type == "date" else day.year

    found = [Filter(field=moment.name, op="gte", value=bound(days.since))] if days.since else []
    if days.until:
        found.append(Filter(field=moment.name, op="lt", value=bound(days.until)))
    return found


def _of_mentions(mentions: Sequence[str], dataset: DatasetDescription, *, in_title: bool) -> list[Filter]:
    """Where words must stand: all conditions hold together, so it is one field for each."""
    mapping = dataset.mapping
    prose = [field.name for field in dataset.fields if field.type == "text"]
    places = [mapping.title or "", *mapping.text] if in_title else [*mapping.text, mapping.title or "", *prose]
    field = next((name for name in places if name and dataset.field(name)), "")
    return [Filter(field=field, op="contains", value=words) for words in mentions] if field else []


# ── What is counted ────────────────────────────────────────────────────────────────────────────────────────────────


def _moment(dataset: DatasetDescription) -> DataField | None:
    """The field that says when: that of the mapping, the first date, else one of years."""
    mapped = dataset.field(dataset.mapping.date or "")
    if mapped is not None and mapped.type == "date":
        return mapped
    found = next((field for field in dataset.fields if field.type == "date"), None)
    if found is not None:
        return found
    return next((field for field in dataset.fields if field.type == "number" and _is_year(field)), None)


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
        if field.type == "number" and (not grouping or asked.STATISTIC.search(text[: naming.place[0]][-24:])):
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
    behind = [each for each in wanted if each.place[0] >= match.end()]
    before = [each for each in wanted if each.place[0] < match.start()]
    if asked.is_verb_between(text, behind[0].place[1], behind[-1].place[0]) if len(behind) > 1 else not behind:
        return (behind or before)[-1].field.name
    return (behind or before)[0].field.name


def _histogram(
    text: str,
    days: Days,
    moment: DataField | None,
    named: Sequence[Naming],
    *,
    asks: bool,
) -> DateHistogram | None:
    """Counts over time when the question asks for them, names a date to count by, or sets periods side by side."""
    dates = [each.field for each in named if each.field.type == "date" and each.role == "group"]
    if moment is None or moment.type != "date" or not (asks or dates or days.several):
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


def _as_day(value: Scalar) -> date | None:
    match = re.match(r"\d{4}-\d\d-\d\d", value) if isinstance(value, str) else None
    try:
        return date.fromisoformat(match[0]) if match else None
    except ValueError:
        return None


def topical(question: DataQuestion) -> list[str]:
    """The terms of what texts are read for."""
    return query_terms(question.words)
