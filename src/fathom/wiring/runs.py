"""What can be done with a question: research it, follow the research, resume it, replay it, or only plan it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fathom import __version__
from fathom.limits import Effort, Limits
from fathom.plan import MasterPlan, Mode
from fathom.report import Estimate
from fathom.settings import Settings, load_settings
from fathom.wiring.adapters import (
    checked_paths,
    knowledge_file,
    open_embedder,
    opened_checkpoints,
    opened_knowledge,
    opened_reasoner,
    opened_store,
    read_in,
)
from fathom.wiring.data import data_sources, opened_datasets, sources_of, with_record_cap
from fathom.wiring.leaving import Destination, destinations
from fathom.wiring.models import Recorded, can_answer, pinned_models, settings_of
from fathom.wiring.offline import offline_knowledge
from fathom.wiring.question import changed_limits, checked_query, limits_for, new_run_id
from fathom.wiring.running import Adapters, Begun, RunStream
from fathom.wiring.tracing import tracing_allowed
from fathom.wiring.web import opened_web, rules_for, rules_of

if TYPE_CHECKING:
    from fathom.browsing import WebRules
    from fathom.data.servers import DataSource, Server
    from fathom.events import StoredEvent
    from fathom.knowledge.ingestion import IngestReport, Progress
    from fathom.ports import Reasoner, Retriever, RunRecord, RunStore
    from fathom.ports.web import Web
    from fathom.report import Report


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
        mcp: MCP servers, each a dataset: an address, a command, a name out of the settings, or a `Server`.
        limits: Those that differ from the limits of the effort, by name.
        on_ingest: Told how far the reading of the documents is.
    """

    async def begin(stack: AsyncExitStack) -> Begun:
        inforce = settings or load_settings()
        new = await _open(
            stack,
            query,
            documents=documents,
            data=data,
            mcp=mcp,
            mode=mode,
            limits=limits_for(inforce, limits, effort=effort),
            settings=inforce,
            on_ingest=on_ingest,
        )
        saver = await stack.enter_async_context(opened_checkpoints(inforce))
        await new.store.create_run(new.run)  # last: what cannot begin leaves no run behind
        return Begun(new.run, new.store, new.adapters, saver, new.ingested, no_web=inforce.no_web)

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
        pinned = settings_of(run, inforce, models)
        if run.status == "completed":
            adapters = await _nobody_asked(stack, run, pinned)
        else:
            reasoner = await stack.enter_async_context(opened_reasoner(pinned))
            if models:
                run = run.model_copy(update={"models": pinned_models(pinned, reasoner)})
            await can_answer(reasoner)
            rules = rules_of(run)
            web = await opened_web(stack, rules, pinned) if rules else None
            adapters = await opened_adapters(stack, run, pinned, reasoner, web)
        saver = await stack.enter_async_context(opened_checkpoints(inforce))
        return Begun(run, store, adapters, saver, no_web=inforce.no_web or pinned.no_web)

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
    return await finish(
        stream(
            query,
            documents=documents,
            data=data,
            mcp=mcp,
            mode=mode,
            effort=effort,
            limits=limits,
            settings=settings,
        ),
        on_event,
    )


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
        adapters = await _nobody_asked(stack, run, pinned)
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
    from fathom.engine.run import plan_only

    inforce = settings or load_settings()
    async with AsyncExitStack() as stack:
        new = await _open(
            stack,
            query,
            documents=documents,
            data=data,
            mcp=mcp,
            mode=mode,
            limits=limits_for(inforce, limits, effort=effort),
            settings=inforce,
        )
        reasoner = new.adapters["reasoner"]
        if reasoner.metered:
            await new.store.create_run(new.run.model_copy(update={"status": "planned"}))
        with tracing_allowed(no_web=inforce.no_web):
            plan, estimate = await plan_only(new.run, store=new.store, **new.adapters)
        embedder = open_embedder(inforce)
        if embedder:
            stack.push_async_callback(embedder.close)
        leaving = destinations(reasoner, embedder, new.adapters.get("web"), sources_of(new.run))
        return Prospect(plan, estimate, leaving, new.run.run_id if reasoner.metered else None)


class _New(NamedTuple):
    """A run that is not stored yet, with all that it needs."""

    run: RunRecord
    store: RunStore
    adapters: Adapters
    ingested: IngestReport | None


async def _open(
    stack: AsyncExitStack,
    query: str,
    *,
    documents: Sequence[Path | str] | None,
    data: Sequence[Path | str] | None,
    mcp: Sequence[str | Server] | None,
    mode: Mode,
    limits: Limits,
    settings: Settings,
    on_ingest: Callable[[Progress], None] | None = None,
) -> _New:
    """Check everything that was given, open what it takes, and read the documents in."""
    asked = checked_query(query, limits)
    rules = rules_for(settings)
    datasets = data_sources(data, mcp, settings)
    needs_no_documents = rules is not None or bool(datasets)
    paths = checked_paths(documents, settings, or_else=needs_no_documents)
    reasoner = await stack.enter_async_context(opened_reasoner(settings))
    await can_answer(reasoner)  # before any work: a wrong key must not cost the reading of the documents
    web = await opened_web(stack, rules, settings) if rules else None
    store = await stack.enter_async_context(opened_store(settings))
    ingested = await read_in(paths, settings, on_ingest, or_else=needs_no_documents)
    run = _record(
        asked,
        mode=mode,
        limits=with_record_cap(limits, datasets, reasoner),
        paths=paths,
        rules=rules,
        datasets=datasets,
        settings=settings,
        reasoner=reasoner,
    )
    adapters = await opened_adapters(stack, run, settings, reasoner, web)
    for source, dataset in zip(datasets, adapters.get("datasets", ()), strict=True):
        if source.paths:
            await dataset.describe("")  # a file that cannot be read, or a mapping that does not fit, is said at once
    return _New(run, store, adapters, ingested)


def _record(
    query: str,
    *,
    mode: Mode,
    limits: Limits,
    paths: Sequence[Path],
    rules: WebRules | None,
    datasets: Sequence[DataSource],
    settings: Settings,
    reasoner: Reasoner,
) -> RunRecord:
    """A new run, with everything pinned that its answers depend on."""
    from fathom.engine.run import pin
    from fathom.ports import RunRecord
    from fathom.text.language import detect

    now = datetime.now(UTC).isoformat(timespec="seconds")
    language = detect(query)
    sources: dict[str, Any] = {"kb": settings.kb, "paths": [str(path) for path in paths]}
    if rules or datasets:
        is_named = not datasets or "kb" in settings.model_fields_set  # who names data does not mean all the notes too
        sources["knowledge"] = bool(paths) or (is_named and knowledge_file(settings).exists())
    if rules:
        sources["web"] = rules.model_dump(mode="json")
    if datasets:
        sources["data"] = [source.model_dump(mode="json") for source in datasets]
    return RunRecord(
        run_id=new_run_id(),
        query=query,
        language="en" if language == "und" else language,
        mode=mode,
        limits=limits,
        sources=sources,
        reasoner=pin(reasoner),
        models=pinned_models(settings, reasoner),
        version=__version__,
        created_at=now,
        updated_at=now,
        status="running",
    )


async def opened_adapters(
    stack: AsyncExitStack, run: RunRecord, settings: Settings, reasoner: Reasoner, web: Web | None = None
) -> Adapters:
    """The reasoner, and the sources that the run's record names, open until the stack is closed."""
    adapters: Adapters = {"reasoner": reasoner, "retrievers": []}
    if run.sources.get("knowledge", True):  # else the web or data alone
        adapters["retrievers"] = [await _knowledge(stack, run, settings)]
    if datasets := sources_of(run):
        adapters["datasets"] = await opened_datasets(stack, datasets, settings)
    if web is not None:
        adapters["web"] = web
    return adapters


async def _knowledge(stack: AsyncExitStack, run: RunRecord, settings: Settings) -> Retriever:
    """The documents of a run: those of its knowledge base, or what an earlier run has kept of them."""
    if earlier := run.sources.get("offline"):
        snapshots = offline_knowledge(earlier, settings)
        stack.push_async_callback(snapshots.close)
        return snapshots
    own = settings.model_copy(update={"kb": run.sources["kb"]})
    within = [Path(path) for path in run.sources["paths"]]
    return await stack.enter_async_context(opened_knowledge(own, within=within))


async def _nobody_asked(stack: AsyncExitStack, run: RunRecord, settings: Settings) -> Adapters:
    """The sources of a run whose answers are all there, without anything that takes a key, a package or a server."""
    alone = run.model_copy(update={"sources": {name: each for name, each in run.sources.items() if name != "data"}})
    return await opened_adapters(stack, alone, settings.model_copy(update={"embedder": None}), Recorded(run))
