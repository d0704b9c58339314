"""What an earlier run has read as the sources of another: snapshots of its documents, and its pages in the archive."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from fathom.browsing import ArchivedPage, WebRules
from fathom.engine.following import decided
from fathom.engine.met import documents_found, pages_read
from fathom.errors import NotFound, UsageError
from fathom.evidence import Document
from fathom.settings import Settings
from fathom.thread import THREAD
from fathom.wiring.adapters import open_archive, opened_store
from fathom.wiring.data import sources_of

if TYPE_CHECKING:
    from fathom.knowledge.snapshots import SnapshotKnowledge
    from fathom.ports import RunRecord, RunStore
    from fathom.ports.web import PageArchive, Web


async def offline_sources(run: RunRecord, store: RunStore, settings: Settings) -> dict[str, Any]:
    """How the sources of a run that has only what `run` has read are set up, as its record pins them.

    Raises:
        UsageError: there is nothing that it has read, or it has asked datasets.
    """
    from fathom.knowledge.offline import NAME

    if any(not source.connector for source in sources_of(run)):
        raise UsageError(
            f"{run.run_id} has asked datasets, and nothing is counted anew without them: `fathom fork {run.run_id}` "
            f"asks them again, `fathom replay {run.run_id}` gives the same report."
        )
    files = await _files(store, run.run_id)
    async with AsyncExitStack() as stack:
        pages = await _pages(store, run.run_id, _archive(stack, settings)) if run.sources.get("web") else {}
    if not files and not pages:
        raise UsageError(
            f"{run.run_id} has kept nothing that it has read, so that nothing can be researched offline: "
            f"`fathom fork {run.run_id}` asks its sources again."
        )
    sources = {"kb": run.sources["kb"], "paths": [], "knowledge": bool(files), "offline": run.run_id}
    sources |= {name: run.sources[name] for name in ("follows", "thread", "about") if name in run.sources}
    if template := run.sources.get("template"):
        sources["template"] = template
    if pages:
        rules = WebRules.model_validate(run.sources["web"])
        changes = {"search": (NAME,), "fallback": (), "reader": NAME, "refresh": False, "offline": run.run_id}
        sources["web"] = rules.model_copy(update=changes).model_dump(mode="json")
    return sources


def offline_knowledge(run_id: str, settings: Settings) -> SnapshotKnowledge:
    """The documents that the run has kept snapshots of; nothing is opened before something is looked for."""
    from fathom.knowledge.snapshots import SnapshotKnowledge

    async def snapshots() -> AsyncIterator[tuple[Document, str]]:
        async with opened_store(settings) as store:
            for document in await _files(store, run_id):
                yield document, await store.snapshot(document.sha256)

    return SnapshotKnowledge(snapshots)


def thread_knowledge(run_id: str, settings: Settings) -> SnapshotKnowledge:
    """What the thread of a run has read, whose texts the run has kept; nothing is opened before something is looked
    for."""
    from fathom.knowledge.snapshots import SnapshotKnowledge

    async def snapshots() -> AsyncIterator[tuple[Document, str]]:
        async with opened_store(settings) as store:
            thread = decided(await store.journal(run_id))
            for document in thread.documents if thread else ():
                yield document, await store.snapshot(document.sha256)

    return SnapshotKnowledge(snapshots, name=THREAD)


async def offline_web(stack: AsyncExitStack, rules: WebRules, settings: Settings) -> Web:
    """The pages that the run `rules.offline` has read, open until the stack is closed; no request is made.

    Raises:
        NotFound: that run was deleted.
    """
    from fathom.knowledge.offline import ArchiveSearch, FrozenArchive, NoReader
    from fathom.ports.web import Web

    archive = _archive(stack, settings)
    async with opened_store(settings) as store:
        pages = await _pages(store, rules.offline, archive)
    frozen = FrozenArchive(archive, pages)
    return Web(
        rules,
        searches=[ArchiveSearch(frozen, pages)],
        fallbacks=[],
        reader=NoReader(rules.offline),
        archive=frozen,
    )


def _archive(stack: AsyncExitStack, settings: Settings) -> PageArchive:
    archive = open_archive(settings)
    stack.push_async_callback(archive.close)
    return archive


async def _files(store: RunStore, run_id: str) -> list[Document]:
    """The documents of the run, its pages apart, whose text is kept with it."""
    kept = set(await store.snapshots(run_id))
    found = documents_found(await store.journal(run_id))
    return [found[sha256] for sha256 in sorted(kept & found.keys()) if found[sha256].kind != "web"]


async def _pages(store: RunStore, run_id: str, archive: PageArchive) -> dict[str, ArchivedPage]:
    """The pages that the run has read and that the archive still holds, by the address that was asked for."""
    held = {}
    for url, page in pages_read(await store.journal(run_id)).items():
        try:
            await archive.snapshot(page.document.sha256)
        except NotFound:  # somebody has moved the archive away
            continue
        held[url] = page
    return held
