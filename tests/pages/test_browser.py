"""A browser renders what needs scripts, and reaches nothing that the fetcher of pages would not fetch for it."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import AsyncMock, Mock

import pytest
import pytest_asyncio

from fathom.browsing import WebRules
from fathom.errors import ConfigurationError, NoEvidence, TimedOut
from fathom.pages.browser import BrowserReader, _Visit, find_browser
from fathom.pages.fetch import Fetched
from fathom.pages.guard import PrivateHosts
from fathom.settings import Settings
from fathom_testing.little_web.server import LittleWeb
from tests.pages.fetching import fetcher

PROSE = "The tide rises and falls twice a day because the moon pulls at the sea more than the sun does. " * 3
SHELL = "<html><head><title>App</title></head><body><div id=root></div><script>{}</script></body></html>"
SHOW = f"document.getElementById('root').innerHTML = `<main><h1>Tides</h1><p>{PROSE}</p>${{more}}</main>`;"

pytest.importorskip("playwright")
needs_browser = pytest.mark.skipif(
    not shutil.which("chromium"), reason="there is no chromium: apt-get install chromium"
)
in_one_loop = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str, LittleWeb]]:
    folder = tmp_path_factory.mktemp("site")
    for name in ("app", "hidden", "curious", "busy", "gone", "static"):
        (folder / f"{name}.html").write_text("x")
    (folder / "data.txt").write_text("<p>It was fetched.</p>")
    with LittleWeb(generated=False) as web:
        yield folder, web.serve(folder, host="app.localhost"), web


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def reader() -> AsyncIterator[BrowserReader]:
    """One for all pages, as in a run: its browser takes longer to start than to show one."""
    opened = BrowserReader(Settings(page_timeout=60, private_hosts=("*.localhost",)), WebRules(), fetcher=fetcher())
    yield opened
    await opened.close()


@needs_browser
@in_one_loop
async def test_a_page_that_its_scripts_make_is_read_with_what_they_fetch(
    site: tuple[Path, str, LittleWeb], reader: BrowserReader
) -> None:
    folder, base, _ = site
    script = f"fetch('/data.txt').then(a => a.text()).then(more => {{ {SHOW} }})"
    (folder / "app.html").write_text(SHELL.format(script))
    page = await reader.read(f"{base}/app.html")
    assert page is not None
    assert page.content.text == f"Tides\n\n{PROSE.strip()}\n\nIt was fetched."
    assert page.address == f"{base}/app.html"


@needs_browser
@in_one_loop
async def test_what_the_scripts_hide_is_not_read(site: tuple[Path, str, LittleWeb], reader: BrowserReader) -> None:
    folder, base, _ = site
    hide = "document.querySelector('.x').style.opacity = 0; document.querySelector('.y').style.display = 'none';"
    script = f"const more = '<p class=x>SECRET one</p><div class=y><p>SECRET two</p></div>'; {SHOW} {hide}"
    (folder / "hidden.html").write_text(SHELL.format(script))
    page = await reader.read(f"{base}/hidden.html")
    assert page is not None
    assert "SECRET" not in page.content.text


@needs_browser
@in_one_loop
async def test_a_script_reaches_no_other_port_no_file_and_no_other_private_site(
    site: tuple[Path, str, LittleWeb], reader: BrowserReader
) -> None:
    folder, base, _ = site
    with LittleWeb(generated=False) as other:
        other.serve(folder, host="intranet.localhost")
        places = [f"127.0.0.1:{other.port}", f"localhost:{other.port}", f"intranet.localhost:{other.port}"]
        tries = "".join(
            f"attempts.push(fetch('http://{place}/data.txt').then(a => a.text()));"
            f"new Image().src = 'http://{place}/i'; navigator.sendBeacon('http://{place}/b');"
            f"try {{ new WebSocket('ws://{place}/w') }} catch (error) {{}}"
            for place in places
        )
        told = f"const more = '<p>' + all.map(one => one.status) + '</p>'; {SHOW}"
        ends = f"Promise.allSettled(attempts).then(all => {{ {told} }})"
        files = "attempts.push(fetch('file:///etc/passwd').then(a => a.text()));"
        (folder / "curious.html").write_text(SHELL.format(f"const attempts = []; {tries} {files} {ends}"))
        page = await reader.read(f"{base}/curious.html")
        assert page is not None
        assert page.content.text.endswith("rejected,rejected,rejected,rejected")
        assert other.visits == []


@pytest.mark.parametrize(
    ("found_at", "is_shown"), [("https://evil.example/x", False), ("https://ministry.example/y", True)]
)
async def test_a_redirect_does_not_let_a_page_stand_in_the_name_of_another_host(found_at: str, is_shown: bool) -> None:
    first = Fetched("https://evil.example/", 200, "text/html", "utf-8", b"", {})
    there = replace(first, address=found_at, body=b"The ministry says so.")
    fetcher, route, request = AsyncMock(), AsyncMock(), Mock(url="http://ministry.example/out?to=x", method="GET")
    fetcher.fetch.return_value = there
    request.resource_type = "document"
    await _Visit(fetcher, PrivateHosts(()), first, 1_000)._answer(route, request)
    assert route.fulfill.called == is_shown != route.abort.called


@needs_browser
@in_one_loop
async def test_a_page_that_shows_nothing_in_a_browser_either_is_no_evidence(
    site: tuple[Path, str, LittleWeb], reader: BrowserReader
) -> None:
    folder, base, _ = site
    (folder / "gone.html").write_text(SHELL.format("location = 'file:///etc/passwd'"))
    with pytest.raises(NoEvidence):
        await reader.read(f"{base}/gone.html")


@needs_browser
async def test_a_script_without_end_is_stopped(site: tuple[Path, str, LittleWeb]) -> None:
    folder, base, _ = site
    (folder / "busy.html").write_text(SHELL.format("while (true) {}"))
    reader = BrowserReader(Settings(page_timeout=3), WebRules(), fetcher=fetcher())
    with pytest.raises(TimedOut, match="its scripts take longer than 3 s"):
        await reader.read(f"{base}/busy.html")
    await reader.close()


async def test_a_page_that_needs_no_scripts_starts_no_browser(site: tuple[Path, str, LittleWeb]) -> None:
    folder, base, _ = site
    (folder / "static.html").write_text(f"<h1>Tides</h1><p>{PROSE}</p><script>void 0</script>")
    reader = BrowserReader(Settings(browser_path="/bin/false"), WebRules(), fetcher=fetcher())
    page = await reader.read(f"{base}/static.html")
    assert page is not None
    assert page.title == "Tides"
    await reader.close()


async def test_a_browser_that_cannot_start_is_told_with_the_setting(site: tuple[Path, str, LittleWeb]) -> None:
    folder, base, _ = site
    (folder / "app.html").write_text(SHELL.format("void 0"))
    reader = BrowserReader(Settings(browser_path="/bin/false"), WebRules(), fetcher=fetcher())
    with pytest.raises(ConfigurationError, match="set browser_path"):
        await reader.read(f"{base}/app.html")
    await reader.close()


def test_the_browser_is_the_one_of_the_setting_and_it_must_be_there(tmp_path: Path) -> None:
    path = tmp_path / "chrome"
    path.touch()
    assert find_browser(Settings(browser_path=str(path))) == str(path)
    with pytest.raises(ConfigurationError, match="browser_path: there is no file"):
        find_browser(Settings(browser_path=str(tmp_path / "none")))


def test_without_its_extra_the_reader_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fathom.pages.browser.find_spec", {}.get)
    with pytest.raises(ConfigurationError, match=r"fathom-research\[browser\]"):
        BrowserReader(Settings(), WebRules())
