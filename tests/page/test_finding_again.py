"""What was asked is found again: by its name, at the top, where one was; and the page is as its reader wants it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from fathom_testing.model_server import ModelServer
from tests.page.conftest import with_model
from tests.page.person import LOST, Person, visiting
from tests.page.watching import reported, until
from tests.support.page_material import QUESTION
from tests.support.page_serving import Service, ask, ended

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.async_api import Browser

pytestmark = pytest.mark.asyncio(loop_scope="session")
SESSIONS = "/api/research/sessions"


async def test_a_session_is_named_and_pinned_from_the_list(person: Person, service: Service) -> None:
    page = person.page
    async with service.client() as client:
        other, id = [
            await ask(client, f"{QUESTION} To be {what}.", reasoner="extractive") for what in ("left", "named")
        ]
        await ended(client, other, id)
    await person.opens("/history?q=To+be+named")
    row = page.locator(".rows > li")
    await row.locator("summary").click()
    await row.get_by_role("button", name="Rename").click()
    await page.get_by_role("textbox", name="Name").fill("The tower, once more")
    await person.shows("rename")
    await page.get_by_role("dialog").get_by_role("button", name="Rename").click()
    await page.get_by_role("link", name="The tower, once more").wait_for()
    await row.locator("summary").click()
    await person.shows("history-menu")
    await row.get_by_role("button", name="Pin", exact=True).click()
    await page.get_by_role("heading", name="Pinned").wait_for()
    await person.shows("history-pinned")
    await person.opens("/history")
    assert await page.locator(".rows > li").first.locator(".question-link").inner_text() == "The tower, once more"
    await page.get_by_role("heading", name="today").wait_for()


async def test_who_comes_back_to_the_list_finds_its_filter_and_place(person: Person, service: Service) -> None:
    page = person.page
    async with service.client() as client:
        for number in range(24):
            id = await ask(client, f"{QUESTION} Of the many, number {number}.", reasoner="extractive")
            await client.post(f"{SESSIONS}/{id}/cancel")
        await ended(client, id)
    await page.set_viewport_size({"width": 820, "height": 600})
    await person.opens("/history")
    await page.get_by_role("searchbox").fill("of the MANY")
    found = "[...document.querySelectorAll('.rows > li')].filter((row) => row.innerText.includes('Of the many'))"
    await until(page, f"{found}.length === 20 && document.querySelectorAll('.rows > li').length === 20")
    await page.get_by_role("button", name="Older").click()
    oldest = page.get_by_role("link", name=re.compile(r"number 0\."))
    await oldest.scroll_into_view_if_needed()
    place = await page.evaluate("scrollY")
    assert place > 600
    await oldest.click()
    await page.wait_for_url("**/s/*")
    await page.locator("#question").wait_for()
    await page.go_back()
    await oldest.wait_for()
    await until(page, f"Math.abs(scrollY - {place}) < 50")
    assert await page.get_by_role("searchbox").input_value() == "of the MANY"
    await page.get_by_role("link", name="History").click()
    await until(page, "document.querySelector('[type=search]').value === ''")


async def test_what_is_shown_while_the_server_is_away_loads_by_itself_when_it_is_back(
    chromium: Browser, place: Path
) -> None:
    served = Service(place / "away")
    served.start()
    try:
        async with visiting(chromium, served.url) as person:
            page = person.page
            person.expects(LOST)
            person.expects("404")  # there is no knowledge base yet
            await person.opens()
            await until(page, "document.querySelectorAll('link[data-place]').length === 6")  # all views are loaded
            await page.wait_for_timeout(500)
            served.kill()
            await page.get_by_role("link", name="Library").click()
            await page.get_by_text("The service does not answer.").wait_for()
            await person.shows("away")
            served.start()
            await page.get_by_text("There are no documents yet.").wait_for()
            assert await page.get_by_text("The service does not answer.").count() == 0
    finally:
        served.stop()


async def test_a_sentence_says_that_sources_disagree_and_leads_there(person: Person, service: Service) -> None:
    page = person.page
    async with service.client() as client:
        id = await ask(client, "How high is the Norvik lighthouse?", reasoner="extractive")
        [session] = await ended(client, id)
    assert {"name": "disagreement", "count": 1, "of": 0} in session["outcome"]["remarks"]
    await person.opens(f"/s/{id}")
    await reported(page)
    await page.locator(".head .status.is-partial", has_text="Sources disagree").wait_for()
    claim = page.locator(".claim", has_text="39 metres high").first
    await person.shows("disagreement")
    await claim.get_by_role("link", name="sources disagree").click()
    await page.locator(".contradiction:target", has_text="43 metres high").wait_for()


async def test_the_tick_of_a_sentence_is_shown_when_it_is_pointed_at(person: Person) -> None:
    page = person.page
    await person.starts(f"{QUESTION} With ticks.")
    await reported(page)
    claim = page.locator('.claim[data-status="quoted"], .claim[data-status="supported"]').first
    tick = claim.locator(".verdict")
    await page.mouse.move(0, 0)
    assert await tick.evaluate("each => getComputedStyle(each).opacity") == "0"
    await claim.hover()
    assert await tick.evaluate("each => getComputedStyle(each).opacity") == "1"


async def test_a_document_opens_beside_the_library_at_the_passage_that_was_found(person: Person) -> None:
    page = person.page
    await person.opens("/library")
    await page.get_by_role("button", name="The keepers", exact=True).click()
    await page.get_by_role("dialog").get_by_text("Ingrid Solheim").wait_for()
    await person.shows("document")
    await page.keyboard.press("Escape")
    await page.get_by_role("dialog").wait_for(state="detached")
    await page.get_by_role("searchbox").fill("Ingrid Solheim")
    await page.locator(".passages").get_by_role("button", name="The keepers").first.click()
    await page.get_by_role("dialog").locator("mark", has_text="Ingrid Solheim").first.wait_for()


async def test_files_of_a_question_are_all_it_asks_and_can_be_taken_away_again(person: Person, tmp_path: Path) -> None:
    page = person.page
    for name in ("minutes", "garden"):
        (tmp_path / f"{name}.md").write_text(f"# The {name}\n\nThe {name} of Vardheim has 40 parts.\n", "utf-8")
    await person.opens()
    await page.get_by_role("button", name="Add files").wait_for()
    await person.drops(tmp_path / "minutes.md", tmp_path / "garden.md")
    await page.get_by_role("checkbox", name="Use only these 2 documents", checked=True).wait_for()
    await page.get_by_text("also saved in the library").wait_for()
    await person.shows("scoped")
    async with person.api() as client:

        async def held() -> set[str]:
            told = (await client.get("/api/knowledge/default/documents")).json()["documents"]
            return {each["name"] for each in told} & {"minutes.md", "garden.md"}

        assert await held() == {"minutes.md", "garden.md"}
        await page.get_by_role("button", name="Take garden.md away again").click()
        await page.get_by_role("checkbox", name="Use only this document", checked=True).wait_for()
        while await held() != {"minutes.md"}:
            await page.wait_for_timeout(50)
        await page.get_by_role("textbox").first.fill("How many parts have the minutes of Vardheim?")
        await page.keyboard.press("Control+Enter")
        await page.wait_for_url("**/s/*")
        told = (await client.get(f"{SESSIONS}/{page.url.rpartition('/')[2]}")).json()
        assert len(told["sources"]["documents"]) == 1


async def test_keys_lead_everywhere_unless_that_is_not_wanted(person: Person) -> None:
    page = person.page
    await person.opens("/history")
    await page.get_by_role("heading", name="History").focus()
    await page.keyboard.press("?")
    await page.get_by_role("dialog", name="Keyboard shortcuts").wait_for()
    await person.shows("keys")
    await page.keyboard.press("Escape")
    await page.keyboard.type("gl")
    await page.wait_for_url("**/library")
    await page.keyboard.type("gh")
    await page.wait_for_url("**/history")
    await page.get_by_role("searchbox", name="Search the questions").wait_for()
    await page.keyboard.press("/")
    await page.locator("[type=search]:focus").wait_for()
    await page.keyboard.type("gl")
    assert await page.get_by_role("searchbox").input_value() == "gl"
    await page.get_by_role("button", name="Keyboard shortcuts").click()
    await page.get_by_role("checkbox", name="Use single keys").uncheck()
    await page.keyboard.press("Escape")
    await page.keyboard.type("gl")
    assert page.url.endswith("/history?q=gl")


async def test_the_colours_are_those_that_were_chosen_also_on_the_next_visit(person: Person) -> None:
    page = person.page
    dark = "getComputedStyle(document.body).backgroundColor === 'rgb(16, 22, 29)'"
    await person.opens()
    assert not await page.evaluate(dark)
    await page.get_by_role("combobox", name="Colours").select_option("dark")
    assert await page.evaluate(dark)
    await person.opens("/library")
    assert await page.evaluate(dark)
    await page.get_by_role("combobox", name="Colours").select_option("")
    assert not await page.evaluate(dark)


async def test_a_question_is_put_to_one_of_the_models_that_the_operator_allows(
    chromium: Browser, place: Path, model: ModelServer
) -> None:
    allowed = {**with_model(model), "FATHOM_SERVE_MODELS": "openai:another"}
    served = Service(place / "models", environment=allowed)
    served.fathom("ingest", place / "documents")
    served.start()
    try:
        async with visiting(chromium, served.url) as person:
            page = person.page
            await person.opens()
            await page.get_by_text("Method", exact=True).click()
            await page.get_by_role("combobox", name="Model").select_option("openai:another")
            await person.shows("models")
            await page.get_by_role("textbox").first.fill(QUESTION)
            await page.keyboard.press("Control+Enter")
            await page.wait_for_url("**/s/*")
            async with person.api() as client:
                told = (await client.get(f"{SESSIONS}/{page.url.rpartition('/')[2]}")).json()
            assert told["model"] == "openai:another"
            await page.get_by_text("This service could not do it").wait_for()
            await person.shows("failed")
            await page.get_by_role("button", name="Edit and rerun").click()
            await page.get_by_text("Method", exact=True).click()
            assert await page.get_by_role("combobox", name="Model").input_value() == "openai:another"
    finally:
        served.stop()


async def test_who_asks_when_there_is_nothing_to_read_is_told_what_to_add(chromium: Browser, place: Path) -> None:
    served = Service(place / "empty")
    served.start()
    try:
        async with visiting(chromium, served.url) as person:
            page = person.page
            await person.opens()
            await page.get_by_role("button", name="Add files").wait_for()
            await page.get_by_role("textbox").first.fill(QUESTION)
            await page.get_by_role("button", name="Start", exact=True).click()
            alert = page.get_by_role("alert")
            await alert.get_by_text("There are no documents yet").wait_for()
            await person.shows("nothing-to-read")
            await alert.get_by_role("button", name="Search the web").click()
            await page.get_by_role("checkbox", name="Web", checked=True).wait_for()
            assert await alert.count() == 0
    finally:
        served.stop()
