"""Whatever is raised, wherever: a run ends with it, and nobody is left waiting."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError as OfThreads
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from fathom.errors import Unavailable
from fathom.outcomes import in_thread
from tests.support.doubles.dataset import SimulatedDataset
from tests.support.doubles.reasoner import Shape
from tests.support.doubles.retriever import SimulatedRetriever
from tests.support.lab import Lab

PATIENCE = 60.0
Made = Callable[[], BaseException]

ERRORS: dict[str, Made] = {
    **{
        each.__name__: each
        for each in (
            StopIteration,
            StopAsyncIteration,
            GeneratorExit,
            SystemExit,
            KeyboardInterrupt,
            asyncio.CancelledError,
            asyncio.InvalidStateError,
            asyncio.QueueEmpty,
            TimeoutError,
            MemoryError,
            RecursionError,
            RuntimeError,
            AssertionError,
            OSError,
            BaseException,
        )
    },
    "OfThreads": OfThreads,
    "Group": partial(BaseExceptionGroup, "several", [KeyboardInterrupt()]),
    "Unavailable": partial(Unavailable, "It is gone."),
}
PLACES = [
    "reasoner.answer",
    "source.search",
    "source.describe",
    "source.snapshot",
    "dataset.describe",
    "dataset.call",
    "store.record",
    "store.emit",
    "store.add_snapshot",
    "store.update_run",
    "store.save_report",
]
# a coroutine that raises it while it is closed is complained about, and nothing else
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
HOW = ["awaited", "in a thread"]


def strike(lab: Lab, place: str, error: Made, *, after: int, how: str) -> None:
    """Have a method of what a run is given fail with `error`, once the first `after` calls of it are made."""
    owner, _, name = place.partition(".")
    target = {"reasoner": lab.reasoner, "source": lab.sources[0], "dataset": lab.datasets[0], "store": lab.store}[owner]
    before, made = getattr(target, name), 0

    def fail() -> None:
        raise error()

    async def method(*args: Any, **kwargs: Any) -> Any:
        nonlocal made
        made += 1
        if made <= after:
            return await before(*args, **kwargs)
        return await in_thread(fail) if how == "in a thread" else fail()

    setattr(target, name, method)


def end_of(folder: Path, place: str, error: Made, *, after: int, how: str) -> BaseException | None:
    """How a run ends that is struck so, in a process of its own as far as its event loop goes.

    Raises:
        AssertionError: it does not end.
    """
    ends: list[BaseException | None] = []

    async def run() -> None:
        datasets = [SimulatedDataset()]
        async with Lab(folder, Shape(subtasks=2), sources=[SimulatedRetriever()], datasets=datasets) as lab:
            strike(lab, place, error, after=after, how=how)
            await lab.start()

    def process() -> None:
        try:
            asyncio.run(run())
            ends.append(None)
        except BaseException as raised:  # noqa: BLE001 - it is looked at
            ends.append(raised)

    thread = threading.Thread(target=process, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert ends, f"the run waits for ever behind {error!r} in {place}, {how}"
    return ends[0]


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.parametrize("how", HOW)
def test_a_step_that_raises_anything_never_leaves_a_run_waiting(tmp_path: Path, name: str, how: str) -> None:
    end = end_of(tmp_path, "reasoner.answer", ERRORS[name], after=3, how=how)
    if name != "Unavailable":
        assert end is not None, "it is told"
        assert not isinstance(end, asyncio.CancelledError), "nobody has cancelled it"


@pytest.mark.parametrize("place", PLACES)
def test_no_adapter_that_raises_what_it_may_not_leaves_a_run_waiting(tmp_path: Path, place: str) -> None:
    end_of(tmp_path, place, StopIteration, after=1, how="in a thread")


@pytest.mark.soak
@pytest.mark.parametrize(("name", "place", "how"), list(product(ERRORS, PLACES, HOW)))
@pytest.mark.parametrize("after", [0, 2, 7])
def test_no_error_at_any_place_leaves_a_run_waiting(
    tmp_path: Path, name: str, place: str, how: str, after: int
) -> None:
    end_of(tmp_path, place, ERRORS[name], after=after, how=how)
