"""Runs of every kind that an earlier version has stored replay to the same bytes.

`stored/runs.sqlite3.gz` was written by the version before the state of a run became one record per subtask. It is never
written anew: a run that a later version cannot replay is a fault of that version.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import fathom
from fathom.wiring import opened_store

STORED = Path(__file__).parent / "stored" / "runs.sqlite3.gz"


@pytest.fixture
def settings(tmp_path: Path) -> fathom.Settings:
    """Of a home that holds these runs, without documents, datasets, web and model."""
    (tmp_path / "runs.sqlite3").write_bytes(gzip.decompress(STORED.read_bytes()))
    return fathom.Settings(home=tmp_path, web=False, no_web=True)


async def test_each_run_of_an_earlier_version_replays_to_the_report_that_it_has_stored(
    settings: fathom.Settings,
) -> None:
    kinds: set[str] = set()
    async with opened_store(settings) as store:
        runs = await store.runs(limit=100)
        reports = {run.run_id: await store.report(run.run_id) for run in runs}
    for run in runs:
        replayed = await fathom.replay(run.run_id, settings=settings)
        assert replayed.model_dump_json() == reports[run.run_id].model_dump_json(), run.query
        kinds |= {source.kind for source in replayed.sources} | {replayed.language, str(replayed.partial)}
        kinds |= {"model"} if replayed.usage.models else set()

    assert len(runs) == 8
    assert kinds >= {"file", "web", "dataset", "model", "ja", "en", "max_calls"}
