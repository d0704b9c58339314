"""The first steps: what do the sources hold, and which subtasks answer the question?"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from itertools import count, zip_longest
from typing import Any

from fathom.asks import GeneratePerspectives, PlanResearch
from fathom.engine import sources
from fathom.engine.approvals import approval
from fathom.engine.context import Context
from fathom.engine.estimate import CHARACTERS_PER_TOKEN, estimate, prices_of
from fathom.engine.revision import changed
from fathom.errors import LimitReached, ProviderError, Rejected, UsageError
from fathom.events import Planned, PlanRevised
from fathom.evidence import Query, Retrieval, SourceDescription
from fathom.languages.packs import pack
from fathom.languages.readers import under
from fathom.outcomes import together
from fathom.plan import ExecutionMode, MasterPlan, Perspective, Subtask
from fathom.preferences import ReportTemplate
from fathom.report import Estimate
from fathom.steering import EditedPart, edited, with_parts
from fathom.text.reach import is_all_own
from fathom.thread import THREAD

PREVIEW = 30
"""Passages that the question as it stands is answered with at least: by them is judged what the sources hold."""


async def survey(context: Context) -> None:
    """Ask every source what it holds and what it has on the question as it stands, all side by side.

    A metered reasoner thinks for seconds: the question is then searched for while it plans (see `plan`).
    """
    await sources.begin(context)
    material = context.state.material
    described = together(*(_describe(context, name) for name in context.sources))
    if context.reasoner.metered:
        descriptions = await described
    else:
        descriptions, material.preview = await asyncio.gather(described, previews(context))
    known = [each for each in descriptions if each is not None]
    material.sources = tuple(each for each in known if each.name != THREAD)
    material.thread = tuple(each for each in known if each.name == THREAD)


async def _describe(context: Context, name: str) -> SourceDescription | None:
    try:
        return await context.sources[name].describe(context.run.query, sources.PlacedCalls(context))
    except LimitReached:
        return None
    except ProviderError as error:
        context.state.material.fail(name, error)
        await context.tell_failure(f"describe {name}", error)
        return None


async def previews(context: Context, *, at_hand: bool = False) -> Retrieval:
    """What everybody has on the question as it stands; of what only the asker has, nobody elsewhere is asked, and of
    what follows other questions nobody but their thread; `at_hand` asks nobody elsewhere whatever it is."""
    query, limit = Query(text=context.run.query), max(PREVIEW, context.run.limits.max_passages)
    names = [THREAD] if THREAD in context.sources else list(context.sources)
    near = [name for name in names if name not in context.reaches]
    if at_hand or (near and is_all_own(query.text)):
        names = near
    found = await together(*(sources.search(context, name, f"preview/{name}", [query], limit=limit) for name in names))
    return merged([answer for each in found for answer in each.answers if answer is not None])


async def plan(context: Context, *, asks: bool = False) -> MasterPlan:
    """Make the plan. Without a planner the question is one subtask. With `asks`, who wants to approves it first.

    Subtasks beyond `max_subtasks` stay in the plan, skipped: the least important ones.

    Raises:
        Rejected: the person of the run does not want it to be carried out.
    """
    run, state, material = context.run, context.state, context.state.material
    if context.reasoner.metered:
        plan, material.preview = await asyncio.gather(_planned(context), previews(context))
    else:
        plan = await _planned(context)
    if asks:
        plan = await _agreed(context, _as_edited(plan, run.sources.get("parts", ())))
    plan = plan.model_copy(update={"preferences": state.asked.preferences})
    state.plan, plan = plan, plan.with_reasons(run.query)
    state.parts = tuple(subtask.focus_area or subtask.description for subtask in plan.subtasks)
    state.add(plan.subtasks)
    by_importance = sorted(plan.subtasks, key=lambda subtask: (-subtask.estimated_importance, subtask.priority))
    for subtask in by_importance[run.limits.max_subtasks :]:
        left_out = state.subtasks[subtask.subtask_id]
        left_out.status, left_out.reason = "skipped", "max_subtasks"
        state.cut = True
    state.estimate = await _expected(context, plan)
    await context.emit(Planned(plan=plan))
    return plan


def _as_edited(plan: MasterPlan, parts: Sequence[Mapping[str, Any]]) -> MasterPlan:
    """The plan with the parts that the run's person has made of it when it was asked before, where there are any."""
    try:
        wanted = [EditedPart.model_validate(each) for each in parts]
        return with_parts(plan, edited(plan.subtasks, wanted)) if wanted else plan
    except UsageError:  # they cannot be had of the plan as it is made today
        return plan


async def _agreed(context: Context, plan: MasterPlan) -> MasterPlan:
    """The plan as the person of the run wants it: as it is, edited, or made again as often as they say."""
    reason = plan.overall_strategy if context.reasoner.metered else ""  # by rule it says no more than the parts do
    for turn in count(1):
        id = f"plan_{turn}"
        is_old = context.journal.decision(f"approval/{id}") is not None
        answer = await approval(
            context,
            id,
            "plan",
            is_begun=context.journal.has_researched("task_"),
            proposed=plan.with_reasons(context.run.query).subtasks,
            reason=reason,
            estimate=await _expected(context, plan),
        )
        if answer is None or answer.decision == "accept":
            return plan
        if answer.decision == "edit":
            return with_parts(plan, edited(plan.subtasks, answer.parts))
        if answer.decision == "again":
            before, plan = plan, await _planned(context, before=plan, remark=answer.remark, turn=turn + 1)
            reason = plan.overall_strategy if context.reasoner.metered else ""
            if plan.subtasks == before.subtasks:
                reason = pack(context.run.language).says("judgement")["as_before"]
        elif not is_old:  # one that was rejected and is taken up all the same is asked about once more
            raise Rejected(
                f"The plan of {context.run.run_id} was declined: nothing is researched. Resume it to have it proposed "
                "again."
            )
    raise AssertionError("counting does not end")


async def _expected(context: Context, plan: MasterPlan) -> Estimate:
    """What the run will take by the plan."""
    run, material = context.run, context.state.material
    return estimate(
        plan,
        run.limits,
        sources=sum("search" in source.can and source.name not in context.reaches for source in material.sources),
        datasets=tuple(material.datasets.values()),
        web=next(iter(context.reaches.values()), None),
        prices=prices_of(run) if context.reasoner.metered else None,
        windows=run.models.get("windows"),
        elapsed=context.journal.seconds,
        material=sum(len(passage.text) for passage in material.preview.passages) // CHARACTERS_PER_TOKEN,
    )


async def _planned(
    context: Context, *, before: MasterPlan | None = None, remark: str = "", turn: int = 1
) -> MasterPlan:
    """The plan as the reasoner makes it; with a `remark`, in place of the one `before`."""
    run, state, material = context.run, context.state, context.state.material
    # with a model the question is still being asked: what there is of it by now depends on timing
    held = material.sources if context.reasoner.metered else material.described("")
    if run.template:
        return plan_of(run.template, run.query)
    wished = state.asked.preferences
    is_thorough = bool(wished and wished.form == "comprehensive")
    try:
        state.perspectives = await _perspectives(context, held)
        ask = context.about(
            PlanResearch,
            mode="hierarchical" if run.mode == "auto" and is_thorough else run.mode,
            sources=held,
            preview=material.preview,
            max_questions=run.limits.max_questions,
            perspectives=state.perspectives,
            before=before.subtasks if before else (),
            remark=remark,
            wishes=" · ".join(wished.wishes) if wished and context.reasoner.metered else "",
        )
        path = "plan" if turn == 1 else f"plan/{turn}"
        plan = await context.try_ask(path, ask) or before or simple_plan(run.query, reason="the planner failed")
        # whatever a planner says of levels, its parts are the first one
        roots = tuple(each.model_copy(update={"parent_id": None, "depth": 0}) for each in plan.subtasks)
        return at_most(plan.model_copy(update={"subtasks": roots}), run.limits.max_questions)
    except LimitReached as stop:
        return before or simple_plan(run.query, reason=stop.reason)


async def _perspectives(context: Context, held: tuple[SourceDescription, ...]) -> tuple[Perspective, ...]:
    """How experts would look at the question; nobody is asked unless `max_perspectives` allows some."""
    run = context.run
    most = run.limits.max_perspectives
    if context.state.perspectives:
        return context.state.perspectives
    if not most:
        return ()
    ask = context.about(GeneratePerspectives, topic=run.query, num_perspectives=most, sources=held)
    answer = await context.try_ask("perspectives", ask)
    return answer.perspectives[:most] if answer else ()


def simple_plan(query: str, *, reason: str) -> MasterPlan:
    """The question as it stands, as one subtask."""
    subtask = Subtask(subtask_id="task_1", description=query, estimated_importance=1.0, queries=(Query(text=query),))
    return MasterPlan(is_complex=False, complexity_reasoning=reason, subtasks=(subtask,))


def plan_of(template: ReportTemplate, query: str) -> MasterPlan:
    """A part for each heading of the outline that the user has brought, in its order."""
    subtasks = []
    for number, section in enumerate(template.sections, start=1):
        asked = f"{section.heading} ({section.hint})" if section.hint else section.heading
        words = " ".join(filter(None, (query, section.heading, section.hint)))
        subtask = Subtask(
            subtask_id=f"task_{number}",
            description=under(query.rstrip("?？。. "), asked, query),
            focus_area=section.heading,
            priority=number,
            estimated_importance=1.0,
            queries=(Query(text=words, context=query),),
            reason="a heading of the template",
        )
        subtasks.append(subtask)
    mode: ExecutionMode = "hierarchical" if subtasks[1:] else "simple"
    reason = "the template divides it"
    return MasterPlan(
        is_complex=mode == "hierarchical",
        complexity_reasoning=reason,
        execution_mode=mode,
        strategy="aspect" if subtasks[1:] else None,
        subtasks=tuple(subtasks),
        overall_strategy=" · ".join(each.focus_area for each in subtasks),
    )


def at_most(plan: MasterPlan, number: int) -> MasterPlan:
    """The plan with no more than `number` subtasks, the first by priority; nothing waits for what was left out."""
    beyond = tuple(each.subtask_id for each in sorted(plan.subtasks, key=lambda each: each.priority)[number:])
    return changed(plan, PlanRevised(accepted=True, reason="max_questions", removed=beyond)) if beyond else plan


def merged(retrievals: list[Retrieval]) -> Retrieval:
    """Several retrievals as one: the best of each first, every passage once."""
    documents = {each.sha256: each for retrieval in retrievals for each in retrieval.documents}
    by_rank = zip_longest(*(retrieval.passages for retrieval in retrievals))
    passages = {passage.id: passage for rank in by_rank for passage in rank if passage is not None}
    return Retrieval(documents=tuple(documents.values()), passages=tuple(passages.values()))
