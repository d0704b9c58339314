"""Who watches a page of research: what it shows meanwhile is noted, until it is there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from tests.page.person import Person, visiting

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

DONE = 120_000
"""Milliseconds that a session may take."""

_WATCH = """
window.seen = { stages: [], titles: [], counted: [], notes: [], asked: 0 };
new MutationObserver(() => {
  if (seen.titles.at(-1) !== document.title) seen.titles.push(document.title);
  const stages = document.querySelector(".stages ol");
  const step = stages?.querySelector("[aria-current=step]")?.innerText.trim() ?? "";
  if (step && seen.stages.at(-1)?.step !== step) {
    const { top, bottom } = stages.parentElement.getBoundingClientRect();
    const lefts = [...stages.children].map((each) => each.getBoundingClientRect().left);
    seen.stages.push({ step, place: JSON.stringify([top + scrollY, bottom + scrollY, lefts]) });
  }
  const counted = document.querySelector(".read [role=status]")?.innerText ?? "";
  if (counted && seen.counted.at(-1)?.text !== counted) seen.counted.push({ text: counted, at: performance.now() });
}).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
window.Notification = class extends Notification {
  constructor(title, options) {
    super(title, options);
    seen.notes.push([title, options.body]);
  }
  static requestPermission() {
    seen.asked += 1;
    return seen.answer ? Promise.resolve(seen.answer) : super.requestPermission();
  }
};
"""
"""What the page shows as it comes, the browser's notifications among it; and what a person answers the browser, when
that is said: its question stands in no page, and nobody is there who could answer it."""


@asynccontextmanager
async def watching(browser: Browser, base: str, **options: Any) -> AsyncIterator[Person]:
    """Somebody of whose page it is noted what it has shown."""
    async with visiting(browser, base, **options) as person:
        await person.context.add_init_script(_WATCH)
        yield person


async def seen(page: Page, what: str) -> Any:
    return await page.evaluate(f"seen.{what}")


async def until(page: Page, condition: str) -> None:
    """Wait for what the page is to be; its policy lets no string be run that waits by itself."""
    async with asyncio.timeout(DONE / 1_000):
        while not await page.evaluate(condition):
            await page.wait_for_timeout(50)


async def looks_elsewhere(person: Person) -> Page:
    """Somebody has another page in front; returns that."""
    devtools = await person.context.new_cdp_session(person.page)
    await devtools.send("Emulation.setFocusEmulationEnabled", {"enabled": False})  # else all pages are in front
    other = await person.context.new_page()
    await other.bring_to_front()
    await until(person.page, "!document.hasFocus()")
    return other


async def allowed(person: Person) -> None:
    """The browser lets the page notify."""
    await person.context.grant_permissions(["notifications"], origin=person.base)


async def reported(page: Page) -> None:
    """Wait for the report: the first of its sentences."""
    await page.locator("article.report .claim").first.wait_for(timeout=DONE)
