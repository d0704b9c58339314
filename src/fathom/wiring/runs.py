"""What can be done with a question: research it, follow the research, resume it, replay it, or only plan it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fathom.limits import Effort
from fathom.plan import MasterPlan, Mode
from fathom.report import Estimate
from fathom.settings import Settings, load_settings
from fathom.wiring.adapters import checkpoints_for, open_embedder, opened_store, queue_of
from fathom.wiring.data import sources_of
from fathom.wiring.leaving import Destination, destinations
from fathom.wiring.models import settings_of
from fathom.wiring.opening import nobody_asked, open_new, taken_up
from fathom.wiring.question import Question, changed_limits, limits_for, taken_since
from fathom.wiring.running import Begun, RunStream
from fathom.wiring.tracing import tracing_allowed

if TYPE_CHECKING:
    from fathom.data.servers import Server
    from fathom.events import StoredEvent
    from fathom.knowledge.ingestion import Progress
    from fathom.report import Report
    from fathom.wiring.resources import Resources


class Prospect(NamedTuple):
    """What research would be like."""

    plan: MasterPlan
    """How the question would be answered."""
    estimate: Estimate
    """What it would take."""
    destinations: tuple[Destination, ...]
    """The servers that would be sent something, those on this machine included."""
    run_id: str | None
    """The run that keeps the plan; `None` when no model has made it."""


def stream(
    query: str,
    *,
    documents: Sequence[Path | str] | None = None,
    data: Sequence[Path | str] | None = None,
    mcp: Sequence[str | Server] | None = None,
    mode: Mode = "auto",
    effort: Effort | None = None,
    limits: Mapping[str, Any] | None = None,
    settings: Settings | None = None,
    on_ingest: Callable[[Progress], None] | None = None,
) -> RunStream:
    """Research a question, and see what happens on the way (see `RunStream`).

    Args:
        documents: Files and folders to read in first, and to keep to; without them, the whole knowledge base, unless
            data are given and no knowledge base is named.
        data: Files and folders of structured data, each a dataset.
        mcp: MCP servers: an address, a command, a name out of the settings, or a `Server`; and sources of your own: a
            name, or `module:attribute` (see `fathom.ports.connector`).
        limits: Those that differ from the limits of the effort, by name.
        on_ingest: Told how far the reading of the documents is.
    """

    async def begin(stack: AsyncExitStack) -> Begun:
        inforce = settings or load_settings()
        inlimits = limits_for(inforce, limits, effort=effort)
        question = Question(query, documents, data, mcp, mode, inlimits, inforce)
        new = await open_new(stack, question, on_ingest=on_ingest)
        saver = await checkpoints_for(stack, new.adapters["reasoner"], inforce)
        await new.store.create_run(new.run)  # last: what cannot begin leaves no run behind
        return replace(new, checkpointer=saver)

    return RunStream(begin)


def take_up(
    run_id: str,
    *,
    limits: Mapping[str, Any] | None = None,
    models: Mapping[str, Any] | None = None,
    settings: Settings | None = None,
) -> RunStream:
    """Go on with a run that was stopped, killed or limited (see `RunStream`).

    Args:
        limits: Those that replace the run's own, by name.
        models: Settings of language models that replace the run's own, by name: `{"model": "ollama:llama3.1"}`.
    """

    async def begin(stack: AsyncExitStack) -> Begun:
        inforce = settings or load_settings()
        store = await stack.enter_async_context(opened_store(inforce))
        run = await store.run(run_id)
        if limits:
            run = run.model_copy(update={"limits": changed_limits(run.limits, limits)})
        begun = await taken_up(stack, run, store, inforce, models)
        saver = await checkpoints_for(stack, begun.adapters["reasoner"], inforce)
        if run.is_active:
            await queue_of(store).take_out(run.run_id)  # a service that has not begun with it leaves it to this process
        if run.stop_requested:
            await store.request_stop(run.run_id, wanted=False)
        return replace(begun, checkpointer=saver)

    return RunStream(begin)


async def research(
    query: str,
    *,
    documents: Sequence[Path | str] | None = None,
    data: Sequence[Path | str] | None = None,
    mcp: Sequence[str | Server] | None = None,
    mode: Mode = "auto",
    effort: Effort | None = None,
    limits: Mapping[str, Any] | None = None,
    settings: Settings | None = None,
    on_event: Callable[[StoredEvent], None] | None = None,
) -> Report:
    """Research a question; the arguments are those of `stream`.

        report = await fathom.research("How does … work?", documents=["./notes"])
        print(report.markdown)

    Raises:
        FathomError: its text says what happened and what to do. A limit that binds is no error: the report is partial.
    """
    events = stream(
        query, documents=documents, data=data, mcp=mcp, mode=mode, effort=effort, limits=limits, settings=settings
    )
    return await finish(events, on_event)


async def resume(
    run_id: str,
    *,
    limits: Mapping[str, Any] | None = None,
    models: Mapping[str, Any] | None = None,
    settings: Settings | None = None,
    on_event: Callable[[StoredEvent], None] | None = None,
) -> Report:
    """Go on with a run that was stopped, killed or limited; what is finished is not asked again (see `take_up`).

    Raises:
        NotFound: no run has that id.
        FathomError: as for `research`.
    """
    return await finish(take_up(run_id, limits=limits, models=models, settings=settings), on_event)


async def finish(events: RunStream, on_event: Callable[[StoredEvent], None] | None) -> Report:
    """The report of a run under way; `on_event` is told what happens from now on."""
    async with events as run:
        async for stored in run:
            if on_event and stored.seq > run.known:
                on_event(stored)
        return await run.report()


async def replay(run_id: str, *, settings: Settings | None = None) -> Report:
    """The report of a run, made again from its journal: no call is made, and the bytes are the same.

    It needs no model, no key and no provider's package.

    Raises:
        NotFound: no run has that id.
        MissingAnswer: it has not ended; resume it first.
    """
    inforce = settings or load_settings()
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(opened_store(inforce))
        run = await store.run(run_id)
        pinned = settings_of(run, inforce)
        adapters = await nobody_asked(stack, run, pinned)
        return await Begun(run, store, adapters, no_web=inforce.no_web or pinned.no_web).execute(replay=True)


async def plan_for(
    query: str,
    *,
    documents: Sequence[Path | str] | None = None,
    data: Sequence[Path | str] | None = None,
    mcp: Sequence[str | Server] | None = None,
    mode: Mode = "auto",
    effort: Effort | None = None,
    limits: Mapping[str, Any] | None = None,
    settings: Settings | None = None,
) -> Prospect:
    """The plan for a question and what it will take, without doing it; the arguments are those of `stream`.

    A plan that a model has made was paid for: it is kept as a run, which `resume` goes on with.

    Raises:
        FathomError: as for `research`.
    """
    inforce = settings or load_settings()
    inlimits = limits_for(inforce, limits, effort=effort)
    return await foresee(Question(query, documents, data, mcp, mode, inlimits, inforce))


async def foresee(question: Question, resources: Resources | None = None) -> Prospect:
    """The plan for a question and what it will take (see `plan_for`).

    Args:
        resources: What is open for other runs of this process too.
    """
    from fathom.engine.run import plan_only

    asked, settings = time.monotonic(), question.settings
    async with AsyncExitStack() as stack:
        new = await open_new(stack, question, resources=resources)
        reasoner = new.adapters["reasoner"]
        run = new.run.model_copy(update={"status": "planned"})
        if reasoner.metered:
            await new.store.create_run(run)
        with tracing_allowed(no_web=settings.no_web):
            taken = taken_since(asked, run.limits)
            plan, estimate = await plan_only(run, store=new.store, taken=taken, **new.adapters)
        if embedder := open_embedder(settings):
            stack.push_async_callback(embedder.close)
        at_hand = new.adapters["sources"]
        leaving = destinations(reasoner, embedder, at_hand.web, sources_of(new.run), at_hand.connectors)
        return Prospect(plan, estimate, leaving, new.run.run_id if reasoner.metered else None)
