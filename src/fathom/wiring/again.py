"""A run again as a new one: what it asks, of which sources, and what has changed in its report since."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from fathom.browsing import WebRules
from fathom.comparison.records import Comparison
from fathom.errors import Conflict, NotFound, UsageError
from fathom.outcomes import in_thread
from fathom.version import __version__
from fathom.wiring.adapters import checked_paths
from fathom.wiring.models import pinned_models, settings_of
from fathom.wiring.offline import offline_sources
from fathom.wiring.question import Changes, changed_limits, checked_query, new_run_id
from fathom.wiring.readings import report_if_any

if TYPE_CHECKING:
    from fathom.limits import Limits
    from fathom.ports import Reasoner, RunRecord, RunStore
    from fathom.report import Report
    from fathom.settings import Settings


class Again(NamedTuple):
    """A new run that asks what another one has asked."""

    settings: Settings
    limits: Limits
    record: Callable[[Reasoner], RunRecord]
    """It, given the reasoner that answers it."""


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
    changes: Changes,
    *,
    offline: bool = False,
    update: bool = False,
    question: str | None = None,
) -> Again:
    """A run again, with `changes` and perhaps another `question`.

    Args:
        offline: Of nothing but what the run has read.
        update: To be compared with it: the web is asked anew and not out of the archive.

    Raises:
        NotFound: no run has that id, or it is to be updated and has no report.
        Conflict: it is to be updated and is under way.
        UsageError: its sources are not there any more, or the question cannot be asked.
    """
    parent = await store.run(run_id)
    pinned = settings_of(parent, settings, changes.get("models"))
    limits = changed_limits(parent.limits, changes.get("limits") or {})
    query = parent.query if question is None else checked_query(question, limits)
    if update:
        await report_to_compare(store, parent)
        sources = _sources_of_today(parent)
    else:
        earlier = await offline_sources(parent, store, pinned) if offline else parent.sources
        sources = {**_alone(earlier), "fork_of": parent.run_id}
    checked_paths(sources["paths"], pinned, or_else=True)

    def record(reasoner: Reasoner) -> RunRecord:
        return _record(parent, query, pinned, limits, sources, reasoner)

    return Again(pinned, limits, record)


async def comparison_of(store: RunStore, old: str, new: str | None = None) -> Comparison:
    """The reports of two runs side by side; of one alone, beside that of the run that it updates or was forked from.

    Raises:
        NotFound: no run has that id, or it has no report.
        Conflict: one of them is under way.
        UsageError: both are the same run, or the one alone has no earlier one.
    """
    from fathom.comparison.comparing import compared

    if new is None:
        run = await store.run(old)
        if run.earlier is None:
            raise UsageError(f"{run.run_id} updates no other run: name two runs to compare.")
        old, new = run.earlier, run.run_id
    before, now = await store.run(old), await store.run(new)
    if before.run_id == now.run_id:
        raise UsageError(f"Both are {now.run_id}: name two runs to compare.")
    reports = await report_to_compare(store, before), await report_to_compare(store, now)
    return await in_thread(compared, *reports)


async def report_to_compare(store: RunStore, run: RunRecord) -> Report:
    """The report of a run that has ended.

    Raises:
        Conflict: it is under way.
        NotFound: it has none.
    """
    if run.is_active:
        raise Conflict(f"{run.run_id} is {run.status}: its report is compared once it has ended.")
    if report := await report_if_any(store, run.run_id):
        return report
    raise NotFound(
        f"{run.run_id} is {run.status} and has no report to compare: `fathom resume {run.run_id}` writes one."
    )


def _sources_of_today(parent: RunRecord) -> dict[str, Any]:
    """The sources of a run, to be asked for what they hold now.

    Raises:
        UsageError: they cannot have changed.
    """
    if earlier := parent.sources.get("offline"):
        raise UsageError(
            f"{parent.run_id} was researched offline, from what {earlier} had read, which does not change: "
            f"update {earlier}."
        )
    sources = {**_alone(parent.sources), "update_of": parent.run_id}
    if "web" in sources:
        rules = WebRules.model_validate(sources["web"]).model_copy(update={"refresh": True})
        sources["web"] = rules.model_dump(mode="json")
    return sources


def _alone(sources: Mapping[str, Any]) -> dict[str, Any]:
    """Sources without the run that they are of."""
    return {name: each for name, each in sources.items() if name not in {"fork_of", "update_of"}}


def _record(
    parent: RunRecord, query: str, settings: Settings, limits: Limits, sources: dict[str, Any], reasoner: Reasoner
) -> RunRecord:
    """A new run that asks `query` of `sources`; nothing of how `parent` went is taken over."""
    from fathom.engine.run import pin
    from fathom.evidence import now
    from fathom.ports import RunRecord
    from fathom.text.language import detect

    language = parent.language if query == parent.query else detect(query, likely=parent.language)
    return RunRecord(
        run_id=new_run_id(),
        query=query,
        language=parent.language if language == "und" else language,
        mode=parent.mode,
        limits=limits,
        sources=sources,
        reasoner=pin(reasoner),
        models=pinned_models(settings, reasoner),
        version=__version__,
        created_at=(created_at := now()),
        updated_at=created_at,
        status="running",
    )
