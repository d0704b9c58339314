"""A report whose sentences rest on a great deal: it fits a phone and paper, as a file and on the page."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Literal

import pytest

from fathom.render.html import article, render
from fathom.report import Report
from tests.support.whole_report import SNAPSHOT, SNAPSHOTS, evidence, whole_report

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = pytest.mark.asyncio(loop_scope="session")

NOTES = 72
WINDOWS: dict[Literal["screen", "print"], int] = {"screen": 360, "print": 612}
"""A phone, and what the margins leave of A4, in pixels."""
PAGE_STYLES = ("tokens.css", "style.css", "report.css", "reading.css")


def _resting_on_much() -> Report:
    """One sentence with a note for each of its many quotations, and a quotation that many sentences cite."""
    report = whole_report()
    quotes = tuple(evidence(f"E{n}", "S1", SNAPSHOT, "The sea is wide.") for n in range(101, 101 + NOTES))
    first, second, *rest = report.claims
    full = first.model_copy(update={"evidence": tuple(each.id for each in quotes)})
    also = tuple(second.model_copy(update={"id": f"C{n}", "evidence": ("E1",)}) for n in range(101, 101 + NOTES))
    shown = report.sections[1].model_copy(update={"claims": tuple(each.id for each in also)})
    sides = tuple(each.model_copy(update={"evidence": full.evidence}) for each in report.findings)
    return report.model_copy(
        update={
            "claims": (full, second, *also, *rest),
            "evidence": (*report.evidence, *quotes),
            "sections": (*report.sections, shown),
            "findings": sides,
        }
    )


def _on_the_page(report: Report) -> str:
    folders = {"style.css": "fathom.page", "reading.css": "fathom.page"}
    styles = "".join(
        (files(folders.get(name, "fathom.render.html")) / "static" / name).read_text("utf-8") for name in PAGE_STYLES
    )
    shown = article(report, snapshots=SNAPSHOTS)
    body = f'<main><div class="reading"><div class="reading-text">{shown}</div></div></main>'
    return f'<!doctype html><meta name="viewport" content="width=device-width"><style>{styles}</style>{body}'


@pytest.mark.parametrize("medium", WINDOWS)
@pytest.mark.parametrize("form", ["file", "page"])
async def test_a_sentence_with_many_notes_fits_a_phone_and_paper(
    chromium: Browser, form: str, medium: Literal["screen", "print"]
) -> None:
    report = _resting_on_much()
    page = await chromium.new_page(viewport={"width": WINDOWS[medium], "height": 800})
    try:
        await page.emulate_media(media=medium)
        await page.set_content(render(report, snapshots=SNAPSHOTS) if form == "file" else _on_the_page(report))
        assert await page.locator(".claim").first.locator(".ref").count() == NOTES
        if (medium, form) == ("screen", "file"):  # a note that is looked at is a card over the text
            await page.evaluate("location.hash = '#E1'")
        right = (
            "Math.max(...[...document.querySelectorAll('.ref, .back')].map(each => each.getBoundingClientRect().right))"
        )
        assert await page.evaluate(right) <= WINDOWS[medium]
        assert await page.evaluate("document.documentElement.scrollWidth") == WINDOWS[medium]
    finally:
        await page.close()
