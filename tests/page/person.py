"""Somebody at the page: a context of the browser, and everything that goes wrong in it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Request, Route

SCREENSHOTS = Path(__file__).parents[2] / "screenshots"
"""Where a person can look at every state of the page; not part of the repository."""
WIDTHS = (360, 820, 1440)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
LOST = re.compile(r"net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE)")
"""What the browser says while a server is away."""

_AXE = files("axe_playwright_python") / "axe.min.js"
_TELL_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`content security policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));
"""


class Person:
    """A page that somebody looks at. Faults are collected; `visiting` asserts that there are none."""

    def __init__(self, context: BrowserContext, page: Page, base: str) -> None:
        self.context = context
        self.page = page
        self.base = base
        self.faults: list[str] = []
        self.requests: list[str] = []
        self.expects_a_lost_server = False

    # ── What is watched ────────────────────────────────────────────────────────────────────────────────────────────

    async def watch(self) -> None:
        """Refuse every request to another host, and note what the browser complains of."""
        await self.context.route(self._is_foreign, self._refuse)
        await self.context.add_init_script(_TELL_VIOLATIONS)
        self.context.on("request", self._asked)
        self.context.on("console", self._said)
        self.context.on("weberror", lambda error: self.faults.append(f"script: {error.error}"))
        self.context.on("dialog", self._alerted)

    def _is_foreign(self, url: str) -> bool:
        return not url.startswith((f"{self.base}/", "data:", "blob:"))

    async def _refuse(self, route: Route) -> None:
        await route.abort()

    def _asked(self, request: Request) -> None:
        self.requests.append(request.url)
        if self._is_foreign(request.url):
            self.faults.append(f"request to another host: {request.url}")

    def _said(self, message: ConsoleMessage) -> None:
        if message.type not in ("error", "warning"):
            return
        if self.expects_a_lost_server and LOST.search(message.text):
            return
        self.faults.append(f"console: {message.text} ({message.location.get('url', '')})")

    async def _alerted(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        await dialog.dismiss()

    # ── What is left to look at ────────────────────────────────────────────────────────────────────────────────────

    async def axe(self, state: str) -> list[str]:
        """What axe finds in both schemes, a line each: rule, element, and why."""
        await self.page.evaluate(_AXE.read_text(encoding="utf-8"))
        found = []
        for scheme in SCHEMES:
            await self.page.emulate_media(color_scheme=scheme)
            results: dict[str, Any] = await self.page.evaluate("axe.run({resultTypes: ['violations']})")
            found += [
                f"{state}, {scheme}: {violation['id']} at {' '.join(map(str, node['target']))}: "
                + "; ".join(each["message"] for each in (*node["any"], *node["all"], *node["none"]))
                for violation in results["violations"]
                for node in violation["nodes"]
            ]
        return found

    async def shoot(self, state: str) -> None:
        """Keep how it looks at every width, in both schemes."""
        SCREENSHOTS.mkdir(exist_ok=True)
        before = self.page.viewport_size
        for width in WIDTHS:
            await self.page.set_viewport_size({"width": width, "height": 900})
            for scheme in SCHEMES:
                await self.page.emulate_media(color_scheme=scheme)
                await self.page.screenshot(
                    path=SCREENSHOTS / f"{state}-{width}-{scheme}.png", full_page=True, animations="disabled"
                )
        if before:
            await self.page.set_viewport_size(before)

    async def overflow(self) -> int:
        """Pixels by which the page is wider than its window."""
        wider: int = await self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        return max(0, wider)


@asynccontextmanager
async def visiting(browser: Browser, base: str, *, language: str = "en-US", **options: Any) -> AsyncIterator[Person]:
    """Somebody with a browser of their own; every fault that it has seen fails the test."""
    options.setdefault("viewport", {"width": 1440, "height": 900})
    context = await browser.new_context(locale=language, reduced_motion="reduce", **options)
    context.set_default_timeout(20_000)
    try:
        page = await context.new_page()
        person = Person(context, page, base)
        await person.watch()
        yield person
        assert person.faults == []
    finally:
        await context.close()
