"""Nothing found is one thing, nothing asked is another."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.errors import Unavailable
from tests.doubles.retriever import SimulatedRetriever
from tests.engine.lab import Lab


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
