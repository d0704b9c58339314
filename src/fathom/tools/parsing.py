"""What a tool returns, in any shape, as a `ToolResult`. No JSON makes it fail; what nobody understands is text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fathom.data.fields import ToolProfile
from fathom.data.profile import request_of
from fathom.data.requests import DataRequest
from fathom.data.results import Aggregation, ToolResult
from fathom.tools.cleaning import as_json, clean_line, clean_text
from fathom.tools.counts import count, counted_rows, own_aggregations, searched_aggregations
from fathom.tools.paging import next_page
from fathom.tools.records import objects, records_of
from fathom.tools.texts import value_in

_ROWS = ("results", "items", "data", "records", "rows", "documents", "entries", "hits", "value", "values", "result")
"""What holds the records, the surest name first."""
_COUNTED = ("facets", "aggregations", "aggs", "facet_counts", "counts", "buckets", "distribution")
_TOTALS = (
    "total_count",
    "totalCount",
    "total_hits",
    "totalHits",
    "num_found",
    "numFound",
    "matched",
    "total",
    "count_total",
)
_MOST_TEXT = 50_000


@dataclass
class _Reading:
    """What was found in a value."""

    rows: list[Mapping[Any, Any]] | None = None
    ids: list[Any] = field(default_factory=list)
    id_field: str | None = None
    aggregations: list[Aggregation] = field(default_factory=list)
    matched: int | None = None
    total: int | None = None
    sorted_by: Any = None
    """Where a search engine says that the last record stands."""
    revision: str = ""

    def __bool__(self) -> bool:
        return self.rows is not None or bool(self.aggregations)


def parsed(
    result: Mapping[str, Any], *, profile: ToolProfile, arguments: Mapping[str, Any], id_field: str | None = None
) -> ToolResult:
    """A result of the protocol as ours.

    Args:
        result: `structuredContent` and `content`, as they came.
        profile: What the arguments of the tool mean.
        arguments: What it was asked.
        id_field: What names a record, when that is known.
    """
    request = request_of(profile, arguments)
    text = texts_of(result)
    for value in (result.get("structuredContent"), text):
        whole = _unwrapped(value)
        if isinstance(whole, str):
            text, whole = whole, value_in(whole)
        if whole is None:
            continue
        reading = _read(whole, request, id_field)
        if reading:
            return _result(reading, whole, request, profile, arguments, id_field)
    structured = result.get("structuredContent")
    shown = text or (as_json(structured) if structured else "")
    return ToolResult(request=request, text=clean_text(shown, most=_MOST_TEXT))


def texts_of(result: Mapping[str, Any]) -> str:
    """The text contents of a result, one below the other; pictures, sounds and resources are left out."""
    texts = (each.get("text") for each in objects(result.get("content")) if each.get("type") == "text")
    return "\n".join(text for text in texts if isinstance(text, str))


def _result(
    reading: _Reading,
    whole: Any,
    request: DataRequest,
    profile: ToolProfile,
    arguments: Mapping[str, Any],
    id_field: str | None,
) -> ToolResult:
    records = records_of(reading.rows or [], id_field=reading.id_field or id_field, ids=reading.ids)
    page = next_page(
        whole,
        profile=profile,
        arguments=arguments,
        records=len(records),
        matched=reading.matched,
        sorted_by=reading.sorted_by,
    )
    return ToolResult(
        request=request,
        aggregations=tuple(reading.aggregations),
        records=tuple(records),
        matched=reading.matched,
        total=reading.total,
        has_more=page.has_more,
        search_after=page.search_after,
        revision=reading.revision,
    )


def _unwrapped(value: Any) -> Any:
    """What the SDK of a server has put below `result`, because it was no object."""
    if isinstance(value, Mapping) and len(value) == 1 and isinstance(value.get("result"), str | list | dict):
        return value["result"]
    return value


def _read(value: Any, request: DataRequest, id_field: str | None) -> _Reading:
    if isinstance(value, list):
        return _rows_read(value, request)
    if not isinstance(value, Mapping):
        return _Reading()
    if isinstance(value.get("data_context"), Mapping):
        return _own(value, request, id_field)
    hits = value.get("hits")
    if isinstance(hits, Mapping) and isinstance(hits.get("hits"), list):
        return _searched(value, hits, request)
    return _general(value, request)


def _own(value: Mapping[Any, Any], request: DataRequest, id_field: str | None) -> _Reading:
    about = value["data_context"]
    own_id = about.get("id_field")
    name = clean_line(own_id) if isinstance(own_id, str) and own_id else id_field
    matched = count(about.get("unique_ids_matched"))
    return _Reading(
        rows=objects(value.get("documents")),
        id_field=name,
        aggregations=own_aggregations(value.get("aggregations"), request, matched=matched, id_field=name),
        matched=matched,
        total=count(about.get("total_records")),
        revision=clean_line(str(about.get("revision") or "")),
    )


def _searched(value: Mapping[Any, Any], hits: Mapping[Any, Any], request: DataRequest) -> _Reading:
    """The shape of Elasticsearch and its kin."""
    each = objects(hits["hits"])
    rows = [hit["_source"] if isinstance(hit.get("_source"), Mapping) else hit for hit in each]
    total = hits.get("total")
    if isinstance(total, Mapping):
        matched = count(total.get("value")) if total.get("relation", "eq") == "eq" else None
    else:
        matched = count(total)
    return _Reading(
        rows=rows,
        ids=[hit.get("_id") for hit in each],
        aggregations=searched_aggregations(value.get("aggregations", value.get("facets")), request, matched=matched),
        matched=matched,
        total=matched if _asks_for_all(request) else None,
        sorted_by=each[-1].get("sort") if each else None,
    )


def _general(value: Mapping[Any, Any], request: DataRequest) -> _Reading:
    reading = _Reading()
    columns, rows = value.get("columns"), value.get("rows")
    if isinstance(columns, list) and isinstance(rows, list) and columns:
        reading = _rows_read(_table(columns, rows), request)
        reading.rows = reading.rows if reading else []
    else:
        for name in _ROWS:
            inner = value.get(name)
            if isinstance(inner, list) and (all(isinstance(row, Mapping) for row in inner)):
                reading = _rows_read(inner, request)
                break
            if isinstance(inner, Mapping) and name in ("data", "result", "results", "hits"):
                reading = _read(inner, request, None)
                if reading:
                    break
    for name in _COUNTED:
        if name in value and not reading.aggregations:
            inner = value[name]
            listed = counted_rows(inner, request) if isinstance(inner, list) else None
            reading.aggregations = [listed] if listed else searched_aggregations(inner, request, matched=None)
    if not reading and _is_record(value):
        reading.rows = [value]
        return reading
    if reading.matched is None:
        about = value.get("meta") if isinstance(value.get("meta"), Mapping) else value.get("pagination")
        places = [value, about] if isinstance(about, Mapping) else [value]
        totals = (count(place.get(name)) for place in places for name in _TOTALS)
        reading.matched = next((total for total in totals if total is not None), None)
        if _asks_for_all(request):
            reading.total = reading.matched
    return reading


def _rows_read(rows: Sequence[Any], request: DataRequest) -> _Reading:
    """Rows as records, or as counts when they are that."""
    records = objects(rows)
    if rows and not records:
        return _Reading()
    counted = counted_rows(records, request)
    return _Reading(aggregations=[counted]) if counted else _Reading(rows=records)


def _table(columns: Sequence[Any], rows: Sequence[Any]) -> list[Any]:
    names = [
        str(each.get("name", number)) if isinstance(each, Mapping) else str(each) for number, each in enumerate(columns)
    ]
    return [dict(zip(names, row, strict=False)) if isinstance(row, list | tuple) else row for row in rows]


def _is_record(value: Mapping[Any, Any]) -> bool:
    """Whether an object is itself a record: it has a name, and more than that."""
    names = (name for name in value if isinstance(name, str) and isinstance(value[name], str | int))
    return len(value) > 1 and any(name in ("id", "uuid") or name.endswith(("_id", "Id")) for name in names)


def _asks_for_all(request: DataRequest) -> bool:
    return not request.filters and not request.text
