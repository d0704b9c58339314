"""What every queue of runs promises."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from fathom.errors import Conflict, Fenced, NotFound
from fathom.events import Failed, RunStarted
from fathom.ports import RunStatus, RunStore
from fathom.ports.queue import RunQueue
from fathom.steering import Approval
from tests.contracts.stores import a_report, a_run
from tests.support.doubles.faults import nobody_is_seen

Opener = Callable[[], tuple[RunStore, RunQueue]]


class Clock:
    """A clock that a test moves."""

    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


class RunQueueContract:
    """A subclass gives the fixture `open_queue`: each call opens the same database again, as another process would.
    Its queues go by `clock`."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    async def opened(self, open_queue: Opener) -> AsyncIterator[tuple[RunStore, RunQueue]]:
        store, queue = open_queue()
        yield store, queue
        await store.close()

    @pytest.fixture
    def store(self, opened: tuple[RunStore, RunQueue]) -> RunStore:
        return opened[0]

    @pytest.fixture
    def queue(self, opened: tuple[RunStore, RunQueue]) -> RunQueue:
        return opened[1]

    async def test_a_run_that_is_submitted_waits(self, store: RunStore, queue: RunQueue) -> None:
        run = await queue.submit(a_run())
        assert run == await store.run("run_one") == a_run(status="queued")

    async def test_the_oldest_run_is_given_first_and_each_once(self, queue: RunQueue) -> None:
        for run_id in ("run_b", "run_a", "run_c"):
            await queue.submit(a_run(run_id))
        claimed = [await queue.claim("worker", seconds=60) for _ in range(4)]
        assert [run and run.run_id for run in claimed] == ["run_b", "run_a", "run_c", None]

    async def test_a_run_that_nobody_has_asked_a_worker_for_is_left_alone(
        self, store: RunStore, queue: RunQueue
    ) -> None:
        await store.create_run(a_run())
        await store.create_run(a_run("run_two", status="planned"))
        assert await queue.claim("worker", seconds=60) is None

    async def test_workers_of_several_processes_never_have_the_same_run(
        self, open_queue: Opener, queue: RunQueue
    ) -> None:
        runs = {f"run_{n}" for n in range(30)}
        for run_id in runs:
            await queue.submit(a_run(run_id))
        others = [open_queue() for _ in range(3)]

        async def take(number: int, own: RunQueue) -> list[str]:
            taken = []
            while run := await own.claim(f"worker {number}", seconds=60):
                taken.append(run.run_id)
            return taken

        taken = await asyncio.gather(*(take(n, own) for n, (_, own) in enumerate([(None, queue), *others])))
        for other, _ in others:
            await other.close()
        assert sorted(run for each in taken for run in each) == sorted(runs)

    async def test_a_lease_that_is_not_renewed_runs_out(
        self, queue: RunQueue, clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        nobody_is_seen(monkeypatch)
        await queue.submit(a_run())
        assert await queue.claim("worker", seconds=10)
        assert await queue.claim("other", seconds=60) is None
        clock.now += 11
        again = await queue.claim("other", seconds=60)
        assert again is not None and again.run_id == "run_one"
        assert await queue.renew("worker", seconds=60) == []

    async def test_who_is_seen_to_be_at_work_keeps_its_runs_whatever_the_clocks_say(
        self, store: RunStore, queue: RunQueue
    ) -> None:
        await queue.submit(a_run())
        await queue.claim("worker", seconds=-7_200)
        assert await queue.claim("other", seconds=60) is None
        assert await queue.withdraw("run_one", error="cancelled") is None
        with pytest.raises(Conflict):
            await queue.requeue("run_one")
        assert [lease.run_id for lease in await queue.renew("worker", seconds=60)] == ["run_one"]
        await store.acquire("run_one")
        with pytest.raises(Conflict, match="under way in another process"):
            await queue.take_out("run_one")
        assert [lease.run_id for lease in await queue.renew("worker", seconds=60)] == ["run_one"]

    async def test_a_lease_that_is_renewed_holds(self, queue: RunQueue, clock: Clock) -> None:
        for run_id in ("run_one", "run_two"):
            await queue.submit(a_run(run_id))
            await queue.claim("worker", seconds=10)
        assert sorted(lease.run_id for lease in await queue.renew("worker", seconds=60)) == ["run_one", "run_two"]
        clock.now += 11
        assert await queue.claim("other", seconds=60) is None

    async def test_who_renews_hears_who_shall_stop(self, store: RunStore, queue: RunQueue) -> None:
        for run_id in ("run_one", "run_two"):
            await queue.submit(a_run(run_id))
            await queue.claim("worker", seconds=60)
        await store.request_stop("run_two")
        heard = {lease.run_id: lease.stop_requested for lease in await queue.renew("worker", seconds=60)}
        assert heard == {"run_one": False, "run_two": True}

    async def test_who_renews_hears_which_run_waits_for_its_person(self, store: RunStore, queue: RunQueue) -> None:
        for run_id in ("run_one", "run_two"):
            await queue.submit(a_run(run_id))
            await queue.claim("worker", seconds=60)
        fence = await store.acquire("run_two")
        asked = Approval(id="plan_1", about="plan")
        await store.update_run("run_two", fence=fence, waiting_for=(asked,))
        heard = {lease.run_id: lease.waits for lease in await queue.renew("worker", seconds=60)}
        assert heard == {"run_one": False, "run_two": True}
        assert (await store.run("run_two")).waiting_for == (asked,)

    async def test_a_key_stands_for_one_request(self, store: RunStore, queue: RunQueue) -> None:
        first = await queue.submit(a_run("run_one"), key="k", digest="d")
        again = await queue.submit(a_run("run_two"), key="k", digest="d")
        await queue.submit(a_run("run_three"), key="", digest="d")
        await queue.submit(a_run("run_four"), key="", digest="e")
        assert (first.run_id, again.run_id) == ("run_one", "run_one")
        assert await queue.submitted("k", "d") == first
        assert await queue.submitted("other", "d") is None
        with pytest.raises(Conflict):
            await queue.submit(a_run("run_five"), key="k", digest="e")
        with pytest.raises(Conflict):
            await queue.submitted("k", "e")
        assert [run.run_id for run in await store.runs()] == ["run_four", "run_three", "run_one"]

    async def test_the_same_request_sent_at_once_by_many_is_one_run(self, store: RunStore, queue: RunQueue) -> None:
        runs = await asyncio.gather(*(queue.submit(a_run(f"run_{n}"), key="k", digest="d") for n in range(20)))
        assert len({run.run_id for run in runs}) == 1
        assert len(await store.runs()) == 1

    async def test_a_key_is_free_again_once_its_run_is_deleted(self, store: RunStore, queue: RunQueue) -> None:
        await queue.submit(a_run("run_one"), key="k", digest="d")
        await store.delete_run("run_one")
        assert (await queue.submit(a_run("run_two"), key="k", digest="e")).run_id == "run_two"

    async def test_what_is_done_is_not_given_again(self, store: RunStore, queue: RunQueue) -> None:
        await queue.submit(a_run())
        await queue.claim("worker", seconds=60)
        await store.update_run("run_one", fence=await store.acquire("run_one"), status="failed")
        await queue.release("run_one", "worker", done=True)
        assert await queue.claim("other", seconds=60) is None
        assert (await store.run("run_one")).status == "failed"

    async def test_a_late_release_does_not_end_a_run_that_its_worker_has_taken_up_again(
        self, store: RunStore, queue: RunQueue
    ) -> None:
        await queue.submit(a_run())
        await queue.claim("worker", seconds=60)
        await store.update_run("run_one", fence=await store.acquire("run_one"), status="failed")
        await queue.requeue("run_one")
        assert await queue.claim("worker", seconds=60)
        await queue.release("run_one", "worker", done=True)
        assert [lease.run_id for lease in await queue.renew("worker", seconds=60)] == ["run_one"]

    async def test_what_is_let_go_of_is_given_again_at_once_or_after_a_pause(
        self, queue: RunQueue, clock: Clock
    ) -> None:
        await queue.submit(a_run())
        await queue.claim("worker", seconds=60)
        await queue.release("run_one", "worker", done=False)
        assert await queue.claim("worker", seconds=60)
        await queue.release("run_one", "worker", done=False, pause=10)
        assert await queue.claim("worker", seconds=60) is None
        clock.now += 11
        assert await queue.claim("worker", seconds=60)

    async def test_nobody_lets_go_of_what_another_has(self, queue: RunQueue) -> None:
        await queue.submit(a_run())
        await queue.claim("worker", seconds=60)
        for done in (True, False):
            await queue.release("run_one", "other", done=done)
        await queue.release("run_none", "other", done=True)
        assert await queue.let_go("other") == 0
        assert [lease.run_id for lease in await queue.renew("worker", seconds=60)] == ["run_one"]

    async def test_a_worker_that_ends_leaves_its_runs_to_others(self, queue: RunQueue) -> None:
        for run_id in ("run_one", "run_two"):
            await queue.submit(a_run(run_id))
            await queue.claim("worker", seconds=60)
        assert await queue.let_go("worker") == 2
        assert await queue.claim("other", seconds=60)
        assert await queue.claim("other", seconds=60)

    @pytest.mark.parametrize("status", ["planned", "partial", "failed"])
    async def test_a_run_that_has_ended_may_be_carried_out_again(
        self, store: RunStore, queue: RunQueue, status: RunStatus
    ) -> None:
        await store.create_run(a_run(status=status, stop_requested=True, error="no"))
        again = await queue.requeue("run_one", query="How wide is it?")
        assert again == await store.run("run_one")
        assert (again.status, again.stop_requested, again.error) == ("queued", False, None)
        assert again.query == "How wide is it?"
        assert await queue.claim("worker", seconds=60) == again

    async def test_a_run_that_ends_may_be_asked_for_again_before_its_worker_has_let_go_of_it(
        self, store: RunStore, queue: RunQueue
    ) -> None:
        await queue.submit(a_run())
        await queue.claim("worker", seconds=60)
        await store.update_run("run_one", fence=await store.acquire("run_one"), status="partial")
        await queue.requeue("run_one")
        await queue.release("run_one", "worker", done=True)
        assert await queue.claim("other", seconds=60)

    async def test_a_run_that_is_complete_or_under_way_is_not_begun_again(
        self, store: RunStore, queue: RunQueue
    ) -> None:
        await store.create_run(a_run("run_complete", status="completed"))
        await queue.submit(a_run("run_waiting"))
        await store.create_run(a_run("run_at_a_terminal", status="planned"))
        fence = await store.acquire("run_at_a_terminal")
        await store.update_run("run_at_a_terminal", fence=fence, status="running")
        for run_id in ("run_complete", "run_waiting", "run_at_a_terminal"):
            with pytest.raises(Conflict):
                await queue.requeue(run_id)
        await queue.claim("worker", seconds=60)
        fence = await store.acquire("run_waiting")
        await store.update_run("run_waiting", fence=fence, status="running")
        with pytest.raises(Conflict):
            await queue.requeue("run_waiting")
        with pytest.raises(NotFound):
            await queue.requeue("run_none")

    async def test_a_run_whose_process_has_died_may_be_carried_out_again(
        self, store: RunStore, queue: RunQueue
    ) -> None:
        await store.create_run(a_run())  # it says to be running, and has last been heard of long ago
        assert (await queue.requeue("run_one")).status == "queued"

    async def test_a_run_that_has_ended_is_given_to_nobody_though_its_worker_died_before_it_let_go(
        self, store: RunStore, queue: RunQueue
    ) -> None:
        for run_id, status in (("run_one", "partial"), ("run_two", "failed"), ("run_three", "completed")):
            await queue.submit(a_run(run_id))
            await queue.claim("worker", seconds=0)
            await store.update_run(run_id, fence=await store.acquire(run_id), status=status)
        assert await queue.claim("other", seconds=60) is None
        assert (await queue.requeue("run_one")).status == "queued"
        assert await queue.claim("other", seconds=60)

    async def test_a_run_that_is_deleted_is_lost_to_its_worker(self, store: RunStore, queue: RunQueue) -> None:
        await queue.submit(a_run())
        await queue.claim("worker", seconds=60)
        await store.delete_run("run_one")
        assert await queue.renew("worker", seconds=60) == []
        await queue.release("run_one", "worker", done=False)
        assert await queue.claim("worker", seconds=60) is None

    async def test_a_run_that_waits_can_be_withdrawn(self, store: RunStore, queue: RunQueue) -> None:
        await queue.submit(a_run())
        ended = await queue.withdraw("run_one", error="cancelled")
        assert ended == await store.run("run_one")
        assert ended is not None and (ended.status, ended.error) == ("failed", "cancelled")
        assert [stored.event for stored in await store.events("run_one")] == [Failed(error="cancelled")]
        assert await queue.claim("worker", seconds=60) is None
        assert (await queue.requeue("run_one")).status == "queued"

    async def test_a_run_with_a_report_keeps_it_when_it_is_withdrawn(self, store: RunStore, queue: RunQueue) -> None:
        await store.create_run(a_run(status="partial", partial="max_calls"))
        await store.save_report("run_one", a_report(), fence=await store.acquire("run_one"))
        await queue.requeue("run_one")
        ended = await queue.withdraw("run_one", error="cancelled")
        assert ended is not None and (ended.status, ended.partial, ended.error) == ("partial", "max_calls", None)
        assert await store.events("run_one") == []

    async def test_a_worker_withdraws_a_run_that_it_has_and_has_not_begun_with(self, queue: RunQueue) -> None:
        await queue.submit(a_run())
        await queue.claim("worker", seconds=60)
        assert await queue.withdraw("run_one", error="cancelled", worker="other") is None
        ended = await queue.withdraw("run_one", error="cancelled", worker="worker")
        assert ended is not None and ended.status == "failed"
        assert await queue.renew("worker", seconds=60) == []

    async def test_a_run_that_somebody_has_is_not_withdrawn(self, store: RunStore, queue: RunQueue) -> None:
        await queue.submit(a_run())
        await queue.claim("worker", seconds=60)
        await store.create_run(a_run("run_ended", status="completed"))
        for run_id in ("run_one", "run_ended"):
            before = await store.run(run_id)
            assert await queue.withdraw(run_id, error="cancelled") is None
            assert await store.run(run_id) == before
        with pytest.raises(NotFound):
            await queue.withdraw("run_none", error="cancelled")

    async def test_a_run_that_is_taken_out_is_lost_to_its_worker_and_given_to_no_other(
        self, store: RunStore, queue: RunQueue
    ) -> None:
        for run_id in ("run_one", "run_two"):
            await queue.submit(a_run(run_id))
        await queue.claim("worker", seconds=60)
        for run_id in ("run_one", "run_two"):
            await queue.take_out(run_id)
        assert await queue.renew("worker", seconds=60) == []
        assert await queue.claim("worker", seconds=60) is None
        assert (await store.run("run_one")).status == "queued"
        with pytest.raises(NotFound):
            await queue.take_out("run_none")

    async def test_a_lease_fences_nobody_off_and_the_next_owner_does(self, store: RunStore, queue: RunQueue) -> None:
        await queue.submit(a_run())
        await queue.claim("worker", seconds=0)
        fence = await store.acquire("run_one")
        await queue.claim("other", seconds=60)
        await store.emit("run_one", RunStarted(query="q"), fence=fence)
        await store.acquire("run_one")
        with pytest.raises(Fenced):
            await store.emit("run_one", RunStarted(query="q"), fence=fence)
