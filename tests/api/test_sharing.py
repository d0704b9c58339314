"""Links to one report, and bundles that come in: made, followed, revoked, refused."""

from __future__ import annotations

import hashlib
import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from lxml import html

from fathom.api import sharing
from fathom.api.logs import JsonLines
from fathom.api.security.rates import RateBudget
from fathom.sessions.tokens import PREFIX, Tokens
from tests.api.security.conftest import MANY, Locked, guarding, settings_with
from tests.support.serving import QUESTION, SESSIONS, Served, home_with_notes, served, wait_for

WRONG = PREFIX + "a" * 43
OTHERS = ("/api/research/sessions", "/api/knowledge", "/api/datasets", "/api/offer", "/docs", "/api/metrics")


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Locked]:
    """A service that asks for tokens, and whose own client has one."""
    settings = settings_with(home_with_notes(tmp_path_factory.mktemp("locked")), serve_require_token=True)
    with pytest.MonkeyPatch.context() as patch, served(settings, access=guarding(settings)) as running:
        patch.setattr(running.app.state.door, "_wrong", RateBudget("wrong tokens", MANY))
        _, secret = running.run(Tokens(running.fathom.tokens).create("tests"))
        made = Locked(running, secret, settings.home)
        running.client.headers.update(made.let_in)
        yield made


@pytest.fixture(scope="module")
def report_id(locked: Locked) -> str:
    """A session of it that has a report."""
    return str(locked.server.ended(locked.server.ask())["id"])


@pytest.fixture
def stranger(locked: Locked) -> Iterator[httpx.Client]:
    """Somebody who has no token."""
    with httpx.Client(base_url=locked.server.url) as client:
        yield client


def made(locked: Locked, id: str, **asked: Any) -> dict[str, Any]:
    reply = locked.server.client.post(f"{SESSIONS}/{id}/links", json=asked)
    assert reply.status_code == 201, reply.text
    told: dict[str, Any] = reply.json()
    return told


def listed(locked: Locked, id: str) -> list[str]:
    told = locked.server.client.get(f"{SESSIONS}/{id}/links").json()
    return [each["token_id"] for each in told]


# ── Links ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_link_opens_the_report_to_whoever_has_it(locked: Locked, report_id: str, stranger: httpx.Client) -> None:
    path = made(locked, report_id)["path"]

    page = stranger.get(path)

    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert page.headers["cache-control"] == "no-store"
    assert "sandbox" in page.headers["content-security-policy"] and "script" not in page.headers[
        "content-security-policy"
    ].replace("script-src 'none'", "")
    tree = html.fromstring(page.text)
    assert "Charles Babbage" in str(tree.xpath("string()"))
    assert str(locked.home) not in page.text


def test_a_link_lets_nobody_into_anything_else(locked: Locked, report_id: str, stranger: httpx.Client) -> None:
    path = made(locked, report_id)["path"]
    secret = path.rpartition("/")[2]
    for other in (*OTHERS, f"{SESSIONS}/{report_id}", f"{SESSIONS}/{report_id}/report.md"):
        for headers in ({"Authorization": f"Bearer {secret}"}, {"Cookie": f"fathom_token={secret}"}, {}):
            assert stranger.get(other, headers=headers).status_code in (401, 429), other
    assert stranger.post("/api/login", json={"token": secret}).status_code in (401, 429)
    for other in ("report.zip", "report.json", "report.html", "report.epub", "report.md/x", "report.", "links", "x.md"):
        assert stranger.get(f"{path}/{other}").status_code == 404, other
    for method in ("POST", "DELETE", "PUT"):
        assert stranger.request(method, path).status_code in (403, 405), method
    assert stranger.get(f"/shared/{locked.secret}").status_code == 404, "a token is no link"


def test_a_link_gives_the_report_in_the_forms_that_its_page_offers(
    locked: Locked, report_id: str, stranger: httpx.Client
) -> None:
    path = made(locked, report_id)["path"]

    page = stranger.get(path)

    addresses = [str(each.get("href")) for each in html.fromstring(page.text).iter("a") if "download" in each.attrib]
    offered = locked.server.client.get("/api/offer").json()["exports"]
    endings = [each.partition("/report.")[2] for each in addresses]
    assert endings == [each for each in offered if each in sharing.FILES] and {"md", "bib", "ris"} <= set(endings)
    assert "allow-downloads" in page.headers["content-security-policy"]
    for address, ending in zip(addresses, endings, strict=True):
        if ending != "pdf":  # it is dated by its own making
            file = stranger.get(f"/shared/{address}")
            own = locked.server.client.get(f"{SESSIONS}/{report_id}/report.{ending}")
            assert (file.status_code, file.content) == (200, own.content), ending
            assert file.headers["content-disposition"].startswith("attachment; "), ending
            assert file.headers["cache-control"] == "no-store" and "sandbox" in file.headers["content-security-policy"]
            assert str(locked.home).encode() not in file.content


def test_the_files_of_a_link_are_of_its_report_alone_and_end_with_it(
    locked: Locked, report_id: str, stranger: httpx.Client
) -> None:
    other = locked.server.ended(locked.server.ask("Who wrote the first program?"))["id"]
    link = made(locked, report_id)
    secret = link["path"].rpartition("/")[2]
    mine = stranger.get(f"{link['path']}/report.md")
    assert mine.text == locked.server.client.get(f"{SESSIONS}/{report_id}/report.md").text

    for path in (
        f"/shared/{other}/report.md",
        f"/shared/{secret}/{other}/report.md",
        f"/shared/{secret}/report.md/../../{other}/report.md",
        f"/shared/{WRONG}/report.md",
        f"/shared/{locked.secret}/report.md",
        f"{SESSIONS}/{other}/report.md",
    ):
        reply = stranger.get(path, headers={"Cookie": f"fathom_token={secret}"})
        assert reply.status_code in (401, 404) and "first program" not in reply.text, path
    for method in ("POST", "DELETE", "PUT"):
        assert stranger.request(method, f"{link['path']}/report.md").status_code in (403, 405), method

    locked.server.client.delete(f"{SESSIONS}/{report_id}/links/{link['link']['token_id']}")
    gone = stranger.get(f"{link['path']}/report.md")
    assert gone.status_code == 404 and "may have been revoked" in gone.text


def test_a_link_that_is_revoked_or_wrong_says_so_clearly(
    locked: Locked, report_id: str, stranger: httpx.Client
) -> None:
    kept, gone = made(locked, report_id), made(locked, report_id)
    assert {kept["link"]["token_id"], gone["link"]["token_id"]} <= set(listed(locked, report_id))

    revoked = locked.server.client.delete(f"{SESSIONS}/{report_id}/links/{gone['link']['token_id']}")

    assert revoked.status_code == 204
    assert gone["link"]["token_id"] not in listed(locked, report_id)
    for path in (gone["path"], f"/shared/{WRONG}", "/shared/x", "/shared/%00", f"/shared/{report_id}"):
        reply = stranger.get(path)
        assert reply.status_code == 404 and "may have been revoked" in reply.text, path
        assert "送り主" in reply.text
    assert stranger.get(kept["path"]).status_code == 200, "each is revoked alone"


def test_a_link_lasts_as_long_as_it_is_asked_to(locked: Locked, report_id: str) -> None:
    lasting = made(locked, report_id, expires="30d")["link"]
    assert lasting["expires_at"][:10] > lasting["created_at"][:10]
    assert made(locked, report_id)["link"]["expires_at"] is None
    wrong = locked.server.client.post(f"{SESSIONS}/{report_id}/links", json={"expires": "soon"})
    assert (wrong.status_code, wrong.json()["detail"][:6]) == (422, "'soon'")


def test_the_link_of_another_session_is_not_revoked_and_one_needs_a_report(locked: Locked, report_id: str) -> None:
    link = made(locked, report_id)["link"]["token_id"]
    for id in ("run_000000000000", "run_1m8f3q8w2f9n"):
        assert locked.server.client.delete(f"{SESSIONS}/{id}/links/{link}").status_code == 404
        assert locked.server.client.post(f"{SESSIONS}/{id}/links").status_code == 404
    assert link in listed(locked, report_id)


def test_the_service_keeps_and_logs_no_link(locked: Locked, report_id: str, stranger: httpx.Client) -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines([]))
    logger = logging.getLogger("fathom")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        path = made(locked, report_id)["path"]
        stranger.get(path)
        stranger.get(f"{path}/report.bib")
        wait_for(lambda: "/shared/{secret}/report" in stream.getvalue())  # it is logged once it has been answered
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)

    secret = path.rpartition("/")[2]
    told = stream.getvalue()
    assert "/shared/{secret}" in told and secret not in told and secret[12:30] not in told
    held = [file.read_bytes() for file in Path(locked.home).rglob("*") if file.is_file()]
    assert not any(secret.encode() in data for data in held)
    assert any(hashlib.sha256(secret.encode()).digest() in data for data in held)


def test_links_go_with_the_session(locked: Locked, stranger: httpx.Client) -> None:
    id = locked.server.ended(locked.server.ask("Who wrote the first program?"))["id"]
    path = made(locked, id)["path"]
    assert stranger.get(path).status_code == 200

    assert locked.server.client.delete(f"{SESSIONS}/{id}").status_code == 204

    assert stranger.get(path).status_code == 404


# ── Bundles ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Another service, which has never asked anything."""
    with served(home_with_notes(tmp_path_factory.mktemp("clean"), {"x.md": "# X\n\nNothing.\n"})) as running:
        yield running


def sent(server: Served, *files: tuple[str, bytes]) -> tuple[int, list[dict[str, Any]]]:
    reply = server.client.post("/api/research/sessions/import", files=[("files", each) for each in files])
    assert reply.status_code in (200, 201), reply.text
    return reply.status_code, reply.json()["files"]


def test_a_bundle_goes_from_one_service_to_another(server: Served, done: dict[str, Any], clean: Served) -> None:
    address = f"{SESSIONS}/{done['id']}"
    bundle = server.client.get(f"{address}/report.zip", params={"download": "1"})
    assert (bundle.status_code, bundle.headers["content-type"]) == (200, "application/zip")

    first = sent(clean, ("report.zip", bundle.content))
    again = sent(clean, ("report.zip", bundle.content))

    assert (first[0], first[1][0]["status"], first[1][0]["id"]) == (201, "added", done["id"])
    assert (again[0], again[1][0]["status"], again[1][0]["id"]) == (200, "unchanged", done["id"])
    listed = clean.client.get(SESSIONS).json()["sessions"]
    assert [(each["id"], each["query"], each["status"]) for each in listed] == [(done["id"], QUESTION, "completed")]
    for path in ("/report.json", "/report.md", "/report.html", "/report.csl.json", "/report/article", "/report.zip"):
        assert clean.client.get(f"{address}{path}").content == server.client.get(f"{address}{path}").content, path
    here, there = (each.client.get(f"{address}/sources").json()["sources"] for each in (server, clean))
    assert [each["sha256"] for each in there] == [each["sha256"] for each in here]
    for each in there:
        text = clean.client.get(f"{address}/sources/{each['sha256']}").json()
        assert hashlib.sha256(text["text"].encode()).hexdigest() == each["sha256"]
    assert clean.session(done["id"])["status"] == "completed"
    assert clean.session(done["id"])["imported"] == listed[0]["imported"] >= done["created_at"]
    assert server.session(done["id"])["imported"] == ""


def test_an_imported_session_is_not_carried_out(server: Served, done: dict[str, Any], clean: Served) -> None:
    sent(clean, ("report.zip", server.client.get(f"{SESSIONS}/{done['id']}/report.zip").content))
    for path, body in (("fork", {}), ("fork", {"update": True}), ("ask", {"query": "Why?"}), ("resume", {})):
        reply = clean.client.post(f"{SESSIONS}/{done['id']}/{path}", json=body)
        assert reply.status_code == 409 and "imported" in reply.json()["detail"], (path, reply.text)


def test_each_file_has_an_outcome_of_its_own(server: Served, done: dict[str, Any], clean: Served) -> None:
    sound = server.client.get(f"{SESSIONS}/{done['id']}/report.zip").content
    altered = sound[:500] + bytes([sound[500] ^ 1]) + sound[501:]

    _, files = sent(clean, ("a.zip", altered), ("b.md", b"# Hello"), ("c.zip", b"no zip"), ("d.zip", sound))

    assert [each["status"] for each in files[:3]] == ["refused"] * 3
    assert files[3]["status"] in ("added", "unchanged")
    assert [each["failure"] for each in files[:3]] == ["damaged", "other", "no_bundle"] and not files[3]["failure"]
    assert all(each["reason"] and "\n" not in each["reason"] for each in files[:3])
    assert "/" not in json.dumps([each["reason"] for each in files])
    assert list((clean.settings.home / "uploads" / ".incoming").iterdir()) == []
