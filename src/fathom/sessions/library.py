"""What sessions may ask: knowledge bases and their documents, datasets, and what was uploaded of both."""

from __future__ import annotations

import asyncio
import bisect
import hashlib
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote, urlsplit

from fathom import wiring
from fathom.errors import ConfigurationError, Conflict, FathomError, NotFound, ProviderError, Unreadable, UsageError
from fathom.evidence import Query
from fathom.knowledge.index import ATTACHED
from fathom.outcomes import in_thread
from fathom.reading import bounded
from fathom.reading.inside import ARCHIVE
from fathom.reading.readers import read_parts, suffixes
from fathom.sessions.datasets import UNDER_WAY, Datasets, ServedDataset, UploadedFile, data_suffixes
from fathom.sessions.holding import held
from fathom.sessions.listings import (
    DocumentPage,
    DocumentSummary,
    DocumentText,
    FoundPassage,
    KnowledgeBaseSummary,
    UnreadFile,
)
from fathom.sessions.names import numbered
from fathom.sessions.uploads import MEGABYTE, MOST_LINES, Delivery, Incoming, UploadFolder, files_in
from fathom.settings import KB_NAME, Settings

if TYPE_CHECKING:
    from fathom.knowledge.knowledge_base import KnowledgeBase, StoredDocument

MOST_KNOWLEDGE_BASES = 100
"""Uploads make no further ones."""
MOST_TEXT = 200_000
"""Characters of a document's text that are told at once."""
MOST_PASSAGES = 50
_ARCHIVE = re.compile(rf"(?i){re.escape(ARCHIVE)}(?=/)")


class Library:
    """What sessions may ask. It keeps nothing that is not on the disk.

    Args:
        fathom: What the runs of the service share.
        datasets: Structured data that the service was started with.
    """

    def __init__(self, fathom: wiring.Fathom, datasets: Sequence[ServedDataset] = ()) -> None:
        settings = fathom.settings
        self._settings = settings
        self._shared, self._store = fathom.shared, fathom.store
        self.uploads = UploadFolder(
            settings.home / "uploads",
            kb=settings.kb,
            most_bytes=settings.serve_upload_mb * MEGABYTE,
            most_room=settings.serve_uploads_mb * MEGABYTE,
        )
        self.datasets = Datasets(fathom, self.uploads, datasets)

    # ── What comes in ──────────────────────────────────────────────────────────────────────────────────────────────

    def delivery(self, kind: Literal["document", "data", "bundle"]) -> Delivery:
        """What a client is about to send; the caller discards it in the end."""
        if kind == "data":
            return Delivery(self.uploads, data_suffixes())
        if kind == "bundle":
            return Delivery(self.uploads, frozenset({".zip"}))
        return Delivery(self.uploads, suffixes(), most_lines=MOST_LINES)

    async def add(self, kb: str, files: Sequence[Incoming]) -> list[UploadedFile]:
        """Take documents in that have come whole; the knowledge base is made when there is none of that name.

        One of the same name takes the place of an earlier one, unless it cannot be read.

        Raises:
            Conflict: there are too many knowledge bases already.
            StoreError: the disk does not take them, or the knowledge base cannot be written.
        """
        settings = self._settings_of(kb)
        file = wiring.knowledge_file(settings)
        if not file.exists():
            if not any(not file.refusal for file in files):
                return [_refused(file, file.refusal) for file in files]
            if len(wiring.knowledge_files(settings)) >= MOST_KNOWLEDGE_BASES:
                raise Conflict(f"There are {MOST_KNOWLEDGE_BASES} knowledge bases already: use one of them.")
        folder = self.uploads.documents(kb)
        async with held(folder):  # another upload may be the first one, and fail
            is_new, knowledge = not file.exists(), self._opened(settings, embeds=True)
            before, here = _with_archives(await knowledge.titles()), set[str]()
            try:
                with bounded.within(self.uploads.most_seconds):
                    places = await in_thread(_placed, files, folder, before)
                    reasons = await self._read_in(knowledge, [place for place, _ in places.values()])
                here = _with_archives(await knowledge.titles())
            except BaseException:
                await asyncio.shield(_undone(knowledge, files, folder))
                raise
            finally:
                if is_new and not here:
                    await asyncio.shield(_unmade(knowledge))
            return [self._done(file, places.get(at), before, here, reasons) for at, file in enumerate(files)]

    async def _read_in(self, knowledge: KnowledgeBase, paths: Sequence[Path]) -> Mapping[str, str]:
        """Bring files into the index; what is to be said of them, by path, and of all under an empty one."""
        if not paths:
            return {}
        try:
            return dict((await knowledge.ingest(paths)).skipped)
        except (ConfigurationError, ProviderError) as error:  # the texts are in, their vectors are not
            return {"": str(error)}

    def _done(
        self,
        file: Incoming,
        place: tuple[Path, bool] | None,
        before: set[str],
        here: set[str],
        reasons: Mapping[str, str],
    ) -> UploadedFile:
        """What became of a file; one that the index did not take is removed."""
        if place is None:
            return _refused(file, file.refusal)
        path, is_same = place
        stored = os.path.realpath(path)
        if stored not in here:
            path.unlink(missing_ok=True)
            return _refused(file, reasons.get(stored) or reasons.get("") or "it cannot be read")
        return UploadedFile(
            name=path.name,
            status="unchanged" if is_same and stored in before else "added",
            id=document_id(stored),
            kind="document",
            reason=reasons.get("", ""),
        )

    # ── What is there ──────────────────────────────────────────────────────────────────────────────────────────────

    async def knowledge_bases(self) -> list[KnowledgeBaseSummary]:
        """The one that is asked when none is named, be it there or not, then every other by name.

        Raises:
            StoreError: one of them cannot be read.
        """
        files = await in_thread(wiring.knowledge_files, self._settings)
        datasets = Counter(kb for _, kb in (await in_thread(self.uploads.data_files)).values())
        default = self._settings.kb
        known = {file.stem for file in files} | set(datasets)
        others = sorted(name for name in known if name != default and re.fullmatch(KB_NAME, name))
        return [await self._told(name, datasets[name]) for name in (default, *others)]

    async def _told(self, name: str, datasets: int) -> KnowledgeBaseSummary:
        settings = self._settings_of(name)
        knowledge = self._opened(settings) if wiring.knowledge_file(settings).exists() else None
        status = await knowledge.status() if knowledge else None
        return KnowledgeBaseSummary(
            name=name,
            documents=status.documents if status else 0,
            datasets=datasets,
            unread=len(await knowledge.unread()) if knowledge else 0,
            bytes=status.bytes if status else 0,
            is_default=name == self._settings.kb,
        )

    async def documents(self, kb: str, *, text: str = "", limit: int = 50, after: str | None = None) -> DocumentPage:
        """Documents whose title or file name holds `text`, in whatever case.

        Raises:
            NotFound: there is no knowledge base of that name, or `after` is no document of it.
        """
        knowledge = self._there(kb)
        titles = await knowledge.titles()
        wanted = text.casefold()
        matching = [path for path, title in titles.items() if wanted in f"{title}\n{_name_of(path)}".casefold()]
        rest = matching if after is None else matching[bisect.bisect_right(matching, self._path(titles, kb, after)) :]
        shown = await knowledge.documents(only=rest[:limit])
        page = self._summaries(kb, shown)
        return DocumentPage(
            documents=page, total=len(matching), next=page[-1].id if page and len(rest) > limit else None
        )

    async def unread(self, kb: str) -> list[UnreadFile]:
        """Files that gave no text, by their paths.

        Raises:
            NotFound: there is no knowledge base of that name.
        """
        unread = await self._there(kb).unread()
        folders = {path: path.partition(ATTACHED)[0].rpartition("/")[0] for path in unread}
        return [UnreadFile(name=path[len(folders[path]) + 1 :], reason=why) for path, why in unread.items()]

    async def document(self, kb: str, id: str, *, start: int = 0, length: int = MOST_TEXT) -> DocumentText:
        """A document with at most `length` characters of its text, from `start` on.

        Raises:
            NotFound: there is no such knowledge base, or no such document in it.
        """
        knowledge = self._there(kb)
        stored = await self._stored(knowledge, kb, id)
        text = (await knowledge.snapshot(stored.sha256))[start : start + min(length, MOST_TEXT)]
        return DocumentText(
            **self._summaries(kb, [stored])[0].model_dump(), text=text, start=start, end=start + len(text)
        )

    async def search(self, kb: str, query: str, *, limit: int = 10) -> list[FoundPassage]:
        """At most `limit` passages, best first. Passages with the same text are given once.

        Raises:
            NotFound: there is no such knowledge base.
            UsageError: the query is empty.
        """
        if not query.strip():
            raise UsageError("The query is empty: say what to look for.")
        knowledge = self._there(kb, embeds=True)
        found = await knowledge.search(Query(text=query), limit=min(limit, MOST_PASSAGES))
        documents = {each.sha256: each for each in found.documents}
        return [
            FoundPassage.like(
                each,
                document=document_id(unquote(urlsplit(documents[each.document].uri).path)),
                title=documents[each.document].title,
            )
            for each in found.passages
        ]

    async def remove(self, kb: str, id: str) -> None:
        """Remove a document from its knowledge base, and the file when it was uploaded. Files of the user's stay.

        Raises:
            NotFound: there is no such knowledge base, or no such document in it.
        """
        knowledge = self._there(kb)
        async with held(self.uploads.documents(kb)):
            path = self._path(_with_archives(await knowledge.titles()), kb, id)
            await knowledge.remove(Path(path))
            if path.rpartition("/")[0] == self._upload_folder(kb):
                await in_thread(Path(path).unlink, missing_ok=True)

    async def delete(self, kb: str) -> None:
        """Remove a knowledge base with all that was uploaded to it. Files of the user's and sessions stay.

        Raises:
            NotFound: there is none of that name.
            Conflict: a session under way asks it.
        """
        settings, folder = self._settings_of(kb), self.uploads.documents(kb)
        async with held(folder), held(self.uploads.folder / "data"):
            uploads = [*files_in(folder), *(path for path, of in self.uploads.data_files().values() if of == kb)]
            if not uploads and not wiring.knowledge_file(settings).exists():
                raise self._no_base(kb)
            for run in await self._store.runs(limit=1, statuses=UNDER_WAY, kb=kb):
                raise Conflict(f"The session {run.run_id} asks '{kb}': cancel it, or wait for its end.")
            await _deleted(self._opened(settings), uploads)

    async def paths(self, kb: str, ids: Sequence[str]) -> list[Path]:
        """The files of documents, in the order of their ids.

        Raises:
            UsageError: there is no such knowledge base, or it has no document of that id.
        """
        if not ids:
            return []
        if not wiring.knowledge_file(self._settings_of(kb)).exists():
            raise UsageError(f"There is no knowledge base '{kb}'.")
        knowledge = self._there(kb)
        titles = await knowledge.titles()
        known = {document_id(path): Path(path) for path in _with_archives(titles)}
        for id in ids:
            if id not in known:
                raise UsageError(f"The knowledge base '{kb}' has no document '{id[:40]}': it may have been removed.")
        return [known[id] for id in ids]

    def _summaries(self, kb: str, documents: Sequence[StoredDocument]) -> tuple[DocumentSummary, ...]:
        uploads = self._upload_folder(kb)
        return tuple(
            DocumentSummary.like(
                stored,
                id=document_id(stored.path),
                name=_name_of(stored.path),
                uploaded=stored.path.startswith(f"{uploads}/"),
            )
            for stored in documents
        )

    def _upload_folder(self, kb: str) -> str:
        """The folder of uploaded documents, as the index writes it."""
        return os.path.realpath(self.uploads.documents(kb))

    async def _stored(self, knowledge: KnowledgeBase, kb: str, id: str) -> StoredDocument:
        path = self._path(await knowledge.titles(), kb, id)
        found = await knowledge.documents(only=[path])
        if not found:  # removed in between
            raise self._not_there(kb, id)
        return found[0]

    def _path(self, paths: Iterable[str], kb: str, id: str) -> str:
        """The path of a document.

        Raises:
            NotFound: none of them has that id.
        """
        for path in paths:
            if document_id(path) == id:
                return path
        raise self._not_there(kb, id)

    def _no_base(self, kb: str) -> NotFound:
        return NotFound(f"There is no knowledge base '{kb[:64]}'.")

    def _not_there(self, kb: str, id: str) -> NotFound:
        return NotFound(f"The knowledge base '{kb}' has no document '{id[:40]}': it may have been removed.")

    def _settings_of(self, kb: str) -> Settings:
        if not re.fullmatch(KB_NAME, kb):
            raise self._no_base(kb)
        return self._settings.model_copy(update={"kb": kb})

    def _there(self, kb: str, *, embeds: bool = False) -> KnowledgeBase:
        """A knowledge base that is there.

        Raises:
            NotFound: there is none of that name.
        """
        settings = self._settings_of(kb)
        if not wiring.knowledge_file(settings).exists():
            raise self._no_base(kb)
        return self._opened(settings, embeds=embeds)

    def _opened(self, settings: Settings, *, embeds: bool = False) -> KnowledgeBase:
        """A knowledge base, open for all; what is only looked at needs no embedder."""
        return self._shared.knowledge(settings if embeds else settings.model_copy(update={"embedder": None}))


def document_id(path: str) -> str:
    """Names a document of a knowledge base without telling where it is.

    >>> document_id("/notes/a.md")
    'doc_67d00b7b3b4d'
    """
    return f"doc_{hashlib.sha256(path.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def _with_archives(paths: Collection[str]) -> set[str]:
    """The paths, and those of the archives that hold some of them."""
    return {*paths, *(path[: end.end()] for path in paths for end in _ARCHIVE.finditer(path))}


def _name_of(path: str) -> str:
    return path.rpartition("/")[2]


async def _undone(knowledge: KnowledgeBase, files: Sequence[Incoming], folder: Path) -> None:
    """Take files back that have got a place, and have the index hold what the folder does."""
    for file in reversed(files):
        await in_thread(file.undo)
    with suppress(FathomError):  # what has failed already is told
        await knowledge.ingest([folder])


async def _unmade(knowledge: KnowledgeBase) -> None:
    """Remove a knowledge base that was made for what has not come in, unless something else has."""
    with suppress(FathomError):
        if not await knowledge.titles():
            await _deleted(knowledge)


async def _deleted(knowledge: KnowledgeBase, uploads: Iterable[Path] = ()) -> None:
    """Remove a knowledge base with the files that were uploaded to it."""
    await knowledge.close()
    for path in (*(Path(f"{knowledge.path}{suffix}") for suffix in ("", "-wal", "-shm")), *uploads):
        await in_thread(path.unlink, missing_ok=True)


def _placed(files: Sequence[Incoming], folder: Path, known: Set[str]) -> dict[int, tuple[Path, bool]]:
    """Give files their places: by their place in `files`, where each is, and whether it was there already.

    Two of one name that come together are two files. One that cannot be read does not take the place of another.
    """
    places: dict[int, tuple[Path, bool]] = {}
    taken: set[Path] = set()
    for at, file in enumerate(files):
        if file.refusal:
            continue
        path, number = folder / file.name, 2
        while path in taken and not file.is_like(path):
            path, number = folder / numbered(file.name, number), number + 1
        is_same = os.path.realpath(path) in known and file.is_like(path)  # else somebody else's who was killed
        if not is_same:
            if path.exists() and (reason := _unreadable(file.path)):
                file.refuse(reason)
                continue
            file.move(path)
        taken.add(path)
        places[at] = (path, is_same)
    return places


def _unreadable(path: Path) -> str:
    try:
        return "" if any(part.blocks for part in read_parts(path)) else "it holds no text"
    except (Unreadable, ConfigurationError) as error:
        return str(error)


def _refused(file: Incoming, reason: str) -> UploadedFile:
    return UploadedFile(name=file.name, status="refused", id="", kind="document", reason=reason)
