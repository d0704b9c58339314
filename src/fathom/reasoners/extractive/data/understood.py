"""The words of a question by what each surely is: a day, a value, a field, an amount, a text to look for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from fathom.data.fields import DataField, DatasetDescription
from fathom.languages.packs import words
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
    fields_said,
    is_free,
    said,
    signed,
)
from fathom.reasoners.extractive.data.leftover import subjects
from fathom.reasoners.extractive.data.naming import Naming, namings, speaks_of_records, values_in
from fathom.reasoners.extractive.data.words import words_of_name
from fathom.text.analysis import stem

_YES = words("records.yes")


class Understood:
    """A question against a dataset: each word is taken once, the surest readings first; what nobody takes is left."""

    def __init__(self, text: str, dataset: DatasetDescription, *, today: str) -> None:
        self.text, self._bare, records = text, text, speaks_of_records(text, dataset)
        self.moment = days.moment_of(dataset)
        """The field that says when."""
        self.days = days.days_of(text, self.moment, today=today)
        self._take(self.days.places, DAYS)
        values = values_in(self._bare, dataset)
        self._take((each.place for each in values), VALUE)
        named = namings(self._bare, dataset)
        self._by = fields_said("by", signed(self._bare, (each.place for each in named), FIELD))
        self.values = self._told_apart(values, self._flags(named, dataset))
        """Values and flags that are named, wanted or not."""
        self.amounts, places = amounts_in(self._bare, dataset, named, records=records)
        self._take(places, TAKEN)
        by_name = (each.place for each in named if each.by_name and is_free(self._bare, each.place))
        self.mentions, places = mentions_in(signed(self._bare, by_name, FIELD), records=records)
        """What texts must hold: of each one."""
        self._take(places, TAKEN)
        self.fields = [each for each in named if is_free(self._bare, each.place)]
        """Fields that are named for themselves, and not as a part of a condition."""
        self.shape = signed(self._bare, (each.place for each in self.fields), FIELD)
        free = (place for match in records.finditer(text) if is_free(self.shape, place := match.span()))
        self.left = signed(self.shape, free, RECORDS)
        """The shape with a sign for each word for the records, too: what has none is not understood."""
        not_dates = (each.place for each in self.fields if each.field.type != "date")
        self.steps = signed(self._bare, not_dates, FIELD)
        """The shape in which dates keep their names: of a `monthly fee` no month is asked."""
        self.called = subjects(self._bare)
        """Stems of what is asked about: where it is no field, a word for the records."""

    def _take(self, places: Iterable[Place], sign: str) -> None:
        self._bare = signed(self._bare, places, sign)

    def _flags(self, named: Sequence[Naming], dataset: DatasetDescription) -> list[Naming]:
        """Fields that are true or false and named as what records are: `online events`, `unmarried nurses`."""
        flags = [replace(each, value=raised) for each in named if not self.groups_by(each) if (raised := _raised(each))]
        for field in dataset.fields:
            word = words_of_name(field.name)[-1:] if field.type == "boolean" else ()
            if word and (match := re.search(rf"\b(?:un|in|non-?){re.escape(word[0])}\w{{0,4}}\b", self._bare, re.I)):
                flags.append(Naming(field=field, place=match.span(), value=True, unwanted=True))
        self._take((each.place for each in flags), VALUE)
        return flags

    def _told_apart(self, values: Sequence[Naming], flags: Sequence[Naming]) -> list[Naming]:
        """What is denied is unwanted; values of a list are so together: `except AI and Health`, `AI と健康以外`."""
        denials = [match.span() for match in each_said("not", self._bare)]
        self._take(denials, TAKEN)
        return [
            replace(each, unwanted=each.unwanted or any(start <= each.place[0] < end for start, end in denials))
            for each in (*values, *flags)
        ]

    def says(self, form: str) -> bool:
        """Whether it has a construction, in words that are no part of a name."""
        return bool(said(form, self.left if form in ("which", "list records") else self.shape))

    @property
    def speaks_of_records(self) -> bool:
        """Whether a word for the records stands in it."""
        return RECORDS in self.left

    def groups_by(self, field: Naming) -> bool:
        """Whether records are grouped by a field that it names: `by country`, `which country`, `国別`."""
        return field.place[0] in self._by

    def calls_so(self, word: str) -> bool:
        """Whether a word says what is asked about."""
        return stem(word.lower()) in self.called


def _raised(naming: Naming) -> str | bool:
    """The value of a field that says that what it is called holds; empty when it has none such."""
    values = naming.field.values if len(naming.field.values) == 2 else ()
    return naming.field.type == "boolean" or next((value for value in values if value.lower() in _YES), "")


def is_unique(field: DataField | None, dataset: DatasetDescription) -> bool:
    """Whether each value of a field belongs to a single record."""
    if field is None or field.name == dataset.mapping.id:
        return field is not None
    return bool(field.distinct and dataset.total and field.distinct >= UNIQUE * dataset.total)


UNIQUE = 0.95
"""Different values of a field that names records, as a share of the records."""
