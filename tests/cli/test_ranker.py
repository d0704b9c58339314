"""The commands with a model that ranks by meaning: the real library, in this process."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.wiring.adapters import BESIDE
from tests.cli.conftest import QUESTION, Call
from tests.support.tiny_onnx import tiny_model

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


def test_a_model_beside_fathom_is_used_unless_none_is_wanted(
    call: Call, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fathom.wiring.adapters.BESIDE", tiny_model(tmp_path / "model"))
    assert "fastembed" not in call("doctor").out  # all tests want none

    monkeypatch.delenv("FATHOM_RANKER")
    assert "fastembed:model@" in call("doctor").out
    assert call("research", QUESTION, "--docs", notes, "--quiet", "--no-web").code == 0

    monkeypatch.setattr("fathom.wiring.adapters.BESIDE", tmp_path / "nothing")
    assert "fastembed" not in call("doctor").out


@pytest.mark.skipif(not BESIDE.is_dir(), reason="`make .venv/ranker` has not been run")
def test_what_is_asked_in_other_words_than_the_document_has_is_found(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "house"
    folder.mkdir()
    papers = {
        "insurance": "# Contents cover\n\nTheft of bicycles is covered up to 800 pounds if they were locked.",
        "bakery": "# The bakery\n\nMy daughter got a job there. Somebody always brings bread on a Friday.",
        "garage": "# The garage\n\nThe door got stuck again. Somebody has to oil it; my father has the oil.",
    }
    for name, text in papers.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    question = "My bike got nicked, does somebody pay?"
    by_words = call("research", question, "--docs", folder, "--quiet", "--no-web").out
    monkeypatch.delenv("FATHOM_RANKER")
    by_meaning = call("research", question, "--docs", folder, "--quiet", "--no-web").out

    first = "Theft of bicycles is covered"
    assert first not in " ".join(by_words.split())[:300]
    assert first in " ".join(by_meaning.split())[:300]
