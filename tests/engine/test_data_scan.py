"""A scan: every record once, in order, whatever the tool does; and what it does when a tool does not get on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fathom.asks import DirectDataset, ExtractFindings
from fathom.data.requests import DataRequest
from fathom.data.results import Record, ToolResult
from fathom.data.turns import DatasetTurn, Extract, Scan, ToolCall
from fathom.errors import ResultTooLarge, TimedOut, ToolFailed
from fathom.events import DatasetEnded, RecordsScanned
from fathom.report import DatasetCoverage
from tests.support.data_lab import asked, ended, lab, run, told, turn
from tests.support.doubles.dataset import SCHEMA, SimulatedDataset
from tests.support.doubles.reasoner import Shape, jittered
from tests.support.lab import Lab

EVERYTHING = turn(Scan(request=DataRequest(), batch_size=50), promises=True)


async def scanned(
    folder: Path, dataset: SimulatedDataset, *turns: DatasetTurn, **limits: Any
) -> tuple[DatasetCoverage, DatasetEnded, list[str]]:
    """How far a scan came, why it ended, and the records that were read, in order."""
    async with lab(folder, *(turns or (EVERYTHING,)), dataset=dataset) as place:
        report = await run(place, **limits)
        assert (await place.replay()).model_dump_json() == report.model_dump_json()
        read = [
            passage.text.split("\n")[0].removeprefix("# ")
            for ask in asked(place, ExtractFindings)
            for passage in ask.passages
        ]
        assert len(read) == len(set(read)), "no record is read twice"
        return report.coverage.datasets[0], await ended(place), read


def ids(dataset: SimulatedDataset) -> list[str]:
    return [record.id for record in dataset.records]


async def test_every_record_is_read_once_and_in_order(tmp_path: Path) -> None:
    dataset = SimulatedDataset(latency=jittered(0.002))
    coverage, _, read = await scanned(tmp_path, dataset)
    assert read == ids(dataset) and coverage.scanned == 200
    assert len(dataset.called) == 4, "no page is fetched twice, and none behind the last"


async def test_a_page_is_fetched_while_the_one_before_is_read(tmp_path: Path) -> None:
    begun: list[str] = []

    def latency(kind: str, _: str) -> float:
        begun.append(kind)
        return 0.01

    place = lab(tmp_path, EVERYTHING, dataset=SimulatedDataset(latency=latency))
    place.reasoner.latency = latency
    async with place:
        await run(place)
    first = begun.index("tool")
    assert set(begun[first + 1 : first + 3]) == {"tool", "ExtractFindings"}


async def test_records_that_come_twice_are_read_once(tmp_path: Path) -> None:
    dataset = SimulatedDataset()
    known = dataset.records[:30]

    def again(result: ToolResult) -> ToolResult:
        return result.model_copy(update={"records": (*result.records, *known)}) if result.records else result

    dataset._twist = again
    coverage, end, read = await scanned(tmp_path, dataset)
    assert sorted(read) == ids(dataset) and coverage.fetched == coverage.scanned == 200
    assert end.reason == "every promised record was read"


async def test_a_tool_that_names_the_same_page_for_ever_does_not_hold_the_run(tmp_path: Path) -> None:
    def stuck(result: ToolResult) -> ToolResult:
        return result.model_copy(update={"has_more": True, "search_after": ("EV00050",)})

    coverage, end, read = await scanned(tmp_path, SimulatedDataset(twist=stuck))
    assert (coverage.scanned, coverage.matched) == (100, 200) and len(read) == 100
    assert coverage.capped_by == "analyze names the same page twice"
    assert end.reason == "the promised records cannot all be had"


async def test_a_tool_that_returns_the_same_records_for_ever_does_not_hold_the_run(tmp_path: Path) -> None:
    dataset = SimulatedDataset()
    number = 0

    def same(result: ToolResult) -> ToolResult:
        nonlocal number
        number += 1
        return result.model_copy(
            update={
                "records": tuple(dataset.records[:50]),
                "has_more": True,
                "search_after": (number,),
                "matched": None,
            }
        )

    dataset._twist = same
    coverage, _, read = await scanned(tmp_path, dataset)
    assert coverage.scanned == len(read) == 50
    assert coverage.capped_by == "analyze returns the same records again"


async def test_a_tool_that_says_there_is_more_and_returns_nothing_does_not_hold_the_run(tmp_path: Path) -> None:
    def empty(result: ToolResult) -> ToolResult:
        return result.model_copy(update={"records": (), "has_more": True, "search_after": ("x",)})

    coverage, end, read = await scanned(tmp_path, SimulatedDataset(twist=empty))
    assert read == [] and coverage.scanned == 0 and end.reason == "the promised records cannot all be had"


async def test_records_that_are_counted_and_never_returned_are_said(tmp_path: Path) -> None:
    def fewer(result: ToolResult) -> ToolResult:
        return result.model_copy(update={"matched": 230})

    coverage, _, _ = await scanned(tmp_path, SimulatedDataset(twist=fewer))
    assert (coverage.scanned, coverage.matched) == (200, 230)
    assert coverage.capped_by == "analyze returns 30 records fewer than it counts"


async def test_a_tool_without_pages_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    schema = {"properties": {"filters": {"type": "object"}, "page_size": {"type": "integer"}}}
    coverage, _, read = await scanned(tmp_path, SimulatedDataset(schema=schema))
    assert coverage.scanned == len(read) == 50 and coverage.capped_by == "analyze has no further pages"


async def test_a_tool_that_does_not_count_is_read_to_its_last_page(tmp_path: Path) -> None:
    def uncounted(result: ToolResult) -> ToolResult:
        return result.model_copy(update={"matched": None, "total": None})

    coverage, end, _ = await scanned(tmp_path, SimulatedDataset(twist=uncounted))
    assert coverage.scanned == 200 and coverage.matched is None and coverage.capped_by is None
    assert end.reason == "every promised record was read"


@pytest.mark.parametrize("error", [ResultTooLarge("too much"), TimedOut("too slow")])
async def test_what_is_too_large_or_too_slow_is_asked_for_in_half(tmp_path: Path, error: Exception) -> None:
    dataset = SimulatedDataset(fault=lambda request, _: error if request.page_size > 20 else None)
    coverage, _, read = await scanned(tmp_path, dataset)
    assert coverage.scanned == 200 and read == ids(dataset)
    assert {request.page_size for request in dataset.called} == {50, 25, 12}


async def test_groups_that_are_too_many_are_asked_for_in_half(tmp_path: Path) -> None:
    def too_many(request: DataRequest, _: int) -> Exception | None:
        return ResultTooLarge("too much") if request.top_n > 5 else None

    count = ToolCall(tool="analyze", arguments={"group_by": ["event_theme"]})
    from fathom.data.turns import Aggregate

    dataset = SimulatedDataset(fault=too_many)
    async with lab(tmp_path, turn(Aggregate(group_by=("event_theme",)), tools=[count]), dataset=dataset) as place:
        await run(place)
        second = asked(place, DirectDataset)[1].state
    assert second.aggregations == 1 and "too much" in second.errors[0], "what the planner wrote itself is not changed"
    assert [request.top_n for request in dataset.called] in ([20, 20, 10, 5], [20, 10, 5])


async def test_a_page_that_fails_ends_the_scan_and_is_said(tmp_path: Path) -> None:
    def fails(request: DataRequest, _: int) -> Exception | None:
        return ToolFailed("out of memory") if request.search_after == ("EV00100",) else None

    scan = turn(Scan(request=DataRequest(), batch_size=50), promises=True)
    coverage, end, read = await scanned(tmp_path, SimulatedDataset(fault=fails), scan)
    assert coverage.scanned == len(read) == 100 and coverage.capped_by == "analyze failed at page 3"
    assert end.reason == "the promised records cannot all be had"


async def test_a_batch_that_cannot_be_read_is_left_to_the_extractor(tmp_path: Path) -> None:
    turns = [turn(Scan(request=DataRequest(), batch_size=100)), turn(Extract()), turn(Extract())]
    async with lab(tmp_path, *turns, failing=("ExtractFindings",)) as place:
        report = await run(place)
        states = [ask.state for ask in asked(place, DirectDataset)]
    assert report.coverage.datasets[0].scanned == 0 and report.coverage.datasets[0].fetched == 200
    assert any(error.startswith("ExtractFindings:") for error in states[1].errors)


async def test_the_extractor_reads_what_tools_have_returned_and_fetches_nothing(tmp_path: Path) -> None:
    page = ToolCall(tool="analyze", arguments={"filters": {"country": "India"}, "page_size": 20})
    async with lab(tmp_path, turn(tools=[page]), turn(Extract()), turn(Scan(batch_size=100))) as place:
        report = await run(place)
        states = [ask.state for ask in asked(place, DirectDataset)]
        batches = [len(ask.passages) for ask in asked(place, ExtractFindings)]
        calls = len(place.datasets[0].called)
    assert [(state.fetched, state.scanned) for state in states[:4]] == [(0, 0), (20, 0), (20, 20), (165, 165)]
    assert batches == [20, 80, 65], "what was read before is not read again"
    assert calls == 3 and report.coverage.datasets[0].scanned == 165


async def test_a_scan_goes_on_where_it_was_left(tmp_path: Path) -> None:
    two = Scan(request=DataRequest(), batch_size=40, max_batches=2)
    dataset = SimulatedDataset()
    coverage, end, read = await scanned(tmp_path, dataset, *[turn(two, promises=True)] * 4)
    assert coverage.scanned == 200 and read == ids(dataset) and end.turns == 3


async def test_a_long_scan_keeps_the_best_findings_and_counts_the_rest(tmp_path: Path) -> None:
    records = [Record(id=f"R{n:05}", fields={"id": f"R{n:05}", "title": f"Number {n}"}) for n in range(1_500)]
    place = lab(tmp_path, turn(Scan(request=DataRequest(), batch_size=50), promises=True), findings=8)
    place.datasets = [SimulatedDataset(records=records)]
    async with place:
        report = await run(place, max_findings=25)
        end = await ended(place)
        batches = await told(place, RecordsScanned)
        most = {ask.max_findings for ask in asked(place, ExtractFindings)}
        known = max(len(ask.known) for ask in asked(place, ExtractFindings))
    assert len(report.findings) == 25 and end.findings == 240 and known == 25
    assert end.reason == "every promised record was read; 215 less relevant findings are not kept"
    assert batches[-1].scanned == report.coverage.datasets[0].scanned == 1_500
    assert most == {10}


async def test_of_findings_that_say_the_same_one_is_kept(tmp_path: Path) -> None:
    records = [Record(id=f"R{n:05}", fields={"id": f"R{n:05}", "title": "Always the same"}) for n in range(60)]
    coverage, end, _ = await scanned(
        tmp_path, SimulatedDataset(records=records), turn(Scan(request=DataRequest(), batch_size=10), promises=True)
    )
    assert end.findings == 1 and coverage.scanned == 60 and coverage.extracted == 1


async def test_findings_whose_quotes_do_not_stand_in_the_records_are_dropped(tmp_path: Path) -> None:
    async with lab(tmp_path, EVERYTHING, invented=5) as place:
        report = await run(place)
    assert report.findings and not any("Nobody wrote" in finding.claim for finding in report.findings)


def numbered(kind: str) -> dict[str, Any]:
    """A schema whose cursor counts records or pages."""
    properties = {name: each for name, each in SCHEMA["properties"].items() if name != "search_after"}
    return {"properties": {**properties, kind: {"type": "integer"}}}


def counted(dataset: SimulatedDataset, kind: str) -> Callable[[ToolResult], ToolResult]:
    def twist(result: ToolResult) -> ToolResult:
        request = result.request
        at = int(request.search_after[0] or 0) if request.search_after else 0
        start = at if kind == "offset" else at * request.page_size
        page = dataset.records[start : start + request.page_size]
        end = start + len(page)
        cursor = end if kind == "offset" else at + 1
        return result.model_copy(
            update={"records": tuple(page), "has_more": end < len(dataset.records), "search_after": (cursor,)}
        )

    return twist


@pytest.mark.parametrize("kind", ["offset", "page"])
async def test_pages_that_are_counted_are_read_to_the_end(tmp_path: Path, kind: str) -> None:
    dataset = SimulatedDataset(schema=numbered(kind))
    dataset._twist = counted(dataset, kind)
    coverage, _, read = await scanned(tmp_path, dataset, EVERYTHING)
    assert coverage.scanned == 200 and read == ids(dataset)


@pytest.mark.parametrize("kind", ["offset", "page"])
async def test_a_cap_cuts_counted_pages_at_the_record(tmp_path: Path, kind: str) -> None:
    dataset = SimulatedDataset(schema=numbered(kind))
    dataset._twist = counted(dataset, kind)
    coverage, _, read = await scanned(tmp_path, dataset, EVERYTHING, max_records=120)
    assert coverage.scanned == 120 and read == ids(dataset)[:120] and coverage.capped_by == "max_records"


async def test_nothing_that_matches_is_a_complete_answer(tmp_path: Path) -> None:
    nowhere = ToolCall(tool="analyze", arguments={"filters": {"country": "Nowhere"}, "group_by": ["event_theme"]})
    async with Lab(
        tmp_path,
        Shape(subtasks=1, turns=lambda _: turn(tools=[nowhere], promises=True)),
        sources=[],
        datasets=[SimulatedDataset()],
    ) as place:
        report = await run(place)
        end = await ended(place)
    assert end.reason == "every promised record was read"
    assert report.coverage.datasets[0].matched == 0


async def test_arguments_that_only_the_tool_understands_are_kept_when_its_count_is_scanned(tmp_path: Path) -> None:
    schema = {"properties": {**SCHEMA["properties"], "country": {"type": "string"}}}
    dataset = SimulatedDataset(schema=schema)
    asked_for: list[dict[str, Any]] = []
    call = dataset.call

    async def by_country(tool: str, arguments: dict[str, Any]) -> ToolResult:
        asked_for.append(arguments)
        rest = {name: value for name, value in arguments.items() if name != "country"}
        filters = {"filters": {"country": arguments["country"]}} if "country" in arguments else {}
        return await call(tool, {**rest, **filters})

    dataset.call = by_country  # type: ignore[method-assign]
    count = ToolCall(tool="analyze", arguments={"country": "India", "group_by": ["event_theme"]})
    coverage, _, read = await scanned(tmp_path, dataset, turn(tools=[count], promises=True), turn(Scan(batch_size=100)))
    assert (coverage.matched, coverage.fetched, coverage.scanned) == (165, 165, 165) and len(read) == 165
    assert all(arguments["country"] == "India" for arguments in asked_for)
