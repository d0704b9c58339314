"""What becomes of sessions in the hands of a worker, whatever happens."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from fathom import wiring
from fathom.errors import ConfigurationError, Conflict, StoreError, UsageError
from fathom.events import Failed
from fathom.sessions import worker as working
from fathom.sessions.requests import SessionConfig, SessionRequest
from fathom.sessions.worker import CANCELLED, FAULT, Worker
from fathom.settings import Settings
from fathom.stores.sqlite import SqliteRunStore
from tests.support import shop as shops
from tests.support.shop import PACE, QUESTIONS, Pace, Shop, settings_with_notes, shop, until


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    shops.hire_slow()
    for name, value in vars(Pace()).items():
        monkeypatch.setattr(PACE, name, value)
    monkeypatch.setattr(working, "RENEW_SECONDS", 0.05)
    monkeypatch.setattr(working, "PAUSE_SECONDS", 0.02)


@pytest.fixture
async def settings(tmp_path: Path) -> Settings:
    return await settings_with_notes(tmp_path)


@pytest.fixture
async def at_work(settings: Settings) -> AsyncIterator[Shop]:
    async with shop(settings) as opened:
        yield opened


async def errors(shop: Shop, id: str) -> list[str]:
    """What the events of a session say of its failures."""
    return [each.event.error for each in await shop.fathom.store.events(id) if isinstance(each.event, Failed)]


async def test_what_waits_is_carried_out_several_at_once_and_let_go_of(at_work: Shop) -> None:
    ids = await at_work.ask(*QUESTIONS)
    assert [run.status for run in await at_work.ended(*ids)] == ["completed"] * 5
    assert [run.error for run in await at_work.ended(*ids)] == [None] * 5
    assert all([(await at_work.sessions.report(id)).claims for id in ids])
    assert await at_work.fathom.queue.claim("other", seconds=1) is None


async def test_no_more_are_under_way_than_are_allowed(settings: Settings) -> None:
    PACE.allowed = 1
    async with shop(settings, most=2) as at_work:
        ids = await at_work.ask(*QUESTIONS[:4])
        await at_work.running(2)
        await at_work.heard()
        PACE.allowed = sys.maxsize
        most = at_work.worker.running
        while (await at_work.fathom.store.run(ids[-1])).is_active:
            most = max(most, at_work.worker.running)
            await asyncio.sleep(0.005)
        assert most == 2


@pytest.mark.parametrize("error", [ConfigurationError("The key is refused."), UsageError("No such file.")])
async def test_a_session_that_cannot_begin_says_why_and_is_not_tried_again(
    settings: Settings, error: Exception
) -> None:
    async with shop(settings, at_work=False) as closed:
        (id,) = await closed.ask(QUESTIONS[0])
    async with shop(settings) as at_work:
        PACE.broken = error  # the worker has not looked yet
        (run,) = await at_work.ended(id)
        assert (run.status, run.error) == ("failed", str(error))
        assert await errors(at_work, id) == [str(error)]
        PACE.broken = None
        await at_work.sessions.resume(id)
        (run,) = await at_work.ended(id)
        assert (run.status, run.error) == ("completed", None)


async def test_a_document_that_is_gone_fails_the_session_in_words(settings: Settings, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    async with shop(settings, at_work=False) as closed:
        question = wiring.Question(QUESTIONS[0], documents=[notes / "seas.md"], effort="quick")
        run, _ = await closed.fathom.submit(question)
    (notes / "seas.md").unlink()
    async with shop(settings) as at_work:
        (ended,) = await at_work.ended(run.run_id)
    assert ended.status == "failed"
    assert "seas.md" in str(ended.error)


async def test_a_fault_of_fathom_fails_the_session_once_and_tells_nothing_of_itself(at_work: Shop) -> None:
    PACE.error = ZeroDivisionError("secret")
    (id,) = await at_work.ask(QUESTIONS[0])
    (run,) = await at_work.ended(id)
    await at_work.heard()
    assert (run.status, run.error) == ("failed", FAULT)
    assert await errors(at_work, id) == [FAULT]


class Failing(SqliteRunStore):
    """A store that cannot write events for a while."""

    failures = 0

    async def emit(self, *args: object, **kwargs: object) -> object:  # type: ignore[override]
        if self.failures:
            self.failures -= 1
            raise StoreError("the disk is full")
        return await super().emit(*args, **kwargs)  # type: ignore[arg-type]


async def test_a_session_waits_longer_and_longer_while_the_store_fails_it_and_then_goes_on(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("fathom.stores.sqlite.SqliteRunStore", Failing)
    monkeypatch.setattr(Failing, "failures", 3)
    caplog.set_level(logging.WARNING, working.__name__)
    async with shop(settings) as at_work:
        store = at_work.fathom.store
        assert isinstance(store, Failing)
        (id,) = await at_work.ask(QUESTIONS[0])
        (run,) = await at_work.ended(id)
        assert run.status == "completed"
        assert await errors(at_work, id) == []
    pauses = [record.args[0] for record in caplog.records if isinstance(record.args, tuple) and record.args]
    assert pauses == sorted(pauses, key=lambda each: float(str(each)))
    assert len(set(pauses)) == len(pauses) >= 1


async def test_a_worker_outlives_a_queue_that_cannot_be_read_and_says_so_once(
    at_work: Shop, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, working.__name__)

    looks = 0

    async def locked(*_: object, **__: object) -> None:
        nonlocal looks
        looks += 1
        raise StoreError("held by another process")

    async def looked_again() -> bool:
        return looks >= 3

    with monkeypatch.context() as patch:
        patch.setattr(at_work.fathom.queue, "claim", locked)
        (id,) = await at_work.ask(QUESTIONS[0])
        await until(looked_again)
    at_work.worker.wake()
    assert [run.status for run in await at_work.ended(id)] == ["completed"]
    assert len(caplog.records) == 1


async def test_a_session_under_way_that_is_cancelled_gives_a_partial_report(at_work: Shop) -> None:
    PACE.allowed = 3
    (id,) = await at_work.ask(QUESTIONS[0])
    await at_work.busy(id, calls=3)
    await at_work.sessions.cancel(id)
    await at_work.heard()
    PACE.allowed = sys.maxsize
    (run,) = await at_work.ended(id)
    assert (run.status, run.partial, run.stop_requested) == ("partial", "cancelled", False)
    assert (await at_work.sessions.report(id)).partial == "cancelled"
    assert (await at_work.sessions.cancel(id)).status == "partial"
    await at_work.sessions.resume(id)
    assert [run.status for run in await at_work.ended(id)] == ["completed"]


async def test_a_session_that_waits_is_cancelled_at_once(settings: Settings) -> None:
    PACE.allowed = 1
    async with shop(settings, most=1) as at_work:
        first, second = await at_work.ask(*QUESTIONS[:2])
        await at_work.busy(first)
        run = await at_work.sessions.cancel(second)
        assert (run.status, run.error) == ("failed", CANCELLED)
        assert await errors(at_work, second) == [CANCELLED]
        assert (await at_work.fathom.store.run(first)).status == "running"
        await at_work.sessions.resume(second)
        PACE.allowed = sys.maxsize
        assert [run.status for run in await at_work.ended(first, second)] == ["completed"] * 2


async def test_a_session_is_cancelled_while_it_is_being_opened(at_work: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*_: object, **__: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr("fathom.wiring.opening.can_answer", never)
    (id,) = await at_work.ask(QUESTIONS[0])
    await at_work.running(1)
    await at_work.sessions.cancel(id)
    (run,) = await at_work.ended(id)
    assert (run.status, run.error) == ("failed", CANCELLED)


async def test_a_session_of_a_dead_worker_that_is_cancelled_while_it_is_being_opened_reports_what_it_has(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    PACE.allowed = 3
    async with shop(settings) as first:
        (id,) = await first.ask(QUESTIONS[0])
        await first.busy(id, calls=3)
    opening, opened = asyncio.Event(), asyncio.Event()

    async def slowly(*_: object, **__: object) -> None:
        opening.set()
        await opened.wait()

    monkeypatch.setattr("fathom.wiring.opening.can_answer", slowly)
    async with shop(settings) as second:
        await opening.wait()
        await second.sessions.cancel(id)
        await second.heard()
        PACE.allowed = sys.maxsize
        opened.set()
        (run,) = await second.ended(id)
    assert (run.status, run.partial) == ("partial", "cancelled")


async def test_a_session_with_a_report_keeps_it_when_it_is_cancelled_before_it_goes_on(
    at_work: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object, **__: object) -> None:
        await asyncio.Event().wait()

    (id,) = await at_work.ask(QUESTIONS[0], limits={"max_calls": 3})
    (run,) = await at_work.ended(id)
    assert run.status == "partial"
    monkeypatch.setattr("fathom.wiring.opening.can_answer", never)
    await at_work.sessions.resume(id)
    await at_work.running(1)
    await at_work.sessions.cancel(id)
    (run,) = await at_work.ended(id)
    assert (run.status, run.error) == ("partial", None)
    assert (await at_work.sessions.report(id)).partial == run.partial
    await at_work.running(0)


async def test_a_session_that_is_deleted_ends_and_leaves_nothing(at_work: Shop) -> None:
    PACE.allowed = 2
    (id,) = await at_work.ask(QUESTIONS[0])
    await at_work.busy(id, calls=2)
    await at_work.sessions.delete(id)
    await at_work.running(0)
    PACE.allowed = sys.maxsize
    assert await at_work.fathom.store.runs() == []
    (other,) = await at_work.ask(QUESTIONS[1])
    assert [run.status for run in await at_work.ended(other)] == ["completed"]


async def test_a_session_is_removed_also_when_its_checkpoints_cannot_be(
    at_work: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def locked(*_: object) -> None:
        raise StoreError("held by another process")

    monkeypatch.setattr(wiring, "forget_checkpoints", locked)
    (id,) = await at_work.ask(QUESTIONS[0])
    await at_work.ended(id)
    await at_work.sessions.delete(id)
    assert await at_work.fathom.store.runs() == []


async def test_a_session_under_way_is_not_resumed_at_a_terminal(at_work: Shop, settings: Settings) -> None:
    PACE.allowed = 2
    (id,) = await at_work.ask(QUESTIONS[0])
    await at_work.busy(id, calls=2)
    with pytest.raises(Conflict, match=f"{id} is under way in another process"):
        await wiring.resume(id, settings=settings)
    assert at_work.worker.running == 1
    PACE.allowed = sys.maxsize
    assert await errors(at_work, id) == []
    assert [run.status for run in await at_work.ended(id)] == ["completed"]


async def test_a_session_that_waits_and_is_resumed_at_a_terminal_is_taken_from_the_queue(settings: Settings) -> None:
    async with shop(settings, at_work=False) as closed:
        (id,) = await closed.ask(QUESTIONS[0])
        await wiring.resume(id, settings=settings)
        assert await closed.fathom.queue.claim("worker", seconds=1) is None
        assert (await closed.fathom.store.run(id)).status == "completed"


async def test_a_worker_that_ends_leaves_its_sessions_to_the_next_at_once(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(working, "LEASE_SECONDS", 3_600.0)
    PACE.allowed = 2
    async with shop(settings) as first:
        ids = await first.ask(*QUESTIONS[:3])
        for id in ids:
            await first.busy(id, calls=2)
    PACE.allowed = sys.maxsize
    async with shop(settings) as second:
        assert [run.status for run in await second.fathom.store.runs()] == ["running"] * 3
        assert [run.status for run in await second.ended(*ids)] == ["completed"] * 3


async def test_two_workers_share_what_waits(settings: Settings) -> None:
    PACE.allowed = 1
    async with shop(settings, most=1) as first, shop(settings, most=1) as second:
        ids = await first.ask(*QUESTIONS[:4])
        await first.running(1)
        await second.running(1)
        PACE.allowed = sys.maxsize
        assert [run.status for run in await second.ended(*ids)] == ["completed"] * 4
        assert [run.attempt for run in await second.ended(*ids)] == [1] * 4


async def test_a_session_asked_for_again_while_it_ends_is_carried_out_again(
    at_work: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    PACE.error = ConfigurationError("no")
    queue = at_work.fathom.queue
    release, resumed = queue.release, asyncio.Event()

    async def slowly(run_id: str, worker: str, *, done: bool, pause: float = 0.0) -> None:
        await resumed.wait()
        await release(run_id, worker, done=done, pause=pause)

    monkeypatch.setattr(queue, "release", slowly)
    (id,) = await at_work.ask(QUESTIONS[0])
    (run,) = await at_work.ended(id)
    assert run.status == "failed"
    PACE.error = None
    await at_work.sessions.resume(id)
    resumed.set()
    assert [run.status for run in await at_work.ended(id)] == ["completed"]


async def test_the_name_of_a_worker_is_its_own(settings: Settings) -> None:
    async with wiring.Fathom(settings) as fathom:
        assert len({Worker(fathom, most=1).name for _ in range(10)}) == 10


async def test_an_estimate_takes_what_the_service_has_open(at_work: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fathom.wiring.shared.opened_store", None)
    prospect = await at_work.sessions.estimate(SessionRequest(query=QUESTIONS[0]))
    assert prospect.plan.subtasks
    assert prospect.run_id is None
    assert await at_work.fathom.store.runs() == []


async def test_a_key_starts_a_session_once(at_work: Shop) -> None:
    request = SessionRequest(query=QUESTIONS[0], config=SessionConfig(effort="quick"))
    first, _ = await at_work.sessions.create(request, key="k")
    await at_work.ended(first.run_id)
    again, _ = await at_work.sessions.create(request, key="k")
    assert (again.run_id, again.status) == (first.run_id, "completed")


async def test_a_key_leads_to_its_session_also_when_that_could_not_be_asked_any_more(
    at_work: Shop, settings: Settings
) -> None:
    (document,) = (await at_work.sessions.library.documents(settings.kb, limit=1)).documents
    request = SessionRequest(query=QUESTIONS[0], config=SessionConfig(effort="quick", documents=(document.id,)))
    first, _ = await at_work.sessions.create(request, key="k")
    await at_work.ended(first.run_id)
    await at_work.sessions.library.remove(settings.kb, document.id)
    assert (await at_work.sessions.create(request, key="k"))[0].run_id == first.run_id
    with pytest.raises(UsageError, match="removed"):
        await at_work.sessions.create(request, key="another")
