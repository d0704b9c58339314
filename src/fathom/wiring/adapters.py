"""Where adapters are made: the settings become stores, knowledge bases, a reasoner and an embedder."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from fathom.errors import UsageError
from fathom.registry import Registry
from fathom.settings import Settings, load_settings

if TYPE_CHECKING:
    from fathom.knowledge.ingestion import IngestReport, Progress
    from fathom.knowledge.knowledge_base import KnowledgeBase
    from fathom.ports import Embedder, Reasoner, RunStore

embedders: Registry[Callable[[Settings], Embedder]] = Registry("embedder", group="fathom.embedders", builtin={})


def runs_file(settings: Settings) -> Path:
    """The file of the runs."""
    return settings.home / "runs.sqlite3"


def checkpoints_file(settings: Settings) -> Path:
    """The file of LangGraph's checkpoints: a view for people, which may be deleted at any time."""
    return settings.home / "checkpoints.sqlite3"


def knowledge_file(settings: Settings) -> Path:
    """The file of the knowledge base in force."""
    return settings.home / "knowledge" / f"{settings.kb}.sqlite3"


def knowledge_files(settings: Settings) -> list[Path]:
    """The files of every knowledge base that is there, by name."""
    return sorted((settings.home / "knowledge").glob("*.sqlite3"))


def open_reasoner(settings: Settings) -> Reasoner:
    """The reasoner in force.

    Raises:
        ConfigurationError: none has that name.
    """
    from fathom.reasoners import reasoners

    return reasoners.get(settings.reasoner)(settings)


def open_embedder(settings: Settings) -> Embedder | None:
    """The embedder in force; `None` when none is configured.

    Raises:
        ConfigurationError: none has that name.
    """
    return embedders.get(settings.embedder)(settings) if settings.embedder else None


async def open_store(settings: Settings | None = None) -> RunStore:
    """The run store, which the caller closes.

    Raises:
        StoreError: its file cannot be used.
    """
    from fathom.stores.sqlite import SqliteRunStore

    return await asyncio.to_thread(SqliteRunStore, runs_file(settings or load_settings()))


@asynccontextmanager
async def opened_store(settings: Settings | None = None) -> AsyncIterator[RunStore]:
    """The run store, for as long as it is used."""
    store = await open_store(settings)
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def opened_knowledge(settings: Settings, *, within: Sequence[Path] = ()) -> AsyncIterator[KnowledgeBase]:
    """The knowledge base in force, kept to some files and folders if any are given."""
    from fathom.knowledge.knowledge_base import KnowledgeBase

    knowledge = KnowledgeBase(knowledge_file(settings), embedder=open_embedder(settings), within=within)
    try:
        yield knowledge
    finally:
        await knowledge.close()


async def ingest(
    paths: Sequence[Path | str],
    *,
    settings: Settings | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> IngestReport:
    """Read files and folders into the knowledge base in force; what is unchanged costs nothing.

    Raises:
        UsageError: a path is not there.
        StoreError: the knowledge base cannot be written.
    """
    async with opened_knowledge(settings or load_settings()) as knowledge:
        return await knowledge.ingest([Path(path) for path in paths], on_progress=on_progress)


async def read_in(
    paths: Sequence[Path], settings: Settings, on_progress: Callable[[Progress], None] | None
) -> IngestReport | None:
    """Bring the documents of a question in, and see that there is anything to ask.

    Raises:
        UsageError: a path is not there, or there is nothing to read.
    """
    async with opened_knowledge(settings, within=paths) as knowledge:
        done = await knowledge.ingest(paths, on_progress=on_progress) if paths else None
        if not (await knowledge.describe("")).documents:
            named = ", ".join(str(path) for path in paths)
            raise UsageError(
                f"There is nothing to read in {named}: no text, Markdown, reStructuredText or HTML that holds words."
                if paths
                else f"The knowledge base '{settings.kb}' is empty and no documents are given. "
                "Add --docs PATH, or fill it with `fathom ingest PATH`."
            )
        return done
