"""Which arguments of a tool mean what, told by their names and types; requests as arguments, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, cast, get_args

from fathom.data.fields import DataTool, ToolProfile
from fathom.data.requests import PAGE_SIZE, DataRequest, DateHistogram, Filter, Interval, Operator, Scalar

_NAMES: dict[str, tuple[str, ...]] = {
    "table": ("table", "dataset", "collection", "index"),
    "text": ("query", "text", "q", "search", "keywords", "question"),
    "filters": ("filters", "filter", "where", "conditions"),
    "group_by": ("group_by", "groupby", "group", "facet", "facets", "aggregate_by", "by"),
    "date_histogram": ("date_histogram", "histogram", "time_histogram", "over_time", "interval"),
    "statistics": ("statistics", "stats", "metrics", "measures", "aggregate_fields"),
    "top_n": ("top_n", "top", "max_buckets", "bucket_limit", "n"),
    "samples_per_bucket": ("samples_per_bucket", "samples", "sample_size", "examples_per_group"),
    "page_size": ("page_size", "limit", "size", "per_page", "max_results", "rows", "count"),
    "cursor": ("search_after", "cursor", "after", "next_cursor", "page_token", "offset", "skip", "start", "page"),
}
"""What the arguments of tools are called, the surest name first."""
_COUNTED: dict[str, Literal["offset", "page"]] = {
    "offset": "offset",
    "skip": "offset",
    "start": "offset",
    "page": "page",
}
"""Cursors that count what came before."""


def profile_of(schema: Mapping[str, Any]) -> ToolProfile:
    """What the arguments of a tool mean, by the JSON Schema of its input.

    >>> profile_of({"properties": {"where": {"type": "string"}, "offset": {"type": "integer"}}}).cursor_as
    'offset'
    """
    properties = schema.get("properties")
    given = {str(name): types_of(each) for name, each in properties.items()} if isinstance(properties, Mapping) else {}
    found = {part: next((name for name in names if name in given), "") for part, names in _NAMES.items()}

    def types(part: str) -> tuple[str, ...]:
        return given.get(found[part], ())

    how: dict[str, Any] = {}
    if found["filters"]:
        how["filters_as"] = "list" if "array" in types("filters") else _object_or_json(types("filters"))
    for part in ("group_by", "statistics"):
        how[f"{part}_as"] = "string" if types(part) and "array" not in types(part) else "list"
    if found["date_histogram"]:
        how["date_histogram_as"] = _object_or_json(types("date_histogram"))
    if found["page_size"]:
        how["max_page_size"] = _most(cast(Mapping[str, Any], properties)[found["page_size"]])
    if found["cursor"]:
        kinds = types("cursor")
        how["cursor_as"] = _COUNTED.get(found["cursor"]) or ("list" if "array" in kinds or not kinds else "scalar")
    return ToolProfile(**found, **how)


def finds_texts(tools: Iterable[DataTool]) -> bool:
    """Whether `search(query)` and `fetch(id)` are among the tools: then their server holds texts.

    >>> one = DataTool(name="search", input_schema={"properties": {"query": {"type": "string"}}, "required": ["query"]})
    >>> finds_texts([one]), finds_texts([one, DataTool(name="fetch", input_schema={"properties": {"id": {}}})])
    (False, True)
    """
    schemas = {tool.name: tool.input_schema for tool in tools}

    def takes(tool: str, argument: str) -> bool:
        given, needed = (schemas.get(tool, {}).get(key) or {} for key in ("properties", "required"))
        return argument in given and "string" in (types_of(given[argument]) or ("string",)) and {*needed} <= {argument}

    return takes("search", "query") and takes("fetch", "id")


def types_of(schema: Any) -> tuple[str, ...]:
    """The JSON types that a schema allows besides null, in order."""
    if not isinstance(schema, Mapping):
        return ()
    own = schema.get("type")
    found = [own] if isinstance(own, str) else list(own) if isinstance(own, list) else []
    for key in ("anyOf", "oneOf"):
        options = schema.get(key)
        found += [each for option in options for each in types_of(option)] if isinstance(options, list) else []
    return tuple(dict.fromkeys(each for each in found if isinstance(each, str) and each != "null"))


def _object_or_json(types: Sequence[str]) -> Literal["object", "json"]:
    return "json" if tuple(types) == ("string",) else "object"


def _most(schema: Any) -> int | None:
    most = schema.get("maximum") if isinstance(schema, Mapping) else None
    return most if isinstance(most, int) and not isinstance(most, bool) and most > 0 else None


# ── A request as arguments ─────────────────────────────────────────────────────────────────────────────────────────


def arguments_for(profile: ToolProfile, request: DataRequest) -> dict[str, Any]:
    """The arguments that ask a tool for `request`; what it has no argument for is left away.

    >>> profile = ToolProfile(filters="filters", filters_as="json", group_by="group_by", group_by_as="string")
    >>> arguments_for(profile, DataRequest(filters=(Filter(field="country", value="India"),), group_by=("theme",)))
    {'filters': '{"country": "India"}', 'group_by': 'theme'}
    """
    found: dict[str, Any] = {}

    def put(name: str, value: Any) -> None:
        if name and value not in ("", (), [], None):
            found[name] = value

    put(profile.table, request.table)
    put(profile.text, request.text)
    if request.filters:
        put(profile.filters, _filters_out(request.filters, profile.filters_as))
    put(profile.group_by, _several(request.group_by, profile.group_by_as))
    if request.date_histogram:
        put(profile.date_histogram, _histogram_out(request.date_histogram, profile.date_histogram_as))
    put(profile.statistics, _several(request.statistics, profile.statistics_as))
    if request.group_by:
        put(profile.top_n, request.top_n)
        put(profile.samples_per_bucket, request.samples_per_bucket or None)
    if request.is_page:
        put(profile.page_size, min(request.page_size, profile.max_page_size or PAGE_SIZE))
        if request.search_after:
            put(profile.cursor, _cursor_out(request.search_after, profile.cursor_as))
    return found


def lacks(profile: ToolProfile, request: DataRequest) -> list[str]:
    """The parts of a request that the tool has no argument for, or none whose form holds them."""
    wanted = {
        "filters": bool(request.filters),
        "group_by": bool(request.group_by),
        "date_histogram": request.date_histogram is not None,
        "statistics": bool(request.statistics),
        "text": bool(request.text),
        "cursor": bool(request.search_after),
    }
    missing = [part for part, is_wanted in wanted.items() if is_wanted and not getattr(profile, part)]
    if profile.filters and not _holds(profile.filters_as, request.filters):
        missing.append("filters")
    return missing


def _holds(how: str, filters: Sequence[Filter]) -> bool:
    """Whether the form holds all filters: an object has one value per field and kind of condition."""
    kinds = [(each.field, each.op) for each in filters]
    return how == "list" or len(set(kinds)) == len(kinds)


def _several(names: Sequence[str], how: str) -> Any:
    return ",".join(names) if how == "string" else list(names)


def _filters_out(filters: Sequence[Filter], how: str) -> Any:
    if how == "list":
        return [each.model_dump(mode="json") for each in filters]
    found: dict[str, Any] = {}
    for each in filters:
        value = list(each.value) if isinstance(each.value, tuple) else each.value
        if each.op == "eq" and each.field not in found:
            found[each.field] = value
            continue
        before = found.get(each.field, {})
        conditions = before if isinstance(before, dict) else {"eq": before}
        found[each.field] = {**conditions, each.op: value if each.op not in ("is_null", "not_null") else True}
    return json.dumps(found, ensure_ascii=False) if how == "json" else found


def _histogram_out(histogram: DateHistogram, how: str) -> Any:
    if how == "string":
        return f"{histogram.field}:{histogram.interval}"
    found = histogram.model_dump(mode="json")
    return json.dumps(found, ensure_ascii=False) if how == "json" else found


def _cursor_out(after: tuple[Scalar, ...], how: str) -> Any:
    if how == "json":
        return json.dumps(list(after), ensure_ascii=False)
    return list(after) if how == "list" else after[0]


# ── Arguments as a request ─────────────────────────────────────────────────────────────────────────────────────────


def request_of(profile: ToolProfile, arguments: Mapping[str, Any]) -> DataRequest:
    """What a tool is asked for by `arguments`, as far as they are understood; never an error."""

    def value(part: str) -> Any:
        return arguments.get(getattr(profile, part)) if getattr(profile, part) else None

    found: dict[str, Any] = {
        "table": _text(value("table")),
        "text": _text(value("text")),
        "filters": filters_of(value("filters")),
        "group_by": names_of(value("group_by")),
        "date_histogram": histogram_of(value("date_histogram")),
        "statistics": names_of(value("statistics")),
        "search_after": _cursor_in(value("cursor"), profile.cursor_as),
    }
    for part, most in (("top_n", 1_000), ("samples_per_bucket", 100), ("page_size", PAGE_SIZE)):
        number = value(part)
        if isinstance(number, int) and not isinstance(number, bool) and number > 0:
            found[part] = min(number, most)
    return DataRequest(**found)


def besides_of(tool: DataTool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that a request has no word for: only the tool knows what they mean.

    >>> tool = DataTool.model_validate({"name": "list", "profile": {"page_size": "limit"}})
    >>> besides_of(tool, {"city": "Pune", "limit": 5})
    {'city': 'Pune'}
    """
    parts = {name: value for name, value in tool.profile.model_dump().items() if not name.endswith("_as")}
    known = {value for value in parts.values() if isinstance(value, str)}
    return {name: value for name, value in arguments.items() if name not in known}


def names_of(value: Any) -> tuple[str, ...]:
    """Names of fields: a list, or one text with commas between them."""
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, Sequence):
        return ()
    return tuple(dict.fromkeys(each.strip() for each in value if isinstance(each, str) and each.strip()))


def filters_of(value: Any) -> tuple[Filter, ...]:
    """Conditions in any of the three forms; what is none of them is left away."""
    if isinstance(value, str):
        value = _loaded(value)
    if isinstance(value, Mapping):
        value = conditions_by_field(value)
    if not isinstance(value, Sequence):
        return ()
    told = ((each.get("field"), each.get("op", "eq"), each.get("value")) for each in value if isinstance(each, Mapping))
    return tuple(found for each in told if (found := _filter(*each)) is not None)


def conditions_by_field(given: Mapping[Any, Any]) -> list[dict[str, Any]]:
    """The conditions of an object of values by field: a value, a list of which one fits, or values by operator."""
    return [
        {"field": field, "op": op, "value": value}
        for field, own in given.items()
        for op, value in (
            own.items() if isinstance(own, Mapping) else [("in" if isinstance(own, list | tuple) else "eq", own)]
        )
    ]


def _filter(field: Any, op: Any, value: Any) -> Filter | None:
    if not isinstance(field, str) or not field.strip() or op not in get_args(Operator):
        return None
    if op in ("is_null", "not_null"):
        value = None
    if isinstance(value, list | tuple):
        return Filter(field=field, op=op, value=tuple(filter(_is_scalar, value)))
    return Filter(field=field, op=op, value=value) if _is_scalar(value) else None


def histogram_of(value: Any) -> DateHistogram | None:
    """A histogram in any of its forms; `None` when it is none."""
    if isinstance(value, str) and not isinstance(loaded := _loaded(value), Mapping):
        field, _, interval = value.rpartition(":")
        is_interval = bool(field) and interval in get_args(Interval)
        value = {"field": field if is_interval else value, "interval": interval if is_interval else "month"}
    elif isinstance(value, str):
        value = loaded
    if not isinstance(value, Mapping) or not isinstance(value.get("field"), str) or not value["field"].strip():
        return None
    interval = value.get("interval", "month")
    return DateHistogram(field=value["field"], interval=interval if interval in get_args(Interval) else "month")


def _cursor_in(value: Any, how: str) -> tuple[Scalar, ...]:
    if how == "json" and isinstance(value, str):
        value = _loaded(value)
    if value is None or value == "":
        return ()
    if isinstance(value, list | tuple):
        return tuple(filter(_is_scalar, value))
    return (value,) if _is_scalar(value) else ()


def _loaded(text: str) -> Any:
    """What a JSON text holds; `None` when it is none, or nested too deep."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | bool)
