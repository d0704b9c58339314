"""A follow-up on the web: a page that the thread has read is neither searched for nor asked for again."""

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


def test_what_the_thread_has_read_on_the_web_answers_without_it(call: Call, web: LittleWeb, tmp_path: Path) -> None:
    topic = web.world.topics[0]
    file = tmp_path / "report.json"
    asked = ("--web", "--quiet", "--json", file)
    assert call("research", f"How long is the main span of the {topic.name}?", *asked).code == 0
    first = Report.model_validate_json(file.read_text(encoding="utf-8"))
    assert {source.kind for source in first.sources} == {"web"}
    visits = len(web.visits)

    done = call("ask", first.run_id, "And how long is its main span in metres?", "--json", file)

    assert done.code == 0, done.err
    assert len(web.visits) == visits
    followed = Report.model_validate_json(file.read_text(encoding="utf-8"))
    assert followed.query == f"How long is the {topic.name}'s main span in metres?"
    assert {source.kind for source in followed.sources} == {"web"}
    assert {(each.uri, each.sha256) for each in followed.sources} <= {(each.uri, each.sha256) for each in first.sources}
    assert not {"web_search", "read", "search"} & followed.usage.calls.keys()
    assert faults_of(followed, asyncio.run(_texts(followed.run_id))) == []
    other = web.world.topics[1]

    done = call("ask", followed.run_id, f"How long is the main span of the {other.name}?", "--json", file)

    assert done.code == 0, done.err
    assert len(web.visits) > visits
    assert Report.model_validate_json(file.read_text(encoding="utf-8")).usage.calls["web_search"] > 0
    newest = json.loads(call("runs", "--format", "json").out)
    assert [run["follows"] for run in newest] == [followed.run_id, first.run_id, ""]
