"""Sessions over HTTP, on a real socket."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import Any

import httpx
import pytest

from fathom.sessions.requests import SessionRequest
from fathom.sessions.service import Sessions
from fathom.sessions.views import SessionSummary, SessionView
from tests.support.serving import QUESTION, SESSIONS, Served


def test_a_question_becomes_a_session_that_ends_with_a_report(server: Served, done: dict[str, Any]) -> None:
    session = SessionView.model_validate(done)

    assert (session.query, session.status, session.error) == (QUESTION, "completed", None)
    assert [row.status for row in session.subtasks] == ["completed"] * len(session.subtasks)
    assert session.claims is not None
    assert session.claims.quoted > 0
    assert session.spent is not None
    assert session.spent.calls > 0
    assert session.last_event == len(server.run(server.fathom.store.events(session.id)))


def test_a_new_session_says_where_it_is(idle: Served) -> None:
    reply = idle.client.post(SESSIONS, json={"query": QUESTION})

    session = SessionView.model_validate(reply.json())
    assert reply.status_code == 201
    assert reply.headers["location"] == f"{SESSIONS}/{session.id}"
    assert idle.session(session.id) == reply.json()
    assert (session.status, session.last_event, session.subtasks, session.spent) == ("queued", 0, (), None)


def test_documents_may_be_left_out_when_something_else_is_asked(idle: Served) -> None:
    web = idle.client.post(SESSIONS, json={"query": QUESTION, "config": {"web": True, "knowledge": False}})
    nothing = idle.client.post(SESSIONS, json={"query": QUESTION, "config": {"knowledge": False}})

    sources = SessionView.model_validate(web.json()).sources
    assert (web.status_code, sources.kb, sources.web is not None) == (201, None, True)
    assert nothing.status_code == 422
    assert "nothing to ask" in nothing.json()["detail"]


def test_a_key_that_is_known_gives_the_session_of_the_earlier_request(idle: Served) -> None:
    asked = {"query": "Who wrote the first program?"}
    first = idle.client.post(SESSIONS, json=asked, headers={"Idempotency-Key": "one"})
    again = idle.client.post(SESSIONS, json={**asked, "config": {}}, headers={"Idempotency-Key": "one"})
    other = idle.client.post(SESSIONS, json={"query": "Another?"}, headers={"Idempotency-Key": "one"})
    without = idle.client.post(SESSIONS, json=asked)

    assert (first.status_code, again.status_code, other.status_code, without.status_code) == (201, 200, 409, 201)
    assert first.json() == again.json()
    assert again.headers["location"] == first.headers["location"]
    assert without.json()["id"] != first.json()["id"]
    assert other.json()["type"] == "urn:fathom:problem:conflict"


def test_a_session_is_called_by_a_name_and_kept_at_the_top(idle: Served) -> None:
    id, other = (idle.ask(f"What of the label {number}?") for number in range(2))

    named = idle.client.post(f"{SESSIONS}/{id}/label", json={"name": "Ariadne", "pinned": True}).json()

    assert (named["name"], named["pinned"], named["query"]) == ("Ariadne", True, "What of the label 0?")

    def listed(**wanted: Any) -> list[str]:
        return [each["id"] for each in idle.client.get(SESSIONS, params=wanted).json()["sessions"]]

    assert listed(q="ariadne") == [id]
    assert listed(q="the label", pinned=True) == [id]
    assert listed(q="the label", pinned=False) == [other]
    assert idle.client.post(f"{SESSIONS}/{id}/label", json={"name": ""}).json()["pinned"]
    assert listed(q="ariadne") == []
    assert idle.client.post(f"{SESSIONS}/run_none/label", json={}).status_code == 404


def test_what_came_of_a_question_is_told_with_it(done: dict[str, Any]) -> None:
    assert done["outcome"] == {"state": "completed", "remarks": [{"name": "closest", "count": 0, "of": 0}]}


def test_a_session_that_is_cancelled_before_it_has_begun_has_not_failed_by_itself(idle: Served) -> None:
    id = idle.ask("What of the one that is not wanted?")
    idle.client.post(f"{SESSIONS}/{id}/cancel")

    assert (idle.session(id)["standing"], idle.session(id)["failure"]) == ("cancelled", "cancelled")
    idle.client.post(f"{SESSIONS}/{id}/resume")
    assert (idle.session(id)["standing"], idle.session(id)["failure"]) == ("queued", "")


def test_the_list_is_read_a_page_at_a_time_newest_first(idle: Served) -> None:
    made = [idle.ask(f"What is the page number {number}?") for number in range(5)]

    seen, before = [], ""
    while True:
        page = idle.client.get(
            SESSIONS, params={"limit": 2, "q": "PAGE NUMBER", **({"before": before} if before else {})}
        )
        seen += [SessionSummary.model_validate(each).id for each in page.json()["sessions"]]
        before = page.json()["next"]
        if before is None:
            break

    assert seen == made[::-1]


def test_a_page_that_ends_with_the_last_session_names_no_next_one(idle: Served) -> None:
    for number in range(2):
        idle.ask(f"Does it end here {number}?")

    page = idle.client.get(SESSIONS, params={"limit": 2, "q": "end here"}).json()

    assert (len(page["sessions"]), page["next"]) == (2, None)


def test_the_list_is_narrowed_by_status(idle: Served, server: Served, done: dict[str, Any]) -> None:
    idle.ask()

    waiting = idle.client.get(SESSIONS, params=[("status", "queued"), ("status", "running")]).json()["sessions"]
    assert waiting
    assert idle.client.get(SESSIONS, params={"status": "completed"}).json() == {"sessions": [], "next": None}
    assert done["id"] in [
        each["id"] for each in server.client.get(SESSIONS, params={"status": "completed"}).json()["sessions"]
    ]


def test_a_page_behind_a_session_that_is_not_there_is_a_problem(idle: Served) -> None:
    reply = idle.client.get(SESSIONS, params={"before": "run_000000000000"})

    assert (reply.status_code, reply.json()["type"]) == (404, "urn:fathom:problem:not-found")


def test_a_session_that_waits_ends_at_once_when_it_is_cancelled(idle: Served) -> None:
    reply = idle.client.post(f"{SESSIONS}/{idle.ask()}/cancel")

    assert (reply.status_code, reply.json()["status"]) == (202, "failed")
    assert "cancel" in reply.json()["error"]


def test_nothing_changes_when_a_session_that_has_ended_is_cancelled(server: Served, done: dict[str, Any]) -> None:
    reply = server.client.post(f"{SESSIONS}/{done['id']}/cancel")

    assert (reply.status_code, reply.json()) == (202, done)


def test_a_limited_session_goes_on_with_other_limits(server: Served) -> None:
    id = server.ask(limits={"max_calls": 3})
    limited = server.ended(id)
    reply = server.client.post(f"{SESSIONS}/{id}/resume", json={"limits": {"max_calls": None}})
    whole = server.ended(id)

    assert (limited["status"], limited["partial"]) == ("partial", "max_calls")
    assert (reply.status_code, reply.json()["status"]) == (202, "queued")
    assert (whole["status"], whole["partial"], whole["limits"]["max_calls"]) == ("completed", None, None)


@pytest.mark.parametrize("body", [None, {}, {"limits": {}}], ids=["nothing", "empty", "no limits"])
def test_a_session_that_is_complete_or_under_way_is_not_resumed(
    server: Served, idle: Served, done: dict[str, Any], body: dict[str, Any] | None
) -> None:
    complete = server.client.post(f"{SESSIONS}/{done['id']}/resume", json=body)
    waiting = idle.client.post(f"{SESSIONS}/{idle.ask()}/resume", json=body)

    assert (complete.status_code, waiting.status_code) == (409, 409)


def test_a_session_that_is_removed_is_gone_with_all_that_was_its_own(server: Served) -> None:
    id = server.ask("What did the Jacquard loom read?")
    server.ended(id)
    reply = server.client.delete(f"{SESSIONS}/{id}")

    assert (reply.status_code, reply.content) == (204, b"")
    for path in ("", "/events", "/plan", "/results", "/report.json", "/sources"):
        assert server.client.get(f"{SESSIONS}/{id}{path}").status_code == 404
    assert server.client.delete(f"{SESSIONS}/{id}").status_code == 404


def test_a_session_under_way_ends_when_it_is_removed(server: Served) -> None:
    id = server.ask("How did the analytical engine compute?")
    assert server.client.delete(f"{SESSIONS}/{id}").status_code == 204

    with server.client.stream("GET", f"{SESSIONS}/{id}/events") as reply:
        assert reply.status_code == 404


def test_the_plan_tells_the_subtasks_and_what_they_were_expected_to_take(
    server: Served, idle: Served, done: dict[str, Any]
) -> None:
    told = server.client.get(f"{SESSIONS}/{done['id']}/plan").json()

    assert [each["subtask_id"] for each in told["plan"]["subtasks"]] == [row["subtask_id"] for row in done["subtasks"]]
    assert told["estimate"]["calls_low"] > 0
    assert told["revisions"] == []
    waiting = idle.client.get(f"{SESSIONS}/{idle.ask()}/plan").json()
    assert waiting == {"plan": None, "estimate": None, "revisions": []}


def test_an_estimate_starts_nothing(idle: Served) -> None:
    before = idle.client.get("/api/health").json()["sessions"]
    reply = idle.client.post("/api/research/estimate", json={"query": QUESTION, "config": {"effort": "deep"}})

    told = reply.json()
    assert reply.status_code == 200
    assert told["plan"]["subtasks"]
    assert told["estimate"]["calls_high"] >= told["estimate"]["calls_low"] > 0
    assert (told["destinations"], told["session"]) == ([], None)
    assert idle.client.get("/api/health").json()["sessions"] == before


def test_the_offer_tells_what_a_session_may_ask_for(idle: Served) -> None:
    offer = idle.client.get("/api/offer").json()

    assert offer["knowledge_bases"] == idle.client.get("/api/knowledge").json()["knowledge_bases"]
    assert (offer["knowledge_bases"][0]["name"], offer["knowledge_bases"][0]["documents"]) == ("default", 2)
    assert offer["reasoners"] == ["extractive"]
    assert offer["efforts"]["quick"]["max_depth"] == 1
    assert (offer["model"], offer["login_required"]) == (None, False)
    assert ".pdf" in offer["uploads"]["documents"]
    assert ".csv" in offer["uploads"]["data"]


def test_health_tells_how_much_there_is_to_do_and_nothing_of_it(idle: Served) -> None:
    idle.ask("A question that is nobody's business?")
    reply = idle.client.get("/api/health")

    assert reply.json()["status"] == "ok"
    assert reply.json()["sessions"]["queued"] >= 1
    assert "business" not in reply.text


def test_the_work_on_an_estimate_ends_when_nobody_waits_for_it_and_that_is_no_fault(
    idle: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    begun, broken_off = threading.Event(), threading.Event()

    async def estimate(_self: Sessions, _request: SessionRequest) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            broken_off.set()
            raise

    monkeypatch.setattr(Sessions, "estimate", estimate)
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"{idle.url}/api/research/estimate", json={"query": QUESTION}, timeout=httpx.Timeout(30, read=0.2))

    assert begun.wait(60)
    assert broken_off.wait(60)
    assert idle.client.get("/api/health").status_code == 200
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_a_session_may_bring_the_outline_of_its_report(server: Served) -> None:
    config = {"template": "## Binding\n\n## Scopes\nWhere a name is visible.\n"}
    asked = server.client.post(SESSIONS, json={"query": f"{QUESTION} In four sentences.", "config": config})
    id = asked.json()["id"]
    server.ended(id)

    report = server.client.get(f"{SESSIONS}/{id}/report.json").json()
    plan = server.client.get(f"{SESSIONS}/{id}/plan").json()["plan"]
    assert [each["focus_area"] for each in plan["subtasks"]] == ["Binding", "Scopes"]
    assert plan["preferences"] == report["preferences"]
    assert report["preferences"]["lengths"] == [{"most": 4, "unit": "sentences"}]
    assert 0 < len(report["claims"]) <= 4


def test_what_is_no_outline_is_refused_before_anything_is_done(idle: Served) -> None:
    for template, said in (("", "no heading"), ("## a\n## A\n", "twice")):
        reply = idle.client.post(SESSIONS, json={"query": QUESTION, "config": {"template": template}})
        assert (reply.status_code, said in reply.json()["detail"]) == (422, True)
    long = idle.client.post(SESSIONS, json={"query": QUESTION, "config": {"template": "#" * 20_001}})
    assert long.status_code == 422
