"""Whoever watches research is told how far it is, what it reads, and, when they look elsewhere, how it has ended."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from fathom import wiring
from fathom.events import PageRead
from fathom.sessions.views import SOURCES_TOLD
from fathom.settings import load_settings
from fathom_testing.model_server import ModelServer
from tests.page.conftest import LATENCY, SLOWER, SLOWEST, with_model
from tests.page.person import visiting
from tests.page.watching import allowed, looks_elsewhere, reported, seen, until, watching
from tests.support.page_material import JAPANESE_QUESTION, QUESTION, documents
from tests.support.page_serving import Service, ask

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = pytest.mark.asyncio(loop_scope="session")

TELL = "Notify me when it is done"
PAGES = 12
NOWHERE = "Which zeppelins did Quuxland build?"
"""What no document tells."""


@pytest.fixture(scope="module")
def queue(tmp_path_factory: pytest.TempPathFactory, model: ModelServer) -> Iterator[Service]:
    """A server that does one thing after the other."""
    place = tmp_path_factory.mktemp("queue")
    served = Service(place / "home", environment=with_model(model))
    served.fathom("ingest", documents(place))
    served.start("--sessions", "1")
    yield served
    served.stop()


@pytest.mark.parametrize(
    ("language", "width", "question", "words"),
    [
        ("en-US", 1440, QUESTION, ["Plan", "Read", "Write", "Check"]),
        ("ja-JP", 360, JAPANESE_QUESTION, ["計画", "調査", "執筆", "確認"]),
    ],
)
async def test_the_stage_that_is_under_way_is_told_at_the_top_and_nothing_moves_when_it_changes(
    chromium: Browser, service: Service, language: str, width: int, question: str, words: list[str]
) -> None:
    viewport = {"width": width, "height": 900}
    async with watching(chromium, service.url, language=language, viewport=viewport) as person:
        await person.starts(f"{question} {language}")
        await reported(person.page)
        stages = await seen(person.page, "stages")
        told = [stage["step"] for stage in stages]
        assert told == [word for word in words if word in told], "each once, in their order"
        assert told, "on a busy machine, any but one may be over before it is drawn"
        assert len({stage["place"] for stage in stages}) == 1, stages
        assert await person.page.locator(".stages").count() == 0


async def test_what_is_read_is_listed_while_research_goes_on_and_counted_aloud_now_and_then(
    chromium: Browser, service: Service, waiting_model: ModelServer
) -> None:
    waiting_model.latency = SLOWER
    async with watching(chromium, service.url) as person:
        page = person.page
        id = await person.starts(f"{QUESTION} Read on.")
        read = page.get_by_role("region", name="Sources read")
        await read.get_by_role("listitem").first.wait_for()
        waiting_model.latency = SLOWEST
        assert "The tower" in await read.inner_text()
        assert "your document" in await read.inner_text()
        await person.shows("reading")
        waiting_model.latency = SLOWER
        await read.get_by_text(re.compile(r"\d finding")).first.wait_for()
        waiting_model.latency = SLOWEST
        await person.shows("found")
        await _pages_read(service, id)
        await read.get_by_role("listitem").first.filter(has_text=f"Page {PAGES}").wait_for()
        assert await read.get_by_role("listitem").count() == SOURCES_TOLD
        assert await read.locator("[aria-live]").count() == 0, "the list itself is not read aloud"
        await until(page, "seen.counted.length > 0")
        waiting_model.latency = LATENCY
        await reported(page)
        times = [counted["at"] for counted in await seen(page, "counted")]
        assert all(later - earlier > 14_000 for earlier, later in pairwise(times)), times


async def _pages_read(service: Service, id: str) -> None:
    """Pages, one after the other, put beside what the session tells by another process: this one."""
    async with wiring.opened_store(load_settings(home=service.home)) as store:
        for number in range(1, PAGES + 1):
            read = PageRead(url=f"https://example.org/{number}", title=f"Page {number}", characters=1)
            await store.emit(id, read, fence=1)
            await asyncio.sleep(0.2)


async def test_the_title_of_the_tab_tells_how_far_it_is_and_the_outcome_until_that_is_seen(
    chromium: Browser, service: Service
) -> None:
    async with watching(chromium, service.url) as person:
        page, question = person.page, f"{QUESTION} Look at the tab."
        await person.starts(question)
        await looks_elsewhere(person)
        await reported(page)
        await until(page, "document.title.startsWith('✓')")
        assert await page.title() == f"✓ Your report is ready · {question} · Fathom"
        titles = [title.split(" · ")[0] for title in await seen(page, "titles")]
        assert re.fullmatch(
            r"(Planning )?(\d of 4 parts )+(Writing )?(Checking )?✓ Your report is ready", _from(titles)
        )
        await page.bring_to_front()
        await until(page, "!document.title.includes('ready')")
        assert await page.title() == f"{question} · Fathom"


def _from(titles: list[str]) -> str:
    """The titles since the run has begun, in one line."""
    begun = next(at for at, title in enumerate(titles) if title == "Planning" or " of " in title)
    return " ".join(titles[begun:])


async def test_whoever_looks_on_sees_no_news_in_the_title_and_is_not_notified(
    chromium: Browser, service: Service
) -> None:
    async with watching(chromium, service.url) as person:
        await allowed(person)
        await person.starts(f"{QUESTION} Stay with it.")
        await person.page.get_by_role("checkbox", name=TELL).check()
        await reported(person.page)
        assert not any("ready" in title for title in await seen(person.page, "titles"))
        assert await seen(person.page, "notes") == []


async def test_a_browser_is_asked_for_notifications_by_a_click_alone_and_remembers_the_answer(
    chromium: Browser, service: Service, waiting_model: ModelServer
) -> None:
    async with watching(chromium, service.url) as person:
        page = person.page
        waiting_model.latency = SLOWEST
        await person.starts(f"{QUESTION} Ask me first.")
        choice = page.get_by_role("checkbox", name=TELL)
        assert not await choice.is_checked()
        await page.reload()
        await choice.wait_for()
        assert await seen(page, "asked") == 0
        await choice.click()
        assert await seen(page, "asked") == 1
        await allowed(person)
        await page.reload()
        await choice.wait_for()
        assert await choice.is_checked()
        assert await seen(page, "asked") == 0
        await choice.uncheck()
        await page.reload()
        await choice.wait_for()
        assert not await choice.is_checked()
        await choice.check()
        await looks_elsewhere(person)
        waiting_model.latency = LATENCY
        await reported(page)
        await until(page, "seen.notes.length > 0")
        assert await seen(page, "notes") == [["Your report is ready", f"{QUESTION} Ask me first."]]


async def test_where_the_browser_allows_no_notifications_nothing_offers_them(
    chromium: Browser, service: Service, waiting_model: ModelServer
) -> None:
    async with watching(chromium, service.url) as person:
        page = person.page
        await person.context.grant_permissions(["geolocation"], origin=person.base)  # and nothing else
        waiting_model.latency = SLOWEST
        id = await person.starts(f"{QUESTION} Leave me alone.")
        await page.get_by_role("list", name="Stages").wait_for()
        assert await page.get_by_text(TELL).count() == 0
        waiting_model.latency = LATENCY
        async with person.api() as client:
            await client.post(f"/api/research/sessions/{id}/cancel")


async def test_whoever_refuses_notifications_is_told_what_that_means_and_is_not_asked_again(
    chromium: Browser, service: Service, waiting_model: ModelServer
) -> None:
    async with watching(chromium, service.url) as person:
        page = person.page
        waiting_model.latency = SLOWEST
        id = await person.starts(f"{QUESTION} No, thank you.")
        choice = page.get_by_role("checkbox", name=TELL)
        await choice.wait_for()
        await page.evaluate("seen.answer = 'default'")
        await choice.click()
        await until(page, "!document.querySelector('.tell input').checked")
        await page.evaluate("seen.answer = 'denied'")
        await choice.click()
        await page.get_by_text("Your browser blocks notifications from this page.").wait_for()
        await person.shows("refused")
        assert await choice.count() == 0
        assert await seen(page, "asked") == 2
        waiting_model.latency = LATENCY
        async with person.api() as client:
            await client.post(f"/api/research/sessions/{id}/cancel")


async def test_the_outcome_is_told_to_whoever_went_elsewhere_whatever_it_is(
    chromium: Browser, queue: Service, waiting_model: ModelServer
) -> None:
    waiting_model.latency = SLOWEST
    async with queue.client() as client, watching(chromium, queue.url) as person:
        page = person.page
        await allowed(person)
        ahead = await ask(client, f"{QUESTION} All others wait for this.")
        empty = await ask(client, NOWHERE, reasoner="extractive")
        dropped = await ask(client, "Who wants to know?", reasoner="extractive")
        await person.opens(f"/s/{dropped}")
        await page.get_by_role("checkbox", name=TELL).check()
        await until(page, "document.title.startsWith('Waiting ·')")
        await person.shows("queued")
        await looks_elsewhere(person)
        await client.post(f"/api/research/sessions/{dropped}/cancel")
        await until(page, "seen.notes.length > 0")
        assert await seen(page, "notes") == [["The research was cancelled", "Who wants to know?"]]
        await until(page, "document.title.startsWith('– The research was cancelled ·')")

        await person.opens(f"/s/{empty}")
        await page.get_by_role("list", name="Stages").wait_for()
        await page.get_by_role("link", name="Library").click()
        await page.get_by_role("heading", name="Library").wait_for()
        waiting_model.latency = LATENCY
        await client.post(f"/api/research/sessions/{ahead}/cancel")
        await until(page, "seen.notes.length > 0")
        assert await seen(page, "notes") == [["Nothing was found", NOWHERE]]


async def test_an_estimate_that_holds_no_more_is_dimmed_where_it_stands_and_another_one_is_offered(
    chromium: Browser, queue: Service
) -> None:
    async with visiting(chromium, queue.url) as person:
        page = person.page
        await person.opens()
        await page.get_by_role("textbox", name="What do you want to know?").fill(QUESTION)
        await page.get_by_role("button", name="Estimate").click()
        prospect = page.get_by_role("region", name="What would be researched")
        await prospect.wait_for()
        again = page.get_by_role("button", name="Estimate again")
        assert await again.count() == 0
        where = "[...document.querySelectorAll('.prospect, .begin .primary, .choice')].map((each) => each.offsetTop)"
        for width in (360, 1440):
            await page.set_viewport_size({"width": width, "height": 900})
            before = await page.evaluate(where)
            await page.get_by_role("radio", name="Quick").check()
            await again.wait_for()
            assert await page.evaluate(where) == before
            assert await prospect.locator(".plan li").count() > 0, "it is still there"
            await page.get_by_role("radio", name="Standard").check()
            await again.wait_for(state="hidden")
            assert await page.evaluate(where) == before
        await page.get_by_role("radio", name="Quick").check()
        await person.shows("old-estimate")
        assert await page.get_by_role("button", name="Start this plan").count() == 0
        await again.click()
        await page.get_by_role("button", name="Start this plan").wait_for()
        assert await again.count() == 0
        assert await page.get_by_text("have changed since").count() == 0
