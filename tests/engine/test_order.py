"""What is researched first when calls are scarce: the orders differ in fact, and importance decides in each of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fathom.events import Extracted
from fathom.report import Report
from tests.support.doubles.reasoner import Shape, jittered
from tests.support.lab import Lab

WIDE = Shape(subtasks=8, children=dict.fromkeys(range(1, 9), 2))
ORDERS = ("breadth_first", "depth_first", "hybrid")


async def researched(folder: Path, shape: Shape, **limits: Any) -> tuple[Report, list[str]]:
    """The report, and the subtasks in the order in which they were read for."""
    async with Lab(folder, shape, latency=jittered(0.002)) as lab:
        report = await lab.start(**{"max_reflections": 0, "max_depth": 2, "max_subtasks": 60, **limits})
        read = [event.subtask_id for event in await lab.events() if isinstance(event, Extracted)]
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
    return report, read


@pytest.mark.parametrize("slots", [1, 4])
async def test_breadth_first_reads_for_every_root_before_it_goes_below_any(tmp_path: Path, slots: int) -> None:
    report, read = await researched(tmp_path, WIDE, order="breadth_first", max_concurrency=slots, max_calls=46)
    assert report.partial == "max_calls"
    assert all("." not in id for id in read[:8]) and len(set(read[:8])) == 8


@pytest.mark.parametrize("slots", [1, 4])
async def test_depth_first_finishes_branches_and_does_not_begin_the_last_ones(tmp_path: Path, slots: int) -> None:
    report, read = await researched(tmp_path, WIDE, order="depth_first", max_concurrency=slots, max_calls=46)
    status = {entry.subtask_id: entry.status for entry in report.subtasks}
    assert report.partial == "max_calls"
    assert status["task_1"] == status["task_1.1"] == status["task_1.2"] == "completed"
    assert status["task_8"] == "skipped" and {id for id in read if "." in id} >= {"task_1.1", "task_1.2"}


@pytest.mark.parametrize("slots", [1, 4, 16])
@pytest.mark.parametrize("order", ORDERS)
async def test_what_matters_most_is_finished_under_a_cap_whatever_the_order(
    tmp_path: Path, order: str, slots: int
) -> None:
    shape = Shape(subtasks=8, importance={8: 1.0, 7: 0.95, **dict.fromkeys(range(1, 7), 0.3)})
    report, _ = await researched(tmp_path, shape, order=order, max_concurrency=slots, max_calls=20)
    status = {entry.subtask_id: entry.status for entry in report.subtasks}
    assert report.partial == "max_calls"
    assert status["task_8"] == status["task_7"] == "completed", status


@pytest.mark.parametrize("slots", [1, 4])
@pytest.mark.parametrize("most", [6, 14, 30])
@pytest.mark.parametrize("order", ORDERS)
async def test_what_was_found_under_a_cap_is_always_told(tmp_path: Path, order: str, most: int, slots: int) -> None:
    report, read = await researched(tmp_path, WIDE, order=order, max_concurrency=slots, max_calls=most)
    assert report.partial == "max_calls"
    assert bool(report.findings) == bool(report.claims) == bool(read)
