"""How a run is made ready: what was asked is checked and pinned, and all that it needs is opened."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fathom.errors import Conflict, ProviderError, UsageError
from fathom.ports import knows
from fathom.version import __version__
from fathom.wiring.adapters import checked_paths, knowledge_file, opened_reasoner, read_in
from fathom.wiring.data import data_sources, opened_connectors, opened_datasets, sources_of, with_record_cap
from fathom.wiring.models import Ranks, Recorded, can_answer, pinned_models, settings_of
from fathom.wiring.offline import offline_knowledge, thread_knowledge
from fathom.wiring.question import (
    CHECKING,
    EMBEDDING,
    OPENING,
    Patience,
    Question,
    checked_query,
    limits_for,
    new_run_id,
)
from fathom.wiring.running import Adapters, Begun
from fathom.wiring.template import template_of
from fathom.wiring.web import opened_web, rules_for, rules_of

if TYPE_CHECKING:
    from fathom.browsing import WebRules
    from fathom.data.servers import DataSource
    from fathom.evidence import Lack
    from fathom.knowledge.ingestion import IngestProgress, IngestReport
    from fathom.limits import Limits
    from fathom.ports import Reasoner, Retriever, RunRecord, RunStore
    from fathom.ports.web import Web
    from fathom.preferences import ReportTemplate
    from fathom.settings import Settings
    from fathom.wiring.shared import Shared

FEW = 300
"""Passages in reach that are all compared with a question in meaning, where a model does that."""


async def opened(
    stack: AsyncExitStack,
    shared: Shared,
    settings: Settings,
    limits: Limits,
    record: Callable[[Reasoner], RunRecord],
    *,
    reads: bool = True,
    on_ingest: Callable[[IngestProgress], None] | None = None,
) -> Begun:
    """A run with all that it needs open until the stack is closed, and what was read in for it.

    Args:
        settings, limits: Those of the run.
        record: The run, given the reasoner that answers it.
        reads: Whether its documents are still to be read in.
        on_ingest: Told how far that is.
    """
    patience = Patience(limits)
    reasoner = await stack.enter_async_context(opened_reasoner(settings))
    # before any work: a wrong key must not cost the reading of the documents
    await can_answer(reasoner, seconds=patience.until(CHECKING))
    run = record(reasoner)
    rules, ingested = rules_of(run), None
    web = await opened_web(stack, rules, settings, archive=shared.archive(settings)) if rules else None
    if reads and "offline" not in run.sources:
        paths, or_else = [Path(path) for path in run.sources["paths"]], rules is not None or "data" in run.sources
        ingested = await read_in(paths, settings, on_ingest, or_else=or_else, seconds=patience.until(OPENING))
    adapters = await _adapters(stack, run, settings, reasoner, shared, web=web, ingested=ingested)
    return Begun(run, await shared.runs(), adapters, ingested=ingested, no_web=settings.no_web)


async def opened_anew(
    stack: AsyncExitStack,
    shared: Shared,
    wanted: CheckedQuestion,
    *,
    on_ingest: Callable[[IngestProgress], None] | None = None,
) -> Begun:
    """A run of a question, which is not stored yet: in the language of its documents where it does not tell its own."""
    patience, settings = Patience(wanted.limits), wanted.settings
    new = await opened(stack, shared, settings, wanted.limits, partial(record_of, wanted), on_ingest=on_ingest)
    at_hand = new.adapters["sources"]
    run = new.run.model_copy(update={"language": await _language(wanted.text, at_hand.documents)})
    with suppress(TimeoutError):
        async with asyncio.timeout(patience.until(OPENING)):
            files = {source.name for source in wanted.datasets if source.paths}
            for dataset in at_hand.datasets:
                if dataset.name in files:
                    await dataset.describe("")  # what cannot be read, or a mapping that does not fit, is said at once
    return replace(new, run=run)


async def opened_again(
    stack: AsyncExitStack, shared: Shared, run: RunRecord, settings: Settings, models: Mapping[str, Any] | None = None
) -> Begun:
    """A stored run; of one that has ended, what its journal answers. With `models` in place of its own, by name."""
    pinned = settings_of(run, settings, models)
    if run.status == "completed":
        return await recorded(stack, shared, run, settings, await shared.runs())
    refuse_imported(run)
    refuse_deleted(run.sources, settings)

    def record(reasoner: Reasoner) -> RunRecord:
        return run.model_copy(update={"models": pinned_models(pinned, reasoner)}) if models else run

    # until it has begun, nobody has read its documents
    return await opened(stack, shared, pinned, run.limits, record, reads=run.status == "queued")


async def recorded(stack: AsyncExitStack, shared: Shared, run: RunRecord, settings: Settings, store: RunStore) -> Begun:
    """A run whose answers are all there, without anything that takes a key, a package or a server."""
    pinned = settings_of(run, settings)
    alone = run.model_copy(update={"sources": {name: each for name, each in run.sources.items() if name != "data"}})
    adapters = await _adapters(
        stack, alone, pinned.model_copy(update={"embedder": None}), Recorded(run), shared, web=None, ingested=None
    )
    return Begun(run, store, adapters, no_web=pinned.no_web)


def refuse_imported(run: RunRecord) -> None:
    """See that a run was carried out here: what another has begun is not gone on with, for it says whom to ask what.

    Raises:
        Conflict: it was imported.
    """
    if run.imported:
        raise Conflict(
            f"{run.run_id} was imported, to be read, exported and replayed: to go on from it, ask its question anew."
        )


def refuse_deleted(sources: Mapping[str, Any], settings: Settings) -> None:
    """See that there is something to ask: its knowledge base, if a run does not name documents or has kept them.

    Raises:
        UsageError: it has been deleted.
    """
    kb = sources.get("kb") if sources.get("knowledge", True) and not sources.get("paths") else None
    if kb and "offline" not in sources and not knowledge_file(settings.model_copy(update={"kb": kb})).exists():
        raise UsageError(f"The knowledge base '{kb}' has been deleted: ask the question anew, of another one.")


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


class CheckedQuestion(NamedTuple):
    """A question, checked as far as that costs nothing."""

    question: Question
    text: str
    """The question without what cannot be seen."""
    settings: Settings
    limits: Limits
    """Those of its run."""
    paths: Sequence[Path]
    rules: WebRules | None
    datasets: Sequence[DataSource]
    template: ReportTemplate | None = None

    @property
    def needs_no_documents(self) -> bool:
        """Whether something else is asked, so that there need be none."""
        return self.rules is not None or bool(self.datasets)


def checked(question: Question, settings: Settings) -> CheckedQuestion:
    """The question, if it can be asked so; it looks into files of data.

    Raises:
        UsageError, ConfigurationError: it cannot, and why.
    """
    settings = question.settings or settings
    limits = limits_for(settings, question.limits, effort=question.effort)
    text, rules = checked_query(question.text, limits), rules_for(settings)
    datasets = data_sources(question.data, question.mcp, settings)
    wanted = CheckedQuestion(question, text, settings, limits, (), rules, datasets)
    if not question.knowledge and not wanted.needs_no_documents:
        raise UsageError("There is nothing to ask: documents are left out. Ask the web, name data, or let them in.")
    template = None
    if question.template is not None:
        template = template_of(question.template, documents=question.documents or ())
    paths = checked_paths(question.documents, settings, or_else=wanted.needs_no_documents)
    return wanted._replace(paths=paths, template=template)


def record_of(wanted: CheckedQuestion, reasoner: Reasoner) -> RunRecord:
    """A new run, with everything pinned that its answers depend on."""
    from fathom.text.language import detect

    question, text, settings, limits, paths, rules, datasets, template = wanted
    language = detect(text)
    sources: dict[str, Any] = {"kb": settings.kb, "paths": [str(path) for path in paths]}
    if wanted.needs_no_documents:
        is_named = not datasets or "kb" in settings.model_fields_set  # who names data does not mean all the notes too
        sources["knowledge"] = question.knowledge and (bool(paths) or (is_named and knowledge_file(settings).exists()))
    if rules:
        sources["web"] = rules.model_dump(mode="json")
    if datasets:
        sources["data"] = [source.model_dump(mode="json") for source in datasets]
    if template:
        sources["template"] = template.model_dump(mode="json")
    limits = with_record_cap(limits, datasets, reasoner)
    language = "en" if language == "und" else language
    return new_record(
        reasoner, settings, query=text, language=language, mode=question.mode, limits=limits, sources=sources
    )


def new_record(reasoner: Reasoner, settings: Settings, **asked: Any) -> RunRecord:
    """The record of a run that is about to begin: what is `asked`, by field, and who answers it."""
    from fathom.engine.run import pin
    from fathom.evidence import now
    from fathom.ports import RunRecord

    return RunRecord(
        run_id=new_run_id(),
        **asked,
        reasoner=pin(reasoner),
        models=pinned_models(settings, reasoner),
        version=__version__,
        created_at=(created_at := now()),
        updated_at=created_at,
        status="running",
    )


async def _adapters(
    stack: AsyncExitStack,
    run: RunRecord,
    settings: Settings,
    reasoner: Reasoner,
    shared: Shared,
    *,
    web: Web | None,
    ingested: IngestReport | None,
) -> Adapters:
    """The reasoner, and the sources that the run's record names, open until the stack is closed."""
    from fathom.sources import AtHand

    has_documents = run.sources.get("knowledge", True)  # else the web or data alone
    documents = [_knowledge(stack, run, settings, reasoner, ingested, shared)] if has_documents else []
    datasets = await opened_datasets(stack, sources_of(run), settings)
    connectors = opened_connectors(sources_of(run), settings)
    archive = shared.archive(settings) if datasets or connectors else None
    thread = thread_knowledge(run.run_id, settings) if run.follows else None
    if thread:
        stack.push_async_callback(thread.close)
    found = AtHand(documents, datasets=datasets, connectors=connectors, archive=archive, web=web, thread=thread)
    return {"reasoner": reasoner, "sources": found}


def _knowledge(
    stack: AsyncExitStack,
    run: RunRecord,
    settings: Settings,
    reasoner: Reasoner,
    ingested: IngestReport | None,
    shared: Shared,
) -> Retriever:
    """The documents of a run: those of its knowledge base, or what an earlier run has kept of them."""
    if earlier := run.sources.get("offline"):
        snapshots = offline_knowledge(earlier, settings)
        stack.push_async_callback(snapshots.close)
        return snapshots
    whole = shared.knowledge(settings.model_copy(update={"kb": run.sources["kb"]}))
    within = [Path(path) for path in run.sources["paths"]]
    lacks: tuple[Lack, ...] = ("files",) if ingested and ingested.unread else ()
    ranker = reasoner.embedder if isinstance(reasoner, Ranks) else None
    few = FEW if ranker and knows(ranker, run.language) else 0
    patience = Patience(run.limits).until(EMBEDDING)
    return whole.kept_to(within, patience=patience, lacks=lacks, few=few, ranker=ranker if few else None)
