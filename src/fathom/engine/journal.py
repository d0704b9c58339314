"""The run journal: the one door to the world, and the only truth about what a run has done."""

from __future__ import annotations

import asyncio
import contextvars
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Literal, Protocol

from fathom.engine import failures
from fathom.engine.gate import Gate, Priority
from fathom.errors import LimitReached, MissingAnswer, ProviderError
from fathom.limits import Limits
from fathom.ports import JournalEntry

Phase = Literal["research", "report"]
"""Calls of the report are always allowed: what was found is written up whatever limit binds."""

DECIDE = "decide"
FAILED = "failed"


class Record(Protocol):
    """Stores the answer of a call, durably, and returns what is stored (see `RunStore.record`)."""

    async def __call__(self, *, path: str, kind: str, request: str, answer: str, seconds: float) -> str: ...


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
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._record = record
        self._limits = limits
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
        self._calls: Counter[str] = Counter()
        self._research_calls = 0
        self._load(entries)
        self.stopping = asyncio.Event()
        """Set once the run has stopped."""
        self.reason: str | None = self._decisions.get(f"stop/{attempt}")
        """Why it has."""
        self.refused = False
        """Whether that has cut anything off: a limit that binds after the last call does no harm."""
        self.open = True
        """Whether research goes on, so that it can be stopped."""
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
            else:
                self._remember(entry.path, entry.kind, entry.request, entry.answer)
                self._count(entry.kind, entry.path)
        ended_by = self._decisions.get(f"end/{self._attempt}", {}).get("fence")
        for entry in failed:
            _, fence, path = entry.path.split("/", 2)
            failure = json.loads(entry.answer)
            self._count(failure["kind"], path)
            if int(fence) == ended_by:
                self._failures[path, entry.request] = failures.revived(failure)
                self._failures[_common(path, failure["kind"]), entry.request] = failures.revived(failure)
        start = self._decisions.get(f"attempt/{self._attempt}", {})
        self._calls_before: int = start.get("calls", 0)
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

        With `shared`, equal requests of a run are performed once, whatever their paths.

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
                self._perform(path, kind, request, perform, phase, priority, flight), context=contextvars.Context()
            )
            self._flights[flight] = task
            task.add_done_callback(lambda done: self._landed(flight, done))
        return await asyncio.shield(task)  # a caller that is cancelled must not lose a paid call

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
        await self._gate.enter((phase != "report", *priority))
        try:
            self._check(phase)  # the wait may have been long
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
            self._gate.leave()

    def _landed(self, flight: tuple[str, str], task: asyncio.Task[str]) -> None:
        del self._flights[flight]
        if not task.cancelled():
            task.exception()  # seen, also when every caller was cancelled meanwhile

    async def _store_failure(self, path: str, kind: str, request: str, error: ProviderError, seconds: float) -> None:
        answer = json.dumps(failures.stored(kind, error))
        path = f"{FAILED}/{self._fence}/{path}"
        await self._record(path=path, kind=FAILED, request=request, answer=answer, seconds=seconds)

    def _remember(self, path: str, kind: str, request: str, answer: str) -> None:
        self._answers[path, request] = answer
        self._answers.setdefault((_common(path, kind), request), answer)

    def _count(self, kind: str, path: str) -> None:
        self._calls[kind] += 1
        self._research_calls += not path.startswith("report/")

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
        return reason if self.refused else None

    def _stop(self, reason: str) -> None:
        if self.reason is None and self.open and not self._replay:
            self.reason = reason
            self.stopping.set()

    def _check(self, phase: Phase) -> None:
        if phase == "report":
            return
        limits = self._limits
        if limits.max_calls is not None and self._research_calls - self._calls_before >= limits.max_calls:
            self._stop("max_calls")
        elif limits.max_time is not None and self.seconds - self._seconds_before >= limits.max_time:
            self._stop("max_time")
        if self.reason:
            self.refused = True
            raise LimitReached(self.reason)

    async def begin_attempt(self) -> None:
        """Grant the limits anew: what earlier attempts took no longer counts."""
        path = f"attempt/{self._attempt}"
        if self.decision(path) is None:
            self._open_to_research()
        decided = await self.decide(path, {"calls": self._research_calls, "seconds": self.seconds})
        self._calls_before, self._seconds_before = decided["calls"], decided["seconds"]

    def _open_to_research(self) -> None:
        """Let research share what the report asked so far.

        Within an attempt it must not: what research was refused, and the report then asked, a replay would find.
        """
        for (name, request), answer in list(self._answers.items()):
            if name.startswith("report/"):
                self._answers.setdefault((name.removeprefix("report/"), request), answer)

    @property
    def time_left(self) -> float | None:
        """Seconds until `max_time` binds; `None` without that limit."""
        if self._limits.max_time is None:
            return None
        return max(0.0, self._limits.max_time - (self.seconds - self._seconds_before))

    # ── The account ────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def seconds(self) -> float:
        """Wall time that the run has taken, pauses between processes excluded."""
        return self._clock() - self._started

    @property
    def calls(self) -> dict[str, int]:
        """Calls made so far by kind, failed ones and those of earlier processes included; by name."""
        return dict(sorted(self._calls.items()))

    async def end(self, *, created_at: str) -> dict[str, Any]:
        """Decide when the run ended and what it took: `created_at`, `calls`, `seconds`, `fence`."""
        end = {"created_at": created_at, "calls": self.calls, "seconds": round(self.seconds, 3), "fence": self._fence}
        return dict(await self.decide(f"end/{self._attempt}", end))

    async def close(self, *, grace: float) -> None:
        """Let calls under way finish for `grace` seconds, so that their answers are kept; then cancel them."""
        flights = set(self._flights.values())
        if flights:
            await asyncio.wait(flights, timeout=grace)
        for task in flights:
            task.cancel()
        await asyncio.gather(*flights, return_exceptions=True)


def _common(path: str, kind: str) -> str:
    """The name that equal requests share, whatever their path; research and report each have their own."""
    return f"report/{kind}" if path.startswith("report/") else kind
