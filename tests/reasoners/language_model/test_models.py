"""Which models a run has, where they are, and which key goes where."""

from __future__ import annotations

import json
import ssl
from typing import Any, get_args

import httpx
import pytest

from fathom.errors import ConfigurationError
from fathom.limits import ReasoningEffort, Tier
from fathom.reasoners.language_model.completion import Message
from fathom.reasoners.language_model.json_text import json_object
from fathom.reasoners.language_model.models import models_from
from fathom.reasoners.language_model.providers import Method, Options, ServerAddress
from fathom.reasoners.language_model.providers.openai import OpenAI
from fathom.reasoners.language_model.schema import schema_of
from fathom.settings import Settings
from tests.reasoners.language_model.asking import SECRET, Total, asked, models
from tests.reasoners.language_model.wire import Says, WireServer

FIVE = Says('{"total": 5, "text": "five"}')
LOCAL = "ollama:llama3.1"
PROVIDERS = ["openai", "ollama", "anthropic", "google_genai"]


def address(provider: str, server: WireServer) -> str:
    """Of the test's server, as an operator would write it for a provider."""
    return f"{server.url}/v1" if provider == "openai" else server.url


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_every_provider_gives_structured_answers(provider: str, streamed: bool, server: WireServer) -> None:
    server.says(FIVE)

    assert await asked(models(address(provider, server), provider), streamed=streamed) == "5 five"


@pytest.mark.parametrize("effort", [None, "none", "low", "high"])
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_every_provider_is_told_how_long_to_think(
    provider: str, effort: ReasoningEffort | None, server: WireServer
) -> None:
    server.says(FIVE)

    assert await asked(models(address(provider, server), provider, model_effort=effort)) == "5 five"

    sent = json.dumps(server.asked[-1].body)
    told = {
        "openai": f'"reasoning_effort": "{effort}"',
        "ollama": f'"think": {json.dumps(effort not in (None, "none"))}',
        "anthropic": f'"effort": "{effort}"',
        "google_genai": f'"{effort}"',
    }[provider]
    left_to_it = effort is None or (effort == "none" and provider in ("anthropic", "google_genai"))
    if left_to_it and provider != "ollama":
        assert "effort" not in sent and "thinking" not in sent
    else:
        assert told in sent or told.upper() in sent.upper(), sent


def test_a_tier_may_think_longer_than_the_others() -> None:
    made = models_from(Settings(model=LOCAL, model_effort="low", model_strong_effort="high", model_check_effort="none"))
    assert made.efforts == {"fast": "low", "balanced": "low", "strong": "high", "check": "none"}
    strong = made.for_tier("strong")
    assert strong.room(500, effort="none") == 500 < strong.room(500, effort="low") <= strong.room(500, effort="high")


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("method", ["json_schema", "tool", "json_mode", "text"])
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_every_form_gives_the_same_text(
    provider: str, method: Method, streamed: bool, server: WireServer
) -> None:
    server.says(FIVE)
    made = models(address(provider, server), provider)
    told: list[str] = []

    completion = await made.for_tier("fast").complete(
        [Message("system", "Add."), Message("user", "Two and three?")],
        schema=schema_of(Total),
        method=method,
        max_tokens=99,
        tell=told.append if streamed else None,
    )
    await made.close()

    assert json_object(completion.text) == {"total": 5, "text": "five"}
    assert (completion.finish, completion.prompt_tokens, completion.completion_tokens) == ("stop", 11, 7)
    assert "".join(told) == (completion.text if streamed else "")


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_key_of_the_provider_is_never_sent_to_another_address(
    provider: str, server: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = "OPENAI_API_KEY OPENAI_ORG_ID ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN GOOGLE_API_KEY GEMINI_API_KEY"
    for name in [*names.split(), "OLLAMA_API_KEY", "LANGSMITH_API_KEY"]:
        monkeypatch.setenv(name, f"{SECRET}-{name}")
    server.says(FIVE)
    made = models(address(provider, server), provider)

    await made.check()
    await asked(made)

    sent = [*server.looked, *server.asked]
    assert server.looked and server.asked
    assert not [request for request in sent if SECRET in str(request.headers) or SECRET in request.path]


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_the_key_of_the_model_is_sent_to_its_address(provider: str, server: WireServer) -> None:
    server.says(FIVE)
    made = models(address(provider, server), provider, model_api_key=SECRET)

    await made.check()
    await asked(made)

    assert all(SECRET in str(request.headers) for request in [*server.looked, *server.asked])
    assert SECRET not in made.described


async def test_a_providers_own_variables_name_address_and_key(
    server: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    server.says(FIVE)

    assert await asked(models_from(Settings(model="anthropic:tiny"))) == "5 five"
    assert SECRET in server.asked[0].headers["x-api-key"]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"model": "ollama:a"}, ("ollama:a", "ollama:a", "ollama:a", "ollama:a")),
        ({"model": "ollama:a", "model_fast": "ollama:f"}, ("ollama:f", "ollama:a", "ollama:a", "ollama:a")),
        ({"model_fast": "ollama:f", "model_strong": "ollama:s"}, ("ollama:f", "ollama:s", "ollama:s", "ollama:s")),
        ({"model_strong": "ollama:s"}, ("ollama:s", "ollama:s", "ollama:s", "ollama:s")),
        ({"model_fast": "ollama:f"}, ("ollama:f", "ollama:f", "ollama:f", "ollama:f")),
        ({"model": "ollama:a", "model_check": "ollama:c"}, ("ollama:a", "ollama:a", "ollama:a", "ollama:c")),
        (
            {"model_fast": "ollama:f", "model_strong": "anthropic:s", "prefer_local": True, "model_api_key": "k"},
            ("ollama:f", "ollama:f", "anthropic:s", "ollama:f"),
        ),
        (
            {"model": "anthropic:a", "model_strong": "ollama:s", "prefer_local": True, "model_api_key": "k"},
            ("ollama:s", "ollama:s", "ollama:s", "ollama:s"),
        ),
        (
            {"model": "ollama:a", "model_check": "anthropic:c", "prefer_local": True, "model_api_key": "k"},
            ("ollama:a", "ollama:a", "ollama:a", "ollama:a"),
        ),
    ],
)
def test_each_tier_has_its_model(settings: dict[str, Any], expected: tuple[str, ...]) -> None:
    made = models_from(Settings(**settings))

    assert tuple(made.for_tier(tier).name for tier in get_args(Tier)) == expected


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, "No model is named"),
        ({"model": "llama3.1"}, "'llama3.1' names no model: write it as provider:model, such as ollama:llama3.1."),
        ({"model": "ollama:"}, "'ollama:' names no model: write it as provider:model, such as ollama:llama3.1."),
        ({"model": "olama:llama3.1"}, "Unknown provider 'olama'. Did you mean 'ollama'?"),
        ({"model": "google:gemini"}, "Unknown provider 'google'. Did you mean 'google_genai'?"),
        ({"model": "openai:gpt-4o"}, "set OPENAI_API_KEY, or model_api_key"),
        ({"model": "anthropic:claude"}, "set ANTHROPIC_API_KEY, or model_api_key"),
        ({"model": "google_genai:gemini"}, "set GOOGLE_API_KEY, or model_api_key"),
        ({"model": LOCAL, "base_url": "http://localhost:99999/v1"}, "base_url is wrong: there is no port 99999"),
        ({"model": LOCAL, "base_url": "localhost:8080"}, "base_url is wrong: it must begin with http"),
        ({"model": LOCAL, "base_url": "http://me:hunter2@localhost"}, "base_url holds a password"),
        ({"model": LOCAL, "base_url": "http://localhost", "model_api_key": "a\nb"}, "characters that no key has"),
        ({"model": "openai:a", "model_fast": "anthropic:b", "model_api_key": "k"}, "several providers"),
        ({"model": "openai:a", "model_api_key": "k", "no_web": True}, "nothing may leave this machine"),
        ({"model": "ollama:big-cloud", "no_web": True}, "nothing may leave this machine"),
        ({"model": LOCAL, "fallback_model": "openai:a", "model_api_key": "k", "no_web": True}, "nothing may leave"),
        ({"model": "openai:a", "model_api_key": "k", "prefer_local": True}, "no model is on this machine: openai:a"),
    ],
)
def test_what_cannot_be_used_says_what_to_do(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigurationError, match=told.replace(".", r"\.").replace("?", r"\?")) as raised:
        models_from(Settings(**settings))
    assert "\n" not in str(raised.value)
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize(
    ("settings", "host", "is_local"),
    [
        ({"model": LOCAL}, "127.0.0.1:11434", True),
        ({"model": "openai:a", "base_url": "http://localhost:8080/v1/"}, "localhost:8080", True),
        ({"model": "openai:a", "base_url": "https://box.example/v1"}, "box.example", False),
        ({"model": "openai:a", "model_api_key": "k"}, "api.openai.com", False),
        ({"model": "anthropic:a", "base_url": "http://[::1]:8000"}, "[::1]:8000", True),
    ],
)
def test_a_model_says_where_it_is(settings: dict[str, Any], host: str, is_local: bool) -> None:
    model = models_from(Settings(**settings)).for_tier("fast")

    assert (model.host, model.is_local) == (host, is_local)


def test_the_address_of_a_server_of_ones_own_is_not_that_of_a_hosted_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    made = models_from(
        Settings(
            model_fast=LOCAL, model_strong="anthropic:claude", base_url="http://box.example:1", model_api_key="own-key"
        )
    )

    assert made.for_tier("fast").address == "http://box.example:1"
    assert made.for_tier("strong").address == "https://api.anthropic.com"
    key = made.for_tier("strong").provider.place.key
    assert key is not None and key.get_secret_value() == SECRET


def test_the_models_are_described_in_a_line() -> None:
    assert models_from(Settings(model=LOCAL)).described == LOCAL
    assert (
        models_from(Settings(model_fast="ollama:f", model_strong=LOCAL, fallback_model="ollama:b")).described
        == f"fast=ollama:f balanced={LOCAL} strong={LOCAL} check={LOCAL} fallback=ollama:b"
    )


async def test_ollama_holds_the_window_that_the_prompts_are_made_for(server: WireServer) -> None:
    server.says(FIVE)
    made = models(server.url, "ollama")

    window = await made.for_tier("fast").window()
    await asked(made)

    assert server.asked[0].body["options"]["num_ctx"] == window == 16_384


@pytest.mark.parametrize(
    ("settings", "window"),
    [
        ({}, 16_000),
        ({"model_window": 4_096}, 4_096),
        ({"model": "google_genai:tiny"}, 30_000),
        ({"model": "anthropic:tiny"}, 8_192),
    ],
)
async def test_the_window_is_what_is_set_or_what_the_server_says(
    settings: dict[str, Any], window: int, server: WireServer
) -> None:
    provider = str(settings.get("model", "openai")).partition(":")[0]

    assert await models(address(provider, server), **settings).for_tier("fast").window() == window


def test_a_hosted_model_is_known_without_asking() -> None:
    model = models_from(Settings(model="openai:gpt-4o-mini", model_api_key="k")).for_tier("fast")

    usage = model.usage("fast", sent=1_000_000, received=1_000_000)
    assert (usage.cost_usd, usage.priced, model.max_output) == (0.75, True, 16_384)


def test_an_unknown_price_is_the_dearest_and_the_users_own_counts_first() -> None:
    settings: dict[str, Any] = {"model": "openai:new", "model_api_key": "k"}
    unknown = models_from(Settings(**settings)).for_tier("fast").usage("fast", sent=1_000_000, received=0)
    own = Settings(**settings, prices={"openai:new": {"input": 0.1, "output": 0.2}})
    known = models_from(own).for_tier("fast").usage("fast", sent=1_000_000, received=1_000_000)

    assert (unknown.priced, unknown.cost_usd) == (False, 30)
    assert (known.priced, round(known.cost_usd, 6)) == (True, 0.3)


def test_openai_itself_is_asked_in_its_own_words() -> None:
    def sent(model: str, place: ServerAddress, method: Method) -> dict[str, Any]:
        return OpenAI(model, place).request([], Options(method, schema_of(Total), 900, 128_000))[1]

    public = ServerAddress(OpenAI.public, public=True)
    plain, thinking = (sent(model, public, "json_schema") for model in ("gpt-4o", "gpt-5-mini"))
    own = sent("gpt-4o", ServerAddress("http://localhost:1"), "text")

    assert (plain["max_completion_tokens"], plain["temperature"], plain["seed"]) == (900, 0.1, 7)
    assert plain["response_format"]["json_schema"]["strict"] is True
    assert "temperature" not in thinking and thinking["reasoning_effort"] == "low"
    assert (own["max_tokens"], own["temperature"], own["seed"]) == (900, 0.1, 7)
    assert "max_completion_tokens" not in own


def test_certificates_are_checked_wherever_there_are_any() -> None:
    for address, checked in (("https://models.example", ssl.CERT_REQUIRED), ("http://models.example", ssl.CERT_NONE)):
        client = httpx.AsyncClient(**ServerAddress(address).http)
        assert client._transport._pool._ssl_context.verify_mode == checked  # type: ignore[attr-defined]
        assert not client.follow_redirects  # by which a plain address could lead to another
