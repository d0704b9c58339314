"""Pages of the web as the archive keeps them: each is read once per run, anew only when what is kept is too old."""

from __future__ import annotations

from fathom.browsing import READ, ArchivedPage, Reading, SearchHit
from fathom.errors import PageError, ProviderError
from fathom.evidence import now
from fathom.frozen import request_digest
from fathom.ports.source import SourceCalls
from fathom.ports.web import Page, Web
from fathom.publishers import nature_of
from fathom.reading.document import ReadDocument
from fathom.reading.plain import PlainParser
from fathom.sources.searching import at_hand
from fathom.text.language import detect
from fathom.text.likeness import signature


async def read(web: Web | None, url: str, calls: SourceCalls) -> Reading:
    """The page at an address, as `canonical_url` writes it.

    A page that is asked for again, and cannot be had, is what it was.

    Raises:
        LimitReached: the run has stopped.
        ProviderError: it cannot be had now.
    """

    async def perform() -> str:
        there = at_hand(web)

        def read(page: ArchivedPage, *, cached: bool) -> str:
            return Reading(page=_leading(page, there).model_copy(update={"cached": cached})).model_dump_json()

        known = await there.archive.page(url)
        if known is not None and _is_fresh(known, there):
            return read(known, cached=True)
        try:
            page = await there.reader.read(url, known=known)
        except PageError as error:  # for this run that is its answer, not a failure to try again
            return Reading(left_out=str(error)).model_dump_json()
        except ProviderError:
            if known is None:
                raise
            return read(known, cached=True)
        if page is not None:
            archived = await there.archive.keep_page(page)
        else:
            archived = await there.archive.confirm_page(url, at=now())
        calls.has_read()
        return read(archived, cached=False)

    name = request_digest(url)[:16]
    answer = await calls.call(f"read/{name}", READ, request_digest(READ, url), perform)
    reading = Reading.model_validate_json(answer)
    if reading.page is None or not await _is_lost(web, url, f"lost/{name}", calls):
        return reading
    answer = await calls.call(f"read/{name}/again", READ, request_digest(READ, url, "again"), perform)
    return Reading.model_validate_json(answer)


async def _is_lost(web: Web | None, url: str, path: str, calls: SourceCalls) -> bool:
    """Whether the archive no longer holds a page that an earlier process has read: somebody has moved it away."""
    if calls.decision(path) is None:
        if web is None or calls.replay or await web.archive.page(url) is not None:
            return False
        await calls.decide(path, True)
    return True


def _is_fresh(page: ArchivedPage, web: Web) -> bool:
    since = "" if web.keep_pages is None else now(less=web.keep_pages)
    return not web.rules.refresh and page.document.retrieved_at >= since


def _leading(page: ArchivedPage, web: Web) -> ArchivedPage:
    """The page with those of its links that lead where it may lead: from the public internet to nothing private."""
    if web.is_private(page.url) and web.is_private(page.document.uri):
        return page
    return page.model_copy(update={"links": tuple(link for link in page.links if not web.is_private(link.url))})


async def keep(web: Web | None, hit: SearchHit, url: str, provider: str, calls: SourceCalls) -> ArchivedPage:
    """What a provider itself holds of a page that cannot be read, as the page; its title says whose words it has.

    Raises:
        LimitReached: the run has stopped.
        Unavailable: the web is off.
    """
    text = f"{hit.title}\n\n{hit.text}".strip()

    async def perform() -> str:
        blocks = PlainParser(text).parse()
        page = Page(
            url=f"{url}#{provider}",  # the page itself has not been read: another run may try again
            address=url,
            content=ReadDocument(text=text, title=hit.title, markup="plain", blocks=blocks),
            title=f"{hit.title or url} ({provider})",
            language=detect(text),
            retrieved_at=now(),
            published=hit.published,
            nature=nature_of(url),
            likeness=signature(text),
        )
        return (await at_hand(web).archive.keep_page(page)).model_dump_json()

    request = request_digest("keep", url, provider, text, hit.published)
    answer = await calls.call(f"keep/{request[:16]}", "keep", request, perform, first=True)
    return ArchivedPage.model_validate_json(answer)
