"""One round on the web: search, choose, read, and lay out what the pages say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fathom.browsing import WEB, ArchivedPage, Reach, SearchHit, SearchResults, barred
from fathom.errors import LOST, LimitReached, ProviderError
from fathom.events import PageLeftOut, PageRead, WebSearched
from fathom.evidence import Query
from fathom.outcomes import together
from fathom.ports.source import SourceAnswer, SourceCalls
from fathom.ports.web import PageArchive, Web
from fathom.sources import pages, searching
from fathom.sources.archived import Archived
from fathom.sources.fusion import PageChoice, ProviderRanking, fuse, led_astray, too_old
from fathom.sources.searching import at_hand, standing_alone
from fathom.urls import page_key


def reach_of(web: Web) -> Reach:
    """What `web` allows."""
    return Reach(
        rules=web.rules,
        searches={each.name: each.cost_usd for each in web.searches},
        fallbacks={each.name: each.cost_usd for each in web.fallbacks},
    )


class OnTheWeb(Archived):
    """The web as a source, of which an attempt may use `reach`; `None` stands for a web that is off by now."""

    def __init__(self, web: Web | None, reach: Reach) -> None:
        super().__init__(WEB, kind="web")
        self.reach: Reach = reach
        self._web = web
        self._opened: dict[str, set[str]] = {}

    def _archive(self) -> PageArchive:
        return at_hand(self._web).archive

    async def search(self, queries: Sequence[Query], *, limit: int, calls: SourceCalls) -> SourceAnswer:
        """What the web holds on each query.

        The passages are those of the best pages that all of the queries have found, and of the pages that were read
        before for this subtask or for the question as a whole; of copies only the best one counts. Pages that cannot be
        read are told of and left out. A limit counts as such when nothing was found before it.

        A query that opens a page brings what that page by itself says of the subtask.
        """
        linked = self._linked([query.text for query in queries if query.opens], calls)
        queries = [query for query in queries if not query.opens]
        rankings, stopped = await self._search_all(queries, calls)
        if not rankings and not linked:
            return SourceAnswer((), stopped) if stopped else SourceAnswer([None] * len(queries))
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
        read = await together(*(self._read(choice, calls) for choice in (*linked, *fused.choices)))
        opened = [page.document for page in read[: len(linked)] if page is not None]
        part = calls.subtask.description if calls.subtask else calls.run.query
        queries = [*(Query(text=f"{part} {document.title}") for document in opened), *queries]
        alone = [document.sha256 for document in opened]
        found = await self._passages(queries, filter(None, read), limit, calls, alone=alone)
        self._look_on(calls)
        return found

    async def recall(self, queries: Sequence[Query], *, limit: int, calls: SourceCalls) -> SourceAnswer:
        """What the pages that were read for the question as a whole hold on queries that the web is not asked."""
        if not queries or not self.trail.pages.get(""):
            return SourceAnswer()
        found = await self._passages(queries, (), limit, calls)
        self._look_on(calls)
        return found

    # ── Links ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _linked(self, urls: Iterable[str], calls: SourceCalls) -> list[PageChoice]:
        """Pages that those read before link to; nothing else can be opened."""
        links = self.trail.links.get(_whose(calls), {})
        found = [PageChoice(url, SearchHit(url=url), WEB, 0.0, page_key(url)) for url in urls if url in links]
        self._opened.setdefault(_whose(calls), set()).update(choice.key for choice in found)
        self.trail.found |= {choice.key for choice in found}
        return found

    def _look_on(self, calls: SourceCalls) -> None:
        """Take down where the pages of a subtask lead, whoever was first to find them."""
        pages = sorted(self.trail.pages[_whose(calls)].values(), key=lambda page: page.url)
        addresses = (url for page in pages for url in (page.url, page.document.uri))
        seen = self._opened.get(_whose(calls), set()).union(map(page_key, addresses))
        links = self.trail.links[_whose(calls)] = {}
        for page in pages:
            for link in page.links:
                if not barred(link.url, self.reach.rules) and page_key(link.url) not in seen:
                    seen.add(page_key(link.url))
                    links[link.url] = link.model_copy(update={"on": page.document.title})

    # ── Searching ──────────────────────────────────────────────────────────────────────────────────────────────────

    async def _search_all(self, queries: Sequence[Query], calls: SourceCalls) -> tuple[list[ProviderRanking], str]:
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
            ProviderRanking(queries[number].text, provider, found.hits)
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

    async def _read(self, choice: PageChoice, calls: SourceCalls) -> ArchivedPage | None:
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

    async def _page(self, choice: PageChoice, calls: SourceCalls) -> tuple[ArchivedPage | None, str]:
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


def _whose(calls: SourceCalls) -> str:
    """The subtask that pages are read for; empty for the question as a whole."""
    return calls.subtask.subtask_id if calls.subtask else ""
