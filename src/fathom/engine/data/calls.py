"""The calls to a dataset, each of them through the journal: what it holds, and what its tools return."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fathom.data.fields import DatasetDescription, DataTool
from fathom.data.profile import arguments_for, request_of
from fathom.data.requests import DataRequest, Scalar
from fathom.data.results import Aggregation, Record, ToolResult
from fathom.data.snapshots import Asked, one_line, page_snapshot, table_snapshot
from fathom.data.titles import title_of
from fathom.data.turns import AggregationResult
from fathom.engine import tracing
from fathom.engine.context import Context, now, request_digest
from fathom.errors import ResultTooLarge, TimedOut, ToolFailed, ToolRefused, Unavailable
from fathom.events import DatasetDescribed
from fathom.evidence import Document, text_digest
from fathom.noun import Noun
from fathom.plan import Subtask
from fathom.ports.data import Dataset
from fathom.text.language import detect

DATASET = "dataset"
"""A dataset is asked what it holds; its answer is a `DatasetDescription`."""
TOOL = "tool"
"""A tool is called; its answer is a `ToolAnswer`."""
TELLING = 2_000
"""Characters of records that tell their language."""
SMALLEST_PAGE = 10
"""Records of a page that is not made smaller any more."""
SMALLEST_TOP = 1
"""Groups that are not made fewer any more."""


class ToolAnswer(Noun):
    """What a tool has returned, as the journal keeps it: counts and references; the records stand in the snapshot."""

    request: DataRequest
    """What was asked for, as far as its arguments are understood."""
    results: tuple[AggregationResult, ...] = ()
    """Counts, each with its snapshot; without samples."""
    documents: tuple[Document, ...] = ()
    """Every snapshot that was made of it."""
    page: str = ""
    """`sha256` of the snapshot with the records, samples of groups included; empty when there were none."""
    prose: str = ""
    """`sha256` of the snapshot of what is neither counts nor records; empty when there was none."""
    records: int = 0
    """Different records in it."""
    matched: int | None = None
    """Records that the filters match."""
    total: int | None = None
    """Records of the dataset."""
    has_more: bool = False
    """Whether there is another page."""
    search_after: tuple[Scalar, ...] = ()
    """What asks for it."""
    revision: str = ""
    """Of the content that it was made of; empty when not known."""

    def document(self, sha256: str) -> Document:
        """The snapshot of that digest."""
        return next(document for document in self.documents if document.sha256 == sha256)


async def datasets_of(context: Context) -> list[str]:
    """The names of the datasets that this attempt may ask. A replay follows what was decided."""
    path = f"datasets/{context.run.attempt}"
    if context.datasets and not context.replay:
        return [str(name) for name in await context.decide(path, sorted(context.datasets))]
    return [str(name) for name in context.journal.decision(path) or ()]


async def describe(context: Context, name: str) -> DatasetDescription:
    """What a dataset says of itself near the question.

    Raises:
        LimitReached, ProviderError: as for `Context.ask`.
    """

    async def perform() -> str:
        found = await _dataset(context, name).describe(context.run.query, declared=context.run.status == "planned")
        return found.model_dump_json()

    answer = await context.journal.call(
        f"describe/{name}", DATASET, request_digest(DATASET, name, context.run.query), perform
    )
    description = DatasetDescription.model_validate_json(answer)
    context.board.datasets[name] = description
    await context.emit(
        DatasetDescribed(
            dataset=name,
            records=description.total,
            fields=len(description.fields),
            tools=tuple(tool.name for tool in description.tools),
            refused=description.refused,
        )
    )
    return description


async def call_tool(
    context: Context,
    path: str,
    description: DatasetDescription,
    tool: DataTool,
    arguments: Mapping[str, Any],
    *,
    subtask: Subtask | None = None,
) -> ToolAnswer:
    """What a tool returns for these arguments. The same call of the same content is made once per run.

    Raises:
        LimitReached: the run has stopped.
        ToolFailed: it says that it failed, or the dataset is no longer what the run has begun with.
        ProviderError: no usable answer.
    """
    name, asked = description.name, dict(arguments)

    async def perform() -> str:
        with tracing.search_span(name) as span:
            result = await _dataset(context, name).call(tool.name, asked)
            span.set_attributes({"fathom.records": len(result.records)})
        if description.revision and result.revision and result.revision != description.revision:
            raise ToolFailed(
                f"{name}: the dataset has changed since the run began: what is counted now would not fit what was "
                "counted before. Begin a new run."
            )
        answer = await _kept(context, description, tool, asked, result)
        return answer.model_dump_json()

    stored = await context.journal.call(
        path,
        TOOL,
        request_digest(TOOL, name, description.revision, tool.name, _canonical(asked)),
        perform,
        shared=True,
        priority=context.priority(subtask),
    )
    return ToolAnswer.model_validate_json(stored)


async def call_for(
    context: Context,
    path: str,
    description: DatasetDescription,
    tool: DataTool,
    request: DataRequest,
    *,
    besides: Mapping[str, Any] | None = None,
    subtask: Subtask | None = None,
) -> ToolAnswer:
    """What a tool returns for a request, `besides` with other arguments of its own.

    What is too large, or takes too long, is asked for again in half the size.

    Raises:
        As for `call_tool`, when the smallest size fails, too.
    """
    while True:
        try:
            arguments = {**(besides or {}), **arguments_for(tool.profile, request)}
            return await call_tool(context, path, description, tool, arguments, subtask=subtask)
        except (ResultTooLarge, TimedOut):
            smaller = reduced(tool, request)
            if smaller is None:
                raise
            request = smaller


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


def besides_of(tool: DataTool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that a request has no word for: only the tool knows what they mean.

    >>> tool = DataTool.model_validate({"name": "list", "profile": {"page_size": "limit"}})
    >>> besides_of(tool, {"city": "Pune", "limit": 5})
    {'city': 'Pune'}
    """
    parts = {name: value for name, value in tool.profile.model_dump().items() if not name.endswith("_as")}
    known = {value for value in parts.values() if isinstance(value, str)}
    return {name: value for name, value in arguments.items() if name not in known}


def _dataset(context: Context, name: str) -> Dataset:
    if name not in context.datasets:
        raise Unavailable(f"The run has begun with the dataset {name}, which is not there now: take it up as it began.")
    return context.datasets[name]


def tool_named(description: DatasetDescription, name: str) -> DataTool:
    """The tool of that name.

    Raises:
        ToolRefused: there is none, or it may not be called; the text says which may.
    """
    for tool in description.tools:
        if tool.name == name:
            return tool
    if why := description.refused.get(name):
        raise ToolRefused(f"{name} may not be called: {why}")
    known = ", ".join(tool.name for tool in description.tools) or "none"
    raise ToolRefused(f"There is no tool {one_line(name)[:80]!r}. Known: {known}.")


# ── Snapshots ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def _kept(
    context: Context, description: DatasetDescription, tool: DataTool, arguments: dict[str, Any], result: ToolResult
) -> ToolAnswer:
    """The result as snapshots, which are stored with the run, and as references to them."""
    request, at = request_of(tool.profile, arguments), now()
    asked = Asked(
        dataset=description.title or description.name,
        tool=tool.name,
        arguments=arguments,
        matched=result.matched,
        total=result.total,
    )
    documents: list[Document] = []

    async def keep(text: str, *, of: DataRequest) -> str:
        sha256 = text_digest(text)
        await context.store.add_snapshot(context.run.run_id, sha256, text, fence=context.fence)
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
        matched=result.matched,
        total=result.total,
        has_more=result.has_more,
        search_after=result.search_after,
        revision=result.revision,
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
    if not any(bucket.samples for bucket in aggregation.buckets):
        return aggregation
    buckets = tuple(bucket.model_copy(update={"samples": ()}) for bucket in aggregation.buckets)
    return aggregation.model_copy(update={"buckets": buckets})


def _each_once(result: ToolResult) -> Sequence[Record]:
    """The records, and behind them the samples of groups, by their ids."""
    found: dict[str, Record] = {}
    for record in result.records:
        found.setdefault(one_line(record.id), record)
    for aggregation in result.aggregations:
        for bucket in aggregation.buckets:
            for record in bucket.samples:
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
