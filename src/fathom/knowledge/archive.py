"""The archive of pages: what was searched and read on the web, for all runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter

from fathom.browsing import WEB, ArchivedPage, PageLink, SearchResults
from fathom.errors import NotFound
from fathom.evidence import Document, Passage, Query, Retrieval, SourceDescription, text_digest
from fathom.knowledge import finding, index
from fathom.knowledge.database import IndexDatabase
from fathom.knowledge.index import Connection, Prepared
from fathom.knowledge.ranking import rank
from fathom.knowledge.schema import ARCHIVE_SCHEMA, ARCHIVE_VERSION, SEARCH
from fathom.knowledge.texts import TextCache
from fathom.knowledge.writing import GroupedWriter
from fathom.outcomes import in_thread, threaded
from fathom.ports.web import Page
from fathom.sqlite_file import room
from fathom.text.analysis import VERSION as ANALYSIS_VERSION
from fathom.text.analysis import query_terms
from fathom.urls import site_of

_REMEDY = "move the file away, and pages are read anew when they are needed"
_TEXTS_KEPT = 4_000_000  # characters
_DESCRIBED_PASSAGES = 60

_PAGE = """
SELECT sha256, address, pages.title, markup, pages.language, pages.retrieved_at, published, nature, site,
    url, characters, likeness, etag, last_modified, links
FROM pages JOIN documents ON documents.id = document_id
"""
_DOCUMENT_FIELDS = ("sha256", "uri", "title", "markup", "language", "retrieved_at", "published", "nature", "site")
_PAGE_FIELDS = ("url", "characters", "likeness", "etag", "last_modified")
_LINKS = TypeAdapter(tuple[PageLink, ...])
_KEEP = """
INSERT INTO pages (url, document_id, reading, address, title, language, retrieved_at, published, nature, site, etag,
    last_modified, likeness, links)
VALUES (?, ?, (SELECT coalesce(max(reading), 0) + 1 FROM pages), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (url, document_id) DO UPDATE SET reading = excluded.reading, address = excluded.address,
    title = excluded.title, language = excluded.language, retrieved_at = excluded.retrieved_at,
    published = excluded.published, nature = excluded.nature, site = excluded.site, etag = excluded.etag,
    last_modified = excluded.last_modified, likeness = excluded.likeness, links = excluded.links
"""


class Archive:
    """One SQLite file with searches, pages and their snapshots. A `PageArchive`.

    A snapshot is stored once, however many addresses have it, and is never removed. What a search finds depends on the
    snapshots that it is kept to and on nothing else in the file.
    """

    def __init__(self, path: Path) -> None:
        """`path` names the file, which is made when something is to be kept."""
        self.path = path
        self._database = IndexDatabase(
            path, ARCHIVE_SCHEMA, version=ARCHIVE_VERSION, called="The archive of pages", remedy=_REMEDY, seal=""
        )
        self._writer = GroupedWriter(self._database)
        self._texts = TextCache(_TEXTS_KEPT)

    # ── Searches ───────────────────────────────────────────────────────────────────────────────────────────────────

    @threaded
    def results(self, request: str, *, since: str) -> SearchResults | None:
        """What was found for the request with that digest; `None` if nothing was, or only before `since`."""
        with self._database.read() as connection:
            row = connection.execute(
                f"SELECT kept_at, results FROM searches WHERE request = ? AND mark = checksum({SEARCH})",
                (request,),
            ).fetchone()
        if row is None or _moment(row[0]) < _moment(since):
            return None
        return SearchResults.model_validate_json(row[1]).model_copy(update={"cached": True, "cost_usd": 0.0})

    async def keep_results(self, request: str, results: SearchResults) -> None:
        """Remember what was found, in place of what was found earlier."""
        row = (request, datetime.now(UTC).isoformat(), results.model_dump_json())
        put = "INSERT OR REPLACE INTO searches VALUES (?, ?, ?, checksum(?1, ?2, ?3))"
        await self._writer.write(lambda connection: connection.execute(put, row))

    # ── Pages ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @threaded
    def page(self, url: str) -> ArchivedPage | None:
        """The newest reading of an address, as `canonical_url` writes it; `None` when it was never read."""
        with self._database.read() as connection:
            return _newest(connection, url)

    async def keep_page(self, page: Page) -> ArchivedPage:
        """Remember a page. Its snapshot is kept for good, also when the page is read anew and has changed."""
        site, prepared = await in_thread(self._prepared, page)
        return await self._writer.write(lambda connection: _keep(connection, page, site, prepared))

    async def confirm_page(self, url: str, *, at: str) -> ArchivedPage:
        """Remember that the page's server has said `at` that time that it is still as it was read last.

        Raises:
            NotFound: it was never read.
            StoreError: its file cannot be written.
        """
        return await self._writer.write(lambda connection: _confirm(connection, url, at))

    def _prepared(self, page: Page) -> tuple[str, Prepared]:
        """Whose page it is, and its text cut and analysed: all that needs no transaction."""
        digest = text_digest(page.content.text)
        prepared = index.prepare(
            [page.content],
            path=digest,
            uri=page.address,
            title=page.title,
            language=page.language,
            content=digest,
            mtime_ns=0,
            size=len(page.content.text),
            now=page.retrieved_at,
        )
        return site_of(page.address), prepared

    # ── Passages ───────────────────────────────────────────────────────────────────────────────────────────────────

    @threaded
    def search(self, query: Query, *, within: Sequence[str], limit: int) -> Retrieval:
        """At most `limit` passages of the snapshots `within` (their `sha256`), best first, each text once."""
        with self._database.read() as connection:
            ranking = rank(
                connection, _ids(connection, within), main=query_terms(query.text), context=query_terms(query.context)
            )
            documents: dict[str, Document] = {}
            passages: list[Passage] = []
            for hit in finding.distinct(ranking.hits)[: max(limit, 0)]:
                document = documents.setdefault(hit.uri, _document(connection, hit.document_id))
                _, row = finding.hit_rows(connection, hit)
                passages.append(finding.passage(hit, row, self._text(connection, document.sha256), document.sha256))
        return Retrieval(documents=tuple(documents.values()), passages=tuple(passages))

    @threaded
    def describe(self, query: str, *, within: Sequence[str]) -> SourceDescription:
        """What a planner may know of the snapshots `within`, by the names of a source's description."""
        wanted = query_terms(query)
        with self._database.read() as connection:
            ids = _ids(connection, within)
            ranking = rank(connection, ids, main=wanted)
            titles, headings = finding.titles_and_headings(connection, ranking.hits[:_DESCRIBED_PASSAGES])
            languages: dict[str, int] = {}
            digest = hashlib.sha256(repr(ANALYSIS_VERSION).encode())
            for id in ids:
                document = _document(connection, id)
                languages[document.language] = languages.get(document.language, 0) + 1
                digest.update(document.sha256.encode())
        return SourceDescription(
            name=WEB,
            kind="web",
            documents=len(ids),
            passages=ranking.chunks,
            languages=dict(sorted(languages.items())),
            titles=tuple(titles[:20]),
            headings=tuple(headings[:40]),
            term_passages=dict(ranking.holding),
            cover=ranking.cover,
            revision=digest.hexdigest(),
        )

    async def prune(self, before: str, *, keep: Collection[str], dry_run: bool) -> int:
        """Remove the searches and the pages from before a moment, but no snapshot of `keep`; returns how many bytes are
        free by that, or with `dry_run` would be."""

        def work(connection: Connection) -> int:
            free = room(connection)
            connection.execute("SAVEPOINT pruning")
            connection.execute("DELETE FROM searches WHERE kept_at < ?", (before,))
            old = connection.execute(
                "SELECT id FROM documents WHERE sha256 NOT IN (SELECT value FROM json_each(?)) "
                "AND NOT EXISTS (SELECT 1 FROM pages WHERE document_id = documents.id AND retrieved_at >= ?)",
                (json.dumps(list(keep)), before),
            ).fetchall()
            connection.executemany("DELETE FROM pages WHERE document_id = ?", old)
            index.remove(connection, [id for (id,) in old])
            freed = room(connection) - free
            connection.execute("ROLLBACK TO pruning" if dry_run else "RELEASE pruning")
            return freed

        return await self._writer.write(work)

    @threaded
    def snapshot(self, sha256: str) -> str:
        """The whole text of a page."""
        with self._database.read() as connection:
            return self._text(connection, sha256)

    async def close(self) -> None:
        """Finish what is being written, and let go of the file."""
        await self._writer.close()
        await in_thread(self._database.close)

    def _text(self, connection: Connection, sha256: str) -> str:
        return self._texts.get(sha256, lambda: finding.text_of(connection, sha256))


def _keep(connection: Connection, page: Page, site: str, prepared: Prepared) -> ArchivedPage:
    """Store a page and, unless it is there, its snapshot."""
    if not (id := _id_of(connection, prepared.path)):
        index.put(connection, prepared)
        id = _id_of(connection, prepared.path)
    names = (page.address, page.title, page.language, page.retrieved_at, page.published, page.nature, site)
    marks = (page.etag, page.last_modified, page.likeness, _LINKS.dump_json(page.links).decode())
    connection.execute(_KEEP, (page.url, id, *map(_storable, (*names, *marks))))
    return _known(connection, page.url).model_copy(update={"cached": False})


def _confirm(connection: Connection, url: str, at: str) -> ArchivedPage:
    connection.execute(
        "UPDATE pages SET retrieved_at = ? WHERE reading = (SELECT max(reading) FROM pages WHERE url = ?)", (at, url)
    )
    return _known(connection, url)


def _known(connection: Connection, url: str) -> ArchivedPage:
    if (page := _newest(connection, url)) is None:
        raise NotFound(f"The archive of pages holds nothing from {url[:200]}.")
    return page


def _newest(connection: Connection, url: str) -> ArchivedPage | None:
    row = connection.execute(f"{_PAGE} WHERE url = ? ORDER BY reading DESC LIMIT 1", (url,)).fetchone()
    if row is None:
        return None
    *row, links = row
    document = Document(kind="web", **dict(zip(_DOCUMENT_FIELDS, row, strict=False)))
    known = dict(zip(_PAGE_FIELDS, row[len(_DOCUMENT_FIELDS) :], strict=True))
    return ArchivedPage(document=document, cached=True, links=_LINKS.validate_json(links), **known)


def _document(connection: Connection, id: int) -> Document:
    """Where a snapshot comes from: of several addresses the one that was read first."""
    row = connection.execute(f"{_PAGE} WHERE document_id = ? ORDER BY pages.id LIMIT 1", (id,)).fetchone()
    return Document(kind="web", **dict(zip(_DOCUMENT_FIELDS, row, strict=False)))


def _id_of(connection: Connection, sha256: str) -> int | None:
    row = connection.execute("SELECT id FROM documents WHERE path = ?", (sha256,)).fetchone()
    return int(row[0]) if row else None


def _ids(connection: Connection, digests: Sequence[str]) -> list[int]:
    """Rows of the snapshots that are here, by their digests."""
    ids = [_id_of(connection, digest) for digest in sorted(set(digests))]
    return [id for id in ids if id is not None]


def _storable(text: str) -> str:
    """Without halves of characters, which no database keeps."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
