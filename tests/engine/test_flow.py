"""Who walks a run: this process alone, or LangGraph when somebody looks on."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.runnables.config import var_child_runnable_config

from tests.support.doubles.dataset import SimulatedDataset
from tests.support.doubles.reasoner import Shape, jittered
from tests.support.lab import Lab, same, watched

SHAPE = Shape(subtasks=4, dependencies={3: (1,), 4: (2, 3)}, rounds=2, children={2: 2}, weak=("task_1",))
ORDER = re.compile(r"end/|revision/\d+/of$")
"""What a journal holds of which subtask ended before which: that depends on the machine."""


async def test_it_makes_no_difference_to_a_run_whether_somebody_looks_on(tmp_path: Path) -> None:
    told: list[Any] = []
    for name in ("alone", "watched"):
        async with Lab(tmp_path / name, SHAPE, latency=jittered(0.001)) as lab:
            await lab.create(max_depth=2)
            report = await (watched(lab, tmp_path) if name == "watched" else lab.resume())
            journal = [(entry.path, entry.kind, entry.answer) for entry in await lab.store.journal("run_one")]
            told.append((same(report), sorted(entry for entry in journal if not ORDER.match(entry[0]))))

    assert told[0] == told[1]


async def test_a_run_over_data_that_somebody_looked_at_is_replayed_alone_to_the_byte(tmp_path: Path) -> None:
    async with Lab(tmp_path, SHAPE, datasets=[SimulatedDataset()]) as lab:
        await lab.create(max_depth=2)
        report = await watched(lab, tmp_path)

        assert lab.datasets[0].called
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()


async def test_whoever_follows_by_langchain_is_told_each_step(tmp_path: Path) -> None:
    class Follower(AsyncCallbackHandler):
        steps: set[str] = set()

        async def on_chain_start(self, *_: Any, **told: Any) -> None:
            self.steps.add(str(told.get("name")))

    token = var_child_runnable_config.set({"callbacks": [Follower()]})
    try:
        async with Lab(tmp_path, SHAPE) as lab:
            await lab.start()
    finally:
        var_child_runnable_config.reset(token)

    assert {"fathom research", "run", "plan", "subtask task_1", "accumulate", "write"} <= Follower.steps
