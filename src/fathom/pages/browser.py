"""Reads pages whose scripts make their text, in a headless browser that can reach nothing by itself."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fathom.browsing import ArchivedPage, WebRules
from fathom.errors import (
    ConfigurationError,
    NoEvidence,
    PageRefused,
    PageTooLarge,
    ProviderError,
    ProviderFault,
    TimedOut,
)
from fathom.pages.direct import DirectReader
from fathom.pages.evidence import NeedsScripts
from fathom.pages.fetch import Fetched, Fetcher
from fathom.pages.guard import Address, PrivateHosts
from fathom.ports.web import Page
from fathom.settings import Settings

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Playwright, Request, Route, WebSocketRoute
    from playwright.async_api import Page as Tab

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_AT_ONCE = 2
_ASKED = frozenset("document script stylesheet xhr fetch".split())
_MOST_REQUESTS = 150
_QUIET_SECONDS = 5.0
_CLOSING_SECONDS = 5.0
_NOWHERE = "http://127.0.0.1:9"
_ARGUMENTS = (
    "--host-resolver-rules=MAP * ~NOTFOUND",  # what does not come through us comes from nowhere
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-pings",
    "--js-flags=--max-old-space-size=512",
)
_UNARMED = """for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport', 'Worker']) {
  delete globalThis[name];
}
delete globalThis.SharedWorker;"""
_MARK_HIDDEN = """() => {
  for (const each of document.body ? document.body.querySelectorAll('*') : []) {
    const shown = each.checkVisibility({opacityProperty: true, visibilityProperty: true});
    const boxless = getComputedStyle(each).display === 'contents';
    if (!shown && !boxless && !each.closest('details') && !['SCRIPT', 'STYLE', 'BR', 'WBR'].includes(each.tagName)) {
      each.setAttribute('hidden', '');
    }
  }
  return document.documentElement.outerHTML;
}"""


def find_browser(settings: Settings) -> str | None:
    """The path of the browser that would be used; `None` for the one that Playwright has fetched, if it has.

    Raises:
        ConfigurationError: the setting names no file.
    """
    if settings.browser_path:
        if not Path(settings.browser_path).is_file():
            raise ConfigurationError(f"browser_path: there is no file '{settings.browser_path}'.")
        return settings.browser_path
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


async def launched(playwright: Playwright, path: str | None) -> Browser:
    """The browser at a path, or Playwright's own, with no way out of this machine.

    Raises:
        ConfigurationError: there is none.
    """
    from playwright.async_api import Error

    try:
        return await playwright.chromium.launch(
            executable_path=path,
            args=list(_ARGUMENTS),
            proxy={"server": _NOWHERE},
            chromium_sandbox=os.name != "posix" or os.geteuid() != 0,  # root cannot have its sandbox
        )
    except Error as error:
        raise ConfigurationError(
            f"No browser can be started ({first_line(error)}). Install Chromium, or set browser_path to one."
        ) from error


class BrowserReader:
    """Reads a page as its server sends it, and renders it when it shows nothing without its scripts.

    The browser has no network: each of its requests is made by the fetcher of pages, with its rules and limits.
    """

    name = "browser"

    def __init__(self, settings: Settings, rules: WebRules, *, fetcher: Fetcher | None = None) -> None:
        """`fetcher` is closed with the reader.

        Raises:
            ConfigurationError: Playwright is not installed, or a setting of pages is wrong.
        """
        if find_spec("playwright") is None:
            raise ConfigurationError(
                "The page reader 'browser' needs Playwright: pip install 'fathom-research[browser]', or set "
                "page_reader to 'direct'."
            )
        self._path = find_browser(settings)
        self._direct = DirectReader(settings, rules, fetcher=fetcher)
        self._private = PrivateHosts(settings.private_hosts)
        self._seconds, self._most_bytes = settings.page_timeout, settings.page_max_bytes
        self._turns = asyncio.Semaphore(_AT_ONCE)
        self._starting = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None

    async def read(self, url: str, *, known: ArchivedPage | None = None) -> Page | None:
        """The page, read anew; `None` when its server says that it is still what is `known`.

        Raises:
            PageRefused: it may not be read.
            PageTooLarge: it is larger, or takes longer, than is allowed.
            NoEvidence: what came cannot be quoted: an error page, a consent wall, nothing to read.
            ConfigurationError: there is no browser.
            ProviderError: it cannot be had.
        """
        etag, last_modified = (known.etag, known.last_modified) if known else ("", "")
        fetched = await self._direct.fetcher.fetch(url, etag=etag, last_modified=last_modified)
        if fetched is None:
            return None
        try:
            return await self._direct.read_fetched(fetched, url=url)
        except NeedsScripts:
            async with self._turns:
                rendered = await self._rendered(fetched, url)
        return await self._direct.read_fetched(rendered, url=url)

    async def _rendered(self, fetched: Fetched, url: str) -> Fetched:
        """The page as it stands when its scripts have run."""
        from playwright.async_api import Error

        browser = await self._started()
        context = None
        try:
            async with asyncio.timeout(self._seconds):
                context = await browser.new_context(
                    accept_downloads=False, service_workers="block", permissions=[], java_script_enabled=True
                )
                visit = _Visit(self._direct.fetcher, self._private, fetched, self._most_bytes)
                html, address = await visit.make(context)
        except TimeoutError as error:
            raise TimedOut(f"{url} is not read: its scripts take longer than {self._seconds:g} s.") from error
        except Error as error:
            raise ProviderFault(f"{url} is not read: the browser has failed at it ({first_line(error)}).") from error
        finally:
            if context is not None:
                await self._leave(context)
        body = html.encode("utf-8", "replace")
        if len(body) > self._most_bytes:
            raise PageTooLarge(f"{url} is larger than {self._most_bytes} bytes when its scripts have run.")
        return replace(fetched, address=address, body=body, charset="utf-8", media_type="text/html")

    async def _started(self) -> Browser:
        """The browser, started when it is needed first, and again when it has crashed.

        Raises:
            ConfigurationError: there is none.
        """
        from playwright.async_api import async_playwright

        async with self._starting:
            if self._browser is None or not self._browser.is_connected():
                self._playwright = self._playwright or await async_playwright().start()
                self._browser = await launched(self._playwright, self._path)
            return self._browser

    async def _leave(self, context: BrowserContext) -> None:
        """Close a context; when a page holds it fast, close the whole browser."""
        from playwright.async_api import Error

        try:
            async with asyncio.timeout(_CLOSING_SECONDS):
                await context.close()
        except (TimeoutError, Error):
            await self._quit()

    async def _quit(self) -> None:
        from playwright.async_api import Error

        browser, self._browser = self._browser, None
        if browser is not None:
            with suppress(Error, TimeoutError):  # it is gone already
                async with asyncio.timeout(_CLOSING_SECONDS):
                    await browser.close()

    async def close(self) -> None:
        """Close the browser, and let go of what else is open."""
        await self._quit()
        playwright, self._playwright = self._playwright, None
        if playwright is not None:
            await playwright.stop()
        await self._direct.close()


@dataclass
class _Visit:
    """One page in the browser, and what it has asked for so far."""

    fetcher: Fetcher
    private: PrivateHosts
    first: Fetched
    """The page itself, which is not fetched twice."""
    most_bytes: int
    requests: int = 0
    bytes: int = 0

    async def make(self, context: BrowserContext) -> tuple[str, str]:
        """Open the page and wait until it is quiet; returns its visible markup and where it is then."""
        from playwright.async_api import TimeoutError as StillBusy

        await context.add_init_script(_UNARMED)
        await context.route("**/*", self._answer)
        await context.route_web_socket("**/*", _refuse)
        tab = await context.new_page()
        context.on("page", lambda other: _close_other(other, tab))
        await tab.goto(self.first.address, wait_until="domcontentloaded", timeout=0)
        with suppress(StillBusy):  # some pages never are quiet: what shows by now counts
            await tab.wait_for_load_state("networkidle", timeout=_QUIET_SECONDS * 1000)
        html = str(await tab.evaluate(_MARK_HIDDEN))
        if urlsplit(tab.url).scheme not in {"http", "https"}:
            raise NoEvidence(f"{self.first.address} leads to no web page when its scripts run.")
        return html, tab.url

    async def _answer(self, route: Route, request: Request) -> None:
        """Answer one request of the page out of what the fetcher may fetch."""
        self.requests += 1
        if request.url == self.first.address and request.is_navigation_request() and self.requests == 1:
            await _fulfill(route, self.first)
        elif request.method != "GET" or request.resource_type not in _ASKED or not self._may_ask(request.url):
            await route.abort("blockedbyclient")
        else:
            try:
                fetched = await self.fetcher.fetch(request.url)
            except ProviderError:
                await route.abort("failed")
                return
            if fetched is None or (request.is_navigation_request() and _is_elsewhere(request.url, fetched)):
                await route.abort("failed")
                return
            self.bytes += len(fetched.body)
            await _fulfill(route, fetched)

    def _may_ask(self, url: str) -> bool:
        """Whether the page may ask for an address: what is private asks for nothing else, and nothing else for it."""
        try:
            asked, own = Address.parse(url), Address.parse(self.first.address)
        except PageRefused:
            return False
        if self.requests > _MOST_REQUESTS or self.bytes > self.most_bytes:
            return False
        return asked.origin == own.origin or not any(self.private.opens(each.host, each.port) for each in (asked, own))


def _is_elsewhere(url: str, fetched: Fetched) -> bool:
    """Whether a page was found on another host than it was asked for on, in whose name it would stand in the tab."""
    return Address.parse(url).host != Address.parse(fetched.address).host


async def _fulfill(route: Route, fetched: Fetched) -> None:
    kind = f"{fetched.media_type}; charset={fetched.charset}" if fetched.charset else fetched.media_type
    headers = {"content-type": kind, "access-control-allow-origin": "*"}
    await route.fulfill(status=fetched.status, headers=headers, body=fetched.body)


async def _refuse(socket: WebSocketRoute) -> None:
    await socket.close()


async def _close_other(other: Tab, tab: Tab) -> None:
    if other is not tab:
        await other.close()


def first_line(error: Exception) -> str:
    """What Playwright says of an error, cut."""
    lines: Sequence[str] = str(error).strip().splitlines()
    return lines[0][:200] if lines else type(error).__name__
