"""Guarded services on real sockets: one as it stands on this machine, one that asks for a token."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from fastapi import FastAPI

from fathom.api.listening import place_of
from fathom.api.security.guard import Guard
from fathom.api.security.rates import RateBudget
from fathom.sessions.tokens import Tokens
from fathom.settings import Settings
from tests.support.serving import Served, home_with_notes, served

MANY = 1_000_000


def guarding(settings: Settings, *, host: str = "127.0.0.1") -> Callable[[FastAPI], None]:
    """What `create_app` takes as `access`, as `fathom serve` gives it."""

    def access(app: FastAPI) -> None:
        guard = Guard(settings, Tokens(app.state.fathom.tokens), place_of(host))
        app.state.guard = guard
        guard(app)

    return access


def settings_with(settings: Settings, **changes: Any) -> Settings:
    """The settings of a service that nobody asks too often, with some more changed."""
    return settings.model_copy(update={"serve_rate": MANY, "serve_new_sessions": MANY, **changes})


class Answer(NamedTuple):
    """What came back over a socket."""

    status: int
    head: str
    body: str

    def header(self, name: str) -> str:
        """The value of a header; empty without it."""
        lines = [line for line in self.head.splitlines() if line.lower().startswith(f"{name.lower()}:")]
        return lines[0].partition(":")[2].strip() if lines else ""


def raw(url: str, request: bytes, *, seconds: float = 10) -> Answer:
    """Send bytes as they are, and read until the server closes; `Connection: close` is the caller's to send."""
    parts = urlsplit(url)
    assert parts.hostname
    assert parts.port
    received = b""
    with (
        socket.create_connection((parts.hostname, parts.port), timeout=seconds) as client,
        suppress(ConnectionResetError, BrokenPipeError),  # it may close before it has read all
    ):
        client.sendall(request)
        while piece := client.recv(65_536):
            received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1]) if head.startswith(b"HTTP/1.1 ") else 0
    return Answer(status, head.decode("latin-1"), body.decode("utf-8", "replace"))


@pytest.fixture(scope="package")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Those of a home with notes."""
    return home_with_notes(tmp_path_factory.mktemp("guarded"))


@pytest.fixture(scope="package")
def server(settings: Settings) -> Iterator[Served]:
    """A guarded service on this machine's own address."""
    chosen = settings_with(settings, serve_origins=("https://tools.example.org",), serve_names=("fathom.example.org",))
    with served(chosen, access=guarding(chosen)) as running:
        yield running


class Locked(NamedTuple):
    """A service that asks for a token."""

    server: Served
    secret: str
    home: Path

    @property
    def let_in(self) -> dict[str, str]:
        """The header of whoever has the token."""
        return {"Authorization": f"Bearer {self.secret}"}

    @property
    def tokens(self) -> Tokens:
        """Its tokens."""
        return Tokens(self.server.fathom.tokens)


@pytest.fixture(scope="package")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Locked]:
    """Another one behind a token; nobody carries its sessions out, so that their streams stay open."""
    chosen = settings_with(home_with_notes(tmp_path_factory.mktemp("locked")), serve_require_token=True)
    with (
        pytest.MonkeyPatch.context() as patch,
        served(chosen, access=guarding(chosen), with_worker=False) as running,
    ):
        patch.setattr("fathom.api.security.streams.LOOK_SECONDS", 0.1)
        patch.setattr(running.app.state.door, "_wrong", RateBudget("wrong tokens", MANY))
        _, secret = running.run(Tokens(running.fathom.tokens).create("tests"))
        yield Locked(running, secret, chosen.home)
