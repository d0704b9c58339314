"""Somebody sends too much, too often, too slowly, or holds on to too many streams."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from urllib.parse import urlsplit

import httpx
import pytest

from fathom.api import page
from fathom.api.security.asking import address_of
from fathom.api.security.bodies import DOOR_BYTES, JSON_BYTES
from fathom.api.security.rates import RateBudget
from fathom.settings import Settings
from tests.api.security.conftest import Locked, guarding, raw, settings_with
from tests.support.serving import QUESTION, SESSIONS, Served, served

UPLOAD_MB = 1
MOST_UPLOAD = 4 * UPLOAD_MB * 1_000_000 + JSON_BYTES


@pytest.fixture(scope="module")
def small(settings: Settings) -> Iterator[Served]:
    """A service that takes little."""
    chosen = settings_with(settings, serve_rate=300, serve_new_sessions=5, serve_viewers=3, serve_upload_mb=UPLOAD_MB)
    with served(chosen, access=guarding(chosen), with_worker=False) as running:
        yield running


# ── Sizes ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_body_that_is_announced_too_large_is_refused_before_it_comes(server: Served) -> None:
    head = (
        f"POST {SESSIONS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {JSON_BYTES + 1}\r\nConnection: close\r\n\r\n"
    )
    answer = raw(server.url, head.encode())

    assert answer.status == 413
    assert answer.header("content-type") == "application/problem+json"


def test_a_body_that_announces_nothing_is_cut_off_where_it_is_too_large(server: Served) -> None:
    def pieces() -> Iterator[bytes]:
        yield b'{"query": "'
        for _ in range(JSON_BYTES // 10_000 + 1):
            yield b"x" * 10_000
        yield b'"}'

    reply = server.client.post(SESSIONS, content=pieces(), headers={"Content-Type": "application/json"})

    assert reply.status_code == 413
    assert reply.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("length", ["-1", "1e9", "٣", "0x10", "9" * 400, ""])
def test_a_length_that_is_none_is_refused(server: Served, length: str) -> None:
    head = f"POST {SESSIONS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
    answer = raw(server.url, (head + f"Content-Length: {length}\r\n\r\n").encode())
    assert answer.status in (400, 413)


def test_two_lengths_or_a_length_and_chunks_smuggle_nothing(server: Served) -> None:
    hidden = f"DELETE {SESSIONS}/run_000000000000 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for lines in (
        f"Content-Length: 0\r\nContent-Length: {len(hidden)}",
        f"Content-Length: {len(hidden)}\r\nTransfer-Encoding: gzip",
        "Transfer-Encoding: chunked, identity",
    ):
        head = f"POST {SESSIONS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{lines}\r\n\r\n"
        answer = raw(server.url, (head + hidden).encode())
        assert answer.status in (400, 501)
        assert answer.body.count("HTTP/1.1") == 0


def test_headers_that_are_too_large_are_refused(server: Served) -> None:
    answer = raw(server.url, b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Large: " + b"x" * 2_000_000 + b"\r\n\r\n")
    assert answer.status in (0, 400, 431)  # 0 where the connection is reset before the answer is read


def test_json_that_goes_deep_breaks_nothing(server: Served) -> None:
    deep = b"[" * 400_000
    reply = server.client.post(SESSIONS, content=deep, headers={"Content-Type": "application/json"})
    assert reply.status_code in (400, 422)
    assert server.client.get("/api/health").status_code == 200


def test_whoever_has_not_been_let_in_may_not_send_much(locked: Locked) -> None:
    many = "{" + ",".join(f'"k{at}": 1' for at in range(DOOR_BYTES)) + "}"

    replies = [
        locked.server.client.post("/api/login", content=content, headers={"Content-Type": "application/json"})
        for content in (many, iter([many.encode()]))
    ]

    assert [reply.status_code for reply in replies] == [413, 413]


@pytest.mark.parametrize(
    "config",
    [
        {"documents": [1] * 300_000},
        {"datasets": [1] * 300_000},
        {"web": {"allow": [1] * 300_000}},
        {"web": {"deny": [1] * 300_000}},
    ],
)
def test_of_very_many_wrong_names_the_first_is_told_and_the_others_are_not_looked_at(
    server: Served, config: dict[str, object]
) -> None:
    reply = server.client.post(SESSIONS, json={"query": QUESTION, "config": config})

    assert reply.status_code == 422
    assert len([each for each in reply.json()["errors"] if each["type"] != "bool_type"]) == 1


def test_an_upload_that_is_too_large_is_refused(small: Served) -> None:
    path = "/api/knowledge/uploads/documents"
    announced = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\n"
        f"Content-Length: {MOST_UPLOAD + 1}\r\nConnection: close\r\n\r\n"
    )
    assert raw(small.url, announced.encode()).status == 413

    def pieces() -> Iterator[bytes]:
        yield b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\n'
        for _ in range(MOST_UPLOAD // 100_000 + 1):
            yield b"x" * 100_000

    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    assert small.client.post(path, content=pieces(), headers=headers).status_code == 413


def test_files_are_taken_where_files_are_taken_and_nowhere_else(small: Served) -> None:
    files = {"files": ("a.txt", b"text")}
    assert small.client.post("/api/logout", files=files).status_code == 415
    assert small.client.post("/api/login", files=files).status_code == 415
    assert small.client.post("/api/knowledge/uploads/documents", json={"files": []}).status_code == 415


# ── Rates ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_who_asks_for_too_many_sessions_is_told_to_wait(small: Served) -> None:
    replies = [small.client.post(SESSIONS, json={"query": QUESTION}) for _ in range(8)]

    assert [reply.status_code for reply in replies] == [201] * 5 + [429] * 3
    assert 1 <= int(replies[-1].headers["retry-after"]) <= 60
    assert replies[-1].json()["type"] == "urn:fathom:problem:too-many-requests"
    assert small.client.post("/api/research/estimate", json={"query": QUESTION}).status_code == 429
    assert small.client.get(SESSIONS).status_code == 200


def test_who_holds_many_streams_gets_no_more_until_one_ends(small: Served) -> None:
    id = small.client.get(SESSIONS).json()["sessions"][0]["id"]
    with ExitStack() as stack:
        held = [stack.enter_context(small.client.stream("GET", f"{SESSIONS}/{id}/events")) for _ in range(4)]
        assert [stream.status_code for stream in held] == [200, 200, 200, 429]
        assert held[3].headers["retry-after"]
    for _ in range(2_000):
        if small.run(_held(small)) == 0:
            break
    with small.client.stream("GET", f"{SESSIONS}/{id}/events") as stream:
        assert stream.status_code == 200


async def _held(small: Served) -> int:
    import asyncio

    await asyncio.sleep(0.05)
    return len(small.app.state.guard.streams)


def test_who_asks_too_often_is_told_to_wait_whatever_he_says_of_himself(small: Served) -> None:
    statuses = []
    for number in range(400):
        reply = small.client.get("/api/health", headers={"X-Forwarded-For": f"203.0.113.{number % 250}"})
        statuses.append(reply.status_code)
        if reply.status_code == 429:
            break

    assert statuses[-1] == 429
    assert len(statuses) <= 301
    assert small.client.get("/assets/app.js").status_code == 200


@pytest.mark.parametrize(
    ("one", "other"),
    [("2001:db8::1", "2001:db8::ffff:2"), ("::ffff:10.0.0.7", "10.0.0.7"), ("fe80::1%eth0", "fe80::2")],
)
def test_a_client_of_many_addresses_is_one(one: str, other: str) -> None:
    assert address_of({"client": (one, 1)}) == address_of({"client": (other, 2)})


def test_clients_of_different_networks_are_not() -> None:
    found = {address_of({"client": (each, 1)}) for each in ("10.0.0.7", "10.0.0.8", "2001:db8::1", "2001:db8:0:1::1")}
    assert len(found) == 4


# ── Slowness ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"GET / HT",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
        b"POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
        b"POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 999\r\n\r\n{",
    ],
)
def test_a_client_that_never_ends_a_request_is_not_waited_for(
    server: Served, begun: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fathom.api.wire.HEAD_SECONDS", 0.2)
    monkeypatch.setattr("fathom.api.wire.BODY_SECONDS", 0.2)

    raw(server.url, begun, seconds=10)  # comes back when the server closes, else it raises

    assert server.client.get("/api/health").status_code == 200


def test_a_client_that_drips_a_head_is_not_waited_for(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fathom.api.wire.HEAD_SECONDS", 0.3)
    parts = urlsplit(server.url)
    closed = threading.Event()
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=60) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        for _ in range(100):
            try:
                client.sendall(b"X-Drip: 1\r\n")
                client.settimeout(0.05)
                if client.recv(10) == b"":
                    closed.set()
                    break
            except TimeoutError:
                continue
            except OSError:
                closed.set()
                break
    assert closed.is_set()


def drips(url: str, head: bytes, *, most: int = 600) -> bool:
    """Whether a client that goes on sending single bytes behind `head` is broken off."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=60) as client:
        client.sendall(head)
        client.settimeout(0.05)
        for _ in range(most):
            try:
                client.sendall(b" ")
                if client.recv(10_000) == b"":
                    return True
            except TimeoutError:
                continue
            except OSError:
                return True
    return False


@pytest.mark.parametrize("path", ["/api/login", SESSIONS])
def test_a_client_that_drips_a_body_is_not_waited_for(
    server: Served, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr("fathom.api.wire.BODY_SECONDS", 0.5)
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1900\r\n\r\n"

    assert drips(server.url, head.encode())


@pytest.mark.soak
def test_a_thousand_clients_that_drip_bodies_without_a_token_are_broken_off_while_others_are_answered(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fathom.api.wire.BODY_SECONDS", 3.0)
    parts = urlsplit(server.url)
    place = (parts.hostname or "", parts.port or 0)
    head = (
        b"POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1900\r\n\r\n"
    )
    with ExitStack() as stack:
        made = (socket.create_connection(place, 60, (f"127.0.1.{n % 20 + 1}", 0)) for n in range(1_000))
        held = {stack.enter_context(client) for client in made}
        for client in held:
            client.sendall(head)
            client.setblocking(False)
        for _ in range(600):
            for client in list(held):
                try:
                    client.send(b" ")
                    if client.recv(1_000) == b"":
                        held.discard(client)
                except BlockingIOError:
                    continue
                except OSError:
                    held.discard(client)
            assert server.client.get("/api/health").status_code == 200
            if not held:
                break
    assert not held


def test_one_address_leaves_connections_for_the_others(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fathom.api.wire.most_of_one_address", lambda: 10)
    parts = urlsplit(server.url)
    place = (parts.hostname or "", parts.port or 0)
    ask = b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with ExitStack() as stack:

        def connected(source: str) -> socket.socket:
            made = socket.create_connection(place, timeout=60, source_address=(source, 0))
            return stack.enter_context(made)

        held = [connected("127.0.0.2") for _ in range(30)]
        assert all(each.recv(1_000).startswith(b"HTTP/1.1 503 ") for each in held[10:])
        other = connected("127.0.0.3")
        other.sendall(ask)
        assert other.recv(1_000).startswith(b"HTTP/1.1 200 ")
        for each in held:
            each.close()
        for _ in range(200):  # the server hears of it in its own time
            again = connected("127.0.0.2")
            with suppress(OSError):
                again.sendall(ask)
                if again.recv(1_000).startswith(b"HTTP/1.1 200 "):
                    return
    pytest.fail("what was closed still counts")


def test_a_client_that_takes_its_time_between_two_requests_is_answered(server: Served) -> None:
    parts = urlsplit(server.url)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=60) as client:
        for _ in range(2):
            client.sendall(b"GET /api/health HTTP/1.1\r\nHost: localhost\r\n")
            client.sendall(b"\r\n")
            received = b""
            while not received.endswith(b"}"):
                received += client.recv(65_536)
            assert received.startswith(b"HTTP/1.1 200")


def test_many_who_wait_keep_nobody_out(server: Served) -> None:
    parts = urlsplit(server.url)
    with ExitStack() as stack:
        for _ in range(100):
            slow = stack.enter_context(socket.create_connection((parts.hostname or "", parts.port or 0), timeout=60))
            slow.sendall(b"GET / HTTP/1.1\r\nHost: local")
        assert httpx.get(f"{server.url}/api/health", timeout=10).status_code == 200


def test_who_opens_very_many_connections_leaves_sessions_the_files_that_they_need(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fathom.api.wire.most_connections", lambda: 20)
    parts = urlsplit(server.url)
    assert server.client.get("/api/health").status_code == 200  # this one is open already, and stays so
    with ExitStack() as stack:
        held = [
            stack.enter_context(socket.create_connection((parts.hostname or "", parts.port or 0), timeout=60))
            for _ in range(60)
        ]
        refused = [each.recv(1_000) for each in held[-30:]]
        ended = server.ended(server.ask())

    assert all(answer.startswith(b"HTTP/1.1 503 ") for answer in refused)
    assert ended["status"] == "completed"


def test_the_service_asks_for_room_for_its_connections_where_it_starts_with_little() -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (256, 1_000));"
        "from fathom.api.listening import room;"
        "print(room(), *resource.getrlimit(resource.RLIMIT_NOFILE))"
    )

    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert told.stdout.split() == ["1000", "1000", "1000"]


# ── Paths ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "path",
    [
        "../api/app.py",
        "..%2f..%2fapi/app.py",
        "%2e%2e/%2e%2e/api/app.py",
        "..%252f..%252fapi/app.py",
        "....//....//api/app.py",
        "..%5c..%5capi%5capp.py",
        "/etc/passwd",
        "//etc/passwd",
        "%2fetc%2fpasswd",
        "app.js%00.css",
        "%00",
        "vendor",
        "vendor/",
        ".",
        "",
        "a" * 5_000,
        "%ff%fe",
        "CON",
    ],
)
def test_no_path_leads_out_of_the_folder_of_the_page(server: Served, path: str) -> None:
    answer = raw(server.url, f"GET /assets/{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())

    assert answer.status in (400, 404)
    assert "root:" not in answer.body
    assert "create_app" not in answer.body


def test_no_link_leads_out_of_the_folder_of_the_page() -> None:
    assert page._files.follow_symlink is False


def test_a_request_that_was_refused_uses_up_nothing() -> None:
    budget = RateBudget("test", 2)
    assert [budget.take("client") is None for _ in range(5)] == [True, True, False, False, False]
    assert budget.take("another") is None
    with pytest.MonkeyPatch.context() as patch:
        now = time.time() + 61
        patch.setattr("time.time", lambda: now)
        assert budget.take("client") is None
