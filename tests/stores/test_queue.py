"""The queue in a SQLite file, and how it knows that a worker is dead."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fathom.stores.presence import Presence
from fathom.stores.queue import SqliteRunQueue
from fathom.stores.sqlite import SqliteRunStore
from tests.contracts.queues import Clock, Opener, RunQueueContract
from tests.contracts.stores import a_run

CLAIMS = """
import asyncio, sys, time
from pathlib import Path
from fathom.stores.queue import SqliteRunQueue
from fathom.stores.sqlite import SqliteRunStore

async def main():
    queue = SqliteRunQueue(SqliteRunStore(Path(sys.argv[1])).database)
    run = await queue.claim("host:1:of the dead", seconds=600)
    print(run.run_id, flush=True)
    time.sleep(600)

asyncio.run(main())
"""
"""A worker that takes a run and does nothing."""


class TestSqliteRunQueue(RunQueueContract):
    @pytest.fixture
    def open_queue(self, tmp_path: Path, clock: Clock) -> Opener:
        def opened() -> tuple[SqliteRunStore, SqliteRunQueue]:
            store = SqliteRunStore(tmp_path / "runs.sqlite3")
            return store, SqliteRunQueue(store.database, clock=clock)

        return opened


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks: leases alone decide there")
async def test_the_runs_of_a_killed_worker_are_taken_up_at_once_and_those_of_a_living_one_not(tmp_path: Path) -> None:
    store = SqliteRunStore(tmp_path / "runs.sqlite3")
    queue = SqliteRunQueue(store.database)
    await queue.submit(a_run())
    command = [sys.executable, "-c", CLAIMS, str(tmp_path / "runs.sqlite3")]
    worker = await asyncio.to_thread(subprocess.Popen, command, stdout=subprocess.PIPE, text=True)
    assert worker.stdout is not None
    assert await asyncio.to_thread(worker.stdout.readline) == "run_one\n"

    assert await queue.claim("next", seconds=600) is None
    os.kill(worker.pid, signal.SIGKILL)
    await asyncio.to_thread(worker.wait)
    worker.stdout.close()
    again = await queue.claim("next", seconds=600)

    assert again is not None and again.run_id == "run_one"
    assert await queue.let_go("next") == 1
    assert list((tmp_path / "workers").iterdir()) == []
    await store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks: leases alone decide there")
def test_only_who_was_there_and_is_gone_counts_as_dead(tmp_path: Path) -> None:
    own, other = Presence(tmp_path / "workers"), Presence(tmp_path / "workers")
    assert other.is_alive("never seen") is None
    assert own.sign_on("ada") and own.sign_on("ada")
    assert own.is_alive("ada") and other.is_alive("ada")
    assert not other.sign_on("ada")
    own.sign_off("ada")
    own.sign_off("ada")
    assert other.is_alive("ada") is None
    assert other.sign_on("ada") and not own.sign_on("ada")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks: leases alone decide there")
def test_of_many_who_come_and_go_at_once_only_one_is_there(tmp_path: Path) -> None:
    inside: list[int] = []

    def come_and_go(number: int) -> None:
        presence, times = Presence(tmp_path / "workers"), 0
        while times < 20:  # whoever has had its turns leaves, so nobody waits for ever
            if presence.sign_on("ada"):
                inside.append(number)
                assert inside == [number]
                inside.remove(number)
                presence.sign_off("ada")
                times += 1

    with ThreadPoolExecutor(max_workers=4) as pool:
        list(pool.map(come_and_go, range(4)))
    assert list((tmp_path / "workers").iterdir()) == []


def test_a_folder_that_cannot_be_used_keeps_nobody_from_working(tmp_path: Path) -> None:
    (tmp_path / "workers").write_text("a file")
    presence = Presence(tmp_path / "workers")
    assert presence.sign_on("ada")
    assert presence.is_alive("ada") is None
    presence.sign_off("ada")
