"""A model whose answers are of no use: the report says so, and why, and is not called written by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import fathom
from fathom.reasoners.language_model import model as models
from fathom.report import Report
from fathom.text.phrases import phrases
from fathom_testing.model_server import ModelServer
from tests.support.corpus import QUESTION, corpus
from tests.support.model_settings import settings_for

WRITING = ("WriteReport", "PlanReport", "WriteSections", "FrameReport", "WriteSimple")
NAMES = {"openai": "openai:fathom-test", "ollama": "ollama:fathom-test", "anthropic": "anthropic:fathom-test"}


async def researched(folder: Path, *faults: dict[str, Any], protocol: str = "openai") -> Report:
    with ModelServer(faults=faults) as server:
        address = f"{server.url}/v1" if protocol == "openai" else server.url
        settings = settings_for(folder, server, model=NAMES[protocol], base_url=address, model_api_key="key")
        return await fathom.research(QUESTION, documents=[corpus(folder)], settings=settings)


@pytest.mark.parametrize(
    ("fault", "protocol", "reason"),
    [
        ("only_thoughts", "openai", "all that was written are thoughts"),
        ("only_thoughts", "ollama", "all that was written are thoughts"),
        ("only_thoughts", "anthropic", "all that was written are thoughts"),
        ("empty", "openai", "the answer is empty"),
        ("wrong_schema", "openai", "gave no usable answer twice"),
        ("401", "openai", "key"),
    ],
)
async def test_a_model_that_answers_nothing_of_use_is_not_said_to_have_written(
    fault: str, protocol: str, reason: str, tmp_path: Path
) -> None:
    report = await researched(tmp_path, {"fault": fault}, protocol=protocol)

    words = phrases("en")
    assert report.by_models == "nothing" and report.claims
    assert report.quoted, "it is the report that comes without a model"
    assert words.made_with["report"].split("{")[0] not in report.markdown
    (said,) = (each for each in report.limitations if each.startswith(words.stand_ins.split(":")[0]))
    assert reason in said
    if report.usage.models:
        assert words.made_with["nothing"].format(models=NAMES[protocol]) in report.markdown


async def test_a_report_that_rules_have_put_together_from_a_models_research_says_so(tmp_path: Path) -> None:
    report = await researched(tmp_path, *({"fault": "empty", "ask": ask} for ask in WRITING))
    assert report.by_models == "research"
    assert phrases("en").made_with["research"].format(models=NAMES["openai"]) in report.markdown


async def test_a_report_says_that_answers_were_cut(tmp_path: Path) -> None:
    report = await researched(tmp_path, {"fault": "endless"})
    assert report.by_models in ("research", "nothing")  # of a cut answer what is whole is kept
    assert any("cut after" in each for each in report.limitations)


async def test_a_server_whose_list_of_models_is_slow_answers_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "LOOK_SECONDS", 0.05)
    report = await researched(tmp_path, {"fault": "slow", "ask": "models", "seconds": 0.5})
    assert report.by_models == "report" and report.stand_ins == {}
