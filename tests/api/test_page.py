"""The page and its files over HTTP."""

from __future__ import annotations

import gzip
from importlib.resources import files
from pathlib import Path

import httpx
import pytest

from fathom.api.security.headers import PAGE_POLICY
from fathom.page import ASSETS
from tests.support.project_pages import ROOT
from tests.support.serving import Served
from tests.support.wheels import wheel_of

STATIC = [Path(str(files(package))) / folder for package, folder in ASSETS]
NAMES = sorted({str(path.relative_to(each)) for each in STATIC for path in each.rglob("*") if path.is_file()})


@pytest.mark.parametrize("path", ["/", "/check", "/history", "/library", "/s/run_01m8qz4bnk7d", "/s/anything"])
def test_every_address_of_the_page_is_the_page(idle: Served, path: str) -> None:
    reply = idle.client.get(path)

    assert (reply.status_code, reply.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert reply.text == (STATIC[0] / "index.html").read_text(encoding="utf-8")
    assert idle.client.head(path).status_code == 200


def test_whoever_reads_is_told_by_the_page_that_an_address_leads_nowhere(idle: Served) -> None:
    read = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    reply = idle.client.get("/libary", headers=read)
    asked = [idle.client.get("/libary"), *(idle.client.get(f"/{at}/x", headers=read) for at in ("api", "assets"))]

    assert (reply.status_code, reply.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert reply.text == (STATIC[0] / "index.html").read_text(encoding="utf-8")
    assert reply.headers["content-security-policy"] == PAGE_POLICY
    assert {(each.status_code, each.headers["content-type"]) for each in asked} == {(404, "application/problem+json")}


@pytest.mark.parametrize("name", NAMES)
def test_every_file_of_the_page_is_served_and_validated(idle: Served, name: str) -> None:
    reply = idle.client.get(f"/assets/{name}")
    again = idle.client.get(f"/assets/{name}", headers={"If-None-Match": reply.headers["etag"]})

    assert reply.content == next(each / name for each in STATIC if (each / name).exists()).read_bytes()
    assert reply.headers["cache-control"] == "no-cache"
    assert reply.headers["content-type"] != "application/octet-stream"
    assert (again.status_code, again.content) == (304, b"")


def test_a_text_is_compressed_for_who_can_read_that(idle: Served) -> None:
    plain = httpx.get(f"{idle.url}/assets/tokens.css", headers={"Accept-Encoding": "identity"})
    with httpx.stream("GET", f"{idle.url}/assets/tokens.css", headers={"Accept-Encoding": "gzip"}) as reply:
        packed = b"".join(reply.iter_raw())

    assert "content-encoding" not in plain.headers
    assert reply.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed) == plain.content
    assert len(packed) < len(plain.content)


def test_the_wheel_holds_the_page_and_the_templates(tmp_path: Path) -> None:
    held = wheel_of(ROOT, into=tmp_path)

    for package, folder in ASSETS:
        root = Path(str(files(package))) / folder
        for path in root.rglob("*"):
            assert path.is_dir() or str(path.relative_to(ROOT / "src")) in held
    assert "fathom/api/templates/docs.html" in held
