"""A question on the page, from the first word to the last footnote, as somebody does it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pydantic import ValidationError

from fathom.limits import Limits
from fathom_testing.model_server import ModelServer
from tests.page.conftest import LATENCY, SLOWER, SLOWEST
from tests.page.person import LOST, Person, visiting
from tests.page.watching import DONE, reported
from tests.support.page_material import HOSTILE_QUESTION, JAPANESE_QUESTION, QUESTION
from tests.support.page_serving import Service, ask, ended

if TYPE_CHECKING:
    import httpx
    from playwright.async_api import Browser

pytestmark = pytest.mark.asyncio(loop_scope="session")
ANSWERED = re.compile("answered", re.IGNORECASE)
"""How a session that has an answer stands: all of it, or so many parts."""
DRAFT = "A zeppelin landed in Patagonia on 3 May 1887 `<script>alert(1)</script>`.\n\nIt carried 77,000 crates of tea."


async def planned(client: httpx.AsyncClient) -> list[str]:
    """The sessions that keep a plan."""
    answer = await client.get("/api/research/sessions", params={"status": "planned"})
    return [each["id"] for each in answer.json()["sessions"]]


async def test_a_question_is_estimated_started_and_watched_until_its_report_is_there(
    person: Person, waiting_model: ModelServer
) -> None:
    page = person.page
    await person.opens()
    await person.shows("ask")
    await page.get_by_role("radio", name="Quick").check()
    await page.get_by_role("textbox", name="What do you want to know?").fill(QUESTION)
    await page.get_by_role("button", name="Estimate").click()
    await page.get_by_role("heading", name="What would be researched").wait_for()
    await person.shows("estimate")
    async with person.api() as client:
        [earlier] = await planned(client)
        await page.get_by_role("button", name="Estimate").click()
        while earlier in await planned(client):
            await page.wait_for_timeout(50)
        assert len(await planned(client)) == 1, "the plan of an earlier estimate is not kept beside that of a later one"
        waiting_model.latency = SLOWER
        await page.get_by_role("button", name="Start this plan").click()
        await page.wait_for_url("**/s/*")
        assert await planned(client) == []
    plan = page.get_by_role("region", name="Plan")
    await plan.get_by_role("listitem").nth(2).wait_for()
    await page.get_by_role("region", name="Findings").get_by_role("listitem").first.wait_for()
    waiting_model.latency = LATENCY
    await reported(page)
    await page.locator(".head .status", has_text=ANSWERED).wait_for()


async def test_what_is_stopped_ends_with_what_was_found_and_goes_on_when_asked(
    person: Person, waiting_model: ModelServer
) -> None:
    page = person.page
    waiting_model.latency = SLOWER
    await person.starts(f"{QUESTION} Stop in the midst of it.")
    await page.get_by_role("region", name="Plan").get_by_role("listitem").nth(1).wait_for()
    waiting_model.latency = SLOWEST
    await person.shows("live")
    await page.get_by_role("button", name="Stop", exact=True).click()
    dialog = page.get_by_role("dialog", name="Stop here?")
    await dialog.get_by_role("button", name="Stop", exact=True).click()
    waiting_model.latency = LATENCY
    await page.locator(".head .status.is-partial", has_text="Incomplete").wait_for(timeout=DONE)
    await person.shows("partial")
    assert await page.locator("article.report .claim").count() > 0
    await page.get_by_text("Continue").first.click()
    await page.locator(".head .status", has_text=ANSWERED).wait_for(timeout=DONE)
    await reported(page)


async def test_whoever_is_offline_is_told_so_and_misses_nothing(person: Person, waiting_model: ModelServer) -> None:
    page = person.page
    await person.starts(f"{QUESTION} Lose the line.")
    await page.get_by_role("region", name="Plan").get_by_role("listitem").first.wait_for()
    person.expects(LOST)
    await person.context.set_offline(True)
    banner = page.get_by_text("You are offline.")
    await banner.wait_for()  # once: twice is an error of its own
    waiting_model.latency = LATENCY
    await person.context.set_offline(False)
    await banner.wait_for(state="detached")
    await reported(page)


async def test_a_question_is_asked_again_in_the_way_it_was_asked(person: Person, service: Service) -> None:
    page = person.page
    async with service.client() as client:
        run_id = await ask(
            client, "Who has kept the lighthouse?", reasoner="extractive", effort="quick", limits={"max_time": 90}
        )
        await ended(client, run_id)
    await person.opens(f"/s/{run_id}")
    await page.get_by_role("button", name="Edit and rerun").click()
    await page.get_by_role("radio", name="Quick", checked=True).wait_for()
    assert await page.get_by_role("textbox").first.input_value() == "Who has kept the lighthouse?"
    assert await page.get_by_label("Minutes").input_value() == "1.5"
    documents, web = (page.get_by_role("checkbox", name=name) for name in ("Documents", "Web"))
    assert await documents.is_disabled()
    await web.check()
    await documents.uncheck()
    await web.uncheck()
    assert await documents.is_checked(), "something is always asked"
    await page.get_by_text("Method").click()
    assert await page.get_by_role("checkbox", name="Without a model").is_checked()


TAKEN = {
    "Minutes": ("max_time", 60),
    "Calls": ("max_calls", 1),
    "US dollars": ("max_cost", 1),
    "Tokens": ("max_tokens", 1),
}
AMOUNTS = ("-1", "0", "0.05", "1", "1.5", "12", "999", "2500", "60000", "123457")


async def test_the_form_takes_just_those_budgets_that_the_service_takes(person: Person) -> None:
    def is_taken(limit: str, amount: float) -> bool:
        try:
            return Limits.model_validate({limit: amount}) is not None
        except ValidationError:
            return False

    await person.opens()
    for label, (limit, unit) in TAKEN.items():
        field = person.page.get_by_label(label, exact=True)
        for given in AMOUNTS:
            await field.fill(given)
            taken = await field.evaluate("field => field.checkValidity()")
            assert taken == is_taken(limit, float(given) * unit), (label, given)


async def test_a_report_that_found_nothing_says_so_wherever_it_is_told_how_it_stands(
    chromium: Browser, service: Service
) -> None:
    async with service.client() as client:
        id = await ask(client, "Which zeppelins did Quuxland build?", reasoner="extractive")
        [session] = await ended(client, id)
    assert (session["status"], sum(session["claims"].values())) == ("completed", 0)
    said = {"en-US": ("No answer found", "Nothing found"), "ja-JP": ("答えは見つかりませんでした", "該当なし")}
    for language, (none, nothing) in said.items():
        async with visiting(chromium, service.url, language=language) as person:
            page = person.page
            await person.opens(f"/s/{id}")
            await page.locator("article.report .nothing").wait_for()
            assert none in await page.locator(".head .status.is-nothing").inner_text()
            await page.locator(".story > summary").click()
            await page.locator(".tree .subtask").first.wait_for()
            for part in (".tree", ".found"):
                assert nothing in await page.locator(part).inner_text(), (language, part)
            await person.opens("/history")
            row = page.locator(".rows > li", has=page.locator(f'a[href="/s/{id}"]'))
            await row.wait_for()
            assert none in await row.locator(".status.is-nothing").inner_text()


async def test_history_finds_a_question_again_and_deletes_it_only_after_asking(
    person: Person, service: Service
) -> None:
    page = person.page
    async with service.client() as client:
        run_id = await ask(client, f"{QUESTION} Remove it after.", reasoner="extractive")
        await ended(client, run_id)
        await person.opens("/history")
        await person.shows("history")
        await page.get_by_role("searchbox").fill("remove IT")
        row = page.locator(".rows > li", has_text="Remove it after")
        await row.wait_for()
        await page.locator(".rows > li").nth(1).wait_for(state="detached")
        menu, remove = row.locator("summary"), row.get_by_role("button", name="Delete")
        await menu.click()
        await remove.click()
        dialog = page.get_by_role("dialog", name="Delete this research?")
        await person.shows("delete")
        await page.keyboard.press("Escape")
        await menu.click()
        await remove.click()
        await dialog.get_by_role("button", name="Delete").click()
        await page.get_by_text("No questions match.").wait_for()
        assert (await client.get(f"/api/research/sessions/{run_id}")).status_code == 404


async def test_files_that_are_dropped_can_be_asked_and_what_means_harm_in_them_stays_text(
    person: Person, place: Path
) -> None:
    page = person.page
    await person.opens()
    await page.get_by_role("button", name="Add files").wait_for()
    await person.drops(place / "kestrel.html", place / "incidents.csv")
    added = page.get_by_role("list", name="Added files")
    await added.get_by_text(re.compile("^(added|already there)$")).nth(1).wait_for()
    await person.shows("files")
    await page.get_by_role("textbox", name="What do you want to know?").fill(HOSTILE_QUESTION)
    await page.keyboard.press("Control+Enter")
    await page.wait_for_url("**/s/*")
    await page.locator(".head .status", has_text=ANSWERED).wait_for(timeout=DONE)
    await person.opens("/library")
    await page.get_by_text("<script>").first.wait_for()
    await person.shows("library")


async def test_a_text_is_checked_sentence_by_sentence(person: Person) -> None:
    page = person.page
    await person.opens()
    await page.get_by_role("link", name="Check a text").click()
    await page.get_by_role("textbox", name="Check a text").fill(DRAFT)
    await page.get_by_role("button", name="Check", exact=True).click()
    await page.get_by_text("2 sentences checked").wait_for()
    found = page.get_by_role("listitem").filter(has_text="<script>")
    await found.get_by_role("img").first.wait_for()
    await person.shows("check")


async def test_the_page_speaks_japanese_to_whoever_reads_it(
    chromium: Browser, service: Service, waiting_model: ModelServer
) -> None:
    async with visiting(chromium, service.url, language="ja-JP") as person:
        await person.opens()
        await person.shows("ask-ja")
        page = person.page
        await person.starts(JAPANESE_QUESTION)
        waiting_model.latency = SLOWER  # else the run may be over before a busy machine has shown its plan
        await page.get_by_role("region", name="計画").get_by_role("listitem").first.wait_for()
        waiting_model.latency = SLOWEST
        await person.shows("live-ja")
        await page.get_by_role("button", name="停止").click()
        dialog = page.get_by_role("dialog", name="ここで停止しますか？")
        await dialog.get_by_role("button", name="停止").click()
        waiting_model.latency = LATENCY
        await page.locator(".head .status.is-partial", has_text="未完").wait_for(timeout=DONE)
        await person.shows("partial-ja")


async def test_a_question_is_asked_and_read_with_the_keyboard_alone(person: Person) -> None:
    page = person.page
    await person.opens()
    await page.keyboard.type(f"{QUESTION} By keys.")
    await page.keyboard.press("Control+Enter")
    await page.wait_for_url("**/s/*")
    await reported(page)
    for _ in range(40):
        await page.keyboard.press("Tab")
        if await page.evaluate("document.activeElement.matches('.claim a.ref')"):
            break
    await page.keyboard.press("Enter")
    await page.get_by_role("dialog").locator("mark.is-current").first.wait_for()
