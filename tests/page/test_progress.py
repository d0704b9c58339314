"""What the page shows of a session is what the service tells of it, wherever the line breaks."""

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
    DocumentShown,
    DrilledDown,
    Event,
    Extracted,
    Gathered,
    NewFinding,
    PageRead,
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
from fathom.sessions.feed import Feed
from fathom.sessions.progress import RunProgress
from fathom.sessions.views import Progress
from fathom.settings import Settings
from fathom.stores.sqlite import SqliteRunStore
from tests.contracts.stores import a_run

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = pytest.mark.asyncio(loop_scope="session")

SCRIPT = Path(fathom.__file__).parent / "page" / "static" / "run.js"
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
FIELDS = ("subtask_id", "depth", "description", "priority", "status", "passages", "findings")
TOLD = """async ([script, runs, size]) => {
  const { NEW, told, tree } = await import(`data:text/javascript,${encodeURIComponent(script)}`);
  const flat = (nodes) => nodes.flatMap((node) => [node, ...flat(node.children)]);
  return runs.map((events) => {
    let run = NEW;
    for (let place = 0; place < events.length; place += size) run = told(run, events.slice(place, place + size));
    return {
      rows: flat(tree(run.subtasks)),
      findings: [...run.findings.keys()],
      sections: [...run.sections.values()],
      sources: run.sources,
      step: run.step,
      spent: run.spent,
      seq: run.seq,
      agrees: JSON.stringify(told(NEW, events).subtasks) === JSON.stringify(run.subtasks) && NEW.findings.size === 0,
    };
  });
}"""
"""The page's own, without what it draws with."""


def stored(events: Sequence[Event]) -> list[StoredEvent]:
    return [
        StoredEvent(run_id="run_one", seq=place + 1, at=(BEGAN + timedelta(seconds=place)).isoformat(), event=event)
        for place, event in enumerate(events)
    ]


async def streamed(events: Sequence[StoredEvent], place: Path, *, breaks: int) -> list[dict[str, Any]]:
    """What a page takes in that follows a run and loses the line as often: events, and between them how far it is."""
    store = SqliteRunStore(place)
    await store.create_run(a_run())
    fence = await store.acquire("run_one")
    feed, known, told = Feed(store, poll=0.01), 0, list[dict[str, Any]]()
    size = len(events) // (breaks + 1) + 1
    parts = [events[place : place + size] for place in range(0, len(events), size)]
    for number, part in enumerate(parts, 1):
        frames = feed.frames("run_one", after=known, progress=True)
        for event in part:
            await store.emit("run_one", event.event, fence=fence)
        if number == len(parts):
            await store.update_run("run_one", fence=fence, status="completed")
        async for piece in frames:
            for frame in piece.decode().removesuffix("\n\n").split("\n\n"):
                lines = dict(line.split(": ", 1) for line in frame.split("\n"))
                data = json.loads(lines["data"])
                if lines["event"] == "progress":
                    assert "id" not in lines
                    told.append({"seq": known, "event": {"kind": "progress", **data}})
                elif "id" in lines:
                    known = data["seq"]
                    told.append(data)
            if known == part[-1].seq and number < len(parts):
                break
        await frames.aclose()
    await store.close()
    return told


async def shown(browser: Browser, runs: Sequence[Sequence[dict[str, Any]]], *, size: int) -> list[dict[str, Any]]:
    """What the page makes of each run when what it is told comes `size` at a time."""
    page = await browser.new_page()
    script = "\n".join(
        line for line in SCRIPT.read_text(encoding="utf-8").splitlines() if not line.startswith("import ")
    )
    result: list[dict[str, Any]] = await page.evaluate(TOLD, [script, runs, size])
    await page.close()
    return result


def rows(events: Sequence[StoredEvent]) -> list[dict[str, Any]]:
    """The rows as the service tells them."""
    progress = RunProgress()
    for event in events:
        progress.take(event)
    return [{name: getattr(row, name) for name in FIELDS} for row in progress.tree()]


def sources(events: Sequence[StoredEvent]) -> list[dict[str, Any]]:
    """What was read last, as the service tells it."""
    progress = RunProgress()
    for event in events:
        progress.take(event)
    return [each.model_dump(mode="json") for each in Progress.of(progress).sources or ()]


def story(chance: random.Random) -> list[Event]:
    """Events as a run might tell them, in an order that none would: a fold has to take what comes."""
    ids = [f"task_{number}" for number in range(1, 5)]
    plan = MasterPlan(is_complex=True, subtasks=tuple(Subtask(subtask_id=id, description=f"About {id}") for id in ids))
    events: list[Event] = [RunStarted(query="Why?"), Planned(plan=plan)]
    for step in range(chance.randrange(60)):
        id = chance.choice(ids)
        child = f"{id}.{chance.randint(1, 12)}"
        subtask = Subtask(subtask_id=child, parent_id=id, depth=child.count("."), description=f"Deeper {child}")
        document = DocumentShown(title=f"Notes {chance.randrange(9)}", uri=f"file:///{chance.randrange(9)}")
        new = NewFinding(finding_id=f"finding_{step}", claim="So it is.", title="A", uri="file:///a")
        happenings: list[Event] = [
            SubtaskStarted(subtask_id=id, description=f"About {id}"),
            Allocated(subtask_id=id, queries={"knowledge": ("why",)}),
            Gathered(subtask_id=id, passages=chance.randrange(9), documents=1, named=(document,)),
            PageRead(url=f"https://example.org/{chance.randrange(9)}", title=f"Page {step}", characters=1),
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


async def test_a_real_run_is_shown_in_the_rows_that_the_service_tells(chromium: Browser, tmp_path: Path) -> None:
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

    [page] = await shown(chromium, [await streamed(events, tmp_path / "runs.sqlite3", breaks=2)], size=3)

    assert [{name: row[name] for name in FIELDS} for row in page["rows"]] == rows(events)
    assert len(page["rows"]) == len(report.subtasks) > 1
    assert set(page["findings"]) <= {finding.id for finding in report.findings}
    assert page["findings"]
    assert (page["step"], page["seq"]) == ({"name": "completed", "values": {}}, len(events))
    assert page["spent"]["calls"] == sum(report.usage.calls.values())
    assert all(section["written"] and section["text"] for section in page["sections"])
    assert page["agrees"]


@pytest.mark.parametrize("size", [1, 7])
async def test_whatever_comes_in_whatever_batches_the_page_shows_what_the_service_tells(
    chromium: Browser, tmp_path: Path, size: int
) -> None:
    runs = [stored(story(random.Random(seed))) for seed in range(12)]
    told = [await streamed(run, tmp_path / f"{seed}.sqlite3", breaks=seed % 4) for seed, run in enumerate(runs)]

    pages = await shown(chromium, told, size=size)

    for run, page in zip(runs, pages, strict=True):
        kinds = json.dumps([event.event.kind for event in run])
        told_of = [{name: row[name] for name in FIELDS} for row in page["rows"]]
        by_id = {row["subtask_id"]: row for row in rows(run)}
        assert {row["subtask_id"]: row for row in told_of} == by_id, kinds
        assert [row["subtask_id"] for row in told_of] == [row["subtask_id"] for row in rows(run)], kinds
        assert page["sources"] == sources(run), kinds
        assert page["seq"] == len(run)
        assert page["agrees"]
