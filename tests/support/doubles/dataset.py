"""A dataset in memory, with one tool that counts and pages, and that misbehaves as a test wants it to."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from fathom.data.fields import DataField, DatasetDescription, DataTool, FieldMapping
from fathom.data.profile import profile_of, request_of
from fathom.data.requests import DataRequest, Scalar
from fathom.data.results import Aggregation, Bucket, Record, ToolResult
from fathom.errors import ToolRefused, Unavailable
from fathom.ports.connector import Connector
from tests.support.doubles.reasoner import Latency, no_latency

INDIA = {"AI": 50, "Cloud": 40, "Security": 30, "Data": 25, "Robotics": 12, "Health": 8}
"""Events in India by theme: 165 of them."""
SCHEMA: dict[str, Any] = {
    "properties": {
        "filters": {"type": "object"},
        "group_by": {"type": "array", "items": {"type": "string"}},
        "statistics": {"type": "array", "items": {"type": "string"}},
        "top_n": {"type": "integer"},
        "samples_per_bucket": {"type": "integer"},
        "page_size": {"type": "integer", "maximum": 100},
        "search_after": {"type": "array"},
    }
}
Fault = Callable[[DataRequest, int], Exception | None]
"""The error of a call, from what it asks and how often that was asked before."""


def event_records(*, elsewhere: int = 35) -> list[Record]:
    """The 165 events in India, themes mixed, among others."""
    left = Counter(INDIA)
    themes: list[str] = []
    while left.total():
        for theme in INDIA:
            if left[theme]:
                left[theme] -= 1
                themes.append(theme)
    events = [("India", theme) for theme in themes] + [("Japan", "AI")] * elsewhere
    return [
        Record(
            id=f"EV{number:05}",
            fields={
                "id": f"EV{number:05}",
                "title": f"Meeting {number} on {theme} in {country}",
                "country": country,
                "event_theme": theme,
                "visitors": number * 7 % 900,
            },
        )
        for number, (country, theme) in enumerate(events, start=1)
    ]


class SimulatedDataset:
    """`called` lists what its tool was asked for, in order; `described` counts the descriptions."""

    def __init__(
        self,
        name: str = "events",
        records: Sequence[Record] | None = None,
        *,
        latency: Latency = no_latency,
        fault: Fault | None = None,
        twist: Callable[[ToolResult], ToolResult] | None = None,
        failing: bool = False,
        revision: str = "1",
        schema: dict[str, Any] | None = None,
    ) -> None:
        """`twist` changes what is returned; a `failing` dataset cannot be reached."""
        self.name = name
        self.records = event_records() if records is None else list(records)
        self.called: list[DataRequest] = []
        self.described = 0
        self.closed = False
        self.revision = revision
        self._latency = latency
        self._fault = fault
        self._twist = twist
        self._failing = failing
        schema = schema or SCHEMA
        self.tool = DataTool(name="analyze", input_schema=schema, profile=profile_of(schema), returns_records=True)

    async def describe(self, query: str, *, declared: bool = False) -> DatasetDescription:  # noqa: ARG002
        """Fields and tool; what the question names is matched."""
        self.described += 1
        await self._wait("describe", query)
        values = Counter(str(record.fields.get("country", "")) for record in self.records)
        return DatasetDescription(
            name=self.name,
            address=f"file:///simulated/{self.name}.csv",
            title=f"{self.name}.csv",
            tools=(self.tool,),
            refused={"drop": "it declares that it destroys something"},
            fields=(
                DataField(name="id", type="id"),
                DataField(name="title", type="text"),
                DataField(
                    name="country",
                    type="category",
                    values=tuple(values),
                    matches=tuple(value for value in values if value and value in query),
                ),
                DataField(name="event_theme", type="category"),
                DataField(name="visitors", type="number"),
            ),
            mapping=FieldMapping(id="id", title="title", text=("title",), category=("event_theme", "country")),
            total=len(self.records),
            revision=self.revision,
        )

    async def call(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        """Counts, or a page of records in the order of their ids."""
        if tool != self.tool.name:
            raise ToolRefused(f"There is no tool {tool}.")
        request = request_of(self.tool.profile, arguments)
        before = self.called.count(request)
        self.called.append(request)
        await self._wait("tool", json.dumps(arguments, sort_keys=True))
        if self._fault and (error := self._fault(request, before)):
            raise error
        result = self._result(request)
        return self._twist(result) if self._twist else result

    def connector(self) -> Connector:
        """None: it holds records."""
        raise AssertionError("it has no tools that search and fetch")

    async def close(self) -> None:
        """Take down that it was asked to."""
        self.closed = True

    async def _wait(self, kind: str, text: str) -> None:
        await asyncio.sleep(self._latency(kind, text))
        if self._failing:
            raise Unavailable(f"The simulated dataset {self.name} cannot be reached.")

    def _result(self, request: DataRequest) -> ToolResult:
        found = [record for record in self.records if _fits(record, request)]
        common: dict[str, Any] = {
            "request": request,
            "matched": len(found),
            "total": len(self.records),
            "revision": self.revision,
        }
        if request.is_page:
            after = str(request.search_after[0]) if request.search_after else ""
            rest = [record for record in found if record.id > after]
            page = rest[: request.page_size]
            cursor: tuple[Scalar, ...] = (page[-1].id,) if page else ()
            return ToolResult(**common, records=page, has_more=len(rest) > len(page), search_after=cursor)
        return ToolResult(**common, aggregations=(_counted(found, request),))


def _fits(record: Record, request: DataRequest) -> bool:
    return all(record.fields.get(each.field) == each.value for each in request.filters)


def _counted(found: Sequence[Record], request: DataRequest) -> Aggregation:
    groups: dict[tuple[str, ...], list[Record]] = {}
    for record in found:
        key = tuple(str(record.fields.get(name, "")) for name in request.group_by)
        groups.setdefault(key, []).append(record)
    buckets = [
        Bucket(key=key, count=len(members), samples=tuple(members[: request.samples_per_bucket]))
        for key, members in sorted(groups.items(), key=lambda each: (-len(each[1]), each[0]))
    ]
    kept = buckets[: request.top_n]
    return Aggregation(
        type="group_by",
        fields=request.group_by,
        buckets=tuple(kept),
        total_docs=len(found),
        distinct=len(buckets),
        other=sum(bucket.count for bucket in buckets[request.top_n :]),
    )
