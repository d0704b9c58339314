"""A new run out of an earlier one, which it asks again or follows; and what has changed in a report since."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from fathom.comparison.records import Comparison
from fathom.engine.following import sentence_of
from fathom.errors import Conflict, NotFound, UsageError
from fathom.events import Planned
from fathom.outcomes import in_thread
from fathom.steering import EditedPart, Given
from fathom.text.language import detect
from fathom.wiring.adapters import checked_paths
from fathom.wiring.models import settings_of
from fathom.wiring.offline import offline_sources
from fathom.wiring.opening import new_record, refuse_deleted, refuse_imported
from fathom.wiring.question import Again, Changes, changed_limits, checked_query
from fathom.wiring.readings import report_if_any

if TYPE_CHECKING:
    from fathom.limits import Limits
    from fathom.ports import Reasoner, RunRecord, RunStore
    from fathom.report import Report
    from fathom.settings import Settings


class Update(NamedTuple):
    """A question that was asked anew."""

    report: Report
    """What is answered now."""
    comparison: Comparison
    """What has changed since."""


class OutOf(NamedTuple):
    """A new run out of an earlier one, checked: what is left is to begin it."""

    settings: Settings
    limits: Limits
    record: Callable[[Reasoner], RunRecord]
    """Its record, given who answers it."""


async def asked_again(
    run_id: str, store: RunStore, settings: Settings, *, update: bool = False, **again: Unpack[Again]
) -> OutOf:
    """A run again, as `Fathom.branch_off` says.

    Raises:
        NotFound, Conflict: there is no such run; to be updated, it must have ended and have a report.
        UsageError: its sources are not there any more or cannot have changed, or the question cannot be asked.
    """
    parent, question = await store.run(run_id), again.get("question")
    pinned, limits = _in_force(parent, settings, again)
    query = parent.query if question is None else checked_query(question, limits)
    sources = _without_origin(await offline_sources(parent, store, pinned) if again.get("offline") else parent.sources)
    sources["update_of" if update else "fork_of"] = parent.run_id
    if update:
        await _compared_report(store, parent)
        if read := sources.get("offline"):
            raise UsageError(f"{parent.run_id} rests on what {read} had read, which does not change: update {read}.")
        if "web" in sources:  # asked itself, not the archive
            sources["web"] = {**sources["web"], "refresh": True}
    if question is None and (parts := await _edited_parts(parent, store)):
        sources["parts"] = parts
    checked_paths(sources["paths"], pinned, or_else=True)
    return _out_of(parent, pinned, limits, query, sources)


async def following(
    run_id: str, store: RunStore, settings: Settings, *, question: str, about: str = "", **changes: Unpack[Changes]
) -> OutOf:
    """A question that follows a run, as `Fathom.ask_on` says.

    Raises:
        NotFound: there is no such run, or its report has no claim `about`.
        Conflict: the run is under way, or has no report.
        UsageError, ConfigurationError: the question is empty, or a limit or a model is wrong.
    """
    parent = await store.run(run_id)
    report = await report_if_any(store, parent.run_id)
    if parent.is_active:
        raise Conflict(
            f"The run {parent.run_id} is {parent.status}, so that nothing can follow it yet: "
            "wait until it has ended, or stop it; one that was cut off goes on with `fathom resume`."
        )
    if report is None:
        raise Conflict(f"The run {parent.run_id} is {parent.status} and has no report to follow: resume it first.")
    pinned, limits = _in_force(parent, settings, changes)
    sentence = sentence_of(report, about, question) if about else ""
    query = checked_query(question, limits) if question.strip() or not sentence else sentence
    sources = {name: each for name, each in _without_origin(parent.sources).items() if name != "about"}
    sources |= {"follows": parent.run_id, "thread": parent.thread} | ({"about": about.upper()} if about else {})
    return _out_of(parent, pinned, limits, query, sources)


def _in_force(parent: RunRecord, settings: Settings, changes: Changes) -> tuple[Settings, Limits]:
    """The settings and the limits of a run, with what is changed of them.

    Raises:
        Conflict: it was carried out elsewhere.
    """
    refuse_imported(parent)
    pinned = settings_of(parent, settings, changes.get("models"))
    return pinned, changed_limits(parent.limits, changes.get("limits") or {})


def _without_origin(sources: Mapping[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in sources.items() if name not in {"fork_of", "update_of", "parts"}}


async def _edited_parts(run: RunRecord, store: RunStore) -> list[dict[str, Any]]:
    """The parts of the plan that a run has carried out, if its person has changed it: else none."""
    given = (await store.directions(run.run_id)).items()
    said = {Given.model_validate_json(each).answer.decision for key, each in given if key.startswith("approval/plan")}
    if not said & {"edit", "again"} and "parts" not in run.sources:
        return []
    plans = [each.event.plan for each in await store.events(run.run_id) if isinstance(each.event, Planned)]
    return [EditedPart.like(each).model_dump(mode="json") for each in plans[-1].subtasks] if plans else []


def _out_of(parent: RunRecord, settings: Settings, limits: Limits, query: str, sources: Mapping[str, Any]) -> OutOf:
    """A new run that asks `query`, in the language of its parent where it does not tell its own."""
    refuse_deleted(sources, settings)
    language = parent.language if query == parent.query else detect(query, likely=parent.language)
    asked = {"query": query, "language": parent.language if language == "und" else language, "mode": parent.mode}
    return OutOf(settings, limits, lambda who: new_record(who, settings, **asked, limits=limits, sources=dict(sources)))


async def comparison_of(store: RunStore, old: str, new: str | None = None) -> Comparison:
    """The reports of two runs side by side (see `Fathom.compare`)."""
    from fathom.comparison.comparing import compared

    before = await store.run(old)
    if new is None:
        if before.earlier is None:
            raise UsageError(f"{before.run_id} updates no other run: name two runs to compare.")
        old, new = before.earlier, before.run_id
    before, now = await store.run(old), await store.run(new)
    if before.run_id == now.run_id:
        raise UsageError(f"Both are {now.run_id}: name two runs to compare.")
    return await in_thread(compared, await _compared_report(store, before), await _compared_report(store, now))


async def _compared_report(store: RunStore, run: RunRecord) -> Report:
    if run.is_active:
        raise Conflict(f"{run.run_id} is {run.status}: its report is compared once it has ended.")
    if report := await report_if_any(store, run.run_id):
        return report
    raise NotFound(
        f"{run.run_id} is {run.status} and has no report to compare: `fathom resume {run.run_id}` writes it."
    )
