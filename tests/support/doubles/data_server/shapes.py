"""Servers that behave, each with a shape of its own."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import mcp_types as types

from tests.support.doubles.data_server.records import events
from tests.support.doubles.data_server.serving import Call, DataServer, structured, texted, tool

_TEXT = {"type": "string"}
_NUMBER = {"type": "integer", "minimum": 0}


class Elastic(DataServer):
    """Searches like Elasticsearch: hits, offset paging, filters as JSON text, facets."""

    def __init__(self, *, records: int = 165, log: Path | None = None) -> None:
        super().__init__(log=log)
        self._events = events(records)

    def tools(self) -> list[types.Tool]:
        limit = {"type": "integer", "minimum": 0, "maximum": 100}
        search = {"query": _TEXT, "filter": _TEXT, "facets": _TEXT, "limit": limit, "offset": _NUMBER}
        return [tool("search_events", search, description="Searches events; filter is a JSON text.")]

    async def answer(self, call: Call) -> types.CallToolResult:
        try:
            wanted = json.loads(call.arguments.get("filter") or "{}")
        except ValueError:
            return texted("filter is no JSON", failed=True)
        words = str(call.arguments.get("query", "")).lower().split()
        found = [
            event
            for event in self._events
            if all(event.get(name) == value for name, value in wanted.items())
            and all(word in json.dumps(event, ensure_ascii=False).lower() for word in words)
        ]
        start, size = int(call.arguments.get("offset", 0)), min(int(call.arguments.get("limit", 10)), 100)
        hits = [
            {"_index": "events", "_id": event["event_id"], "_score": 1.0, "_source": event}
            for event in found[start : start + size]
        ]
        answer: dict[str, Any] = {"took": 1, "hits": {"total": {"value": len(found), "relation": "eq"}, "hits": hits}}
        if names := [name.strip() for name in str(call.arguments.get("facets", "")).split(",") if name.strip()]:
            answer["aggregations"] = {name: _facet(found, name) for name in names}
        return structured(answer)


class Listing(DataServer):
    """Answers with nothing but text: JSON lines, page by page. It declares nothing of its tools."""

    def __init__(self, *, records: int = 165, log: Path | None = None) -> None:
        super().__init__(log=log)
        self._events = events(records)

    def tools(self) -> list[types.Tool]:
        return [
            tool("list_events", {"page": _NUMBER, "per_page": _NUMBER}, reads=None),
            tool("count_events", {"by": _TEXT}, reads=None, description="Counts events by a field, as a table."),
        ]

    async def answer(self, call: Call) -> types.CallToolResult:
        if call.tool == "count_events":
            field = str(call.arguments.get("by", "country"))
            counted = Counter(str(event.get(field, "")) for event in self._events).most_common()
            rows = "\n".join(f"| {value} | {number} |" for value, number in counted)
            return texted(f"Events by {field}:\n\n| {field} | count |\n| --- | ---: |\n{rows}\n")
        size, page = int(call.arguments.get("per_page", 20)), max(1, int(call.arguments.get("page", 1)))
        lines = [json.dumps(event, ensure_ascii=False) for event in self._events[(page - 1) * size : page * size]]
        return texted("\n".join(lines) or "No more events.")


def _facet(found: list[dict[str, Any]], name: str) -> dict[str, Any]:
    counted = Counter(event.get(name) for event in found).most_common()
    return {
        "doc_count_error_upper_bound": 0,
        "sum_other_doc_count": sum(number for _, number in counted[20:]),
        "buckets": [{"key": key, "doc_count": number} for key, number in counted[:20]],
    }
