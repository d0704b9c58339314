"""The ideal that the benchmark holds a run against is itself right."""

from __future__ import annotations

from pathlib import Path

from tests.support.doubles.reasoner import Shape, jittered
from tests.support.ideal import Call, calls_of, seconds_of
from tests.support.lab import Lab

CALLS = {
    "a": Call(2.0, frozenset(), (1.0,)),
    "b": Call(3.0, frozenset(), (2.0,)),
    "c": Call(4.0, frozenset({"a"}), (0.0,)),
    "d": Call(1.0, frozenset({"b", "c"})),
}


def test_the_critical_path_is_the_longest_chain() -> None:
    assert seconds_of(CALLS, slots=9) == 2 + 4 + 1


def test_with_one_slot_every_call_counts_and_with_two_the_important_ones_go_first() -> None:
    assert seconds_of(CALLS, slots=1) == 10
    late = {**CALLS, "e": Call(5.0, frozenset(), (0.5,))}
    assert seconds_of(late, slots=2) == 9  # e and a, then c, then b, then d


async def test_every_call_of_a_run_is_in_the_ideal_and_waits_for_another(tmp_path: Path) -> None:
    shape = Shape(subtasks=3, dependencies={3: (1,)}, children={2: 2}, rounds=2)
    async with Lab(tmp_path, shape, latency=jittered(0.002)) as lab:
        report = await lab.start(max_depth=2)
        calls = calls_of(lab, await lab.store.journal("run_one"), shape)
    assert len(calls) == sum(report.usage.calls.values())
    assert {path for path, call in calls.items() if not call.waits_for} == {"describe/knowledge", "preview/knowledge"}
    assert calls["task_2/synthesize"].waits_for == {"task_2/r0/assess", "task_2.1/synthesize", "task_2.2/synthesize"}
    assert calls["task_3/r0/allocate"].waits_for == {"plan", "task_1/synthesize"}
