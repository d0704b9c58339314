"""The beginning of a run that follows another one: what their thread knows, and what is asked, made whole."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from fathom.asks import ResolveFollowUp
from fathom.engine.context import Context
from fathom.engine.ledger import DECIDE
from fathom.engine.met import documents_found, pages_read
from fathom.errors import NotFound
from fathom.evidence import Document, Evidence
from fathom.findings import Finding
from fathom.ports import JournalEntry, RunStore
from fathom.report import Report
from fathom.text.harmless import inert
from fathom.text.sentences import sentences
from fathom.thread import THREAD, Exchange, Thread

ANSWER, CLAIMS = 300, 3
"""Characters of a sentence of an answer that the thread keeps, and how many of them."""


async def begin(context: Context) -> None:
    """Take down what the thread knows; from then on the run needs nothing of the runs that it follows.

    What all asks see as the question is the follow-up in words that stand by themselves: the record keeps the user's.
    One that only wishes for another report asks the question before it once more.

    Raises:
        NotFound: the run that it follows was deleted before it had begun.
    """
    run = context.run
    if not run.follows:
        return
    thread = context.state.asked.thread = Thread.model_validate(await _taken_down(context))
    question = thread.topic or (thread.exchanges[-1].question if not run.query.strip() else "")
    if run.query.strip() and run.query != thread.topic:
        ask = context.about(ResolveFollowUp, exchanges=thread.exchanges, topic=thread.topic)
        resolved = await context.try_ask("resolve", ask, if_there_is_time=True)
        question = resolved.question if resolved else run.query
    await context.understand(question)


async def _taken_down(context: Context) -> Any:
    """The thread as it was when the run began, with its texts kept for this run, too."""
    run, store = context.run, context.store
    if context.replay or context.journal.decision(THREAD) is not None:
        return await context.decide(THREAD, None)
    thread = decided(await store.journal(run.earlier)) if run.earlier else None
    thread = thread or await _known(store, run.follows, about=run.about, asked=run.query)
    for document in thread.documents:
        await store.add_snapshot(
            run.run_id, document.sha256, await store.snapshot(document.sha256), fence=context.fence
        )
    return await context.decide(THREAD, thread.model_dump(mode="json"))


async def _known(store: RunStore, run_id: str, *, about: str, asked: str) -> Thread:
    """What a run knows, with what the thread before it knew.

    Args:
        about: Id of the claim that is to be researched further; empty when the whole is spoken of.
        asked: The question that follows.
    """
    run, report, journal = await store.run(run_id), await store.report(run_id), await store.journal(run_id)
    before = decided(journal) or Thread()
    documents = {source.sha256: Document.like(source, language=report.language) for source in report.sources}
    documents |= documents_found(journal) | {
        page.document.sha256: page.document for page in pages_read(journal).values()
    }
    documents |= {document.sha256: document for document in before.documents}
    kept = await store.snapshots(run_id)
    topic = report.preferences.topic if report.preferences else report.query
    alone = report.in_words
    exchange = Exchange(
        run_id=run_id,
        asked=run.query,
        question=report.clarified.question if report.clarified else topic,
        answer=" ".join(inert(alone[claim.id], width=ANSWER) for claim in report.claims[:CLAIMS]),
        parts=tuple(subtask.description for subtask in report.subtasks if not subtask.depth),
    )
    return Thread(
        exchanges=(*before.exchanges, exchange),
        documents=tuple(documents[id] for id in kept if id in documents and documents[id].kind != "dataset"),
        topic=sentence_of(report, about, asked) if about else "",
        known=tuple(_cited(report)) if about else (),
    )


def decided(journal: Iterable[JournalEntry]) -> Thread | None:
    """What a run has taken down of its own thread; `None` when it follows nobody."""
    for entry in journal:
        if (entry.kind, entry.path) == (DECIDE, THREAD):
            return Thread.model_validate(json.loads(entry.answer))
    return None


def sentence_of(report: Report, id: str, asked: str = "") -> str:
    """The sentence that a claim is researched further by: what is asked, if it is words of the claim; else what tells
    most of it, or its first sentence.

    Raises:
        NotFound: the report has no such claim.
    """
    for claim in report.claims:
        if claim.id == id.upper():
            text = " ".join(report.in_words[claim.id].split())
            if (words := " ".join(asked.split())) and words in text:
                return words
            first = next(iter(sentences(text)), (0, len(text)))
            return inert(text[slice(*first)], width=ANSWER)
    has = f"it has C1 to C{len(report.claims)}" if report.claims else "it has none"
    raise NotFound(f"The report of {report.run_id} has no claim '{id}': {has}.")


def _cited(report: Report) -> Iterable[Finding]:
    """What the sentences of a report rest on, as findings of the thread."""
    digests = {source.id: source.sha256 for source in report.sources}
    spans = {each.id: Evidence.like(each, document=digests[each.source_id]) for each in report.evidence}
    alone = report.in_words
    for claim in report.claims:
        if claim.evidence:
            evidence = tuple(spans[id] for id in claim.evidence)
            yield Finding(subtask_id=THREAD, claim=alone[claim.id], evidence=evidence, confidence=claim.confidence)
