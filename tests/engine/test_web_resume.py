"""Nothing of the web is lost: broken off, stopped or killed at any moment, a run repeats no search and no page."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fathom.ports.web import Web
from fathom.report import Report, Usage
from tests.support.crash import SHAPE as CRASHED
from tests.support.crash import a_logged_web, killed
from tests.support.doubles.reasoner import Shape
from tests.support.doubles.retriever import SimulatedRetriever
from tests.support.doubles.web import SimulatedArchive, SimulatedReader, SimulatedSearch, simulated_web
from tests.support.lab import Lab, same

SHAPE = Shape(subtasks=3, dependencies={3: (1,)}, rounds=2, children={2: 2}, weak=("task_1",))
FAULTS = 0.1
"""Share of the searches, and of the pages, that fail."""


class Outside:
    """A web that counts its calls, over all processes, and rings at one of them.

    It is asked anew for what is in the archive: what is not repeated is so because the journal has it.
    """

    def __init__(self, *, ring_at: int = -1, ring: Callable[[], Any] = lambda: None, faults: float = FAULTS) -> None:
        self.calls: Counter[str] = Counter()
        self.ring_at, self.ring = ring_at, ring
        self.failed = 0
        self._archive = SimulatedArchive()
        self._chance = Random(7)
        self._faults = faults

    def web(self) -> Web:
        """The web as another process has it."""

        def fails(text: str) -> bool:
            return Random(text).random() < self._faults

        searches = [
            SimulatedSearch(name, pages=30, cost_usd=cost, latency=self._latency, failing=fails)
            for name, cost in (("alpha", 0.008), ("beta", 0.0))
        ]
        reader = SimulatedReader(latency=self._latency, faults=self._faults)
        return simulated_web(*searches, reader=reader, archive=self._archive, refresh=True)

    def _latency(self, kind: str, text: str) -> float:
        self.calls[f"{kind} {text}"] += 1
        if self.calls.total() == self.ring_at:
            self.ring()
        return self._chance.uniform(0.0, 0.003)


def without_usage(report: str) -> str:
    """The report without what it took: what has failed is tried again, and counts again."""
    return Report.model_validate_json(report).model_copy(update={"usage": Usage()}).model_dump_json()


async def whole(folder: Path) -> tuple[Report, Counter[str]]:
    """A run that nobody disturbs, and the calls that it makes."""
    outside = Outside()
    async with Lab(folder, SHAPE, web=outside.web()) as lab:
        report = await lab.start()
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
    return report, outside.calls


async def broken_off(folder: Path, moment: int, undisturbed: Report, needed: Counter[str]) -> None:
    """A run whose task is cancelled at a call, and that is taken up again."""
    outside = Outside(ring_at=moment)
    async with Lab(folder, SHAPE, web=outside.web()) as lab:
        task = asyncio.create_task(lab.start())
        outside.ring = task.cancel
        with contextlib.suppress(asyncio.CancelledError):
            await task
        kept = {entry.path for entry in await lab.store.journal("run_one") if entry.kind in {"web_search", "read"}}
        assert len(kept) <= outside.calls.total()
    async with Lab(folder, SHAPE, web=outside.web()) as lab:
        report = await lab.resume()
        assert without_usage(same(report)) == without_usage(same(undisturbed))
        failed = {entry.path for entry in await lab.store.journal("run_one") if entry.kind == "failed"}
    async with Lab(folder, SHAPE) as lab:
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
        assert lab.calls == 0
    repeated = outside.calls - needed
    assert outside.calls.keys() == needed.keys()
    assert repeated.total() <= len(failed), "only what has failed is tried again"


async def stopped(folder: Path, moment: int, undisturbed: Report, needed: Counter[str]) -> None:
    """A run that is told to stop at a call, and that is taken up again, with its limits granted anew."""
    cancel = asyncio.Event()
    outside = Outside(ring_at=moment, ring=cancel.set)
    async with Lab(folder, SHAPE, web=outside.web()) as lab:
        report = await lab.start(cancel=cancel)
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
        before = outside.calls.total()
        assert before <= moment + 40, "browsing ends at once"
    async with Lab(folder, SHAPE, web=outside.web()) as lab:
        if report.partial:
            assert report.partial in ("cancelled", "unavailable")
            report = await lab.resume()
        failed = {entry.path for entry in await lab.store.journal("run_one") if entry.kind == "failed"}
    async with Lab(folder, SHAPE) as lab:
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
    assert report.markdown == undisturbed.markdown
    assert outside.calls.keys() == needed.keys()
    assert (outside.calls - needed).total() <= len(failed)


Disturb = Callable[[Path, int, Report, Counter[str]], Awaitable[None]]


@pytest.mark.parametrize(("disturbed", "moment"), [(broken_off, 21), (stopped, 7)])
async def test_a_run_disturbed_at_any_moment_ends_as_if_it_had_not_been(
    tmp_path: Path, disturbed: Disturb, moment: int
) -> None:
    undisturbed, needed = await whole(tmp_path / "whole")
    assert needed.total() > 40 and set(needed.values()) == {1}
    await disturbed(tmp_path / str(moment), moment, undisturbed, needed)


@pytest.mark.soak
@pytest.mark.parametrize("disturbed", [broken_off, stopped])
async def test_a_run_disturbed_at_every_moment_ends_as_if_it_had_not_been(tmp_path: Path, disturbed: Disturb) -> None:
    undisturbed, needed = await whole(tmp_path / "whole")
    for moment in range(1, needed.total() + 1):
        await disturbed(tmp_path / str(moment), moment, undisturbed, needed)


@pytest.mark.parametrize("moments", [(30,), pytest.param((5, 50), marks=pytest.mark.soak)])
async def test_the_account_of_a_run_that_was_broken_off_is_that_of_one_that_was_not(
    tmp_path: Path, moments: tuple[int, ...]
) -> None:
    usages = []
    for moment in (-1, *moments):
        outside = Outside(ring_at=moment, faults=0.0)
        async with Lab(tmp_path / str(moment), SHAPE, web=outside.web()) as lab:
            task = asyncio.create_task(lab.start())
            outside.ring = task.cancel
            with contextlib.suppress(asyncio.CancelledError):
                await task
        async with Lab(tmp_path / str(moment), SHAPE, web=outside.web()) as lab:
            usages.append((await lab.resume()).usage.model_copy(update={"seconds": 0.0}))
    assert usages[0].search_cost_usd == pytest.approx(0.008 * usages[0].searches["alpha"]) != 0.0
    assert usages == [usages[0]] * len(usages)


async def test_a_run_is_replayed_without_a_web_and_cannot_be_finished_without_one(tmp_path: Path) -> None:
    outside = Outside(faults=0.0)
    async with Lab(tmp_path, SHAPE, web=outside.web(), sources=[SimulatedRetriever()]) as lab:
        task = asyncio.create_task(lab.start())
        outside.ring_at, outside.ring = 30, task.cancel
        with contextlib.suppress(asyncio.CancelledError):
            await task
    async with Lab(tmp_path, SHAPE, sources=[SimulatedRetriever()]) as lab:
        report = await lab.resume()
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
    assert any("take it up as it was begun" in limitation for limitation in report.limitations)
    assert report.findings, "the documents are there"


# ── Killed ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of a run on the web that nobody killed."""

    async def main() -> str:
        folder = tmp_path_factory.mktemp("whole")
        async with contextlib.AsyncExitStack() as stack, Lab(folder, CRASHED) as lab:
            lab.web = await a_logged_web(stack, folder)
            return same(await lab.start())

    return asyncio.run(main())


def test_a_run_on_the_web_killed_three_times_repeats_no_search_and_no_page(tmp_path: Path, undisturbed: str) -> None:
    tally = killed(tmp_path / "run", kills=3, chance=Random(5), web=True)
    assert (tally.kills, tally.repeated) == (3, [])
    assert without_usage(tally.report) == without_usage(undisturbed)


@pytest.mark.soak
def test_fifty_kills_on_the_web(tmp_path: Path, undisturbed: str) -> None:
    chance, kills, runs = Random(51), 0, 0
    while kills < 50:
        tally = killed(tmp_path / f"run_{runs}", kills=min(6, 50 - kills), chance=chance, web=True)
        assert tally.repeated == []
        assert without_usage(tally.report) == without_usage(undisturbed)
        kills, runs = kills + tally.kills, runs + 1


async def test_pages_that_somebody_has_moved_away_are_read_anew(tmp_path: Path) -> None:
    async with Lab(tmp_path / "whole", SHAPE, web=simulated_web()) as lab:
        undisturbed = await lab.start()
    async with Lab(tmp_path / "cut", SHAPE, web=simulated_web()) as lab:
        partial = await lab.start(max_calls=12)
        assert partial.partial == "max_calls" and partial.usage.pages > 0
        lab.web = simulated_web(reader=(reader := SimulatedReader()))
        report = await lab.resume(max_calls=None)
        assert reader.asked and set(Counter(reader.asked).values()) == {1}
        assert [source.uri for source in report.sources] == [source.uri for source in undisturbed.sources]
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
