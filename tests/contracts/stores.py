"""What every run store promises."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from fathom.errors import Conflict, Fenced, NotFound, UsageError
from fathom.events import Event, Finished, Outlined, RunStarted, SubtaskStarted
from fathom.evidence import text_digest
from fathom.limits import Limits
from fathom.ports import RunRecord, RunStore
from fathom.report import Coverage, Estimate, Report, Usage

Opener = Callable[[], RunStore]
END = Finished(words=1, sources=1, claims=1)


def a_run(run_id: str = "run_one", **changes: object) -> RunRecord:
    """A run's record."""
    fields = {
        "run_id": run_id,
        "query": "How deep is the sea?",
        "language": "en",
        "mode": "auto",
        "limits": Limits(),
        "reasoner": "simulated 1",
        "version": "0",
        "created_at": "2026-01-01T00:00:00+00:00",
        "updated_at": "2026-01-01T00:00:00+00:00",
        "status": "running",
    }
    return RunRecord.model_validate({**fields, **changes})


def a_report(run_id: str = "run_one", *, title: str = "The sea") -> Report:
    """A report that says nothing."""
    nothing: dict[str, tuple[()]] = dict.fromkeys(
        "key_findings conclusions limitations suggestions sections claims evidence findings syntheses sources subtasks "
        "not_found contradictions".split(),
        (),
    )
    return Report.model_validate(
        {
            "run_id": run_id,
            "query": "How deep is the sea?",
            "language": "en",
            "mode": "simple",
            "created_at": "2026-01-01T00:00:00+00:00",
            "title": title,
            "markdown": f"# {title}\n",
            "coverage": Coverage(),
            "usage": Usage(),
            "limits": Limits(),
            "estimate": Estimate(),
            "partial": None,
            **nothing,
        }
    )


async def put(store: RunStore, path: str, answer: str, *, fence: int, run_id: str = "run_one") -> str:
    """Record an answer whose request is called like its path."""
    return await store.record(
        run_id, fence=fence, path=path, kind="search", request=f"of {path}", answer=answer, seconds=0.5
    )


class RunStoreContract:
    """A subclass gives the fixture `open_store`: each call opens the same database again, as another process would."""

    @pytest.fixture
    async def store(self, open_store: Opener) -> AsyncIterator[RunStore]:
        store = open_store()
        yield store
        await store.close()

    @pytest.fixture
    async def fence(self, store: RunStore) -> int:
        """Of `run_one`, which this process owns."""
        await store.create_run(a_run())
        return await store.acquire("run_one")

    async def test_a_run_is_found_by_its_id_and_by_the_only_beginning_of_it(self, store: RunStore) -> None:
        for run_id in ("run_ab", "run_abc", "run_b"):
            await store.create_run(a_run(run_id))

        assert (await store.run("run_ab")).run_id == "run_ab"
        assert (await store.run("run_b")) == a_run("run_b")
        assert (await store.run("run_abc")).run_id == "run_abc"
        for unclear in ("run_a", "run_x", "", "%"):
            with pytest.raises(NotFound):
                await store.run(unclear)

    async def test_an_id_is_given_once(self, store: RunStore) -> None:
        await store.create_run(a_run())
        with pytest.raises(UsageError):
            await store.create_run(a_run())

    async def test_runs_are_listed_newest_first(self, store: RunStore) -> None:
        for run_id in ("run_1", "run_2", "run_3"):
            await store.create_run(a_run(run_id))
        assert [run.run_id for run in await store.runs(limit=2)] == ["run_3", "run_2"]

    async def test_a_listing_goes_on_behind_a_run_and_keeps_to_what_is_asked_for(self, store: RunStore) -> None:
        for number, (status, query) in enumerate(
            [("completed", "How deep is the SEA?"), ("queued", "Wie groß ist sie?"), ("completed", "海の深さは？")], 1
        ):
            await store.create_run(a_run(f"run_{number}", status=status, query=query))

        async def listed(**wanted: Any) -> list[str]:
            return [run.run_id for run in await store.runs(**wanted)]

        assert await listed(before="run_3") == ["run_2", "run_1"]
        assert await listed(before="run_3", limit=1) == ["run_2"]
        assert await listed(statuses=("completed", "failed")) == ["run_3", "run_1"]
        assert await listed(text="the sea") == ["run_1"]
        assert await listed(text="GROSS") == await listed(text="groß") == ["run_2"]
        assert await listed(text="深さ", statuses=["completed"]) == ["run_3"]
        assert await listed(text="%") == await listed(statuses=["failed"]) == []
        with pytest.raises(NotFound):
            await store.runs(before="run_4")

    async def test_a_run_is_called_otherwise_and_pinned_by_whoever_does_not_own_it(
        self, store: RunStore, fence: int
    ) -> None:
        await store.create_run(a_run("run_two"))
        await store.label("run_one", name="Ariadne")
        labelled = await store.label("run_one", pinned=True)
        assert (labelled.name, labelled.pinned) == ("Ariadne", True)
        assert (await store.update_run("run_one", fence=fence, seconds=1.0)).name == "Ariadne"
        assert [run.run_id for run in await store.runs(text="ARIADNE")] == ["run_one"]
        assert [run.run_id for run in await store.runs(pinned=True)] == ["run_one"]
        assert [run.run_id for run in await store.runs(pinned=False)] == ["run_two"]
        with pytest.raises(NotFound):
            await store.label("run_three", pinned=True)

    async def test_runs_are_counted_by_status(self, store: RunStore) -> None:
        assert await store.counts() == {}
        for number, status in enumerate(["completed", "queued", "completed"]):
            await store.create_run(a_run(f"run_{number}", status=status))
        assert await store.counts() == {"completed": 2, "queued": 1}

    async def test_a_run_is_asked_to_stop_without_fencing_its_owner_off(self, store: RunStore, fence: int) -> None:
        assert (await store.request_stop("run_one")).stop_requested
        assert (await store.update_run("run_one", fence=fence, seconds=1.0)).stop_requested
        assert not (await store.request_stop("run_one", wanted=False)).stop_requested
        assert not (await store.run("run_one")).stop_requested
        with pytest.raises(NotFound):
            await store.request_stop("run_two")

    async def test_a_run_that_has_ended_is_not_asked_to_stop(self, store: RunStore, fence: int) -> None:
        ended = await store.update_run("run_one", fence=fence, status="completed")
        assert await store.request_stop("run_one") == ended == await store.run("run_one")

    async def test_the_first_one_who_tells_a_run_something_stands(
        self, store: RunStore, fence: int, open_store: Opener
    ) -> None:
        other = open_store()
        outcomes = await asyncio.gather(
            *(each.direct("run_one", "approval/plan_1", f'"{n}"') for n, each in enumerate((store, other))),
            return_exceptions=True,
        )
        assert [type(each) for each in outcomes if each] == [Conflict]
        await store.direct("run_one", "skip/task_2", "true")
        told = await other.directions("run_one")
        assert list(told) == ["approval/plan_1", "skip/task_2"] and told["skip/task_2"] == "true"
        assert (await store.update_run("run_one", fence=fence, seconds=1.0)).seconds == 1.0
        await other.close()

    async def test_only_a_run_that_is_under_way_is_told_something(self, store: RunStore, fence: int) -> None:
        await store.update_run("run_one", fence=fence, status="completed")
        with pytest.raises(Conflict, match="not under way"):
            await store.direct("run_one", "skip/task_2", "true")
        assert await store.directions("run_one") == {}
        for missing in (store.directions("run_two"), store.direct("run_two", "skip/task_2", "true")):
            with pytest.raises(NotFound):
                await missing

    @pytest.mark.usefixtures("fence")
    async def test_what_a_run_was_told_goes_with_it(self, store: RunStore) -> None:
        await store.direct("run_one", "skip/task_2", "true")
        await store.delete_run("run_one")
        await store.create_run(a_run())
        assert await store.directions("run_one") == {}

    async def test_what_is_new_of_several_runs_is_seen_in_one_look(self, store: RunStore, fence: int) -> None:
        await store.create_run(a_run("run_two", status="planned"))
        events = [SubtaskStarted(subtask_id=f"task_{n}", description="深い") for n in range(5)]
        for event in events:
            await store.emit("run_one", event, fence=fence)

        news = await store.news({"run_one": 2, "run_two": 0, "run_gone": 0}, limit=2)

        assert set(news) == {"run_one", "run_two"}
        assert news["run_one"].events == await store.events("run_one", after=2, limit=2)
        assert [stored.seq for stored in news["run_one"].events] == [3, 4]
        assert (news["run_one"].last, news["run_one"].is_active) == (5, True)
        assert not news["run_two"].is_active
        assert news["run_two"] == ("planned", 0, [])
        assert (await store.news({"run_one": 9}, limit=0))["run_one"] == ("running", 5, [])

    async def test_only_named_fields_of_a_record_change(self, store: RunStore, fence: int) -> None:
        changed = await store.update_run("run_one", fence=fence, status="partial", partial="max_calls")
        assert changed == await store.run("run_one")
        assert changed.model_copy(update={"updated_at": ""}) == a_run(
            status="partial", partial="max_calls", updated_at=""
        )

    async def test_what_was_recorded_is_there_for_the_next_process(
        self, open_store: Opener, store: RunStore, fence: int
    ) -> None:
        await put(store, "task_1/a", '{"long":"' + "深い海 " * 5_000 + '"}', fence=fence)
        await put(store, "task_1/b", '"short"', fence=fence)

        other = open_store()
        entries = await other.journal("run_one")
        await other.close()

        assert [(entry.path, entry.request, entry.kind, entry.seconds) for entry in entries] == [
            ("task_1/a", "of task_1/a", "search", 0.5),
            ("task_1/b", "of task_1/b", "search", 0.5),
        ]
        assert json.loads(entries[0].answer) == {"long": "深い海 " * 5_000}
        assert entries[0].seq < entries[1].seq

    async def test_the_first_answer_of_a_request_stands(self, store: RunStore, fence: int) -> None:
        assert await put(store, "a", "1", fence=fence) == "1"
        assert await put(store, "a", "2", fence=fence) == "1"
        assert [entry.answer for entry in await store.journal("run_one")] == ["1"]

    async def test_many_writes_at_once_are_all_kept(self, store: RunStore, fence: int) -> None:
        await asyncio.gather(*(put(store, f"task_{n}", f'"{n}"', fence=fence) for n in range(300)))
        entries = await store.journal("run_one")
        assert {entry.path: entry.answer for entry in entries} == {f"task_{n}": f'"{n}"' for n in range(300)}
        assert len({entry.seq for entry in entries}) == 300

    async def test_a_run_whose_owner_is_at_work_is_given_to_no_other(
        self, open_store: Opener, store: RunStore, fence: int
    ) -> None:
        other = open_store()
        with pytest.raises(Conflict, match="run_one is under way in another process"):
            await other.acquire("run_one")
        other.release("run_one")  # which is not its own
        with pytest.raises(Conflict):
            await other.acquire("run_one")
        assert await put(store, "a", "1", fence=fence) == "1"

        store.release("run_one")
        assert await other.acquire("run_one") > fence
        await other.close()
        assert await store.acquire("run_one") > fence + 1

    async def test_an_owner_that_was_followed_by_another_can_write_nothing_more(
        self, open_store: Opener, store: RunStore, fence: int
    ) -> None:
        store.release("run_one")
        other = open_store()
        newer = await other.acquire("run_one")
        assert newer > fence

        for write in (
            put(store, "a", "1", fence=fence),
            store.emit("run_one", RunStarted(query="q"), fence=fence),
            store.update_run("run_one", fence=fence, status="failed"),
            store.save_report("run_one", a_report(), fence=fence),
            store.add_snapshot("run_one", "00", "text", fence=fence),
        ):
            with pytest.raises(Fenced):
                await write
        assert await put(other, "a", "2", fence=newer) == "2"
        await other.close()

        assert [entry.answer for entry in await store.journal("run_one")] == ["2"]
        assert await store.events("run_one") == []
        assert (await store.run("run_one")).status == "running"

    async def test_one_bad_write_does_not_undo_its_neighbours(self, store: RunStore, fence: int) -> None:
        results = await asyncio.gather(
            put(store, "a", "1", fence=fence),
            put(store, "b", "1", fence=fence - 1),
            put(store, "c", "1", fence=fence),
            return_exceptions=True,
        )
        assert isinstance(results[1], Fenced)
        assert [entry.path for entry in await store.journal("run_one")] == ["a", "c"]

    async def test_events_are_numbered_without_gaps(self, store: RunStore, fence: int) -> None:
        events = [SubtaskStarted(subtask_id=f"task_{n}", description="深い") for n in range(40)]
        await asyncio.gather(*(store.emit("run_one", event, fence=fence) for event in events))

        stored = await store.events("run_one")

        assert [each.seq for each in stored] == list(range(1, 41))
        assert [each.event for each in stored] == events
        assert [each.seq for each in await store.events("run_one", after=38)] == [39, 40]

    async def test_a_follower_in_another_process_sees_each_event_until_the_end(
        self, open_store: Opener, store: RunStore, fence: int
    ) -> None:
        other = open_store()
        events: list[Event] = [RunStarted(query="q"), Outlined(title="t", sections=()), END]

        async def follow(followed: RunStore) -> list[Event]:
            return [stored.event async for stored in followed.follow("run_one", after=1)]

        followers = [asyncio.create_task(follow(each)) for each in (store, other)]
        for event in events:
            await store.emit("run_one", event, fence=fence)
            await asyncio.sleep(0)

        assert [await asyncio.wait_for(follower, 60) for follower in followers] == [events[1:], events[1:]]
        await other.close()

    async def test_following_goes_on_behind_an_end_that_was_not_the_last(self, store: RunStore, fence: int) -> None:
        for event in (END, RunStarted(query="q", resumed=True), END):
            await store.emit("run_one", event, fence=fence)
        assert [stored.seq async for stored in store.follow("run_one")] == [1, 2, 3]

    async def test_a_snapshot_is_kept_as_it_was(self, store: RunStore, fence: int) -> None:
        text = "Deep.\r\n\x00 深い\u2028" * 100
        for _ in range(2):
            await store.add_snapshot("run_one", text_digest(text), text, fence=fence)
        assert await store.snapshot(text_digest(text)) == text
        with pytest.raises(NotFound):
            await store.snapshot("cd" * 32)

    async def test_the_snapshots_of_a_run_are_listed(self, store: RunStore, fence: int) -> None:
        await store.create_run(a_run("run_two"))
        second = await store.acquire("run_two")
        assert await store.snapshots("run_one") == []
        for sha256 in ("cd" * 32, "ab" * 32, "ab" * 32):
            await store.add_snapshot("run_one", sha256, "text", fence=fence)
        await store.add_snapshot("run_two", "ab" * 32, "text", fence=second)

        assert await store.snapshots("run_one") == ["ab" * 32, "cd" * 32]
        assert await store.snapshots("run_two") == ["ab" * 32]
        with pytest.raises(NotFound):
            await store.snapshots("run_three")

    async def test_the_last_report_stands(self, store: RunStore, fence: int) -> None:
        with pytest.raises(NotFound):
            await store.report("run_one")
        await store.save_report("run_one", a_report(title="Half"), fence=fence)
        await store.save_report("run_one", a_report(title="Whole"), fence=fence)
        assert await store.report("run_one") == a_report(title="Whole")

    async def test_deleting_a_run_removes_what_only_that_run_used(self, store: RunStore, fence: int) -> None:
        await store.create_run(a_run("run_two"))
        second = await store.acquire("run_two")
        for run_id, owned in (("run_one", fence), ("run_two", second)):
            await put(store, "a", '"shared"', fence=owned, run_id=run_id)
            await put(store, "b", f'"of {run_id}"', fence=owned, run_id=run_id)
            await store.add_snapshot(run_id, text_digest("shared"), "shared", fence=owned)
            await store.add_snapshot(run_id, text_digest(run_id), run_id, fence=owned)
            await store.emit(run_id, RunStarted(query="q"), fence=owned)

        await store.delete_run("run_one")

        assert [run.run_id for run in await store.runs()] == ["run_two"]
        assert [entry.answer for entry in await store.journal("run_two")] == ['"shared"', '"of run_two"']
        assert await store.snapshot(text_digest("shared")) == "shared"
        assert await store.snapshot(text_digest("run_two")) == "run_two"
        with pytest.raises(NotFound):
            await store.snapshot(text_digest("run_one"))
        for gone in (store.run("run_one"), store.journal("run_one"), store.events("run_one"), store.report("run_one")):
            with pytest.raises(NotFound):
                await gone
        with pytest.raises(NotFound):
            await store.delete_run("run_one")
        with pytest.raises((NotFound, Fenced)):
            await put(store, "c", "1", fence=fence)

    async def test_a_reply_that_belongs_to_no_run_is_kept_until_it_is_old(
        self, store: RunStore, open_store: Opener
    ) -> None:
        assert await store.reply("asked") is None

        await store.keep_reply("asked", "earlier")
        await store.keep_reply("asked", "later " * 500)
        other = open_store()
        assert await other.reply("asked") == "later " * 500
        await other.close()

        await store.prune("2026-01-01T00:00:00+00:00", keep_reports=True, dry_run=False)
        assert await store.reply("asked") is not None
        await store.prune("9999-01-01T00:00:00+00:00", keep_reports=True, dry_run=False)
        assert await store.reply("asked") is None
