"""The SQLite run store keeps the contract, and says in one line what is wrong with its file."""

from __future__ import annotations

import asyncio
import multiprocessing
import sqlite3
import sys
from pathlib import Path

import pytest

from fathom.errors import StoreError
from fathom.events import Reflected
from fathom.sqlite_file import checksum
from fathom.stores.database import RunDatabase
from fathom.stores.schema import SCHEMA, VERSION
from fathom.stores.sqlite import SqliteRunStore
from tests.contracts import Opener, RunStoreContract, a_run, put


class TestSqliteRunStore(RunStoreContract):
    @pytest.fixture
    def open_store(self, tmp_path: Path) -> Opener:
        return lambda: SqliteRunStore(tmp_path / "home" / "fathom.db")


async def a_filled_file(folder: Path) -> Path:
    path = folder / "fathom.db"
    store = SqliteRunStore(path)
    await store.create_run(a_run())
    fence = await store.acquire("run_one")
    for n in range(50):
        await put(store, f"task_{n}", '"' + f"{n} " * 400 + '"', fence=fence)
    await store.close()
    return path


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "fathom.db"
    path.write_bytes(b"this is not a database, it is a letter" * 100)
    with pytest.raises(StoreError, match=r"fathom\.db is damaged \(file is not a database\): .* move it away"):
        SqliteRunStore(path)
    assert path.read_bytes().startswith(b"this is not")


async def test_a_damaged_file_is_named_when_it_is_read(tmp_path: Path) -> None:
    path = await a_filled_file(tmp_path)
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(bytes(data))
    with pytest.raises(StoreError, match=r"fathom\.db is damaged"):
        SqliteRunStore(path)


async def test_a_damaged_file_is_named_when_it_was_open_before(tmp_path: Path) -> None:
    path = await a_filled_file(tmp_path)
    store = SqliteRunStore(path)
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(bytes(data))
    with pytest.raises(StoreError, match=r"fathom\.db is damaged"):
        await store.runs()
    await store.close()


@pytest.mark.parametrize(
    ("version", "told"),
    [(99, r"a newer version of Fathom \(format 99, .*: upgrade"), (3, r"an older .* \(format 3, .*: move it away")],
)
async def test_a_file_of_another_version_is_left_alone(tmp_path: Path, version: int, told: str) -> None:
    path = await a_filled_file(tmp_path)
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(StoreError, match=told):
        SqliteRunStore(path)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (version,)


def test_a_home_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("x")
    with pytest.raises(StoreError, match="FATHOM_HOME"):
        SqliteRunStore(tmp_path / "home" / "fathom.db")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (sqlite3.SQLITE_FULL, "disk is full: free some space"),
        (sqlite3.SQLITE_READONLY, "cannot be written: allow writing"),
        (sqlite3.SQLITE_CANTOPEN, "cannot be opened: check its folder"),
        (sqlite3.SQLITE_BUSY, "held by another process"),
        (sqlite3.SQLITE_IOERR, "the disk fails or is full"),
        (sqlite3.SQLITE_ERROR, "failed: odd"),
    ],
)
async def test_each_failure_of_the_file_says_what_to_do(tmp_path: Path, code: int, said: str) -> None:
    database = RunDatabase(tmp_path / "fathom.db", SCHEMA, version=VERSION)

    def fail(_: sqlite3.Connection) -> None:
        error = sqlite3.OperationalError("odd")
        error.sqlite_errorcode = code
        raise error

    for failing in (database.write(fail), database.read(fail)):
        with pytest.raises(StoreError, match=said) as caught:
            await failing
        assert str(tmp_path / "fathom.db") in str(caught.value)
    await database.close()


FILL = """
import asyncio, resource, sys
from pathlib import Path
from fathom.errors import StoreError
from fathom.events import Reflected
from fathom.stores.sqlite import SqliteRunStore
sys.path.insert(0, sys.argv[2])
from tests.contracts import put
import random

async def main():
    store = SqliteRunStore(Path(sys.argv[1]))
    fence = await store.acquire("run_one")
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    kept = 0
    try:
        for n in range(200):
            await put(store, f"more_{n}", '"' + random.randbytes(4_000).hex() + '"', fence=fence)
            kept += 1
    except StoreError as error:
        print(kept, error)

asyncio.run(main())
"""


async def test_a_full_disk_loses_nothing_that_was_stored(tmp_path: Path) -> None:
    path = await a_filled_file(tmp_path)
    root = str(Path(__file__).parents[2])

    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", FILL, path, root, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()

    kept, said = out.decode().strip().split(" ", 1)
    assert "then go on" in said and str(path) in said and "\n" not in said
    store = SqliteRunStore(path)
    entries = await store.journal("run_one")
    await store.close()
    assert len(entries) == 50 + int(kept)
    assert [entry.path for entry in entries][:50] == [f"task_{n}" for n in range(50)]


def _open_and_write(path: Path, name: str) -> None:
    async def main() -> None:
        store = SqliteRunStore(path)
        await store.create_run(a_run(name))
        fence = await store.acquire(name)
        for n in range(20):
            await put(store, f"task_{n}", f'"{n}"', fence=fence, run_id=name)
        await store.close()

    asyncio.run(main())


async def test_several_processes_may_open_a_new_file_at_once(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("fork")
    path = tmp_path / "fathom.db"
    processes = [spawn.Process(target=_open_and_write, args=(path, f"run_{n}")) for n in range(6)]
    for process in processes:
        process.start()
    for process in processes:
        await asyncio.to_thread(process.join)

    assert [process.exitcode for process in processes] == [0] * 6
    store = SqliteRunStore(path)
    assert {run.run_id for run in await store.runs()} == {f"run_{n}" for n in range(6)}
    assert [len(await store.journal(f"run_{n}")) for n in range(6)] == [20] * 6
    await store.close()


async def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = SqliteRunStore(tmp_path / "fathom.db")
    await store.close()
    await store.close()
    with pytest.raises(StoreError, match="closed"):
        await store.runs()


async def test_a_connection_that_breaks_leaves_no_write_waiting(tmp_path: Path) -> None:
    database = RunDatabase(tmp_path / "fathom.db", SCHEMA, version=VERSION)
    async with asyncio.timeout(60):
        for work in (lambda db: db.close(), lambda db: db.execute("SELECT 1")):
            with pytest.raises(StoreError):
                await database.write(work)
        await database.close()


async def test_a_look_at_several_things_sees_them_at_one_moment(tmp_path: Path) -> None:
    store = SqliteRunStore(tmp_path / "fathom.db")
    other = sqlite3.connect(tmp_path / "fathom.db", isolation_level=None, check_same_thread=False)
    other.create_function("checksum", -1, checksum)
    await store.create_run(a_run())
    fence = await store.acquire("run_one")
    for n in range(2):
        await store.emit("run_one", Reflected(round=n, weak=(), not_found=()), fence=fence)

    def another(statement: str) -> None:
        if "ORDER BY seq" in statement:  # between the number of the last event and the events
            other.execute(
                "INSERT INTO events SELECT run, 3, at, event, checksum(run, 3, at, event) FROM events LIMIT 1"
            )

    store.database._reading.set_trace_callback(another)
    news = (await store.news({"run_one": 0}, limit=10))["run_one"]
    assert (news.last, [stored.seq for stored in news.events]) == (2, [1, 2])
    store.database._reading.set_trace_callback(None)
    assert [stored.seq for stored in await store.events("run_one")] == [1, 2, 3]
    other.close()
    await store.close()
