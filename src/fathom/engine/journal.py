"""The run journal: the one door to the world, and the only truth about what a run has done."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Literal, Protocol

from fathom.engine import failures, tracing
from fathom.engine.budget import Budget
from fathom.engine.gate import Gate, Priority
from fathom.errors import BudgetSpent, LimitReached, MissingAnswer, ProviderError
from fathom.limits import Limits
from fathom.ports import CallUsage, JournalEntry, ModelCall, ModelReply
from fathom.report import Usage

Phase = Literal["research", "report"]
"""Calls of the report are always allowed: what was found is written up whatever limit binds."""

DECIDE = "decide"
FAILED = "failed"
ANSWER = "answer"
"""An answer that was made of calls of its own: neither counted nor kept waiting at the gate."""
_MODEL = "model"
"""The name that equal requests to models share, whatever their path."""


class Record(Protocol):
    """Stores the answer of a call, durably, and returns what is stored (see `RunStore.record`)."""

    async def __call__(
        self, *, path: str, kind: str, request: str, answer: str, seconds: float, usage: CallUsage | None = None
    ) -> str: ...


class Replies(Protocol):
    """Looks up what a model has answered in any run (see `RunStore.reply`)."""

    async def __call__(self, request: str) -> str | None: ...


class Journal:
    """Answers calls from what the run has stored, and stores what it had to ask for.

    - An answer is durable before anyone sees it, and is found by its path in the plan and the digest of what was
      asked, never by the order of calls: so a resumed run repeats no finished call.
    - Whatever depends on timing is decided once (`decide`): who got the last subtask, why the run stopped.
    - Once the run has stopped, a research call that is not in the journal raises `LimitReached`, in this process, in
      a resumed one and in a replay: so all of them take the same branches and write the same bytes.
    - A failed call is stored as a failure of this process (`fence`). A process that takes the run up tries it again;
      a replay, and whoever takes up a run whose report was already decided on, follows the failures of the process
      that ended it.
    """

    def __init__(
        self,
        entries: Iterable[JournalEntry],
        *,
        record: Record,
        limits: Limits,
        attempt: int = 1,
        fence: int = 0,
        seconds: float = 0.0,
        replay: bool = False,
        metered: bool = False,
        replies: Replies | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take up what the run has stored.

        Args:
            metered: Whether a model answers, so that a part of every limit is kept back for writing.
            replies: What models have answered in earlier runs; `None` has every run pay for itself.
        """
        self._record = record
        self._replies = replies
        self._attempt = attempt
        self._fence = fence
        self._replay = replay
        self._clock = clock
        self._started = clock() - seconds
        self._gate = Gate(limits.max_concurrency)
        # by path, and by the name that equal requests share
        self._answers: dict[tuple[str, str], str] = {}
        self._decisions: dict[str, Any] = {}
        self._failures: dict[tuple[str, str], ProviderError] = {}
        self._flights: dict[tuple[str, str], asyncio.Task[str]] = {}
        self._deciding: dict[str, asyncio.Future[str]] = {}
        self.budget = Budget(limits, metered=metered)
        self._load(entries)
        self.stopping = asyncio.Event()
        """Set once the run has stopped."""
        self.reason: str | None = self._decisions.get(f"stop/{attempt}")
        """Why it has."""
        self.refused = False
        """Whether that has cut anything off: a limit that binds after the last call does no harm."""
        self.open = True
        """Whether research goes on, so that it can be stopped."""
        self._closing = False
        if self.reason:
            self.stopping.set()

    def _load(self, entries: Iterable[JournalEntry]) -> None:
        failed = []
        for entry in entries:
            if entry.kind == DECIDE:
                self._decisions[entry.path] = json.loads(entry.answer)
                if entry.path == f"attempt/{self._attempt}":
                    self._open_to_research()
            elif entry.kind == FAILED:
                failed.append(entry)
            elif entry.usage is not None:
                self._remember_reply(entry.path, entry.request, entry.answer)
                self.budget.spend(entry.usage)
                if not entry.usage.cached:
                    self._count(entry.kind, entry.path)
            else:
                self._remember(entry.path, entry.kind, entry.request, entry.answer)
                if entry.kind != ANSWER:
                    self._count(entry.kind, entry.path)
        ended_by = self._decisions.get(f"end/{self._attempt}", {}).get("fence")
        for entry in failed:
            _, fence, path = entry.path.split("/", 2)
            failure = json.loads(entry.answer)
            if failure["kind"] != ANSWER:
                self._count(failure["kind"], path)
            if entry.usage is not None:  # of a model: another attempt is made, here as in a process that goes on
                self.budget.spend(entry.usage, answered=False)
            elif int(fence) == ended_by:
                self._failures[path, entry.request] = failures.revived(failure)
                self._failures[_common(path, failure["kind"]), entry.request] = failures.revived(failure)
        start = self._decisions.get(f"attempt/{self._attempt}", {})
        self.budget.start_from(start)
        self._seconds_before: float = start.get("seconds", 0.0)

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
            LimitReached: the run has stopped, and this call was not made before.
            ProviderError: the call failed.
            MissingAnswer: a replay needs a call that was never made.
            StoreError: the answer could not be stored.
        """
        if phase == "report" and not path.startswith("report/"):
            path = f"report/{path}"
        if (known := self._known(path, request)) is not None:
            return known
        if shared and (known := self._known(_common(path, kind), request)) is not None:
            return known
        flight = (_common(path, kind) if shared else path, request)
        task = self._flights.get(flight)
        if task is None:
            self._check(phase)
            if self._replay:
                raise MissingAnswer(f"The journal holds no answer for {path}: resume the run instead of replaying it.")
            # a clean context: the call must not inherit the finished configuration of a graph's node
            task = asyncio.get_running_loop().create_task(
                self._perform(path, kind, request, perform, phase, priority, flight), context=tracing.clean_context()
            )
            self._flights[flight] = task
            task.add_done_callback(lambda done: self._landed(flight, done))
        return await asyncio.shield(task)  # a caller that is cancelled must not lose a paid call

    def answered(self, path: str, request: str, *, phase: Phase) -> str | None:
        """What is stored at `path` for `request`; `None` when nothing is."""
        if phase == "report" and not path.startswith("report/"):
            path = f"report/{path}"
        return self._answers.get((path, request))

    def _known(self, name: str, request: str) -> str | None:
        """The answer under a path, or under a kind; its failure is raised."""
        if (answer := self._answers.get((name, request))) is not None:
            return answer
        if failure := self._failures.get((name, request)):
            raise failure
        return None

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
            await self._gate.enter((phase != "report", *priority))
        try:
            self._check(phase)  # the wait may have been long
            if not makes_calls:
                self._count(kind, path)
            started = self._clock()
            try:
                answer = await perform()
            except ProviderError as error:
                self._failures[flight] = error  # in this process it stays failed: whoever asks again is told the same
                await self._store_failure(path, kind, request, error, self._clock() - started)
                raise
            stored = await self._record(
                path=path, kind=kind, request=request, answer=answer, seconds=self._clock() - started
            )
            self._remember(path, kind, request, stored)
            return stored
        finally:
            if not makes_calls:
                self._gate.leave()

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
        path = f"{path}/{_MODEL}"
        if phase == "report" and not path.startswith("report/"):
            path = f"report/{path}"
        if known := self._answers.get((path, call.request)):
            return ModelReply.model_validate_json(known)
        if self._replay:
            raise MissingAnswer(f"The journal holds no answer for {path}: resume the run instead of replaying it.")
        flight = (_MODEL if self._replies else path, call.request)
        while True:
            task = self._flights.get(flight)
            if task is None:
                self._see_whether_open()
                task = asyncio.get_running_loop().create_task(
                    self._pay(path, call, perform, phase, priority, usable), context=tracing.clean_context()
                )
                self._flights[flight] = task
                task.add_done_callback(lambda done: self._landed(flight, done))
            try:
                return ModelReply.model_validate_json(await asyncio.shield(task))
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
        await self._gate.enter((phase != "report", *priority))
        try:
            self._see_whether_open()
            await self._check_spending(phase, call.expected)  # it waits only when it refuses
            self._count(call.ask, path)
            ticket = self.budget.begin(call.expected)
            started = self._clock()
            try:
                reply = await tracing.model_call(call, perform)
            except ProviderError as error:
                usage = (
                    call.expected if error.charged else CallUsage(model=call.expected.model, tier=call.expected.tier)
                )
                self.budget.spend(usage, answered=False)
                await self._store_failure(
                    f"{path}/{call.attempt}", call.ask, call.request, error, self._clock() - started, usage=usage
                )
                raise
            finally:
                self.budget.end(ticket)
            return await self._keep(path, call, reply, seconds=self._clock() - started)
        finally:
            self._gate.leave()

    def _see_whether_open(self) -> None:
        if self._closing:
            raise asyncio.CancelledError("the run is broken off: nothing new is paid for")

    async def _earlier(self, request: str) -> ModelReply | None:
        """What was answered to an equal request elsewhere in this run, or in an earlier one."""
        if self._replies is None:
            return None
        known = self._answers.get((_MODEL, request)) or await self._replies(request)
        return ModelReply.model_validate_json(known) if known else None

    async def _keep(self, path: str, call: ModelCall, reply: ModelReply, *, seconds: float) -> str:
        self.budget.spend(reply.usage)
        stored = await self._record(
            path=path,
            kind=call.ask,
            request=call.request,
            answer=reply.model_dump_json(),
            seconds=seconds,
            usage=reply.usage,
        )
        self._remember_reply(path, call.request, stored)
        return stored

    async def wait(self, seconds: float, *, phase: Phase) -> None:
        """Wait before a call to a model, but no longer than the run has time, and in research until it is stopped.

        Raises:
            LimitReached, BudgetSpent: as for `pay`.
        """
        most = self.budget.research_seconds if phase == "research" else self.budget.limits.max_time
        if most is not None:
            seconds = min(seconds, max(0.0, most - self._seconds_of_attempt))
        if phase == "research":
            await asyncio.wait([stopped := asyncio.ensure_future(self.stopping.wait())], timeout=seconds)
            stopped.cancel()
        else:
            await asyncio.sleep(seconds)
        await self._check_spending(phase, None)

    async def _check_spending(self, phase: Phase, expected: CallUsage | None) -> None:
        """Calls and time end research; tokens and dollars end what costs them, and the rest goes on without a model."""
        if phase == "report":
            if reason := self.budget.refuses_report(seconds=self._seconds_of_attempt, expected=expected):
                raise BudgetSpent(f"{reason} is spent: the rest of the report is written without a model.")
            return
        self._check(phase)
        if reason := self.spent or self.budget.refuses_spending(expected):
            if self.open and not self.spent:
                await self.decide(f"spent/{self._attempt}", reason)
            raise BudgetSpent(f"{reason} is spent: the rest of the research is done without a model.")

    @property
    def spent(self) -> str | None:
        """The limit on tokens or dollars that research has used up in this attempt; `None` when it has not."""
        spent: str | None = self._decisions.get(f"spent/{self._attempt}")
        return spent

    def _landed(self, flight: tuple[str, str], task: asyncio.Task[str]) -> None:
        del self._flights[flight]
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
        await self._record(path=path, kind=FAILED, request=request, answer=answer, seconds=seconds, usage=usage)

    def _remember(self, path: str, kind: str, request: str, answer: str) -> None:
        self._answers[path, request] = answer
        self._answers.setdefault((_common(path, kind), request), answer)

    def _remember_reply(self, path: str, request: str, answer: str) -> None:
        self._answers[path, request] = answer
        self._answers.setdefault((_MODEL, request), answer)

    def _count(self, kind: str, path: str) -> None:
        self.budget.count(kind, research=not path.startswith("report/"))

    # ── Decisions ──────────────────────────────────────────────────────────────────────────────────────────────────

    async def decide(self, path: str, value: Any) -> Any:
        """What was decided at `path`: `value`, unless an earlier process decided otherwise. JSON goes in and out.

        Raises:
            MissingAnswer: a replay meets a decision that was never made.
            StoreError: it could not be stored.
        """
        if path not in self._decisions:
            if self._replay:
                raise MissingAnswer(
                    f"The journal holds no decision for {path}: resume the run instead of replaying it."
                )
            answer = json.dumps(value, ensure_ascii=False)
            self._decisions[path] = json.loads(answer)  # reserved before the wait: the first to ask decides
            self._deciding[path] = asyncio.ensure_future(
                self._record(path=path, kind=DECIDE, request="", answer=answer, seconds=0.0)
            )
        if durable := self._deciding.get(path):
            await asyncio.shield(durable)
            self._deciding.pop(path, None)
        return self._decisions[path]

    def decision(self, path: str) -> Any:
        """What was decided at `path`; `None` when nothing was."""
        return self._decisions.get(path)

    def decided(self, prefix: str) -> dict[str, Any]:
        """The decisions so far whose path begins with `prefix`, by path."""
        return {path: value for path, value in self._decisions.items() if path.startswith(prefix)}

    # ── Limits ─────────────────────────────────────────────────────────────────────────────────────────────────────

    async def stop(self, reason: str | None = None) -> str | None:
        """End research, for this attempt, for good; the first reason stands. Returns it once it is durable.

        Without a reason it is not stopped, only told whether it was.
        """
        if reason:
            self._stop(reason)
        return self.reason and str(await self.decide(f"stop/{self._attempt}", self.reason))

    async def close_research(self) -> str | None:
        """From here on nothing can be cut off. Returns why something was, `None` when nothing was."""
        self.open = False
        reason = await self.stop()
        return reason if self.refused else self.spent

    def _stop(self, reason: str) -> None:
        if self.reason is None and self.open and not self._replay:
            self.reason = reason
            self.stopping.set()

    def _check(self, phase: Phase) -> None:
        if phase == "report":
            return
        if self.reason is None and (reason := self.budget.refuses_research(seconds=self._seconds_of_attempt)):
            self._stop(reason)
        if self.reason:
            self.refused = True
            raise LimitReached(self.reason)

    @property
    def _seconds_of_attempt(self) -> float:
        return self.seconds - self._seconds_before

    async def begin_attempt(self) -> None:
        """Grant the limits anew: what earlier attempts took no longer counts."""
        path = f"attempt/{self._attempt}"
        if self.decision(path) is None:
            self._open_to_research()
        decided = await self.decide(path, {**self.budget.so_far(), "seconds": self.seconds})
        self.budget.start_from(decided)
        self._seconds_before = decided["seconds"]

    def _open_to_research(self) -> None:
        """Let research share what the report asked so far.

        Within an attempt it must not: what research was refused, and the report then asked, a replay would find.
        """
        for (name, request), answer in list(self._answers.items()):
            if name.startswith("report/") and not _stood_in(answer):
                self._answers.setdefault((name.removeprefix("report/"), request), answer)

    @property
    def time_left(self) -> float | None:
        """Seconds until research has taken its time; `None` without that limit."""
        if (most := self.budget.research_seconds) is None:
            return None
        return max(0.0, most - self._seconds_of_attempt)

    # ── The account ────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def seconds(self) -> float:
        """Wall time that the run has taken, pauses between processes excluded."""
        return self._clock() - self._started

    @property
    def calls(self) -> dict[str, int]:
        """Calls made so far by kind, failed ones and those of earlier processes included; by name."""
        return dict(sorted(self.budget.calls.items()))

    async def end(self, *, created_at: str) -> tuple[str, Usage]:
        """Decide when the run ended, and what it took."""
        models = dict(sorted(self.budget.usage.models.items()))
        taken = {"calls": self.calls, "models": models, "seconds": round(self.seconds, 3)}
        usage = self.budget.usage.model_copy(update=taken)
        end = {"created_at": created_at, "usage": usage.model_dump(mode="json"), "fence": self._fence}
        decided = await self.decide(f"end/{self._attempt}", end)
        if "usage" not in decided:  # of a run before models were there
            decided["usage"] = {name: decided[name] for name in ("calls", "seconds")}
        return str(decided["created_at"]), Usage.model_validate(decided["usage"])

    async def close(self, *, grace: float) -> None:
        """Let calls under way finish for `grace` seconds, so that their answers are kept; then cancel them.

        What is made of calls begins no further one.
        """
        self._closing = True
        if flights := set(self._flights.values()):
            await asyncio.wait(flights, timeout=grace)
        for task in flights:
            task.cancel()
        await asyncio.gather(*flights, return_exceptions=True)


def _for_nothing(reply: ModelReply, call: ModelCall) -> ModelReply:
    """A reply that was paid for before."""
    usage = reply.usage.model_copy(
        update={"tier": call.expected.tier, "cost_usd": 0.0, "priced": True, "estimated": False, "cached": True}
    )
    return reply.model_copy(update={"usage": usage})


def _stood_in(answer: str) -> bool:
    """Whether it was given in place of a model's (see `fathom.engine.calls.packed`)."""
    value = json.loads(answer)
    return isinstance(value, dict) and bool(value.get("stood_in"))


def _common(path: str, kind: str) -> str:
    """The name that equal requests share, whatever their path; research and report each have their own."""
    return f"report/{kind}" if path.startswith("report/") else kind
