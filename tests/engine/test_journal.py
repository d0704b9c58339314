"""The journal: an answer is asked for once, is durable before it is seen, and is found again by what was asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.engine.gate import Gate
from fathom.engine.journal import Journal
from fathom.errors import LimitReached, MissingAnswer, ProviderError, RateLimited, StoreError, Unavailable
from fathom.limits import Limits
from fathom.ports import CallUsage, JournalEntry


class Store:
    """Rows in memory, and what was performed."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], JournalEntry] = {}
        self.performed: list[str] = []
        self.failing = False

    async def record(
        self, *, path: str, kind: str, request: str, answer: str, seconds: float, usage: CallUsage | None = None
    ) -> str:
        await asyncio.sleep(0)
        if self.failing:
            raise StoreError("full")
        fields = {"path": path, "kind": kind, "request": request, "answer": answer, "seconds": seconds, "usage": usage}
        entry = JournalEntry.model_validate({"seq": len(self.rows) + 1, **fields})
        return self.rows.setdefault((path, request), entry).answer

    def journal(self, *, replay: bool = False, fence: int = 1, attempt: int = 1, **limits: Any) -> Journal:
        """As the next process opens it."""
        return Journal(
            list(self.rows.values()),
            record=self.record,
            limits=Limits(**limits),
            replay=replay,
            fence=fence,
            attempt=attempt,
        )

    def perform(self, request: str, error: ProviderError | None = None) -> Callable[[], Awaitable[str]]:
        async def perform() -> str:
            self.performed.append(request)
            answer = json.dumps(f"{request} number {len(self.performed)}")
            await asyncio.sleep(0)
            if error:
                raise error
            return answer

        return perform

    async def call(self, journal: Journal, path: str, request: str, **options: Any) -> str:
        return await journal.call(path, "search", request, self.perform(request), **options)


async def test_an_answer_is_asked_for_once_in_this_process_and_the_next() -> None:
    store = Store()
    first = store.journal()
    answers = [await store.call(first, "a", "x"), await store.call(first, "a", "x")]
    answers += [await store.call(store.journal(), "a", "x"), await store.call(store.journal(replay=True), "a", "x")]
    assert store.performed == ["x"] and len(set(answers)) == 1


async def test_another_request_at_the_same_path_is_another_call() -> None:
    store = Store()
    journal = store.journal()
    assert await store.call(journal, "a", "x") != await store.call(journal, "a", "y")
    assert await store.call(journal, "b", "x") != await store.call(journal, "a", "x")
    assert store.performed == ["x", "y", "x"]


async def test_equal_requests_that_may_be_shared_are_one_call_even_side_by_side() -> None:
    store = Store()
    journal = store.journal()
    answers = await asyncio.gather(*(store.call(journal, path, "x", shared=True) for path in "abc"))
    assert store.performed == ["x"] and len(set(answers)) == 1
    assert await store.call(store.journal(replay=True), "c", "x", shared=True) == answers[0]


async def test_equal_requests_that_may_not_be_shared_are_calls_of_their_own() -> None:
    store = Store()
    journal = store.journal()
    answers = await asyncio.gather(*(store.call(journal, path, "x") for path in "abc"))
    assert len(store.performed) == len(set(answers)) == 3


async def test_nobody_sees_an_answer_that_was_not_stored() -> None:
    store = Store()
    store.failing = True
    journal = store.journal()
    with pytest.raises(StoreError):
        await store.call(journal, "a", "x")
    store.failing = False
    await store.call(journal, "a", "x")
    assert store.performed == ["x", "x"]


async def test_a_caller_that_is_cancelled_does_not_lose_the_call() -> None:
    store = Store()
    journal = store.journal()
    caller = asyncio.create_task(store.call(journal, "a", "x"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    caller.cancel()
    await asyncio.gather(caller, return_exceptions=True)
    await journal.close(grace=1.0)
    assert [entry.path for entry in store.rows.values()] == ["a"]


async def test_closing_cancels_what_does_not_finish_in_time() -> None:
    journal = Store().journal()

    begun = asyncio.Event()

    async def never() -> str:
        begun.set()
        await asyncio.Event().wait()
        return ""

    caller = asyncio.create_task(journal.call("a", "search", "x", never))
    await asyncio.wait_for(begun.wait(), 60)
    await journal.close(grace=0.01)
    with pytest.raises(asyncio.CancelledError):
        await caller


async def test_a_replay_never_calls() -> None:
    store = Store()
    with pytest.raises(MissingAnswer):
        await store.call(store.journal(replay=True), "a", "x")
    with pytest.raises(MissingAnswer):
        await store.journal(replay=True).decide("a", 1)
    assert store.performed == [] and store.rows == {}


async def test_what_is_decided_first_stands() -> None:
    store = Store()
    journal = store.journal()
    assert [*await asyncio.gather(journal.decide("a", [1]), journal.decide("a", [2]))] == [[1], [1]]
    assert await store.journal().decide("a", [3]) == [1]
    assert store.journal().decided("") == {"a": [1]}


# ── Limits ─────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_after_the_stop_only_the_report_may_call() -> None:
    store = Store()
    journal = store.journal(max_calls=2)
    await store.call(journal, "a", "1")
    await store.call(journal, "a", "2")
    with pytest.raises(LimitReached, match="max_calls"):
        await store.call(journal, "a", "3")
    assert await journal.stop("cancelled") == "max_calls"
    assert await store.call(journal, "a", "1")
    assert await store.call(journal, "a", "4", phase="report")
    assert store.performed == ["1", "2", "4"]


async def test_calls_side_by_side_do_not_overrun_the_limit() -> None:
    store = Store()
    journal = store.journal(max_calls=3, max_concurrency=2)
    calls = [store.call(journal, "a", str(n)) for n in range(9)]
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert len(store.performed) == 3
    assert sum(isinstance(result, LimitReached) for result in results) == 6


async def test_calls_of_earlier_processes_count_and_those_of_earlier_attempts_do_not() -> None:
    store = Store()
    await store.call(store.journal(), "a", "1")
    again = store.journal(max_calls=1)
    with pytest.raises(LimitReached):
        await store.call(again, "a", "2")
    anew = store.journal(max_calls=1, attempt=2)
    await anew.begin_attempt()
    await store.call(anew, "a", "2")
    with pytest.raises(LimitReached):
        await store.call(anew, "a", "3")
    assert anew.calls == {"search": 2}


async def test_a_refused_call_is_refused_to_a_replay_even_when_the_report_asked_the_same() -> None:
    store = Store()
    journal = store.journal()
    await journal.stop("cancelled")
    with pytest.raises(LimitReached):
        await store.call(journal, "a", "x", shared=True)
    await store.call(journal, "a", "x", shared=True, phase="report")
    for later in (store.journal(), store.journal(replay=True)):
        with pytest.raises(LimitReached):
            await store.call(later, "a", "x", shared=True)
    anew = store.journal(attempt=2)
    await anew.begin_attempt()
    assert await store.call(anew, "a", "x", shared=True)
    assert await store.call(store.journal(attempt=2, replay=True), "a", "x", shared=True)
    assert store.performed == ["x"]


async def test_research_that_is_closed_cannot_be_stopped_any_more() -> None:
    journal = Store().journal()
    assert await journal.close_research() is None
    assert await journal.stop("cancelled") is None


async def test_time_is_counted_across_processes() -> None:
    now = 100.0
    journal = Journal((), record=Store().record, limits=Limits(max_time=10), seconds=8.0, clock=lambda: now)
    assert journal.seconds == 8.0 and journal.time_left == 2.0
    now = 103.0
    with pytest.raises(LimitReached, match="max_time"):
        await journal.call("a", "search", "x", Store().perform("x"))


# ── Failures ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_failed_call_is_tried_again_by_the_next_process_and_followed_by_a_replay() -> None:
    store = Store()

    async def fail(journal: Journal) -> None:
        with pytest.raises(RateLimited, match="slow down") as caught:
            await journal.call("a", "search", "x", store.perform("x", RateLimited("slow down", retry_after=7)))
        assert caught.value.retry_after == 7

    await fail(store.journal(fence=1))
    second = store.journal(fence=2)
    await fail(second)
    assert store.performed == ["x", "x"] and second.calls == {"search": 2}
    await second.end(created_at="now")
    for ended in (store.journal(fence=3), store.journal(replay=True)):
        await fail(ended)
    assert store.performed == ["x", "x"]


async def test_a_later_success_is_what_a_replay_follows() -> None:
    store = Store()
    with pytest.raises(Unavailable):
        await store.journal(fence=1).call("a", "search", "x", store.perform("x", Unavailable("down")))
    second = store.journal(fence=2)
    answer = await store.call(second, "a", "x")
    await second.end(created_at="now")
    assert await store.call(store.journal(replay=True), "a", "x") == answer


async def test_whoever_shares_a_request_shares_its_failure() -> None:
    store = Store()
    journal = store.journal()
    for path in "ab":
        with pytest.raises(Unavailable):
            await journal.call(path, "search", "x", store.perform("x", Unavailable("down")), shared=True)
    await journal.end(created_at="now")
    assert store.performed == ["x"]
    with pytest.raises(Unavailable):
        await store.call(store.journal(replay=True), "b", "x", shared=True)


# ── Whatever the order ─────────────────────────────────────────────────────────────────────────────────────────────

CALLS = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("wxyz"), st.booleans()), max_size=25)


@given(calls=CALLS, kept=st.integers(0, 25), order=st.randoms(use_true_random=False))
def test_any_prefix_of_a_run_is_resumed_with_the_calls_that_are_missing(
    calls: list[tuple[str, str, bool]], kept: int, order: Any
) -> None:
    """However the calls are ordered the second time, each one that was stored gets its own answer back."""
    kinds = [(path, request, "search" if shared else "ask") for path, request, shared in calls]

    async def run(journal: Journal, store: Store, these: list[tuple[str, str, str]]) -> dict[Any, str]:
        async def one(path: str, request: str, kind: str) -> tuple[Any, str]:
            digest = f"{kind} {request}"  # a digest is of the kind, too
            answer = await journal.call(path, kind, digest, store.perform(digest), shared=kind == "search")
            return (path, digest), answer

        return dict(await asyncio.gather(*(one(*each) for each in these)))

    async def main() -> None:
        store = Store()
        before = await run(store.journal(max_concurrency=2), store, kinds)
        performed = len(store.performed)
        store.rows = dict(list(store.rows.items())[:kept])
        again = Store()
        again.rows = dict(store.rows)
        again.performed = ["earlier"] * performed  # so that a repeated call would answer otherwise
        shuffled = order.sample(kinds, len(kinds))
        after = await run(again.journal(max_concurrency=3), again, shuffled)
        assert len(again.performed) == performed + performed - len(store.rows)
        if kept >= performed:
            assert after == before
        replayed = Store()
        replayed.rows = again.rows
        assert await run(replayed.journal(replay=True), replayed, kinds) == after
        assert replayed.performed == []

    asyncio.run(main())


# ── The gate ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_gate_lets_the_most_important_through_first_and_then_in_order_of_arrival() -> None:
    gate = Gate(1)
    await gate.enter(())
    entered = []

    async def wait(name: str, priority: tuple[float, ...]) -> None:
        await gate.enter(priority)
        entered.append(name)
        gate.leave()

    waiting = [
        asyncio.create_task(wait(*each)) for each in [("c", (2.0,)), ("a", (1.0,)), ("d", (2.0,)), ("b", (1.5,))]
    ]
    await asyncio.sleep(0)
    waiting[0].cancel()
    gate.leave()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert entered == ["a", "b", "d"]


async def test_a_slot_given_in_the_moment_of_a_cancellation_is_not_lost() -> None:
    gate = Gate(1)
    await gate.enter(())
    waiting = asyncio.create_task(gate.enter(()))
    await asyncio.sleep(0)
    gate.leave()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await asyncio.wait_for(gate.enter(()), 1)
