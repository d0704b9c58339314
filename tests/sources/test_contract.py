"""Documents, the web, and sources of the user's own keep one contract."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from fathom.data.servers import Server
from fathom.evidence import Query
from fathom.knowledge.archive import Archive
from fathom.ports.source import Source
from fathom.settings import Settings
from fathom.sources.connected import Connected
from fathom.sources.documents import Documents
from fathom.sources.guarded import Guarded
from fathom.sources.langchain import LangChain
from fathom.sources.web import OnTheWeb, reach_of
from fathom.wiring.data import data_sources, opened_datasets
from tests.contracts import SourceContract
from tests.contracts.sources import Opener
from tests.sources.search_server import started
from tests.support.doubles import connectors
from tests.support.doubles.retriever import SimulatedRetriever
from tests.support.doubles.web import simulated_web

QUERIES = (Query(text="How deep is the Varn trench?"), Query(text="the tide of the trench"))


class OwnContract(SourceContract):
    @pytest.fixture
    def queries(self) -> Sequence[Query]:
        return QUERIES

    @pytest.fixture
    async def archive(self, tmp_path: Path) -> AsyncIterator[Archive]:
        archive = Archive(tmp_path / "web.sqlite3")
        yield archive
        await archive.close()


class TestDocuments(SourceContract):
    @pytest.fixture
    def queries(self) -> Sequence[Query]:
        return (Query(text="sea"), Query(text="tide"))

    @pytest.fixture
    def open_source(self) -> Opener:
        return lambda *, there=True: Documents(SimulatedRetriever(failing=not there))


class TestTheWeb(SourceContract):
    @pytest.fixture
    def queries(self) -> Sequence[Query]:
        return (Query(text="sea"), Query(text="tide"))

    @pytest.fixture
    def open_source(self) -> Opener:
        web = simulated_web()
        return lambda *, there=True: OnTheWeb(web if there else None, reach_of(web))


class TestAConnector(OwnContract):
    @pytest.fixture(params=["Lookup", "Whole", "made"])
    def open_source(self, request: pytest.FixtureRequest, archive: Archive) -> Opener:
        make = getattr(connectors, request.param)
        return lambda *, there=True: Connected("wiki", Guarded("wiki", make, timeout=20) if there else None, archive)


class TestARetrieverOfLangChain(OwnContract):
    @pytest.fixture
    def open_source(self, archive: Archive) -> Opener:
        def make() -> LangChain:
            return LangChain(a_retriever())

        return lambda *, there=True: Connected("store", Guarded("store", make, timeout=20) if there else None, archive)


def a_retriever() -> Any:
    """One of LangChain's own classes."""
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever

    class Shelf(BaseRetriever):
        def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:  # noqa: ARG002
            return [
                Document(page_content=text, metadata={"source": f"https://wiki.example/{id}.md", "date": "2025-03-01"})
                for id, text in connectors.TEXTS.items()
            ]

    return Shelf()


class TestAServerThatSearchesAndFetches(OwnContract):
    @pytest.fixture
    async def open_source(self, archive: Archive) -> AsyncIterator[Opener]:
        settings = Settings()
        async with AsyncExitStack() as stack:
            sources = data_sources(None, [Server(command=started())], settings)
            (dataset,) = await opened_datasets(stack, sources, settings)

            def opened(*, there: bool = True) -> Source:
                make = dataset.connector
                return Connected("sea", Guarded("sea", make, timeout=20) if there else None, archive)

            await dataset.describe("")
            yield opened
