"""The door to the world: whatever keeps the promise of a source is asked by what it can do, not by what it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fathom.browsing import Reach, WebRules
from fathom.engine.run import execute
from fathom.events import Allocated
from fathom.evidence import Query, Retrieval, SourceDescription
from fathom.ports.source import Source, SourceAnswer, SourceCalls, Trail
from fathom.sources import AtHand
from tests.support.doubles.dataset import SimulatedDataset
from tests.support.doubles.reasoner import Shape
from tests.support.doubles.retriever import SimulatedRetriever
from tests.support.lab import Lab


class Wiki(Source):
    """A source of another kind, asked for a round at once."""

    name = "wiki"

    def __init__(self, texts: SimulatedRetriever, reach: Reach | None) -> None:
        self.reach = reach
        self.trail = Trail()
        self.rounds: list[list[str]] = []
        self._texts = texts

    async def describe(self, query: str, calls: SourceCalls) -> SourceDescription:  # noqa: ARG002
        return SourceDescription(name=self.name, kind="file", documents=0 if self.reach else 40)

    async def search(self, queries: Sequence[Query], *, limit: int, calls: SourceCalls) -> SourceAnswer:
        self.rounds.append([query.text for query in queries])

        async def perform() -> str:
            return (await self._texts.search(queries[0], limit=limit)).model_dump_json()

        answer = await calls.call(calls.at("wiki"), "search", " ".join(self.rounds[-1]), perform)
        return SourceAnswer([Retrieval.model_validate_json(answer)] * len(queries))

    async def snapshot(self, sha256: str) -> str:
        return await self._texts.snapshot(sha256)


class Beside(AtHand):
    """What a lab has, and a source beside it."""

    def __init__(self, own: Wiki, *documents: SimulatedRetriever) -> None:
        super().__init__(documents)
        self.own = own

    async def begin(self, calls: SourceCalls) -> list[Source]:
        return [*await super().begin(calls), self.own]


class Empty(SimulatedRetriever):
    async def search(self, query: Any, *, limit: int) -> Retrieval:  # noqa: ARG002 - it finds nothing
        return Retrieval()


async def test_a_source_of_another_kind_is_asked_and_its_run_replayed(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(subtasks=1)) as lab:
        await lab.create()
        whole: dict[str, Any] = {"store": lab.store, "reasoner": lab.reasoner}
        wiki = Wiki(SimulatedRetriever("wiki"), None)
        report = await execute(await lab.record(), sources=Beside(wiki), **whole)
        again = Beside(Wiki(SimulatedRetriever("wiki", failing=True), None))
        replayed = await execute(await lab.record(), sources=again, replay=True, **whole)
    assert {source.uri.split("/")[4] for source in report.sources} == {"wiki"}
    assert wiki.rounds[1:] == [["task_1 round 0 query 0", "task_1 round 0 query 1"]], "a round is asked at once"
    assert replayed.model_dump_json() == report.model_dump_json()


async def test_one_that_reaches_out_is_asked_what_nobody_at_hand_has_an_answer_to(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(subtasks=1)) as lab:
        await lab.create()
        allocate = lab.reasoner._allocate

        def at_hand_only(ask: Any) -> Any:
            plan = allocate(ask)
            return plan.model_copy(update={"allocations": plan.allocations[:1]})

        lab.reasoner._allocate = at_hand_only  # type: ignore[method-assign]
        wiki = Wiki(SimulatedRetriever("wiki"), Reach(rules=WebRules(), searches={}))
        sources = Beside(wiki, Empty())
        await execute(await lab.record(), store=lab.store, reasoner=lab.reasoner, sources=sources)
        first, second = [event.queries for event in await lab.events() if isinstance(event, Allocated)][:2]
    assert first.keys() == {"knowledge"} and second == {"wiki": first["knowledge"]}
    assert wiki.rounds[1:] == [[*first["knowledge"]]]


def test_what_a_source_can_do_is_no_part_of_what_a_run_has_stored() -> None:
    plain = SourceDescription(name="events", kind="dataset", documents=3)
    told = plain.model_copy(update={"can": ("count", "scan")})
    assert told.digest() == plain.digest() and told.model_dump_json() == plain.model_dump_json()
    assert plain.can == ("search",), "a description of an earlier version says nothing of it"


async def test_a_dataset_says_that_it_counts_and_scans_and_what_it_cannot_it_leaves(tmp_path: Path) -> None:
    asked = []

    class Watched(Beside):
        async def begin(self, calls: SourceCalls) -> list[Source]:
            asked.extend(await AtHand(datasets=[SimulatedDataset()]).begin(calls))
            (data,) = asked
            description = await data.describe("anything", calls)
            assert description.can == ("count", "scan")
            assert await data.search([Query(text="anything")], limit=3, calls=calls) == SourceAnswer()
            return await super().begin(calls)

    async with Lab(tmp_path, Shape(subtasks=1)) as lab:
        await lab.create()
        sources = Watched(Wiki(SimulatedRetriever("wiki"), None))
        await execute(await lab.record(), store=lab.store, reasoner=lab.reasoner, sources=sources)
    assert asked
