"""The arguments of the tool `analyze`, checked: what cannot be understood is refused, never left away."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, get_args

from fathom.data.profile import conditions_by_field
from fathom.data.requests import PAGE_SIZE, TOP_N, DataRequest, DateHistogram, Filter, Interval, Operator, Scalar
from fathom.datasets.tables import Table
from fathom.errors import ToolFailed
from fathom.registry import did_you_mean

MOST_FILTERS = 100
"""Filters of one request."""
MOST_KEYS = 10
"""Fields that may be grouped by, or summed up, at once."""
_MOST_BITS = 1_000
"""Of a whole number: what is larger is no number of a table, nor one that Python turns into anything else."""
_SCALAR = {"type": ["string", "number", "boolean", "null"]}
_NAMES = {"type": ["array", "string", "null"], "items": {"type": "string"}}
_OPERATORS: tuple[str, ...] = get_args(Operator)
_INTERVALS: tuple[str, ...] = get_args(Interval)

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "table": {"type": ["string", "null"], "description": "Name of the table. Default: the first."},
        "filters": {
            "description": (
                "Conditions, all of which hold: a list of {field, op, value}, or an object of values by field, "
                'like {"country": "India"}. Dates may be written 2024, 2024-Q1, 2024-03 or 2024-03-05. '
                "'contains' ignores case; of a list, one is held. 'ne' and 'not_in' also find records without a value."
            ),
            "anyOf": [
                {
                    "type": "array",
                    "maxItems": MOST_FILTERS,
                    "items": {
                        "type": "object",
                        "required": ["field"],
                        "additionalProperties": False,
                        "properties": {
                            "field": {"type": "string"},
                            "op": {"enum": list(_OPERATORS), "default": "eq"},
                            "value": {"anyOf": [_SCALAR, {"type": "array", "items": _SCALAR}]},
                        },
                    },
                },
                {"type": ["object", "string", "null"]},
            ],
        },
        "group_by": {**_NAMES, "description": "Count records for each value of these fields, the largest group first."},
        "date_histogram": {
            "description": "Count records over time; with group_by, for each group.",
            "type": ["object", "string", "null"],
            "required": ["field"],
            "additionalProperties": False,
            "properties": {
                "field": {"type": "string", "description": "A field of dates."},
                "interval": {"enum": list(_INTERVALS), "default": "month"},
            },
        },
        "statistics": {
            **_NAMES,
            "description": "Fields of numbers: count, min, max, mean, median and sum of all records or of each group.",
        },
        "top_n": {
            "type": ["integer", "null"],
            "minimum": 1,
            "maximum": 1_000,
            "default": TOP_N,
            "description": "Groups that are returned.",
        },
        "samples_per_bucket": {
            "type": ["integer", "null"],
            "minimum": 0,
            "maximum": 100,
            "default": 0,
            "description": "Records that come with each group.",
        },
        "page_size": {
            "type": ["integer", "null"],
            "minimum": 1,
            "maximum": PAGE_SIZE,
            "default": PAGE_SIZE,
            "description": "Records of a page. Without group_by, date_histogram and statistics a page is returned.",
        },
        "search_after": {
            "type": ["array", "null"],
            "items": _SCALAR,
            "description": "Where the page before has ended: its page.search_after, as it is.",
        },
    },
}
"""JSON Schema of the arguments."""
_KNOWN = list(SCHEMA["properties"])


def request_of(arguments: Mapping[str, Any]) -> DataRequest:
    """What is asked for. Filters may also be a JSON text, and lists of names one text with commas.

    Raises:
        ToolFailed: an argument is not known, or is not what the schema says.
    """
    for name in arguments:
        if name not in _KNOWN:
            raise ToolFailed(f"There is no argument '{name}'.{did_you_mean(name, _KNOWN)} Known: {', '.join(_KNOWN)}.")
    given = {name: value for name, value in arguments.items() if value is not None}
    return DataRequest(
        table=_text("table", given.get("table", "")),
        filters=_filters(given.get("filters", [])),
        group_by=_names("group_by", given.get("group_by", [])),
        date_histogram=_histogram(given.get("date_histogram")),
        statistics=_names("statistics", given.get("statistics", [])),
        top_n=_whole("top_n", given.get("top_n", TOP_N), 1, 1_000),
        samples_per_bucket=_whole("samples_per_bucket", given.get("samples_per_bucket", 0), 0, 100),
        page_size=_whole("page_size", given.get("page_size", PAGE_SIZE), 1, PAGE_SIZE),
        search_after=_cursor(given.get("search_after", [])),
    )


def spelled_out(request: DataRequest, table: Table) -> DataRequest:
    """The request with the names of fields that hold commas put together again."""
    known = {column.name for column in table.columns}

    def whole(names: tuple[str, ...]) -> tuple[str, ...]:
        joined = [each for each in (", ".join(names), ",".join(names)) if len(names) > 1 and each in known]
        return (joined[0],) if joined and not set(names) <= known else names

    return request.model_copy(update={"group_by": whole(request.group_by), "statistics": whole(request.statistics)})


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ToolFailed(f"{name} is a text.")
    return _sound(value)


def _sound(text: str) -> str:
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise ToolFailed("A text holds half a character: write it in UTF-8.")
    return text


def _whole(name: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ToolFailed(f"{name} is a whole number from {least} to {most}.")
    return value


def _names(argument: str, value: Any) -> tuple[str, ...]:
    listed = _unpacked(value) if isinstance(value, str) and value.lstrip().startswith("[") else value
    if isinstance(listed, str):
        listed = [part.strip() for part in listed.split(",") if part.strip()]
    if not isinstance(listed, list) or not all(isinstance(each, str) and each.strip() for each in listed):
        raise ToolFailed(f"{argument} is a list of names of fields.")
    if len(listed) > MOST_KEYS:
        raise ToolFailed(f"{argument} names {len(listed)} fields; at most {MOST_KEYS} are allowed.")
    return tuple(dict.fromkeys(map(_sound, listed)))


def _unpacked(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ToolFailed(f"This is no JSON: {text[:100]!r}.") from error


def _histogram(value: Any) -> DateHistogram | None:
    if value is None or value == "":
        return None
    if isinstance(value, str):
        if value.lstrip().startswith("{"):
            value = _unpacked(value)
        else:
            field, _, interval = (
                value.rpartition(":") if value.rpartition(":")[2] in _INTERVALS else (value, "", "month")
            )
            value = {"field": field, "interval": interval}
    if not isinstance(value, Mapping) or not isinstance(value.get("field"), str) or not value["field"]:
        raise ToolFailed('date_histogram is {"field": NAME, "interval": "month"}.')
    interval = value.get("interval") or "month"
    if interval not in _INTERVALS or set(value) - {"field", "interval"}:
        raise ToolFailed(
            f"The interval of date_histogram is one of {', '.join(_INTERVALS)}, and it has no other parts."
        )
    return DateHistogram(field=_sound(value["field"]), interval=interval)


def _filters(value: Any) -> tuple[Filter, ...]:
    if isinstance(value, str):
        value = _unpacked(value) if value.strip() else []
    if isinstance(value, Mapping):
        value = conditions_by_field(value)
    if not isinstance(value, list):
        raise ToolFailed("filters is a list of {field, op, value}, or an object of values by field.")
    if len(value) > MOST_FILTERS:
        raise ToolFailed(f"There are {len(value)} filters; at most {MOST_FILTERS} are allowed.")
    return tuple(map(_filter, value))


def _filter(given: Any) -> Filter:
    if not isinstance(given, Mapping) or not isinstance(given.get("field"), str) or not given["field"]:
        raise ToolFailed("Each filter is {field, op, value}, and field is the name of a field.")
    if unknown := set(given) - {"field", "op", "value"}:
        raise ToolFailed(f"A filter has field, op and value, and no '{min(map(str, unknown))}'.")
    op = given.get("op", "eq")
    if op not in _OPERATORS:
        raise ToolFailed(
            f"There is no operator '{op}'.{did_you_mean(str(op), list(_OPERATORS))} Known: {', '.join(_OPERATORS)}."
        )
    value = given.get("value")
    if op in ("is_null", "not_null"):
        # as an object they are written {"is_null": true}, and {"is_null": false} is the opposite
        op = {"is_null": "not_null", "not_null": "is_null"}[op] if value is False else op
        return Filter(field=_sound(given["field"]), op=op)
    if isinstance(value, list):
        return Filter(field=_sound(given["field"]), op=op, value=tuple(_scalar(each) for each in value))
    return Filter(field=_sound(given["field"]), op=op, value=_scalar(value))


def _scalar(value: Any) -> Scalar:
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise ToolFailed("The value of a filter is a number that is too large.")
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return _sound(value)
    raise ToolFailed("The value of a filter is a text, a number, true, false or null, or a list of these.")


def _cursor(value: Any) -> tuple[Scalar, ...]:
    listed = value if isinstance(value, list) else [value]
    if not all(isinstance(each, int | str) for each in listed):
        raise ToolFailed("search_after is not what the page before has said: give back its list as it is.")
    return tuple(listed)
