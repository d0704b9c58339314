"""How a server is reached: its address or command with secrets filled in, and whether it may be asked at all."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

from fathom.data.servers import DataSource, filled_in, filled_url
from fathom.errors import ConfigurationError
from fathom.settings import Settings
from fathom.text.harmless import inert
from fathom.tools.cleaning import as_json
from fathom.urls import is_loopback

_SHORTEST_SECRET = 4
"""Characters; what is shorter is no secret, and stands in every text."""
_HARMLESS = ("LANG", "LC_ALL", "TZ", "TMPDIR")
"""Variables that every command gets besides those that any program needs (`PATH`, `HOME`, …)."""
_OWN = ("PYTHONPATH", "XDG_DATA_HOME", "XDG_CACHE_HOME", "VIRTUAL_ENV")
"""Variables that our own server gets besides."""
_BESIDE_READING = 60.0
"""Seconds that our own server may take beside reading its files, before it answers: then it hangs."""


@dataclass(frozen=True)
class Access:
    """What it takes to reach a server."""

    who: str
    """The server, for a message: `The MCP server 'events'`."""
    address: str
    """Where it is, for a message."""
    url: str = field(default="", repr=False)
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    command: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict, repr=False)
    """Variables that `command` gets besides those that any program needs."""
    connect_seconds: float | None = None
    """How long opening may take; `None` for what is usual."""
    is_own: bool = False
    """Whether it is Fathom's own server over files of the user's."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Texts that no message may hold, the longest first."""

    @property
    def is_local(self) -> bool:
        """Whether a URL leads to this machine."""
        return bool(self.url) and is_loopback(urlsplit(self.url).hostname or "")

    def told(self, text: str, *, width: int = 200) -> str:
        """What the server says, for a message: on one line, without secrets, cut."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return inert(text[: 50 * width], width=width)

    def unspoken(self, result: dict[str, Any]) -> dict[str, Any]:
        """What a tool returns, without secrets that its server says back."""
        if not self.secrets:
            return result
        text = as_json(result)
        spoken = [told for secret in self.secrets if (told := json.dumps(secret, ensure_ascii=False)[1:-1]) in text]
        for each in spoken:
            text = text.replace(each, "***")
        return json.loads(text) if spoken else result


class _Used(dict[str, str]):
    """Remembers which variables were asked for."""

    def __init__(self, values: Mapping[str, str]) -> None:
        super().__init__(values)
        self.asked: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        value = self.asked[name] = super().__getitem__(name)
        return value


def access_to(source: DataSource, settings: Settings) -> Access:
    """How the data of `source` is reached.

    Raises:
        ConfigurationError: a variable is not set, the address is none, or `no_web` forbids it.
    """
    if source.server is None:
        return _to_files(source, settings)
    server, who = source.server, f"The MCP server '{inert(source.name, width=60)}'"
    environment = _Used(os.environ)
    try:
        headers, env = filled_in(server.headers, environment), filled_in(server.env, environment)
        url = filled_url(server.url, environment)
    except KeyError as error:
        raise ConfigurationError(f"{who} needs the variable {error.args[0]}, which is not set: set it.") from None
    asked = {*environment.asked.values(), *(quote(value, safe="") for value in environment.asked.values())}
    secrets = {value for value in asked if len(value) >= _SHORTEST_SECRET}
    access = Access(
        who=who,
        address=inert(source.address, width=200),
        url=_checked(url, who),
        headers=headers,
        command=server.command,
        env={**_environment(_HARMLESS), **env} if server.command else {},
        secrets=tuple(sorted(secrets, key=len, reverse=True)),
    )
    if settings.no_web and not access.is_local:
        cure = "leave it out, or leave out `no_web`"
        if server.command:
            raise ConfigurationError(f"{who} is a command that could send anything anywhere under `no_web`: {cure}.")
        raise ConfigurationError(f"{who} is not on this machine, which nothing may leave under `no_web`: {cure}.")
    return access


def _to_files(source: DataSource, settings: Settings) -> Access:
    given: dict[str, object] = {"home": settings.home}
    given |= {name: getattr(settings, name) for name in type(settings).model_fields if name.startswith("data_")}
    own = {f"FATHOM_{name.upper()}": str(value) for name, value in given.items() if value is not None}
    paths = (f"./{path}" if path.startswith("-") else path for path in source.paths)
    return Access(
        who=f"The server over '{inert(source.name, width=60)}'",
        address=inert(source.address, width=200),
        command=(sys.executable, "-m", "fathom", "dataset", "serve", *paths),
        connect_seconds=settings.data_max_reading + _BESIDE_READING,
        is_own=True,
        env={**_environment((*_HARMLESS, *_OWN)), **own},
    )


def _checked(url: str, who: str) -> str:
    if not url:
        return ""
    try:
        parts = urlsplit(url)
        wrong = parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0
    except ValueError:
        wrong, parts = True, urlsplit("")
    if wrong:
        raise ConfigurationError(f"{who} has no address that can be asked: it must begin with http:// or https://.")
    if parts.username or parts.password:
        raise ConfigurationError(f"The address of {who[0].lower()}{who[1:]} holds a password: put it into headers.")
    return url


def _environment(names: tuple[str, ...]) -> dict[str, str]:
    return {name: os.environ[name] for name in names if name in os.environ}
