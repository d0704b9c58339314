"""A report that a model has composed, on the page: its table, its steps, where sources disagree, its conclusions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest
import pytest_asyncio

from fathom.stores.sqlite import SqliteRunStore
from tests.contracts import a_run
from tests.contracts.stores import END
from tests.page.person import visiting
from tests.support.composed_report import Language, composed_report, texts
from tests.support.page_serving import Service

if TYPE_CHECKING:
    from playwright.async_api import Browser, Locator

ID = "run_c0mp0sed{}00"
pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def composed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Service]:
    """A server that has such a report in each language: see `ID`."""
    home = tmp_path_factory.mktemp("composed")
    await _stored(home)
    served = Service(home)
    served.start()
    yield served
    served.stop()


async def _stored(home: Path) -> None:
    store = SqliteRunStore(home / "runs.sqlite3")
    for language in get_args(Language):
        report = composed_report(language=language, run_id=ID.format(language))
        await store.create_run(a_run(report.run_id, query=report.query, language=language))
        fence = await store.acquire(report.run_id)
        for digest, text in texts(language).items():
            await store.add_snapshot(report.run_id, digest, text, fence=fence)
        await store.save_report(report.run_id, report, fence=fence)
        await store.emit(report.run_id, END, fence=fence)
        ended = {"status": "completed", "title": report.title, "claims": report.verdicts, "tally": report.tally}
        await store.update_run(report.run_id, fence=fence, **ended)
    await store.close()


async def clicked_in(cell: Locator, note: Locator) -> None:
    """Point at a cell and click its note: where the page still moves, the pointer may be off the cell by then."""
    from playwright.async_api import TimeoutError as TooLate

    for _ in range(60):
        await cell.hover()
        with suppress(TooLate):
            return await note.click(timeout=1_000)
    raise AssertionError("the note cannot be clicked")


async def test_a_column_leads_to_its_source_and_a_cell_to_its_quotation(chromium: Browser, composed: Service) -> None:
    async with visiting(chromium, composed.url) as person:
        page, drawer = person.page, person.page.get_by_role("dialog")
        await person.opens(f"/s/{ID.format('en')}")
        await page.locator("article.report .composed").wait_for()
        await person.shows("composed")

        await page.get_by_role("columnheader", name="restic").get_by_role("link", name="[S1]").click()
        await drawer.get_by_role("heading", name="S1 Comparison").wait_for()
        note = page.locator("#C5 .ref")
        assert await note.evaluate("each => getComputedStyle(each.parentElement).opacity") == "0"
        await clicked_in(page.locator("#C5"), note)
        assert await drawer.locator("mark.is-current").inner_text() == "2restic costs 71 EUR a month."
        assert await drawer.get_by_role("link", name="monthly cost | restic | 71 EUR").count() == 1
        await page.keyboard.press("Escape")

        assert (
            await page.locator("#C3").get_by_role("img", name="a conclusion drawn from the sources named").count() == 1
        )
        steps = page.locator(".report-body ol")
        assert await steps.evaluate("each => getComputedStyle(each).listStyleType") == "decimal"
        assert await page.locator(".contradiction .claim").all_inner_texts() == [
            "The comparison measures 61 % saved.7",
            "The minutes say 40 % more.10",
        ]
        await page.get_by_label("Only what is not fully supported").check()
        rows = page.locator(".composed tbody tr")
        assert [await row.is_visible() for row in await rows.all()] == [False, True, False]


async def test_on_a_phone_the_table_scrolls_in_its_own_box(chromium: Browser, composed: Service) -> None:
    async with visiting(chromium, composed.url, viewport={"width": 360, "height": 740}) as person:
        await person.opens(f"/s/{ID.format('ja')}")
        box = person.page.locator("article.report .composed")
        await box.wait_for()
        assert await box.evaluate("each => each.scrollWidth > each.clientWidth")
        await person.shows("composed-ja")
