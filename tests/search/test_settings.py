"""What providers take from the settings, and what is said of them before anybody is asked."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from fathom.browsing import WebQuery
from fathom.errors import ConfigurationError
from fathom.search import describe_provider, describe_providers, searches
from fathom.settings import Settings
from fathom_testing.search_server import SearchServer
from tests.contracts.searches import CORPUS, DEEP, KEY, asked
from tests.search.opening import open_at

NAMES = "arxiv brave duckduckgo exa openalex pubmed searxng semantic_scholar serper tavily wikipedia".split()
WITH_KEY = ("brave", "exa", "serper", "tavily")


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TAVILY", "BRAVE", "EXA", "SERPER", "SEMANTIC_SCHOLAR", "NCBI", "OPENALEX"):
        monkeypatch.delenv(f"{name}_API_KEY", raising=False)


@pytest.fixture
def server() -> Iterator[SearchServer]:
    with SearchServer(CORPUS) as server:
        yield server


def test_every_provider_is_known_by_its_name() -> None:
    assert searches.names() == NAMES
    assert [each.name for each in describe_providers(Settings())] == NAMES


def test_a_name_that_nobody_has_gets_the_nearest_one() -> None:
    with pytest.raises(ConfigurationError, match="Did you mean 'tavily'"):
        describe_provider("tavilly", Settings())


def test_a_provider_without_its_key_says_which_setting_it_misses() -> None:
    missing = {each.name: each.missing for each in describe_providers(Settings()) if each.missing}

    for name in WITH_KEY:
        assert f"{name}_api_key" in missing[name]
        assert f"FATHOM_{name.upper()}_API_KEY" in missing[name]
    assert "searxng_base_url" in missing["searxng"]
    assert "wikipedia" not in missing
    assert "arxiv" not in missing


def test_a_description_tells_who_is_ready_and_what_it_costs() -> None:
    settings = Settings(
        tavily_api_key=SecretStr(KEY),
        searxng_base_url="http://searx.example.org/",
        search_costs={"tavily": 0.25},
        search_rates={"arxiv": 0.1},
    )
    told = {each.name: each for each in describe_providers(settings)}

    assert {name for name, each in told.items() if each.general} >= {"tavily", "searxng", "brave"}
    assert not any(told[name].general for name in ("arxiv", "wikipedia"))
    assert (told["tavily"].ready, told["tavily"].cost_usd, told["tavily"].key) == (True, 0.25, "needed")
    assert (told["searxng"].address, told["searxng"].needs_address) == ("http://searx.example.org", True)
    assert (told["arxiv"].per_second, told["arxiv"].cost_usd) == (0.1, 0.0)
    assert all(each.per_second > 0 for each in told.values())
    assert "secret" not in repr(told)


def test_the_services_own_variable_counts_at_its_own_address_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-secret-of-tavily")

    assert describe_provider("tavily", Settings()).ready
    elsewhere = describe_provider("tavily", Settings(tavily_base_url="http://elsewhere.example.org"))
    assert not elsewhere.ready
    assert "TAVILY_API_KEY" not in elsewhere.missing.replace("FATHOM_TAVILY_API_KEY", "")


def test_a_setting_wins_over_the_services_own_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-other")
    factory: Any = searches.get("tavily")

    terms = factory.terms.key_of(Settings(tavily_api_key=SecretStr(f" {KEY}\n")))

    assert terms.get_secret_value() == KEY


@pytest.mark.parametrize("key", ["clé-secret", "secret\nX-Evil: 1", "secret\x00"])
def test_a_key_that_is_none_is_refused_without_being_quoted(key: str) -> None:
    with pytest.raises(ConfigurationError, match="tavily_api_key") as raised:
        searches.get("tavily")(Settings(tavily_api_key=SecretStr(key)))

    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("key", ["", "   "])
def test_an_empty_key_is_none(key: str) -> None:
    with pytest.raises(ConfigurationError, match="tavily_api_key"):
        searches.get("tavily")(Settings(tavily_api_key=SecretStr(key)))


@pytest.mark.parametrize(
    "url",
    [
        "ftp://a.org",
        "a.org",
        "http://",
        "http://user:hunter2@a.org",
        "https://a.org/?key=hunter2",
        "https://a.org/#x",
        "http://a.org:0",
        "http://[::1",
        "javascript:alert(1)",
    ],
)
def test_an_address_that_cannot_be_asked_is_refused_and_named(url: str) -> None:
    settings = Settings(searxng_base_url=url, tavily_api_key=SecretStr(KEY), tavily_base_url=url)

    for name in ("searxng", "tavily"):
        with pytest.raises(ConfigurationError, match=f"{name}_base_url") as raised:
            searches.get(name)(settings)
        assert "hunter2" not in str(raised.value)
        assert not describe_provider(name, settings).ready


@pytest.mark.parametrize(
    "wrong",
    [
        {"search_rates": {"arxiv": 0.0}},
        {"search_rates": {"arxiv": float("nan")}},
        {"search_costs": {"arxiv": -1.0}},
        {"search_costs": {"arxiv": float("inf")}},
    ],
    ids=str,
)
def test_a_rate_or_a_price_that_is_none_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="arxiv"):
        searches.get("arxiv")(Settings(**wrong))


async def test_a_search_costs_what_the_settings_say(server: SearchServer) -> None:
    provider = open_at(server, "tavily", search_costs={"tavily": 0.5})

    assert (await asked(provider, DEEP)).cost_usd == 0.5
    assert (await asked(provider, WebQuery(text="?"))).cost_usd == 0.0


async def test_a_key_goes_to_its_own_provider_alone(server: SearchServer) -> None:
    keys: dict[str, Any] = {
        f"{name}_api_key": SecretStr(f"key-of-{name}") for name in ("tavily", "brave", "exa", "serper")
    }
    for name in ("tavily", "searxng", "brave", "wikipedia", "arxiv"):
        await asked(open_at(server, name, **keys), DEEP)

    for seen in server.seen:
        sent = f"{seen.asked.headers} {seen.asked.query} {seen.asked.body!r}"
        assert {name for name in WITH_KEY if f"key-of-{name}" in sent} <= {seen.provider}
        assert (f"key-of-{seen.provider}" in sent) == (seen.provider in ("tavily", "brave"))


def test_the_table_of_providers_brings_no_client() -> None:
    code = "import sys, fathom.search; print([name for name in ('httpx', 'feedparser', 'ddgs') if name in sys.modules])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
