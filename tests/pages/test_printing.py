"""The report as a PDF, read back by a library that did not write it."""

from __future__ import annotations

import asyncio
import ctypes
import shutil
from collections.abc import Iterator
from pathlib import Path

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as raw  # type: ignore[import-untyped]
import pytest

from fathom.errors import ConfigurationError, TimedOut
from fathom.pages import printing
from fathom.pages.printing import INSTALL, can_print, printed
from fathom.render import html
from fathom.settings import Settings
from tests.support.whole_report import whole_report

needs_browser = pytest.mark.skipif(
    not shutil.which("chromium"), reason="there is no chromium: apt-get install chromium"
)


def links_within(document: pypdfium2.PdfDocument) -> Iterator[tuple[int, int]]:
    """From which page links lead to which page of the document."""
    for number, page in enumerate(document):
        at, link = ctypes.c_int(0), raw.FPDF_LINK()
        while raw.FPDFLink_Enumerate(page, at, link):
            if target := raw.FPDFLink_GetDest(document, link):
                yield number, raw.FPDFDest_GetDestPageIndex(document, target)


def texts(document: pypdfium2.PdfDocument) -> list[str]:
    return [" ".join(page.get_textpage().get_text_range().split()) for page in document]


@needs_browser
async def test_a_pdf_has_text_an_outline_and_marks_that_lead_to_the_notes() -> None:
    report = whole_report()

    document = pypdfium2.PdfDocument(await printed(html.render(report), Settings()))

    pages = texts(document)
    assert all(claim.text.replace("`", "") in " ".join(pages) for claim in report.claims)
    assert document.get_metadata_dict()["Title"] == "The sea"
    outline = {each.get_title(): each.get_dest() for each in document.get_toc()}
    noted = outline["Notes"]
    assert noted is not None
    marks = sum(len(claim.evidence) for claim in report.claims)
    assert sum(to == noted.get_index() for _, to in links_within(document)) >= marks


@needs_browser
async def test_a_japanese_report_can_be_selected_and_searched() -> None:
    report = whole_report(language="ja", outside=lambda text: f"{text}深い海の調査")

    pages = texts(pypdfium2.PdfDocument(await printed(html.render(report), Settings())))

    assert "深い海の調査" in " ".join(pages).replace(" ", "")
    assert any("出典" in page for page in pages)


@needs_browser
async def test_nothing_is_run_and_nothing_is_asked_for() -> None:
    asked = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readline())
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    script = "<script>document.body.textContent = 'run'</script>"
    framed = f"<iframe src='{address}/y'></iframe>"
    hostile = f"<p>told</p><img src='{address}/x'>{script}<a href='{address}'>a</a>{framed}"

    async with server:
        pages = texts(pypdfium2.PdfDocument(await printed(hostile, Settings())))

    assert pages == ["told a"]
    assert asked == []


@needs_browser
async def test_a_browser_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing, "SECONDS", 0.01)

    with pytest.raises(TimedOut, match=r"takes longer than 0\.01 s"):
        await printed("<p>told</p>", Settings())


async def test_without_playwright_a_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing, "find_spec", lambda _: None)

    assert not can_print(Settings())
    with pytest.raises(ConfigurationError) as told:
        await printed("<p>told</p>", Settings())
    assert INSTALL in str(told.value)


async def test_a_browser_that_is_none_is_told(tmp_path: Path) -> None:
    nothing = tmp_path / "chromium"
    nothing.write_text("", encoding="utf-8")
    nothing.chmod(0o755)

    assert not can_print(Settings(browser_path=str(tmp_path / "none")))
    with pytest.raises(ConfigurationError, match="No browser can be started"):
        await printed("<p>told</p>", Settings(browser_path=str(nothing)))
