"""A dataset: it tells what it holds, its tools are called, and what they return is kept as snapshots."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from fathom.data.fields import DatasetDescription, DataTool
from fathom.data.profile import arguments_for, request_of
from fathom.data.requests import DataRequest
from fathom.data.results import Aggregation, Record, ToolResult
from fathom.data.snapshots import SnapshotHead, one_line, page_snapshot, table_snapshot
from fathom.data.sources import as_source
from fathom.data.titles import title_of
from fathom.data.turns import AggregationResult, ToolAnswer
from fathom.errors import NotFound, ResultTooLarge, TimedOut, ToolFailed, Unavailable
from fathom.events import DatasetDescribed
from fathom.evidence import Document, SourceDescription, now, text_digest
from fathom.frozen import request_digest
from fathom.ports.data import Dataset
from fathom.ports.source import CountingSource, SourceCalls, Trail
from fathom.telemetry import search_span
from fathom.text.language import detect

DATASET = "dataset"
"""A dataset is asked what it holds; its answer is a `DatasetDescription`."""
TOOL = "tool"
"""A tool is called; its answer is a `ToolAnswer`."""
PAUSE = 1.0
"""Seconds after which a tool that was not there is called once more."""
TELLING = 2_000
"""Characters of records that tell their language."""
SMALLEST_PAGE = 10
"""Records of a page that is not made smaller any more."""
SMALLEST_TOP = 1
"""Groups that are not made fewer any more."""


class Data(CountingSource):
    """A dataset as a source; `None` stands for one that the run was begun with, and that is not there now."""

    reach = None

    def __init__(self, name: str, dataset: Dataset | None) -> None:
        self.name = name
        self.trail = Trail()
        self._dataset = dataset
        self._fits: dict[str, int] = {}
        """Records of a page that a tool was seen to return, where more were too many."""

    async def describe(self, query: str, calls: SourceCalls) -> SourceDescription:  # noqa: ARG002 - the run has one
        """What it says of itself near the question of the run, asked once."""
        if self.trail.dataset is None:
            told = self.trail.dataset = await self.look(calls)
            await calls.emit(
                DatasetDescribed(
                    dataset=self.name,
                    records=told.total,
                    fields=len(told.fields),
                    tools=tuple(tool.name for tool in told.tools),
                    refused=told.refused,
                )
            )
        return as_source(self.trail.dataset, calls.run.query)

    async def look(self, calls: SourceCalls) -> DatasetDescription:
        """What it says of itself; errors as for `describe`."""
        asked = calls.run.query

        async def perform() -> str:
            return (await self._there().describe(asked, declared=calls.run.status == "planned")).model_dump_json()

        request = request_digest(DATASET, self.name, asked)
        answer = await calls.call(f"describe/{self.name}", DATASET, request, perform, shared=False)
        return DatasetDescription.model_validate_json(answer)

    async def call(self, tool: DataTool, arguments: Mapping[str, Any], *, calls: SourceCalls) -> ToolAnswer:
        """What a tool returns for these arguments."""
        description, asked = self.trail.dataset, dict(arguments)
        assert description is not None, "whoever calls a tool was told of it"

        async def perform() -> str:
            dataset = self._there()
            with search_span(self.name) as span:
                try:
                    result = await dataset.call(tool.name, asked)
                except Unavailable:  # for the moment, as most often
                    await asyncio.sleep(PAUSE)
                    result = await dataset.call(tool.name, asked)
                span.set_attributes({"fathom.records": len(result.records)})
            if description.revision and result.revision and result.revision != description.revision:
                raise ToolFailed(
                    f"{self.name}: the dataset has changed since the run began: what is counted now would not fit what "
                    "was counted before. Begin a new run."
                )
            return (await _kept(calls, description, tool, asked, result)).model_dump_json()

        request = request_digest(TOOL, self.name, description.revision, tool.name, _canonical(asked))
        return ToolAnswer.model_validate_json(await calls.call(calls.at(""), TOOL, request, perform))

    async def ask(
        self, tool: DataTool, request: DataRequest, *, besides: Mapping[str, Any], calls: SourceCalls
    ) -> ToolAnswer:
        """What a tool returns for a request, if need be for half as much; then the pages behind it are as small."""
        fits = self._fits.get(tool.name)
        if request.is_page and fits and fits < request.page_size:
            request = request.model_copy(update={"page_size": fits})
        while True:
            try:
                return await self.call(tool, {**besides, **arguments_for(tool.profile, request)}, calls=calls)
            except (ResultTooLarge, TimedOut):
                smaller = reduced(tool, request)
                if smaller is None:
                    raise
                request = smaller
                if request.is_page:
                    self._fits[tool.name] = request.page_size

    def _there(self) -> Dataset:
        if self._dataset is None:
            raise Unavailable(
                f"The run has begun with the dataset {self.name}, which is not there now: take it up as it began."
            )
        return self._dataset

    async def snapshot(self, sha256: str) -> str:
        """None: what its tools have returned stands in the store alone."""
        raise NotFound(f"{self.name} keeps no text {sha256[:12]}.")


def reduced(tool: DataTool, request: DataRequest) -> DataRequest | None:
    """The same request for half as much; `None` when that is not possible."""
    profile = tool.profile
    if request.is_page:
        # pages that are numbered would begin elsewhere
        numbered = profile.cursor_as == "page" and bool(request.search_after)
        size = min(request.page_size, profile.max_page_size or request.page_size)
        if not profile.page_size or numbered or size <= SMALLEST_PAGE:
            return None
        return request.model_copy(update={"page_size": max(SMALLEST_PAGE, size // 2)})
    if not request.group_by or not profile.top_n or request.top_n <= SMALLEST_TOP:
        return None
    return request.model_copy(
        update={"top_n": max(SMALLEST_TOP, request.top_n // 2), "samples_per_bucket": request.samples_per_bucket // 2}
    )


# ── Snapshots ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def _kept(
    calls: SourceCalls, description: DatasetDescription, tool: DataTool, arguments: dict[str, Any], result: ToolResult
) -> ToolAnswer:
    """The result as snapshots, which are stored with the run, and as references to them."""
    request, at = request_of(tool.profile, arguments), now()
    asked = SnapshotHead(
        dataset=description.title or description.name,
        tool=tool.name,
        arguments=arguments,
        matched=result.matched,
        total=result.total,
    )
    documents: list[Document] = []

    async def keep(text: str, *, of: DataRequest) -> str:
        sha256 = text_digest(text)
        await calls.keep_snapshot(sha256, text)
        documents.append(
            Document(
                sha256=sha256,
                uri=address_of(description),
                title=title_of(asked.dataset, of),
                kind="dataset",
                language=detect(text[-TELLING:]) if of.is_page else "und",
                retrieved_at=at,
                query=f"{tool.name} {_canonical(arguments)}",
            )
        )
        return sha256

    results = []
    counts = result.aggregations
    if is_count(request) and not counts and result.matched is not None:
        counts = (Aggregation(type="statistics", total_docs=result.matched),)
        result = result.model_copy(update={"records": ()})
    for aggregation in counts:
        plain = without_samples(aggregation)
        table = table_snapshot(asked, plain)
        results.append(
            AggregationResult(
                document=await keep(table.text, of=_request_behind(request, plain)),
                request=request,
                tool=tool.name,
                aggregation=plain,
                matched=result.matched,
                total=result.total,
                head=table.head,
                rows=table.rows,
                matched_line=table.matched,
            )
        )
    records = _each_once(result)
    page = await keep(page_snapshot(asked, records), of=request) if records else ""
    prose = ""
    if result.text.strip():
        prose = await keep("\n".join([*asked.lines(), "", result.text.strip(), ""]), of=request)
    return ToolAnswer(
        request=request,
        results=tuple(results),
        documents=tuple({document.sha256: document for document in documents}.values()),
        page=page,
        prose=prose,
        records=len(records),
        **result.model_dump(include={"matched", "total", "has_more", "search_after", "revision"}),
    )


def is_count(request: DataRequest) -> bool:
    """Whether one record is asked for, from the first page on: who asks so wants to know how many there are."""
    return request.is_page and request.page_size == 1 and not request.search_after


def address_of(description: DatasetDescription) -> str:
    """Where a dataset is, as an address; one that is started by a command is named."""
    address = description.address
    return address if address.startswith(("file://", "http://", "https://")) else f"mcp:{description.name}"


def without_samples(aggregation: Aggregation) -> Aggregation:
    """The counts alone."""
    buckets = tuple(bucket.model_copy(update={"samples": ()}) for bucket in aggregation.buckets)
    return aggregation.model_copy(update={"buckets": buckets})


def _each_once(result: ToolResult) -> Sequence[Record]:
    """The records, and behind them the samples of groups, by their ids."""
    samples = (each for aggregation in result.aggregations for bucket in aggregation.buckets for each in bucket.samples)
    found: dict[str, Record] = {}
    for record in (*result.records, *samples):
        found.setdefault(one_line(record.id), record)
    return list(found.values())


def _request_behind(request: DataRequest, aggregation: Aggregation) -> DataRequest:
    """What one of several counts was asked by, for its title."""
    common = {"table": request.table, "text": request.text, "filters": request.filters}
    match aggregation.type:
        case "group_by":
            return DataRequest(**common, group_by=request.group_by or aggregation.fields)
        case "date_histogram":
            behind = request.model_copy(update={"statistics": ()})
            return behind if behind.date_histogram else DataRequest(**common, group_by=aggregation.fields)
        case "statistics":
            names = request.statistics or tuple(dict.fromkeys(n for b in aggregation.buckets for n in b.statistics))
            return DataRequest(**common, statistics=names)


def _canonical(arguments: Mapping[str, Any]) -> str:
    """The arguments as JSON, the same for equal ones."""
    return json.dumps(arguments, ensure_ascii=False, sort_keys=True, default=str)
