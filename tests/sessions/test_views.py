"""What a client sees of a session."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from fathom.events import (
    Checked,
    Event,
    Extracted,
    Failed,
    Gathered,
    Outlined,
    Planned,
    RunStarted,
    Spent,
    StoredEvent,
    SubtaskEnded,
    SubtaskStarted,
)
from fathom.plan import MasterPlan, Subtask
from fathom.report import Verdicts
from fathom.sessions import views
from fathom.sessions.views import SessionSummary, session_summaries, session_view
from fathom.stores.sqlite import SqliteRunStore
from tests.contracts.stores import a_run

ONE = Subtask(subtask_id="task_1", description="What is a name?")
CHILD = Subtask(subtask_id="task_1.1", parent_id="task_1", depth=1, description="What binds a name?")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteRunStore]:
    store = SqliteRunStore(tmp_path / "runs.sqlite3")
    yield store
    await store.close()


async def told(store: SqliteRunStore, *events: Event, **changes: Any) -> int:
    """A run that has told these events; its fence."""
    await store.create_run(a_run(**changes))
    fence = await store.acquire("run_one")
    for event in events:
        await store.emit("run_one", event, fence=fence)
    return fence


async def test_a_session_shows_each_subtask_behind_its_parent_with_what_it_is_doing(store: SqliteRunStore) -> None:
    plan = MasterPlan(is_complex=True, execution_mode="hierarchical", subtasks=(ONE, CHILD))
    await told(
        store,
        RunStarted(query="q"),
        Planned(plan=plan),
        SubtaskStarted(subtask_id="task_1.1", description=CHILD.description),
        Extracted(subtask_id="task_1.1", findings=2, total=3),
        SubtaskEnded(subtask_id="task_1", status="completed", findings=4),
        Outlined(title="Of names", sections=("One",)),
        Checked(supported=4, partial=1),
        Spent(calls=7, tokens=90, cost_usd=0.5),
    )
    view = await session_view(store, await store.run("run_one"))
    assert [(row.subtask_id, row.parent_id, row.status, row.doing, row.findings) for row in view.subtasks] == [
        ("task_1", None, "completed", "completed", 4),
        ("task_1.1", "task_1", "researching", "judges the depth", 3),
    ]
    assert (view.title, view.claims, view.last_event) == ("Of names", Verdicts(supported=4, partial=1), 8)
    assert view.spent is not None
    assert view.spent.model_dump() == {"calls": 7, "tokens": 90, "cost_usd": 0.5}


async def test_a_listing_shows_what_the_records_tell(store: SqliteRunStore) -> None:
    fence = await told(store, RunStarted(query="q"), Failed(error="no source answered"))
    await store.update_run("run_one", fence=fence, status="failed", error="no source answered")
    await store.create_run(a_run("run_two", title="Deep", claims=Verdicts(supported=2), status="completed"))
    await store.create_run(a_run("run_gone"))
    runs = await store.runs()
    await store.delete_run("run_gone")
    two, one = await session_summaries(store, runs)
    assert (two.id, two.title, two.claims, two.error, two.last_event) == ("run_two", "Deep", runs[1].claims, None, 0)
    assert (one.id, one.title, one.claims, one.error, one.last_event) == (
        "run_one",
        None,
        None,
        "no source answered",
        2,
    )
    view = await session_view(store, runs[2])
    assert one == SessionSummary(**view.model_dump(include=set(SessionSummary.model_fields)))


async def test_a_failure_is_forgotten_once_the_session_goes_on(store: SqliteRunStore) -> None:
    fence = await told(store, RunStarted(query="q"), Failed(error="no source answered"))
    failed = await store.update_run("run_one", fence=fence, status="failed")
    assert (await session_view(store, failed)).error == "no source answered"
    again = await store.update_run("run_one", fence=fence, status="queued")
    assert (await session_view(store, again)).error is None


async def test_nothing_tells_where_on_this_machine_the_sources_are(store: SqliteRunStore) -> None:
    sources = {
        "kb": "notes",
        "paths": ["/home/ada/secret/a.md"],
        "web": {"allow": ["example.org"], "since": "2026-01-31"},
        "data": [
            {"name": "sales", "paths": ["/home/ada/secret/sales.csv"]},
            {"name": "crm", "server": {"command": ["/home/ada/secret/serve", "--key", "k"]}},
        ],
    }
    await told(store, sources=sources)
    view = await session_view(store, await store.run("run_one"))
    assert "secret" not in view.model_dump_json()
    assert (view.sources.kb, view.sources.datasets, len(view.sources.documents)) == ("notes", ("sales", "crm"), 1)
    assert view.sources.web is not None
    assert view.sources.web.model_dump(mode="json") == {
        "allow": ["example.org"],
        "deny": [],
        "since": "2026-01-31",
        "refresh": False,
    }


@pytest.mark.parametrize(
    ("knowledge", "kb"), [({}, "notes"), ({"knowledge": True}, "notes"), ({"knowledge": False}, None)]
)
async def test_a_knowledge_base_is_named_when_it_is_asked(
    store: SqliteRunStore, knowledge: dict[str, bool], kb: str | None
) -> None:
    await told(store, sources={"kb": "notes", "paths": [], **knowledge})
    assert (await session_view(store, await store.run("run_one"))).sources.kb == kb


@pytest.mark.parametrize(
    ("stands", "standing"),
    [
        ({"status": "completed", "claims": Verdicts()}, "nothing found"),
        ({"status": "completed", "claims": Verdicts(supported=1)}, "completed"),
        ({"status": "partial", "partial": "max_calls", "claims": Verdicts()}, "max_calls"),
        ({"status": "running"}, "running"),
    ],
)
async def test_a_session_says_in_one_place_how_it_stands(
    store: SqliteRunStore, stands: dict[str, Any], standing: str
) -> None:
    await store.create_run(a_run(**stands))
    run = await store.run("run_one")
    [summary] = await session_summaries(store, [run])
    assert (summary.standing, (await session_view(store, run)).standing) == (standing, standing)


class Reading(SqliteRunStore):
    """A store that keeps count of the events that are read."""

    read = 0

    async def events(self, run_id: str, *, after: int = 0, limit: int | None = None) -> list[StoredEvent]:
        found = await super().events(run_id, after=after, limit=limit)
        self.read += len(found)
        return found


async def test_a_look_reads_only_what_was_told_since_the_last_one_and_sees_the_same(tmp_path: Path) -> None:
    store, other = Reading(tmp_path / "runs.sqlite3"), Reading(tmp_path / "runs.sqlite3")
    try:
        fence = await told(store, RunStarted(query="q"), SubtaskStarted(subtask_id="task_1", description="d"))
        run = await store.run("run_one")
        await session_view(store, run)
        await store.emit("run_one", Gathered(subtask_id="task_1", passages=3, documents=1), fence=fence)
        looks = await asyncio.gather(*(session_view(store, run) for _ in range(3)))
        assert [look.subtasks[0].passages for look in looks] == [3, 3, 3]
        assert store.read == 2 + 1, "those who look at the same time read it once"
        assert await session_view(other, run) == looks[0]
    finally:
        await store.close()
        await other.close()


async def test_no_more_sessions_are_kept_in_mind_than_allowed(
    store: SqliteRunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "KEPT", 2)
    runs = [a_run(f"run_{n}") for n in range(4)]
    for run in runs:
        await store.create_run(run)
        await session_view(store, run)
    assert list(views._KEPT[store]) == ["run_2", "run_3"]
