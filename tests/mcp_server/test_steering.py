"""An agent asks its user what a session may do, and tells the session."""

from __future__ import annotations

from typing import Any

from mcp.client.client import Client

from tests.mcp_server.conftest import Served, call, refusal

QUESTION = "Who designed the analytical engine, and where did its cards come from?"


async def waiting(client: Client, **bounds: Any) -> tuple[str, dict[str, Any]]:
    """A session that waits with its plan, and what `approvals` tells of it."""
    begun = await call(client, "research", question=QUESTION, approve=["plan"], wait_seconds=60, **bounds)
    assert begun["session"]["waiting_for"] == ["plan_1"] and "`approvals`" in begun["next"]
    id = begun["session"]["session_id"]
    return id, await call(client, "approvals", session_id=id)


async def test_a_plan_is_edited_once_and_carried_out_so(served: Served) -> None:
    async with served.stdio() as client:
        id, told = await waiting(client)
        (approval,) = told["approvals"]
        first = approval["proposed"][0]
        parts = [
            {"subtask_id": first["subtask_id"], "description": first["description"]},
            {"description": "Why a mill?"},
        ]
        circle = [
            {**each, "subtask_id": f"task_{at}", "dependencies": [f"task_{3 - at}"]} for at, each in enumerate(parts, 1)
        ]
        wrong = await refusal(client, "answer", session_id=id, decision="edit", parts=circle)
        heard = await call(client, "answer", session_id=id, approval_id=approval["id"], decision="edit", parts=parts)
        twice = await refusal(client, "answer", session_id=id, approval_id=approval["id"], decision="accept")
        done = await call(client, "follow", session_id=id, wait_seconds=60)
        nothing = await call(client, "approvals", session_id=id)

    assert "circle" in wrong and "`follow`" in heard["next"] and "before" in twice
    assert done["session"]["status"] == "completed"
    assert [each["description"] for each in done["subtasks"]] == [first["description"], "Why a mill?"]
    assert nothing["approvals"] == [] and "`follow`" in nothing["next"]


async def test_a_part_is_skipped(served: Served) -> None:
    async with served.stdio(env=served.slow(1)) as client:
        id, told = await waiting(client)
        one, two = (
            {key: each[key] for key in ("subtask_id", "description")} for each in told["approvals"][0]["proposed"]
        )
        parts = [one, {**two, "dependencies": [one["subtask_id"]]}]
        await call(client, "answer", session_id=id, decision="edit", parts=parts)
        while not (await call(client, "follow", session_id=id, wait_seconds=1))["subtasks"]:
            pass
        heard = await call(client, "steer", session_id=id, command="skip", subtask_id="task_2")
        done = await call(client, "follow", session_id=id, wait_seconds=60)
        report = await call(client, "report", session_id=id)
        late = await refusal(client, "steer", session_id=id, command="deeper", subtask_id="task_1")

    assert "within seconds" in heard["next"]
    assert done["subtasks"][1]["status"] == "skipped"
    assert "Left out, as you asked: Where did its cards come from.\n" in report["text"]
    assert "has ended" in late


async def test_the_report_is_written_when_the_user_wants_it(served: Served) -> None:
    async with served.stdio(env=served.slow(2.5)) as client:  # a busy machine is heard before research has ended
        id, _ = await waiting(client, effort="deep")
        unknown = await refusal(client, "steer", session_id=id, command="skip", subtask_id="task_9")
        await call(client, "answer", session_id=id, decision="accept")
        await call(client, "steer", session_id=id, command="write")
        twice = await refusal(client, "steer", session_id=id, command="write")
        done = await call(client, "follow", session_id=id, wait_seconds=60)
        report = await call(client, "report", session_id=id)

    assert "task_9" in unknown and "settled before" in twice
    assert done["session"]["status"] == "partial" and "it was wanted before" in report["text"]
