"""The ideal that a run is held against: its own calls, by a scheduler that costs nothing."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fathom.engine.run import pin
from fathom.frozen import request_digest
from fathom.ports import JournalEntry
from tests.support.doubles.reasoner import Shape
from tests.support.lab import Lab

Priority = tuple[float, ...]


@dataclass(frozen=True)
class Call:
    """A call of a run."""

    seconds: float
    waits_for: frozenset[str]
    """Paths of the calls that must have ended before."""
    priority: Priority = ()
    """Whoever has the smaller one goes first when slots are scarce."""


def seconds_of(calls: Mapping[str, Call], *, slots: int) -> float:
    """How long a perfect scheduler takes: a call starts when all that it waits for has ended and a slot is free."""
    left = {path: set(call.waits_for) for path, call in calls.items()}
    followers: dict[str, list[str]] = {path: [] for path in calls}
    for path, call in calls.items():
        for each in call.waits_for:
            followers[each].append(path)
    ready = [(calls[path].priority, path) for path, waits in left.items() if not waits]
    heapq.heapify(ready)
    running: list[tuple[float, str]] = []
    now = 0.0
    while ready or running:
        while ready and len(running) < slots:
            _, path = heapq.heappop(ready)
            heapq.heappush(running, (now + calls[path].seconds, path))
        now, path = heapq.heappop(running)
        for each in followers[path]:
            left[each].discard(path)
            if not left[each]:
                heapq.heappush(ready, (calls[each].priority, each))
    return now


def calls_of(lab: Lab, entries: list[JournalEntry], shape: Shape) -> dict[str, Call]:
    """The calls of a simulated run by path, with their simulated latencies and what the plan makes them wait for."""
    seconds = _latencies(lab)
    reviewed = {entry.path: entry.answer.strip('"') for entry in entries if entry.path.endswith("/of")}
    made = {entry.path: entry.request for entry in entries if entry.kind not in {"decide", "failed"}}
    paths = _Paths(set(made), shape, reviewed)
    return {
        path: Call(seconds[request], frozenset(each for each in paths.before(path) if each in made), _priority(path))
        for path, request in made.items()
    }


def _latencies(lab: Lab) -> dict[str, float]:
    """Simulated seconds of every call, by the digest of its request."""
    latency = lab.reasoner.latency
    found = {}
    for ask in lab.reasoner.asks:
        digest = ask.digest()
        found[request_digest(pin(lab.reasoner), ask.kind(), digest)] = latency(ask.kind(), digest)
        found[request_digest("describe", "knowledge", ask.query)] = latency("describe", ask.query)
    for source in lab.sources:
        for query, limit in source.queries:
            for revision in (source.revision, ""):
                request = request_digest("search", source.name, revision, query.digest(), str(limit))
                found[request] = latency("search", query.text)
    return found


def _priority(path: str) -> Priority:
    """As the engine has it for a simulated plan: importance, then depth, then priority."""
    head = path.split("/")[0]
    if not head.startswith("task_"):
        return ()
    depth = head.count(".")
    return (-(0.8 * 0.9**depth), depth, float(head.removeprefix("task_").rpartition(".")[2]))


@dataclass(frozen=True)
class _Paths:
    """What waits for what, by the names of the paths."""

    paths: set[str]
    shape: Shape
    reviewed: dict[str, str]

    def before(self, path: str) -> Iterator[str]:
        head, *rest = path.split("/")
        if head.startswith("task_"):
            yield from self._in_subtask(head, rest)
        elif path == "plan":
            yield from self._starting("describe/", "preview/")
        elif head == "revision":
            turn = int(rest[0])
            yield f"{self.reviewed[f'revision/{turn}/of']}/synthesize"
            yield f"revision/{turn - 1}"
        elif head == "reflect":
            yield from self._starting("task_", "revision/")
        elif path == "report/outline":
            yield from self._starting("task_", "revision/", "reflect/")
        elif head == "report":
            yield "report/outline"

    def _in_subtask(self, id: str, rest: list[str]) -> Iterator[str]:
        if rest == ["synthesize"]:
            yield self._last_assessment(id)
            yield from (each for each in self._starting(f"{id}.") if each.endswith("/synthesize"))
            return
        round, step, *_ = rest
        match step:
            case "allocate" if round != "r0":
                yield f"{id}/r{int(round[1:]) - 1}/assess"
            case "allocate" if "." in id:
                yield self._last_assessment(id.rpartition(".")[0])
            case "allocate":
                yield "plan"
                needed = self.shape.dependencies.get(int(id.removeprefix("task_")), ())
                yield from (f"task_{each}/synthesize" for each in needed)
            case "search":
                yield f"{id}/{round}/allocate"
            case "extract":
                yield from self._starting(f"{id}/{round}/search/")
            case "assess":
                yield f"{id}/{round}/extract"

    def _last_assessment(self, id: str) -> str:
        return max(
            (path for path in self._starting(f"{id}/r") if path.endswith("/assess")), key=lambda path: (len(path), path)
        )

    def _starting(self, *prefixes: str) -> Iterator[str]:
        return (path for path in self.paths if path.startswith(prefixes))
