"""The how-to page of a step runs as it stands: the fact checker in the loop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fathom.asks import ExtractFindings
from fathom.engine import branch, loop, scheduler
from tests.support.doubles.reasoner import Shape
from tests.support.lab import Lab, watched
from tests.support.project_pages import ROOT, fences

PAGE = ROOT / "docs" / "how-to" / "steps.md"


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What the step hands on each time it is taken, once the loop is as the page has it."""
    step, place, handed_on = (fence.text for fence in fences(PAGE) if fence.language == "python")
    names: dict[str, Any] = dict(vars(branch)) | dict(vars(loop))
    seen: list[list[str]] = []

    exec(handed_on, names)
    exec(step, names)
    check_facts = names["check_facts"]

    async def told(branch: Any, runtime: Any) -> Any:
        came = await check_facts(branch, runtime)
        seen.append(came["fact_check_results"])
        return came

    told.__name__ = "check_facts"
    names["check_facts"] = told
    exec(place, names)
    monkeypatch.setattr(scheduler, "LOOP", names["LOOP"])
    return seen


@pytest.mark.parametrize("is_watched", [False, True], ids=["walked here", "walked by LangGraph"])
async def test_the_fact_checker_of_the_page_is_taken_in_every_round(
    tmp_path: Path, checked: list[list[str]], is_watched: bool
) -> None:
    async with Lab(tmp_path, Shape(subtasks=2)) as lab:
        await lab.create()
        report = await (watched(lab, tmp_path) if is_watched else lab.resume())

        assert len(checked) == 2 and all(checked)
        assert report.claims
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()


async def test_what_does_not_follow_from_its_passages_is_not_in_the_report(
    tmp_path: Path, checked: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Lab(tmp_path, Shape(subtasks=1)) as lab:
        await lab.create()
        make = lab.reasoner.answer

        async def wrong(ask: Any, calls: Any) -> Any:
            answered = await make(ask, calls)
            if not isinstance(ask, ExtractFindings):
                return answered
            first, *others = answered.answer.findings
            first = first.model_copy(update={"claim": "The moon is 4,711 years old."})
            found = answered.answer.model_copy(update={"findings": (first, *others)})
            return type(answered)(found)

        monkeypatch.setattr(lab.reasoner, "answer", wrong)
        report = await lab.resume()

    assert any(line.endswith(": unsupported") for line in checked[0])
    assert "4,711" not in report.markdown
