"""The commands with an embedder: what it adds to the search, and what happens when its server is down."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import QUESTION, Call
from tests.support.embedding_server import MODEL, Answer, EmbeddingServer, embedding_server

pytestmark = pytest.mark.usefixtures("here")
WITHOUT_WORDS = "zzzz"  # no document holds it, so that only vectors find anything


@pytest.fixture
def server(here: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:  # noqa: ARG001
    with embedding_server() as running:
        monkeypatch.setenv("FATHOM_EMBEDDER", f"ollama:{MODEL}")
        monkeypatch.setenv("FATHOM_EMBEDDER_BASE_URL", running.url)
        yield running


def test_vectors_count_beside_the_words_when_an_embedder_is_set(
    server: EmbeddingServer, call: Call, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call("ingest", notes).code == 0
    held = [text for asked in server.asked for text in asked.body["input"]]
    assert len(held) == 5
    assert any("Names > Scopes" in text for text in held)

    assert call("kb", "search", WITHOUT_WORDS).out.count("file://") == 5
    assert server.asked[-1].body["input"] == [WITHOUT_WORDS]

    monkeypatch.delenv("FATHOM_EMBEDDER")
    assert call("kb", "search", WITHOUT_WORDS).out == ""


def test_vectors_of_another_model_are_not_compared(
    server: EmbeddingServer, call: Call, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("ingest", notes)
    monkeypatch.setenv("FATHOM_EMBEDDER", f"openai:{MODEL}")
    monkeypatch.setenv("FATHOM_EMBEDDER_BASE_URL", f"{server.url}/v1")

    assert call("kb", "search", WITHOUT_WORDS).out == ""
    assert "Binding" in call("kb", "search", "assignment").out


def test_a_model_that_does_not_know_japanese_is_not_asked_about_it(
    server: EmbeddingServer, call: Call, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("ingest", notes)
    server.asked.clear()

    assert call("kb", "search", "深い海").code == 0
    assert server.asked == []

    monkeypatch.setenv("FATHOM_EMBEDDER_MULTILINGUAL", "true")
    assert call("kb", "search", "深い海").code == 0
    assert [asked.body["input"] for asked in server.asked] == [["深い海"]]


def test_a_report_is_written_with_vectors(server: EmbeddingServer, call: Call, notes: Path) -> None:
    done = call("research", QUESTION, "--docs", notes, "--quiet")

    assert (done.code, done.complaints) == (0, [])
    assert "NameError" in done.out
    assert len(server.asked) > 1


@pytest.mark.parametrize("command", [("ingest",), ("research", QUESTION, "--docs")])
def test_a_server_that_is_down_is_one_line_and_what_was_read_is_found(
    server: EmbeddingServer, call: Call, notes: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    call("ingest", notes)
    (notes / "new.md").write_text("# New\n\nA generator is a function that yields.\n", encoding="utf-8")
    server.answer = Answer(503, '{"error": "loading model"}')

    done = call(*command, notes)

    assert done.code == 1
    assert len(done.complaints) == 1
    assert "failed (503 loading model): try again later" in done.complaints[0]
    assert "Traceback" not in done.err
    monkeypatch.delenv("FATHOM_EMBEDDER")
    assert "Binding" in call("kb", "search", "assignment").out
    assert "yields" in call("kb", "search", "generator").out

    monkeypatch.setenv("FATHOM_EMBEDDER", f"ollama:{MODEL}")
    server.answer = None
    assert call(*command, notes).code == 0
    assert call("kb", "search", WITHOUT_WORDS).out.count("file://") == 6


def test_a_search_whose_server_is_down_does_not_look_like_one_that_finds_nothing(
    server: EmbeddingServer, call: Call, notes: Path
) -> None:
    call("ingest", notes)
    server.answer = Answer(500)

    done = call("kb", "search", "assignment")

    assert (done.code, done.out, len(done.complaints)) == (1, "", 1)


def test_a_model_that_is_not_there_is_named_with_its_cure(
    server: EmbeddingServer, call: Call, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FATHOM_EMBEDDER", "ollama:nomic-embed-text")

    done = call("ingest", notes)

    (complaint,) = done.complaints
    assert done.code == 2
    assert server.url in complaint
    assert "run `ollama pull nomic-embed-text`" in complaint
