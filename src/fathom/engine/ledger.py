"""What a run has stored, decided and spent, as every process takes it up: the ground that its journal stands on."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from fathom.browsing import READ, WEB_SEARCH, Reading, SearchResults
from fathom.engine import failures
from fathom.engine.budget import Budget
from fathom.errors import BudgetSpent, LimitReached, MissingAnswer, ProviderError
from fathom.limits import Limits
from fathom.ports import CallUsage, JournalEntry, Phase
from fathom.report import Usage

DECIDE = "decide"
FAILED = "failed"
BEGUN = "begun"
"""Begins the path of a decision: to make a call that costs something. What is stored for its request ends that call."""
ANSWER = "answer"
"""An answer that was made of calls of its own: neither counted nor kept waiting at the gate."""
MODEL = "model"
"""The name that equal requests to models share, whatever their path."""


class Replies(Protocol):
    """Looks up what a model has answered in any run (see `RunStore.reply`)."""

    async def __call__(self, request: str) -> str | None: ...


class AnswerStore(Protocol):
    """Stores the answer of a call, durably, and returns what is stored (see `RunStore.record`)."""

    async def __call__(
        self, *, path: str, kind: str, request: str, answer: str, seconds: float, usage: CallUsage | None = None
    ) -> str: ...


async def keep_nothing(*, answer: str, **_: object) -> str:
    """The `AnswerStore` of calls that no run is made of."""
    return answer


class Ledger:
    """Knows every answer, failure, decision and expense of a run, and adds to them; it calls nobody.

    - Whatever depends on timing is decided once (`decide`): who got the last subtask, why the run stopped.
    - Once the run has stopped, it stays so in this process, in a resumed one and in a replay.
    """

    def __init__(
        self,
        entries: Iterable[JournalEntry],
        *,
        record: AnswerStore,
        limits: Limits,
        attempt: int = 1,
        fence: int = 0,
        seconds: float = 0.0,
        replay: bool = False,
        metered: bool = False,
        replies: Replies | None = None,
        clock: Callable[[], float] = time.monotonic,
        taken: float = 0.0,
    ) -> None:
        """Take up what the run has stored.

        Args:
            metered: Whether a model answers, so that a part of every limit is kept back for writing.
            taken: Seconds since this process was asked for the run.
            replies: What models have answered in earlier runs; `None` has every run pay for itself.
        """
        self._record = record
        self._attempt = attempt
        self._fence = fence
        self._replay = replay
        self._clock = clock
        self._started = clock() - seconds - taken
        self._seconds_stored = seconds
        self._waited = 0.0
        self._waits_since: float | None = None
        # by path, and by the name that equal requests share
        self._answers: dict[tuple[str, str], str] = {}
        self._decisions: dict[str, Any] = {}
        self._failures: dict[tuple[str, str], ProviderError] = {}
        self._deciding: dict[str, asyncio.Future[str]] = {}
        self._begun = 0
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
        if self.reason:
            self.stopping.set()
        self._replies = replies
        self._open()

    def _open(self) -> None:
        """Make what calling takes."""

    def _load(self, entries: Iterable[JournalEntry]) -> None:
        failed, begun = [], list[JournalEntry]()
        ended = Counter[str]()
        for entry in entries:
            ended[entry.request] += entry.kind != DECIDE and not (entry.usage and entry.usage.cached)
            if entry.kind == DECIDE and entry.path.startswith(f"{BEGUN}/"):
                begun.append(entry)
            elif entry.kind == DECIDE:
                self._decisions[entry.path] = json.loads(entry.answer)
                if entry.path == f"attempt/{self._attempt}":
                    self._open_to_research()
            elif entry.kind == FAILED:
                failed.append(entry)
            elif entry.usage is not None:
                self._remember(entry.path, MODEL, entry.request, entry.answer)
                self.budget.spend(entry.usage)
                if not entry.usage.cached:
                    self._count(entry.kind, entry.path)
            else:
                self._remember(entry.path, common(entry.path, entry.kind), entry.request, entry.answer)
                self._take_down(entry.kind, entry.answer)
                if entry.kind != ANSWER:
                    self._count(entry.kind, entry.path)
        ended_by = self._decisions.get(f"end/{self._attempt}", {}).get("fence")
        for entry in failed:
            _, fence, path = entry.path.split("/", 2)
            failure = json.loads(entry.answer)
            if failure["kind"] != ANSWER and failure["error"] != BudgetSpent.__name__:  # which nobody was asked for
                self._count(failure["kind"], path)
            if entry.usage is not None:  # of a model: another attempt is made, here as in a process that goes on
                self.budget.spend(entry.usage, answered=False)
            elif int(fence) == ended_by:
                self._failures[path, entry.request] = failures.revived(failure)
                self._failures[common(path, failure["kind"]), entry.request] = failures.revived(failure)
        for entry in begun:
            ended[entry.request] -= 1
            if ended[entry.request] < 0:  # its process died: nobody knows how far it came, and it may have to be paid
                lost = json.loads(entry.answer)
                self._count(lost["kind"], lost["path"])
                self.budget.charge(CallUsage.model_validate(lost["expected"]))
        start = self._decisions.get(f"attempt/{self._attempt}", {})
        self.budget.start_from(start)
        self._seconds_before: float = start.get("seconds", 0.0)

    # ── What is known ──────────────────────────────────────────────────────────────────────────────────────────────

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

    def _remember(self, path: str, shared: str, request: str, answer: str) -> None:
        """Under its path, and under the name that equal requests share."""
        self._answers[path, request] = answer
        self._answers.setdefault((shared, request), answer)

    def _take_down(self, kind: str, answer: str) -> None:
        """What a call to the web took that an earlier process made."""
        if kind == WEB_SEARCH:
            self.budget.searched(SearchResults.model_validate_json(answer))
        elif kind == READ:
            page = Reading.model_validate_json(answer).page
            if page is not None and not page.cached:
                self.budget.has_read()

    def _count(self, kind: str, path: str, number: int = 1) -> None:
        self.budget.count(kind, number, research=not path.startswith("report/"))

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

    def has_asked(self, prefix: str) -> bool:
        """Whether anything was asked so far at a path that begins so."""
        return any(path.startswith(prefix) for path, _ in self._answers)

    def has_researched(self, prefix: str) -> bool:
        """The same, without what the report of an earlier attempt asked and research shares."""
        return any(
            path.startswith(prefix) and (f"report/{path}", request) not in self._answers
            for path, request in self._answers
        )

    def leaves_out(self, path: str) -> bool:
        """Whether the subtask that a place belongs to, or one above it, was skipped."""
        return any(path == id or path.startswith((f"{id}/", f"{id}.")) for id in self.decided("skip/"))

    def decision(self, path: str) -> Any:
        """What was decided at `path`; `None` when nothing was."""
        return self._decisions.get(path)

    def decided(self, prefix: str) -> dict[str, Any]:
        """The decisions so far whose path begins with `prefix`, by the rest of their paths."""
        found = self._decisions.items()
        return {path.removeprefix(prefix): value for path, value in found if path.startswith(prefix)}

    async def _begin(self, path: str, kind: str, request: str, expected: CallUsage) -> None:
        """Write down that a call goes out which costs something.

        Raises:
            Fenced: the run is another process's by now; it pays.
            StoreError: it could not be stored.
        """
        self._begun += 1
        await self._record(
            path=f"{BEGUN}/{self._fence}/{self._begun}",
            kind=DECIDE,
            request=request,
            answer=json.dumps({"kind": kind, "path": path, "expected": expected.model_dump(mode="json")}),
            seconds=0.0,
        )

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
        return reason if self.refused else self.spent or self.decision(self._searches_spent)

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
    def spent(self) -> str | None:
        """The limit on tokens or dollars that research has used up in this attempt; `None` when it has not."""
        spent: str | None = self._decisions.get(f"spent/{self._attempt}")
        return spent

    @property
    def _searches_spent(self) -> str:
        """Where it is decided that there are no dollars left for a search: one that costs less may still go on."""
        return f"spent/{self._attempt}/searches"

    @property
    def _seconds_of_attempt(self) -> float:
        return self.seconds - self._seconds_before

    async def begin_attempt(self) -> None:
        """Grant the limits anew: what earlier attempts took no longer counts."""
        path = f"attempt/{self._attempt}"
        if self.decision(path) is None:
            self._open_to_research()
        decided = await self.decide(path, {**self.budget.so_far(), "seconds": self._seconds_stored})
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
        return self._left("research")

    def _left(self, phase: Phase) -> float | None:
        """Seconds that a call of that phase may take at most; `None` for as many as it likes."""
        most = self.budget.research_seconds if phase == "research" else self.budget.limits.max_time
        return None if most is None else max(0.0, most - self._seconds_of_attempt)

    # ── The account ────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def seconds(self) -> float:
        """Wall time that the run has taken; pauses between processes, and waiting for its person alone, excluded."""
        waits = self._clock() - self._waits_since if self._waits_since is not None else 0.0
        return self._clock() - self._started - self._waited - waits

    @property
    def calls(self) -> dict[str, int]:
        """Calls made so far by kind, failed ones and those of earlier processes included; by name."""
        return {kind: count for kind, count in sorted(self.budget.calls.items()) if count}

    async def end(self, *, created_at: str) -> tuple[str, Usage]:
        """Decide when the run ended, and what it took."""
        models = dict(sorted(self.budget.usage.models.items()))
        spent = self.budget.usage
        taken = {
            "calls": self.calls,
            "models": models,
            "seconds": round(self.seconds, 3),
            "searches": dict(sorted(spent.searches.items())),
            "search_cost_usd": round(spent.search_cost_usd, 9),  # whatever the order in which it was added up
            "cost_usd": round(spent.cost_usd, 9),
        }
        usage = spent.model_copy(update=taken)
        end = {"created_at": created_at, "usage": usage.model_dump(mode="json"), "fence": self._fence}
        decided = await self.decide(f"end/{self._attempt}", end)
        return str(decided["created_at"]), Usage.model_validate(decided["usage"])


def _stood_in(answer: str) -> bool:
    """Whether it was given in place of a model's (see `fathom.engine.calls.packed`)."""
    value = json.loads(answer)
    return isinstance(value, dict) and bool(value.get("stood_in"))


def common(path: str, kind: str) -> str:
    """The name that equal requests share, whatever their path; research and report each have their own."""
    return f"report/{kind}" if path.startswith("report/") else kind
