"""Opens providers at the local server, under the key of the contract, without waits."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import SecretStr

from fathom.ports.web import WebSearch
from fathom.search import searches
from fathom.settings import Settings
from fathom_testing.search_server import SearchServer
from tests.contracts.searches import KEY


def settings_for(server: SearchServer, name: str, **changes: Any) -> Settings:
    """Settings that name the server as the provider's address, and the key where it takes one."""
    key = f"{name}_api_key"
    given: dict[str, Any] = {f"{name}_base_url": server.base(name), "search_rates": {name: 10_000.0}}
    if key in Settings.model_fields:
        given[key] = SecretStr(KEY)
    return _defaults().model_copy(update={**given, **changes})


@cache
def _defaults() -> Settings:
    """Read once: of a search at a server of the tests, to read all settings would take a third of the time."""
    return Settings()


def open_at(server: SearchServer, name: str, *, timeout: float = 20.0, **changes: Any) -> WebSearch:
    """The provider at the server."""
    factory: Any = searches.get(name)
    provider: WebSearch = factory(settings_for(server, name, **changes), timeout=timeout, first_wait=0.001)
    return provider
