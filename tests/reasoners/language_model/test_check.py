"""Looking at models before they are asked."""

from __future__ import annotations

from typing import Any

import pytest

from fathom.errors import ProviderError
from fathom.reasoners.language_model.models import ModelCheck
from fathom_testing.model_server import ModelServer
from tests.reasoners.language_model.asking import SECRET, asked, models
from tests.reasoners.language_model.wire import Fails, Says, WireServer, wire_server

PROVIDERS = ["openai", "ollama", "anthropic", "google_genai"]


async def look(server: WireServer, provider: str, **settings: Any) -> ModelCheck:
    """What a look at the one model of a run shows."""
    url = f"{server.url}/v1" if provider == "openai" else server.url
    made = models(url, provider, **settings)
    [check] = await made.check()
    await made.close()
    return check


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_model_that_is_there_is_fine_and_no_token_is_spent(provider: str, server: WireServer) -> None:
    check = await look(server, provider)

    assert (check.model, check.status, check.cure) == (f"{provider}:tiny", "ok", "")
    assert server.asked == []


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_name_that_is_not_there_gets_a_hint(provider: str, server: WireServer) -> None:
    check = await look(server, provider, model=f"{provider}:tinny")

    assert check.status == "error"
    assert "has no model 'tinny'. Did you mean 'tiny'?" in check.found
    assert check.cure.startswith("Run `ollama pull tinny`" if provider == "ollama" else "Set model to one")


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_wrong_key_is_an_error_that_names_the_setting(provider: str, server: WireServer) -> None:
    server.listing = Fails(401, {"error": {"message": f"bad key {SECRET}"}})

    check = await look(server, provider, model_api_key=SECRET)

    assert check.status == "error"
    assert "refuses access (401)" in check.found and SECRET not in str(check)
    assert check.cure == "Set model_api_key to a valid key."


@pytest.mark.parametrize(("provider", "cure"), [("ollama", "Start it with `ollama serve`"), ("openai", "Start the")])
async def test_a_server_that_does_not_run_is_an_error(provider: str, cure: str) -> None:
    [check] = await models("http://127.0.0.1:9", provider).check()

    assert check.status == "error"
    assert "cannot be reached" in check.found and check.cure.startswith(cure)


@pytest.mark.parametrize("status", [404, 405])
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_a_server_without_a_list_is_taken_as_it_is(provider: str, status: int, server: WireServer) -> None:
    server.listing = Fails(status, "")

    assert (await look(server, provider)).status == "ok"


async def test_a_server_that_takes_every_name_is_a_warning(server: WireServer) -> None:
    server.listing = {"data": [{"id": "model.gguf", "owned_by": "llamacpp", "meta": {"n_ctx_train": 40_960}}]}
    made = models(f"{server.url}/v1")

    [check] = await made.check()

    assert check.status == "warning"
    assert await made.for_tier("fast").window() == 40_960


@pytest.mark.parametrize("listing", [{"data": "none"}, {"models": 3}, []])
@pytest.mark.parametrize("provider", ["openai", "ollama", "anthropic"])
async def test_what_is_no_server_of_models_is_an_error(provider: str, listing: Any, server: WireServer) -> None:
    server.listing = listing

    check = await look(server, provider)

    assert check.status == "error"
    assert "cannot be read" in check.found


async def test_a_probe_tells_how_structured_answers_come(server: WireServer) -> None:
    server.says(Fails(400, {"error": {"message": "response_format is not supported"}}), Says('{"total": 5}'))
    made = models(f"{server.url}/v1")

    [check] = await made.probe()
    await made.close()

    assert (check.status, check.found) == ("ok", "structured answers by tool, not by json_schema")


async def test_a_probe_of_a_model_that_only_chats_is_a_warning(server: WireServer) -> None:
    server.says(Says("Five, I think."))
    made = models(f"{server.url}/v1")

    [check] = await made.probe()
    await made.close()

    assert (check.status, check.found) == ("warning", "no structured answers")


async def test_a_probe_with_a_wrong_key_is_an_error(server: WireServer) -> None:
    server.says(Fails(401, {}))
    made = models(f"{server.url}/v1")

    [check] = await made.probe()
    await made.close()

    assert check.status == "error"


async def test_a_cure_is_what_to_do_and_not_what_the_provider_said(server: WireServer) -> None:
    server.listing = Fails(500, {"error": {"message": "a: b: c"}})

    assert (await look(server, "openai")).cure == "Try again, or look into the server's log."


async def test_a_short_name_that_no_list_holds_is_known_to_its_provider(server: WireServer) -> None:
    assert (await look(server, "anthropic", model="anthropic:tiny-latest")).status == "ok"
    assert [request.path for request in server.looked] == ["/v1/models/tiny-latest"]


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_key_does_not_follow_to_another_address(provider: str, server: WireServer) -> None:
    with wire_server() as elsewhere:
        server.says(Fails(307, {}, headers={"Location": f"{elsewhere.url}/v1/chat/completions"}))
        server.listing = Fails(307, {}, headers={"Location": f"{elsewhere.url}/v1/models"})
        url = f"{server.url}/v1" if provider == "openai" else server.url
        made = models(url, provider, model_api_key=SECRET)

        [check] = await made.check()
        with pytest.raises(ProviderError, match="not asked at this address"):
            await asked(made)

        assert check.status == "error"
        assert elsewhere.asked == elsewhere.looked == []


async def test_an_address_without_its_v1_is_told_apart_from_a_server_that_lists_nothing() -> None:
    with ModelServer(models=["tiny"]) as server:
        asking = models(server.url)
        [check] = await asking.check()
        await asking.close()

    assert check.status == "error"
    assert f"models do at {server.url}/v1: set base_url to that" in check.found
