"""The run journal: the one door to the world, and the only truth about what a run has done."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from fathom.browsing import WEB_SEARCH, SearchResults
from fathom.engine import failures, tracing
from fathom.engine.gate import KEPT, Gate, Priority
from fathom.engine.ledger import ANSWER, DECIDE, FAILED, MODEL, AnswerStore, Ledger, Replies, common, keep_nothing
from fathom.errors import SKIPPED, BudgetSpent, FathomError, LimitReached, MissingAnswer, ProviderError, TimedOut
from fathom.outcomes import Within, guarded
from fathom.ports import CallUsage, ModelCall, ModelReply, Phase

__all__ = ["ANSWER", "DECIDE", "FAILED", "AnswerStore", "Journal", "Phase", "Replies", "keep_nothing"]

T = TypeVar("T")

DESCRIPTIONS = {"describe", "dataset"}
"""Calls that a run begins with: a source that hangs must leave time to ask the others."""
GRACE_SECONDS = 1.0
"""How long calls under way may take to finish when a run ends or is broken off."""
NO_TIME = "It has taken half of the time that was left: the run goes on without it."
"""Said of such a call when there was too little time, which is no fault of the source."""


class Journal(Ledger):
    """Answers calls from what the run has stored, and stores what it had to ask for.

    - An answer is durable before anyone sees it, and is found by its path in the plan and the digest of what was
      asked, never by the order of calls: so a resumed run repeats no finished call.
    - Once the run has stopped, a research call that is not in the journal raises `LimitReached`, in this process, in
      a resumed one and in a replay: so all of them take the same branches and write the same bytes.
    - A failed call is stored as a failure of this process (`fence`). A process that takes the run up tries it again;
      a replay, and whoever takes up a run whose report was already decided on, follows the failures of the process
      that ended it.
    """

    def _open(self) -> None:
        limits = self.budget.limits
        kept = KEPT * 3 if limits.order == "depth_first" else KEPT  # what lies below a subtask goes before others
        self.gate = Gate(limits.max_concurrency, left=self.budget.calls_left, kept=kept)
        self._flights: dict[tuple[str, str], asyncio.Task[str]] = {}
        self._storing: set[asyncio.Task[Any] | None] = set()
        """Those flights that have come to an end, which is being stored."""
        self._ended = asyncio.Event()
        """Set, and replaced, whenever a call that costs something is over."""
        self.cancelled = asyncio.Event()
        """Set once the user has asked the run to stop, also when nothing can be cut off any more."""
        self._closing = False
        self._questions = 0
        """Approvals that are waited for."""

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Wait for the person of the run: as long as no call is under way, its clock stands still."""
        self._questions += 1
        self._see_who_waits()
        try:
            yield
        finally:
            self._questions -= 1
            self._see_who_waits()

    def _see_who_waits(self) -> None:
        waits = bool(self._questions) and not self._flights
        if waits and self._waits_since is None:
            self._waits_since = self._clock()
        elif not waits and self._waits_since is not None:
            self._waited += self._clock() - self._waits_since
            self._waits_since = None

    # ── Calls ──────────────────────────────────────────────────────────────────────────────────────────────────────

    async def call(
        self,
        path: str,
        kind: str,
        request: str,
        perform: Callable[[], Awaitable[str]],
        *,
        phase: Phase = "research",
        shared: bool = False,
        priority: Priority = (),
    ) -> str:
        """The answer, as JSON, to what `request` is the digest of; `perform` is called only if it is not known.

        With `shared`, equal requests of a run are performed once, whatever their paths. An `ANSWER` makes calls of its
        own: it takes no slot, for they do.

        Raises:
            LimitReached: the run has stopped, or the subtask was skipped, and this call was not made before.
            ProviderError: the call failed.
            MissingAnswer: a replay needs a call that was never made.
            StoreError: the answer could not be stored.
        """
        if phase == "report" and not path.startswith("report/"):
            path = f"report/{path}"
        refusal = f"refused/{path}/{request[:16]}"
        if self.decision(refusal):
            raise LimitReached(SKIPPED)
        if (known := self._known(path, request)) is not None:
            return known
        if shared and (known := self._known(common(path, kind), request)) is not None:
            return known
        flight = (common(path, kind) if shared else path, request)
        task = self._flights.get(flight)
        if task is None:
            self._check(phase)
            if phase == "research" and self.leaves_out(path):
                if shared and not self._replay:  # another branch may be answered later, and a replay would find that
                    await self.decide(refusal, True)
                raise LimitReached(SKIPPED)
            if self._replay:
                raise MissingAnswer(f"The journal holds no answer for {path}: resume the run instead of replaying it.")
            # a clean context: the call must not inherit the finished configuration of a graph's node
            task = asyncio.get_running_loop().create_task(
                self._perform(path, kind, request, perform, phase, priority, flight), context=tracing.clean_context()
            )
            self._begun_flight(flight, task)
        return await asyncio.shield(task)  # a caller that is cancelled must not lose a paid call

    async def _perform(
        self,
        path: str,
        kind: str,
        request: str,
        perform: Callable[[], Awaitable[str]],
        phase: Phase,
        priority: Priority,
        flight: tuple[str, str],
    ) -> str:
        makes_calls = kind == ANSWER
        if not makes_calls:
            await self.gate.enter((phase != "report", *priority))
        try:
            self._check(phase)  # the wait may have been long
            if not makes_calls:
                self._count(kind, path)
            started = self._clock()
            try:
                # what a report takes besides models has no bound, for it is always written
                left = self._left(phase) if phase == "research" else None
                work = perform() if makes_calls else guarded(perform())  # the calls that it makes are guarded
                answer = await _in_time(work, left, share=0.5 if kind in DESCRIPTIONS else 1.0)
            except _OutOfTime as error:
                raise self._time_is_up(phase) from error
            except ProviderError as error:
                if isinstance(error, BudgetSpent) and not makes_calls:
                    self._count(kind, path, -1)
                self._failures[flight] = error  # in this process it stays failed: whoever asks again is told the same
                await self._store_failure(path, kind, request, error, self._clock() - started)
                raise
            stored = await self._store(
                path=path, kind=kind, request=request, answer=answer, seconds=self._clock() - started
            )
            self._remember(path, common(path, kind), request, stored)
            return stored
        finally:
            if not makes_calls:
                self.gate.leave()

    async def buy(
        self, path: str, request: str, cost_usd: float, perform: Callable[[], Awaitable[SearchResults]]
    ) -> SearchResults:
        """The answer to a search that costs so many dollars, which are under way until it is there.

        One that fails is not paid for.

        Raises:
            BudgetSpent: research may not spend as much any more.
            ProviderError: it failed.
        """
        while self.budget.refuses_search(cost_usd, beside=True) and not self.budget.refuses_search(cost_usd):
            await self._ended.wait()
        if reason := self.budget.refuses_search(cost_usd):
            if self.open:
                await self.decide(self._searches_spent, reason)
            raise BudgetSpent(f"{reason} is spent: research goes on without searches that cost.")
        expected = CallUsage(model="", tier="fast", cost_usd=cost_usd)
        ticket = self.budget.begin(expected)
        try:
            if cost_usd:
                await self._begin(path, WEB_SEARCH, request, expected)
            results = await perform()
            self.budget.searched(results)
            return results
        finally:
            self._end(ticket)

    # ── Calls to models ────────────────────────────────────────────────────────────────────────────────────────────

    async def pay(
        self,
        path: str,
        call: ModelCall,
        perform: Callable[[], Awaitable[ModelReply]],
        *,
        phase: Phase = "research",
        priority: Priority = (),
        usable: Callable[[ModelReply], bool] | None = None,
    ) -> ModelReply:
        """The reply of a model to `call`; `perform` is called only if this run, or an earlier one, does not know it.

        Equal requests of a run are one call, unless earlier replies are not to be used. One that failed may be tried
        again: each attempt is a call. `usable` says of a reply from elsewhere whether it is worth taking over.

        Raises:
            LimitReached: the run has stopped.
            BudgetSpent: research, or the report, may spend no more.
            ProviderError: the call failed.
            MissingAnswer: a replay needs a call that was never made.
            StoreError: the reply could not be stored.
        """
        path = f"{path}/{MODEL}"
        if phase == "report" and not path.startswith("report/"):
            path = f"report/{path}"
        own = path.removeprefix("report/")  # what research began for a part, the report need not ask again
        if known := self._answers.get((path, call.request)) or self._answers.get((own, call.request)):
            return ModelReply.model_validate_json(known)
        if phase == "research" and self.leaves_out(path):
            raise LimitReached(SKIPPED)
        if self._replay:
            raise MissingAnswer(f"The journal holds no answer for {path}: resume the run instead of replaying it.")
        flight = (MODEL if self._replies else own, call.request)
        while True:
            task = self._flights.get(flight)
            if task is None or task.done():  # one that has just ended may not have landed yet
                self._see_whether_open()
                task = asyncio.get_running_loop().create_task(
                    self._pay(path, call, perform, phase, priority, usable), context=tracing.clean_context()
                )
                self._begun_flight(flight, task)
            try:
                # when the time of research is up, the call goes on: the report may want its answer
                left = self._left(phase) if phase == "research" else None
                return ModelReply.model_validate_json(await _in_time(asyncio.shield(task), left))
            except _OutOfTime as error:
                raise self._time_is_up(phase) from error
            except LimitReached:
                if phase == "research":
                    raise
                # the report had joined a call of research, which was refused: it makes its own

    async def _pay(
        self,
        path: str,
        call: ModelCall,
        perform: Callable[[], Awaitable[ModelReply]],
        phase: Phase,
        priority: Priority,
        usable: Callable[[ModelReply], bool] | None,
    ) -> str:
        earlier = await self._earlier(call.request)
        if earlier is not None and (usable is None or usable(earlier)):
            return await self._keep(path, call, _for_nothing(earlier, call), seconds=0.0)
        await self._check_spending(phase, call.expected)
        await self.gate.enter((phase != "report", *priority))
        try:
            while True:
                self._see_whether_open()
                await self._check_spending(phase, call.expected)  # it waits only when it refuses
                if not self.budget.is_crowded(call.expected, research=phase == "research"):
                    break
                await self._ended.wait()
            self._count(call.ask, path)
            ticket = self.budget.begin(call.expected)
            started = self._clock()
            try:
                await self._begin(path, call.ask, call.request, call.expected)
                reply = await _in_time(guarded(tracing.model_call(call, perform)), self._left("report"))
            except asyncio.CancelledError:
                self.budget.spend(call.expected, answered=False)  # nobody knows how far it has come
                raise
            except ProviderError as error:
                usage = (
                    call.expected if error.charged else CallUsage(model=call.expected.model, tier=call.expected.tier)
                )
                self.budget.spend(usage, answered=False)
                await self._store_failure(
                    f"{path}/{call.attempt}", call.ask, call.request, error, self._clock() - started, usage=usage
                )
                if isinstance(error, _OutOfTime):
                    raise self._time_is_up(phase) from error
                raise
            finally:
                self._end(ticket)
            return await self._keep(path, call, reply, seconds=self._clock() - started)
        finally:
            self.gate.leave()

    def _end(self, ticket: int) -> None:
        self.budget.end(ticket)
        self._ended.set()
        self._ended = asyncio.Event()

    def _time_is_up(self, phase: Phase) -> FathomError:
        """What is raised for a call that has not answered in the time of its phase."""
        if phase == "report":
            return BudgetSpent("max_time is spent: the rest is done without a model.")
        self._stop("max_time")
        self.refused = True
        return LimitReached(self.reason or "max_time")

    def _see_whether_open(self) -> None:
        if self._closing:
            raise asyncio.CancelledError("the run is broken off: nothing new is paid for")

    async def _earlier(self, request: str) -> ModelReply | None:
        """What was answered to an equal request elsewhere in this run, or in an earlier one."""
        if self._replies is None:
            return None
        known = self._answers.get((MODEL, request)) or await self._replies(request)
        return ModelReply.model_validate_json(known) if known else None

    async def _keep(self, path: str, call: ModelCall, reply: ModelReply, *, seconds: float) -> str:
        self.budget.spend(reply.usage)
        stored = await self._store(
            path=path,
            kind=call.ask,
            request=call.request,
            answer=reply.model_dump_json(),
            seconds=seconds,
            usage=reply.usage,
        )
        self._remember(path, MODEL, call.request, stored)
        return stored

    async def wait(self, seconds: float, *, phase: Phase, is_gone: bool = False) -> None:
        """Wait before a call to a model, but no longer than the run has time, and until it is stopped: in the report
        that ends only the wait for a server that is gone.

        Raises:
            LimitReached, BudgetSpent: as for `pay`.
        """
        if (left := self._left(phase)) is not None:
            seconds = min(seconds, left)
        stop = self.stopping if phase == "research" else self.cancelled if is_gone else asyncio.Event()
        await asyncio.wait([stopped := asyncio.ensure_future(stop.wait())], timeout=seconds)
        stopped.cancel()
        await self._check_spending(phase, None)
        if is_gone and self.cancelled.is_set():
            raise BudgetSpent("The run was stopped: the rest is done without a model.")

    async def _check_spending(self, phase: Phase, expected: CallUsage | None) -> None:
        """Calls and time end research; tokens and dollars end what costs them, and the rest goes on without a model."""
        if phase == "report":
            if reason := self.budget.refuses_report(seconds=self._seconds_of_attempt, expected=expected):
                raise BudgetSpent(f"{reason} is spent: the rest is done without a model.")
            return
        self._check(phase)
        if reason := self.spent or self.budget.refuses_spending(expected):
            if self.open and not self.spent:
                await self.decide(f"spent/{self._attempt}", reason)
            raise BudgetSpent(f"{reason} is spent: the rest of the research is done without a model.")

    def _begun_flight(self, flight: tuple[str, str], task: asyncio.Task[str]) -> None:
        self._flights[flight] = task
        self._see_who_waits()
        task.add_done_callback(lambda done: self._landed(flight, done))

    def _landed(self, flight: tuple[str, str], task: asyncio.Task[str]) -> None:
        if self._flights.get(flight) is task:
            del self._flights[flight]
            self._see_who_waits()
        self._storing.discard(task)
        if not task.cancelled():
            task.exception()  # seen, also when every caller was cancelled meanwhile

    async def _store_failure(
        self,
        path: str,
        kind: str,
        request: str,
        error: ProviderError,
        seconds: float,
        *,
        usage: CallUsage | None = None,
    ) -> None:
        answer = json.dumps(failures.stored(kind, error))
        path = f"{FAILED}/{self._fence}/{path}"
        await self._store(path=path, kind=FAILED, request=request, answer=answer, seconds=seconds, usage=usage)

    async def _store(
        self, *, path: str, kind: str, request: str, answer: str, seconds: float, usage: CallUsage | None = None
    ) -> str:
        """Store what a flight has come to, which is never broken off: it is perhaps paid for."""
        self._storing.add(asyncio.current_task())
        return await self._record(path=path, kind=kind, request=request, answer=answer, seconds=seconds, usage=usage)

    async def close(self, *, grace: float) -> None:
        """Let calls under way finish for `grace` seconds, then cancel them; however slow the disk, an answer that has
        come is kept.

        What is made of calls begins no further one.
        """
        self._closing = True
        if flights := set(self._flights.values()):
            with suppress(TimeoutError):
                async with Within(grace):
                    await asyncio.wait(flights)
        for task in flights - self._storing:
            task.cancel()
        await asyncio.gather(*flights, return_exceptions=True)


class _OutOfTime(TimedOut):
    """The time of the run was up before there was an answer."""


async def _in_time(work: Awaitable[T], left: float | None, *, share: float = 1.0) -> T:
    """What a call gives, if it does so in that share of so many seconds.

    Raises:
        TimedOut: it does not; `_OutOfTime` when that was all of them.
    """
    try:
        async with asyncio.timeout(None if left is None else left * share) as until:
            return await work
    except TimeoutError as error:
        if not until.expired():
            raise
        if share < 1:
            raise TimedOut(NO_TIME) from error
        raise _OutOfTime("The time of the run was up before it answered.") from error


def _for_nothing(reply: ModelReply, call: ModelCall) -> ModelReply:
    """A reply that was paid for before."""
    usage = reply.usage.model_copy(
        update={"tier": call.expected.tier, "cost_usd": 0.0, "priced": True, "estimated": False, "cached": True}
    )
    return reply.model_copy(update={"usage": usage})
