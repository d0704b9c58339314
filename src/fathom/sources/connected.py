"""A source of the user's own: what its searches find becomes documents, like files of the user's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import chain, zip_longest
from urllib.parse import quote

from pydantic import ValidationError

from fathom.browsing import ArchivedPage, Reading
from fathom.errors import LimitReached, MalformedReply, NoEvidence, PageError, ProviderError, Unavailable, Unreadable
from fathom.events import PageLeftOut
from fathom.evidence import Query, now
from fathom.frozen import FrozenModel, request_digest
from fathom.outcomes import in_thread, together
from fathom.ports.connector import Hit
from fathom.ports.source import SourceAnswer, SourceCalls
from fathom.ports.web import Page, PageArchive
from fathom.reading.readers import read_bytes
from fathom.sources.archived import Archived
from fathom.sources.guarded import Guarded
from fathom.sources.searching import each_answered, standing_alone
from fathom.telemetry import search_span
from fathom.text.harmless import inert
from fathom.text.language import detect

FIND = "find"
"""A connector searches; its answer is a `Hits`."""
OPEN = "open"
"""What it has found becomes a document; the answer is a `Reading`."""
LONGEST = 2_000_000
"""Characters that a text may have."""
_HTML = re.compile(r"\s*<(?:!doctype|html|head|body|article|section|main|div|p|h[1-6]|ul|ol|table)\b", re.IGNORECASE)
_MARKDOWN = re.compile(r"^(?:#{1,6} |```|[-*+] |> |\|)|\]\(|\*\*\w", re.MULTILINE)
_LINK = re.compile(r"(?:https?|file)://\S+", re.IGNORECASE)


class Hits(FrozenModel):
    """What a search has found."""

    hits: tuple[Hit, ...]
    """Best first."""


class Connected(Archived):
    """A connector as a source; without one, it is not there any more in a run that has begun with it."""

    reach = None

    def __init__(self, name: str, connector: Guarded | None, archive: PageArchive | None) -> None:
        super().__init__(name, kind="file", documents=0, can=("search", "open"))  # how many there are, nobody knows
        self._connector, self._kept = connector, archive

    def _archive(self) -> PageArchive:
        return self._there()[1]

    async def search(self, queries: Sequence[Query], *, limit: int, calls: SourceCalls) -> SourceAnswer:
        """What the best hits of all queries say on each of them, and those that were found before for this subtask or
        for the question as a whole. A hit without a text is told of and left out."""
        found, stopped = await each_answered(self.name, partial(self._find, calls), queries, calls)
        if all(hits is None for hits in found):
            return SourceAnswer((), stopped) if stopped else SourceAnswer([None] * len(queries))
        in_turn = [hit for hit in chain.from_iterable(zip_longest(*(hits or () for hits in found))) if hit]
        hits = {hit.id: hit for hit in in_turn}
        self.trail.found |= {f"{self.name} {id}" for id in hits}
        pages = await together(*(self._opened(hit, calls) for hit in [*hits.values()][: calls.run.limits.max_pages]))
        return await self._passages(queries, [page for page in pages if page is not None], limit, calls)

    def _there(self) -> tuple[Guarded, PageArchive]:
        if self._connector is None or self._kept is None:
            told = f"The run has begun with the source {self.name}, which is not there now: take it up as it began."
            raise Unavailable(told)
        return self._connector, self._kept

    async def _find(self, calls: SourceCalls, number: int, query: Query) -> Sequence[Hit]:
        words, most = standing_alone(query, calls.run.query), calls.run.limits.max_results

        async def perform() -> str:
            with search_span(self.name) as span:
                answer = await self._there()[0].ask("search", words, most)
                try:
                    hits = Hits(hits=answer).hits[:most]
                except ValidationError as error:
                    wrong = error.errors()[0]
                    where = ".".join(map(str, wrong["loc"]))
                    raise MalformedReply(
                        f"The source '{self.name}' has answered `search` with what is no list of hits "
                        f"({where}: {wrong['msg'].replace('tuple', 'list')}): see docs/how-to/sources.md."
                    ) from None  # it would tell whatever came
                span.set_attributes({"fathom.hits": len(hits)})
            cut = tuple(hit.model_copy(update={"text": hit.text[: LONGEST + 1]}) for hit in hits)
            return Hits(hits=cut).model_dump_json()

        path = calls.at(f"{FIND}/{self.name}/{number}")
        answer = await calls.call(
            path, FIND, request_digest(FIND, self.name, words, str(most)), perform, lane=self.name
        )
        return Hits.model_validate_json(answer).hits

    async def _opened(self, hit: Hit, calls: SourceCalls) -> ArchivedPage | None:
        try:
            reading = await self._open(hit, calls)
        except LimitReached:  # what was opened before the stop counts, here and in a replay
            return None
        except ProviderError as error:
            await calls.failed(self.name, error)
            reading = Reading(left_out=str(error))
        if reading.page is None:
            await self._tell(PageLeftOut(url=self._address(hit), reason=reading.left_out), calls)
            return None
        self.trail.read.add(f"{self.name} {hit.id}")
        return reading.page

    async def _open(self, hit: Hit, calls: SourceCalls) -> Reading:
        async def perform() -> str:
            connector, archive = self._there()
            try:
                try:
                    text = hit.text or await connector.ask("open", hit.id)
                except NoEvidence:
                    if not (text := hit.snippet):
                        raise
                page = await in_thread(self._page, hit, text)
            except (PageError, Unreadable) as error:  # for this run that is its answer, not a failure to try again
                return Reading(left_out=str(error)).model_dump_json()
            kept = await archive.keep_page(page)
            document = kept.document.model_copy(update={"kind": "file", "nature": None, "site": ""})
            return Reading(page=kept.model_copy(update={"document": document})).model_dump_json()

        # a search may tell other words of the same text each time
        request = request_digest(OPEN, self.name, hit.model_copy(update={"snippet": ""}).digest())
        answer = await calls.call(f"{OPEN}/{self.name}/{request[:16]}", OPEN, request, perform, lane=self.name)
        return Reading.model_validate_json(answer)

    def _page(self, hit: Hit, text: object) -> Page:
        """A text as it is kept.

        Raises:
            NoEvidence: it is none, or too long.
            Unreadable: there is nothing in it to read.
        """
        if not isinstance(text, str):
            raise NoEvidence(f"the source '{self.name}' gives {type(text).__name__} in place of a text")
        if len(text) > LONGEST or not text.strip():
            amount = f"more than {LONGEST:,} characters: it is to give parts of it" if text.strip() else "no text"
            raise NoEvidence(f"the source '{self.name}' gives {amount}")
        suffix = ".html" if _HTML.match(text) else ".md" if _MARKDOWN.search(text) else ".txt"
        content = read_bytes(text.encode("utf-8", "replace"), suffix)
        return Page(
            url=f"{self.name} {hit.id}",
            address=self._address(hit),
            content=content,
            title=inert(hit.title or content.title or hit.id, width=300),
            language=detect(content.text),
            retrieved_at=now(),
            published=hit.date,
        )

    def _address(self, hit: Hit) -> str:
        """Where a reader finds it; else a name, which no link is made of."""
        return hit.uri if _LINK.fullmatch(hit.uri) else f"source:{quote(self.name)}/{quote(hit.id[:200], safe='')}"
