"""The commands with a model that ranks by meaning: the real library, in this process."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import QUESTION, Call
from tests.knowledge.tiny_onnx import tiny_model

pytestmark = pytest.mark.usefixtures("here")


def test_a_report_is_ranked_by_meaning_without_a_vector_in_the_index(
    call: Call, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = f"fastembed:{tiny_model(tmp_path / 'model')}"
    done = call("research", QUESTION, "--docs", notes, "--quiet", "--no-web", "--ranker", model)

    assert (done.code, done.complaints) == (0, [])
    assert "NameError" in done.out
    monkeypatch.setenv("FATHOM_EMBEDDER", model)
    assert call("kb", "search", "zzzz").out == ""  # no document holds the word: only vectors find anything
    assert call("ingest", notes).code == 0
    assert call("kb", "search", "zzzz").out.count("file://") == 5


@pytest.mark.parametrize("lacking", ["model.onnx", "tokenizer.json"])
@pytest.mark.parametrize("broken", [True, False])
def test_a_model_that_cannot_be_used_is_one_line_before_any_work(
    call: Call, notes: Path, tmp_path: Path, lacking: str, broken: bool
) -> None:
    file = tiny_model(tmp_path / "model") / lacking
    if broken:
        file.write_bytes(b"nothing")
    else:
        file.unlink()
    done = call("research", QUESTION, "--docs", notes, "--ranker", f"fastembed:{tmp_path / 'model'}")

    (complaint,) = done.complaints
    assert done.code == 2
    assert f"The model in {tmp_path / 'model'} cannot be used: " in complaint
    assert "Traceback" not in done.err
    assert call("kb", "search", "assignment").out == ""


def test_doctor_and_plan_know_the_model(
    call: Call, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FATHOM_RANKER", f"fastembed:{tiny_model(tmp_path / 'model')}")

    assert "fastembed:model@" in call("doctor").out
    assert "fastembed" not in call("plan", QUESTION, "--docs", notes).out + call("plan", QUESTION).err

    (tmp_path / "model" / "model.onnx").unlink()
    assert "it holds no model.onnx" in call("doctor").out
