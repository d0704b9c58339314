"""A page somewhere else tries to use a person's browser against the service."""

from __future__ import annotations

import httpx
import pytest

from fathom.api.security.headers import API_POLICY, PAGE_POLICY
from fathom.api.security.origins import checked_origins
from fathom.errors import ConfigurationError
from tests.api.security.conftest import raw
from tests.support.serving import QUESTION, SESSIONS, Served

FOREIGN = (
    "https://evil.example",
    "http://localhost:9999",
    "http://127.0.0.1",
    "null",
    "",
    "http://127.0.0.1.evil.example",
)
CROSS = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}


def sessions(server: Served) -> int:
    return len(server.client.get(SESSIONS).json()["sessions"])


@pytest.mark.parametrize("origin", FOREIGN)
@pytest.mark.parametrize(
    "media_type",
    ["application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"],
)
def test_a_page_of_another_origin_asks_no_question(server: Served, origin: str, media_type: str) -> None:
    before = sessions(server)
    body = f'{{"query": "{QUESTION}"}}'.encode()

    reply = server.client.post(SESSIONS, content=body, headers={"Origin": origin, "Content-Type": media_type})

    assert reply.status_code == 403
    assert reply.headers["content-type"] == "application/problem+json"
    assert "access-control-allow-origin" not in reply.headers
    assert sessions(server) == before


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", "text/json", "", "*/*"])
def test_a_form_that_says_nothing_of_its_origin_asks_no_question(server: Served, media_type: str) -> None:
    before = sessions(server)

    headers = {"Content-Type": media_type} if media_type else {}
    reply = server.client.post(SESSIONS, content=f'{{"query": "{QUESTION}"}}'.encode(), headers=headers)

    assert reply.status_code == 415
    assert sessions(server) == before


def test_an_old_browser_that_says_the_site_alone_is_heard(server: Served) -> None:
    for site in ("cross-site", "same-site"):
        reply = server.client.post(SESSIONS, json={"query": QUESTION}, headers={"Sec-Fetch-Site": site})
        assert reply.status_code == 403


@pytest.mark.parametrize("path", ["/api/login", "/api/logout", f"{SESSIONS}/run_000000000000/cancel"])
def test_nobody_is_logged_in_or_out_or_stopped_from_elsewhere(server: Served, path: str) -> None:
    reply = server.client.post(path, json={"token": "fathom_" + "a" * 43}, headers={"Origin": "https://evil.example"})

    assert reply.status_code == 403
    assert "set-cookie" not in reply.headers


def test_nothing_is_deleted_from_elsewhere(server: Served) -> None:
    reply = server.client.delete(f"{SESSIONS}/run_000000000000", headers={"Origin": "https://evil.example"})
    assert reply.status_code == 403


@pytest.mark.parametrize("path", [SESSIONS, "/api/offer", "/metrics", "/api/health"])
@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_page_elsewhere_does_not_read_the_api_as_a_script_or_a_picture(server: Served, path: str, site: str) -> None:
    for dest in ("script", "image", "iframe", "empty", "style"):
        reply = server.client.get(path, headers={**CROSS, "Sec-Fetch-Site": site, "Sec-Fetch-Dest": dest})
        assert reply.status_code == 403, dest


def test_a_link_elsewhere_leads_to_the_page(server: Served) -> None:
    follow = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}

    assert server.client.get("/", headers=follow).status_code == 200
    assert server.client.get("/api/health", headers=follow).status_code == 200


def test_its_own_page_may_ask(server: Served) -> None:
    reply = server.client.post(
        SESSIONS, json={"query": QUESTION}, headers={"Origin": server.url, "Sec-Fetch-Site": "same-origin"}
    )
    assert reply.status_code == 201


def test_a_form_of_its_own_page_that_may_not_name_its_origin_is_heard(server: Served) -> None:
    hidden = {"Origin": "null", "Sec-Fetch-Site": "same-origin"}
    assert server.client.post("/api/logout", headers=hidden).status_code == 204
    assert server.client.post("/api/logout", headers={**hidden, "Sec-Fetch-Site": "cross-site"}).status_code == 403


def test_a_second_origin_does_not_hide_behind_the_first(server: Served) -> None:
    port = server.url.rpartition(":")[2]
    body = b'{"query": "x"}'
    request = (
        f"POST {SESSIONS} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: {server.url}\r\nOrigin: https://evil.example\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    ).encode()

    assert raw(server.url, request + body).status == 403


# ── Other origins that are allowed ─────────────────────────────────────────────────────────────────────────────────


def test_an_allowed_origin_is_answered_by_name_and_without_credentials(server: Served) -> None:
    origin = {"Origin": "https://tools.example.org", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}

    read = server.client.get(SESSIONS, headers=origin)
    asked = server.client.options(SESSIONS, headers={**origin, "Access-Control-Request-Method": "POST"})

    for reply in (read, asked):
        assert reply.status_code == 200
        assert reply.headers["access-control-allow-origin"] == "https://tools.example.org"
        assert "access-control-allow-credentials" not in reply.headers
        assert "Origin" in reply.headers["vary"]
    assert read.headers["cross-origin-resource-policy"] == "cross-origin"


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "https://tools.example.org.evil.example", "http://tools.example.org", "null"]
)
def test_no_other_origin_is_allowed_beside_it(server: Served, origin: str) -> None:
    headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}

    reply = server.client.options(SESSIONS, headers=headers)

    assert reply.status_code >= 400
    assert "access-control-allow-origin" not in reply.headers


@pytest.mark.parametrize(
    "origin", ["*", "https://*.example.org", "example.org", "file:///", "https://a/b", "http://x:y"]
)
def test_an_origin_that_is_none_is_refused_at_the_start(origin: str) -> None:
    with pytest.raises(ConfigurationError, match="no origin"):
        checked_origins([origin])


# ── Names ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "10.0.0.7",
        "0.0.0.0",
        "127.0.0.1@evil.example",
        "evil.example#localhost",
        "localhost:port",
        "localhost/..",
        "[::1",
        "[::1]evil",
        "[::1].evil.example",
        "[::1]:80evil",
        "[127.0.0.1]",
        "::1",
        "127.0.0.1.evil",
        "127.0.0.1.",
        "localhost.",
        "localhost:",
        "localhost:0",
        "localhost:65536",
        "localhost:80@evil",
        "localhost:80:80",
        "localhost, evil.example",
        "localhost\\@evil",
        "",
        " ",
    ],
)
def test_a_name_that_was_led_here_gets_no_answer(server: Served, host: str) -> None:
    for path in ("/api/health", SESSIONS, "/", "/assets/app.js"):
        request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()
        answer = raw(server.url, request)
        assert answer.status in (400, 421), path
        assert "sessions" not in answer.body


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "127.0.0.1:80", "[::1]:8000", "fathom.example.org", "localhost:65535"]
)
def test_the_service_knows_its_own_names(server: Served, host: str) -> None:
    request = f"GET /api/health HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()
    assert raw(server.url, request).status == 200


def test_a_request_without_a_name_or_with_two_is_refused(server: Served) -> None:
    assert raw(server.url, b"GET /api/health HTTP/1.0\r\n\r\n").status == 421
    two = b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    assert raw(server.url, two).status in (400, 421)


def test_a_name_that_a_proxy_says_is_not_believed(server: Served) -> None:
    for name in ("X-Forwarded-Host", "Forwarded", "X-Original-Host", "X-Host"):
        reply = server.client.get("/api/health", headers={"Host": "evil.example", name: "localhost"})
        assert reply.status_code == 421


# ── What browsers are told ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("path", "policy"),
    [
        ("/", PAGE_POLICY),
        ("/check", PAGE_POLICY),
        ("/assets/app.js", PAGE_POLICY),
        ("/docs", PAGE_POLICY),
        ("/nowhere", API_POLICY),
        (SESSIONS, API_POLICY),
    ],
)
def test_every_answer_says_what_a_browser_may_do_with_it(server: Served, path: str, policy: str) -> None:
    headers = server.client.get(path).headers

    assert headers["content-security-policy"] == policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-frame-options"] == "DENY"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]
    assert "strict-transport-security" not in headers
    assert "server" not in headers


def test_refusals_say_so_too(server: Served) -> None:
    for reply in (
        server.client.get("/api/health", headers={"Host": "evil.example"}),
        server.client.post(SESSIONS, headers={"Origin": "https://evil.example"}),
        server.client.get("/api/nowhere"),
        server.client.post(SESSIONS, content=b"x", headers={"Content-Type": "text/plain"}),
    ):
        assert reply.status_code >= 400
        assert reply.headers["content-security-policy"] == API_POLICY
        assert reply.headers["cache-control"] == "no-store"
        assert reply.headers["x-request-id"].startswith("req_")


def test_no_policy_lets_a_script_run_that_stands_in_a_page() -> None:
    for policy in (PAGE_POLICY, API_POLICY):
        assert "unsafe" not in policy
        assert policy.startswith("default-src 'none'")
        assert "frame-ancestors 'none'" in policy


def test_a_report_as_a_file_may_show_its_own_styles_and_nothing_else(server: Served) -> None:
    id = server.ask()
    server.ended(id)

    reply = server.client.get(f"{SESSIONS}/{id}/report.html")

    policy = reply.headers["content-security-policy"]
    assert reply.status_code == 200
    assert "script-src" not in policy
    assert "style-src 'sha256-" in policy
    assert "sandbox" in policy
    assert "allow-scripts" not in policy
    assert "allow-same-origin" not in policy


def test_answers_of_the_api_are_kept_by_nobody(server: Served) -> None:
    for path in (SESSIONS, "/api/offer", "/api/health", "/metrics"):
        assert server.client.get(path).headers["cache-control"] == "no-store"


@pytest.mark.parametrize("method", ["TRACE", "TRACK", "CONNECT", "PUT", "PATCH", "PROPFIND", "DEBUG", "get"])
def test_a_method_that_nothing_takes_does_nothing(server: Served, method: str) -> None:
    request = f"{method} {SESSIONS} HTTP/1.1\r\nHost: localhost\r\nX-Secret: canary\r\nConnection: close\r\n\r\n"
    answer = raw(server.url, request.encode())

    assert answer.status in (400, 404, 405)
    assert "canary" not in answer.head + answer.body


@pytest.mark.parametrize("name", ["X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method"])
def test_a_header_does_not_turn_a_method_into_another(server: Served, name: str) -> None:
    id = server.ask()

    server.client.get(f"{SESSIONS}/{id}?_method=DELETE", headers={name: "DELETE"})

    assert server.session(id)["id"] == id


@pytest.mark.parametrize("value", ["x\r\nSet-Cookie: a=b", "x%0d%0aSet-Cookie:%20a=b"])
def test_no_header_is_slipped_into_an_answer(server: Served, value: str) -> None:
    quoted = httpx.QueryParams({"download": "1", "style": value})
    for path in (f"{SESSIONS}/run_000000000000/report.md?{quoted}", f"/s/{quoted}", f"/assets/{quoted}"):
        assert "set-cookie" not in server.client.get(path).headers
