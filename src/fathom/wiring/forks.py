"""A run again, as a new one: with the same sources asked anew, or with nothing but what the first one has read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from fathom import __version__
from fathom.settings import Settings, load_settings
from fathom.wiring.adapters import checked_paths, checkpoints_for, opened_reasoner, opened_store, read_in
from fathom.wiring.models import can_answer, pinned_models, settings_of
from fathom.wiring.offline import offline_sources
from fathom.wiring.opening import opened_adapters
from fathom.wiring.question import CHECKING, OPENING, Patience, changed_limits, new_run_id
from fathom.wiring.running import Begun, RunStream
from fathom.wiring.runs import finish
from fathom.wiring.web import opened_web, rules_of

if TYPE_CHECKING:
    from fathom.events import StoredEvent
    from fathom.knowledge.ingestion import Progress
    from fathom.ports import Reasoner, RunRecord
    from fathom.report import Report


def branch_off(
    run_id: str,
    *,
    offline: bool = False,
    limits: Mapping[str, Any] | None = None,
    models: Mapping[str, Any] | None = None,
    settings: Settings | None = None,
    on_ingest: Callable[[Progress], None] | None = None,
) -> RunStream:
    """Research the question of a run again, as a new run with the same settings (see `RunStream`).

    Args:
        offline: Keep to what the run has read: its pages, and the documents that it has found evidence in. Nothing is
            searched, requested or read anew.
        limits: Those that replace the run's own, by name.
        models: Settings of language models that replace the run's own, by name.
        on_ingest: Told how far the reading of the documents is.
    """

    async def begin(stack: AsyncExitStack) -> Begun:
        inforce = settings or load_settings()
        store = await stack.enter_async_context(opened_store(inforce))
        parent = await store.run(run_id)
        pinned = settings_of(parent, inforce, models)
        reasoner = await stack.enter_async_context(opened_reasoner(pinned))
        run = _again(parent, limits=limits, settings=pinned, reasoner=reasoner)
        patience = Patience(run.limits)
        await can_answer(reasoner, seconds=patience.until(CHECKING))
        if offline:
            own = await offline_sources(parent, store, pinned)
            run = run.model_copy(update={"sources": {**own, "fork_of": parent.run_id}})
        rules = rules_of(run)
        web = await opened_web(stack, rules, pinned) if rules else None
        ingested = None
        if not run.sources.get("offline"):
            or_else = rules is not None or bool(run.sources.get("data"))
            paths = checked_paths(run.sources["paths"], pinned, or_else=or_else)
            ingested = await read_in(paths, pinned, on_ingest, or_else=or_else, seconds=patience.until(OPENING))
        adapters = await opened_adapters(stack, run, pinned, reasoner, web, ingested=ingested)
        saver = await checkpoints_for(stack, reasoner, inforce)
        await store.create_run(run)  # last: what cannot begin leaves no run behind
        return Begun(run, store, adapters, saver, ingested, no_web=pinned.no_web)

    return RunStream(begin)


async def fork(
    run_id: str,
    *,
    offline: bool = False,
    limits: Mapping[str, Any] | None = None,
    models: Mapping[str, Any] | None = None,
    settings: Settings | None = None,
    on_event: Callable[[StoredEvent], None] | None = None,
) -> Report:
    """Research the question of a run again, as a new run; the arguments are those of `branch_off`.

        report = await fathom.fork("run_…", offline=True)

    Raises:
        NotFound: no run has that id.
        UsageError: nothing of what it has read is kept, and the new run is to be offline.
        FathomError: as for `research`.
    """
    events = branch_off(run_id, offline=offline, limits=limits, models=models, settings=settings)
    return await finish(events, on_event)


def _again(parent: RunRecord, *, limits: Mapping[str, Any] | None, settings: Settings, reasoner: Reasoner) -> RunRecord:
    """A new run that asks the same of the same sources."""
    from fathom.engine.run import pin
    from fathom.evidence import now

    return parent.model_copy(
        update={
            "run_id": new_run_id(),
            "limits": changed_limits(parent.limits, limits or {}),
            "sources": {**parent.sources, "fork_of": parent.run_id},
            "reasoner": pin(reasoner),
            "models": pinned_models(settings, reasoner),
            "version": __version__,
            "created_at": (created_at := now()),
            "updated_at": created_at,
            "status": "running",
            "partial": None,
            "attempt": 1,
            "seconds": 0.0,
        }
    )
