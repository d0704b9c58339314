"""The knowledge base: files on this machine as a source that can be searched."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING

from fathom.errors import ConfigurationError, NotFound, ProviderError
from fathom.evidence import Document, Lack, Passage, Query, Retrieval, SourceDescription
from fathom.frozen import FrozenModel
from fathom.knowledge import finding, index, ranking, vectors
from fathom.knowledge.database import IndexDatabase
from fathom.knowledge.finding import IndexHit
from fathom.knowledge.index import Connection
from fathom.knowledge.schema import DOCUMENT
from fathom.knowledge.texts import TextCache
from fathom.knowledge.walking import real
from fathom.outcomes import in_thread, threaded
from fathom.sqlite_file import sound
from fathom.text.analysis import VERSION as ANALYSIS_VERSION
from fathom.text.analysis import query_terms
from fathom.text.characters import count_cjk
from fathom.text.language import detect

if TYPE_CHECKING:
    from fathom.knowledge.ingestion import IngestReport, OnProgress
    from fathom.ports import Embedder
    from fathom.reading.document import ReadDocument

_TEXTS_KEPT = 20_000_000  # characters
_DESCRIBED_PASSAGES = 60
_AMONG = "WHERE path IN (SELECT value FROM json_each(?))"


class StoredDocument(FrozenModel):
    """A document as a listing shows it."""

    path: str
    """Absolute path of the file."""
    title: str
    """Its title."""
    language: str
    """ISO 639-1 code; `und` when not known."""
    sha256: str
    """Digest of its snapshot's text."""
    characters: int
    """Length of its text."""
    passages: int
    """How many passages it was cut into."""
    retrieved_at: str
    """When it was read: ISO 8601, UTC."""


CANDIDATES = 50
"""Passages, best by words, that are compared with a question in meaning, where they are too many to compare all; and as
many of those in another language, best by their headings."""
MOST_FOREIGN = 5_000
"""Passages in other languages whose headings are compared: of more than that none are."""


class KnowledgeBaseStatus(FrozenModel):
    """What a knowledge base holds."""

    path: str
    """Its file."""
    documents: int
    """Number of documents."""
    passages: int
    """Number of passages."""
    characters: int
    """Length of all texts."""
    bytes: int
    """Size of the file on the disk."""
    languages: dict[str, int]
    """Documents per language."""
    vectors: dict[str, int]
    """Vectors per embedder."""


class KnowledgeBase:
    """One SQLite file with documents, full-text index and vectors. A `Retriever`."""

    name = "knowledge"

    def __init__(self, path: Path, embedder: Embedder | None = None, within: Sequence[Path] = ()) -> None:
        """`within` restricts every search to the files and folders that it names; empty means everything."""
        self.path = path
        self._database = IndexDatabase(path)
        self._embedder = embedder
        self._within = tuple(dict.fromkeys(real(entry) for entry in within))
        self._vectors = vectors.VectorCache()
        self._texts = TextCache(_TEXTS_KEPT)
        self._is_view = False
        self._patience: float | None = None
        self._lacks: tuple[Lack, ...] = ()
        self._few = 0
        self._ranker: Embedder | None = None

    def kept_to(
        self,
        paths: Sequence[Path],
        *,
        patience: float | None = None,
        lacks: Sequence[Lack] = (),
        few: int = 0,
        ranker: Embedder | None = None,
    ) -> KnowledgeBase:
        """The same knowledge base, kept to these files and folders, for a run: what it finds in a short document comes
        with the rest of it. It shares connections and caches with this one, and closing it closes nothing.

        Args:
            patience: Seconds that the embedder is given for a query; one that takes longer is left out from then on.
            lacks: What every search is to say that it lacks.
            few: So many passages in reach, or less, are all given, those that match first: for whoever knows better
                than words which of them bear on the question.
            ranker: Which of the passages in another language than the query it reaches, by their titles and headings.
        """
        view = copy(self)
        view._patience, view._lacks, view._few, view._ranker = patience, tuple(lacks), few, ranker
        view._within = tuple(dict.fromkeys(real(path) for path in paths))
        view._is_view = True
        return view

    async def ingest(
        self, paths: Iterable[Path], *, on_progress: OnProgress | None = None, seconds: float | None = None
    ) -> IngestReport:
        """Bring files and folders in: what is new or changed is read, what is gone from a folder is removed.

        What has been stored stays when this is interrupted. When the embedder fails, the texts are stored all the same,
        and the next ingestion makes up for their vectors.

        Args:
            seconds: After which no further file is read; an embedder that takes a quarter of them for one batch is left
                out.

        Raises:
            UsageError: a path is not there.
            StoreError: the file cannot be written.
            ConfigurationError, ProviderError: the embedder gave no usable answer.
        """
        from fathom.knowledge.ingestion import Ingestion  # a search does without

        embedder = self._embedder
        ingestion = Ingestion(self._database, paths, embedder=embedder.name if embedder else None, seconds=seconds)
        batches = await in_thread(ingestion.begin)
        failure: ConfigurationError | ProviderError | None = None
        if on_progress:
            on_progress(ingestion.progress)
        for batch in batches:
            await in_thread(ingestion.read, batch)
            if embedder and not failure:
                try:
                    async with asyncio.timeout(seconds and seconds / 4):
                        batch.prepared = [await vectors.embedded(document, embedder) for document in batch.prepared]
                except TimeoutError:
                    embedder = None
                except (ConfigurationError, ProviderError) as error:
                    failure = error
            await in_thread(ingestion.store, batch)
            if on_progress:
                on_progress(ingestion.progress)
        report = await in_thread(ingestion.end)
        if failure:
            raise failure
        return report

    async def mend(self) -> int:
        """Remove the documents that have rotted, so that an ingestion reads them again; returns how many those were.

        Raises:
            StoreError: the file cannot be read or written at all.
        """
        return await in_thread(self._database.mend)

    @threaded
    def put(self, document: Document, content: ReadDocument) -> None:
        """Store a document that was read elsewhere, under its address and digest; it belongs to no file and no folder.

        It gets no vectors.

        Raises:
            StoreError: the file cannot be written.
        """
        prepared = index.prepare(
            [content],
            path=f"{document.uri} {document.sha256}",
            uri=document.uri,
            title=document.title,
            language=document.language,
            content=document.sha256,
            mtime_ns=0,
            size=len(content.text),
            now=document.retrieved_at,
        )
        with self._database.write() as connection:
            index.put(connection, prepared)

    @threaded
    def remove(self, path: Path) -> int:
        """Remove the document of that path, or those of that folder; returns how many there were.

        Raises:
            NotFound: there were none.
            StoreError: the file cannot be written.
        """
        names = (real(path), str(path.expanduser().absolute()).replace(os.sep, "/"))  # in a folder a link has its own
        with self._database.write() as connection:
            ids = index.ids_within(connection, names)
            index.remove(connection, ids)
            refused = sum(index.forget_refused(connection, name) for name in dict.fromkeys(names))
        if not ids and not refused:
            raise NotFound(f"The knowledge base holds nothing from '{path}'. 'fathom kb status' lists what it holds.")
        return len(ids)

    @threaded
    def documents(self, *, only: Sequence[str] | None = None) -> list[StoredDocument]:
        """Every document in reach, by path; of these the ones with the paths `only`."""
        wanted, values = ("", ()) if only is None else (_AMONG, (json.dumps(list(only)),))
        with self._database.read() as connection:
            within = index.ids_within(connection, self._within) if self._within else None
            rows = connection.execute(
                f"SELECT mark = checksum({DOCUMENT}), id, path, title, language, sha256, characters, "
                "(SELECT count(*) FROM chunks WHERE document_id = documents.id), retrieved_at "
                f"FROM documents {wanted} ORDER BY path",
                values,
            ).fetchall()
        names = ("path", "title", "language", "sha256", "characters", "passages", "retrieved_at")
        kept = None if within is None else set(within)
        told = (sound(row, finding.LOST.format(row[2])) for row in rows)
        return [StoredDocument(**dict(zip(names, row, strict=True))) for id, *row in told if kept is None or id in kept]

    @threaded
    def titles(self) -> dict[str, str]:
        """The title of every document in reach, by path and in that order: of many documents little."""
        with self._database.read() as connection:
            within = set(index.ids_within(connection, self._within)) if self._within else None
            rows = connection.execute("SELECT id, path, title FROM documents ORDER BY path")
            return {path: title for id, path, title in rows if within is None or id in within}

    @threaded
    def unread(self) -> dict[str, str]:
        """Why files in reach, and what is attached to documents, gave no text: by path and in that order."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT path, reason FROM refused ORDER BY path").fetchall()
        roots = tuple(f"{root.rstrip('/')}/" for root in self._within) or ("",)
        files = [path.partition(index.ATTACHED)[0] for path, _ in rows]
        told = zip(rows, files, strict=True)
        return {
            path: why
            for (path, why), file in told
            if f"{file}/".startswith(roots) and (not index.is_gone(file) or Path(file).is_dir())
        }

    @threaded
    def status(self) -> KnowledgeBaseStatus:
        """What the whole file holds, whatever this object is restricted to."""
        with self._database.read() as connection:
            documents, characters = connection.execute(
                "SELECT count(*), coalesce(sum(characters), 0) FROM documents"
            ).fetchone()
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            return KnowledgeBaseStatus(
                path=str(self.path),
                documents=documents,
                passages=connection.execute("SELECT count(*) FROM chunks").fetchone()[0],
                characters=characters,
                bytes=pages * connection.execute("PRAGMA page_size").fetchone()[0],
                languages=dict(
                    connection.execute("SELECT language, count(*) FROM documents GROUP BY language ORDER BY language")
                ),
                vectors=dict(connection.execute("SELECT embedder, count(*) FROM vectors GROUP BY embedder ORDER BY 1")),
            )

    @threaded
    def describe(self, query: str) -> SourceDescription:
        """What a planner may know before asking."""
        asked = query_terms(query)
        with self._database.read() as connection:
            wanted, spellings = finding.weighed(connection, asked, text=query)
            within = self._reach(connection)
            hits = finding.lexical(connection, wanted, limit=_DESCRIBED_PASSAGES, within=within)
            documents, passages, languages, revision = finding.summary(connection, within)
            titles, headings = finding.titles_and_headings(connection, hits)
            holding = {
                term: finding.passages_with(connection, term, within) for term in dict.fromkeys((*asked, *wanted))
            }
            held = [finding.terms_of(connection, hit).intersection(wanted) for hit in hits]
            return SourceDescription(
                name=self.name,
                kind="file",
                documents=documents,
                passages=passages,
                languages=languages,
                titles=tuple(titles[:20]),
                headings=tuple(headings[:40]),
                term_passages=holding,
                spellings=spellings,
                cover=ranking.cover(held, holding, passages),
                revision=hashlib.sha256(
                    repr((revision, ANALYSIS_VERSION, self._embedder and self._embedder.name, self._within)).encode()
                    + (repr((self._few, self._ranker and self._ranker.name)).encode() if self._few else b"")
                ).hexdigest(),
            )

    async def search(self, query: Query, *, limit: int) -> Retrieval:
        """At most `limit` passages, or all where there are `few` (see `kept_to`), best first, each text once."""
        vector = None
        embedder = None if "vectors" in self._lacks else self._embedder
        if embedder and (embedder.multilingual or not count_cjk(query.text)):
            # an English model ruins the search in Japanese, so that such queries are not embedded
            try:
                async with asyncio.timeout(self._patience):
                    vector = (await embedder.embed([query.text]))[0]
            except TimeoutError:
                self._lacks = tuple(sorted({*self._lacks, "vectors"}))
        foreign = await self._foreign(query, self._ranker) if self._ranker else []
        found = await in_thread(self._search, query, limit, vector, foreign)
        return found.model_copy(update={"lacks": self._lacks})

    @threaded
    def snapshot(self, sha256: str) -> str:
        """The whole text of a document."""
        with self._database.read() as connection:
            return self._text(connection, sha256)

    async def close(self) -> None:
        """Let go of the file."""
        if not self._is_view:
            await in_thread(self._database.close)

    async def _foreign(self, query: Query, ranker: Embedder) -> list[IndexHit]:
        """Passages in another language than the query, with which they share no words: those whose title and headings
        come nearest to it in meaning; none where all passages are compared anyhow."""

        def chunks() -> list[tuple[IndexHit, str]]:
            language = detect(query.text)
            with self._database.read() as connection:
                within = self._reach(connection)
                if language == "und" or finding.all_of(connection, within, most=self._few):
                    return []
                return finding.foreign(connection, language, within, most=MOST_FOREIGN)

        found = await in_thread(chunks)
        texts = list(dict.fromkeys(headings for _, headings in found))
        if not texts:
            return []
        try:
            async with asyncio.timeout(self._patience):
                made = await ranker.embed([query.text, *texts])
        except (TimeoutError, ProviderError):
            self._lacks = tuple(sorted({*self._lacks, "vectors"}))
            return []
        likeness = dict(zip(texts, await in_thread(vectors.likeness, *made), strict=True))
        ordered = sorted(found, key=lambda each: (-likeness[each[1]], each[0].uri, each[0].start))
        return [hit for hit, _ in ordered[:CANDIDATES]]

    def _search(
        self, query: Query, limit: int, vector: Sequence[float] | None, foreign: Sequence[IndexHit]
    ) -> Retrieval:
        with self._database.read() as connection:
            main, context = finding.looked_for(connection, query)
            within = self._reach(connection)
            every = finding.all_of(connection, within, most=self._few) if self._few else []
            limit = max(limit, len(every), CANDIDATES + len(foreign) if self._few else 0)
            wanted = limit + 10
            while True:
                hits = finding.lexical(connection, main, context, limit=wanted, within=within)
                exhausted = len(hits) < wanted
                if vector is not None and self._embedder:
                    near = self._vectors.nearest(
                        connection, vector, embedder=self._embedder.name, limit=wanted, within=within
                    )
                    exhausted = exhausted and len(near) < wanted
                    hits = vectors.fuse(hits, near)
                kept = finding.distinct([*hits[: limit - len(foreign)], *foreign, *hits, *every])[:limit]
                if len(kept) >= limit or exhausted:
                    rest = finding.rest_of_short(connection, kept)[: limit // 3] if self._is_view else []
                    return self._retrieval(connection, [*kept[: limit - len(rest)], *rest])
                wanted *= 4

    def _reach(self, connection: Connection) -> list[int] | None:
        """Ids of the documents in reach; `None` when all are."""
        if not self._within:
            return None
        ids = index.ids_within(connection, self._within)
        total = connection.execute("SELECT count(*) FROM documents").fetchone()[0]
        return None if len(ids) == total else ids

    def _retrieval(self, connection: Connection, hits: Sequence[IndexHit]) -> Retrieval:
        documents: dict[str, Document] = {}
        passages: list[Passage] = []
        for hit in hits:
            document, row = finding.hit_rows(connection, hit)
            documents.setdefault(document.sha256, document)
            passages.append(finding.passage(hit, row, self._text(connection, document.sha256), document.sha256))
        return Retrieval(documents=tuple(documents.values()), passages=tuple(passages))

    def _text(self, connection: Connection, sha256: str) -> str:
        return self._texts.get(sha256, lambda: finding.text_of(connection, sha256))
