"""What the page makes of events is what the service makes of them."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import fathom
from fathom.events import (
    Allocated,
    Assessed,
    DrilledDown,
    Event,
    Extracted,
    Gathered,
    NewFinding,
    Planned,
    PlanRevised,
    Routed,
    RunStarted,
    StoredEvent,
    SubtaskEnded,
    SubtaskStarted,
)
from fathom.findings import DepthEvaluation
from fathom.plan import MasterPlan, Subtask
from fathom.sessions.progress import RunProgress
from fathom.settings import Settings

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = pytest.mark.asyncio(loop_scope="session")

SCRIPT = Path(fathom.__file__).parent / "page" / "static" / "fold.js"
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
FIELDS = ("subtask_id", "depth", "description", "priority", "status", "passages", "findings")
FOLD = """async ([script, runs, size]) => {
  const { begin, fold, tree } = await import(`data:text/javascript,${encodeURIComponent(script)}`);
  const flat = (nodes) => nodes.flatMap((node) => [node, ...flat(node.children)]);
  return runs.map((events) => {
    let state = begin();
    const first = JSON.stringify([...fold(state, events).rows]);
    for (let place = 0; place < events.length; place += size) state = fold(state, events.slice(place, place + size));
    const again = fold(state, events);
    return {
      rows: flat(tree(state.rows)),
      findings: [...state.findings.keys()],
      sections: [...state.sections.values()],
      phase: state.phase.name,
      outcome: state.outcome,
      spent: state.spent,
      agrees: JSON.stringify([...state.rows]) === first && again === state && begin().rows.size === 0,
    };
  });
}"""


def stored(events: Sequence[Event]) -> list[StoredEvent]:
    return [
        StoredEvent(run_id="run_x", seq=place + 1, at=(BEGAN + timedelta(seconds=place)).isoformat(), event=event)
        for place, event in enumerate(events)
    ]


async def folded(browser: Browser, runs: Sequence[Sequence[StoredEvent]], *, size: int) -> list[dict[str, Any]]:
    """What the page makes of each run when its events come `size` at a time."""
    page = await browser.new_page()
    told = [[event.model_dump(mode="json") for event in run] for run in runs]
    result: list[dict[str, Any]] = await page.evaluate(FOLD, [SCRIPT.read_text(encoding="utf-8"), told, size])
    await page.close()
    return result


def rows(events: Sequence[StoredEvent]) -> list[dict[str, Any]]:
    """The rows as the service tells them."""
    progress = RunProgress()
    for event in events:
        progress.take(event)
    return [{name: getattr(row, name) for name in FIELDS} for row in progress.tree()]


def story(chance: random.Random) -> list[Event]:
    """Events as a run might tell them, in an order that none would: a fold has to take what comes."""
    ids = [f"task_{number}" for number in range(1, 5)]
    plan = MasterPlan(is_complex=True, subtasks=tuple(Subtask(subtask_id=id, description=f"About {id}") for id in ids))
    events: list[Event] = [RunStarted(query="Why?"), Planned(plan=plan)]
    for step in range(chance.randrange(60)):
        id = chance.choice(ids)
        child = f"{id}.{chance.randint(1, 12)}"
        subtask = Subtask(subtask_id=child, parent_id=id, depth=child.count("."), description=f"Deeper {child}")
        new = NewFinding(finding_id=f"finding_{step}", claim="So it is.", title="A", uri="file:///a")
        happenings: list[Event] = [
            SubtaskStarted(subtask_id=id, description=f"About {id}"),
            Allocated(subtask_id=id, queries={"knowledge": ("why",)}),
            Gathered(subtask_id=id, passages=chance.randrange(9), documents=1),
            Extracted(subtask_id=id, findings=1, total=chance.randrange(9), shown=(new,)),
            Assessed(subtask_id=id, evaluation=DepthEvaluation(is_sufficient=True, depth_quality="deep")),
            Routed(subtask_id=id, decision="synthesize", reason="enough"),
            DrilledDown(subtask_id=id, children=(subtask,)),
            SubtaskEnded(subtask_id=id, status=chance.choice(["completed", "partial", "failed"]), findings=3),
            PlanRevised(accepted=True, reason="new", removed=(id,), priority_changes={chance.choice(ids): 4}),
            RunStarted(query="Why?", resumed=True),
        ]
        event = chance.choice(happenings)
        if isinstance(event, DrilledDown) and child.count(".") < 3 and child not in ids:
            ids.append(child)
        events.append(event)
    return events


async def test_a_real_run_is_folded_into_the_rows_that_the_service_tells(chromium: Browser, tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text(
        "# Whales\n\nBlue whales weigh up to 190 tonnes. They eat krill.\n\n"
        "# Krill\n\nKrill are small crustaceans. They live in the Southern Ocean.\n",
        encoding="utf-8",
    )
    events: list[StoredEvent] = []
    report = await fathom.research(
        "How much do blue whales weigh, and where do krill live?",
        documents=[notes],
        settings=Settings(home=tmp_path / "home"),
        on_event=events.append,
    )

    [page] = await folded(chromium, [events], size=3)

    assert [{name: row[name] for name in FIELDS} for row in page["rows"]] == rows(events)
    assert len(page["rows"]) == len(report.subtasks) > 1
    assert set(page["findings"]) <= {finding.id for finding in report.findings}
    assert page["findings"]
    assert (page["outcome"], page["phase"]) == ("completed", "completed")
    assert page["spent"]["calls"] == sum(report.usage.calls.values())
    assert all(section["written"] and section["text"] for section in page["sections"])
    assert page["agrees"]


@pytest.mark.parametrize("size", [1, 7])
async def test_whatever_comes_in_whatever_batches_page_and_service_agree(chromium: Browser, size: int) -> None:
    runs = [stored(story(random.Random(seed))) for seed in range(12)]

    pages = await folded(chromium, runs, size=size)

    for run, page in zip(runs, pages, strict=True):
        told = [{name: row[name] for name in FIELDS} for row in page["rows"]]
        by_id = {row["subtask_id"]: row for row in rows(run)}
        assert {row["subtask_id"]: row for row in told} == by_id, json.dumps([e.event.kind for e in run])
        assert [row["subtask_id"] for row in told] == [row["subtask_id"] for row in rows(run)]
        assert page["agrees"]
