"""Sessions over HTTP, on a real socket."""

from __future__ import annotations

from tests.serving import QUESTION, SESSIONS, Served


def test_a_question_becomes_a_session_that_ends_with_a_report(server: Served) -> None:
    id = server.ask()

    assert server.ended(id)["status"] == "completed"
    assert "Babbage" in server.client.get(f"{SESSIONS}/{id}/report.md").text
    assert server.client.get(f"{SESSIONS}/{id}/report.json").json()["query"] == QUESTION
