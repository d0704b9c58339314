"""A run over real documents that asks its person before it goes deeper, and does as it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

import fathom
from fathom.events import ApprovalAsked, DrilledDown, StoredEvent
from fathom.report import Report
from fathom.settings import load_settings
from fathom.steering import Decision

NOTES = Path(__file__).parent / "corpora" / "auth" / "own"
QUESTION = "How do passkeys differ from passwords, and what do they cost to introduce?"


async def researched(home: Path, decision: Decision) -> tuple[Report, list[StoredEvent]]:
    """The report of a run whose drill-downs are all answered so, and its events."""
    events = []
    async with fathom.Fathom(load_settings(home=home)) as running:
        asked = fathom.Question(QUESTION, documents=[NOTES], limits={"approve": "drilldown", "max_revisions": 0})
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


@pytest.mark.parametrize("decision", ["accept", "reject"])
async def test_it_goes_deeper_only_where_that_is_approved(tmp_path: Path, decision: Decision) -> None:
    report, events = await researched(tmp_path, decision)
    asked = [each.event.approval for each in events if isinstance(each.event, ApprovalAsked)]
    drilled = {each.event.subtask_id for each in events if isinstance(each.event, DrilledDown)}
    assert asked and all(each.proposed for each in asked)
    assert drilled == ({each.subtask_id for each in asked} if decision == "accept" else set())
    assert report.partial is None and report.claims
