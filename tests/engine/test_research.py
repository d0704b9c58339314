"""What a run promises while nothing goes wrong: order, depth, refinement, reflection, grounding."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from fathom.asks import AllocateQueries, Ask, AssessDepth, ExtractFindings, SynthesizeSubtask
from fathom.engine.run import plan_only
from fathom.events import Event, Extracted, Reflected, Routed, SubtaskEnded, SubtaskStarted
from fathom.evidence import text_digest
from fathom.sources import AtHand
from tests.support.doubles.reasoner import Shape, jittered
from tests.support.doubles.retriever import SimulatedRetriever
from tests.support.lab import Lab, same

E = TypeVar("E", bound=Event)
K = TypeVar("K", bound=Ask)  # type: ignore[type-arg]


def of(kind: type[E], events: Sequence[Event]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def asked(lab: Lab, kind: type[K], subtask_id: str = "") -> list[K]:
    asks = [ask for ask in lab.reasoner.asks if isinstance(ask, kind)]
    return [ask for ask in asks if not subtask_id or ask.subtask.subtask_id == subtask_id]  # type: ignore[attr-defined]


async def test_a_subtask_starts_the_moment_its_dependencies_end(tmp_path: Path) -> None:
    shape = Shape(subtasks=4, dependencies={3: (1, 2), 4: (3,)})
    async with Lab(tmp_path, shape, latency=jittered(0.005)) as lab:
        report = await lab.start()
        events = await lab.events()

    moments = [(event.kind, event.subtask_id) for event in events if isinstance(event, SubtaskStarted | SubtaskEnded)]
    for id, needed in {"task_3": ("task_1", "task_2"), "task_4": ("task_3",)}.items():
        ends = [moments.index(("subtask_ended", each)) for each in needed]
        assert moments.index(("subtask_started", id)) == max(ends) + 1
    assert {kind for kind, id in moments[:2]} == {"subtask_started"}
    assert [entry.status for entry in report.subtasks] == ["completed"] * 4
    assert report.partial is None


async def test_findings_of_a_dependency_are_visible_to_its_dependants_and_to_nobody_else(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(subtasks=3, dependencies={2: (1,)}, children={1: 2})) as lab:
        await lab.start(max_depth=2)

    known = {
        ask.subtask.subtask_id: {finding.subtask_id for finding in ask.known} for ask in asked(lab, AllocateQueries)
    }
    assert known["task_2"] == {"task_1", "task_1.1", "task_1.2"}
    assert known["task_1.1"] == known["task_1.2"] == {"task_1"}
    assert known["task_1"] == known["task_3"] == set()


async def test_a_drill_down_opens_children_and_the_parent_is_synthesized_from_them(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(subtasks=2, children={1: 5})) as lab:
        report = await lab.start(max_children=2, max_depth=3)
        events = await lab.events()

    ids = [entry.subtask_id for entry in report.subtasks]
    assert ids == [
        "task_1", "task_1.1", "task_1.1.1", "task_1.1.2", "task_1.2", "task_1.2.1", "task_1.2.2", "task_2",
    ]  # fmt: skip
    assert {entry.subtask_id: entry.depth for entry in report.subtasks}["task_1.2.1"] == 2
    (parent,) = asked(lab, SynthesizeSubtask, "task_1")
    assert [child.subtask_id for child in parent.children] == ["task_1.1", "task_1.2"]
    ended = [event.subtask_id for event in of(SubtaskEnded, events)]
    assert ended.index("task_1") > ended.index("task_1.2") > ended.index("task_1.2.2")
    reasons = {entry.reason.split()[0] for entry in report.subtasks if entry.parent_id}
    assert reasons == {"task_1", "task_1.1", "task_1.2"}, "what has led to them"
    assert not any(ask.subtask.reason for ask in asked(lab, AssessDepth)), "no judgement depends on it"


@pytest.mark.parametrize("limits", [{"max_depth": 1}, {"drill_down_importance": 0.9}])
async def test_no_drill_down_below_the_last_level_or_for_what_matters_little(
    tmp_path: Path, limits: dict[str, Any]
) -> None:
    async with Lab(tmp_path, Shape(subtasks=2, children={1: 2})) as lab:
        report = await lab.start(**limits)
    assert [entry.subtask_id for entry in report.subtasks] == ["task_1", "task_2"]


async def test_a_subtask_is_refined_until_it_is_sufficient(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(subtasks=2, rounds=2)) as lab:
        await lab.start(max_refinements=5)
    first, second = asked(lab, AllocateQueries, "task_1")
    assert first.feedback is None and first.asked == ()
    assert second.feedback and second.feedback.missing and len(second.asked) == 2


async def test_refinement_ends_with_its_limit(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(subtasks=2, rounds=9)) as lab:
        await lab.start(max_refinements=2)
        events = await lab.events()
    assert len(asked(lab, AllocateQueries, "task_1")) == 3
    assert "all 2 refinements are spent" in [event.reason for event in of(Routed, events)]


async def test_refinement_ends_when_a_round_brought_nothing_new(tmp_path: Path) -> None:
    source = SimulatedRetriever(documents=1, passages=4)
    async with Lab(tmp_path, Shape(subtasks=1, rounds=9, findings=4), sources=[source]) as lab:
        await lab.start(max_refinements=9)
        events = await lab.events()
    assert len(asked(lab, AllocateQueries)) == 2
    assert len(asked(lab, ExtractFindings)) == len(asked(lab, AssessDepth)) == 1
    assert ("synthesize", "the refinement brought nothing new") in [
        (event.decision, event.reason) for event in of(Routed, events)
    ]


async def test_a_passage_is_read_once_by_a_subtask(tmp_path: Path) -> None:
    source = SimulatedRetriever(documents=3, passages=5)
    async with Lab(tmp_path, Shape(subtasks=2, rounds=3), sources=[source]) as lab:
        await lab.start()
    for id in ("task_1", "task_2"):
        read = [passage.id for ask in asked(lab, ExtractFindings, id) for passage in ask.passages]
        assert len(read) == len(set(read)) > 5


async def test_weak_answers_are_researched_again_and_their_parents_synthesized_anew(tmp_path: Path) -> None:
    shape = Shape(subtasks=2, children={1: 1}, weak=("task_1.1", "task_9"))
    async with Lab(tmp_path, shape) as lab:
        report = await lab.start(max_depth=2, max_reflections=2)
        events = await lab.events()

    assert [(event.round, event.weak) for event in of(Reflected, events)] == [(1, ("task_1.1",)), (2, ())]
    assert "task_1.1 once more" in lab.sources[0].searches
    assert len(asked(lab, SynthesizeSubtask, "task_1")) == 2
    found = {finding.id for finding in report.findings if finding.subtask_id == "task_1.1"}
    (parent,) = [each for each in report.syntheses if each.subtask_id == "task_1"]
    assert len(found) == 6 and found < set(parent.findings)


@pytest.mark.parametrize("salt", ["c", "e", "h"])
async def test_a_weak_parent_is_synthesized_behind_its_weak_children_whatever_ends_first(
    tmp_path: Path, salt: str
) -> None:
    shape = Shape(subtasks=2, children={1: 2}, weak=("task_1", "task_1.1"))
    async with Lab(tmp_path, shape, latency=jittered(0.01, salt=salt)) as lab:
        report = await lab.start(max_reflections=1, max_depth=2)
        (once_more,) = [ask for ask in asked(lab, SynthesizeSubtask, "task_1") if len(ask.findings) > 3]
        child = next(each for each in once_more.children if each.subtask_id == "task_1.1")
        assert len(child.findings) == 6, "what the child has found again is in it"
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()


async def test_no_reflection_when_none_is_allowed(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(weak=("task_1",))) as lab:
        await lab.start(max_reflections=0)
        assert of(Reflected, await lab.events()) == []


async def test_findings_whose_quotes_stand_nowhere_are_dropped_and_counted(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(subtasks=2, invented=2)) as lab:
        report = await lab.start()
        events = await lab.events()
    assert [(event.findings, event.dropped) for event in of(Extracted, events)] == [(3, 2), (3, 2)]
    assert not any("Nobody wrote" in finding.claim for finding in report.findings)


async def test_every_quote_stands_in_a_snapshot_that_the_run_keeps(tmp_path: Path) -> None:
    async with Lab(tmp_path) as lab:
        report = await lab.start()
        sha256 = {source.id: source.sha256 for source in report.sources}
        assert len(report.evidence) == 12
        for entry in report.evidence:
            text = await lab.store.snapshot(sha256[entry.source_id])
            assert text[entry.start : entry.end] == entry.quote
            assert text_digest(text) == sha256[entry.source_id]


async def test_findings_of_a_document_that_has_changed_since_are_dropped(tmp_path: Path) -> None:
    source = SimulatedRetriever(documents=6)
    changed = sorted(source.texts)[:3]
    for sha256 in changed[:2]:
        del source.texts[sha256]
    source.texts[changed[2]] = "something else"
    async with Lab(tmp_path, sources=[source]) as lab:
        report = await lab.start()
        assert same(await lab.replay()) == same(report)
    assert {entry.sha256 for entry in report.sources} and not {entry.sha256 for entry in report.sources} & {*changed}


async def test_the_same_query_of_several_subtasks_is_asked_once(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(subtasks=4, common_queries=True), latency=jittered(0.002)) as lab:
        report = await lab.start()
        assert same(await lab.replay()) == same(report)
    assert sorted(lab.sources[0].searches) == ["How deep is the sea?", "round 0 query 0", "round 0 query 1"]
    assert report.usage.calls["search"] == 3
    assert len(report.findings) == 12


async def test_swapped_completion_gives_the_same_report(tmp_path: Path) -> None:
    shape = Shape(subtasks=5, dependencies={4: (1, 2)}, children={2: 2}, rounds=2, weak=("task_1", "task_3"))
    reports = []
    for salt in "abc":
        async with Lab(tmp_path / salt, shape, latency=jittered(0.004, salt=salt)) as lab:
            reports.append(same(await lab.start(max_depth=2)))
    assert reports[0] == reports[1] == reports[2]


async def test_a_simple_question_is_one_subtask_and_is_not_revised(tmp_path: Path) -> None:
    async with Lab(tmp_path) as lab:
        report = await lab.start(mode="simple")
    assert report.mode == "simple" and [entry.subtask_id for entry in report.subtasks] == ["task_1"]
    assert "RevisePlan" not in report.usage.calls


@pytest.mark.parametrize(
    ("shape", "limits"),
    [
        (Shape(), {}),
        (Shape(subtasks=1), {}),
        (Shape(rounds=3), {}),
        (Shape(children={1: 3, 2: 3, 3: 3, 4: 3}), {"max_depth": 2}),
        (Shape(weak=("task_1", "task_2", "task_3", "task_4")), {}),
        (Shape(rounds=3), {"max_calls": 15}),
    ],
    ids=["at once", "simple", "refined", "drilled into", "researched again", "cut short"],
)
async def test_what_the_run_took_lies_within_its_estimate(tmp_path: Path, shape: Shape, limits: dict[str, Any]) -> None:
    async with Lab(tmp_path, shape) as lab:
        report = await lab.start(**limits)
    assert sum(report.usage.calls.values()) == lab.calls
    assert report.estimate.calls_low <= lab.calls <= report.estimate.calls_high


async def test_a_plan_alone_stores_nothing_and_is_the_plan_of_the_run(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(subtasks=5)) as lab:
        await lab.create()
        plan, estimate = await plan_only(
            await lab.record(), store=lab.store, reasoner=lab.reasoner, sources=AtHand(lab.sources)
        )
        assert await lab.store.journal("run_one") == [] and await lab.events() == []
        assert lab.calls == 3
        report = await lab.resume()
    assert report.estimate == estimate.bounds and estimate.calls_typical
    assert [entry.subtask_id for entry in report.subtasks] == [subtask.subtask_id for subtask in plan.subtasks]


async def test_without_any_source_the_run_ends_with_nothing_found(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(subtasks=2), sources=[]) as lab:
        report = await lab.start()
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
    assert report.claims == () and report.coverage.total == 0


async def test_an_area_that_two_parents_name_is_one_of_each(tmp_path: Path) -> None:
    """The price of one thing is not that of the other."""
    async with Lab(tmp_path, Shape(subtasks=2, children={1: 1, 2: 1})) as lab:
        report = await lab.start(max_depth=2, max_reflections=0)
    below = [entry for entry in report.subtasks if entry.parent_id]
    assert [entry.focus_area for entry in below] == ["area 1", "area 1"]
    assert len({entry.description for entry in below}) == 2
