"""Research that was exported elsewhere: imported on the page, marked in lists, and refused in the reader's words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.page.person import visiting
from tests.support.page_serving import Service

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = pytest.mark.asyncio(loop_scope="session")
QUESTION = "How long does a loaf take in the oven?"


@pytest.fixture
def clean(tmp_path: Path) -> Iterator[Service]:
    """A server that has never been asked anything."""
    served = Service(tmp_path / "clean")
    served.start()
    yield served
    served.stop()


def exported(folder: Path) -> Path:
    """What another Fathom has exported."""
    elsewhere = Service(folder / "elsewhere")
    (folder / "bread.md").write_text("# Bread\n\nA loaf takes two hours in the oven.\n", encoding="utf-8")
    elsewhere.fathom("research", QUESTION, "--docs", folder / "bread.md", "--out", folder / "report.md")
    [run] = json.loads(elsewhere.fathom("runs", "--format", "json"))
    elsewhere.fathom("export", run["run_id"], folder / "report.zip")
    return folder / "report.zip"


async def test_an_export_of_elsewhere_is_imported_from_the_history_and_marked_there(
    chromium: Browser, clean: Service, tmp_path: Path
) -> None:
    bundle = exported(tmp_path)
    async with visiting(chromium, clean.url) as person:
        page = person.page
        await person.opens("/history")
        async with page.expect_file_chooser() as chosen:
            await page.get_by_role("button", name="Import").click()
        await (await chosen.value).set_files(bundle)
        row = page.locator(".rows > li", has_text=QUESTION)
        await row.get_by_text("Imported", exact=True).wait_for()
        await person.shows("imported")
        await page.get_by_role("list", name="Added files").get_by_role("link", name="report.zip").click()
        await page.locator("article.report .claim", has_text="two hours").first.wait_for()
        assert "(imported)" in clean.fathom("runs")

        await page.get_by_text("This research was imported").wait_for()
        assert await page.get_by_role("textbox", name="Ask a follow-up").count() == 0
        assert await page.get_by_role("button", name="Update", exact=True).count() == 0


@pytest.mark.parametrize(
    ("language", "mark", "no_bundle", "damaged"),
    [
        ("en-US", "Import", "This is not an export of research", "The file is damaged, has been altered"),
        ("ja-JP", "インポート", "調査を書き出したファイルではない", "ファイルが壊れている"),
    ],
)
async def test_what_is_not_imported_says_why_in_the_readers_words(
    chromium: Browser, clean: Service, tmp_path: Path, language: str, mark: str, no_bundle: str, damaged: str
) -> None:
    (tmp_path / "notes.zip").write_text("no ZIP at all", encoding="utf-8")
    content = exported(tmp_path).read_bytes()
    altered = content[:500] + bytes([content[500] ^ 1]) + content[501:]
    async with visiting(chromium, clean.url, language=language) as person:
        page = person.page
        await person.opens("/history")
        await page.get_by_role("button", name=mark).wait_for()
        await person.drops(tmp_path / "notes.zip")
        await page.locator(".uploads .reason", has_text=no_bundle).wait_for()
        (tmp_path / "altered.zip").write_bytes(altered)
        await page.locator("input[type=file]").set_input_files(tmp_path / "altered.zip")
        await page.locator(".uploads .reason", has_text=damaged).wait_for()
        await person.shows(f"import-refused-{language}")
        assert await page.locator(".rows > li").count() == 0
