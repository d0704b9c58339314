"""One round on the web: search, choose, read, and lay out what the pages say."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import methodcaller

from fathom.browsing import WEB, ArchivedPage, Reach, SearchResults
from fathom.errors import LOST, LimitReached, ProviderError
from fathom.events import PageLeftOut, PageRead, WebSearched
from fathom.evidence import Document, Query, Retrieval, SourceDescription
from fathom.noun import Noun, request_digest
from fathom.outcomes import together
from fathom.ports.source import Found, Source, SourceCalls, Trail
from fathom.ports.web import PageArchive, Web
from fathom.sources import pages, searching
from fathom.sources.fusion import Choice, Ranking, fuse, led_astray, too_old
from fathom.sources.searching import at_hand, standing_alone
from fathom.text.copies import distinct
from fathom.urls import page_key


def reach_of(web: Web) -> Reach:
    """What `web` allows."""
    return Reach(
        rules=web.rules,
        searches={each.name: each.cost_usd for each in web.searches},
        fallbacks={each.name: each.cost_usd for each in web.fallbacks},
    )


class OnTheWeb(Source):
    """The web as a source, of which an attempt may use `reach`; `None` stands for a web that is off by now."""

    name = WEB

    def __init__(self, web: Web | None, reach: Reach) -> None:
        self.reach: Reach = reach
        self.trail = Trail()
        self._web = web
        self._told: set[str] = set()

    async def describe(self, query: str, calls: SourceCalls) -> SourceDescription:  # noqa: ARG002 - all is elsewhere
        """Nobody knows what the web holds before it is searched."""
        return SourceDescription(name=WEB, kind="web", documents=0)

    async def search(self, queries: Sequence[Query], *, limit: int, calls: SourceCalls) -> Found:
        """What the web holds on each query.

        The passages are those of the best pages that all of the queries have found, and of the pages that were read
        before for this subtask or for the question as a whole; of copies only the best one counts. Pages that cannot be
        read are told of and left out. A limit counts as such when nothing was found before it.
        """
        rankings, stopped = await self._search_all(queries, calls)
        if not rankings:
            return Found((), stopped) if stopped else Found([None] * len(queries))
        fused = fuse(
            rankings,
            question=calls.run.query,
            subject=calls.subtask.description if calls.subtask else "",
            rules=self.reach.rules,
            today=calls.run.created_at[:10],
            limit=calls.run.limits.max_pages,
        )
        self.trail.found |= fused.found
        for url, reason in fused.left_out.items():
            await self._tell(PageLeftOut(url=url, reason=reason), calls)
        read = await together(*(self._read(choice, calls) for choice in fused.choices))
        return await self._passages(queries, [page for page in read if page is not None], limit, calls)

    async def recall(self, queries: Sequence[Query], *, limit: int, calls: SourceCalls) -> Found:
        """What the pages that were read for the question as a whole hold on queries that the web is not asked."""
        if not queries or not self.trail.pages.get(""):
            return Found()
        return await self._passages(queries, (), limit, calls)

    async def snapshot(self, sha256: str) -> str:
        """The text of a page."""
        return await at_hand(self._web).archive.snapshot(sha256)

    # ── Searching ──────────────────────────────────────────────────────────────────────────────────────────────────

    async def _search_all(self, queries: Sequence[Query], calls: SourceCalls) -> tuple[list[Ranking], str]:
        """What the providers have found, and the limit that cut them off; the fallbacks are asked for what the first
        ones have nothing on."""
        limited: list[LimitReached] = []
        lost: set[int] = set()

        async def one(provider: str, number: int) -> SearchResults | None:
            try:
                return await self._search(provider, number, queries[number], calls)
            except LimitReached as stop:
                # what was found before the stop counts, here and in a replay
                limited.append(stop)
            except ProviderError as error:
                if isinstance(error, LOST):
                    lost.add(number)
            return None

        answers: dict[tuple[str, int], SearchResults | None] = {}

        async def ask(providers: Iterable[str], numbers: Iterable[int]) -> None:
            asked = [(provider, number) for number in numbers for provider in providers]
            asked = [each for each in asked if each not in answers]
            answers.update(zip(asked, await together(*(one(*each) for each in asked)), strict=True))

        await ask(self.reach.searches, range(len(queries)))
        for provider in self.reach.fallbacks:
            answered = {number for (_, number), found in answers.items() if found and found.hits}
            await ask([provider], [number for number in range(len(queries)) if number not in answered])
        rankings = [
            Ranking(queries[number].text, provider, found.hits)
            for (provider, number), found in answers.items()
            if found is not None
        ]
        if lost - {number for (_, number), found in answers.items() if found is not None}:
            calls.missed()
        return rankings, limited[0].reason if limited else ""

    async def _search(self, provider: str, number: int, query: Query, calls: SourceCalls) -> SearchResults:
        """What a provider has found; a failure is told and raised."""
        path = calls.at(f"search/{WEB}/{provider}/{number}")
        try:
            found = await searching.ask(self._web, self.reach, path, provider, query, calls)
        except ProviderError as error:
            await calls.failed(provider, error, stands_alone=False)
            raise
        await calls.emit(
            WebSearched(
                subtask_id=calls.subtask and calls.subtask.subtask_id,
                provider=provider,
                query=standing_alone(query, calls.run.query),
                hits=len(found.hits),
                cached=found.cached,
            )
        )
        return found

    # ── Reading ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _read(self, choice: Choice, calls: SourceCalls) -> ArchivedPage | None:
        """The page, or what the provider holds of it when it cannot be read; `None` when there is neither."""
        try:
            page, reason = await self._page(choice, calls)
        except LimitReached:  # the pages that were read before the stop count, here and in a replay
            return None
        if page is not None:
            document, rules = page.document, self.reach.rules
            reason = too_old(document.published, rules) or led_astray(choice.url, document.uri, rules)
        if page is None or reason:
            await self._tell(PageLeftOut(url=choice.url, reason=reason), calls)
            return None
        self.trail.read.add(page_key(choice.url))
        told = PageRead(url=choice.url, title=page.document.title, characters=page.characters, cached=page.cached)
        await self._tell(told, calls)
        return page

    async def _page(self, choice: Choice, calls: SourceCalls) -> tuple[ArchivedPage | None, str]:
        try:
            reading = await pages.read(self._web, choice.url, calls)
            page, reason = reading.page, reading.left_out
        except ProviderError as error:
            page, reason = None, str(error)
        if page is None and choice.hit.text.strip():
            try:
                page = await pages.keep(self._web, choice.hit, choice.url, choice.provider, calls)
            except ProviderError as error:
                reason = str(error)
        return page, reason

    async def _tell(self, event: PageRead | PageLeftOut, calls: SourceCalls) -> None:
        """Tell of a page, once in a run."""
        if event.url not in self._told:
            self._told.add(event.url)
            await calls.emit(event)

    # ── What the pages say ─────────────────────────────────────────────────────────────────────────────────────────

    async def _passages(
        self, queries: Sequence[Query], read: Iterable[ArchivedPage], limit: int, calls: SourceCalls
    ) -> Found:
        """What the pages of a subtask hold on each query, and what they hold at all: those it has had, those it has
        just read, and those of the question as a whole."""
        id = calls.subtask.subtask_id if calls.subtask else ""
        known = self.trail.pages.setdefault(id, {})
        for page in (*read, *self.trail.pages.get("", {}).values()):
            known.setdefault(page.document.sha256, page)
        documents = {page.document.sha256: page.document for page in distinct(known.values())}
        if not documents:
            return Found([Retrieval() for _ in queries])
        within, question = list(documents), calls.run.query
        *found, description = await together(
            *(
                self._of_archive(
                    f"passages/{WEB}/{number}",
                    ("search", WEB, query.digest(), str(limit), *sorted(within)),
                    methodcaller("search", query, within=within, limit=limit),
                    calls,
                )
                for number, query in enumerate(queries)
            ),
            self._of_archive(
                f"describe/{WEB}",
                ("describe", WEB, question, *sorted(within)),
                methodcaller("describe", question, within=within),
                calls,
            ),
        )
        if description is not None:
            self.trail.holdings[id] = SourceDescription.model_validate_json(description)
        return Found([None if answer is None else _as_met(answer, documents) for answer in found])

    async def _of_archive(
        self, place: str, asked: Sequence[str], ask: Callable[[PageArchive], Awaitable[Noun]], calls: SourceCalls
    ) -> str | None:
        """The archive's answer; `None` when it fails, which is told. What was read belongs to the report."""

        async def perform() -> str:
            return (await ask(at_hand(self._web).archive)).model_dump_json()

        call = partial(calls.call, calls.at(place), asked[0], request_digest(*asked), perform)
        try:
            try:
                return await call()
            except LimitReached:
                return await call(phase="report")
        except ProviderError as error:
            await calls.failed(WEB, error)
            return None


def _as_met(answer: str, documents: Mapping[str, Document]) -> Retrieval:
    """What the archive has found, of documents as the subtask has met them."""
    passages = [each for each in Retrieval.model_validate_json(answer).passages if each.document in documents]
    cited = dict.fromkeys(passage.document for passage in passages)
    return Retrieval(documents=tuple(documents[sha256] for sha256 in cited), passages=tuple(passages))
