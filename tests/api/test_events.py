"""The stream of events on a real socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from fathom.events import StoredEvent
from fathom.sessions.feed import frame_of
from tests.support.serving import SESSIONS, Served


def frames(
    server: Served, id: str, *, after: int | None = None, progress: bool = False, headers: dict[str, str] | None = None
) -> Iterator[str]:
    """The frames of a session's stream, until it closes."""
    params = ({} if after is None else {"after": after}) | ({"progress": "true"} if progress else {})
    address = f"{SESSIONS}/{id}/events"
    with server.client.stream("GET", address, params=params, headers=headers, timeout=60) as reply:
        assert reply.status_code == 200
        assert reply.headers["content-type"].startswith("text/event-stream")
        assert "content-encoding" not in reply.headers
        rest = ""
        for text in reply.iter_text():
            *whole, rest = (rest + text).split("\n\n")
            yield from (frame for frame in whole if not frame.startswith(":"))
        assert rest == ""


def parts(frame: str) -> dict[str, str]:
    """The fields of a frame."""
    return dict(line.split(": ", 1) for line in frame.split("\n"))


def test_the_stream_tells_every_event_as_it_is_stored_and_then_the_end(server: Served) -> None:
    id = server.ask("What was the store of the analytical engine?")
    *told, end = frames(server, id)

    known: list[StoredEvent] = server.run(server.fathom.store.events(id))
    assert "".join(f"{frame}\n\n" for frame in told).encode() == b"".join(map(frame_of, known))
    assert [int(parts(frame)["id"]) for frame in told] == list(range(1, len(known) + 1))
    assert parts(end) == {"event": "end", "data": '{"status": "completed"}'}


@pytest.mark.parametrize("by_header", [True, False], ids=["Last-Event-ID", "after"])
def test_whoever_comes_back_gets_exactly_what_was_missed(server: Served, done: dict[str, Any], by_header: bool) -> None:
    whole = list(frames(server, done["id"]))

    for known in range(1, done["last_event"]):
        again = (
            frames(server, done["id"], headers={"Last-Event-ID": str(known)})
            if by_header
            else frames(server, done["id"], after=known)
        )
        assert list(again) == whole[known:]


def test_who_asks_is_told_how_far_the_session_is_before_the_events_that_brought_it_there(
    server: Served, done: dict[str, Any]
) -> None:
    plain = list(frames(server, done["id"], after=2))
    first, *rest = frames(server, done["id"], after=2, progress=True)

    assert "id" not in parts(first)
    assert parts(first)["event"] == "progress"
    far = json.loads(parts(first)["data"])
    assert far["whole"]
    assert far["step"] == {"name": "completed", "values": {}}
    subtasks = server.session(done["id"])["subtasks"]
    assert [{name: each[name] for name in subtasks[0]} for each in far["subtasks"].values()] == subtasks
    assert all(each["started"] <= each["ended"] for each in far["subtasks"].values())
    assert [frame for frame in rest if parts(frame)["event"] != "progress"] == plain


def test_the_header_counts_before_the_parameter(server: Served, done: dict[str, Any]) -> None:
    first = next(frames(server, done["id"], after=1, headers={"Last-Event-ID": "4"}))

    assert parts(first)["id"] == "5"


@pytest.mark.parametrize("beyond", [0, 1, 1_000])
def test_a_stream_that_has_ended_is_not_begun_again(server: Served, done: dict[str, Any], beyond: int) -> None:
    known = done["last_event"] + beyond
    by_header = server.client.get(f"{SESSIONS}/{done['id']}/events", headers={"Last-Event-ID": str(known)})
    by_parameter = server.client.get(f"{SESSIONS}/{done['id']}/events", params={"after": known})

    assert (by_header.status_code, by_header.content) == (204, b"")
    assert by_parameter.status_code == 204


def test_a_session_goes_on_when_every_viewer_leaves(server: Served) -> None:
    id = server.ask("What came before the analytical engine, and what could it do?")
    for _ in range(3):
        next(frames(server, id))  # the generator is dropped, and its connection with it

    assert server.ended(id)["status"] == "completed"
    assert server.app.state.feed.viewers == 0


async def test_many_viewers_see_the_same(server: Served) -> None:
    id = server.ask("Who took the cards from whom?")
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as client:
        replies = await asyncio.gather(*(client.get(f"{SESSIONS}/{id}/events") for _ in range(20)))

    texts = [
        "".join(f"{each}\n\n" for each in reply.text.split("\n\n")[:-1] if not each.startswith(":"))
        for reply in replies
    ]
    assert len(set(texts)) == 1
    assert texts[0].endswith("\n\n")


def test_events_come_while_the_session_is_at_work_and_compressed_for_nobody(server: Served) -> None:
    id = server.ask("When was the Jacquard loom shown?")
    seen: list[str] = []
    for frame in frames(server, id, headers={"Accept-Encoding": "gzip"}):
        if not seen:
            assert server.session(id)["last_event"] >= int(parts(frame)["id"])
        seen.append(frame)

    assert json.loads(parts(seen[-1])["data"]) == {"status": "completed"}


def test_the_stream_of_a_session_that_is_removed_ends(idle: Served) -> None:
    id = idle.ask("Is it removed?")
    with idle.client.stream("GET", f"{SESSIONS}/{id}/events", timeout=30) as reply:
        assert httpx.delete(f"{idle.url}{SESSIONS}/{id}").status_code == 204
        assert reply.read().decode().endswith('event: end\ndata: {"status": "deleted"}\n\n')
