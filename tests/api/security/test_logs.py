"""What the log and the figures tell, and what they never do."""

from __future__ import annotations

import io
import json
import logging
from collections import Counter
from collections.abc import Iterator

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from fathom.api import logs
from fathom.api.logs import FIELDS, JsonLines, TextLines
from fathom.settings import Settings, load_settings
from tests.api.security.conftest import Locked, raw
from tests.support.serving import SESSIONS, Served, wait_for

KEY = "canary-key-1234567890"


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """What the service writes to its log meanwhile, as JSON."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines([KEY]))
    logger = logging.getLogger("fathom")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield stream
    logger.removeHandler(handler)
    logger.setLevel(level)


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_request_is_one_line_with_its_route_and_session(server: Served, written: io.StringIO) -> None:
    id = server.ask()
    reply = server.client.get(f"{SESSIONS}/{id}?q=canary")

    def of_session() -> list[dict[str, object]]:
        return [line for line in lines(written) if line["message"] == "answered" and line.get("session") == id]

    wait_for(lambda: len(of_session()) == 2)  # a line may come behind its answer, and others ask meanwhile
    _, asked = of_session()
    assert asked["request"] == reply.headers["x-request-id"]
    assert (asked["method"], asked["status"]) == ("GET", 200)
    assert asked["route"] == f"{SESSIONS}/{{session_id}}"
    assert isinstance(asked["ms"], float)
    assert asked.keys() <= {"time", "level", "message", *FIELDS}


def test_what_a_client_sends_is_in_no_line(locked: Locked, written: io.StringIO) -> None:
    with httpx.Client(
        base_url=locked.server.url, headers={"User-Agent": "canary", "Referer": "http://canary/"}
    ) as client:
        client.post("/api/login", json={"token": locked.secret})
        client.post("/api/login", json={"token": "canary"})
        id = client.post(SESSIONS, json={"query": "canary-question of mine?"}).json()["id"]
        client.post(
            SESSIONS, json={"query": "canary", "config": {"kb": "canary"}}, headers={"Idempotency-Key": "canary"}
        )
        client.post(SESSIONS, json={"query": 1, "canary": "canary"})
        client.get(f"{SESSIONS}?q=canary&token={locked.secret}")
        client.get("/canary/canary.txt?canary=1")
        client.get(f"{SESSIONS}/canary/events")
        client.get("/api/health", headers={"Host": "canary.example", "Authorization": f"Bearer {locked.secret}"})
        client.request("CANARY", SESSIONS)
        client.delete(f"{SESSIONS}/{id}")
    told = written.getvalue()

    assert told.count("\n") >= 10
    assert "canary" not in told.lower()
    assert locked.secret not in told
    assert locked.secret[10:30] not in told


def test_a_fault_is_told_by_its_place_and_not_by_its_words(
    server: Served, written: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("canary: what was asked")

    monkeypatch.setattr(server.app.state.fathom.store, "runs", broken)

    reply = server.client.get(SESSIONS)

    assert reply.status_code == 500
    assert "canary" not in reply.text
    id = reply.headers["x-request-id"]
    (fault,) = [line for line in lines(written) if "fault" in line and line["request"] == id]
    assert "ZeroDivisionError at " in str(fault["fault"])
    assert "broken" in str(fault["fault"])
    assert reply.json()["request_id"] == id
    assert "canary" not in written.getvalue()


def test_no_path_and_no_header_begins_a_line_of_its_own(server: Served, written: io.StringIO) -> None:
    asked = set()
    for path in ("/%0a%0d2026-07-01 forged", "/assets/%e2%80%a8forged", f"{SESSIONS}/%1b[31mforged"):
        head = [
            f"GET {path.replace(' ', '%20')} HTTP/1.1",
            "Host: localhost",
            "X-Request-Id: forged",
            "Connection: close",
        ]
        answer = raw(server.url, ("\r\n".join(head) + "\r\n\r\n").encode())
        asked.add(answer.header("X-Request-Id"))

    assert len(asked) == 3
    wait_for(lambda: asked <= {line.get("request") for line in lines(written)})
    text = written.getvalue()  # what others have asked of the server may still end meanwhile
    told = lines(io.StringIO(text))
    assert "forged" not in text and len(told) == text.count("\n")
    assert Counter(line["request"] for line in told if line.get("request") in asked) == dict.fromkeys(asked, 1)


@given(st.text(max_size=200))
def test_whatever_is_told_is_one_line_that_steers_nothing(text: str) -> None:
    record = logging.LogRecord("fathom", logging.INFO, "", 0, "%s", (text,), None)
    record.session = text

    for formatter in (TextLines([]), JsonLines([])):
        line = formatter.format(record)
        assert len(line.splitlines()) == 1
        assert not any(char < " " or "\x7f" <= char <= "\x9f" for char in line)


def test_a_secret_that_slips_into_a_message_is_hidden() -> None:
    token = "fathom_" + "a" * 43
    said = f"{KEY} {token} Authorization: Bearer abc.def"
    record = logging.LogRecord("fathom", logging.INFO, "", 0, said, (), None)

    for formatter in (TextLines([KEY]), JsonLines([KEY])):
        line = formatter.format(record)
        assert KEY not in line
        assert token not in line
        assert "abc.def" not in line


def test_the_secrets_of_the_settings_are_hidden() -> None:
    settings = load_settings(model_api_key=SecretStr(KEY))
    stream = io.StringIO()
    before = logging.getLogger().handlers[:], logging.getLogger().level, logging.getLogger("fathom").level
    try:
        logs.set_up(settings, stream)
        logging.getLogger("fathom.x").info("the key is %s", KEY)
    finally:
        logging.getLogger().handlers[:], level, own = before
        logging.getLogger().setLevel(level)
        logging.getLogger("fathom").setLevel(own)

    assert "[hidden]" in stream.getvalue()
    assert KEY not in stream.getvalue()


# ── Figures ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_figures_count_sessions_requests_and_events(server: Served) -> None:
    id = server.ask()
    server.ended(id)
    server.client.get("/no/such/canary")

    told = server.client.get("/metrics")

    assert told.headers["content-type"].startswith("text/plain")
    figures = dict(line.rsplit(" ", 1) for line in told.text.splitlines() if not line.startswith("#"))
    assert float(figures['fathom_sessions{status="completed"}']) >= 1
    assert float(figures["fathom_events_sent_total"]) >= server.session(id)["last_event"]
    route = f'method="GET",route="{SESSIONS}/{{session_id}}/events",status="200"'
    assert float(figures[f"fathom_requests_total{{{route}}}"]) >= 1
    assert figures["fathom_viewers"] == "0.0"
    assert "canary" not in told.text
    assert id not in told.text


def test_no_client_makes_more_figures(server: Served) -> None:
    def count() -> int:
        return len(server.client.get("/metrics").text.splitlines())

    server.client.get("/nowhere")
    raw(server.url, b"ODD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    count()
    before = count()
    for number in range(20):
        server.client.get(f"/nowhere/{number}")
        raw(server.url, f"ODD{number} / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert count() == before


def test_two_services_of_a_process_count_apart(settings: Settings) -> None:
    from fathom.api.metrics import Metrics

    one, other = Metrics(), Metrics()
    one.answered("GET", "/", 200, 0.1)
    assert settings.home
    assert b'fathom_requests_total{method="GET"' in one.shown(sessions={}, running=0, viewers=0)
    assert b'fathom_requests_total{method="GET"' not in other.shown(sessions={}, running=0, viewers=0)
