"""A model sees what was found and not read, opens it by its number, and reads it in the next round."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import fathom
from fathom_testing.model_server import ModelServer, mind
from fathom_testing.model_server.answers import Prompt, known
from tests.support.model_settings import settings_for

QUESTION = "How is the sluice gate of the harbour opened by hand?"
ANSWER = "It takes 212 turns of the crank in the east pit."
UNREAD = re.compile(r'<unread number="(\d+)" title="([^"]*)"')
LINE = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)


def papers(folder: Path) -> Path:
    """Twelve reports that say much of the gate, and a note that says little of it and answers."""
    documents = folder / "documents"
    documents.mkdir()
    for number in range(12):
        report = " ".join(
            f"On day {day} of report {number} the sluice gate of the harbour was opened by motor at {day}:{number:02}."
            for day in range(1, 19)
        )
        (documents / f"report-{number:02}.md").write_text(f"# Gate report {number}\n\n{report}\n", encoding="utf-8")
    (documents / "crank.md").write_text(f"# Crank\n\nFor the gate of the harbour. {ANSWER}\n", encoding="utf-8")
    return documents


async def test_what_found_no_room_is_opened_by_its_number_and_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def extraction(prompt: Prompt) -> dict[str, Any]:
        seen.append(prompt.user)
        shown = {text: int(number) for number, text in LINE.findall(prompt.user)}
        if ANSWER in shown:
            cites = [shown[ANSWER]]
            told = [{"text": ANSWER, "cites": cites}]
            verdict = {"depth": "adequate", "sufficient": True}
            return {"findings": [{"claim": "", "cites": cites}], "answer": told, "evaluation": verdict}
        opens = [int(number) for number, title in UNREAD.findall(prompt.user) if title == "Crank"]
        lacking = {"depth": "superficial", "sufficient": False, "missing": ["how many turns it takes"], "open": opens}
        return {"findings": [{"claim": "", "cites": [min(shown.values())]}], "evaluation": lacking}

    own = {**known(), "ExtractFindings": extraction}
    monkeypatch.setattr(mind, "known", lambda: own)
    with ModelServer() as server:
        settings = settings_for(tmp_path, server, model_window=8_192)
        report = await fathom.research(
            QUESTION, documents=[papers(tmp_path)], mode="simple", settings=settings, limits={"max_reflections": 0}
        )
        replayed = await fathom.replay(report.run_id, settings=settings)

    assert len(seen) == 2
    assert ANSWER not in seen[0] and "<missing>how many turns it takes</missing>" in seen[1]
    assert "212 turns" in report.markdown and replayed.markdown == report.markdown
