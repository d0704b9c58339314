"""Sessions again over HTTP: an update, a fork with another question, and what has changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.serving import QUESTION, SESSIONS, Served, home_with_notes, served

NOBODY = "run_000000000000"


@pytest.fixture(scope="module")
def changing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of its own, whose documents change."""
    with served(home_with_notes(tmp_path_factory.mktemp("changing"))) as running:
        yield running


def asked_of(server: Served, name: str) -> str:
    """A session that keeps to one document."""
    documents = server.client.get("/api/knowledge/default/documents").json()["documents"]
    (id,) = (each["id"] for each in documents if each["title"] == name)
    return server.ask(documents=[id])


def test_an_update_is_a_new_session_whose_comparison_says_what_has_changed(changing: Served) -> None:
    id = asked_of(changing, "Engines")
    assert changing.ended(id)["status"] == "completed"
    file: Path = changing.settings.home.parent / "notes" / "engines.md"
    file.write_text(file.read_text(encoding="utf-8").replace("in 1837", "in 1834"), encoding="utf-8")

    reply = changing.client.post(f"{SESSIONS}/{id}/fork", json={"update": True})

    assert reply.status_code == 201, reply.text
    new = reply.json()["id"]
    assert reply.headers["Location"] == f"{SESSIONS}/{new}" and new != id
    ended = changing.ended(new)
    assert (ended["status"], ended["query"], ended["earlier"]) == ("completed", QUESTION, id)
    told = changing.client.get(f"{SESSIONS}/{new}/comparison").json()
    assert (told["old"]["run_id"], told["new"]["run_id"], told["unchanged"]) == (id, new, False)
    (changed,) = {pair["new"]["text"] for pair in told["sentences"] if pair["state"] == "changed"}
    assert "in 1834" in changed
    assert [source["new"]["uri"] for source in told["sources"] if source["state"] == "changed"] == ["engines.md"]
    back = changing.client.get(f"{SESSIONS}/{id}/comparison", params={"earlier": new}).json()
    assert back["counts"] == told["counts"] and back["old"]["run_id"] == new
    listed = changing.client.get(SESSIONS).json()["sessions"]
    assert {each["id"]: each["earlier"] for each in listed} == {new: id, id: None}


def test_a_key_starts_one_session_again(server: Served, done: dict[str, Any]) -> None:
    place, headers = f"{SESSIONS}/{done['id']}/fork", {"Idempotency-Key": "fork"}
    body = {"question": "When was the Jacquard loom shown?"}
    one, again, other = (
        server.client.post(place, json=each, headers=headers) for each in (body, body, {**body, "update": True})
    )

    assert (one.status_code, again.status_code, other.status_code) == (201, 200, 409)
    assert one.json()["id"] == again.json()["id"] and one.headers["Location"] == again.headers["Location"]
    server.ended(one.json()["id"])


def test_a_fork_asks_another_question_with_the_settings_of_the_session(server: Served, done: dict[str, Any]) -> None:
    body = {"question": "When was the Jacquard loom shown?", "limits": {"max_words": 150}}

    reply = server.client.post(f"{SESSIONS}/{done['id']}/fork", json=body)

    assert reply.status_code == 201, reply.text
    ended = server.ended(reply.json()["id"])
    assert (ended["query"], ended["limits"]["max_words"]) == (body["question"], 150)
    assert ended["earlier"] == done["id"]
    assert ended["limits"]["max_depth"] == done["limits"]["max_depth"]
    told = server.client.get(f"{SESSIONS}/{ended['id']}/comparison").json()
    assert told["old"]["query"] == QUESTION


def test_what_cannot_be_done_again_is_a_problem(server: Served, idle: Served, done: dict[str, Any]) -> None:
    own, waiting = f"{SESSIONS}/{done['id']}", f"{SESSIONS}/{idle.ask()}"
    replies = [
        (server.client.post(f"{SESSIONS}/{NOBODY}/fork", json={}), 404),
        (server.client.get(f"{SESSIONS}/{NOBODY}/comparison"), 404),
        (server.client.get(f"{own}/comparison", params={"earlier": NOBODY}), 404),
        (server.client.get(f"{own}/comparison", params={"earlier": "run_"}), 404),
        (server.client.get(f"{own}/comparison", params={"earlier": done["id"]}), 422),
        (server.client.get(f"{own}/comparison"), 422),
        (idle.client.post(f"{waiting}/fork", json={"update": True}), 409),
        (server.client.post(f"{own}/fork", json={"question": " "}), 422),
        (server.client.post(f"{own}/fork", json={"query": "Why?"}), 422),
        (server.client.post(f"{own}/fork", json={"limits": {"max_depth": 99}}), 422),
    ]
    for reply, status in replies:
        assert reply.status_code == status, reply.text
        assert reply.headers["content-type"] == "application/problem+json" and "\n" not in reply.json()["detail"]
