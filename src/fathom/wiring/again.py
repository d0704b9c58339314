"""A run again as a new one: what it asks, and of which sources; and what has changed in its report since."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Unpack

from fathom.comparison.records import Comparison
from fathom.errors import Conflict, NotFound, UsageError
from fathom.outcomes import in_thread
from fathom.wiring.adapters import checked_paths
from fathom.wiring.models import settings_of
from fathom.wiring.offline import offline_sources
from fathom.wiring.opening import new_record
from fathom.wiring.question import Changes, changed_limits, checked_query
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


async def asked_again(
    run_id: str,
    store: RunStore,
    settings: Settings,
    *,
    offline: bool = False,
    update: bool = False,
    question: str | None = None,
    **changes: Unpack[Changes],
) -> tuple[Settings, Limits, Callable[[Reasoner], RunRecord]]:
    """A run again, as `Fathom.branch_off` says: its settings, its limits, and its record, given the reasoner.

    Raises:
        NotFound, Conflict: there is no such run; to be updated, it must have ended and have a report.
        UsageError: its sources are not there any more or cannot have changed, or the question cannot be asked.
    """
    from fathom.text.language import detect

    parent = await store.run(run_id)
    pinned = settings_of(parent, settings, changes.get("models"))
    limits = changed_limits(parent.limits, changes.get("limits") or {})
    query = parent.query if question is None else checked_query(question, limits)
    earlier = await offline_sources(parent, store, pinned) if offline else parent.sources
    sources = {name: each for name, each in earlier.items() if name not in {"fork_of", "update_of"}}
    sources["update_of" if update else "fork_of"] = parent.run_id
    if update:
        await _compared_report(store, parent)
        if read := sources.get("offline"):
            raise UsageError(f"{parent.run_id} rests on what {read} had read, which does not change: update {read}.")
        if "web" in sources:  # asked itself, not the archive
            sources["web"] = {**sources["web"], "refresh": True}
    checked_paths(sources["paths"], pinned, or_else=True)
    language = parent.language if query == parent.query else detect(query, likely=parent.language)
    asked = {"query": query, "language": parent.language if language == "und" else language, "mode": parent.mode}
    return pinned, limits, lambda who: new_record(who, pinned, **asked, limits=limits, sources=sources)


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
