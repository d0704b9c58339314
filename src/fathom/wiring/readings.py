"""What a run has read, as its report, its journal and its events tell it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

from fathom.browsing import ArchivedPage
from fathom.data.snapshots import heading_of, records_in
from fathom.engine.met import pages_read
from fathom.errors import NotFound
from fathom.events import PageLeftOut, PageRead, StoredEvent
from fathom.evidence import Document, DocumentKind, SourceNature
from fathom.frozen import FrozenModel, later
from fathom.outcomes import in_thread
from fathom.ports import JournalEntry, RunStore
from fathom.registry import did_you_mean
from fathom.report import Report, SourceEntry


class SourceSeen(FrozenModel):
    """Something that a run has read, or would have."""

    id: str = ""
    """`S1` in the report; empty when no evidence was taken from it."""
    state: Literal["cited", "read", "left_out"]
    """Whether the report cites it, or it was only read, or could not be."""
    kind: DocumentKind
    """Where it comes from."""
    title: str = ""
    """Its title."""
    uri: str
    """Its address."""
    nature: SourceNature | None = None
    """Who speaks there, of a page; `None` when not known."""
    published: str = ""
    """When it was published or changed last (ISO 8601 date); empty when not known."""
    authors: tuple[str, ...] = later(())
    """Who has written it, as a file says itself."""
    retrieved_at: str = ""
    """When it was read: ISO 8601, UTC."""
    sha256: str = ""
    """Digest of its snapshot's text."""
    query: str = ""
    """What was asked of a dataset, as the tool and its arguments in JSON; empty for all else."""
    spans: int = 0
    """Quotations of it that the report rests on."""
    reason: str = ""
    """Why it was left out."""


class MarkedSpan(FrozenModel):
    """A quotation in a snapshot."""

    id: str
    """`E1` in the report."""
    start: int
    """Offset of its first character in the snapshot."""
    end: int
    """Offset behind its last character."""
    claims: tuple[str, ...]
    """Ids of the claims that cite it; none when it was found and is not told."""


class MarkedSource(FrozenModel):
    """A source of a report with its snapshot."""

    run_id: str
    """The run."""
    source: SourceEntry
    """As it stands in the report."""
    spans: tuple[MarkedSpan, ...]
    """What the report cites of it; if that is nothing, what was found in it. In the order of the text."""
    text: str
    """The snapshot."""


async def sources_seen(store: RunStore, run_id: str) -> list[SourceSeen]:
    """What the run has read: what its report cites first, then the rest, then what was left out.

    Raises:
        NotFound: no such run.
    """
    report, journal = await report_if_any(store, run_id), await store.journal(run_id)
    events = await store.events(run_id)

    def seen() -> list[SourceSeen]:
        return [*_of_report(report), *_of_tools(journal, report), *_of_events(events, pages_read(journal), report)]

    return await in_thread(seen)  # of a long run there is much to read


async def source_seen(store: RunStore, run_id: str, id: str) -> tuple[SourceSeen, tuple[MarkedSpan, ...]]:
    """A source of the report by its id, or anything that the run has read and kept by its `sha256`, and what is marked.

    Raises:
        NotFound: no such run, or it has read nothing of that name.
    """
    if report := await report_if_any(store, run_id):
        for source in _of_report(report):
            if id.upper() == source.id or id == source.sha256:
                return source, marked_spans(report, source.id)
    if id in await store.snapshots(run_id):
        for source in await sources_seen(store, run_id):
            if id == source.sha256:
                return source, ()
    raise NotFound(f"{run_id} has read no source '{id}'.")


async def marked_source(store: RunStore, run_id: str, id: str) -> MarkedSource:
    """A source of the run's report, with its snapshot and what is cited of it.

    Raises:
        NotFound: no such run, it has no report yet, or no such source.
    """
    report = await store.report(run_id)
    known = {source.id: source for source in report.sources}
    source = known.get(id.upper())
    if source is None:
        ids = list(known)
        told = f" It has {' to '.join(dict.fromkeys((*ids[:1], *ids[-1:]))) or 'none'}."
        raise NotFound(f"The report of {run_id} has no source '{id}'.{did_you_mean(id.upper(), list(known)) or told}")
    return MarkedSource(
        run_id=run_id,
        source=source,
        spans=marked_spans(report, source.id),
        text=await store.snapshot(source.sha256),
    )


def marked_spans(report: Report, id: str) -> tuple[MarkedSpan, ...]:
    """What the report cites of a source; if that is nothing, what was found in it. In the order of the text."""
    own = [each for each in report.evidence if each.source_id == id]
    claims: dict[str, list[str]] = {each.id: [] for each in own}
    for claim in report.claims:
        for evidence in dict.fromkeys(claim.evidence):
            if evidence in claims:
                claims[evidence].append(claim.id)
    spans = [MarkedSpan(id=each.id, start=each.start, end=each.end, claims=tuple(claims[each.id])) for each in own]
    cited = [span for span in spans if span.claims] or spans
    return tuple(sorted(cited, key=lambda span: (span.start, span.end)))


async def report_if_any(store: RunStore, run_id: str) -> Report | None:
    """The report of a run; `None` when it has none yet."""
    try:
        return await store.report(run_id)
    except NotFound:
        return None


async def snapshots_cited(store: RunStore, report: Report) -> dict[str, str]:
    """The texts that the report takes its evidence from, as they were when they were read, by `sha256`."""
    kept = set(await store.snapshots(report.run_id))
    taken_from = {source.sha256 for source in report.sources} & kept
    return {sha256: await store.snapshot(sha256) for sha256 in sorted(taken_from)}


async def records_listed(store: RunStore, report: Report) -> dict[str, list[dict[str, str]]]:
    """Where a report lists whole records and not all that match: all of these that were read, by their dataset."""
    whole = [each for each in report.evidence if each.quote.startswith("# ")]
    shas = {source.id: source.sha256 for source in report.sources}
    pages = counts_and_records(await store.journal(report.run_id)) if whole else {}
    kept = set(await store.snapshots(report.run_id)) if pages else set()
    texts = {sha256: await store.snapshot(sha256) for sha256 in pages if sha256 in kept}
    listed = Counter(heading_of(texts[shas[each.source_id]]) for each in whole if shas[each.source_id] in texts)
    found: dict[str, list[dict[str, str]]] = {}
    for heading, count in listed.items():
        records = {
            record.id: {name: text[span.start : span.end] for name, span in record.fields.items()}
            for text in texts.values()
            if heading_of(text) == heading
            for record in records_in(text)
        }
        if len(records) > count:
            found.setdefault(heading[0], list(records.values()))
    return found


def counts_and_records(journal: Iterable[JournalEntry]) -> dict[str, Document]:
    """What the tools of datasets have returned to a run, by `sha256`: counts, and pages of records."""
    answers = (json.loads(entry.answer) for entry in journal if entry.kind == "tool")
    documents = (Document.model_validate(each) for answer in answers for each in answer["documents"])
    return {document.sha256: document for document in documents}


def _of_tools(journal: Iterable[JournalEntry], report: Report | None) -> Iterator[SourceSeen]:
    """Counts and pages of records that the report takes nothing from."""
    known = {source.sha256 for source in report.sources} if report else set()
    for document in counts_and_records(journal).values():
        if document.sha256 not in known:
            yield SourceSeen.like(document, state="read")


def _of_report(report: Report | None) -> Iterator[SourceSeen]:
    if report is None:
        return
    told = {id for claim in report.claims for id in claim.evidence}
    cited = set(report.cited)
    spans = Counter(each.source_id for each in report.evidence if each.id in told)
    for source in sorted(report.sources, key=lambda source: source.id not in cited):
        state = "cited" if source.id in cited else "read"
        yield SourceSeen.like(source, state=state, spans=spans[source.id])


def _of_events(
    events: Iterable[StoredEvent], pages: dict[str, ArchivedPage], report: Report | None
) -> Iterator[SourceSeen]:
    """Pages that the report takes nothing from: those that were read, then those that were left out."""
    known = {(source.sha256, source.uri) for source in report.sources} if report else set()
    read: dict[str, SourceSeen] = {}
    left_out: dict[str, SourceSeen] = {}
    for stored in events:
        match stored.event:
            case PageRead(url=url, title=title):
                page = pages.get(url)
                if page is None:
                    read[url] = SourceSeen(state="read", kind="web", title=title, uri=url)
                elif (page.document.sha256, page.document.uri) not in known:
                    read[url] = SourceSeen.like(page.document, state="read")
            case PageLeftOut(url=url, reason=reason):
                kind: DocumentKind = "web" if url.startswith("http") else "file"
                left_out[url] = SourceSeen(state="left_out", kind=kind, uri=url, reason=reason)
            case _:
                pass
    yield from read.values()
    yield from (page for url, page in left_out.items() if url not in read)
