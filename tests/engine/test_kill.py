"""`kill -9` at any moment loses nothing and repeats nothing that was finished."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

import pytest

from tests.support.crash import SHAPE, Tally, killed
from tests.support.lab import Lab, same


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of a run that nobody killed."""

    async def main() -> str:
        async with Lab(tmp_path_factory.mktemp("whole"), SHAPE) as lab:
            return same(await lab.start())

    return asyncio.run(main())


def check(tally: Tally, whole: str) -> None:
    assert tally.repeated == []
    assert tally.report == whole


def test_a_run_killed_three_times_is_finished_without_repeating_a_finished_call(tmp_path: Path, whole: str) -> None:
    tally = killed(tmp_path / "run", kills=3, chance=Random(3))
    assert tally.kills == 3
    check(tally, whole)


@pytest.mark.soak
def test_fifty_kills(tmp_path: Path, whole: str) -> None:
    chance, kills, runs = Random(50), 0, 0
    while kills < 50:
        tally = killed(tmp_path / f"run_{runs}", kills=min(6, 50 - kills), chance=chance)
        check(tally, whole)
        kills, runs = kills + tally.kills, runs + 1
