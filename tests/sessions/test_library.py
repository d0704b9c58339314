"""What sessions may ask, and what becomes of them when it goes away."""

from __future__ import annotations

import asyncio
import filecmp
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

from fathom import wiring
from fathom.data.servers import Server
from fathom.errors import Conflict, FathomError, NotFound, StoreError, UsageError
from fathom.events import Failed
from fathom.knowledge.ingestion import Batch, Ingestion
from fathom.knowledge.knowledge_base import KnowledgeBase
from fathom.ports import RunRecord
from fathom.sessions.datasets import Datasets, ServedDataset, UploadedFile
from fathom.sessions.library import Library
from fathom.sessions.requests import SessionConfig, SessionRequest
from fathom.sessions.service import Sessions
from fathom.sessions.uploads import Incoming
from fathom.sessions.worker import Worker
from tests.support.shop import until

pytestmark = pytest.mark.usefixtures("read_here")
SALES = b"day,city,amount\n2024-01-01,Oslo,10\n2024-01-02,Bergen,20\n2024-01-03,Oslo,30\n"
NOTES = {
    "engines.md": b"# Engines\n\nThe analytical engine was designed by Charles Babbage in 1837.\n",
    "looms.md": b"# Looms\n\nThe Jacquard loom of 1804 reads cards with holes.\n",
    "abacus.md": "# そろばん\n\nそろばんは計算のための道具です。\n".encode(),
}
QUESTION = "Who designed the analytical engine?"


@asynccontextmanager
async def opened(home: Path, *offered: ServedDataset, **settings: Any) -> AsyncIterator[Sessions]:
    async with wiring.Fathom(wiring.load_settings(home=home, **settings)) as fathom:
        yield Sessions(fathom, datasets=offered)


@pytest.fixture
async def sessions(tmp_path: Path) -> AsyncIterator[Sessions]:
    async with opened(tmp_path) as sessions:
        yield sessions


async def bring(library: Library, kb: str = "default", /, **files: bytes) -> list[UploadedFile]:
    """Upload files, whose names have `_` for the last dot; data when the ending is one of data."""
    named = {".".join(name.rsplit("_", 1)): content for name, content in files.items()}
    kinds = {"document" if name.endswith((".md", ".txt", ".html")) else "data" for name in named}
    (kind,) = kinds
    delivery = library.delivery("document" if kind == "document" else "data")
    for name, content in named.items():
        file = delivery.begin(name)
        file.write(content)
        file.end()
    try:
        if kind == "data":
            return await library.datasets.add(delivery.files, kb)
        return await library.add(kb, delivery.files)
    finally:
        delivery.discard()


async def notes(library: Library) -> dict[str, str]:
    """The notes, uploaded: ids by name."""
    return {each.name: each.id for each in await bring(library, **{n.replace(".", "_"): c for n, c in NOTES.items()})}


def asking(query: str = QUESTION, **config: Any) -> SessionRequest:
    return SessionRequest(query=query, config=SessionConfig(effort="quick", **config))


def stored(library: Library, name: str, content: bytes = SALES) -> None:
    """A data file that was uploaded earlier."""
    library.uploads.data("default").mkdir(parents=True, exist_ok=True)
    (library.uploads.data("default") / name).write_bytes(content)


async def worked(sessions: Sessions, run_id: str) -> RunRecord:
    """The session once a worker has carried it out."""

    async def has_ended() -> bool:
        return not (await sessions.get(run_id)).is_active

    worker = Worker(sessions._fathom, most=1)
    task = asyncio.create_task(worker.run())
    try:
        await until(has_ended, within=60)
    finally:
        task.cancel()
        await asyncio.wait([task])
    return await sessions.get(run_id)


async def error_of(sessions: Sessions, run_id: str) -> str:
    """What a session said when it failed; empty when it did not."""
    stored = await sessions._store.events(run_id)
    return next((each.event.error for each in stored if isinstance(each.event, Failed)), "")


# ── What is asked ────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_session_keeps_to_the_documents_that_are_named(sessions: Sessions) -> None:
    ids = await notes(sessions.library)

    created, _ = await sessions.create(asking("What do cards do?", documents=(ids["looms.md"],)))
    run = await worked(sessions, created.run_id)

    report = await sessions.report(run.run_id)
    assert {Path(source.uri).name for source in report.sources} <= {"looms.md"} and report.sources


# ── What goes away ─────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_table_that_a_waiting_session_asks_cannot_be_removed(sessions: Sessions) -> None:
    stored(sessions.library, "sales.csv")
    run, _ = await sessions.create(asking("How many records per city?", datasets=("sales.csv",)))

    with pytest.raises(Conflict, match=run.run_id):
        await sessions.library.datasets.remove("sales.csv")
    await sessions.delete(run.run_id)
    await sessions.library.datasets.remove("sales.csv")

    assert await sessions.library.datasets.listed() == []


async def test_a_table_that_a_session_could_go_on_with_keeps_its_name(sessions: Sessions) -> None:
    stored(sessions.library, "sales.csv")
    await sessions.create(asking("How many records per city?", datasets=("sales.csv",)))

    (other,) = await bring(sessions.library, sales_csv=SALES + b"2024-01-04,Bergen,40\n")
    (again,) = await bring(sessions.library, sales_csv=SALES + b"2024-01-04,Bergen,40\n")

    assert (other.id, other.status) == ("sales-2.csv", "added") and (again.id, again.status) == (
        "sales-2.csv",
        "unchanged",
    )
    assert {each.name for each in await sessions.library.datasets.listed()} == {"sales.csv", "sales-2.csv"}


async def test_a_knowledge_base_has_its_own_data_and_sessions(sessions: Sessions) -> None:
    library = sessions.library
    (ours,) = await bring(library, sales_csv=SALES)
    (theirs,) = await bring(library, "club", sales_csv=SALES)
    here, _ = await sessions.create(asking("How many records per city?", datasets=(ours.id,)))
    there, _ = await sessions.create(
        asking("How many records per city?", datasets=(theirs.id,), kb="club", knowledge=False)
    )

    assert (ours.id, theirs.id) == ("sales.csv", "sales-2.csv")  # a name is one file's in all of them
    assert [each.name for each in await library.datasets.listed("club")] == ["sales-2.csv"]
    assert [each.name for each in await library.datasets.listed("default")] == ["sales.csv"]
    assert [(each.name, each.datasets, each.documents) for each in await library.knowledge_bases()] == [
        ("default", 1, 0),
        ("club", 1, 0),
    ]
    assert [run.run_id for run in await sessions._store.runs(kb="club")] == [there.run_id]
    assert [run.run_id for run in await sessions._store.runs(kb="default")] == [here.run_id]
    assert await sessions._store.runs(kb="nothing") == []
    run = await worked(sessions, there.run_id)
    assert run.status == "completed" and "Bergen" in (await sessions.report(run.run_id)).model_dump_json()

    await sessions.delete(there.run_id)
    await library.datasets.remove("sales-2.csv")
    assert [each.name for each in await library.knowledge_bases()] == ["default"]


async def test_a_session_whose_table_is_gone_fails_in_words(sessions: Sessions) -> None:
    stored(sessions.library, "sales.csv")
    run, _ = await sessions.create(asking("How many records per city?", datasets=("sales.csv",)))
    (sessions.library.uploads.data("default") / "sales.csv").unlink()

    run = await worked(sessions, run.run_id)

    assert run.status == "failed"
    assert "is not there" in await error_of(sessions, run.run_id)


async def test_a_session_whose_document_is_gone_fails_in_words(sessions: Sessions) -> None:
    ids = await notes(sessions.library)
    run, _ = await sessions.create(asking(documents=(ids["engines.md"],)))
    await sessions.library.remove("default", ids["engines.md"])

    run = await worked(sessions, run.run_id)

    assert run.status == "failed"
    assert "engines.md" in await error_of(sessions, run.run_id)
    with pytest.raises(UsageError, match="may have been removed"):
        await sessions.create(asking(documents=(ids["engines.md"],)))


async def test_a_document_may_go_while_a_session_reads(sessions: Sessions) -> None:
    ids = await notes(sessions.library)
    run, _ = await sessions.create(asking())
    working = asyncio.create_task(worked(sessions, run.run_id))

    async def has_begun() -> bool:
        return bool(await sessions._store.events(run.run_id))

    await until(has_begun)
    for id in ids.values():
        await sessions.library.remove("default", id)

    ended = await working
    assert ended.status in ("completed", "partial") or await error_of(sessions, run.run_id)
    assert (await sessions.library.documents("default")).total == 0


# ── What the service was started with ──────────────────────────────────────────────────────────────────────────────


async def test_what_the_service_was_started_with_is_told_by_name_alone(tmp_path: Path) -> None:
    (tmp_path / "given.csv").write_bytes(SALES)
    server = Server(url="https://data.example.org/mcp", headers={"Authorization": "Bearer $TOKEN"})
    offered = (
        ServedDataset(name="given", path=str(tmp_path / "given.csv")),
        ServedDataset(name="outside", server=server),
    )
    mcp = {"named": Server(command=("run-me", "--very-secret-path"))}

    async with opened(tmp_path / "home", *offered, mcp=mcp) as sessions:
        datasets = sessions.library.datasets
        listed = await datasets.listed()
        told = await datasets.described("outside")
        for name in ("given", "outside", "named"):
            with pytest.raises(Conflict, match="was not uploaded"):
                await datasets.remove(name)

    assert [(each.name, each.kind) for each in listed] == [
        ("given", "file"),
        ("outside", "server"),
        ("named", "server"),
    ]
    assert not any(word in f"{listed}{told}" for word in ("example.org", "Bearer", "run-me", str(tmp_path)))


async def test_an_uploaded_file_never_hides_what_the_service_was_started_with(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_bytes(SALES)

    async with opened(tmp_path / "home", ServedDataset(name="sales.csv", path=str(tmp_path / "mine.csv"))) as sessions:
        (uploaded,) = await bring(sessions.library, sales_csv=SALES)
        data, _ = await asyncio.to_thread(sessions.library.datasets.named, ["sales.csv"])

    assert uploaded.id == "sales-2.csv" and data == [tmp_path / "mine.csv"]


async def test_a_name_that_is_not_known_is_told_with_those_that_are(sessions: Sessions) -> None:
    stored(sessions.library, "sales.csv")

    with pytest.raises(UsageError, match=r"Did you mean 'sales.csv'\? Known: sales.csv"):
        await sessions.create(asking(datasets=("sale.csv",)))
    for name in ("../runs.sqlite3", "/etc/passwd", "data/../sales.csv", "", "sales.csv/", "."):
        with pytest.raises(UsageError):
            await sessions.create(asking(datasets=(name,)))


async def test_a_link_among_the_users_files_can_be_removed_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "real.md").write_bytes(NOTES["engines.md"])
    (tmp_path / "notes" / "link.md").symlink_to(tmp_path / "real.md")
    async with opened(tmp_path / "home") as sessions:
        await wiring.ingest([tmp_path / "notes"], settings=sessions._fathom.settings)
        (document,) = (await sessions.library.documents("default")).documents

        await sessions.library.remove("default", document.id)

        assert (await sessions.library.documents("default")).total == 0
    assert (tmp_path / "real.md").exists() and (tmp_path / "notes" / "link.md").is_symlink()


async def test_a_file_with_an_odd_name_is_found_under_its_own_id(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "100%25 #1?; あ.md").write_bytes(NOTES["engines.md"])
    async with opened(tmp_path / "home") as sessions:
        await wiring.ingest([folder], settings=sessions._fathom.settings)
        (document,) = (await sessions.library.documents("default")).documents

        (passage,) = await sessions.library.search("default", "analytical engine")

    assert passage.document == document.id


async def test_there_is_no_knowledge_base_under_a_name_that_is_none(sessions: Sessions) -> None:
    for name in ("../default", "", ".", "a/b", "x" * 65, "none"):
        with pytest.raises(NotFound):
            await sessions.library.documents(name)
    assert wiring.knowledge_files(sessions._fathom.settings) == []


# ── Files of strangers ─────────────────────────────────────────────────────────────────────────────────────────────


def sqlite_bytes(path: Path, script: str) -> bytes:
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()
    return path.read_bytes()


async def test_a_database_of_a_stranger_shows_its_tables_and_nothing_of_the_machine(
    sessions: Sessions, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("word\nhush\n")
    hostile = tmp_path / "hostile.duckdb"
    with duckdb.connect(str(hostile)) as con:
        con.execute('CREATE TABLE "odd; DROP TABLE x; --" (city VARCHAR, amount INTEGER)')
        con.execute("""INSERT INTO "odd; DROP TABLE x; --" VALUES ('Oslo', 1), ('Bergen', 2)""")
        con.execute(f"CREATE VIEW stolen AS SELECT * FROM read_csv('{secret}')")
        con.execute(f"CREATE MACRO city() AS TABLE SELECT * FROM read_csv('{secret}')")
    lite = sqlite_bytes(
        tmp_path / "hostile.sqlite",
        "CREATE TABLE t (city TEXT, amount INTEGER, big TEXT GENERATED ALWAYS AS (hex(zeroblob(20000000))));"
        "INSERT INTO t (city, amount) VALUES ('Oslo', 1), ('Bergen', 2);"
        "CREATE VIEW stolen AS SELECT load_extension('/tmp/evil.so');"
        "CREATE TRIGGER late AFTER INSERT ON t BEGIN SELECT load_extension('/tmp/evil.so'); END;",
    )

    for name, content in (("hostile.duckdb", hostile.read_bytes()), ("hostile.sqlite", lite)):
        stored(sessions.library, name, content)

        described = await sessions.library.datasets.described(name)
        assert described.records == 2 and "hush" not in described.model_dump_json()
        assert not any("stolen" in table for table in described.tables)


async def test_a_knowledge_base_whose_file_is_taken_away_is_made_again(sessions: Sessions) -> None:
    library = sessions.library
    first = await notes(library)
    folder = library._settings.home / "knowledge"
    for file in folder.iterdir():
        file.unlink()
    assert [each.documents for each in await library.knowledge_bases()] == [0]
    assert await notes(library) == first
    page = await library.documents(library._settings.kb)
    assert {each.id for each in page.documents} == set(first.values())


async def test_a_name_made_to_mislead_is_only_a_name(sessions: Sessions) -> None:
    stored(sessions.library, "bystander.csv", b"word\nhush\n")
    delivery = sessions.library.delivery("data")
    file = delivery.begin("../'; DROP TABLE t; --[b]*.csv")
    file.write(SALES)
    file.end()

    (told,) = await sessions.library.datasets.add(delivery.files)
    delivery.discard()

    assert (told.id, told.status) == ("__ DROP TABLE t_ --_b__.csv", "added")
    assert (await sessions.library.datasets.described(told.id)).records == 3


async def test_a_failing_embedder_is_told_and_the_text_is_there(tmp_path: Path) -> None:
    embedder = {"embedder": "ollama:none", "embedder_base_url": "http://127.0.0.1:9"}
    async with opened(tmp_path, **embedder) as sessions:
        (told,) = await bring(sessions.library, engines_md=NOTES["engines.md"])
        listed = await sessions.library.documents("default")

    assert told.status == "added" and told.reason and listed.total == 1


async def test_what_is_wrong_is_always_an_error_of_ours(sessions: Sessions) -> None:
    await notes(sessions.library)
    for query in ('"', "NEAR(", "a" * 2_000, "AND OR NOT", "* : ^", "\x00", "列 AND (", "🎉"):
        try:
            assert isinstance(await sessions.library.search("default", query), list)
        except FathomError as error:
            assert str(error)


async def test_a_bomb_among_uploads_is_refused_in_a_line_with_its_name_and_leaves_nothing(sessions: Sessions) -> None:
    names = ", ".join(f'"k{number}": {number}' for number in range(200_000))
    (told,) = await bring(sessions.library, keys_json=f"[{{{names}}}]".encode())

    assert (told.status, told.id) == ("refused", "")
    assert "keys.json cannot be read: it has 200,000 columns, and at most 1,000 are read" in told.reason
    left = [
        each
        for each in sessions.library.uploads.data("default").parent.rglob("*")
        if each.is_file() and "key" in each.name
    ]
    assert not left
    assert not await sessions.library.datasets.listed()


async def texts_of(library: Library) -> dict[str, str]:
    page = await library.documents("default")
    return {each.name: (await library.document("default", each.id)).text for each in page.documents}


def kept(library: Library) -> dict[str, bytes]:
    """The uploaded files on the disk, with what is on its way."""
    return {path.name: path.read_bytes() for path in library.uploads.folder.rglob("*") if path.is_file()}


async def test_reading_that_takes_too_long_in_all_leaves_what_was_there_and_nothing_else(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = sessions.library
    await bring(library, old_md=b"# Old\n\nThe loom reads cards.\n")
    now = [0.0]
    store = Ingestion.store

    def late(ingestion: Ingestion, batch: Batch) -> None:
        store(ingestion, batch)
        now[0] += 50.0

    with monkeypatch.context() as patched:
        patched.setattr("fathom.knowledge.ingestion._BATCH_FILES", 1)
        patched.setattr("fathom.reading.bounded.time", SimpleNamespace(monotonic=lambda: now[0]))
        patched.setattr(Ingestion, "store", late)
        with pytest.raises(UsageError, match="Reading it all takes longer than 120 s: nothing of it was kept"):
            await bring(
                library,
                new_md=b"# New\n\nThe engine computes.\n",
                old_md=b"# Newer\n\nThe loom is gone.\n",
                third_md=b"# Third\n\nThe abacus stays.\n",
                fourth_md=b"# Fourth\n\nIt comes too late.\n",
            )

    assert kept(library) == {"old.md": b"# Old\n\nThe loom reads cards.\n"}
    assert {name: "loom reads" in text for name, text in (await texts_of(library)).items()} == {"old.md": True}


@pytest.mark.parametrize("seconds", [0, 0.001])
async def test_data_that_take_too_long_in_all_are_one_error_and_leave_nothing(
    sessions: Sessions, seconds: float
) -> None:
    sessions.library.uploads.most_seconds = seconds
    with pytest.raises(UsageError, match=rf"takes longer than {seconds:g} s"):
        await bring(sessions.library, one_csv=SALES, two_csv=SALES)
    assert kept(sessions.library) == {}


@pytest.mark.parametrize("name", ["same.md", "same.csv"])
async def test_an_upload_that_fails_takes_no_file_of_another_of_that_name(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    library, placed, both = sessions.library, asyncio.Event(), asyncio.Event()
    move, ingest = Incoming.move, KnowledgeBase.ingest
    add = Datasets._add

    async def fail() -> None:
        placed.set()
        await both.wait()
        raise MemoryError

    async def ingest_once(knowledge: KnowledgeBase, paths: Any, **options: Any) -> Any:
        if not placed.is_set():
            await fail()
        return await ingest(knowledge, paths, **options)

    async def add_once(datasets: Datasets, file: Incoming, kb: str) -> UploadedFile:
        if placed.is_set():
            return await add(datasets, file, kb)
        await asyncio.to_thread(move, file, library.uploads.data("default") / file.name)
        await fail()
        raise AssertionError

    monkeypatch.setattr(KnowledgeBase, "ingest", ingest_once)
    monkeypatch.setattr(Datasets, "_add", add_once)
    given = {name.replace(".", "_"): SALES}
    first = asyncio.create_task(bring(library, **given))
    await placed.wait()
    second = asyncio.create_task(bring(library, **given))
    for _ in range(20):
        await asyncio.sleep(0)
    assert not second.done()
    both.set()

    with pytest.raises(MemoryError):
        await first
    assert [each.status for each in await second] == ["added"]
    assert kept(library) == {name: SALES}


async def test_a_file_that_is_removed_while_another_of_its_name_is_compared_with_it_is_none(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The moment between finding a file and reading it, in which its own upload takes it back."""
    library, compare = sessions.library, filecmp.cmp
    await bring(library, same_csv=SALES)

    def late(one: Path, other: Path, *, shallow: bool) -> bool:
        other.unlink()
        return compare(one, other, shallow=shallow)

    monkeypatch.setattr("filecmp.cmp", late)
    assert [each.status for each in await bring(library, same_csv=SALES)] == ["added"]


async def test_a_refused_file_of_a_name_that_is_taken_is_refused(sessions: Sessions) -> None:
    await bring(sessions.library, same_csv=SALES)
    assert [each.status for each in await bring(sessions.library, same_csv=b"")] == ["refused"]
    assert kept(sessions.library) == {"same.csv": SALES}


async def test_an_upload_that_fails_leaves_no_knowledge_base_behind_that_it_has_made(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    library, ingest = sessions.library, KnowledgeBase.ingest

    async def full(knowledge: KnowledgeBase, *_: Any) -> None:
        await ingest(knowledge, ())
        raise StoreError("The disk is full.")

    async def names() -> list[str]:
        return [each.name for each in await library.knowledge_bases()]

    with monkeypatch.context() as patched, pytest.raises(StoreError):
        patched.setattr(KnowledgeBase, "ingest", full)
        await bring(library, "looms", looms_md=NOTES["looms.md"])
    [refused] = await bring(library, "looms", looms_md=b"\x00\x01\x02\x03")
    assert refused.status == "refused" and await names() == ["default"]

    [added] = await bring(library, "looms", looms_md=NOTES["looms.md"])
    with monkeypatch.context() as patched, pytest.raises(StoreError):
        patched.setattr(KnowledgeBase, "ingest", full)
        await bring(library, "looms", engines_md=NOTES["engines.md"])
    assert added.status == "added" and await names() == ["default", "looms"]
