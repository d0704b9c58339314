"""What the tests of fetching share: settings for servers on this machine, and a network that only writes down."""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Sequence
from typing import Any

import httpcore

from fathom.browsing import WebRules
from fathom.pages.fetch import Fetcher
from fathom.pages.guard import Resolver
from fathom.settings import Settings


def fetcher(
    *,
    rules: WebRules | None = None,
    resolve: Resolver | None = None,
    network: httpcore.AsyncNetworkBackend | None = None,
    **settings: Any,
) -> Fetcher:
    """A fetcher that may read every site below `.localhost`, without waiting between requests."""
    given = {"private_hosts": ("*.localhost",), "page_delay": 0.0, "page_max_bytes": 1_000_000, **settings}
    return Fetcher(Settings(**given), rules=rules or WebRules(), resolve=resolve, network=network)


def answering(*answers: Sequence[str]) -> Resolver:
    """A resolver that gives one answer after the other, and the last one for good."""
    left = list(answers)

    async def resolve(host: str, port: int) -> Sequence[str]:
        del host, port
        return left.pop(0) if len(left) > 1 else left[0]

    return resolve


class Recorder(httpcore.AsyncNetworkBackend):
    """A network that writes down where it was asked to connect to, and answers every request with the same bytes."""

    def __init__(
        self, answer: bytes = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 3\r\n\r\ntea"
    ) -> None:
        self.connected: list[tuple[str, int]] = []
        self.encrypted: list[tuple[ssl.SSLContext, str | None]] = []
        self.dead: set[str] = set()
        self.broken: Exception | None = None
        self.answer = answer

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's name
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        del timeout, local_address, socket_options
        self.connected.append((host, port))
        if host in self.dead:
            raise httpcore.ConnectError("no route to host")
        return _Stream(self)

    async def sleep(self, seconds: float) -> None:
        del seconds


class _Stream(httpcore.AsyncNetworkStream):
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._read = 0

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore's name
        del timeout
        if self._recorder.broken:
            raise type(self._recorder.broken)(*self._recorder.broken.args)
        data = self._recorder.answer[self._read : self._read + max_bytes]
        self._read += len(data)
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore's name
        del buffer, timeout

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> httpcore.AsyncNetworkStream:
        del timeout
        self._recorder.encrypted.append((ssl_context, server_hostname))
        return self

    async def aclose(self) -> None:
        return

    def get_extra_info(self, info: str) -> Any:
        del info
        return None
