"""A service that wants a token asks for it on the page, once, and keeps it out of reach of scripts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fathom import wiring
from fathom.sessions.tokens import Tokens
from fathom.settings import load_settings
from tests.page.person import visiting
from tests.support.page_serving import Service

if TYPE_CHECKING:
    from playwright.async_api import Browser


@pytest.mark.asyncio(loop_scope="session")
async def test_whoever_has_a_token_signs_in_and_stays_signed_in(chromium: Browser, tmp_path: Path) -> None:
    service = Service(tmp_path / "home")
    async with wiring.opened_tokens(load_settings(home=service.home)) as store:
        _, token = await Tokens(store).create("reader")
    service.start("--require-token")
    try:
        async with visiting(chromium, service.url) as person:
            page = person.page
            person.expects("401")
            await person.opens()
            dialog = page.get_by_role("dialog", name="Sign in")
            await dialog.wait_for()
            await person.shows("login")
            await dialog.get_by_label("Token").fill("not a token")
            await page.keyboard.press("Enter")
            await dialog.get_by_text("This token is not valid here.").wait_for()
            await dialog.get_by_label("Token").fill(token)
            await dialog.get_by_role("button", name="Sign in").click()
            await dialog.wait_for(state="hidden")
            await page.get_by_role("radio", name="Quick").wait_for()
            await page.reload()
            await page.get_by_role("radio", name="Quick").wait_for()
            assert token not in await page.evaluate("document.cookie + JSON.stringify(localStorage)")
    finally:
        service.stop()
