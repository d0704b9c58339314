"""Asking on over HTTP: a question that follows a session, and the thread that they make."""

from __future__ import annotations

from typing import Any

import pytest

from fathom.sessions.views import SessionView
from tests.support.serving import QUESTION, SESSIONS, Served


def asked(server: Served, id: str, **body: Any) -> dict[str, Any]:
    reply = server.client.post(f"{SESSIONS}/{id}/ask", json={"query": "", **body})
    assert reply.status_code == 201, reply.text
    assert reply.headers["location"] == f"{SESSIONS}/{reply.json()['id']}"
    return server.ended(reply.json()["id"])


def test_a_follow_up_is_a_session_whose_report_stands_in_the_thread(server: Served) -> None:
    first = server.ended(server.ask())

    second = asked(server, first["id"], query="And who wrote the first program for it?")
    third = asked(server, second["id"], about="C1")

    session = SessionView.model_validate(second)
    assert (session.status, session.query) == ("completed", "And who wrote the first program for it?")
    assert (session.follows, session.thread, session.limits) == (first["id"], first["id"], limits_of(first))
    assert (third["follows"], third["about"], third["thread"]) == (second["id"], "C1", first["id"])
    report = server.client.get(f"{SESSIONS}/{second['id']}/report.json").json()
    assert report["query"] == session.title == "Who wrote the first program for the analytical engine?"
    assert "Ada Lovelace wrote the first program" in report["markdown"]
    assert "search" not in report["usage"]["calls"]
    for id in (first["id"], second["id"], third["id"]):
        thread = server.client.get(f"{SESSIONS}/{id}/thread").json()["sessions"]
        assert [each["id"] for each in thread] == [first["id"], second["id"], third["id"]]
        assert [each["follows"] for each in thread] == ["", first["id"], second["id"]]
        assert all(each["title"] and each["status"] == "completed" for each in thread)
    listed = server.client.get(SESSIONS, params={"limit": 3}).json()["sessions"]
    assert [each["follows"] for each in listed] == [second["id"], first["id"], ""]


def limits_of(session: dict[str, Any]) -> Any:
    return SessionView.model_validate(session).limits


def test_a_page_follows_how_a_follow_up_was_understood(server: Served, done: dict[str, Any]) -> None:
    second = asked(server, done["id"], query="And who wrote the first program for it?")

    stream = server.client.get(f"{SESSIONS}/{second['id']}/events").text

    assert '"kind":"understood","question":"Who wrote the first program for the analytical engine?"' in stream


def test_a_limit_may_differ_and_a_key_asks_once(server: Served, done: dict[str, Any]) -> None:
    body, headers = {"query": "Who designed it?", "limits": {"max_words": 120}}, {"Idempotency-Key": "follow"}
    one = server.client.post(f"{SESSIONS}/{done['id']}/ask", json=body, headers=headers)
    again = server.client.post(f"{SESSIONS}/{done['id']}/ask", json=body, headers=headers)
    other = server.client.post(f"{SESSIONS}/{done['id']}/ask", json={"query": "Why?"}, headers=headers)

    assert (one.status_code, again.status_code, other.status_code) == (201, 200, 409)
    assert one.json()["id"] == again.json()["id"]
    assert one.json()["limits"] == {**done["limits"], "max_words": 120}
    server.ended(one.json()["id"])


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"query": " "}, 422, "The question is empty"),
        ({"query": "?"}, 422, "no letter and no digit"),
        ({"query": "Why?", "about": "C999"}, 404, "has no claim 'C999'"),
        ({"query": "Why?", "limits": {"max_words": 1}}, 422, "max_words"),
        ({"query": "Why?", "kb": "other"}, 422, "kb"),
    ],
)
def test_what_cannot_be_asked_is_a_problem(
    server: Served, done: dict[str, Any], body: dict[str, Any], status: int, said: str
) -> None:
    reply = server.client.post(f"{SESSIONS}/{done['id']}/ask", json=body)

    assert (reply.status_code, reply.headers["content-type"]) == (status, "application/problem+json")
    assert said in reply.text


def test_a_session_that_is_not_there_or_waits_or_has_failed_is_not_followed(idle: Served) -> None:
    gone = idle.client.post(f"{SESSIONS}/run_none/ask", json={"query": "Why?"})
    waiting = idle.ask(QUESTION)
    queued = idle.client.post(f"{SESSIONS}/{waiting}/ask", json={"query": "Why?"})
    idle.client.post(f"{SESSIONS}/{waiting}/cancel")
    failed = idle.client.post(f"{SESSIONS}/{waiting}/ask", json={"query": "Why?"})
    thread = idle.client.get(f"{SESSIONS}/run_none/thread")

    assert [each.status_code for each in (gone, queued, failed, thread)] == [404, 409, 409, 404]
    assert "wait until it has ended, or stop it" in queued.json()["detail"]
    assert "has no report to follow: resume it first" in failed.json()["detail"]
