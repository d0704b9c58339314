"""Prints an HTML file of ours as a PDF, in the browser that also reads pages."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from importlib.util import find_spec

from fathom.errors import ConfigurationError, ProviderFault, TimedOut
from fathom.pages.browser import find_browser, first_line, launched
from fathom.settings import Settings

INSTALL = "pip install 'fathom-research[browser]'"
"""What brings Playwright, which needs Chromium."""
SECONDS = 120
"""How long the browser may take."""

_turns = asyncio.Semaphore(2)


def can_print(settings: Settings) -> bool:
    """Whether Playwright is installed, and a browser besides the one that it may have fetched."""
    with suppress(ConfigurationError):
        return find_spec("playwright") is not None and find_browser(settings) is not None
    return False


async def printed(html: str, settings: Settings) -> bytes:
    """An HTML file that holds all it needs as a PDF on A4, with its links and an outline. It runs nothing, and asks for
    nothing.

    Raises:
        ConfigurationError: Playwright or a browser is not installed.
        ProviderFault, TimedOut: the browser has failed, or takes too long.
    """
    if find_spec("playwright") is None:
        raise ConfigurationError(f"A report is printed as .pdf by a browser, which takes Playwright: {INSTALL}.")
    from playwright.async_api import Error, async_playwright

    try:
        async with _turns, asyncio.timeout(SECONDS), async_playwright() as playwright:
            browser = await launched(playwright, find_browser(settings))
            try:
                context = await browser.new_context(java_script_enabled=False, offline=True)
                tab = await context.new_page()
                await tab.set_content(html)
                return await tab.pdf(format="A4", prefer_css_page_size=True, tagged=True, outline=True)
            finally:
                await browser.close()
    except TimeoutError as error:
        raise TimedOut(f"The report is not printed: the browser takes longer than {SECONDS} s.") from error
    except Error as error:
        raise ProviderFault(f"The report is not printed: the browser has failed ({first_line(error)}).") from error
