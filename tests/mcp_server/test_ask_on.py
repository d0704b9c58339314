"""Asking on over MCP."""

from __future__ import annotations

from tests.mcp_server.conftest import Served, call, refusal
from tests.support.serving import QUESTION


async def test_a_question_that_follows_a_session_is_answered_from_what_that_has_read(served: Served) -> None:
    async with served.stdio() as client:
        done = await call(client, "research", question=QUESTION, effort="quick", wait_seconds=60)
        first = done["session"]["session_id"]
        asked = await call(client, "ask", session_id=first, question="And who wrote a program for it?", wait_seconds=60)
        listed = await call(client, "list_sessions", limit=1)
        further = await call(client, "ask", session_id=first, about="C1", wait_seconds=60)
        unknown = await refusal(client, "ask", session_id=first, about="C99")

    assert asked["session"]["done"] and asked["session"]["follows"] == first
    assert asked["report"]["text"].startswith("# Who wrote a program for the analytical engine?")
    assert "Ada Lovelace" in asked["report"]["text"]
    assert [each["follows"] for each in listed["sessions"]] == [first]
    assert further["session"]["done"] and further["report"] is not None
    assert "has no claim 'C99'" in unknown
