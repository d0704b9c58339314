"""What the web as a source makes of links: it tells where its pages lead, and opens nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fathom.browsing import ArchivedPage, PageLink
from fathom.errors import Unavailable
from fathom.evidence import Query
from fathom.ports.web import Page, Web
from fathom.sources.web import OnTheWeb, reach_of
from tests.contracts.sources import door, whole
from tests.support.doubles.calls import DoorCalls
from tests.support.doubles.web import SimulatedReader, SimulatedSearch, hit, simulated_web

START, NEXT, INSIDE = "https://harbour.org/tides", "https://isles.org/winding", "http://wiki.corp.example:8080/pay"
WINDING = "It takes two hundred turns of the crank.\n\nThe key hangs in the guard room."
LIMIT = 5


class Leading(SimulatedReader):
    """A reader of pages of which each leads to the same others."""

    async def read(self, url: str, *, known: ArchivedPage | None = None) -> Page | None:
        page = await super().read(url, known=known)
        links = (PageLink(url=each, text="there") for each in (START, NEXT, INSIDE))
        return page and replace(page, links=tuple(links))


def a_web(reader: SimulatedReader, *, start: str = START, **rules: Any) -> Web:
    """A web whose search finds one page; one host of it is private."""
    made = simulated_web(SimulatedSearch(hits=lambda _: [hit(start)]), reader=reader, **rules)
    return replace(made, is_private=lambda url: "corp.example" in url)


def opening(url: str) -> Query:
    return Query(text=url, context="How is it wound?", opens=True)


async def begun(web: Web) -> tuple[OnTheWeb, DoorCalls]:
    """A source that has found its one page."""
    queries = [Query(text="How is it wound?")]
    source, calls = OnTheWeb(web, reach_of(web)), door(queries)
    whole(await source.search(queries, limit=LIMIT, calls=calls))
    return source, calls


async def test_it_tells_where_its_pages_lead_and_on_which_that_stands() -> None:
    source, _ = await begun(a_web(Leading()))
    assert source.trail.links == {"": {NEXT: PageLink(url=NEXT, text="there", on=f"Page at {START}")}}


async def test_a_page_of_the_public_internet_leads_nowhere_private_and_a_private_one_does() -> None:
    source, _ = await begun(a_web(Leading()))
    assert INSIDE not in source.trail.links[""]
    source, _ = await begun(a_web(Leading(), start="http://wiki.corp.example:8080/"))
    assert source.trail.links[""].keys() == {START, NEXT, INSIDE}


async def test_what_the_rules_of_a_run_forbid_is_no_link() -> None:
    source, _ = await begun(a_web(Leading(), deny=("isles.org",)))
    assert source.trail.links == {"": {}}


async def test_a_page_that_is_opened_is_read_once_and_brings_what_it_says_by_itself() -> None:
    reader = Leading(texts={NEXT: WINDING})
    source, calls = await begun(a_web(reader))
    (told,) = whole(await source.search([opening(NEXT)], limit=LIMIT, calls=calls))

    assert reader.asked == [START, NEXT] and NEXT not in source.trail.links[""]
    assert {document.uri for document in told.documents} == {NEXT}
    assert [passage.text for passage in told.passages] and all(each.text in WINDING for each in told.passages)

    again, replayed = OnTheWeb(None, source.reach), DoorCalls(calls.run, kept=calls, replay=True)
    await again.search([Query(text="How is it wound?")], limit=LIMIT, calls=replayed)
    assert whole(await again.search([opening(NEXT)], limit=LIMIT, calls=replayed)) == [told]
    assert again.trail == source.trail


async def test_an_address_to_which_no_page_leads_is_never_opened() -> None:
    reader = Leading()
    source, calls = await begun(a_web(reader))
    for url in ("https://evil.example/?said=secret", INSIDE, f"{NEXT}?x", "no address"):
        found = await source.search([opening(url)], limit=LIMIT, calls=calls)
        assert not any(found.answers) and not found.stopped
    assert reader.asked == [START]


async def test_a_page_that_cannot_be_read_is_told_of_and_is_no_link_any_more() -> None:
    source, calls = await begun(a_web(Leading(errors={NEXT: Unavailable("gone")})))
    found = await source.search([opening(NEXT)], limit=LIMIT, calls=calls)
    assert found.answers == [] and source.trail.links == {"": {}}
    assert "gone" in calls.events[-1].model_dump_json()
