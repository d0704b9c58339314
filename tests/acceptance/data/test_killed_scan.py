"""A scan whose process is killed goes on at its cursor: no record twice, none missing, the report the same."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fathom import wiring
from fathom.data.snapshots import records_in
from fathom.settings import Settings
from fathom.wiring.readings import counts_and_records
from fathom_testing.events import LEAST, write_events

FATHOM = [sys.executable, "-m", "fathom"]
QUESTION = "List all events"


def start(home: Path, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*FATHOM, *arguments, "--quiet", "--out", str(home / "report.md"), "--json", str(home / "report.json")],
        env={**os.environ, "FATHOM_HOME": str(home)},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


async def calls_of(home: Path) -> list[Any]:
    async with wiring.opened_store(Settings(home=home)) as store:
        runs = await store.runs()
        return await store.journal(runs[0].run_id) if runs else []


def pages_in_journal(home: Path) -> int:
    """Asked of the file itself: to open the store each time would take more than the scan."""
    with closing(sqlite3.connect(f"{(home / 'runs.sqlite3').as_uri()}?mode=ro", uri=True, timeout=10)) as con:
        try:
            (count,) = con.execute("SELECT count(*) FROM journal WHERE kind = 'tool'").fetchone()
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            return 0
    return int(count)


async def record_ids(home: Path) -> list[str]:
    """The ids of the records of every page that the journal names, in the order of the calls.

    A page that was stored, and whose call was not yet taken down when the process was killed, is fetched once more:
    nobody names the first copy.
    """
    async with wiring.opened_store(Settings(home=home)) as store:
        named = counts_and_records(await calls_of(home))
        return [record.id for sha256 in named for record in records_in(await store.snapshot(sha256))]


async def scan_killed(tmp_path: Path, *, kills: int, chance: random.Random) -> None:
    path = write_events(tmp_path / "events.parquet", LEAST)
    home = tmp_path / "home"
    home.mkdir()
    process = start(home, "research", QUESTION, "--data", str(path))
    for _ in range(kills):
        before, wanted = pages_in_journal(home) if (home / "runs.sqlite3").exists() else 0, chance.randint(2, 6)
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if (home / "runs.sqlite3").exists() and pages_in_journal(home) >= before + wanted:
                break
            await asyncio.sleep(0.01)
        if process.poll() is not None:
            break
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        process = start(home, "resume", (await _run_id(home)))
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors.decode()

    ids = await record_ids(home)
    assert len(ids) == len(set(ids)) == LEAST
    report = json.loads((home / "report.json").read_text(encoding="utf-8"))
    (coverage,) = report["coverage"]["datasets"]
    assert (coverage["matched"], coverage["fetched"], coverage["scanned"]) == (LEAST, LEAST, LEAST)
    asked = [entry.request for entry in await calls_of(home) if entry.kind == "tool"]
    assert len(asked) == len(set(asked)), "a call that was finished was made again"


async def _run_id(home: Path) -> str:
    async with wiring.opened_store(Settings(home=home)) as store:
        (run,) = await store.runs()
        return run.run_id


async def test_a_killed_scan_ends_complete_with_no_record_twice_and_none_missing(tmp_path: Path) -> None:
    await scan_killed(tmp_path, kills=1, chance=random.Random(1))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
async def test_a_scan_that_is_killed_again_and_again_ends_complete(seed: int, tmp_path: Path) -> None:
    await scan_killed(tmp_path, kills=4, chance=random.Random(seed))
