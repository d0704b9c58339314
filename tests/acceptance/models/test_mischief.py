"""A model that answers anything, and far too much of it: caps on tokens, dollars and calls hold, and a report comes."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

import fathom
from fathom.events import Planned, PlanRevised, Reflected, StoredEvent
from fathom_testing.model_server import ModelServer
from tests.acceptance.models.nonsense import speak_nonsense
from tests.support.corpus import QUESTION, corpus
from tests.support.honest import faults_of
from tests.support.injected_runs import snapshots
from tests.support.model_settings import settings_for


async def ends_within_limits(seed: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = Random(seed)
    speak_nonsense(monkeypatch, seed, most=chance.choice((3, 40, 500)))
    limits: dict[str, Any] = {
        "max_questions": chance.choice((2, 6, 10)),
        "max_subtasks": chance.choice((3, 12)),
        "max_depth": chance.choice((1, 3)),
        "max_revisions": chance.choice((0, 1, 3)),
        "max_reflections": chance.choice((0, 1)),
        "max_tokens": chance.choice((None, 6_000, 60_000)),
        "max_cost": chance.choice((None, 0.05, 0.5)),
        "max_calls": chance.choice((60, 15, 40)),
        "max_concurrency": chance.choice((1, 4, 16)),
    }
    events: list[StoredEvent] = []
    with ModelServer() as server:  # nobody speaks to it: the model that it stands for talks nonsense
        settings = settings_for(folder, server)
        report = await fathom.research(
            QUESTION, documents=[corpus(folder)], settings=settings, limits=limits, on_event=events.append
        )
        replayed = await fathom.replay(report.run_id, settings=settings)
    assert faults_of(report, await snapshots(settings, report)) == []
    assert replayed.model_dump_json() == report.model_dump_json()

    told = [stored.event for stored in events]
    assert told[-1].kind == "finished" and report.markdown
    assert sum(report.usage.calls.values()) <= limits["max_calls"] + report.usage.cached_calls
    tokens = report.usage.prompt_tokens + report.usage.completion_tokens
    assert limits["max_tokens"] is None or tokens <= limits["max_tokens"]
    assert limits["max_cost"] is None or report.usage.cost_usd <= limits["max_cost"]
    researched = [entry for entry in report.subtasks if entry.status not in ("skipped", "removed")]
    assert len(researched) <= limits["max_subtasks"]
    assert max(entry.depth for entry in report.subtasks) < limits["max_depth"]
    assert all(len(each.plan.subtasks) <= limits["max_questions"] for each in told if isinstance(each, Planned))
    assert sum(each.accepted for each in told if isinstance(each, PlanRevised)) <= limits["max_revisions"]
    assert sum(isinstance(each, Reflected) for each in told) <= limits["max_reflections"]


@pytest.mark.parametrize("seed", range(4))
async def test_a_model_that_answers_anything_ends_within_every_limit_with_a_report(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ends_within_limits(seed, tmp_path, monkeypatch)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 250))
async def test_many_models_that_answer_anything_end_within_every_limit_with_a_report(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ends_within_limits(seed, tmp_path, monkeypatch)
