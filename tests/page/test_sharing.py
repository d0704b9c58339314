"""A report taken to others: copied as Markdown, and opened by a link that opens nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from tests.page.person import Person, visiting
from tests.page.watching import until
from tests.support.page_material import QUESTION
from tests.support.page_serving import Service, ask, ended

if TYPE_CHECKING:
    from playwright.async_api import Browser, Locator

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def report_id(service: Service) -> str:
    """A session without a model that has ended."""
    async with service.client() as client:
        id = await ask(client, QUESTION, reasoner="extractive")
        (session,) = await ended(client, id)
        assert session["status"] == "completed", session
    return id


async def menu_of(person: Person, id: str) -> Locator:
    """The open menu of the report."""
    await person.opens(f"/s/{id}")
    menu = person.page.locator("details.menu", has=person.page.locator("a[download]"))
    await menu.locator("summary").click()
    return menu


async def said(person: Person, words: str) -> None:
    """Waits until a screen reader is told these words."""
    await person.page.get_by_role("status").filter(has_text=words).first.wait_for(state="attached")


async def test_a_report_is_copied_as_markdown_and_that_is_said(person: Person, report_id: str) -> None:
    await person.context.grant_permissions(["clipboard-read", "clipboard-write"])
    menu = await menu_of(person, report_id)

    await menu.get_by_role("button", name="Copy as Markdown").click()
    await said(person, "The report is copied as Markdown.")

    async with person.api() as api:
        own = (await api.get(f"/api/research/sessions/{report_id}/report.md")).text
    assert await person.page.evaluate("navigator.clipboard.readText()") == own
    assert await menu.get_attribute("open") is None
    await person.shows("copied")


async def test_what_the_browser_does_not_let_be_copied_is_said(person: Person, report_id: str) -> None:
    await person.page.add_init_script("delete Navigator.prototype.clipboard")
    menu = await menu_of(person, report_id)

    await menu.get_by_role("button", name="Copy as Markdown").click()

    await said(person, "The browser did not let it be copied.")


async def test_a_link_is_made_copied_followed_by_a_stranger_and_revoked(
    chromium: Browser, person: Person, service: Service, report_id: str
) -> None:
    await person.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = person.page
    menu = await menu_of(person, report_id)
    await menu.get_by_role("button", name="Share a link").click()
    dialog = page.get_by_role("dialog", name="Share a link")
    await dialog.get_by_text("This address means this machine alone").wait_for()
    await dialog.get_by_role("button", name="Create a link").click()
    await until(page, "document.activeElement.value?.includes('/shared/')")
    await person.shows("sharing")

    await dialog.get_by_role("button", name="Copy link").click()
    await said(person, "The link is copied.")
    link = await page.evaluate("navigator.clipboard.readText()")
    assert link == await dialog.get_by_role("textbox").input_value()
    assert link.startswith(f"{service.url}/shared/fathom_")

    async with visiting(chromium, service.url) as stranger:  # no script runs there, ours neither
        shown = await stranger.page.goto(link)
        assert shown and shown.status == 200
        text = await shown.text()
        assert "39 metres" in text
        for name, ending in (("Markdown", "md"), ("RIS", "ris")):
            async with stranger.page.expect_download() as download:
                await stranger.page.get_by_role("link", name=name, exact=True).click()
            file = await download.value
            assert file.suggested_filename.endswith(f".{ending}")
            assert (await file.path()).stat().st_size > 100
    async with visiting(chromium, service.url) as reader:
        await reader.page.set_content(text)
        await reader.shows("shared")

    await page.keyboard.press("Escape")
    assert await page.evaluate("document.activeElement.tagName") == "SUMMARY"
    await menu.locator("summary").click()
    await menu.get_by_role("button", name="Share a link").click()
    assert await dialog.get_by_role("textbox").count() == 0, "it is not shown again"
    await dialog.get_by_role("button", name="Revoke").first.click()
    await said(person, "The link is revoked.")
    assert await dialog.get_by_role("listitem").count() == 0

    async with visiting(chromium, service.url) as stranger:
        stranger.expects("404")
        shown = await stranger.page.goto(link)
        assert shown and shown.status == 404
        text = await shown.text()
    async with visiting(chromium, service.url) as reader:
        await reader.page.set_content(text)
        await reader.page.get_by_text("may have been revoked").wait_for()
        await reader.shows("shared_no_more")


async def test_the_dialog_speaks_japanese_too(chromium: Browser, service: Service, report_id: str) -> None:
    async with visiting(chromium, service.url, language="ja-JP") as person:
        menu = await menu_of(person, report_id)
        await menu.get_by_role("button", name="リンクを共有").click()
        await person.page.get_by_role("button", name="リンクを作成").click()
        await until(person.page, "document.activeElement.value?.includes('/shared/')")
        await person.shows("sharing_ja")
