"""What viewers of a run see, however many there are, whenever they come and however slow they are."""

from __future__ import annotations

import asyncio
import contextvars
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from fathom.errors import NotFound, StoreError
from fathom.events import Failed, Finished, RunStarted, StoredEvent, SubtaskEnded, SubtaskStarted
from fathom.ports import News, RunStatus
from fathom.sessions import feed as feeding
from fathom.sessions.feed import Feed, frame_of
from fathom.stores.sqlite import SqliteRunStore
from tests.contracts.stores import a_run

END = Finished(words=1, sources=1, claims=1)


class Counting(SqliteRunStore):
    """A store that counts what is asked of it, and fails when told."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.looks = 0
        self.read = 0
        self.failures = 0

    async def news(self, after: Mapping[str, int], *, limit: int) -> dict[str, News]:
        if self.failures:
            self.failures -= 1
            raise StoreError("locked")
        self.looks += 1
        found = await super().news(after, limit=limit)
        self.read += sum(len(each.events) for each in found.values())
        return found


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Counting]:
    store = Counting(tmp_path / "runs.sqlite3")
    yield store
    await store.close()


@pytest.fixture
def feed(store: Counting) -> Feed:
    return Feed(store, poll=0.01)


async def begin(store: SqliteRunStore, run_id: str = "run_one", *, events: int = 0) -> int:
    """A run under way that has told some events; its fence."""
    await store.create_run(a_run(run_id))
    fence = await store.acquire(run_id)
    await tell(store, run_id, fence, events)
    return fence


async def tell(store: SqliteRunStore, run_id: str, fence: int, events: int, text: str = "深い\r\n\u2028") -> None:
    for n in range(events):
        await store.emit(run_id, SubtaskStarted(subtask_id=f"task_{n}", description=text), fence=fence)


async def end(store: SqliteRunStore, run_id: str, fence: int, status: RunStatus = "completed") -> None:
    await store.emit(run_id, END, fence=fence)
    await store.update_run(run_id, fence=fence, status=status)


async def seen(frames: AsyncIterator[bytes]) -> list[str]:
    """What a viewer sees: the number of each event, and the last frame."""
    told = []
    async for piece in frames:
        for frame in piece.decode().removesuffix("\n\n").split("\n\n"):
            lines = dict(line.split(": ", 1) for line in frame.split("\n"))
            told.append(lines.get("id") or (lines["data"] if lines.get("event") == "end" else "♥"))
    return told


async def pieces(frames: AsyncIterator[bytes]) -> list[list[tuple[str, dict[str, Any]]]]:
    """What a viewer is sent at a time, the end excepted: the kind of each frame, with its data."""
    told = []
    async for piece in frames:
        lines = [dict(line.split(": ", 1) for line in frame.split("\n")) for frame in piece.decode().split("\n\n")[:-1]]
        told.append([(line["event"], json.loads(line["data"])) for line in lines])
    assert told.pop()[0][0] == "end"
    return told


async def looked(store: Counting) -> None:
    """Wait until a reader has looked, and made something of it."""
    looks = store.looks
    async with asyncio.timeout(120):
        while store.looks < looks + 3:  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.005)


def numbers(first: int, last: int, status: str = "completed") -> list[str]:
    return [*map(str, range(first, last + 1)), json.dumps({"status": status})]


async def test_every_event_arrives_once_and_in_order_then_the_end(store: Counting, feed: Feed) -> None:
    fence = await begin(store, events=3)
    viewer = asyncio.create_task(seen(feed.frames("run_one")))
    await tell(store, "run_one", fence, 4)
    await end(store, "run_one", fence)
    assert await viewer == numbers(1, 8)


async def test_a_viewer_who_comes_back_gets_what_is_behind_the_last_event_it_saw(store: Counting, feed: Feed) -> None:
    fence = await begin(store, events=300)
    await end(store, "run_one", fence)
    assert await seen(feed.frames("run_one", after=298)) == numbers(299, 301)


async def test_a_viewer_who_asks_for_what_is_not_there_yet_spoils_nothing_for_others(
    store: Counting, feed: Feed
) -> None:
    fence = await begin(store, events=5)
    ahead = asyncio.create_task(seen(feed.frames("run_one", after=1_000)))
    at_the_end = asyncio.create_task(seen(feed.frames("run_one", after=5)))
    behind = asyncio.create_task(seen(feed.frames("run_one", after=3)))
    await asyncio.sleep(0)
    await end(store, "run_one", fence)
    assert await at_the_end == numbers(6, 6)
    assert await behind == numbers(4, 6)
    assert await ahead == numbers(1, 0)


async def test_a_frame_is_one_line_of_json_whatever_the_text_holds(store: Counting, feed: Feed) -> None:
    fence = await begin(store, events=1)
    await end(store, "run_one", fence)
    (stored, _) = await store.events("run_one")
    pieces = b"".join([piece async for piece in feed.frames("run_one")])
    first = pieces.split(b"\n\n")[0].decode()
    assert frame_of(stored) == pieces.split(b"\n\n")[0] + b"\n\n"
    assert [line.split(": ")[0] for line in first.split("\n")] == ["id", "event", "data"]
    data = json.loads(first.split("data: ")[1])
    assert data == stored.model_dump(mode="json")
    assert data["event"]["description"] == "深い\r\n\u2028"


async def test_who_reads_for_all_viewers_reads_in_the_name_of_none(
    store: Counting, feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = contextvars.ContextVar("request", default="nobody")
    seen_as: set[str] = set()
    news = store.news

    async def looking(after: Mapping[str, int], *, limit: int) -> dict[str, News]:
        seen_as.add(request.get())
        return await news(after, limit=limit)

    monkeypatch.setattr(store, "news", looking)
    fence = await begin(store, events=1)
    await end(store, "run_one", fence)
    request.set("the first viewer's")
    assert await seen(feed.frames("run_one")) == numbers(1, 2)
    assert seen_as == {"nobody"}


async def test_many_viewers_of_many_runs_cost_one_read_of_each_event(store: Counting, feed: Feed) -> None:
    fences = {f"run_{n}": await begin(store, f"run_{n}") for n in range(10)}
    viewers = [asyncio.create_task(seen(feed.frames(run_id))) for run_id in fences for _ in range(10)]
    await asyncio.sleep(0)
    for run_id, fence in fences.items():
        await tell(store, run_id, fence, 20)
        await end(store, run_id, fence)
    assert await asyncio.gather(*viewers) == [numbers(1, 21)] * 100
    assert store.read == 210
    assert feed.viewers == 0


async def test_how_far_a_run_is_costs_one_more_read_of_each_event_and_comes_before_what_changed_it(
    store: Counting, feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    fence, read, events = await begin(store), [], store.events

    async def counting(run_id: str, **options: int) -> list[StoredEvent]:
        read.extend(found := await events(run_id, **options))
        return found

    monkeypatch.setattr(store, "events", counting)
    viewers = [asyncio.create_task(pieces(feed.frames("run_one", progress=True))) for _ in range(10)]
    await asyncio.sleep(0)
    await tell(store, "run_one", fence, 20, text="Where?")
    await store.emit(
        "run_one", SubtaskEnded(subtask_id="task_3", status="failed", findings=0, reason="no /home/ada/x"), fence=fence
    )
    await end(store, "run_one", fence)
    for told in await asyncio.gather(*viewers):
        known: dict[str, Any] = {}
        for piece in told:
            kind, far = piece[0]
            assert kind == "progress"
            assert far["whole"] == (not known)
            known |= far["subtasks"]
            assert {data["event"]["subtask_id"] for kind, data in piece if kind == "subtask_started"} <= known.keys()
        assert len(known) == 20
        assert known["task_3"]["step"] == {"name": "because", "values": {"reason": "no x"}}
        assert far["step"]["name"] == "completed"
    assert len(read) == 22


async def test_a_viewer_who_lags_behind_misses_nothing_and_keeps_nobody_waiting(
    store: Counting, feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeding, "KEPT", 8)
    fence = await begin(store, events=1)
    slow, quick = feed.frames("run_one"), asyncio.create_task(seen(feed.frames("run_one")))
    told = [await anext(slow)]
    await tell(store, "run_one", fence, 100)
    await end(store, "run_one", fence)
    assert await quick == numbers(1, 102)
    told += [piece async for piece in slow]
    assert b"".join(told).count(b"\nevent: subtask_started") == 101
    assert [f"id: {n}\n".encode() in b"".join(told) for n in range(1, 103)] == [True] * 102
    assert told[-1] == feeding.end_frame("completed")


def test_what_is_kept_for_viewers_has_a_bound_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeding, "KEPT_BYTES", 1_000)
    watch = feeding._Watch(0)
    for _ in range(50):
        watch.add(b"x" * 300)
    assert (watch.first, watch.seen) == (48, 50)
    watch.add(b"x" * 5_000)
    assert (watch.first, watch.seen) == (51, 51)


async def test_an_end_in_the_history_of_a_run_that_goes_on_ends_nothing(store: Counting, feed: Feed) -> None:
    fence = await begin(store)
    await end(store, "run_one", fence, "partial")
    await store.update_run("run_one", fence=fence, status="queued")
    assert not await feed.has_ended("run_one", after=1)
    viewer = asyncio.create_task(seen(feed.frames("run_one")))
    await looked(store)
    assert not viewer.done()
    await store.emit("run_one", RunStarted(query="q", resumed=True), fence=fence)
    await end(store, "run_one", fence)
    assert await viewer == numbers(1, 3)


async def test_the_stream_waits_for_the_record_and_not_for_the_event_of_the_end(store: Counting, feed: Feed) -> None:
    fence = await begin(store)
    viewer = asyncio.create_task(seen(feed.frames("run_one")))
    await store.emit("run_one", Failed(error="no"), fence=fence)
    await looked(store)
    assert not viewer.done()
    await store.update_run("run_one", fence=fence, status="failed")
    assert await viewer == numbers(1, 1, "failed")


async def test_it_is_told_whether_a_run_has_ended_and_all_is_seen(store: Counting, feed: Feed) -> None:
    fence = await begin(store, events=2)
    assert not await feed.has_ended("run_one", after=2)
    await end(store, "run_one", fence)
    assert not await feed.has_ended("run_one", after=2)
    assert await feed.has_ended("run_one", after=3)
    with pytest.raises(NotFound):
        await feed.has_ended("run_two")


async def test_a_run_that_is_only_planned_has_nothing_to_follow(store: Counting, feed: Feed) -> None:
    await store.create_run(a_run(status="planned"))
    assert await feed.has_ended("run_one")
    assert await seen(feed.frames("run_one")) == ['{"status": "planned"}']


async def test_a_run_that_is_deleted_meanwhile_ends(
    store: Counting, feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeding, "KEPT", 2)
    await begin(store, events=200)
    waiting, reading = feed.frames("run_one", after=200), feed.frames("run_one")
    waiter = asyncio.create_task(seen(waiting))
    first = await anext(reading)
    await store.delete_run("run_one")
    assert await waiter == numbers(1, 0, "deleted")
    rest = b"".join([first, *[piece async for piece in reading]])
    assert rest.endswith(feeding.end_frame("deleted"))
    assert rest.count(b"\nevent: subtask_started") < 200


async def test_silence_is_filled_by_comments(store: Counting, feed: Feed) -> None:
    fence = await begin(store)
    frames = feed.frames("run_one", heartbeat=0.02)
    silence = await anext(frames)
    assert silence.startswith(b":") and silence.endswith(b"\n\n")
    await end(store, "run_one", fence)
    assert [each for each in await seen(frames) if each != "♥"] == numbers(1, 1)


async def test_a_run_of_another_process_is_followed(store: Counting, tmp_path: Path) -> None:
    other = Counting(tmp_path / "runs.sqlite3")
    fence = await begin(store, events=1)
    viewer = asyncio.create_task(seen(Feed(other, poll=0.01).frames("run_one")))
    await tell(store, "run_one", fence, 5)
    await end(store, "run_one", fence)
    assert await viewer == numbers(1, 7)
    await other.close()


async def test_nobody_reads_when_nobody_looks_on(store: Counting, feed: Feed) -> None:
    await begin(store, events=1)
    viewer = feed.frames("run_one")
    await anext(viewer)
    assert feed.viewers == 1
    await viewer.aclose()
    assert feed.viewers == 0
    async with asyncio.timeout(120):
        while any(task.get_name() == "feed" for task in asyncio.all_tasks()):  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.005)


async def test_a_viewer_who_knows_more_than_there_is_hinders_no_other(store: Counting, feed: Feed) -> None:
    fence = await begin(store, events=2)
    ahead = asyncio.create_task(seen(feed.frames("run_one", after=1_000_000)))
    await looked(store)
    other = asyncio.create_task(seen(feed.frames("run_one")))
    await tell(store, "run_one", fence, 1)
    await end(store, "run_one", fence)
    assert await other == numbers(1, 4)
    assert await ahead == numbers(1, 0)


async def test_a_store_that_is_locked_for_a_while_only_delays(
    store: Counting, feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeding, "TROUBLE_SECONDS", 0.01)
    fence = await begin(store, events=2)
    await end(store, "run_one", fence)
    store.failures = 3
    assert await seen(feed.frames("run_one")) == numbers(1, 3)


async def test_viewers_of_a_reader_that_fails_are_told_and_may_come_again(
    store: Counting, feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    fence = await begin(store, events=2)
    await end(store, "run_one", fence)

    async def broken(*_: object, **__: object) -> dict[str, News]:
        raise ZeroDivisionError

    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr(store, "news", broken)
        await seen(feed.frames("run_one"))
    assert await seen(feed.frames("run_one")) == numbers(1, 3)


async def test_what_this_process_tells_is_shown_before_the_next_look_at_other_processes(store: Counting) -> None:
    fence = await begin(store, events=1)
    frames = Feed(store, poll=3_600.0).frames("run_one")
    assert (await anext(frames)).startswith(b"id: 1\n")
    for seq in (2, 3):
        await tell(store, "run_one", fence, 1)
        assert (await anext(frames)).startswith(f"id: {seq}\n".encode())
    await end(store, "run_one", fence)
    assert [await anext(frames) for _ in range(2)][-1] == b'event: end\ndata: {"status": "completed"}\n\n'
    await frames.aclose()
