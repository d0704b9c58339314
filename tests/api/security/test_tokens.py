"""Somebody without a token, or with one that is no longer good, tries to get in."""

from __future__ import annotations

import base64
import hashlib
import sqlite3
import statistics
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from fastapi.routing import iter_route_contexts

from fathom import wiring
from fathom.api.security.access import COOKIE
from fathom.api.security.rates import WRONG_TOKENS
from fathom.errors import Conflict, NotFound, UsageError
from fathom.sessions.tokens import PREFIX, Tokens, duration
from fathom.settings import Settings
from tests.api.security.conftest import Locked, guarding, raw, settings_with
from tests.support.serving import QUESTION, SESSIONS, served

WRONG = PREFIX + "a" * 43
OPEN = {
    "/",
    "/check",
    "/history",
    "/library",
    "/s/{id}",
    "/assets/{path:path}",
    "/api/health",
    "/api/login",
    "/api/logout",
    "/shared/{secret}",  # which is looked at there
    "/shared/{secret}/report.{ending}",
}


@pytest.fixture
def client(locked: Locked) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=locked.server.url) as client:
        yield client


# ── At rest ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_files_of_the_service_hold_no_token(locked: Locked) -> None:
    locked.server.client.get(SESSIONS, headers=locked.let_in)
    secret = locked.secret.encode()
    held = [file.read_bytes() for file in Path(locked.home).rglob("*") if file.is_file()]

    assert held
    for part in (secret, secret.removeprefix(PREFIX.encode()), secret[-20:]):
        assert not any(part in data for data in held)
    assert any(hashlib.sha256(secret).digest() in data for data in held)


def test_the_digest_of_a_token_is_no_token(locked: Locked, client: httpx.Client) -> None:
    digest = hashlib.sha256(locked.secret.encode())
    written = base64.urlsafe_b64encode(digest.digest()).decode().rstrip("=")  # as a token is written
    for secret in (digest.hexdigest(), PREFIX + digest.hexdigest()[:43], written, PREFIX + written):
        reply = client.get(SESSIONS, headers={"Authorization": f"Bearer {secret}"})
        assert reply.status_code in (401, 429)


async def test_a_token_is_long_random_and_made_anew_each_time(tmp_path: Path) -> None:
    async with wiring.opened_tokens(wiring.load_settings(home=tmp_path)) as store:
        made = [await Tokens(store).create(f"number {n}") for n in range(20)]

    assert len({secret for _, secret in made}) == len(made)
    assert all(len(secret) == len(PREFIX) + 43 for _, secret in made)  # 256 bits in base 64
    assert not any(secret in token.model_dump_json() for token, secret in made)


async def test_a_name_is_one_line_and_in_force_once(tmp_path: Path) -> None:
    async with wiring.opened_tokens(wiring.load_settings(home=tmp_path)) as store:
        tokens = Tokens(store)
        await tokens.create("phone")
        with pytest.raises(Conflict, match="in force"):
            await tokens.create("phone")
        for name in ("", "  ", "a\nb", "a\x1b[31m", "x" * 81, WRONG, "tok_0123456789ab"):
            with pytest.raises(UsageError):
                await tokens.create(name)
        with pytest.raises(NotFound):
            await tokens.revoke("tablet")
        first = await tokens.revoke("phone")
        await tokens.create("phone")
        second = await tokens.revoke("phone")
        assert len(first) == len(second) == 1
        assert first[0].token_id != second[0].token_id


@pytest.mark.parametrize("text", ["", "30", "d", "-1d", "0d", "1.5d", "30 days", "١d", "1e3d"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no duration: write it like"):
        duration(text)


@pytest.mark.parametrize("text", ["9999y", "101y", "99999w"])
def test_what_outlasts_a_century_is_refused(text: str) -> None:
    assert duration("100y").days == 36_500
    with pytest.raises(UsageError, match="is longer than 100 years: leave it out"):
        duration(text)


# ── At the door ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_operation_but_the_door_asks_for_a_token(locked: Locked, client: httpx.Client) -> None:
    asked = 0
    for route in iter_route_contexts(locked.server.app.routes):
        assert route.path, f"{route} has no path: is it known who guards it?"
        if route.path in OPEN:
            continue
        path = route.path.replace("{session_id}", "run_000000000000").replace("{", "").replace("}", "")
        for method in route.methods or {"GET"}:
            reply = client.request(method, path)
            assert reply.status_code == 401, f"{method} {path}"
            assert reply.headers["www-authenticate"].startswith("Bearer")
            asked += 1
    assert asked > 20
    assert client.get("/").status_code == client.get("/api/health").status_code == 200


def test_health_tells_nothing_of_a_session(locked: Locked, client: httpx.Client) -> None:
    id = locked.server.client.post(SESSIONS, json={"query": "canary-question of mine?"}, headers=locked.let_in).json()[
        "id"
    ]

    told = client.get("/api/health").text

    assert id not in told
    assert "canary" not in told


@pytest.mark.parametrize(
    "authorization",
    [
        b"",
        b"Bearer",
        b"Bearer ",
        b"bearer x",
        b"Basic dXNlcjpwYXNz",
        b"Token " + WRONG.encode(),
        b"Bearer " + WRONG.encode(),
        b"Bearer " + "токен🔑".encode(),
        b"Bearer \xff\xfe\x80",
        b"Bearer " + b"x" * 20_000,
        b"Bearer ' OR 1=1 --",
        b"Bearer fathom_%00",
        b"Bearer null",
    ],
)
def test_what_is_no_token_lets_nobody_in_and_breaks_nothing(locked: Locked, authorization: bytes) -> None:
    head = b"GET " + SESSIONS.encode() + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: "
    answer = raw(locked.server.url, head + authorization + b"\r\n\r\n")

    assert answer.status in (401, 429)
    assert "sessions" not in answer.body


def test_a_token_in_another_place_is_no_token(locked: Locked, client: httpx.Client) -> None:
    secret = locked.secret
    assert client.get(f"{SESSIONS}?token={secret}&access_token={secret}").status_code == 401
    assert client.get(SESSIONS, headers={"X-Api-Key": secret}).status_code == 401
    assert client.get(SESSIONS, headers={"Proxy-Authorization": f"Bearer {secret}"}).status_code == 401


def test_a_right_and_a_wrong_token_together_are_none(locked: Locked) -> None:
    lines = [f"Authorization: Bearer {locked.secret}", f"Authorization: Bearer {WRONG}"]
    for pair in (lines, lines[::-1]):
        head = [f"GET {SESSIONS} HTTP/1.1", "Host: localhost", "Connection: close", *pair]
        assert raw(locked.server.url, ("\r\n".join(head) + "\r\n\r\n").encode()).status in (401, 429)


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../api/research/sessions",
        "/assets/..%2fapi/research/sessions",
        "/assets/%2e%2e/api/research/sessions",
        "/s/../api/research/sessions",
        "//api/research/sessions",
        "/api//research/sessions",
        "/API/research/sessions",
        "/api/health/../research/sessions",
        "/api/research/sessions/",
        "/api/research/sessions;/assets/x",
        "/api/research/sessions%00/assets/",
        "http://localhost/api/research/sessions",
        "/./api/research/sessions",
        "/%61pi/research/sessions",
        "/api%2fresearch%2fsessions",
    ],
)
def test_no_way_of_writing_an_address_leads_past_the_door(locked: Locked, path: str) -> None:
    answer = raw(locked.server.url, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())

    assert answer.status in (400, 401, 404)
    assert '"sessions"' not in answer.body


def test_a_revoked_token_is_out_at_the_next_request(locked: Locked, client: httpx.Client) -> None:
    _, secret = locked.server.run(locked.tokens.create("to be revoked"))
    headers = {"Authorization": f"Bearer {secret}"}
    assert client.get(SESSIONS, headers=headers).status_code == 200

    locked.server.run(locked.tokens.revoke("to be revoked"))

    reply = client.get(SESSIONS, headers=headers)
    assert reply.status_code == 401
    assert "invalid_token" in reply.headers["www-authenticate"]


def test_an_expired_token_is_out(locked: Locked, client: httpx.Client) -> None:
    token, secret = locked.server.run(locked.tokens.create("short", expires=timedelta(hours=1)))
    headers = {"Authorization": f"Bearer {secret}"}
    assert client.get(SESSIONS, headers=headers).status_code == 200

    with sqlite3.connect(wiring.runs_file(locked.server.settings)) as db:
        db.execute("UPDATE tokens SET expires_at = '2020-01-01T00:00:00+00:00' WHERE token_id = ?", (token.token_id,))

    assert client.get(SESSIONS, headers=headers).status_code == 401


def test_an_open_stream_of_a_revoked_token_ends(locked: Locked) -> None:
    _, secret = locked.server.run(locked.tokens.create("a viewer"))
    headers = {"Authorization": f"Bearer {secret}"}
    with httpx.Client(base_url=locked.server.url, headers=headers, timeout=30) as client:
        id = client.post(SESSIONS, json={"query": QUESTION}).json()["id"]
        with client.stream("GET", f"{SESSIONS}/{id}/events") as stream:
            assert stream.status_code == 200
            locked.server.run(locked.tokens.revoke("a viewer"))
            rest = b"".join(stream.iter_bytes())  # comes to an end, well before the read times out
        assert b"event: end" not in rest
        assert client.get(f"{SESSIONS}/{id}/events").status_code == 401


def test_use_is_noted_once_and_not_at_every_request(locked: Locked, client: httpx.Client) -> None:
    token, secret = locked.server.run(locked.tokens.create("seen"))
    headers = {"Authorization": f"Bearer {secret}"}

    noted = []
    for _ in range(3):
        client.get(SESSIONS, headers=headers)
        noted += [each.used_at for each in locked.server.run(locked.tokens.all()) if each.token_id == token.token_id]

    assert noted[0] is not None
    assert len(set(noted)) == 1


def test_a_wrong_token_takes_no_longer_for_beginning_like_a_right_one(locked: Locked) -> None:
    """What is looked up is a digest: its beginning has nothing to do with that of the token."""
    check = locked.tokens.check
    alike, unlike = locked.secret[:-1] + ("A" if locked.secret[-1] != "A" else "B"), WRONG

    async def took(secret: str) -> float:
        began = time.perf_counter()
        assert await check(secret) is None
        return time.perf_counter() - began

    async def measure() -> tuple[float, float]:
        pairs = [(await took(alike), await took(unlike)) for _ in range(200)]
        return statistics.median(pair[0] for pair in pairs), statistics.median(pair[1] for pair in pairs)

    near, far = locked.server.run(measure())
    assert near < far * 3
    assert far < near * 3


def test_on_every_address_a_token_is_asked_for_and_names_are_looked_at(settings: Settings) -> None:
    hosts = ("127.0.0.1", "192.168.1.7:8000", "[fe80::1]", "localhost", "evil.example", "0x7f.1", "2130706433")
    with served(settings_with(settings), access=guarding(settings, host="0.0.0.0"), with_worker=False) as running:
        told = [running.client.get("/api/offer", headers={"Host": host}).status_code for host in hosts]

    assert told == [401, 401, 401, 401, 421, 421, 421]


# ── The door of the page ───────────────────────────────────────────────────────────────────────────────────────────


def test_a_login_gives_a_cookie_that_no_script_reads_and_no_other_site_sends(
    locked: Locked, client: httpx.Client
) -> None:
    reply = client.post("/api/login", json={"token": locked.secret}, headers={"Origin": locked.server.url})

    assert reply.status_code == 204
    cookie = reply.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Path=/" in cookie
    assert "Domain" not in cookie
    assert "Secure" not in cookie
    assert client.get(SESSIONS).status_code == 200


def test_behind_a_proxy_with_a_certificate_the_cookie_is_for_it_alone(locked: Locked, client: httpx.Client) -> None:
    origin = locked.server.url.replace("http://", "https://")
    reply = client.post("/api/login", json={"token": locked.secret}, headers={"Origin": origin})
    assert "Secure" in reply.headers["set-cookie"]


def test_a_logout_takes_the_cookie_away(locked: Locked, client: httpx.Client) -> None:
    client.post("/api/login", json={"token": locked.secret})

    assert client.post("/api/logout").status_code == 204

    assert not client.cookies.get(COOKIE)
    assert client.get(SESSIONS).status_code == 401


@pytest.mark.parametrize(
    "cookie",
    [
        f"{COOKIE}=",
        f"{COOKIE}={WRONG}",
        f"{COOKIE}",
        f"={WRONG};;;==",
        f'{COOKIE}="\\777"; {COOKIE}',
        f"{COOKIE}={'x' * 10_000}",
        "\xff\xfe=\x80",
        f"{COOKIE}=%66athom",
        "; " * 2_000,
    ],
)
def test_a_cookie_that_is_none_lets_nobody_in(locked: Locked, cookie: str) -> None:
    head = f"GET {SESSIONS} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: {cookie}\r\n\r\n"
    assert raw(locked.server.url, head.encode("latin-1")).status in (401, 429)


def test_a_login_tells_not_what_was_wrong_with_a_token(locked: Locked) -> None:
    with httpx.Client(base_url=locked.server.url) as client:
        replies = [client.post("/api/login", json={"token": token}) for token in (WRONG, "x", "ключ", "", "\x00")]

    assert {reply.status_code for reply in replies} <= {401, 429}
    assert len({reply.json()["detail"] for reply in replies if reply.status_code == 401}) <= 1
    assert not any("set-cookie" in reply.headers for reply in replies)


def test_who_tries_wrong_tokens_is_told_to_wait_and_the_right_one_still_lets_in(settings: Settings) -> None:
    chosen = settings_with(settings, serve_require_token=True)
    with served(chosen, access=guarding(chosen), with_worker=False) as running:
        tokens = Tokens(running.fathom.tokens)
        _, secret = running.run(tokens.create("after many wrong ones"))
        tries = [running.client.post("/api/login", json={"token": WRONG}).status_code for _ in range(WRONG_TOKENS)]
        spoofed = {"X-Forwarded-For": "203.0.113.9", "Forwarded": "for=203.0.113.9"}
        late = running.client.get(SESSIONS, headers={"Authorization": f"Bearer {WRONG}", **spoofed})
        right = running.client.post("/api/login", json={"token": secret})
        running.run(tokens.revoke("after many wrong ones"))

    assert tries == [401] * WRONG_TOKENS
    assert late.status_code == 429
    assert 1 <= int(late.headers["retry-after"]) <= 60
    assert right.status_code == 204


def test_tokens_can_be_made_and_revoked_while_the_service_runs(locked: Locked, client: httpx.Client) -> None:
    """Another process does it, as a person at a terminal would."""
    done = threading.Event()
    secrets: list[str] = []

    def elsewhere() -> None:
        import asyncio

        async def work() -> None:
            async with wiring.opened_tokens(locked.server.settings) as store:
                secrets.append((await Tokens(store).create("made elsewhere"))[1])

        asyncio.run(work())
        done.set()

    threading.Thread(target=elsewhere).start()
    assert done.wait(60)
    assert client.get(SESSIONS, headers={"Authorization": f"Bearer {secrets[0]}"}).status_code == 200
