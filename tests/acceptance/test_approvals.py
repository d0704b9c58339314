"""A run over real documents that asks its person before it goes deeper, and does as it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

import fathom
from fathom.events import ApprovalAsked, DrilledDown, PlanRevised, StoredEvent
from fathom.report import Report
from fathom.settings import load_settings
from fathom.steering import Decision
from tests.support.apiary import PAPERS

ASKED = [
    ("drilldown", "What do I have to do before I leave a hive for the winter?", "third click"),
    ("revision", "Should we allow a fourth hive for the club?", "five kilometres"),
]
"""What would be changed, by a question, and what only that brings."""


async def researched(home: Path, question: str, decision: Decision) -> tuple[Report, list[StoredEvent]]:
    """The report of a run whose drill-downs are all answered so, and its events."""
    documents, events = home / "documents", list[StoredEvent]()
    documents.mkdir()
    for name, text in PAPERS.items():
        (documents / f"{name}.md").write_text(text, encoding="utf-8")
    async with fathom.Fathom(load_settings(home=home / "home")) as running:
        asked = fathom.Question(question, documents=[documents], limits={"approve": "drilldown,revision"})
        async with running.stream(asked) as run:
            async for stored in run:
                events.append(stored)
                if isinstance(stored.event, ApprovalAsked):
                    id = stored.event.approval.id
                    assert [each.id for each in await running.approvals(run.run_id)].count(id) == 1
                    await running.answer(run.run_id, fathom.Answer(decision=decision), approval_id=id)
            report = await run.report()
        assert (await running.replay(run.run_id)).model_dump_json() == report.model_dump_json()
    return report, events


@pytest.mark.parametrize(("about", "question", "fact"), ASKED)
@pytest.mark.parametrize("decision", ["accept", "reject"])
async def test_it_goes_deeper_only_where_that_is_approved(
    tmp_path: Path, decision: Decision, about: str, question: str, fact: str
) -> None:
    report, events = await researched(tmp_path, question, decision)
    asked = [each.event.approval for each in events if isinstance(each.event, ApprovalAsked)]
    changed = any(
        isinstance(each.event, DrilledDown) or (isinstance(each.event, PlanRevised) and each.event.accepted)
        for each in events
    )
    assert about in {each.about for each in asked} and all(each.proposed for each in asked)
    assert changed == (decision == "accept") == (fact in report.markdown)
    assert report.partial is None and report.claims
