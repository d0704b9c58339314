"""Runs against a model server that fails at every tenth call: some with small budgets, some broken off and resumed."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import fathom
from fathom.engine.ledger import FAILED
from fathom.errors import ConfigurationError, FathomError
from fathom.report import Report
from fathom.wiring.adapters import opened_store
from fathom_testing.model_server import Entry, ModelServer
from tests.support.corpus import corpus
from tests.support.honest import faults_of
from tests.support.injected_runs import snapshots, within_bounds

FAULTS: tuple[dict[str, Any], ...] = (
    {"fault": "429", "retry_after": 0.05},
    {"fault": "429"},
    {"fault": "500"},
    {"fault": "timeout"},
    {"fault": "reset"},
    {"fault": "cut_stream"},
    {"fault": "stall_stream"},
    {"fault": "malformed_json"},
    {"fault": "wrong_schema"},
    {"fault": "empty"},
    {"fault": "refusal"},
    {"fault": "invented_ids"},
    {"fault": "endless"},
)
SHARE = 0.1
"""Part of the calls that fail, one way or another."""
NO_ANSWER = frozenset("429 500 timeout reset cut_stream stall_stream refusal".split())
"""Faults after which the same may be asked again: the others are answers, bad as they are, and paid for."""
SIDE_BY_SIDE = 4
RUNS_OF_A_GROUP = 4
PARTS = (
    "how high is the Norvik lighthouse",
    "when was the Norvik lighthouse built",
    "how far does the light of the Norvik lighthouse reach",
    "who was the last keeper of the Norvik lighthouse",
    "when was the harbour of Norvik closed",
    "what burned in the lamp of the Norvik lighthouse before 1932",
    "who keeps the Norvik lighthouse since the harbour was closed",
)


class Soak:
    """What is wrong with `count` runs, as lines in `wrong`; `reports` has their reports by the name of their model."""

    def __init__(self, folder: Path, *, count: int, seed: int) -> None:
        self._folder = folder
        self._count = count
        self._chance = Random(seed)
        self._documents = corpus(folder)
        rules: list[dict[str, Any]] = [
            {**fault, "share": SHARE / len(FAULTS), "seed": at} for at, fault in enumerate(FAULTS)
        ]
        names = [f"{kind}-{number}" for kind in ("alone", "group") for number in range(count)]
        self.server = ModelServer(latency=0.005, faults=rules, log_prompts=True, models=names)
        self.wrong: list[str] = []
        self.reports: dict[str, list[Report]] = {}
        self.broken_off = 0

    async def run(self) -> None:
        """Run them all, a few side by side."""
        jobs = iter(list(self._jobs()))

        async def work() -> None:
            for job in jobs:
                await job

        with self.server:
            await asyncio.gather(*(work() for _ in range(SIDE_BY_SIDE)))

    def _jobs(self) -> Iterator[Any]:
        number = 0
        while number < self._count:
            chance = Random(self._chance.random())
            if chance.random() < 0.1 and number + RUNS_OF_A_GROUP <= self._count:
                yield self._group(f"group-{number}", chance)
                number += RUNS_OF_A_GROUP
            else:
                yield self._alone(f"alone-{number}", chance)
                number += 1

    async def _alone(self, name: str, chance: Random) -> None:
        """A run of its own, with or without a small budget, broken off up to twice."""
        limits: dict[str, Any] = chance.choice(_BUDGETS)(chance)
        kills = chance.choice((0, 0, 1, 2))
        await self._one(name, _question(chance), chance, limits=limits, kills=kills, cache=chance.random() < 0.5)
        self.wrong += _overshot(name, limits, self._calls_of(name), self.reports.get(name, []), killed=kills > 0)
        self.wrong += _paid_twice(name, self._calls_of(name), await self._cut_off(name))

    async def _group(self, name: str, chance: Random) -> None:
        """The same question several times, one run after the other, in which nothing is paid for twice."""
        question = _question(chance)
        for _ in range(RUNS_OF_A_GROUP):
            await self._one(name, question, chance, limits={}, kills=chance.choice((0, 0, 1)), cache=True)
        self.wrong += _paid_twice(name, self._calls_of(name))

    async def _one(
        self, name: str, question: str, chance: Random, *, limits: dict[str, Any], kills: int, cache: bool
    ) -> None:
        settings = fathom.Settings(
            home=self._folder / "home",
            model=f"openai:{name}",
            base_url=f"{self.server.url}/v1",
            model_timeout=4.0,
            model_stall=2.0,  # less would make a busy machine look like a stalled model
            cache=cache,
            prices={f"openai:{name}": {"input": 10.0, "output": 40.0}},
        )
        stream = fathom.stream(question, documents=[self._documents], limits=limits, settings=settings)
        try:
            while True:
                left = chance.randrange(2, 25) if kills else None
                async with stream as run:
                    async for stored in run:
                        if left is not None and stored.seq - run.known >= left:
                            break
                    else:
                        report = await run.report()
                        break
                if ended := await _ended(settings, run.run_id):
                    report = ended
                    break
                self.broken_off += 1
                kills -= 1
                stream = fathom.take_up(run.run_id, settings=settings)
        except FathomError as error:
            if isinstance(error, ConfigurationError) and "gave no answer within" in str(error):  # the machine is busy
                await self._one(name, question, chance, limits=limits, kills=kills, cache=cache)
            else:
                self.wrong.append(f"{name}: no report: {type(error).__name__}: {error}")
            return
        self.reports.setdefault(name, []).append(report)
        self.wrong += [f"{name}: {fault}" for fault in faults_of(report, await snapshots(settings, report))]
        self.wrong += [f"{name}: {fault}" for fault in within_bounds(report)]

    async def _cut_off(self, name: str) -> Counter[str]:
        """How many calls by ask the time of a run cut off: the server may have answered in the moment of leaving."""
        async with opened_store(fathom.Settings(home=self._folder / "home")) as store:
            journals = [await store.journal(report.run_id) for report in self.reports.get(name, [])]
        failed = [json.loads(entry.answer) for entries in journals for entry in entries if entry.kind == FAILED]
        return Counter(each["kind"] for each in failed if each["error"] == "_OutOfTime")

    def _calls_of(self, name: str) -> list[Entry]:
        return [call for call in self.server.calls if call.model == name]


_BUDGETS: tuple[Any, ...] = (
    lambda chance: {},  # noqa: ARG005
    lambda chance: {},  # noqa: ARG005
    lambda chance: {"max_tokens": chance.randrange(1, 20_000)},
    lambda chance: {"max_cost": chance.uniform(0.001, 0.2)},
    lambda chance: {"max_calls": chance.randrange(1, 25)},
    lambda chance: {"max_time": chance.uniform(0.1, 3.0)},
)


async def _ended(settings: fathom.Settings, run_id: str) -> Report | None:
    """The report of a run that ended in the very moment in which it was broken off."""
    async with opened_store(settings) as store:
        return await store.report(run_id) if (await store.run(run_id)).status in ("completed", "partial") else None


def _question(chance: Random) -> str:
    text = ", and ".join(chance.sample(PARTS, chance.randrange(1, 5)))
    return f"{text[0].upper()}{text[1:]}?"


def _answered(call: Entry) -> bool:
    return call.status == 200 and call.fault not in NO_ANSWER


def _paid_twice(name: str, calls: list[Entry], cut_off: Mapping[str, int] | None = None) -> Iterator[str]:
    """Prompts that were answered more than once."""
    prompts = Counter((call.ask, *call.prompt) for call in calls if _answered(call))
    for (ask, *_), count in prompts.items():
        if count > 1 + (cut_off or {}).get(ask, 0):
            told = [(call.start, call.end, call.fault, call.streamed) for call in calls if call.ask == ask]
            yield f"{name}: one {ask} was paid for {count} times: {told}"


def _overshot(
    name: str, limits: dict[str, Any], calls: list[Entry], reports: list[Report], *, killed: bool
) -> Iterator[str]:
    """Calls that began when the budget was spent already: only what is under way may overshoot it."""
    for call in calls:
        before = [other for other in calls if other.end and other.end <= call.start and _answered(other)]
        tokens = sum(other.prompt_tokens + other.completion_tokens for other in before)
        dollars = sum(other.prompt_tokens * 10 + other.completion_tokens * 40 for other in before) / 1e6
        if tokens + call.prompt_tokens > limits.get("max_tokens", float("inf")):
            yield f"{name}: a call of {call.prompt_tokens} tokens began when {tokens} of {limits} were spent"
        if dollars + call.prompt_tokens / 1e5 > limits.get("max_cost", float("inf")):
            yield f"{name}: a call began when ${dollars:.4f} of {limits} were spent"
    for report in reports:
        usage, most = report.usage, limits.get("max_calls")
        if most is not None and sum(usage.calls.values()) > most:
            yield f"{name}: {usage.calls} for {limits}"
        told = sum(call.prompt_tokens for call in calls if _answered(call))
        if usage.prompt_tokens < told and not killed and not usage.estimated_tokens:  # what time cut off is estimated
            sent = [(call.ask, call.fault, call.status, call.prompt_tokens) for call in calls]
            yield f"{name}: {told} tokens were sent, and {usage.prompt_tokens} accounted for: {sent}"
