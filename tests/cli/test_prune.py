"""What is old goes, and only that; reports can stay; the space is given back."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from fathom.settings import load_settings
from fathom.stores.presence import Presence
from fathom.stores.sqlite import owner_of
from fathom.wiring.adapters import opened_checkpoints
from tests.cli.conftest import QUESTION, Call
from tests.support.ages import age


@pytest.fixture
def two(call: Call, home: Path, notes: Path) -> tuple[str, str]:
    """An old run and a new one."""
    call("ingest", notes)
    call("research", QUESTION)
    call("research", "What is a context manager?")
    new, old = (line.split()[0] for line in call("runs").out.splitlines())
    age(home, old)
    return old, new


def test_a_run_that_is_old_goes_and_its_space_is_given_back(call: Call, home: Path, two: tuple[str, str]) -> None:
    old, new = two
    report = call("replay", new).out
    told = call("prune", "--older", "90d", "--dry-run")
    assert told.code == 0 and "1 run would be removed" in told.err
    assert call("replay", old).code == 0
    before = sum(file.stat().st_size for file in home.glob("*.sqlite3*"))

    done = call("prune", "--older", "90d")

    assert done.code == 0 and "1 run removed" in done.err and "KB given back" in done.err
    assert sum(file.stat().st_size for file in home.glob("*.sqlite3*")) < before
    assert [line.split()[0] for line in call("runs").out.splitlines()] == [new]
    assert call("replay", new).out == report and call("show", old).code == 2
    assert "0 runs removed" in call("prune", "--older", "90d").err


def test_its_report_and_what_that_cites_can_stay(call: Call, two: tuple[str, str]) -> None:
    old, _ = two
    looks = (("sources", old), ("source", old, "S1"), ("resume", old))
    before = [call(*look).out for look in looks]

    done = call("prune", "--older", "90d", "--keep-reports")

    assert done.code == 0 and "ll but the report of 1 run removed" in done.err
    assert [call(*look).out for look in looks] == before
    assert "passages found" in call("show", old).out
    missing = call("replay", old)
    assert missing.code == 1 and len(missing.complaints) == 1
    assert "0 runs removed" in call("prune", "--older", "90d", "--keep-reports").err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks: the time alone decides there")
def test_a_run_that_is_at_work_stays_and_one_whose_process_has_died_goes(
    call: Call, home: Path, two: tuple[str, str]
) -> None:
    old, new = two
    age(home, old, status="running")
    owner = Presence(home / "workers")
    assert owner.sign_on(owner_of(old))
    assert "0 runs removed" in call("prune", "--older", "1h").err
    assert call("replay", old).code == 0

    os.close(owner._held.popitem()[1])  # as the system does when its process is killed
    for sure in ("--dry-run", "--keep-reports"):
        assert "1 run " in call("prune", "--older", "1h", sure).err
    assert "1 run removed" in call("prune", "--older", "1h").err
    assert [line.split()[0] for line in call("runs").out.splitlines()] == [new]


def test_a_run_that_waits_stays(call: Call, home: Path, two: tuple[str, str]) -> None:
    age(home, two[0], status="queued")
    assert "0 runs removed" in call("prune", "--older", "1h").err
    assert call("replay", two[0]).code == 0


def test_the_checkpoints_of_a_run_go_with_it_and_no_others(call: Call, two: tuple[str, str]) -> None:
    async def kept(*runs: str) -> list[str]:
        async with opened_checkpoints(load_settings()) as saver:
            insert = "INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id) VALUES (?, '', '1')"
            await saver.conn.executemany(insert, [(f"{run}:1:1",) for run in runs])
            await saver.conn.commit()
            rows = await saver.conn.execute_fetchall("SELECT thread_id FROM checkpoints")
            return [row[0] for row in rows]

    old, new = two
    assert asyncio.run(kept(old, new)) == [f"{old}:1:1", f"{new}:1:1"]
    call("prune", "--older", "90d", "--dry-run")
    assert len(asyncio.run(kept())) == 2
    assert "1 run removed" in call("prune", "--older", "90d").err
    assert asyncio.run(kept()) == [f"{new}:1:1"]


@pytest.mark.parametrize("age", ["90", "d", "1.5d", "-1d", "9999999d", "90 d"])
def test_an_age_that_is_none_is_refused(call: Call, age: str) -> None:
    done = call("prune", "--older", age)
    assert done.code == 2 and "90d, 12w or 36h" in done.complaints[0]
