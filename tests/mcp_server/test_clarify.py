"""What a question leaves open is asked and answered over MCP."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.mcp_server.conftest import Served, call, refusal
from tests.support.serving import home_with_notes

RULES = {
    f"rules-{year}.md": f"# Rules of the loom ({year})\n\nA card of the loom has {holes} holes.\n"
    for year, holes in (("2019", 40), ("2024", 60))
}


@pytest.fixture
def versions(tmp_path: Path) -> Served:
    """A home with two versions of the same."""
    return Served(home_with_notes(tmp_path, RULES).home, tmp_path)


async def test_what_a_question_leaves_open_is_answered_once(versions: Served) -> None:
    async with versions.stdio() as client:
        question = "How many holes has a card of the loom?"
        told = await call(client, "research", question=question, clarify=True, wait_seconds=60)
        id = told["session"]["session_id"]
        assert told["session"]["waiting_for"] == ["question_1"] and not told["session"]["done"]
        [asked] = (await call(client, "approvals", session_id=id))["approvals"]
        labels = [each["label"] for each in asked["open_points"][0]["choices"]]
        assert sorted(labels) == ["Rules of the loom (2019)", "Rules of the loom (2024)"]
        wrong = {"session_id": id, "decision": "answer", "answers": ["5"]}
        assert "no choice 5" in await refusal(client, "answer", **wrong)
        await call(client, "answer", **{**wrong, "answers": ["Rules of the loom (2019)"]})
        assert "before" in await refusal(client, "answer", approval_id="question_1", **{**wrong, "answers": ["1"]})
        await asyncio.sleep(1)  # it hears the answer within a moment
        ended = await call(client, "follow", session_id=id, wait_seconds=60)
        assert ended["session"]["done"], ended
        report = await call(client, "report", session_id=id, format="json")
        assert "Rules of the loom (2019): How many holes" in str(report) and "40 holes" in str(report)
