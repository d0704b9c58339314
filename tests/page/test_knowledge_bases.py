"""Knowledge bases on the page: made, filled, asked, and found again with what belongs to them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.page.person import visiting
from tests.page.watching import DONE
from tests.support.page_serving import Service

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = pytest.mark.asyncio(loop_scope="session")

RULES = "# Rules of the club\n\nThe gate of the apiary is shut at nine in the evening.\n"
MEMBERS = "name,since,hives\nAda,2019,3\nBo,2021,1\nCy,2023,2\n"


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Service]:
    """A server with one document in the knowledge base that is asked when none is named."""
    (tmp_path / "bread.md").write_text("# Bread\n\nA loaf takes two hours in the oven.\n", encoding="utf-8")
    served = Service(tmp_path / "home")
    served.fathom("ingest", tmp_path / "bread.md")
    served.start()
    yield served
    served.stop()


async def test_the_library_names_what_gave_no_text_and_why(chromium: Browser, shelf: Service, tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    (tmp_path / "box").mkdir()
    (tmp_path / "box" / "empty.md").write_text("")
    shelf.fathom("ingest", tmp_path / "broken.pdf", tmp_path / "bread.md")
    async with visiting(chromium, shelf.url) as person:
        await person.opens("/library")
        listed = person.page.get_by_role("region", name="Not read")
        await listed.get_by_text("broken.pdf").wait_for()
        assert "PDF" in await listed.locator(".facts").inner_text()
        await person.shows("unread")


async def test_a_knowledge_base_is_made_on_the_page_and_its_documents_data_and_sessions_stay_together(
    chromium: Browser, shelf: Service, tmp_path: Path
) -> None:
    files = [tmp_path / "rules.md", tmp_path / "members.csv"]
    for path, text in zip(files, (RULES, MEMBERS), strict=True):
        path.write_text(text, encoding="utf-8")
    async with visiting(chromium, shelf.url) as person:
        page = person.page
        await person.opens("/library")
        await page.get_by_role("button", name="New knowledge base").click()
        name = page.get_by_role("textbox", name="Name")
        await name.fill("our club")
        await page.get_by_role("button", name="Create").click()
        assert await name.evaluate("field => field.validity.patternMismatch")
        await person.shows("knowledge-base-new")
        await name.fill("club")
        await page.get_by_role("button", name="Create").click()
        await page.get_by_text("“club” is empty").wait_for()
        await person.drops(*files)
        await page.get_by_role("list", name="Added files").get_by_text("added").nth(1).wait_for()
        await page.get_by_role("button", name="Rules of the club", exact=True).wait_for()
        await page.get_by_text("members.csv").nth(1).wait_for()
        assert await page.get_by_text("“club” is empty").count() == 0
        await person.shows("knowledge-base-filled")

        await page.get_by_role("link", name="Ask").first.click()
        bases = page.get_by_role("combobox", name="Knowledge base")
        assert await bases.input_value() == "club"
        await page.get_by_role("checkbox", name="members.csv").wait_for()
        await bases.select_option("default")
        assert await page.get_by_role("checkbox", name="members.csv").count() == 0
        await bases.select_option("club")
        await page.get_by_role("textbox", name="What do you want to know?").fill("When is the gate of the apiary shut?")
        await page.get_by_role("button", name="Start", exact=True).click()
        await page.locator("article.report .claim").first.wait_for(timeout=DONE)
        assert "nine in the evening" in await page.locator("article.report").inner_text()

        await person.opens("/history?kb=default")
        await page.get_by_text("No questions match.").wait_for()
        await page.get_by_role("combobox", name="Knowledge base").select_option("club")
        await page.get_by_role("link", name="When is the gate of the apiary shut?").wait_for()
        assert page.url.endswith("/history?kb=club")
        await person.shows("knowledge-base-history")

        await person.opens("/library")
        await page.get_by_role("button", name="Delete knowledge base").click()
        dialog = page.get_by_role("dialog", name="Delete this knowledge base?")
        await dialog.get_by_text("“club” is deleted together with all documents and data").wait_for()
        await person.shows("knowledge-base-delete")
        await dialog.get_by_role("button", name="Delete").click()
        await page.get_by_role("button", name="Bread", exact=True).wait_for()
        await page.get_by_role("combobox", name="Knowledge base").wait_for(state="detached")
        await person.opens("/history")
        await page.get_by_text("knowledge base “club” deleted").wait_for()
