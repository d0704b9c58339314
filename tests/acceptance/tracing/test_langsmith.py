"""One run is one nested trace in LangSmith, checked on the wire."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langsmith import Client
from langsmith.run_helpers import tracing_context

from fathom.engine import tracing
from fathom.engine.run import plan_only
from fathom.errors import ProviderError
from fathom.sources import AtHand
from tests.acceptance.tracing.chatting import ChattingReasoner
from tests.acceptance.tracing.collector import Collector, collecting, traced
from tests.contracts import a_run
from tests.support.doubles.reasoner import Shape
from tests.support.lab import Lab

SHAPE = Shape(subtasks=3, dependencies={3: (1,)}, children={1: 2}, weak=("task_2",))


async def a_traced_run(folder: Path, shape: Shape = SHAPE, **limits: Any) -> Collector:
    with traced() as collector:
        async with Lab(folder) as lab:
            lab.reasoner = ChattingReasoner(shape)
            await lab.start(**limits)
    return collector


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Collector:
    """What was heard of one run."""
    return asyncio.run(a_traced_run(tmp_path_factory.mktemp("run")))


def test_a_run_is_one_trace(collector: Collector) -> None:
    (root,) = collector.roots
    assert root["name"] == "fathom research"
    assert {collector.chain(run)[-1] for run in collector.runs.values()} == {"fathom research"}
    assert {run["trace_id"] for run in collector.runs.values()} == {root["id"]}
    assert {run["session_name"] for run in collector.runs.values()} == {"deep"}
    assert all(run["end_time"] for run in collector.runs.values())


def test_a_trace_tells_which_run_it_is_of_and_what_came_of_it(collector: Collector) -> None:
    (root,) = collector.roots

    assert root["extra"]["metadata"]["fathom_run"] == "run_one"
    assert root["extra"]["metadata"]["session_id"] == "run_one"
    assert root["inputs"] == {"question": a_run().query}
    assert root["outputs"]["report"].startswith("# ")


def test_each_call_to_a_model_stands_below_the_step_that_made_it(collector: Collector) -> None:
    chains = [collector.chain(run)[1:] for run in collector.of_type("llm")]
    below = "fathom research"
    assert ["plan", "run", below] in chains
    assert ["accumulate", "subtask task_2", below] in chains
    assert ["synthesize", "subtask task_3", below] in chains
    assert ["direct", "subtask task_1.2", "drill_down", "subtask task_1", below] in chains
    assert ["accumulate", "subtask task_2", "reflect", "run", below] in chains  # researched again
    assert ["write", "run", below] in chains


async def test_a_run_that_a_limit_cuts_off_is_still_one_trace(tmp_path: Path) -> None:
    collector = await a_traced_run(tmp_path, max_calls=20)

    (root,) = collector.roots
    assert root["outputs"]["partial"] is True
    assert {collector.chain(run)[-1] for run in collector.runs.values()} == {"fathom research"}


async def test_a_run_that_fails_ends_its_trace_with_the_error(tmp_path: Path) -> None:
    with traced() as collector:
        async with Lab(tmp_path) as lab:
            lab.reasoner = ChattingReasoner(Shape(failing=("WriteReport", "OutlineReport")))
            with pytest.raises(ProviderError):
                await lab.start()

    (root,) = collector.roots
    assert "Unavailable" in root["error"]
    assert all(run["end_time"] for run in collector.runs.values())


async def test_a_plan_is_one_trace(tmp_path: Path) -> None:
    with traced() as collector:
        async with Lab(tmp_path) as lab:
            lab.reasoner = ChattingReasoner(SHAPE)
            await lab.create()
            await plan_only(await lab.record(), store=lab.store, reasoner=lab.reasoner, sources=AtHand(lab.sources))

    assert [collector.chain(run)[1:] for run in collector.of_type("llm")] == [["fathom plan"]]
    assert [root["name"] for root in collector.roots] == ["fathom plan"]


async def test_a_trace_that_is_switched_off_stays_off_in_every_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("langsmith._internal._context._GLOBAL_TRACING_ENABLED", True)
    with collecting() as collector:
        client = Client(api_url=collector.address, api_key="key")
        monkeypatch.setattr("langsmith.run_trees._CLIENT", client)
        async with Lab(tmp_path) as lab:
            lab.reasoner = ChattingReasoner(SHAPE)
            with tracing_context(enabled=False):
                await lab.start()
        client.close()
    assert not collector.runs


def test_without_a_trace_a_task_begins_with_nothing() -> None:
    assert len(tracing.clean_context()) == 0
