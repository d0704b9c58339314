"""What has rotted in the file of the runs is found and costs itself alone; older files are brought up to date."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest

from fathom import sqlite_file
from fathom.errors import Damaged
from fathom.events import RunStarted
from fathom.evidence import text_digest
from fathom.sqlite_file import SqliteFile, checksum
from fathom.stores.sqlite import SqliteRunStore
from tests.contracts import a_report, a_run, put

TEXT = "A name refers to an object. " * 20


async def a_file(folder: Path) -> Path:
    """A file with a run that has everything."""
    path = folder / "runs.sqlite3"
    store = SqliteRunStore(path)
    await store.create_run(a_run())
    fence = await store.acquire("run_one")
    for n in range(3):
        await put(store, f"task_{n}", f'"answer {n}"', fence=fence)
        await store.emit("run_one", RunStarted(query=f"q{n}"), fence=fence)
    await store.add_snapshot("run_one", text_digest(TEXT), TEXT, fence=fence)
    await store.save_report("run_one", a_report(), fence=fence)
    await store.close()
    return path


def rot(path: Path, change: str) -> None:
    """Change what is stored behind the back of the store."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(change).rowcount == 1
        connection.commit()


Look = Callable[[SqliteRunStore], Awaitable[object]]
LOOKS: dict[str, tuple[str, Look]] = {
    "record": ("UPDATE runs SET record = replace(record, 'deep', 'dark')", lambda store: store.run("run_one")),
    "answer": (
        "UPDATE answers SET body = replace(body, '1', '7') WHERE body LIKE '%1%'",
        lambda store: store.journal("run_one"),
    ),
    "call": ("UPDATE journal SET answer = 1 WHERE path LIKE '%2%'", lambda store: store.journal("run_one")),
    "event": ("UPDATE events SET seq = 9 WHERE seq = 2", lambda store: store.events("run_one")),
    "report": ("UPDATE reports SET body = substr(body, 1, 90) || body", lambda store: store.report("run_one")),
    "text": ("UPDATE snapshots SET body = substr(body, 2)", lambda store: store.snapshot(text_digest(TEXT))),
}


@pytest.mark.parametrize("what", LOOKS)
async def test_what_has_rotted_is_said_and_costs_nothing_else(tmp_path: Path, what: str) -> None:
    path = await a_file(tmp_path)
    rot(path, LOOKS[what][0])
    store = SqliteRunStore(path)
    for each, (_, look) in LOOKS.items():
        if each == what or {each, what} == {"answer", "call"}:
            with pytest.raises(Damaged, match="damaged") as caught:
                await look(store)
            assert "\n" not in str(caught.value)
        else:
            await look(store)
    await store.close()
    assert "1 times" in SqliteFile(path, name="", remedy="").rotten(within=600)[0]


@pytest.mark.parametrize(("what", "left"), [("answer", (2, 3)), ("call", (2, 3)), ("event", (3, 2))])
async def test_a_run_forgets_what_has_rotted_and_does_it_again(
    tmp_path: Path, what: str, left: tuple[int, int]
) -> None:
    path = await a_file(tmp_path)
    rot(path, LOOKS[what][0])
    store = SqliteRunStore(path)
    await store.mend("run_one")
    assert (len(await store.journal("run_one")), len(await store.events("run_one"))) == left
    fence = await store.acquire("run_one")
    for n in range(3):
        assert await put(store, f"task_{n}", f'"answer {n}"', fence=fence) == f'"answer {n}"'
    assert sorted(entry.answer for entry in await store.journal("run_one")) == [f'"answer {n}"' for n in range(3)]
    await store.close()


async def test_a_text_that_has_rotted_is_whole_again_once_it_is_read_again(tmp_path: Path) -> None:
    path = await a_file(tmp_path)
    rot(path, LOOKS["text"][0])
    store = SqliteRunStore(path)
    await store.add_snapshot("run_one", text_digest(TEXT), TEXT, fence=await store.acquire("run_one"))
    assert await store.snapshot(text_digest(TEXT)) == TEXT
    await store.close()


def test_a_checksum_tells_values_apart() -> None:
    rows = [("ab", "c"), ("a", "bc"), ("abc",), (None, "c"), ("None", "c"), (1, 2), (12,), (1.0, 2)]
    assert len({checksum(*row) for row in rows}) == len(rows)
    assert checksum("深い", 1) == checksum("深い".encode(), "1")  # as `raw` columns give it


@pytest.mark.parametrize("pieces", [0, 1, 2, 3])
def test_the_log_of_a_process_that_was_killed_in_its_first_commit_is_not_damaged(tmp_path: Path, pieces: int) -> None:
    made = tmp_path / "made.sqlite3"
    with closing(sqlite3.connect(made, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE texts (text)")
        connection.execute("PRAGMA user_version = 1")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("INSERT INTO texts VALUES (zeroblob(20000))")  # several pieces, of which the last commits
        log = Path(f"{made}-wal").read_bytes()
        killed = Path(shutil.copy(made, tmp_path / "killed.sqlite3"))
    Path(f"{killed}-wal").write_bytes(log[: 32 + pieces * (4096 + 24)])
    file = SqliteFile(killed, "CREATE TABLE texts (text);", version=1, name="It", remedy="make it anew")
    with closing(file.connected(cached=0)) as connection:
        file.prepare(connection)
        assert connection.execute("SELECT count(*) FROM texts").fetchone() == (0,)


def test_a_log_whose_head_is_damaged_is_said(tmp_path: Path) -> None:
    made = tmp_path / "made.sqlite3"
    with closing(sqlite3.connect(made, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE texts (text)")
        killed = Path(shutil.copy(made, tmp_path / "killed.sqlite3"))
        log = bytearray(Path(f"{made}-wal").read_bytes())
    log[18] ^= 4  # its salt
    Path(f"{killed}-wal").write_bytes(log)
    file = SqliteFile(killed, "CREATE TABLE texts (text);", version=1, name="It", remedy="make it anew")
    with closing(file.connected(cached=0)) as connection, pytest.raises(Damaged, match="The last changes"):
        file.prepare(connection)


def test_a_commit_that_a_killed_process_told_nobody_of_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "shared.sqlite3"
    file = SqliteFile(path, "CREATE TABLE texts (text);", version=1, name="It", remedy="make it anew")
    with closing(file.connected(cached=0)) as witness:  # whose process lives on, so that nobody reads the log anew
        file.prepare(witness)
        witness.execute("INSERT INTO texts VALUES ('told')")
        index = Path(f"{path}-shm")
        known = index.read_bytes()
        with closing(sqlite3.connect(path, isolation_level=None)) as killed:
            killed.execute("INSERT INTO texts VALUES (zeroblob(20000))")
            with index.open("r+b") as shared:  # killed behind its last piece, before the index was brought up to date
                shared.write(known)
            with closing(file.connected(cached=0)) as connection:
                file.prepare(connection)
                assert connection.execute("SELECT text FROM texts").fetchall() == [("told",)]
                connection.execute("INSERT INTO texts VALUES ('next')")
                assert witness.execute("SELECT text FROM texts").fetchall() == [("told",), ("next",)]


@pytest.mark.parametrize("piece", range(1, 6))
def test_whichever_piece_of_the_last_commit_has_rotted_that_it_is_lost_is_said(tmp_path: Path, piece: int) -> None:
    path, kept = tmp_path / "one.sqlite3", tmp_path / "kept.sqlite3"
    file = SqliteFile(path, "CREATE TABLE texts (text);", version=1, name="It", remedy="make it anew")
    with closing(file.connected(cached=0)) as connection:
        file.prepare(connection)
        connection.execute("INSERT INTO texts VALUES ('told')")
        before = Path(f"{path}-wal").stat().st_size
        connection.execute("INSERT INTO texts VALUES (zeroblob(20000))")
        log = bytearray(Path(f"{path}-wal").read_bytes())
        shutil.copyfile(path, kept)
    step = 24 + int.from_bytes(log[8:12], "big")
    assert (len(log) - before) // step >= 5
    log[before + (piece - 1) * step + 1_000] ^= 1
    Path(f"{kept}-wal").write_bytes(log)
    rotten = SqliteFile(kept, "CREATE TABLE texts (text);", version=1, name="It", remedy="make it anew")
    with closing(rotten.connected(cached=0)) as connection:
        with pytest.raises(Damaged, match="its log is damaged"):
            rotten.prepare(connection)
        rotten.prepare(connection)
        assert connection.execute("SELECT text FROM texts").fetchall() == [("told",)]


def test_a_log_that_others_write_to_at_every_look_is_not_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "busy.sqlite3"
    looked_at = sqlite_file._commits

    def in_the_middle_of_a_commit(log: Path, step: int) -> tuple[bytes, int]:
        salt, commits = looked_at(log, step)
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other:
            try:
                other.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:  # whoever looks lets nobody else write meanwhile
                return salt, commits
        return salt, commits + 1

    file = SqliteFile(path, "CREATE TABLE texts (text);", version=1, name="It", remedy="make it anew")
    with closing(file.connected(cached=0)) as writer, closing(file.connected(cached=0)) as reader:
        file.prepare(writer)
        writer.execute("INSERT INTO texts VALUES ('whole')")
        monkeypatch.setattr(sqlite_file, "_commits", in_the_middle_of_a_commit)
        file.prepare(reader)
        assert reader.execute("SELECT text FROM texts").fetchone() == ("whole",)
