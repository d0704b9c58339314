"""Calls to models: paid for once, whoever asks and however the process ends, and never beyond the limits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.engine.journal import ANSWER, DECIDE, Journal
from fathom.errors import (
    BudgetSpent,
    Fenced,
    LimitReached,
    MissingAnswer,
    ProviderError,
    ProviderFault,
    RateLimited,
    StoreError,
    TimedOut,
)
from fathom.limits import Limits
from fathom.ports import CallUsage, JournalEntry, ModelCall, ModelReply

TOKENS = 100
"""Of every call, unless a test says otherwise."""


def usage(tokens: int = TOKENS, **changes: Any) -> CallUsage:
    fields = {"model": "openai:small", "tier": "fast", "prompt_tokens": tokens, "cost_usd": tokens / 1000, **changes}
    return CallUsage.model_validate(fields)


def a_call(request: str = "x", *, attempt: int = 1, tokens: int = TOKENS) -> ModelCall:
    return ModelCall(ask="ExtractFindings", request=request, attempt=attempt, expected=usage(tokens))


class Provider:
    """A model that takes down what it was asked, and the runs that ask it. One folder of rows per run."""

    def __init__(self) -> None:
        self.runs: dict[str, dict[tuple[str, str], JournalEntry]] = {}
        self.asked: list[str] = []
        self.begun = asyncio.Event()
        """Set with the first call."""
        self.answering = asyncio.Event()
        """Until it is set, nobody gets an answer."""
        self.answering.set()
        self.writing = asyncio.Event()
        """Set with the first call that is stored."""
        self.disk = asyncio.Event()
        """Until it is set, nothing is stored."""
        self.disk.set()
        self.disk_is_full = False
        self.is_fenced = False

    def journal(self, run: str = "one", *, cache: bool = True, replay: bool = False, **options: Any) -> Journal:
        """As the next process opens it."""
        rows = self.runs.setdefault(run, {})
        limits = {name: options.pop(name) for name in [*options] if name in Limits.model_fields}
        return Journal(
            list(rows.values()),
            record=self._recorder(rows),
            limits=Limits(**limits),
            replay=replay,
            metered=True,
            replies=self._reply if cache else None,
            **{"fence": 1, **options},
        )

    def _recorder(self, rows: dict[tuple[str, str], JournalEntry]) -> Any:
        async def record(
            *, path: str, kind: str, request: str, answer: str, seconds: float, usage: CallUsage | None = None
        ) -> str:
            await asyncio.sleep(0)
            if kind != DECIDE:
                self.writing.set()
                await self.disk.wait()
            if self.disk_is_full:
                raise StoreError("full")
            if self.is_fenced:
                raise Fenced("another has it")
            fields = {"path": path, "kind": kind, "request": request, "answer": answer, "seconds": seconds}
            entry = JournalEntry.model_validate({"seq": len(rows) + 1, "usage": usage, **fields})
            return rows.setdefault((path, request), entry).answer

        return record

    async def _reply(self, request: str) -> str | None:
        await asyncio.sleep(0)
        entries = (entry for rows in self.runs.values() for entry in rows.values())
        known = [each for each in entries if each.request == request and each.usage and each.kind != "failed"]
        return known[-1].answer if known else None

    def perform(
        self, call: ModelCall, *, taken: CallUsage | None = None, error: ProviderError | None = None
    ) -> Callable[[], Awaitable[ModelReply]]:
        async def perform() -> ModelReply:
            self.asked.append(call.request)
            self.begun.set()
            text = f"answer number {len(self.asked)} to {call.request}"
            await asyncio.sleep(0)
            await self.answering.wait()
            if error:
                raise error
            return ModelReply(text=text, usage=taken or call.expected)

        return perform

    async def pay(
        self,
        journal: Journal,
        path: str = "task_1/r0/extract",
        call: ModelCall | None = None,
        *,
        taken: CallUsage | None = None,
        error: ProviderError | None = None,
        **options: Any,
    ) -> ModelReply:
        call = call or a_call()
        return await journal.pay(path, call, self.perform(call, taken=taken, error=error), **options)


# ── Once ───────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_reply_is_paid_for_once_in_this_process_and_the_next() -> None:
    provider = Provider()
    first = provider.journal()
    replies = [await provider.pay(first), await provider.pay(first), await provider.pay(provider.journal(fence=2))]
    assert provider.asked == ["x"] and {reply.text for reply in replies} == {"answer number 1 to x"}


@pytest.mark.parametrize("cache", [True, False])
async def test_equal_requests_side_by_side_are_one_call_unless_each_path_is_to_pay(cache: bool) -> None:
    provider = Provider()
    journal = provider.journal(cache=cache)
    replies = await asyncio.gather(*(provider.pay(journal, path) for path in ["a", "a", "b", "c"]))
    assert len(provider.asked) == len({reply.text for reply in replies}) == (1 if cache else 3)
    assert journal.budget.usage.prompt_tokens == TOKENS * len(provider.asked)
    assert journal.calls == {"ExtractFindings": len(provider.asked)}


async def test_an_equal_request_elsewhere_in_the_run_costs_nothing() -> None:
    provider = Provider()
    journal = provider.journal(max_calls=2)
    first, second = await provider.pay(journal, "a"), await provider.pay(journal, "b")
    assert second.text == first.text and provider.asked == ["x"]
    assert (second.usage.cached, second.usage.cost_usd) == (True, 0.0)
    assert journal.calls == {"ExtractFindings": 1} and journal.budget.usage.cached_calls == 1


async def test_a_reply_of_an_earlier_run_costs_nothing_and_is_not_counted() -> None:
    provider = Provider()
    await provider.pay(provider.journal("one"))
    later = provider.journal("two", max_tokens=1, max_cost=0.001, max_calls=1)
    reply = await provider.pay(later)
    assert provider.asked == ["x"] and reply.usage.cached
    for account in (later, provider.journal("two", fence=2)):
        assert account.calls == {}
        taken = account.budget.usage
        assert (taken.cached_calls, taken.prompt_tokens, taken.cost_usd) == (1, 0, 0.0)
        assert account.budget.charged_usd == 0


async def test_without_the_cache_another_run_pays_again_and_a_resumed_one_does_not() -> None:
    provider = Provider()
    await provider.pay(provider.journal("one"))
    await provider.pay(provider.journal("two", cache=False))
    await provider.pay(provider.journal("two", cache=False, fence=2))
    assert provider.asked == ["x", "x"]


async def test_a_caller_that_is_cancelled_does_not_lose_what_was_paid_for() -> None:
    provider = Provider()
    journal = provider.journal()
    caller = asyncio.create_task(provider.pay(journal))
    await provider.begun.wait()
    caller.cancel()
    await asyncio.gather(caller, return_exceptions=True)
    await journal.close(grace=1.0)
    await provider.pay(provider.journal(fence=2))
    assert provider.asked == ["x"]


async def test_a_reply_that_has_come_is_kept_however_slow_the_disk_is_when_the_run_is_broken_off() -> None:
    provider = Provider()
    provider.disk.clear()
    journal = provider.journal()
    caller = asyncio.create_task(provider.pay(journal))
    await provider.writing.wait()
    closing = asyncio.create_task(journal.close(grace=0.01))
    await asyncio.sleep(0.1)
    provider.disk.set()
    await closing
    assert (await provider.pay(provider.journal(fence=2))).text == (await caller).text
    assert provider.asked == ["x"]


async def test_what_is_made_of_several_calls_begins_no_further_one_when_the_run_is_broken_off() -> None:
    provider = Provider()
    provider.answering.clear()
    journal = provider.journal(max_concurrency=1)

    async def two() -> str:
        for request in ("1", "2"):
            await provider.pay(journal, "a", a_call(request))
        return "{}"

    asking = asyncio.create_task(journal.call("a", ANSWER, "ask", two))
    await provider.begun.wait()
    waiting = asyncio.create_task(provider.pay(journal, "b", a_call("3")))
    await asyncio.sleep(0)
    closing = asyncio.create_task(journal.close(grace=5.0))
    await asyncio.sleep(0)
    provider.answering.set()
    await closing
    ended = await asyncio.gather(asking, waiting, return_exceptions=True)
    assert [type(each) for each in ended] == [asyncio.CancelledError] * 2
    assert provider.asked == ["1"]
    assert [entry.request for entry in provider.runs["one"].values() if entry.kind != DECIDE] == ["1"]


async def test_an_earlier_reply_that_is_of_no_use_is_asked_for_again_and_the_new_one_is_kept() -> None:
    provider = Provider()
    first = await provider.pay(provider.journal("one"))

    def usable(reply: ModelReply) -> bool:
        return reply.text != first.text

    later = provider.journal("two")
    second = await provider.pay(later, usable=usable)
    assert second.text != first.text and provider.asked == ["x", "x"]
    assert (await provider.pay(provider.journal("two", fence=2), usable=usable)).text == second.text
    assert (await provider.pay(provider.journal("three"), usable=usable)).text == second.text
    assert provider.asked == ["x", "x"]


async def test_nobody_sees_a_reply_that_was_not_stored() -> None:
    provider = Provider()
    journal = provider.journal()
    provider.disk_is_full = True
    with pytest.raises(StoreError):
        await provider.pay(journal)


async def test_a_replay_pays_for_nothing() -> None:
    provider = Provider()
    await provider.pay(provider.journal(), "a")
    replay = provider.journal(replay=True)
    assert (await provider.pay(replay, "a")).text == "answer number 1 to x"
    with pytest.raises(MissingAnswer):
        await provider.pay(replay, "a", a_call("other"))
    assert provider.asked == ["x"]


# ── Within the limits ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("limits", "made", "reason"),
    [({"max_calls": 8}, 6, "max_calls"), ({"max_tokens": 800}, 6, "max_tokens"), ({"max_cost": 0.8}, 6, "max_cost")],
)
async def test_calls_side_by_side_stay_within_what_research_may_take(
    limits: dict[str, Any], made: int, reason: str
) -> None:
    provider = Provider()
    journal = provider.journal(**limits)
    results = await asyncio.gather(
        *(provider.pay(journal, "a", a_call(str(number))) for number in range(12)), return_exceptions=True
    )
    assert len(provider.asked) == made
    refused = [each for each in results if isinstance(each, LimitReached | BudgetSpent)]
    assert len(refused) == 12 - made and all(reason in str(each) for each in refused)
    assert await journal.close_research() == reason
    # money ends only what costs money: a search goes on
    assert (journal.reason is None) == (reason != "max_calls") == isinstance(refused[0], BudgetSpent)

    written = [provider.pay(journal, "report/x", a_call(f"r{number}"), phase="report") for number in range(6)]
    results = await asyncio.gather(*written, return_exceptions=True)
    assert len(provider.asked) == 8
    assert sum(isinstance(each, BudgetSpent) for each in results) == 4


async def test_calls_that_take_more_than_expected_overshoot_by_no_more_than_those_under_way() -> None:
    provider = Provider()
    journal = provider.journal(max_tokens=1000, max_concurrency=3)
    taken = usage(300)
    await asyncio.gather(
        *(provider.pay(journal, "a", a_call(str(number)), taken=taken) for number in range(20)), return_exceptions=True
    )
    assert 750 <= journal.budget.usage.prompt_tokens <= 750 + 3 * (300 - TOKENS)


async def test_a_call_that_waited_for_its_turn_is_asked_again_whether_there_is_money_left() -> None:
    provider = Provider()
    provider.answering.clear()
    journal = provider.journal(max_tokens=1000, max_concurrency=1)
    first = asyncio.create_task(provider.pay(journal, "a", a_call("1"), taken=usage(700)))
    second = asyncio.create_task(provider.pay(journal, "a", a_call("2")))
    await provider.begun.wait()
    provider.answering.set()
    await first
    with pytest.raises(BudgetSpent, match="max_tokens"):
        await second
    assert provider.asked == ["1"]


async def test_the_account_of_earlier_processes_binds_the_next_one() -> None:
    provider = Provider()
    first = provider.journal(max_tokens=400)
    await provider.pay(first, "a", a_call("1"))
    with pytest.raises(TimedOut):
        await provider.pay(first, "a", a_call("2"), error=TimedOut("slow"))
    again = provider.journal(max_tokens=400, fence=2)
    assert again.budget.usage == first.budget.usage and again.calls == first.calls
    assert again.budget.charged_usd == pytest.approx(first.budget.charged_usd)
    await provider.pay(again, "a", a_call("2"))
    with pytest.raises(BudgetSpent, match="max_tokens"):
        await provider.pay(again, "a", a_call("3"))


async def test_a_new_attempt_grants_the_limits_anew_and_keeps_what_was_paid_for() -> None:
    provider = Provider()
    limits: dict[str, Any] = {"max_tokens": 200}
    first = provider.journal(**limits)
    await provider.pay(first, "a", a_call("1"))
    with pytest.raises(BudgetSpent):
        await provider.pay(first, "a", a_call("2"))

    anew = provider.journal(**limits, attempt=2, fence=2)
    await anew.begin_attempt()
    await provider.pay(anew, "a", a_call("1"))
    await provider.pay(anew, "a", a_call("2"))
    with pytest.raises(BudgetSpent):
        await provider.pay(anew, "a", a_call("3"))
    assert provider.asked == ["1", "2"]

    resumed = provider.journal(**limits, attempt=2, fence=3)
    await resumed.begin_attempt()
    with pytest.raises(BudgetSpent):
        await provider.pay(resumed, "a", a_call("3"))


async def test_what_is_known_is_answered_after_the_stop_and_without_money() -> None:
    provider = Provider()
    journal = provider.journal()
    await provider.pay(journal, "a")
    await journal.stop("cancelled")
    assert (await provider.pay(journal, "a")).text == (await provider.pay(journal, "b")).text
    with pytest.raises(LimitReached, match="cancelled"):
        await provider.pay(journal, "b", a_call("new"))


async def test_the_report_is_never_told_that_research_has_ended() -> None:
    provider = Provider()
    provider.answering.clear()
    journal = provider.journal(max_concurrency=1)
    under_way = asyncio.create_task(provider.pay(journal, "a", a_call("1")))
    await provider.begun.wait()
    waiting = asyncio.create_task(provider.pay(journal, "b", a_call("2")))
    report = asyncio.create_task(provider.pay(journal, "report/b", a_call("2"), phase="report"))
    await asyncio.sleep(0)
    await journal.stop("cancelled")
    provider.answering.set()
    await under_way
    with pytest.raises(LimitReached):
        await waiting
    assert (await report).text == "answer number 2 to 2"


@pytest.mark.parametrize("cache", [True, False])
async def test_what_research_had_no_time_to_wait_for_is_paid_for_once_when_the_report_wants_it(cache: bool) -> None:
    provider = Provider()
    provider.answering.clear()
    now = [0.0]
    journal = provider.journal(cache=cache, max_time=100.0, clock=lambda: now[0])
    now[0] = 74.99
    with pytest.raises(LimitReached, match="max_time"):
        await provider.pay(journal)
    now[0] = 75.0
    report = asyncio.create_task(provider.pay(journal, phase="report"))
    await asyncio.sleep(0)
    provider.answering.set()

    assert (await report).text == "answer number 1 to x"
    replayed = provider.journal(cache=cache, replay=True)
    assert (await provider.pay(replayed, phase="report")).text == "answer number 1 to x"
    assert provider.asked == ["x"] and journal.budget.usage.prompt_tokens == TOKENS


async def test_what_is_under_way_at_the_end_is_charged_as_expected() -> None:
    provider = Provider()
    provider.answering.clear()
    journal = provider.journal()
    under_way = asyncio.create_task(provider.pay(journal))
    await provider.begun.wait()
    await journal.close(grace=0.0)
    with pytest.raises(asyncio.CancelledError):
        await under_way
    assert journal.budget.usage.prompt_tokens == TOKENS


@pytest.mark.parametrize("cache", [True, False])
async def test_what_research_has_paid_for_the_report_does_not_pay_for_again(cache: bool) -> None:
    provider = Provider()
    journal = provider.journal(cache=cache)
    found = await provider.pay(journal)
    await journal.stop("max_time")
    assert (await provider.pay(journal, phase="report")).text == found.text and provider.asked == ["x"]


async def test_a_wait_before_a_call_ends_with_the_time_of_the_run() -> None:
    now = [0.0]
    journal = Provider().journal(max_time=100.0, clock=lambda: now[0])
    now[0] = 74.99
    with pytest.raises(LimitReached, match="max_time"):
        await asyncio.wait_for(_after(journal.wait(3_600, phase="research"), now, 75.0), 30)
    now[0] = 99.99
    with pytest.raises(BudgetSpent, match="max_time"):
        await asyncio.wait_for(_after(journal.wait(3_600, phase="report"), now, 100.0), 30)


async def _after(waiting: Awaitable[None], clock: list[float], time: float) -> None:
    """What a wait comes to, when the clock stands at `time` by then."""
    task = asyncio.ensure_future(waiting)
    await asyncio.sleep(0)
    clock[0] = time
    await task


async def test_research_that_waits_to_call_again_is_stopped_at_once() -> None:
    journal = Provider().journal()
    waiting = asyncio.create_task(journal.wait(3_600, phase="research"))
    await asyncio.sleep(0)
    await journal.stop("cancelled")
    with pytest.raises(LimitReached, match="cancelled"):
        await asyncio.wait_for(waiting, 30)


async def test_an_answer_that_failed_counts_as_no_call_beside_those_that_it_was_made_of() -> None:
    provider = Provider()
    journal = provider.journal()

    async def fails() -> str:
        await provider.pay(journal, "a")
        raise ProviderFault("500")

    with pytest.raises(ProviderFault):
        await journal.call("a", ANSWER, "ask", fails)
    assert journal.calls == provider.journal(fence=2).calls == {"ExtractFindings": 1}


# ── Failures ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("error", "tokens"), [(TimedOut("slow"), TOKENS), (ProviderFault("500"), 0)])
async def test_a_failed_call_is_counted_and_paid_for_when_the_provider_may_charge_for_it(
    error: ProviderError, tokens: int
) -> None:
    provider = Provider()
    journal = provider.journal()
    with pytest.raises(type(error)):
        await provider.pay(journal, error=error)
    for account in (journal, provider.journal(fence=2)):
        assert account.calls == {"ExtractFindings": 1}
        assert account.budget.usage.prompt_tokens == tokens


async def test_another_attempt_is_a_call_of_its_own_and_its_reply_is_what_is_kept() -> None:
    provider = Provider()
    journal = provider.journal()
    for attempt in (1, 2):
        with pytest.raises(RateLimited):
            await provider.pay(journal, call=a_call(attempt=attempt), error=RateLimited("wait", retry_after=0.1))
    reply = await provider.pay(journal, call=a_call(attempt=3))
    assert (await provider.pay(provider.journal(fence=2))).text == reply.text
    assert journal.calls == provider.journal(fence=2).calls == {"ExtractFindings": 3}
    assert provider.asked == ["x", "x", "x"]


async def test_whoever_shares_a_call_shares_its_failure_and_the_next_attempt() -> None:
    provider = Provider()
    journal = provider.journal()
    failed = await asyncio.gather(
        *(provider.pay(journal, path, error=TimedOut("slow")) for path in "ab"), return_exceptions=True
    )
    again = await asyncio.gather(*(provider.pay(journal, path, a_call(attempt=2)) for path in "ab"))
    assert [type(each) for each in failed] == [TimedOut, TimedOut] and again[0].text == again[1].text
    assert provider.asked == ["x", "x"]


async def test_a_call_goes_out_only_from_the_owner_of_the_run() -> None:
    provider = Provider()
    journal = provider.journal()
    provider.is_fenced = True
    with pytest.raises(Fenced):
        await provider.pay(journal)
    assert provider.asked == []


async def test_what_a_dead_process_had_under_way_is_held_against_the_caps() -> None:
    provider = Provider()
    provider.answering.clear()
    first = asyncio.create_task(provider.pay(provider.journal(), call=a_call("1", tokens=600), taken=usage(50)))
    await provider.begun.wait()
    again = provider.journal(fence=2, max_tokens=1_000)
    assert (again.calls, again.budget.charged_tokens, again.budget.usage.prompt_tokens) == (
        {"ExtractFindings": 1},
        600,
        0,
    )
    provider.answering.set()
    with pytest.raises(BudgetSpent):
        await provider.pay(again, call=a_call("2", tokens=600))
    await first
    assert provider.journal(fence=3).budget.charged_tokens == 50  # it has come after all


# ── Whatever the order ─────────────────────────────────────────────────────────────────────────────────────────────

CALLS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("wxyz"), st.integers(1, 90)), max_size=20)


@given(calls=CALLS, kept=st.integers(0, 20), cache=st.booleans(), slots=st.integers(1, 4))
def test_any_prefix_of_a_run_is_resumed_without_paying_for_what_was_durable(
    calls: list[tuple[str, str, int]], kept: int, cache: bool, slots: int
) -> None:
    async def run(provider: Provider, journal: Journal) -> None:
        await asyncio.gather(
            *(provider.pay(journal, path, a_call(request), taken=usage(taken)) for path, request, taken in calls)
        )

    async def main() -> None:
        provider = Provider()
        await run(provider, provider.journal(cache=cache, max_concurrency=slots))
        wanted = {request if cache else (path, request) for path, request, _ in calls}
        assert len(provider.asked) == len(wanted)

        provider.runs["one"] = dict(list(provider.runs["one"].items())[:kept])
        durable = [entry for entry in provider.runs["one"].values() if entry.usage and not entry.usage.cached]
        begun = sum(entry.path.startswith("begun/") for entry in provider.runs["one"].values())
        provider.asked.clear()
        again = provider.journal(cache=cache, max_concurrency=slots, fence=2)
        assert again.budget.usage.prompt_tokens == sum(entry.usage.tokens for entry in durable if entry.usage)
        await run(provider, again)
        assert len(provider.asked) == len(wanted) - len(durable)
        assert again.calls.get("ExtractFindings", 0) == len(wanted) + begun - len(durable)  # lost ones were made too
        assert provider.journal(fence=3).budget.usage == again.budget.usage

    asyncio.run(main())
