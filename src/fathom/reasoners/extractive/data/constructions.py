"""The constructions by which questions ask of data, of all languages, each over the shape of the question.

In a shape a sign stands for each stretch that is understood, as long as the stretch: what is a date, a value, a field
or a word for the records is decided first, and the constructions then say what is asked of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from fathom.data.requests import Interval
from fathom.languages.packs import either, packs

Place = tuple[int, int]

DAYS, VALUE, FIELD, RECORDS, TAKEN = "\ue000\ue001\ue002\ue003\ue004"
"""Begin what is understood: when, a value, a field, the records, and what leads to one of these or is told of it."""
REST = "\ue005"
"""The rest of such a stretch."""
SIGNS = f"{DAYS}-{REST}"
"""All of them, as a class of characters."""


def signed(shape: str, places: Iterable[Place], sign: str) -> str:
    """A shape in which `sign` stands at these places.

    >>> signed("AI by theme", [(0, 2)], VALUE) == f"{VALUE}{REST} by theme"
    True
    """
    for start, end in places:
        shape = f"{shape[:start]}{sign}{REST * (end - start - 1)}{shape[end:]}"
    return shape


def is_free(shape: str, place: Place) -> bool:
    """Whether nothing of what stands there is understood."""
    return not re.search(f"[{SIGNS}]", shape[slice(*place)])


SIGNED = {"DAYS": DAYS, "VALUE": VALUE, "FIELD": FIELD, "RECORDS": RECORDS, "TAKEN": TAKEN, "REST": REST}
"""The signs by the names that the files of the languages have for them."""
_NEXT = rf"\s*(?:{either('constructions.joins')})\s*(?:in\s+|the\s+)?{VALUE}{REST}*"


@cache
def _construction(form: str) -> re.Pattern[str]:
    return re.compile(either(f"constructions.{form.replace(' ', '_')}", **SIGNED, next=_NEXT), re.IGNORECASE)


def said(form: str, shape: str) -> re.Match[str] | None:
    """Where a text, or the shape of one, first has a construction.

    >>> [bool(said("count", text)) for text in ("How many are there?", "何件ですか", "Which are there?")]
    [True, True, False]
    """
    return _construction(form).search(shape)


def each_said(form: str, shape: str) -> list[re.Match[str]]:
    """Everywhere that a shape has a construction."""
    return list(_construction(form).finditer(shape))


def fields_said(form: str, shape: str) -> set[int]:
    """Where the fields begin that a construction speaks of."""
    return {max(match.start(group) for group in match.groupdict()) for match in each_said(form, shape)}


_INTERVALS: dict[Interval, re.Pattern[str]] = {
    step: re.compile(
        "|".join(
            each.pattern("steps.asked", **SIGNED, step=known, often=each.pattern(f"often.{step}"))
            for each in packs()
            if (known := each.pattern(f"steps.{step}"))
        ),
        re.IGNORECASE,
    )
    for step in ("quarter", "month", "week", "day", "year")
}


def interval_of(text: str) -> Interval | None:
    """The step that is named; `None` when none is.

    >>> interval_of("events per month"), interval_of("年ごとの推移"), interval_of("over time")
    ('month', 'year', None)
    """
    return next((interval for interval, pattern in _INTERVALS.items() if pattern.search(text)), None)


def over_time(text: str) -> bool:
    """Whether counts over time are asked for."""
    return bool(interval_of(text) or said("time", text))
