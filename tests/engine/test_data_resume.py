"""Research on a dataset that is killed, wherever that may be: resumed complete, no record twice and none missing."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections import Counter
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, Self

import pytest

from fathom.asks import ExtractFindings
from fathom.errors import MissingAnswer, StoreError
from tests.support.data_lab import asked, lab, run
from tests.support.doubles.dataset import SimulatedDataset
from tests.support.doubles.faults import FaultyStore
from tests.support.doubles.reasoner import jittered
from tests.support.doubles.retriever import SimulatedRetriever


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.soak), 5])
async def test_a_run_that_is_killed_at_any_entry_of_its_journal_is_finished_with_every_record_once(
    tmp_path: Path, step: int
) -> None:
    async with lab(tmp_path / "whole") as place:
        whole = await run(place)
        entries = await place.store.journal("run_one")
        needed = place.calls
    cut = 0
    for after in itertools.count(0, step):
        folder = tmp_path / str(after)
        async with lab(folder) as place:
            real = place.store
            faulty: Any = FaultyStore(real, fail_after=after, counted="record")
            place.store = faulty
            try:
                await run(place)
                place.store = real
                break
            except StoreError:
                place.store = real
            durable = [each for each in await real.journal("run_one") if each.kind != "decide"]
        async with lab(folder) as place:
            report = await place.resume()
            assert place.calls == needed - len(durable), "no finished call is made again"
            assert report.coverage == whole.coverage
            assert [finding.claim for finding in report.findings] == [finding.claim for finding in whole.findings]
            assert (await place.replay()).model_dump_json() == report.model_dump_json()
            cut += 1
    assert cut == len(range(0, len(entries), step)) > 2


@pytest.mark.parametrize("after", [*(pytest.param(n, marks=pytest.mark.soak) for n in (4, 8, 9)), 6])
async def test_a_scan_that_is_broken_off_goes_on_at_its_cursor(tmp_path: Path, after: int) -> None:
    read: Counter[str] = Counter()
    async with lab(tmp_path, dataset=SimulatedDataset(latency=jittered(0.005))) as place:
        place.reasoner.latency = jittered(0.01)
        await place.create(query="India events by theme", mode="simple", max_reflections=0)
        task = asyncio.create_task(place.resume())
        await place.has_asked(after)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        kept = {each.request for each in await place.store.journal("run_one") if each.kind == "tool"}
        with pytest.raises(MissingAnswer):
            await place.replay()
    async with lab(tmp_path) as place:
        report = await place.resume()
        calls = len(place.datasets[0].called)
        for ask in asked(place, ExtractFindings):
            read.update(passage.id for passage in ask.passages)
    assert calls == 3 - len(kept)
    assert report.coverage.datasets[0].scanned == 165 and max(read.values(), default=1) == 1


async def test_a_replay_needs_no_dataset_and_gives_the_same_bytes(tmp_path: Path) -> None:
    place = lab(tmp_path, dataset=SimulatedDataset(latency=jittered(0.002)))
    place.sources = [SimulatedRetriever(latency=jittered(0.002))]
    async with place:
        report = await run(place)
        events, entries = await place.events(), await place.store.journal("run_one")
    place = lab(tmp_path)
    place.sources, place.datasets = [SimulatedRetriever()], []
    async with place:
        replayed = await place.replay()
        assert replayed.model_dump_json() == report.model_dump_json()
        assert place.calls == 0
        assert (await place.events(), await place.store.journal("run_one")) == (events, entries)


async def test_whatever_overtakes_what_the_report_is_the_same(tmp_path: Path) -> None:
    reports = []
    for salt in "ab":
        place = lab(tmp_path / salt, dataset=SimulatedDataset(latency=jittered(0.004, salt=salt)))
        place.reasoner.latency = jittered(0.004, salt=salt * 2)
        place.sources = [SimulatedRetriever(latency=jittered(0.004, salt=salt * 3))]
        async with place:
            reports.append(await run(place))
    first, *others = reports
    for other in others:
        assert [finding.claim for finding in other.findings] == [finding.claim for finding in first.findings]
        assert other.coverage == first.coverage


async def test_the_ids_of_snapshots_and_what_is_quoted_of_them_do_not_depend_on_the_hour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    for hours in (0, 7 * 24 + 5):

        class Clock(datetime):
            ahead = timedelta(hours=hours)

            @classmethod
            def now(cls, tz: tzinfo | None = None) -> Self:
                return super().now(tz) + cls.ahead

        monkeypatch.setattr("fathom.evidence.datetime", Clock)
        async with lab(tmp_path / str(hours)) as place:
            made.append(await run(place))
    first, later = made
    assert first.sources[0].retrieved_at[:10] < later.sources[0].retrieved_at[:10]
    assert [source.sha256 for source in first.sources] == [source.sha256 for source in later.sources] != []
    assert first.evidence == later.evidence != ()
    assert first.findings == later.findings != ()


async def test_the_journal_holds_no_text_of_a_record(tmp_path: Path) -> None:
    async with lab(tmp_path) as place:
        await run(place)
        entries = await place.store.journal("run_one")
    pages = [entry for entry in entries if entry.kind == "tool" and "/page/" in entry.path]
    assert [entry.path for entry in pages] == [
        "task_1/r0/data/events/t2/scanner/0/page/1",
        "task_1/r0/data/events/t2/scanner/0/page/2",
    ]
    assert all("Meeting" not in entry.answer and len(entry.answer) < 1_500 for entry in pages)
