"""The knowledge base, with and without vectors, and the simulated source keep the contract of retrievers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from fathom.evidence import Query, Retrieval
from fathom.knowledge.knowledge_base import KnowledgeBase
from fathom.knowledge.sentence_encoder import SentenceEncoder
from fathom.ports import Embedder, Retriever
from tests.contracts import RetrieverContract
from tests.support.doubles.embedder import SimulatedEmbedder
from tests.support.doubles.retriever import SimulatedRetriever
from tests.support.retriever_pages import PAGES


@pytest.fixture(params=["words", "words and vectors"])
def embedder(request: pytest.FixtureRequest) -> Embedder | None:
    return SimulatedEmbedder() if request.param == "words and vectors" else None


@pytest.fixture(params=["everything", "one folder", "one folder, for a run"])
def within(request: pytest.FixtureRequest, tmp_path: Path) -> list[Path]:
    return [] if request.param == "everything" else [tmp_path / "notes"]


class TestKnowledgeBase(RetrieverContract):
    @pytest.fixture
    async def retriever(
        self, tmp_path: Path, embedder: Embedder | None, within: list[Path], request: pytest.FixtureRequest
    ) -> AsyncIterator[Retriever]:
        for folder in (tmp_path / "notes", tmp_path / "notes of others"):
            folder.mkdir()
            for name, text in PAGES.items():
                (folder / name).write_text(text, encoding="utf-8")
        knowledge = KnowledgeBase(tmp_path / "kb.sqlite3", embedder, within=within)
        report = await knowledge.ingest([tmp_path])
        assert report.skipped == ()
        is_for_a_run = request.node.callspec.params["within"].endswith("for a run")
        yield knowledge.kept_to(within) if is_for_a_run else knowledge
        await knowledge.close()

    @pytest.fixture
    async def nothing_in_it(self, tmp_path: Path, embedder: Embedder | None) -> AsyncIterator[Retriever]:
        knowledge = KnowledgeBase(tmp_path / "empty.sqlite3", embedder)
        yield knowledge
        await knowledge.close()

    @pytest.fixture
    def query(self) -> Query:
        return Query(text="deep sea", context="How deep is the sea?")


async def test_of_few_passages_all_are_given_those_that_match_first_and_of_more_none_besides(tmp_path: Path) -> None:
    for name, text in PAGES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    knowledge = KnowledgeBase(tmp_path / "kb.sqlite3")
    await knowledge.ingest([tmp_path])
    count = (await knowledge.status()).passages
    query = Query(text="new moon")

    def ids(found: Retrieval) -> list[str]:
        return [each.id for each in found.passages]

    plain = await knowledge.kept_to([]).search(query, limit=1)
    every = await knowledge.kept_to([], few=count).search(query, limit=1)
    of_more = await knowledge.kept_to([], few=count - 1).search(query, limit=1)
    texts = {each.text for each in every.passages}

    assert ids(every)[: len(ids(plain))] == ids(plain) == ids(of_more)
    assert len(texts) == len(every.passages) == count - 1, "the copy is given once"
    assert (await knowledge.kept_to([]).describe("moon")).revision != (
        await knowledge.kept_to([], few=count).describe("moon")
    ).revision
    await knowledge.close()


async def test_passages_in_another_language_are_found_by_their_headings(tmp_path: Path) -> None:
    (tmp_path / "tides.md").write_text(
        "# Die Gezeiten\n\n## Ursache der Flut\n\nDer Mond zieht an ihr.\n\n## Häfen\n\nSie warten im Becken."
        "\n\n## Kosten der Schleuse\n\nSie kostet jedes Jahr viel Geld, das die Stadt nicht hat.\n"
    )
    knowledge, encoder = KnowledgeBase(tmp_path / "kb.sqlite3"), SentenceEncoder()
    await knowledge.ingest([tmp_path])
    asked = Query(text="What does the lock cost the city?")
    by_words = await knowledge.kept_to([], few=1).search(asked, limit=1)
    by_meaning = await knowledge.kept_to([], few=1, ranker=encoder).search(asked, limit=1)
    assert by_words.passages == () and "jedes Jahr viel Geld" in by_meaning.passages[0].text
    await knowledge.close()


class TestSimulatedRetriever(RetrieverContract):
    @pytest.fixture
    def retriever(self) -> Retriever:
        return SimulatedRetriever()

    @pytest.fixture
    def nothing_in_it(self) -> Retriever:
        return SimulatedRetriever(documents=0)

    @pytest.fixture
    def query(self) -> Query:
        return Query(text="depth")
