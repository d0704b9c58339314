"""Research on a dataset, turn by turn: the example with its numbers, the promise, the caps, and what makes no sense."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.asks import AnalyzeGaps, DirectDataset, ExtractFindings, SynthesizeSubtask, ValidateFindings
from fathom.data.requests import DataRequest, Filter
from fathom.data.turns import (
    Aggregate,
    AnalyzeGap,
    DatasetTurn,
    Decompose,
    Extract,
    Scan,
    Synthesize,
    TakePerspectives,
    ToolCall,
    Validate,
)
from fathom.errors import TimedOut, Unavailable, Unreachable
from fathom.events import CallFailed, RecordsScanned, ToolCalled, TurnDirected
from fathom.ports import JournalEntry
from tests.support.data_lab import asked, ended, lab, run, script, told, turn
from tests.support.doubles.dataset import INDIA, SimulatedDataset, event_records
from tests.support.doubles.reasoner import Shape
from tests.support.doubles.retriever import SimulatedRetriever
from tests.support.lab import Lab

IN_INDIA = (Filter(field="country", value="India"),)
COUNT = ToolCall(tool="analyze", arguments={"filters": {"country": "India"}, "group_by": ["event_theme"]})
ALL_OF_INDIA = DataRequest(filters=IN_INDIA)


async def test_the_example_runs_with_its_numbers(tmp_path: Path) -> None:
    async with lab(tmp_path) as place:
        report = await run(place)
        turns = await told(place, TurnDirected)
        states = [ask.state for ask in asked(place, DirectDataset)]
        scanned = await told(place, RecordsScanned)
        (synthesis,) = asked(place, SynthesizeSubtask)
    assert [(event.agents, event.tools) for event in turns] == [
        (("decomposer",), ("analyze",)),
        (("scanner",), ()),
        (("synthesizer",), ()),
    ]
    assert turns[1].warning == "UNFETCHED RECORDS: 165 of 165 matching records were not fetched."
    assert [(state.aggregations, state.matched, state.fetched, state.needs_full_scan) for state in states] == [
        (0, None, 0, False),
        (1, 165, 0, True),
        (1, 165, 165, False),
    ]
    assert [len(state.sub_questions) for state in states] == [0, 1, 1]
    assert [event.scanned for event in scanned] == [100, 165] and sum(event.findings for event in scanned) == 6
    assert synthesis.questions[0].id == "sq_1"
    (coverage,) = report.coverage.datasets
    assert (coverage.total, coverage.matched, coverage.fetched, coverage.scanned) == (200, 165, 165, 165)
    assert (coverage.counted, coverage.extracted, coverage.capped_by) == (1, 6, None)
    assert report.coverage.total == report.coverage.scanned == 0, "documents are counted apart"
    assert report.partial is None and report.subtasks[0].status == "completed"


async def test_agents_and_tools_of_a_turn_are_under_way_together(tmp_path: Path) -> None:
    waiting: list[str] = []

    def slow(kind: str, _: str) -> float:
        waiting.append(kind)
        return 0.05 if kind in ("PlanResearch", "tool") else 0.0

    place = lab(tmp_path, dataset=SimulatedDataset(latency=slow))
    place.reasoner.latency = slow
    async with place:
        await run(place)
    at = waiting.index("DirectDataset")
    assert set(waiting[at + 1 : at + 3]) == {"PlanResearch", "tool"}


async def test_confidence_ends_no_promised_scan(tmp_path: Path) -> None:
    first = turn(Validate(), Scan(request=ALL_OF_INDIA, batch_size=50, max_batches=1), tools=[COUNT], promises=True)
    on = [
        turn(Scan(request=ALL_OF_INDIA, batch_size=50, max_batches=2)),
        turn(Scan(request=ALL_OF_INDIA, batch_size=50)),
    ]
    async with lab(tmp_path, first, *on, confidence=1.0) as place:
        report = await run(place)
        end = await ended(place)
        scanned = [event.scanned for event in await told(place, RecordsScanned)]
    assert scanned == [50, 100, 150, 165]
    assert end.reason == "every promised record was read" and end.turns == 3
    assert report.coverage.datasets[0].scanned == 165
    assert report.subtasks[0].evaluation and report.subtasks[0].evaluation.is_sufficient


async def test_a_promise_is_not_taken_back_and_a_summary_waits_for_it(tmp_path: Path) -> None:
    first, second = turn(tools=[COUNT], promises=True), turn(Synthesize())
    third = turn(Scan(batch_size=100), Synthesize())
    async with lab(tmp_path, first, second, third) as place:
        await run(place)
        states = [ask.state for ask in asked(place, DirectDataset)]
        end = await ended(place)
    assert [state.promised_scan for state in states] == [False, True, True]
    assert states[2].errors == ("synthesizer: the promised scan is not complete; scan on first",)
    assert end.turns == 3 and end.reason == "the findings are summed up"


@pytest.mark.parametrize("metered", [True, False])
async def test_a_model_whose_validator_asks_for_more_has_another_turn_before_it_sums_up(
    metered: bool, tmp_path: Path
) -> None:
    more = turn(Validate(), Scan(request=ALL_OF_INDIA, batch_size=50, max_batches=1), Synthesize())
    sums_up = turn(Validate(), Scan(request=ALL_OF_INDIA, batch_size=50, max_batches=1), Synthesize())
    place = lab(tmp_path, turn(tools=[COUNT]), more, sums_up, weak=("sq_1",), confidence=0.4)
    place.reasoner.metered = metered
    async with place:
        report = await run(place)
        states = [ask.state for ask in asked(place, DirectDataset)]
        end = await ended(place)
        calls = len(place.reasoner.asks)
        again = await place.replay()
    assert end.reason == "the findings are summed up"
    if metered:
        assert end.turns == 3 and states[2].validation and states[2].validation.status == "NEEDS_REVISION"
        assert states[2].errors == ("synthesizer: the validation asks for more first; see its issues",)
    else:
        assert end.turns == 2, "the rules know no more than before"
    assert again.markdown == report.markdown and len(place.reasoner.asks) == calls


async def test_confidence_ends_what_promised_nothing(tmp_path: Path) -> None:
    async with lab(tmp_path, turn(tools=[COUNT]), turn(Validate()), confidence=0.8) as place:
        report = await run(place)
        end = await ended(place)
    assert end.reason == "the confidence is 0.80" and end.turns == 2
    assert report.syntheses, "the subtask's own step has summed up"


async def test_three_batches_without_news_end_what_promised_nothing(tmp_path: Path) -> None:
    scan = turn(Scan(request=DataRequest(), batch_size=10))
    async with lab(tmp_path, scan, findings=0) as place:
        report = await run(place)
        end, scanned = await ended(place), await told(place, RecordsScanned)
    assert end.reason == "3 batches in a row brought nothing new"
    assert [event.scanned for event in scanned] == [10, 20, 30]
    assert report.coverage.datasets[0].fetched == 30, "no page is fetched ahead that may not be wanted"


async def test_batches_without_news_do_not_end_a_promised_scan(tmp_path: Path) -> None:
    scan = turn(Scan(request=DataRequest(), batch_size=50), promises=True)
    async with lab(tmp_path, scan, findings=0) as place:
        await run(place)
        end, scanned = await ended(place), await told(place, RecordsScanned)
    assert end.reason == "every promised record was read"
    assert [event.scanned for event in scanned] == [50, 100, 150, 200]


@pytest.mark.parametrize("promises", [False, True])
async def test_no_more_records_are_read_than_allowed(tmp_path: Path, promises: bool) -> None:
    scan = turn(Scan(request=DataRequest(), batch_size=75), promises=promises)
    async with lab(tmp_path, scan) as place:
        report = await run(place, max_records=120)
        end = await ended(place)
        pages = [request.page_size for request in place.datasets[0].called]
    (coverage,) = report.coverage.datasets
    assert (coverage.scanned, coverage.fetched, coverage.matched, coverage.capped_by) == (120, 120, 200, "max_records")
    assert pages == [75, 45]
    assert end.reason == "max_records is reached"


async def test_nothing_that_makes_no_sense_is_done_and_the_planner_hears_why(tmp_path: Path) -> None:
    mad = turn(
        Aggregate(tool_names=("nothing",), group_by=("event_theme",)),
        Aggregate(),
        Scan(tool_names=("drop",)),
        tools=[ToolCall(tool="drop"), ToolCall(tool="analyse"), COUNT, COUNT],
    )
    async with lab(tmp_path, mad, turn(tools=[COUNT]), turn()) as place:
        await run(place)
        states = [ask.state for ask in asked(place, DirectDataset)]
        end, called = await ended(place), await told(place, ToolCalled)
    assert len(called) == 1 and len(place.datasets[0].called) == 1
    text = "\n".join(states[1].errors)
    for part in (
        "aggregator: no tool can serve it",
        "There is no tool 'nothing'",
        "there is nothing to count by",
        "drop may not be called: it declares that it destroys something",
        "There is no tool 'analyse'. Known: analyze.",
        "analyze: the same call was made before",
    ):
        assert part in text, part
    assert states[2].errors == ("analyze: the same call was made before",)
    assert end.reason == "2 turns in a row had nothing to do" and end.turns == 3


async def test_a_planner_that_directs_nothing_is_asked_twice(tmp_path: Path) -> None:
    async with lab(tmp_path, turn()) as place:
        report = await run(place)
        assert (await ended(place)).turns == 2
    assert report.partial is None and not report.claims


async def test_a_planner_that_goes_round_in_circles_stops_after_its_turns(tmp_path: Path) -> None:
    def another(ask: DirectDataset) -> DatasetTurn:
        country = Filter(field="country", value=f"Nowhere {ask.state.turn}")
        return turn(Aggregate(filters=(country,), group_by=("event_theme",)))

    async with Lab(tmp_path, Shape(subtasks=1, turns=another), sources=[], datasets=[SimulatedDataset()]) as place:
        await run(place, max_turns=4)
        end = await ended(place)
    assert end.reason == "all 4 turns are taken" and end.turns == 4


async def test_without_a_planner_a_first_page_is_read(tmp_path: Path) -> None:
    async with lab(tmp_path, failing=("DirectDataset",)) as place:
        report = await run(place)
        end = await ended(place)
        failed = [event.call for event in await told(place, CallFailed)]
    assert end.reason == "the planner failed" and end.turns == 1 and end.findings == 3
    assert report.coverage.datasets[0].scanned == 75 and failed == ["DirectDataset"]


async def test_all_eight_sub_agents_do_their_part(tmp_path: Path) -> None:
    turns = [
        turn(Decompose(max_questions=3), TakePerspectives(num_perspectives=2), tools=[COUNT]),
        turn(
            Aggregate(filters=IN_INDIA, group_by=("country", "event_theme"), samples_per_bucket=2),
            Scan(request=DataRequest(filters=IN_INDIA, group_by=("event_theme",)), by_samples=True),
        ),
        turn(Extract(), Validate(), AnalyzeGap()),
        turn(Synthesize(format="bullet_points")),
    ]
    place = lab(tmp_path, *turns, confidence=0.5)
    place.reasoner.shape = Shape(subtasks=3, turns=script(*turns), confidence=0.5)
    async with place:
        await run(place, max_questions=1)
        end = await ended(place)
        states = [ask.state for ask in asked(place, DirectDataset)]
        (validated,), (gaps,), (summed,) = (
            asked(place, kind) for kind in (ValidateFindings, AnalyzeGaps, SynthesizeSubtask)
        )
        read = asked(place, ExtractFindings)
    assert end.reason == "the findings are summed up" and end.turns == 4
    assert [question.id for question in states[1].sub_questions] == ["sq_1", "sq_2", "sq_3"]
    assert len(states[1].perspectives) == 2 and states[2].aggregations == 3
    assert validated.questions == gaps.questions == summed.questions == states[1].sub_questions
    assert validated.findings and validated.documents and len(gaps.results) == 3
    assert summed.format == "bullet_points"
    assert all(ask.questions == states[1].sub_questions and ask.mapping is not None for ask in read)
    assert states[3].confidence == 0.5 and states[3].gaps is not None
    samples = [request for request in place.datasets[0].called if request.samples_per_bucket == 20]
    assert len(samples) == 1 and not samples[0].search_after
    assert len(read[0].passages) == sum(min(20, count) for count in INDIA.values())


async def test_documents_and_a_dataset_answer_the_same_subtask(tmp_path: Path) -> None:
    place = lab(tmp_path)
    place.sources = [SimulatedRetriever()]
    async with place:
        report = await run(place)
        replayed = await place.replay()
    kinds = {source.kind for source in report.sources}
    assert kinds == {"file", "dataset"}
    assert report.coverage.total == 40 and report.coverage.datasets[0].scanned == 165
    assert replayed.model_dump_json() == report.model_dump_json()


async def test_two_datasets_are_researched_side_by_side(tmp_path: Path) -> None:
    place = lab(tmp_path)
    place.datasets.append(SimulatedDataset("meetings", event_records(elsewhere=5)))
    async with place:
        report = await run(place)
        assert (await place.replay()).model_dump_json() == report.model_dump_json()
    assert [(each.name, each.total, each.scanned) for each in report.coverage.datasets] == [
        ("events", 200, 165),
        ("meetings", 170, 165),
    ]


def two(folder: Path, *, last: str) -> Lab:
    """Documents and two datasets, one of which answers late."""
    place = lab(folder)
    place.sources = [SimulatedRetriever()]
    slow = {"events": 0.0, "meetings": 0.0, last: 0.02}
    place.datasets = [
        SimulatedDataset(name, event_records(elsewhere=rest), latency=lambda *_, seconds=slow[name]: seconds)
        for name, rest in (("events", 35), ("meetings", 5))
    ]
    return place


async def test_whichever_of_two_datasets_is_first_their_findings_come_as_they_were_asked_for(tmp_path: Path) -> None:
    claims = []
    for last in ("events", "meetings"):
        async with two(tmp_path / last, last=last) as place:
            report = await run(place)
            assert (await place.replay()).model_dump_json() == report.model_dump_json()
            claims.append([finding.claim for finding in report.findings])
    assert claims[0] == claims[1]


async def test_a_replay_of_a_run_that_decided_no_order_takes_datasets_as_they_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sooner(ask: DirectDataset) -> DatasetTurn:
        if ask.state.turn == 1:
            return turn(tools=[COUNT])
        return turn(Scan() if ask.dataset.name == "events" and ask.state.turn == 2 else Synthesize())

    async with two(tmp_path, last="events") as place:
        place.reasoner.shape = Shape(subtasks=1, turns=sooner)
        stored = place.store.journal
        order = JournalEntry(
            seq=1, path="task_1/r0/data", kind="decide", request="", answer='["meetings", "events"]', seconds=0.0
        )

        async def with_order(run_id: str) -> list[JournalEntry]:
            return [*await stored(run_id), order]

        monkeypatch.setattr(place.store, "journal", with_order)
        report = await run(place)
        monkeypatch.setattr(place.store, "journal", stored)
        assert not [entry for entry in await stored("run_one") if entry.path == order.path]
        assert (await place.replay()).model_dump_json() == report.model_dump_json()


async def test_what_a_turn_directs_and_the_searches_of_the_round_are_under_way_together(tmp_path: Path) -> None:
    waiting: list[str] = []

    def slow(kind: str, _: str) -> float:
        waiting.append(kind)
        return 0.02 if kind in ("search", "tool", "PlanResearch") else 0.0

    place = lab(tmp_path, dataset=SimulatedDataset(latency=slow))
    place.sources, place.reasoner.latency = [SimulatedRetriever(latency=slow)], slow
    async with place:
        await run(place)
    at = waiting.index("DirectDataset")
    ahead = waiting[at + 1 : waiting.index("DirectDataset", at + 1)]
    assert {*ahead} == {"search", "tool", "PlanResearch"}
    assert waiting.count("search") == ahead.count("search") + 1, "besides the question as it stands"


async def test_a_dataset_that_cannot_be_reached_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    place = lab(tmp_path, dataset=SimulatedDataset(failing=True))
    place.sources = [SimulatedRetriever()]
    async with place:
        report = await run(place)
        assert (await place.replay()).model_dump_json() == report.model_dump_json()
        assert report.claims and any("cannot be reached" in each for each in report.limitations)
        assert (report.partial, (await place.record()).status) == ("unavailable", "partial")
        place.datasets = [SimulatedDataset()]
        report = await place.resume()
    assert report.partial is None and report.coverage.datasets[0].scanned == 165


@pytest.mark.parametrize("error", [Unreachable("The server has gone."), TimedOut("The server has hung.")])
async def test_a_dataset_that_is_lost_in_the_middle_makes_the_report_partial_and_is_asked_again(
    tmp_path: Path, error: Unavailable
) -> None:
    dataset = SimulatedDataset(fault=lambda *_: error if len(dataset.called) > 2 else None)
    async with lab(tmp_path, dataset=dataset) as place:
        report = await run(place)
        assert (await place.replay()).model_dump_json() == report.model_dump_json()
        assert report.partial == "unavailable" and report.claims
        assert any(str(error) in each for each in report.limitations)
        place.datasets = [SimulatedDataset()]
        report = await place.resume()
    assert report.partial is None and report.coverage.datasets[0].scanned == 165


async def test_a_dataset_that_fails_alone_fails_the_run_as_any_source_does(tmp_path: Path) -> None:
    dataset = SimulatedDataset(fault=lambda *_: Unavailable("The server of the events has died."))
    async with lab(tmp_path, dataset=dataset) as place:
        with pytest.raises(Unavailable, match="has died"):
            await run(place)
        place.datasets = [SimulatedDataset()]
        report = await place.resume()
    assert report.partial is None and report.coverage.datasets[0].scanned == 165


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.soak), 4])
async def test_a_limit_of_the_run_stops_the_loop_and_the_report_still_comes(tmp_path: Path, step: int) -> None:
    for most in range(2, 13 + step, step):
        async with lab(tmp_path / str(most)) as place:
            report = await run(place, max_calls=most)
            assert (await place.replay()).model_dump_json() == report.model_dump_json()
            if report.partial is None:
                break
            assert report.partial == "max_calls"
            whole = await place.resume(max_calls=None)
            assert whole.partial is None and whole.coverage.datasets[0].scanned == 165
    else:
        pytest.fail("the run never came to its end")


async def test_a_dataset_that_changes_meanwhile_is_not_mixed_up(tmp_path: Path) -> None:
    dataset = SimulatedDataset(twist=lambda result: result.model_copy(update={"revision": "2"}))
    async with lab(tmp_path, dataset=dataset) as place:
        await run(place)
        failed: list[CallFailed] = await told(place, CallFailed)
    assert all("the dataset has changed since the run began" in event.error for event in failed)
    assert failed


async def test_what_is_counted_is_cited_row_by_row(tmp_path: Path) -> None:
    async with lab(tmp_path, turn(tools=[COUNT]), turn(Synthesize())) as place:
        report = await run(place)
        texts = {source.sha256: await place.store.snapshot(source.sha256) for source in report.sources}
    sources = {source.id: source for source in report.sources}
    quotes = {entry.quote for entry in report.evidence}
    assert "AI | 50" in quotes
    for entry in report.evidence:
        assert texts[sources[entry.source_id].sha256][entry.start : entry.end] == entry.quote
    assert {source.query for source in report.sources} == {
        'analyze {"filters": {"country": "India"}, "group_by": ["event_theme"]}'
    }
    assert [(claim.text, claim.status, claim.why) for claim in report.claims if claim.status != "supported"] == []


async def test_what_a_run_takes_lies_within_its_estimate(tmp_path: Path) -> None:
    async with lab(tmp_path) as place:
        report = await run(place)
    calls = sum(report.usage.calls.values())
    assert report.estimate.calls_low <= calls <= report.estimate.calls_high
