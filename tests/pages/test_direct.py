"""Pages are read as their servers send them, by what they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.browsing import ArchivedPage, WebRules
from fathom.errors import ConfigurationError, NoEvidence
from fathom.evidence import Document, text_digest
from fathom.pages import readers, reading
from fathom.pages.direct import DirectReader, page_of
from fathom.pages.fetch import Fetched
from fathom.settings import Settings
from fathom.text.likeness import signature
from fathom_testing.little_web.server import LittleWeb
from tests.pages.fetching import fetcher
from tests.support.pdfs import lines, pdf

PROSE = "The tide rises and falls twice a day because the moon pulls at the sea more than the sun does. "
HTML = f"<html><head><title>Tides</title></head><body><h1>Tides</h1><p>{PROSE * 3}</p></body></html>"

RSS = f"<rss><channel><item><title>Tides</title><description>{PROSE * 3}</description></item></channel></rss>"


def fetched(body: bytes, kind: str = "text/html", *, path: str = "/tides", **headers: str) -> Fetched:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Fetched(
        address=f"https://harbour.org{path}", status=200, media_type=kind, charset=None, body=body, headers=named
    )


async def test_a_page_is_fetched_read_and_described(tmp_path: Path) -> None:
    (tmp_path / "tides.html").write_text(HTML)
    with LittleWeb(generated=False) as web:
        url = web.serve(tmp_path, host="harbour.localhost") + "/tides.html"
        reader = DirectReader(Settings(), WebRules(), fetcher=fetcher())
        page = await reader.read(url)
        assert page is not None
        assert (page.url, page.address, page.title, page.language) == (url, url, "Tides", "en")
        assert page.content.text == f"Tides\n\n{(PROSE * 3).strip()}"
        assert page.likeness == signature(page.content.text)
        assert page.retrieved_at.endswith("+00:00")
        assert page.etag or page.last_modified
        document = Document(
            sha256=text_digest(page.content.text), uri=url, title="", kind="web", language="en", retrieved_at=""
        )
        known = ArchivedPage(document=document, url=url, characters=1, etag=page.etag, last_modified=page.last_modified)
        assert await reader.read(url, known=known) is None
        await reader.close()


@pytest.mark.parametrize(
    ("body", "kind", "path", "kinds"),
    [
        (HTML.encode(), "text/html", "/", {"heading", "paragraph"}),
        (HTML.encode(), "application/xhtml+xml", "/", {"heading", "paragraph"}),
        (b"<?xml version='1.0'?>" + HTML.encode(), "text/xml", "/", {"heading", "paragraph"}),
        (f"# Tides\n\n{PROSE * 3}".encode(), "text/markdown", "/", {"heading", "paragraph"}),
        (f"# Tides\n\n{PROSE * 3}".encode(), "text/plain", "/tides.md", {"heading", "paragraph"}),
        (f"Tides\n=====\n\n{PROSE * 3}".encode(), "text/plain", "/tides.rst", {"heading", "paragraph"}),
        ((PROSE * 3).encode(), "text/plain", "/tides.txt", {"paragraph"}),
        (pdf([lines(*[PROSE] * 3)]), "application/pdf", "/tides.pdf", {"heading", "paragraph"}),
        (
            RSS.encode(),
            "application/rss+xml",
            "/feed",
            {"heading", "paragraph"},
        ),
    ],
)
def test_each_type_of_page_is_read_with_its_structure(body: bytes, kind: str, path: str, kinds: set[str]) -> None:
    page = page_of(fetched(body, kind, path=path), url="https://harbour.org/")
    assert "because the moon pulls" in page.content.text
    assert {block.kind for block in page.content.blocks} == kinds
    assert page.title


@pytest.mark.parametrize(
    ("body", "kind", "reason"),
    [
        (b'{"a": 1}', "application/json", "data, not text"),
        (b"<project><a/></project>", "application/xml", "data, not text"),
        (b"PK", "application/zip", "type cannot be read"),
        (b"\x00\x01", "text/html", "binary"),
        (b"\x00\x01", "text/plain", "binary"),
        (b"", "text/html", "without its scripts|next to no text|is empty"),
        (b"%PDF-1.7", "application/pdf", "no PDF"),
        (b"<rss><channel></channel></rss>", "text/xml", "no feed"),
        (b"<title>Page not found</title><p>Sorry.</p>", "text/html", "no such page"),
        (b"Too little.", "text/plain", "next to no text"),
    ],
)
def test_what_cannot_be_quoted_is_refused_with_its_address_and_the_reason(body: bytes, kind: str, reason: str) -> None:
    with pytest.raises(NoEvidence, match=rf"https://harbour\.org/x is no evidence: .*(?:{reason})"):
        page_of(fetched(body, kind), url="https://harbour.org/x")


def test_a_title_steers_no_terminal() -> None:
    html = HTML.replace("<h1>Tides</h1>", "").replace("Tides", "Ti\x1b[31mdes\u202e")
    assert page_of(fetched(html.encode()), url="https://harbour.org/").title == "Ti [31mdes"


def test_of_a_very_long_page_the_first_part_is_read_up_to_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LONGEST", 1_000)
    html = f"<h1>Tides</h1>{f'<p>{PROSE}</p>' * 50}"
    content = reading.read(html.encode(), media_type="text/html", address="https://harbour.org/").content
    assert len(content.text) <= 1_000
    assert content.text.endswith("than the sun does.")
    assert content.blocks[-1].end == len(content.text)


def test_every_reader_has_a_name_and_an_unknown_one_is_refused() -> None:
    assert readers.names() == ["browser", "direct", "tavily"]
    with pytest.raises(ConfigurationError, match="Did you mean 'direct'"):
        readers.get("dierct")


@given(
    st.binary(max_size=200), st.sampled_from("text/html text/plain text/markdown text/xml application/json x/y".split())
)
def test_any_bytes_of_any_type_are_a_page_or_no_evidence(data: bytes, kind: str) -> None:
    try:
        content = page_of(fetched(data + PROSE.encode() * 3, kind), url="https://harbour.org/").content
    except NoEvidence as error:
        assert str(error).startswith("https://harbour.org/ is no evidence: ")
        return
    assert all(content.text[block.start : block.end].strip() for block in content.blocks)
