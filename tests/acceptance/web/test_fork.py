"""A run on the web again, when the web is gone."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from fathom.report import Report
from fathom.settings import load_settings
from fathom.wiring import opened_store
from fathom_testing.little_web import LittleWeb
from tests.cli.conftest import Call
from tests.support.honest import faults_of


async def _texts(run_id: str) -> dict[str, str]:
    async with opened_store(load_settings()) as store:
        return {sha256: await store.snapshot(sha256) for sha256 in await store.snapshots(run_id)}


def test_a_fork_offline_needs_no_web(call: Call, web: LittleWeb, notes: Path, tmp_path: Path) -> None:
    name = web.world.topics[0].name
    question = f"What did our inspection of the {name} find, and how long is the main span of the {name}?"
    file = tmp_path / "report.json"
    assert call("research", question, "--docs", notes, "--web", "--quiet", "--json", file).code == 0
    first = Report.model_validate_json(file.read_text(encoding="utf-8"))
    (notes / "bridge.md").unlink()
    visits = len(web.visits)

    done = call("fork", first.run_id, "--offline", "--json", file)

    assert done.code == 0, done.err
    assert len(web.visits) == visits
    forked = Report.model_validate_json(file.read_text(encoding="utf-8"))
    assert faults_of(forked, asyncio.run(_texts(forked.run_id))) == []
    listed, of_fork = (
        json.loads(call("sources", run_id, "--format", "json").out) for run_id in (first.run_id, forked.run_id)
    )
    assert any(each["state"] == "left_out" and each["reason"] for each in listed)
    assert {each["kind"] for each in of_fork} == {"file", "web"}
    read = {each["sha256"] for each in listed if each["state"] != "left_out"}
    assert {each["sha256"] for each in of_fork} <= read
