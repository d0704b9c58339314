"""A real inference server whose model talks nonsense, or does as any page says: runs end, and nothing is made up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fathom
from fathom.report import Report
from fathom.wiring.adapters import opened_store
from tests.inference.server import NAME, Server, serving
from tests.support.honest import faults_of
from tests.support.injected_runs import documents, snapshots, within_bounds
from tests.support.injections import INJECTIONS, QUESTION

pytestmark = pytest.mark.inference

READ = [each for each in INJECTIONS if each.name in ("closed_tags", "numbers_of_sentences", "templates", "beacons")]
SEEDS = {"garbage": (2, 6), "hostile": (2, 6)}
"""Of models that answer enough for a report, each in another way."""
MODELS = [(profile, seed) for profile, seeds in SEEDS.items() for seed in seeds]


@pytest.fixture(scope="module", params=MODELS, ids=lambda model: f"{model[0]}-{model[1]}")
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    profile, seed = request.param
    with serving(tmp_path_factory.mktemp("server") / "it", profile=profile, seed=seed) as running:
        yield running


def settings_for(folder: Path, server: Server, **more: Any) -> fathom.Settings:
    return fathom.Settings(home=folder / "home", model=f"openai:{NAME}", base_url=server.url, **more)


async def honest(report: Report, settings: fathom.Settings) -> None:
    assert report.markdown.startswith("# ")
    assert faults_of(report, await snapshots(settings, report)) == []
    assert within_bounds(report) == []
    numbers = [finding.confidence for finding in report.findings] + [entry.confidence for entry in report.syntheses]
    assert all(0 <= number <= 1 for number in numbers)


async def test_a_run_ends_with_a_report_in_which_nothing_is_made_up(server: Server, tmp_path: Path) -> None:
    settings = settings_for(tmp_path, server)
    before = len(server.prompts())
    report = await fathom.research(QUESTION, documents=[documents(tmp_path, *READ)], settings=settings)

    await honest(report, settings)
    asked = sum(count for kind, count in report.usage.calls.items() if kind not in ("describe", "search"))
    assert 0 < len(server.prompts()) - before <= asked
    assert report.usage.prompt_tokens > 0 and report.usage.completion_tokens > 0
    assert report.usage.estimated_tokens == 0, "the server tells what it took"


@pytest.mark.parametrize("limits", [{"max_calls": 7}, {"max_tokens": 15_000}], ids=lambda limits: next(iter(limits)))
async def test_a_run_ends_within_its_limits(server: Server, tmp_path: Path, limits: dict[str, int]) -> None:
    settings = settings_for(tmp_path, server)
    report = await fathom.research(QUESTION, documents=[documents(tmp_path, *READ)], settings=settings, limits=limits)

    await honest(report, settings)
    assert sum(report.usage.calls.values()) <= limits.get("max_calls", 1_000)
    async with opened_store(settings) as store:
        taken = [entry.usage.tokens for entry in await store.journal(report.run_id) if entry.usage]
    # a letter is a token here, and Fathom expects fewer: what is under way may take more than it was thought to
    under_way = sum(sorted(taken)[-4:])
    assert sum(taken) <= limits.get("max_tokens", 10**9) + under_way


async def test_a_window_that_is_smaller_than_it_seems_is_lived_with(tmp_path: Path) -> None:
    with serving(tmp_path / "it", profile="garbage", seed=2, window=4_096) as small:
        settings = settings_for(tmp_path, small)
        report = await fathom.research(QUESTION, documents=[documents(tmp_path, *READ)], settings=settings)
        await honest(report, settings)
        async with opened_store(settings) as store:
            failed = [entry.answer for entry in await store.journal(report.run_id) if entry.kind == "failed"]
    assert any("ContextTooLong" in answer for answer in failed), "the window was wide enough"


def test_a_killed_run_goes_on_and_pays_for_nothing_twice(server: Server, tmp_path: Path) -> None:
    environment = {**os.environ, "FATHOM_HOME": str(tmp_path / "home")}
    model = ["--model", f"openai:{NAME}", "--base-url", server.url]

    def command(*arguments: object) -> list[str]:
        return [sys.executable, "-m", "fathom", *map(str, arguments)]

    def told(*arguments: object) -> Any:
        done = subprocess.run(command(*arguments), env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def paid(run_id: str) -> list[dict[str, Any]]:
        journal = told("show", run_id, "--state", "--format", "json")["journal"]
        return [entry for entry in journal if entry["usage"] and not entry["usage"]["cached"]]

    start = len(server.prompts())
    process = subprocess.Popen(
        command("research", QUESTION, "--docs", documents(tmp_path, *READ), *model),
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "new passage" in line:
            break
    process.kill()
    process.communicate(timeout=60)
    assert process.returncode == -9
    run_id = told("runs", "--format", "json")[0]["run_id"]
    durable, asked = paid(run_id), server.prompts()[start:]

    report = Report.model_validate(told("resume", run_id, "--json", "-"))

    again = server.prompts()[start + len(asked) :]
    repeated = (Counter(asked) & Counter(again)).total()
    assert durable and repeated <= len(asked) - len(durable), "a call that was paid for was made again"
    assert paid(run_id)[: len(durable)] == durable
    assert report.markdown.startswith("# ")
