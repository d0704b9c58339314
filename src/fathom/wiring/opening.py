"""How a run is made ready: what was asked is checked and pinned, and all that it needs is opened."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fathom import __version__
from fathom.errors import ProviderError, UsageError
from fathom.outcomes import in_thread
from fathom.ports import knows
from fathom.settings import Settings
from fathom.wiring.adapters import (
    checked_paths,
    knowledge_file,
    opened_knowledge,
    opened_reasoner,
    opened_store,
    read_in,
)
from fathom.wiring.data import data_sources, opened_connectors, opened_datasets, sources_of, with_record_cap
from fathom.wiring.models import Ranks, Recorded, can_answer, pinned_models, settings_of
from fathom.wiring.offline import offline_knowledge
from fathom.wiring.question import CHECKING, EMBEDDING, OPENING, Patience, Question, checked_query, new_run_id
from fathom.wiring.running import Adapters, Begun
from fathom.wiring.web import archive_of, opened_web, rules_for, rules_of

if TYPE_CHECKING:
    from fathom.browsing import WebRules
    from fathom.data.servers import DataSource
    from fathom.evidence import Lack
    from fathom.knowledge.ingestion import IngestReport, Progress
    from fathom.ports import Reasoner, Retriever, RunRecord, RunStore
    from fathom.ports.web import Web
    from fathom.wiring.resources import Resources
    from fathom.wiring.shared import Shared

FEW = 200
"""Passages in reach that are all compared with a question in meaning, where a model does that."""


async def open_new(
    stack: AsyncExitStack,
    question: Question,
    *,
    on_ingest: Callable[[Progress], None] | None = None,
    resources: Resources | None = None,
) -> Begun:
    """Check everything that was given, open what it takes until the stack is closed, and read the documents in: a run
    that is not stored yet.

    Args:
        on_ingest: Told how far the reading of the documents is.
        resources: What is open for other runs of this process too.
    """
    settings, patience = question.settings, Patience(question.limits)
    shared = resources.shared if resources else None
    wanted = await in_thread(checked, question)  # it looks into files of data
    reasoner = await stack.enter_async_context(opened_reasoner(settings))
    # before any work: a wrong key must not cost the reading of the documents
    await can_answer(reasoner, seconds=patience.until(CHECKING))
    web = await opened_web(stack, wanted.rules, settings, shared=shared) if wanted.rules else None
    store = resources.store if resources else await stack.enter_async_context(opened_store(settings))
    seconds = patience.until(OPENING)
    ingested = await read_in(wanted.paths, settings, on_ingest, or_else=wanted.needs_no_documents, seconds=seconds)
    run = record_of(wanted, reasoner)
    adapters = await opened_adapters(stack, run, settings, reasoner, web, ingested=ingested, shared=shared)
    run = run.model_copy(update={"language": await _language(wanted.text, adapters["sources"].documents)})
    with suppress(TimeoutError):
        async with asyncio.timeout(patience.until(OPENING)):
            files = {source.name for source in wanted.datasets if source.paths}
            for dataset in adapters["sources"].datasets:
                if dataset.name in files:
                    await dataset.describe("")  # what cannot be read, or a mapping that does not fit, is said at once
    return Begun(run, store, adapters, ingested=ingested, no_web=settings.no_web)


async def _language(text: str, documents: Sequence[Retriever]) -> str:
    """What a question is in; where its words do not tell, what most of the documents are in: `clavier`, `Raummiete`."""
    from fathom.text.language import detect
    from fathom.text.stopwords import FUNCTION_WORDS

    known = Counter[str]()
    if len({detect(text, likely=code) for code in ("und", *FUNCTION_WORDS)}) > 1:
        for each in documents:
            with suppress(ProviderError):  # which is told when it is to say what it holds
                known.update((await each.describe(text)).languages)
    known.pop("und", None)
    language = detect(text, likely=max(known, key=lambda code: (known[code], code), default="und"))
    return "en" if language == "und" else language


class Wanted(NamedTuple):
    """A question, checked as far as that costs nothing."""

    question: Question
    text: str
    """The question without what cannot be seen."""
    paths: Sequence[Path]
    rules: WebRules | None
    datasets: Sequence[DataSource]

    @property
    def needs_no_documents(self) -> bool:
        """Whether something else is asked, so that there need be none."""
        return self.rules is not None or bool(self.datasets)


def checked(question: Question) -> Wanted:
    """The question, if it can be asked so.

    Raises:
        UsageError, ConfigurationError: it cannot, and why.
    """
    settings = question.settings
    text = checked_query(question.text, question.limits)
    wanted = Wanted(question, text, (), rules_for(settings), data_sources(question.data, question.mcp, settings))
    if not question.knowledge and not wanted.needs_no_documents:
        raise UsageError("There is nothing to ask: documents are left out. Ask the web, name data, or let them in.")
    paths = checked_paths(question.documents, settings, or_else=wanted.needs_no_documents)
    return wanted._replace(paths=paths)


def record_of(wanted: Wanted, reasoner: Reasoner) -> RunRecord:
    """A new run, with everything pinned that its answers depend on."""
    from fathom.engine.run import pin
    from fathom.evidence import now
    from fathom.ports import RunRecord
    from fathom.text.language import detect

    question, text, paths, rules, datasets = wanted
    settings, language = question.settings, detect(text)
    sources: dict[str, Any] = {"kb": settings.kb, "paths": [str(path) for path in paths]}
    if wanted.needs_no_documents:
        is_named = not datasets or "kb" in settings.model_fields_set  # who names data does not mean all the notes too
        sources["knowledge"] = question.knowledge and (bool(paths) or (is_named and knowledge_file(settings).exists()))
    if rules:
        sources["web"] = rules.model_dump(mode="json")
    if datasets:
        sources["data"] = [source.model_dump(mode="json") for source in datasets]
    return RunRecord(
        run_id=new_run_id(),
        query=text,
        language="en" if language == "und" else language,
        mode=question.mode,
        limits=with_record_cap(question.limits, datasets, reasoner),
        sources=sources,
        reasoner=pin(reasoner),
        models=pinned_models(settings, reasoner),
        version=__version__,
        created_at=(created_at := now()),
        updated_at=created_at,
        status="running",
    )


async def opened_adapters(
    stack: AsyncExitStack,
    run: RunRecord,
    settings: Settings,
    reasoner: Reasoner,
    web: Web | None = None,
    *,
    ingested: IngestReport | None = None,
    shared: Shared | None = None,
) -> Adapters:
    """The reasoner, and the sources that the run's record names, open until the stack is closed.

    Args:
        ingested: What was read in for the run.
    """
    from fathom.sources import AtHand

    has_documents = run.sources.get("knowledge", True)  # else the web or data alone
    documents = [await _knowledge(stack, run, settings, reasoner, ingested, shared)] if has_documents else []
    datasets = await opened_datasets(stack, sources_of(run), settings)
    connectors = opened_connectors(sources_of(run), settings)
    archive = archive_of(stack, settings, shared) if datasets or connectors else None
    found = AtHand(documents, datasets=datasets, connectors=connectors, archive=archive, web=web)
    return {"reasoner": reasoner, "sources": found}


async def _knowledge(
    stack: AsyncExitStack,
    run: RunRecord,
    settings: Settings,
    reasoner: Reasoner,
    ingested: IngestReport | None,
    shared: Shared | None,
) -> Retriever:
    """The documents of a run: those of its knowledge base, or what an earlier run has kept of them."""
    if earlier := run.sources.get("offline"):
        snapshots = offline_knowledge(earlier, settings)
        stack.push_async_callback(snapshots.close)
        return snapshots
    own = settings.model_copy(update={"kb": run.sources["kb"]})
    within = [Path(path) for path in run.sources["paths"]]
    whole = shared.knowledge(own) if shared else await stack.enter_async_context(opened_knowledge(own))
    lacks: tuple[Lack, ...] = ("files",) if ingested and ingested.unread else ()
    ranker = reasoner.embedder if isinstance(reasoner, Ranks) else None
    few = FEW if ranker and knows(ranker, run.language) else 0
    return whole.kept_to(within, patience=Patience(run.limits).until(EMBEDDING), lacks=lacks, few=few)


async def nobody_asked(stack: AsyncExitStack, run: RunRecord, settings: Settings) -> Adapters:
    """The sources of a run whose answers are all there, without anything that takes a key, a package or a server."""
    alone = run.model_copy(update={"sources": {name: each for name, each in run.sources.items() if name != "data"}})
    return await opened_adapters(stack, alone, settings.model_copy(update={"embedder": None}), Recorded(run))


async def taken_up(
    stack: AsyncExitStack,
    run: RunRecord,
    store: RunStore,
    settings: Settings,
    models: Mapping[str, Any] | None = None,
    *,
    shared: Shared | None = None,
) -> Begun:
    """A stored run, with all that it needs open until the stack is closed, and what was read in for it.

    Args:
        shared: What other runs of this process have open too.
    """
    pinned, patience = settings_of(run, settings, models), Patience(run.limits)
    if run.status == "completed":
        return Begun(run, store, await nobody_asked(stack, run, pinned), no_web=pinned.no_web)
    reasoner = await stack.enter_async_context(opened_reasoner(pinned))
    if models:
        run = run.model_copy(update={"models": pinned_models(pinned, reasoner)})
    await can_answer(reasoner, seconds=patience.until(CHECKING))
    rules = rules_of(run)
    web = await opened_web(stack, rules, pinned, shared=shared) if rules else None
    ingested = None
    if run.status == "queued" and "offline" not in run.sources:  # nobody has read its documents yet
        paths = [Path(path) for path in run.sources["paths"]]
        or_else = rules is not None or "data" in run.sources
        ingested = await read_in(paths, pinned, None, or_else=or_else, seconds=patience.until(OPENING))
    adapters = await opened_adapters(stack, run, pinned, reasoner, web, ingested=ingested, shared=shared)
    return Begun(run, store, adapters, ingested=ingested, no_web=pinned.no_web)
