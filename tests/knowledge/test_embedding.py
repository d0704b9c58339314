"""The embedders over the wire: two formats, every way to fail, and no key in sight."""

from __future__ import annotations

import json
import logging
import math
import traceback
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from pydantic import SecretStr

from fathom.errors import (
    ConfigurationError,
    FathomError,
    MalformedReply,
    ProviderError,
    ProviderFault,
    RateLimited,
    TimedOut,
    Unreachable,
)
from fathom.knowledge.embedding import BATCH, LONGEST, HttpEmbedder, OllamaEmbedder, OpenAIEmbedder
from fathom.ports import Embedder
from fathom.settings import Settings, load_settings
from fathom.wiring import open_embedder
from tests.contracts import EmbedderContract
from tests.support.doubles.embedder import SimulatedEmbedder
from tests.support.embedding_server import DIMENSIONS, MODEL, Answer, EmbeddingServer, embedding_server

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as running:
        yield running


@pytest.fixture(params=[OllamaEmbedder, OpenAIEmbedder])
def kind(request: pytest.FixtureRequest) -> type[HttpEmbedder]:
    made: type[HttpEmbedder] = request.param
    return made


@pytest.fixture
async def embedder(server: EmbeddingServer, kind: type[HttpEmbedder]) -> AsyncIterator[HttpEmbedder]:
    made = connected(kind, server)
    yield made
    await made.close()


def connected(kind: type[HttpEmbedder], server: EmbeddingServer, *, model: str = MODEL, **options: Any) -> HttpEmbedder:
    url = server.url if kind is OllamaEmbedder else f"{server.url}/v1/"
    return kind(model, base_url=url, **{"api_key": SecretStr(KEY), "first_wait": 0.001, **options})


class TestHttpEmbedders(EmbedderContract):
    @pytest.fixture
    def embedder(self, server: EmbeddingServer, kind: type[HttpEmbedder]) -> Embedder:
        return connected(kind, server)

    @pytest.fixture
    def unreachable(self, kind: type[HttpEmbedder]) -> Embedder:
        return kind(MODEL, base_url="http://127.0.0.1:9", first_wait=0.001)


class TestSimulatedEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return SimulatedEmbedder()

    @pytest.fixture
    def unreachable(self) -> Embedder:
        return SimulatedEmbedder(failing=True)


# ── What is sent, and what is learned ──────────────────────────────────────────────────────────────────────────────


async def test_texts_are_sent_in_batches_with_the_model_and_the_key(
    server: EmbeddingServer, embedder: HttpEmbedder
) -> None:
    await embedder.embed([f"text {n}" for n in range(2 * BATCH + 1)])

    assert [len(asked.body["input"]) for asked in server.asked] == [BATCH, BATCH, 1]
    assert {asked.body["model"] for asked in server.asked} == {MODEL}
    assert {asked.key for asked in server.asked} == {f"Bearer {KEY}"}


async def test_nothing_is_sent_before_there_is_a_text(server: EmbeddingServer, embedder: HttpEmbedder) -> None:
    assert await embedder.embed([]) == []
    assert server.asked == []


async def test_without_a_key_none_is_sent(server: EmbeddingServer, kind: type[HttpEmbedder]) -> None:
    await connected(kind, server, api_key=None).embed(["sea"])
    assert [asked.key for asked in server.asked] == [None]


async def test_a_text_is_cut_to_what_models_take_and_is_never_empty(
    server: EmbeddingServer, embedder: HttpEmbedder
) -> None:
    await embedder.embed(["", "深" * 2 * LONGEST, "a\ud800b"])
    assert server.asked[0].body["input"] == [" ", "深" * LONGEST, "a?b"]


async def test_the_number_of_dimensions_is_learned_from_the_first_answer(
    server: EmbeddingServer, embedder: HttpEmbedder
) -> None:
    assert embedder.dimensions == 0
    await embedder.embed(["sea"])
    assert embedder.dimensions == DIMENSIONS

    server.answer = vectors(embedder, [[1.0, 0.0]])
    with pytest.raises(MalformedReply, match=f"vectors of 2 and of {DIMENSIONS} numbers"):
        await embedder.embed(["tide"])


async def test_a_proxy_is_not_asked_for_this_machine(
    server: EmbeddingServer, embedder: HttpEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    assert len(await embedder.embed(["sea"])) == 1
    assert len(server.asked) == 1


# ── Failures ───────────────────────────────────────────────────────────────────────────────────────────────────────


def vectors(embedder: HttpEmbedder, values: list[Any]) -> Answer:
    """These vectors, in the format of the embedder."""
    if isinstance(embedder, OllamaEmbedder):
        return Answer(200, json.dumps({"embeddings": values}))
    return Answer(200, json.dumps({"data": [{"index": at, "embedding": value} for at, value in enumerate(values)]}))


@pytest.mark.parametrize(
    ("answer", "error", "said"),
    [
        (Answer(401, json.dumps({"error": {"message": f"bad key {KEY}"}})), ConfigurationError, "set embedder_api_key"),
        (Answer(403, KEY), ConfigurationError, "set embedder_api_key"),
        (Answer(429, "", {"Retry-After": "17"}), RateLimited, "try again later"),
        (Answer(500, json.dumps({"error": f"out of memory with {KEY}"})), ProviderFault, "500 out of memory with ***"),
        (Answer(503, "<html>busy</html>"), ProviderFault, "503"),
        (Answer(408), TimedOut, "408"),
        (Answer(400, '{"error": "this model does not\\nsupport embeddings"}'), ProviderError, "not support embeddings"),
        (Answer(413, '{"error": {"message": 7}}'), ProviderError, "413"),
        (Answer(302, "", {"Location": "https://elsewhere.example"}), ProviderError, "302"),
        (Answer(204), MalformedReply, "cannot be read"),
        (Answer(200, "<html>a page</html>"), MalformedReply, "cannot be read"),
        (Answer(200, "null"), MalformedReply, "cannot be read"),
        (Answer(200, "[" * 100_000), MalformedReply, "cannot be read"),
        (Answer(200, '{"error": "all is well"}'), MalformedReply, "Field required"),
        (Answer(200, "\x80\ufffe"), MalformedReply, "cannot be read"),
    ],
    ids=lambda value: f"{value.status}" if isinstance(value, Answer) else None,
)
async def test_a_failure_is_an_error_that_says_what_to_do(
    server: EmbeddingServer, embedder: HttpEmbedder, answer: Answer, error: type[FathomError], said: str
) -> None:
    server.answer = answer
    with pytest.raises(error) as raised:
        await embedder.embed(["sea"])

    message = str(raised.value)
    assert type(raised.value) is error
    assert said in message
    assert embedder.name in message
    assert "\n" not in message
    assert KEY not in message


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([], "0 vectors for 1 texts"),
        ([[1.0], [2.0]], "2 vectors for 1 texts"),
        ([[]], "a vector of length 0"),
        ([[0.0, 0.0]], "a vector of length 0"),
        ([[1.0, math.nan]], "finite number"),
        ([[math.inf, 1.0]], "finite number"),
        ([["1.0"]], "valid number"),
        ([[None]], "valid number"),
        (["AACAPw=="], "valid array"),
        ([1.0], "valid array"),
    ],
)
async def test_what_is_no_vector_is_refused(
    server: EmbeddingServer, embedder: HttpEmbedder, values: list[Any], said: str
) -> None:
    server.answer = vectors(embedder, values)
    with pytest.raises(MalformedReply, match=said):
        await embedder.embed(["sea"])


async def test_huge_and_tiny_numbers_still_make_a_vector(server: EmbeddingServer, embedder: HttpEmbedder) -> None:
    server.answer = vectors(embedder, [[3e200, 4e200], [3e-300, 4e-300]])
    assert await embedder.embed(["sea", "tide"]) == [pytest.approx([0.6, 0.8])] * 2


@pytest.mark.parametrize("indexes", [[0, 0], [1, 2], [-1, 0]])
async def test_vectors_of_openai_that_cannot_be_told_apart_are_refused(
    server: EmbeddingServer, indexes: list[int]
) -> None:
    server.answer = Answer(200, json.dumps({"data": [{"index": index, "embedding": [1.0]} for index in indexes]}))
    with pytest.raises(MalformedReply, match="indexes"):
        await connected(OpenAIEmbedder, server).embed(["sea", "tide"])


async def test_a_model_that_is_not_there_is_named_with_the_cure(server: EmbeddingServer) -> None:
    with pytest.raises(ConfigurationError, match=r"model 'other' not found.* run `ollama pull other`"):
        await connected(OllamaEmbedder, server, model="other").embed(["sea"])
    with pytest.raises(ConfigurationError, match=r"model 'other' not found.* set embedder to a model that it has"):
        await connected(OpenAIEmbedder, server, model="other").embed(["sea"])


async def test_an_address_where_nothing_is_served_is_named(server: EmbeddingServer) -> None:
    with pytest.raises(ConfigurationError, match="check embedder_base_url, which often ends in /v1"):
        await OpenAIEmbedder(MODEL, base_url=server.url).embed(["sea"])


async def test_a_server_that_is_not_there_is_named_with_the_cure(kind: type[HttpEmbedder]) -> None:
    with pytest.raises(Unreachable, match=r"http://127\.0\.0\.1:9.* check the network and embedder_base_url"):
        await kind(MODEL, base_url="http://127.0.0.1:9", first_wait=0.001).embed(["sea"])


async def test_a_server_that_says_nothing_is_not_waited_for_without_end(
    server: EmbeddingServer, kind: type[HttpEmbedder]
) -> None:
    server.silent.set()
    with pytest.raises(TimedOut, match=r"no answer within 0\.1 seconds"):
        await connected(kind, server, timeout=0.1).embed(["sea"])


async def test_a_server_that_hangs_up_is_unavailable(server: EmbeddingServer, embedder: HttpEmbedder) -> None:
    server.silent.set()
    server.freed.set()
    with pytest.raises(Unreachable, match="cannot be reached"):
        await embedder.embed(["sea"])


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("30", 30.0), (" 0 ", 0.0), ("-5", 0.0), ("soon", None), ("", None), ("9" * 400, 86_400.0), (None, None)],
)
async def test_how_long_to_wait_is_handed_on(
    server: EmbeddingServer, embedder: HttpEmbedder, header: str | None, seconds: float | None
) -> None:
    server.answer = Answer(429, "", {} if header is None else {"Retry-After": header})
    with pytest.raises(RateLimited) as raised:
        await embedder.embed(["sea"])
    assert raised.value.retry_after == seconds


async def test_a_date_to_wait_for_becomes_seconds(server: EmbeddingServer, embedder: HttpEmbedder) -> None:
    moment = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    server.answer = Answer(429, "", {"Retry-After": moment})
    with pytest.raises(RateLimited) as raised:
        await embedder.embed(["sea"])
    assert raised.value.retry_after == pytest.approx(3600, abs=60)


# ── Settings, and the key ──────────────────────────────────────────────────────────────────────────────────────────


async def test_settings_lead_to_an_embedder(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FATHOM_EMBEDDER", f"openai:{MODEL}")
    monkeypatch.setenv("FATHOM_EMBEDDER_BASE_URL", f"{server.url}/v1")
    monkeypatch.setenv("FATHOM_EMBEDDER_API_KEY", f" {KEY}\n")
    monkeypatch.setenv("FATHOM_EMBEDDER_MULTILINGUAL", "true")

    embedder = open_embedder(load_settings())

    assert embedder is not None
    assert (embedder.name, embedder.multilingual) == (f"openai:{MODEL}", True)
    assert len(await embedder.embed(["sea"])) == 1
    assert server.asked[0].key == f"Bearer {KEY}"
    await embedder.close()


def test_a_model_may_have_a_colon_and_none_is_configured_by_default() -> None:
    embedder = open_embedder(Settings(embedder="ollama:nomic-embed-text:v1.5"))

    assert embedder is not None
    assert (embedder.name, embedder.multilingual) == ("ollama:nomic-embed-text:v1.5", False)
    assert open_embedder(Settings()) is None


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"embedder": "olama:nomic"}, r"Unknown embedder 'olama'\. Did you mean 'ollama'\?"),
        ({"embedder": "ollama"}, "names no model: write it like 'ollama:nomic-embed-text'"),
        ({"embedder": "openai: ", "embedder_api_key": KEY}, "names no model"),
        ({"embedder": "openai:text-embedding-3-small"}, "needs a key: set embedder_api_key"),
        ({"embedder": "ollama:a", "embedder_base_url": "localhost:11434"}, "begin with http://"),
        ({"embedder": "ollama:a", "embedder_base_url": "http://[::1"}, "embedder_base_url' is wrong"),
        ({"embedder": "ollama:a", "embedder_base_url": f"http://me:{KEY}@localhost"}, "holds a password"),
        ({"embedder": "ollama:a", "embedder_api_key": f"{KEY}\nX: y"}, "characters that no key has"),
        ({"embedder": "ollama:a", "embedder_api_key": f"{KEY}é"}, "characters that no key has"),
    ],
)
def test_a_setting_that_cannot_work_is_named_before_anything_is_sent(wrong: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said) as raised:
        open_embedder(Settings.model_validate(wrong))
    assert KEY not in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize("answer", [None, Answer(401, KEY), Answer(500, json.dumps({"error": KEY})), Answer(200, KEY)])
async def test_the_key_is_in_no_log_error_or_representation(
    server: EmbeddingServer, embedder: HttpEmbedder, caplog: pytest.LogCaptureFixture, answer: Answer | None
) -> None:
    caplog.set_level(logging.DEBUG)
    server.answer = answer
    seen = []
    try:
        await embedder.embed(["sea"])
    except FathomError as error:
        seen += traceback.format_exception(error)
    seen += [caplog.text, repr(embedder), repr(vars(embedder)), repr(Settings(embedder_api_key=SecretStr(KEY)))]

    assert "HTTP Request" in caplog.text
    assert KEY not in "\n".join(seen)
