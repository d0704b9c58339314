"""Work in threads and tasks: whatever comes of it reaches whoever waits, and there is no way around that."""

from __future__ import annotations

import ast
import asyncio
import concurrent.futures
import socket
import time
from pathlib import Path

import pytest

from fathom.knowledge.database import IndexDatabase as KnowledgeFile
from fathom.knowledge.writing import GroupedWriter
from fathom.outcomes import Within, guarded, in_thread, settle
from fathom.stores.database import RunDatabase
from tests.support.project_pages import ROOT

ERRORS = [StopIteration, SystemExit, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError, BaseException]
ERRORS += [concurrent.futures.CancelledError]
PASSED_BY = {"to_thread", "run_in_executor", "run_coroutine_threadsafe", "set_exception"}
"""What `fathom.outcomes` does in their place; anyio tells such errors by itself."""


async def soon(work: asyncio.Future[object]) -> object:
    """Its outcome; a test that waits for ever tells nothing."""
    return await asyncio.wait_for(work, 30)


def test_work_goes_to_threads_and_comes_back_through_one_door() -> None:
    around = [
        f"{path.relative_to(ROOT / 'src' / 'fathom')}:{node.lineno} {node.attr}"
        for path in (ROOT / "src" / "fathom").rglob("*.py")
        if path.name != "outcomes.py" and any(name in (text := path.read_text(encoding="utf-8")) for name in PASSED_BY)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and node.attr in PASSED_BY and ast.unparse(node.value) != "anyio"
    ]
    assert not around, f"use fathom.outcomes: {around}"


@pytest.mark.parametrize("error", ERRORS)
async def test_what_ends_threads_and_loops_is_told_to_who_waits_for_the_work(error: type[BaseException]) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(RuntimeError, match=error.__name__) as told:
        await soon(asyncio.ensure_future(in_thread(fail)))
    assert isinstance(told.value.__cause__, error)


async def test_an_ordinary_error_of_a_thread_is_told_as_it_is() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        await in_thread(int, "one")
    assert await in_thread(int, "11", base=2) == 3


@pytest.mark.parametrize("error", ERRORS)
async def test_whoever_waits_for_a_future_hears_of_any_error(error: type[BaseException]) -> None:
    done: asyncio.Future[object] = asyncio.get_running_loop().create_future()
    settle(done, error())
    settle(done, "too late")
    with pytest.raises(RuntimeError, match=error.__name__):
        await soon(done)


async def test_a_cancellation_that_nobody_asked_for_is_an_error_and_one_that_was_asked_for_passes() -> None:
    async def falls_out_of_nowhere() -> None:
        raise asyncio.CancelledError

    with pytest.raises(RuntimeError, match="CancelledError"):
        await guarded(falls_out_of_nowhere())
    task = asyncio.ensure_future(guarded(asyncio.Event().wait()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("error", [*ERRORS, MemoryError, RecursionError])
async def test_a_write_that_raises_anything_leaves_no_other_write_waiting(
    tmp_path: Path, error: type[BaseException]
) -> None:
    def fail(_: object) -> None:
        raise error

    runs, documents = RunDatabase(tmp_path / "runs.db", "", version=0), KnowledgeFile(tmp_path / "kb.db")
    grouped = GroupedWriter(documents)
    for write in (runs.write, grouped.write):
        bad, good = (asyncio.ensure_future(write(work)) for work in (fail, lambda connection: connection.total_changes))
        _, waiting = await asyncio.wait([bad, good], timeout=30)
        assert not waiting, f"{write} leaves its callers waiting"
        assert isinstance(bad.exception(), Exception)
        assert isinstance(await soon(asyncio.ensure_future(write(lambda connection: connection.total_changes))), int)
        good.exception()
    await runs.close()
    documents.close()


async def test_a_thread_that_cannot_be_started_leaves_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(_: object) -> None:
        raise RuntimeError("can't start new thread")

    documents = KnowledgeFile(tmp_path / "kb.db")
    with monkeypatch.context() as patched:
        patched.setattr("threading.Thread.start", none_left)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            await soon(asyncio.ensure_future(GroupedWriter(documents).write(lambda _: None)))
    documents.close()


async def test_an_answer_that_came_while_nobody_could_look_is_in_time() -> None:
    loop = asyncio.get_running_loop()
    here, there = socket.socketpair()

    def held_up() -> None:
        time.sleep(0.1)
        there.send(b"answer")

    with here, there:
        here.setblocking(False)
        async with Within(0.05):
            for _ in range(3):
                loop.call_soon(held_up)
                assert await loop.sock_recv(here, 100) == b"answer"


async def test_what_gives_no_answer_is_given_up() -> None:
    with pytest.raises(TimeoutError):
        async with Within(0.01) as limit:
            await asyncio.Event().wait()
    assert limit.expired()
