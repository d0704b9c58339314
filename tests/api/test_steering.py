"""Sessions that wait for their person, and what they are told, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.serving import SESSIONS, Served, home_with_notes, served, wait_for

QUESTION = "Who designed the analytical engine, and where did its cards come from?"
PLAN = {"limits": {"approve": ["plan"]}}


def waiting(server: Served, **config: Any) -> tuple[str, dict[str, Any]]:
    """A session that waits, and what it waits for."""
    id = server.ask(QUESTION, **config)
    listed = wait_for(lambda: server.client.get(f"{SESSIONS}/{id}/approvals").json()["approvals"])
    return id, listed[0]


def answered(server: Served, id: str, approval: str, **said: Any) -> httpx.Response:
    return server.client.post(f"{SESSIONS}/{id}/approvals/{approval}", json=said)


def test_a_session_that_waits_says_so_wherever_it_is_listed(server: Served) -> None:
    id, asked = waiting(server, **PLAN)
    assert asked["id"] == "plan_1" and asked["until"] and len(asked["proposed"]) == 2 and asked["estimate"]
    assert server.session(id)["waiting_for"] == ["plan"]
    [listed] = [each for each in server.client.get(SESSIONS).json()["sessions"] if each["id"] == id]
    assert listed["waiting_for"] == ["plan"]
    reply = answered(server, id, "plan_1", decision="accept")
    assert reply.status_code == 202
    done = server.ended(id)
    assert (done["status"], done["waiting_for"]) == ("completed", [])
    assert server.client.get(f"{SESSIONS}/{id}/approvals").json() == {"approvals": []}


def test_a_plan_is_edited(server: Served) -> None:
    id, asked = waiting(server, **PLAN)
    first = asked["proposed"][0]
    parts = [
        {"description": "What did the mill of the engine do?"},
        {"subtask_id": first["subtask_id"], "description": first["description"]},
    ]
    assert answered(server, id, "plan_1", decision="edit", parts=parts).status_code == 202
    told = [each["description"] for each in server.ended(id)["subtasks"]]
    assert told == [first["description"], "What did the mill of the engine do?"]
    plan = server.client.get(f"{SESSIONS}/{id}/plan").json()["plan"]
    assert [each["priority"] for each in plan["subtasks"]] == [1, 2]


def test_what_a_plan_would_take_is_told_anew_as_it_is_edited(server: Served) -> None:
    id, asked = waiting(server, **PLAN)
    parts = [{name: each[name] for name in ("subtask_id", "description")} for each in asked["proposed"]]

    def taken(approval: str = "plan_1", **said: Any) -> httpx.Response:
        return server.client.post(f"{SESSIONS}/{id}/approvals/{approval}/estimate", json=said)

    as_proposed, fewer, more = (
        taken(**said).json()
        for said in (
            {"decision": "accept"},
            {"decision": "edit", "parts": parts[:1]},
            {"decision": "edit", "parts": [*parts, {"description": "What did the mill of the engine do?"}]},
        )
    )
    for name in ("calls_low", "calls_typical", "calls_high"):
        assert as_proposed[name] == asked["estimate"][name]
        assert fewer[name] < as_proposed[name] < more[name]
    for refused in ({"decision": "edit"}, {"decision": "reject"}, {"decision": "again", "remark": "but not so"}):
        assert taken(**refused).status_code == 422
    assert taken("plan_7", decision="accept").status_code == 404
    assert server.session(id)["waiting_for"] == ["plan"], "it goes on waiting"
    answered(server, id, "plan_1", decision="edit", parts=parts[:1])
    server.ended(id)
    report = server.client.get(f"{SESSIONS}/{id}/report.json").json()
    assert report["estimate"]["calls_high"] == fewer["calls_high"]
    assert taken(decision="accept").status_code == 409


@pytest.mark.parametrize(
    ("said", "status", "says"),
    [
        ({"decision": "edit"}, 422, "no part left"),
        ({"decision": "edit", "parts": [{"description": " "}]}, 422, "empty"),
        ({"decision": "edit", "parts": [{"description": "x"}] * 21}, 422, "21 parts"),
        ({"decision": "edit", "parts": [{"description": "x", "dependencies": ["task_9"]}]}, 422, "not in the plan"),
        (
            {
                "decision": "edit",
                "parts": [
                    {"subtask_id": "task_1", "description": "x", "dependencies": ["task_2"]},
                    {"subtask_id": "task_2", "description": "y", "dependencies": ["task_1"]},
                ],
            },
            422,
            "circle",
        ),
        ({"decision": "edit", "parts": [{"subtask_id": "x", "description": "x"}]}, 422, "pattern"),
        ({"decision": "edit", "parts": [{"description": "x", "importance": 1}]}, 422, "Extra inputs"),
        ({"decision": "again"}, 422, "needs a remark"),
        ({"decision": "accept", "remark": "but"}, 422, "belongs to"),
        ({"decision": "perhaps"}, 422, "accept"),
        ({}, 422, "required"),
    ],
)
def test_an_answer_that_cannot_be_carried_out_leaves_the_approval_open(
    open_session: str, server: Served, said: dict[str, Any], status: int, says: str
) -> None:
    reply = answered(server, open_session, "plan_1", **said)
    assert reply.status_code == status and says in reply.text
    assert server.session(open_session)["waiting_for"] == ["plan"]


@pytest.fixture(scope="module")
def open_session(server: Served) -> str:
    return waiting(server, **PLAN)[0]


def test_twice_too_late_and_never_asked(server: Served) -> None:
    id, _ = waiting(server, **PLAN)
    assert answered(server, id, "plan_9", decision="accept").status_code == 404
    first, second = (answered(server, id, "plan_1", decision="accept") for _ in range(2))
    assert (first.status_code, second.status_code) == (202, 409)
    server.ended(id)
    late = answered(server, id, "plan_1", decision="reject")
    assert late.status_code == 409 and "too late" in late.json()["detail"]
    never = server.ask(QUESTION)
    server.ended(never)
    assert answered(server, never, "plan_1", decision="accept").status_code == 409
    assert answered(server, "run_000000000000", "plan_1", decision="accept").status_code == 404


def test_a_plan_that_is_rejected_is_proposed_again_by_resume(server: Served) -> None:
    id, _ = waiting(server, **PLAN)
    answered(server, id, "plan_1", decision="reject")
    ended = server.ended(id)
    assert (ended["status"], ended["standing"], ended["failure"]) == ("failed", "declined", "declined")
    assert ended["status"] == "failed" and ended["outcome"]["state"] == "declined"
    assert server.client.post(f"{SESSIONS}/{id}/resume").status_code == 202
    wait_for(lambda: server.session(id)["waiting_for"])
    assert answered(server, id, "plan_2", decision="accept").status_code == 202
    assert server.ended(id)["status"] == "completed"


def test_sessions_that_wait_keep_no_place_from_others(server: Served) -> None:
    assert server.worker is not None
    waits = [waiting(server, **PLAN)[0] for _ in range(8)]
    assert server.ended(server.ask(QUESTION))["status"] == "completed"
    for id in waits:
        server.client.delete(f"{SESSIONS}/{id}")


RULES = {
    f"rules-{year}.md": f"# Rules of the loom ({year})\n\nA card of the loom has {holes} holes.\n"
    for year, holes in (("2019", 40), ("2024", 60))
}
"""Two versions of the same."""


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(home_with_notes(tmp_path_factory.mktemp("versions"), RULES)) as running:
        yield running


def test_what_a_question_leaves_open_is_answered(versions: Served) -> None:
    id = versions.ask("How many holes has a card of the loom?", limits={"clarify": True})
    [asked] = wait_for(lambda: versions.client.get(f"{SESSIONS}/{id}/approvals").json()["approvals"])
    assert (asked["id"], asked["about"], versions.session(id)["waiting_for"]) == (
        "question_1",
        "question",
        ["question"],
    )
    labels = [each["label"] for each in asked["open_points"][0]["choices"]]
    assert sorted(labels) == ["Rules of the loom (2019)", "Rules of the loom (2024)"]
    for said, says in (
        ({"decision": "answer"}, "needs an answer"),
        ({"decision": "answer", "answers": ["", " "]}, "needs an answer"),
        ({"decision": "answer", "answers": ["4"]}, "no choice 4"),
        ({"decision": "answer", "answers": ["1", "2"]}, "2 answers are given"),
        ({"decision": "answer", "answers": ["x"] * 4}, "at most 3"),
        ({"decision": "answer", "answers": ["x" * 301]}, "at most 300"),
        ({"decision": "accept", "answers": ["1"]}, "belong to"),
        ({"decision": "reject"}, "accepted as it stands"),
    ):
        reply = answered(versions, id, "question_1", **said)
        assert reply.status_code == 422 and says in reply.text, reply.text
    place = labels.index("Rules of the loom (2019)") + 1
    assert answered(versions, id, "question_1", decision="answer", answers=[str(place)]).status_code == 202
    assert answered(versions, id, "question_1", decision="accept").status_code == 409
    versions.ended(id)
    report = versions.client.get(f"{SESSIONS}/{id}/report.json").json()
    assert report["clarified"]["answers"] == ["Rules of the loom (2019)"] and "40 holes" in report["markdown"]
    assert report["query"] == "How many holes has a card of the loom?"
    page = versions.client.get(f"{SESSIONS}/{id}/report.html").text
    assert "Understood as" in page and "Rules of the loom (2019): How many holes" in page


@pytest.mark.parametrize("clarify", ["perhaps", 7, None])
def test_whether_it_asks_is_true_or_false(server: Served, clarify: object) -> None:
    body = {"query": QUESTION, "config": {"limits": {"clarify": clarify}}}
    assert server.client.post(SESSIONS, json=body).status_code == 422
