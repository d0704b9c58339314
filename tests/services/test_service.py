"""A service behind HTTP is asked at its pace, again when that may help, and never for more than is allowed."""

from __future__ import annotations

import gzip
import json
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from fathom.errors import ConfigurationError, MalformedReply, ProviderError, RateLimited, Unauthorized, Unreachable
from fathom.services.addresses import checked_address
from fathom.services.failures import Who, reason, refusal, retry_after
from fathom.services.http import Reply, Service
from fathom.services.pace import Pace

WHO = Who("Sea", "sea.example.org", "sea_base_url", "sea_api_key")
KEY = 'k/e+y="secret"'


class _Deep(Reply):
    deep: int


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Service]:
    """Makes a service that is answered by a function."""

    def made(reply: Callable[[httpx.Request], httpx.Response], **options: Any) -> Service:
        client = httpx.AsyncClient

        def opened(**given: Any) -> httpx.AsyncClient:
            return client(**{**given, "transport": httpx.MockTransport(reply)})

        monkeypatch.setattr(httpx, "AsyncClient", opened)
        return Service(WHO, **{"address": "https://sea.example.org", "pace": Pace(1e6), "first_wait": 0.0, **options})

    return made


def answered(status: int, body: bytes, **headers: str) -> httpx.Response:
    """A reply whose body is still to be read."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, headers=named, stream=httpx.ByteStream(body))


async def test_a_packed_reply_is_unpacked(service: Callable[..., Service]) -> None:
    packed = gzip.compress(b'{"deep": 3}')

    reply = await service(lambda _: answered(200, packed, content_encoding="gzip")).get("/", _Deep)

    assert reply.deep == 3


@pytest.mark.parametrize("status", [200, 500])
async def test_a_reply_that_unpacks_to_a_thousand_times_its_size_stays_small(
    service: Callable[..., Service], status: int
) -> None:
    bomb = gzip.compress(b" " * 50_000_000)

    with pytest.raises(ProviderError):
        await service(lambda _: answered(status, bomb, content_encoding="gzip"), largest=100_000).get("/", _Deep)


@pytest.mark.parametrize("packing", ["br", "deflate", "gzip, gzip", "zstd", "x"])
async def test_a_packing_that_was_not_offered_is_no_answer(service: Callable[..., Service], packing: str) -> None:
    with pytest.raises(MalformedReply):
        await service(lambda _: answered(200, b"{}", content_encoding=packing)).get("/", _Deep)


async def test_a_reply_without_end_is_cut_off_and_not_read_on(service: Callable[..., Service]) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 1
            yield b" " * 10_000

    with pytest.raises(MalformedReply, match="larger"):
        await service(lambda _: httpx.Response(200, content=endless()), largest=1_000_000).get("/", _Deep)
    assert sent < 110


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe{",
        b'{"deep": 1.5}',
        b'{"deep": "1"}',
        b'{"deep": true}',
        b"[" * 100_000,
        b'{"deep": 1} x',
        b"NaN",
    ],
    ids=lambda body: repr(body[:12]),
)
async def test_a_reply_of_another_shape_is_malformed_and_not_quoted(
    service: Callable[..., Service], body: bytes
) -> None:
    with pytest.raises(MalformedReply, match="sea_base_url") as raised:
        await service(lambda _: answered(200, body)).get("/", _Deep)

    assert "\n" not in str(raised.value)


async def test_a_second_try_is_all_it_takes_when_the_first_fails(service: Callable[..., Service]) -> None:
    replies = iter([answered(503, b"<html>"), answered(429, b"", retry_after="0"), answered(200, b'{"deep": 1}')])

    assert (await service(lambda _: next(replies)).get("/", _Deep)).deep == 1


async def test_who_asks_for_more_than_ten_seconds_is_not_waited_for(service: Callable[..., Service]) -> None:
    asked = 0

    def reply(request: httpx.Request) -> httpx.Response:
        nonlocal asked
        del request
        asked += 1
        return answered(429, b"", retry_after=format_datetime(datetime.now(UTC) + timedelta(minutes=5), usegmt=True))

    sea = service(reply)
    for _ in range(2):
        with pytest.raises(RateLimited) as raised:
            await sea.get("/", _Deep)
        assert 200 < (raised.value.retry_after or 0) <= 300
    assert asked == 1


async def test_a_key_is_blotted_out_in_every_spelling(service: Callable[..., Service]) -> None:
    spellings = [KEY, "k%2Fe%2By%3D%22secret%22", json.dumps(KEY)[1:-1], KEY.replace("/", "\\/")]

    for spelling in spellings:
        body = json.dumps({"error": f"bad {spelling}"}).encode()
        sea = service(lambda _, body=body: answered(400, body), key=SecretStr(KEY))
        with pytest.raises(ProviderError) as raised:
            await sea.get("/", _Deep)
        assert "secret" not in str(raised.value)


async def test_a_key_never_goes_to_another_address() -> None:
    sea = Service(WHO, address="https://sea.example.org", pace=Pace(1), key=SecretStr(KEY))

    with pytest.raises(ValueError, match="no other address"):
        sea.at("https://elsewhere.example.org")


class Clock:
    """Time that only passes while somebody sleeps."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr("fathom.services.pace.time.monotonic", lambda: self.now)
        monkeypatch.setattr("fathom.services.pace.asyncio.sleep", self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


async def test_calls_go_one_after_the_other_at_the_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, pace, gone = Clock(monkeypatch), Pace(0.5), []
    for _ in range(3):
        await pace.turn()
        gone.append(clock.now)
    clock.now += 60
    await pace.turn()
    await pace.turn()

    assert gone == [100.0, 102.0, 104.0]
    assert clock.now == 166.0


async def test_a_pause_holds_every_call_up(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, pace = Clock(monkeypatch), Pace(1e9)
    pace.hold(5)
    pace.hold(1)
    held = pace.held

    await pace.turn()

    assert held == 5
    assert pace.held == 0
    assert clock.now == 105


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        *(("7", 7.0), ("0", 0.0), ("1.5", 1.5), ("-3", 0.0), ("inf", 86_400.0), ("nan", None), ("soon", None)),
        *(("", None), ("1" + "0" * 400, 86_400.0), ("-1e999", 0.0), ("Fri, 31 Dec 9999 23:59:59 -2359", 86_400.0)),
        *((f"{9 * 10**20} Dec 9999", None), ("Sun, 06 Nov 0001 00:00:00 +2359", 0.0), ("31 Feb 2030", None)),
    ],
)
def test_a_wait_is_a_number_of_seconds_or_not_known(said: str, seconds: float | None) -> None:
    assert retry_after(said) == seconds


def test_a_wait_until_a_day_that_is_past_is_none() -> None:
    assert retry_after("Fri, 01 Jan 1999 00:00:00 GMT") == 0.0


@given(said=st.text(max_size=40))
def test_whatever_is_said_of_a_wait_it_is_a_number_or_not_known(said: str) -> None:
    seconds = retry_after(said)

    assert seconds is None or 0 <= seconds <= 86_400


@given(body=st.one_of(st.binary(max_size=60), st.just(b'{"error":' * 5_000)))
def test_whatever_a_service_says_the_reason_is_a_short_line(body: bytes) -> None:
    said = reason(body)

    assert "\n" not in said
    assert len(said) < 170


@pytest.mark.parametrize(
    "said",
    [
        '{"error": {"detail": "The provided subscription token is invalid."}}',
        '{"error": "API key invalid"}',
        '{"message": "Missing API key"}',
    ],
)
def test_a_bad_key_that_is_called_a_bad_request_is_a_bad_key(said: str) -> None:
    error = refusal(422, headers={}, body=said.encode(), who=WHO)

    assert isinstance(error, Unauthorized)
    assert "sea_api_key" in str(error)


def test_a_bad_request_is_no_bad_key() -> None:
    error = refusal(422, headers={}, body=b'{"error": "Query is too long"}', who=WHO)

    assert not isinstance(error, Unauthorized)
    assert "Query is too long" in str(error)


@pytest.mark.parametrize(
    "url", ["http://a.org/", "https://A.org:8443/base/", " http://[::1]:80 ", "http://localhost:8888"]
)
def test_an_address_has_no_slash_at_its_end(url: str) -> None:
    checked = checked_address(url, setting="sea_base_url")

    assert not checked.endswith("/")
    assert checked_address(checked, setting="sea_base_url") == checked


@pytest.mark.parametrize("password", ["hunter2", "hun/ter2", "hun\x00ter2", "hun?ter2", "hun:/ter2", "hun#ter2"])
def test_a_password_in_an_address_is_not_quoted(password: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        checked_address(f"https://me:{password}@a.org", setting="sea_base_url", key_setting="sea_api_key")

    assert "hun" not in str(raised.value)
    assert raised.value.__cause__ is None


async def test_a_connection_that_breaks_is_tried_thrice(service: Callable[..., Service]) -> None:
    asked = 0

    def reply(request: httpx.Request) -> httpx.Response:
        nonlocal asked
        asked += 1
        raise httpx.ConnectError("refused\nby host", request=request)

    with pytest.raises(Unreachable) as raised:
        await service(reply).get("/", _Deep)

    assert asked == 3
    assert "\n" not in str(raised.value)
