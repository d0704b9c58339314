"""What has stopped somebody who had never seen the page, in their first hour with it, stops nobody any more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fathom_testing.model_server import ModelServer
from tests.page.conftest import LATENCY, SLOWER, SLOWEST
from tests.page.person import Person
from tests.page.watching import DONE, reported, until
from tests.support.page_material import QUESTION
from tests.support.page_serving import Service, ask, ended

if TYPE_CHECKING:
    from playwright.async_api import Page

pytestmark = pytest.mark.asyncio(loop_scope="session")

LAPTOP = 500
"""Pixels of height, in which a plan leaves no room for what stands above it."""
TOO_LARGE = """() => {
  const carried = new DataTransfer();
  carried.items.add(new File([new Uint8Array(50_000_001)], "all.txt"));
  document.querySelector("main").dispatchEvent(
    new DragEvent("drop", {dataTransfer: carried, bubbles: true, cancelable: true}));
}"""
PART = """async () => {
  const { html, render } = await import("/assets/vendor/preact.js");
  const { NEW, Run } = await import("/assets/run.js");
  const part = { subtask_id: "task_1", parent_id: null, description: "A part", status: "completed", findings: 40 };
  const findings = new Map([["one", { finding_id: "one", subtask_id: "task_1", claim: "So it is.", title: "Notes" }]]);
  const task_1 = { ...part, step: { name: "nothing", values: {} }, started: null };
  const run = { ...NEW, subtasks: { task_1 }, findings };
  render(html`<${Run} run=${run} language="en" live=${false} />`, document.querySelector("main"));
}"""
TABLE = """() => import("/assets/snapshot.js").then(({ Text }) =>
  ["Gel | Drift\\nA3 | 0.12\\nB7 | 0.04", "One line\\nand another"].map((text) =>
    Text({ data: { kind: "file", text, spans: [] }, current: null })[0].props.class))"""
UNREACHABLE = """async () => {
  const { html, render } = await import("/assets/vendor/preact.js");
  const { Failure } = await import("/assets/parts.js");
  const problem = { name: "unreachable" };
  render(html`<${Failure} problem=${problem} /><${Failure} problem=${problem} again=${() => {}} />`,
    document.querySelector("main"));
  return [...document.querySelectorAll(".failure > p:first-child")].map((each) => each.innerText);
}"""


async def _comes_into_sight(page: Page, selector: str) -> None:
    """Wait until the first such element stands in the window."""
    place = f"document.querySelector({json.dumps(selector)})?.getBoundingClientRect().top"
    await until(page, f"-1 < {place} && {place} < innerHeight")


async def test_whoever_starts_a_plan_from_below_sees_it_go_on_from_its_head_to_its_report(
    person: Person, waiting_model: ModelServer
) -> None:
    page = person.page
    await page.set_viewport_size({"width": 1366, "height": LAPTOP})
    waiting_model.latency = LATENCY
    async with person.api() as client:
        id = await ask(client, f"{QUESTION} From below.", limits={"approve": ["plan"]})
    await person.opens(f"/s/{id}")
    start = page.get_by_role("button", name="Start this plan")
    await start.scroll_into_view_if_needed()
    await until(page, "scrollY > 320")
    await start.click()
    await start.wait_for(state="detached")
    await _comes_into_sight(page, ".head .status")
    await reported(page)
    await _comes_into_sight(page, ".head .status")
    assert await page.locator(".story").get_attribute("open") is None


async def test_that_the_report_is_ready_is_said_until_it_is_looked_at(
    person: Person, waiting_model: ModelServer
) -> None:
    page = person.page
    await page.set_viewport_size({"width": 1366, "height": LAPTOP})
    waiting_model.latency = SLOWER
    await person.starts(f"{QUESTION} Read below.")
    await page.get_by_role("region", name="Findings").get_by_role("listitem").nth(7).wait_for()
    await page.mouse.move(400, LAPTOP - 40)
    await page.evaluate("scrollTo(0, 400)")
    await until(page, "scrollY > 320")
    waiting_model.latency = LATENCY
    await reported(page)
    ready = page.get_by_role("link", name="The report is ready")
    await ready.wait_for()
    await page.wait_for_timeout(300)  # a pointer at rest is told what comes to lie under it
    assert await ready.is_visible()
    await ready.click()
    await ready.wait_for(state="detached")
    await _comes_into_sight(page, "#report")


async def test_a_question_of_5000_characters_leaves_its_report_in_sight(person: Person, service: Service) -> None:
    page = person.page
    async with service.client() as client:
        id = await ask(client, "Norvik " * 714, reasoner="extractive")
        await ended(client, id)
    await person.opens(f"/s/{id}")
    await page.locator("#report .reading-bar").wait_for()
    await _comes_into_sight(page, "#report .reading-bar")
    await person.shows("longest-question")
    heading = page.locator("#question")
    await heading.focus()
    await page.keyboard.press("End")
    await until(page, "document.getElementById('question').scrollTop > 0")


async def test_nothing_to_ask_is_said_where_it_was_to_be_asked(person: Person, service: Service) -> None:
    page = person.page
    await person.opens()
    await page.get_by_role("button", name="Add files").wait_for()
    await page.get_by_role("button", name="Start", exact=True).click()
    alert = page.get_by_role("alert")
    await alert.get_by_text("Write a question first.").wait_for()
    await page.keyboard.type("How")
    await alert.wait_for(state="detached")
    async with service.client() as client:
        id = await ask(client, f"{QUESTION} And no more.", reasoner="extractive")
        await ended(client, id)
    await person.opens(f"/s/{id}")
    await page.get_by_role("button", name="Ask", exact=True).click()
    await alert.get_by_text("Write a question first.").wait_for()
    await page.keyboard.type("And")
    await alert.wait_for(state="detached")


async def test_a_file_that_cannot_be_taken_says_why_and_what_can_be(person: Person, tmp_path: Path) -> None:
    page = person.page
    program = tmp_path / "setup.exe"
    program.write_text("MZ", encoding="utf-8")
    await person.opens()
    await page.get_by_role("button", name="Add files").wait_for()
    await person.drops(program)
    added = page.get_by_role("list", name="Added files")
    await added.get_by_text("There is no reader for such files.").wait_for()
    await page.evaluate(TOO_LARGE)
    await added.get_by_text("A file may have 50 MB at most.").wait_for()


async def test_a_link_to_what_is_deleted_says_so_and_leads_to_the_history(person: Person) -> None:
    person.expects("404")
    await person.opens("/s/run_gone")
    await person.page.get_by_text("It may have been deleted.").wait_for()
    await person.page.get_by_role("main").get_by_role("link", name="History").click()
    await person.page.get_by_role("heading", name="History").wait_for()


async def test_a_follow_up_is_stopped_where_it_is_watched(
    person: Person, service: Service, waiting_model: ModelServer
) -> None:
    page = person.page
    async with service.client() as client:
        waiting_model.latency = LATENCY
        id = await ask(client, f"{QUESTION} To be followed.")
        await ended(client, id)
        await person.opens(f"/s/{id}")
        waiting_model.latency = SLOWEST
        box = page.get_by_role("textbox", name="Ask a follow-up")
        await box.fill("And which storms has the tower seen from its windows?")
        await box.press("Control+Enter")
        below = page.get_by_role("article", name="And which storms has the tower seen from its windows?")
        await below.locator(".stages .is-researching").wait_for()
        await below.get_by_role("button", name="Stop", exact=True).click()
        dialog = page.get_by_role("dialog", name="Stop here?")
        await dialog.get_by_role("button", name="Stop", exact=True).click()
        await dialog.wait_for(state="hidden")
        waiting_model.latency = LATENCY
        sessions = (await client.get(f"/api/research/sessions/{id}/thread")).json()["sessions"]
        [stopped] = await ended(client, sessions[1]["id"])
        assert stopped["status"] in ("partial", "failed")
        await below.locator(".status").filter(has_text="Researching").wait_for(state="detached", timeout=DONE)


async def test_of_more_findings_than_are_shown_their_number_is_told(person: Person) -> None:
    await person.opens()
    await person.page.evaluate(PART)
    await person.page.get_by_text("A part").click()
    await person.page.get_by_text("1 of 40 findings are shown here").wait_for()


async def test_a_table_of_a_document_keeps_its_rows(person: Person) -> None:
    await person.opens()
    assert await person.page.evaluate(TABLE) == ["broken", ""]


async def test_only_what_comes_back_by_itself_says_that_it_does(person: Person) -> None:
    await person.opens()
    assert await person.page.evaluate(UNREACHABLE) == [
        "The service does not answer.",
        "The service does not answer. This loads by itself once it does.",
    ]
