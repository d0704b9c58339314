"""Nothing found is one thing, nothing asked is another."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.asks import ExtractFindings
from fathom.errors import Unavailable
from fathom.findings import Findings
from tests.support.doubles.reasoner import Shape, SimulatedReasoner
from tests.support.doubles.retriever import SimulatedRetriever
from tests.support.lab import Lab


async def test_a_run_whose_sources_all_fail_says_so_and_can_be_resumed(tmp_path: Path) -> None:
    broken = Lab(tmp_path, sources=[SimulatedRetriever(failing=True)])
    with pytest.raises(Unavailable, match="knowledge"):
        await broken.start()
    assert (await broken.record()).status == "failed"
    await broken.store.close()

    mended = Lab(tmp_path)
    report = await mended.resume()
    assert report.claims
    await mended.store.close()


async def test_a_run_without_documents_tells_nothing_and_names_what_it_did_not_find(tmp_path: Path) -> None:
    lab = Lab(tmp_path, sources=[SimulatedRetriever(documents=0)])
    report = await lab.start(mode="simple")
    assert (report.claims, report.sources) == ((), ())
    assert [entry.subtask_id for entry in report.not_found] == ["task_1"]
    await lab.store.close()


class OnlyTheFirst(SimulatedReasoner):
    """Finds something for the first subtask alone."""

    def _extract(self, ask: ExtractFindings) -> Findings:
        return super()._extract(ask) if ask.subtask.subtask_id == "task_1" else Findings()


async def test_what_builds_on_what_is_told_is_not_missing_however_many_steps_lie_between(tmp_path: Path) -> None:
    shape = Shape(subtasks=4, dependencies={2: (1,), 3: (2,)})
    async with Lab(tmp_path, shape) as lab:
        lab.reasoner = OnlyTheFirst(shape)
        report = await lab.start(max_reflections=0)
    assert [entry.subtask_id for entry in report.not_found] == ["task_4"]
