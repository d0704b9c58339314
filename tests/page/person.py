"""Somebody at the page: a context of the browser, and everything that goes wrong in it."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from zlib import crc32

import httpx

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Request

SCREENSHOTS = Path(__file__).parents[2] / "screenshots"
"""Where a person can look at every state of the page; not part of the repository."""
ALL = os.environ.get("SCREENSHOTS") == "all"
"""Whether every state is looked at in both schemes and kept at every width, as `make screenshots` does."""
WIDTHS = (360, 820, 1440)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
NAMES = re.compile(
    r"Fathom|English|API|Word|OpenDocument|PDF|EPUB|HTML|Markdown|BibTeX|RIS|CSL-JSON|JSON|ZIP|Ctrl|Esc|SHA-256|KB|MB"
    r"|UTC|USD|[\w.]*:[\w:./@-]+|[\w.-]+\.\w+(?=\s|$)|\b\w*_\w+\b|\b[0-9a-f]{8,}\b|\bwikipedia\b"
)
"""What is called so in Japanese, too; and addresses, files, models, runs and digests."""
LOST = "net::ERR_"
"""What the browser says while a server is away."""

_AXE = files("axe_playwright_python") / "axe.min.js"
_TELL_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`content security policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));
"""
_DROP = """(files) => {
  const carried = new DataTransfer();
  for (const [name, text] of files) carried.items.add(new File([text], name));
  for (const kind of ["dragenter", "dragover", "drop"])
    document.querySelector("main").dispatchEvent(
      new DragEvent(kind, {dataTransfer: carried, bubbles: true, cancelable: true}));
}"""
_SAID = """() => {
  const said = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT);
  for (let each = walker.nextNode(); each; each = walker.nextNode()) {
    if (each.closest("[lang]") !== document.documentElement) continue; // material says its own language
    if (each.closest("script, style, noscript, code, .source-list li")) continue;
    const texts = [...each.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data);
    said.push(texts.join(" "), each.title, each.ariaLabel, each.placeholder);
  }
  return said.filter(Boolean);
}"""
_CUT = """() => [...document.querySelectorAll("button, .button, .outcome, .status, summary, legend, label, dt, nav a")]
  .filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 1 &&
    getComputedStyle(each).display !== "inline" && getComputedStyle(each).overflowX !== "visible" &&
    getComputedStyle(each).textOverflow !== "ellipsis")
  .map((each) => each.innerText)"""
_SELECT = """words => {
  for (const said of document.querySelectorAll(".claim .said")) {
    const walker = document.createTreeWalker(said, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      const at = text.data.indexOf(words);
      if (at < 0) continue;
      said.scrollIntoView({ block: "center" });
      return getSelection().setBaseAndExtent(text, at, text, at + words.length);
    }
  }
  throw new Error(`nowhere: ${words}`);
}"""


class Person:
    """A page that somebody looks at. Faults are collected; `visiting` asserts that there are none."""

    def __init__(self, context: BrowserContext, page: Page, base: str) -> None:
        self.context = context
        self.page = page
        self.base = base
        self.faults: list[str] = []
        self.requests: list[str] = []
        self._expected: list[str] = []

    # ── What is watched ────────────────────────────────────────────────────────────────────────────────────────────

    async def watch(self) -> None:
        """Note every request to another host, which the browser has no way to, and what the browser complains of.

        Nothing is intercepted: that would turn the browser's cache off, and all of the page would be loaded each time.
        """
        await self.context.add_init_script(_TELL_VIOLATIONS)
        self.context.on("request", self._asked)
        self.context.on("console", self._said)
        self.context.on("weberror", lambda error: self.faults.append(f"script: {error.error}"))
        self.context.on("dialog", self._alerted)

    def expects(self, failure: str) -> None:
        """Requests may fail so from now on: a status, or `LOST`."""
        self._expected.append(failure)

    def api(self) -> httpx.AsyncClient:
        """The service, without the page."""
        return httpx.AsyncClient(base_url=self.base, trust_env=False, timeout=30)

    def _is_foreign(self, url: str) -> bool:
        return not url.startswith((f"{self.base}/", "data:", "blob:"))

    def _asked(self, request: Request) -> None:
        self.requests.append(request.url)
        if self._is_foreign(request.url):
            self.faults.append(f"request to another host: {request.url}")

    def _said(self, message: ConsoleMessage) -> None:
        if message.type not in ("error", "warning"):
            return
        if message.text.startswith("Failed to load resource") and any(each in message.text for each in self._expected):
            return
        self.faults.append(f"console: {message.text} ({message.location.get('url', '')})")

    async def _alerted(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        await dialog.dismiss()

    # ── What somebody does ─────────────────────────────────────────────────────────────────────────────────────────

    async def opens(self, path: str = "/") -> None:
        """Go to an address of the page, and wait until it can be used."""
        await self.page.goto(f"{self.base}{path}")
        await self.page.get_by_role("heading", level=1).first.wait_for()

    async def starts(self, question: str) -> str:
        """Ask a question in the first view, and start; returns the session's id."""
        await self.opens()
        await self.page.get_by_role("textbox").first.fill(question)
        await self.page.locator("button.primary").first.click()
        await self.page.wait_for_url("**/s/*")
        return self.page.url.rpartition("/")[2]

    async def drops(self, *paths: Path) -> None:
        """Let files fall on the page, as a file manager does."""
        files = [[path.name, path.read_text(encoding="utf-8")] for path in paths]
        await self.page.evaluate(_DROP, files)

    async def selects(self, words: str) -> None:
        """Select words of a sentence, wherever the browser has put its handles."""
        await self.page.evaluate(_SELECT, words)

    # ── What is left to look at ────────────────────────────────────────────────────────────────────────────────────

    async def shows(self, state: str) -> None:
        """Keep how a state looks, and see that it is fit for everybody: nothing for axe to find, nothing cut off."""
        found = []
        usual = SCHEMES[crc32(state.encode()) % len(SCHEMES)]  # a state is always looked at in the same one
        SCREENSHOTS.mkdir(exist_ok=True)
        before = self.page.viewport_size
        await self.page.evaluate(_AXE.read_text(encoding="utf-8"))
        for scheme in SCHEMES if ALL else (usual,):
            await self.page.emulate_media(color_scheme=scheme)
            for width in WIDTHS:
                await self.page.set_viewport_size({"width": width, "height": 900})
                if ALL or width == WIDTHS[-1]:
                    path = SCREENSHOTS / f"{state}-{width}-{scheme}.png"
                    await self.page.screenshot(path=path, full_page=True, animations="disabled")
                wider = await self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
                if wider > 0:
                    found.append(f"{state}, {width}: the page is {wider} pixels wider than its window")
                found += [f"{state}, {width}: cut off: {words}" for words in await self.page.evaluate(_CUT)]
            found += [f"{state}, {scheme}: {line}" for line in await self._axe()]
        if await self.page.evaluate("document.documentElement.lang") == "ja":
            said = [(words, NAMES.sub("", words)) for words in await self.page.evaluate(_SAID)]
            found += [f"{state}: English: {words}" for words, rest in said if re.search("[a-z]{3}", rest)]
        if before:
            await self.page.set_viewport_size(before)
        await self.page.emulate_media(color_scheme="light")
        assert found == [], "\n".join(found)

    async def _axe(self) -> list[str]:
        """What axe finds, a line each: rule, element, and why."""
        results: dict[str, Any] = await self.page.evaluate("axe.run({resultTypes: ['violations']})")
        return [
            f"{violation['id']} at {' '.join(map(str, node['target']))}: "
            + "; ".join(each["message"] for each in (*node["any"], *node["all"], *node["none"]))
            for violation in results["violations"]
            for node in violation["nodes"]
        ]


@asynccontextmanager
async def visiting(browser: Browser, base: str, *, language: str = "en-US", **options: Any) -> AsyncIterator[Person]:
    """Somebody with a browser of their own; every fault that it has seen fails the test."""
    options.setdefault("viewport", {"width": 1440, "height": 900})
    context = await browser.new_context(locale=language, reduced_motion="reduce", **options)
    context.set_default_timeout(60_000)  # a busy machine takes its time
    try:
        page = await context.new_page()
        person = Person(context, page, base)
        await person.watch()
        yield person
        assert person.faults == [], "\n".join(person.faults)
    finally:
        await context.close()
