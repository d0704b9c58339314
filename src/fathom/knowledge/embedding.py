"""Embedders behind a server: Ollama, and whatever speaks OpenAI's embeddings."""

from __future__ import annotations

import asyncio
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypedDict

import httpx
from pydantic import BaseModel, ConfigDict, FiniteFloat, SecretStr, ValidationError

from fathom.errors import ConfigurationError, FathomError, MalformedReply, ProviderError, RateLimited, Unavailable
from fathom.services.addresses import checked_address
from fathom.services.failures import retry_after
from fathom.settings import Settings
from fathom.text.harmless import inert

BATCH = 64
"""Texts of one request, at most."""
LONGEST = 6_000
"""Characters of one text that are sent: models take about 8,000 tokens and refuse more."""
_CONNECT_SECONDS = 10.0
_ANSWER_SECONDS = 120.0  # a local server may have to load the model first
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class _Reply(BaseModel):
    model_config = ConfigDict(strict=True, hide_input_in_errors=True)  # an answer may quote the key


class _OllamaReply(_Reply):
    embeddings: list[list[FiniteFloat]]


class _OpenAIVector(_Reply):
    index: int
    embedding: list[FiniteFloat]


class _OpenAIReply(_Reply):
    data: list[_OpenAIVector]


class _Reason(_Reply):
    message: str


class _Failure(_Reply):
    error: str | _Reason


class HttpEmbedder(ABC):
    """One `POST` per batch of texts; what differs between servers is below."""

    provider: str
    """What stands before the colon in the settings."""
    default_url: str
    """Address of the server when none is configured."""
    path: str
    """What is asked, behind the address."""
    missing: str
    """What to do when the server does not know the model."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: SecretStr | None = None,
        multilingual: bool = False,
        timeout: float = _ANSWER_SECONDS,
    ) -> None:
        """`timeout` is in seconds, for one batch.

        Raises:
            ConfigurationError: the address or the key cannot be used.
        """
        self.name = f"{self.provider}:{model}"
        self.multilingual = multilingual
        self.dimensions = 0
        self._model = model
        self._url = checked_address(
            base_url or self.default_url, setting="Setting 'embedder_base_url'", key_setting="embedder_api_key"
        )
        self._key = _checked(api_key)
        self._timeout = timeout
        self._client: httpx.AsyncClient | None = None
        self._who = f"The embedder '{inert(self.name, width=100)}' at {self._url}"

    @property
    def address(self) -> str:
        """Of its server."""
        return self._url

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector of length 1 per text, in order. Of a very long text its beginning counts.

        Raises:
            ConfigurationError: the server refuses the key, or does not know the model.
            RateLimited: it asks us to wait.
            Unavailable: it cannot be reached, fails, or gives no answer in time.
            MalformedReply: the answer does not hold one vector per text, all of the same length.
            ProviderError: it refuses the texts.
        """
        vectors: list[list[float]] = []
        for at in range(0, len(texts), BATCH):
            vectors += await self._batch([sendable(text) for text in texts[at : at + BATCH]])
        return vectors

    async def close(self) -> None:
        """Let go of the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    @abstractmethod
    def _vectors(self, reply: bytes) -> list[list[float]]:
        """What the server answered, in the order of the texts.

        Raises:
            ValueError: the answer has not the promised shape.
        """

    async def _batch(self, texts: list[str]) -> list[list[float]]:
        reply = await self._post({"model": self._model, "input": texts})
        try:
            vectors = self._vectors(reply)
            if len(vectors) != len(texts):
                raise ValueError(f"{len(vectors)} vectors for {len(texts)} texts")
            length = self.dimensions or len(vectors[0])
            if other := next((vector for vector in vectors if len(vector) != length), None):
                raise ValueError(f"vectors of {len(other)} and of {length} numbers")
            units = [unit(vector) for vector in vectors]
        except ValueError as error:
            raise MalformedReply(f"{self._who} gave an answer that cannot be used: {_told(error)}.") from error
        self.dimensions = length
        return units

    async def _post(self, body: dict[str, object]) -> bytes:
        try:
            async with asyncio.timeout(self._timeout):  # httpx limits the wait for each piece, not for the whole
                reply = await self._opened().post(f"{self._url}{self.path}", json=body)
        except (TimeoutError, httpx.TimeoutException) as error:
            raise Unavailable(f"{self._who} gave no answer within {self._timeout:g} seconds. Try again.") from error
        except httpx.HTTPError as error:
            why = inert(str(error), width=100) or type(error).__name__
            raise Unavailable(
                f"{self._who} cannot be reached: {why}. Start the server, or set embedder_base_url."
            ) from error
        if not reply.is_success:
            raise self._refused(reply)
        return reply.content

    def _opened(self) -> httpx.AsyncClient:
        if self._client is None:
            headers = {"Authorization": f"Bearer {self._key.get_secret_value()}"} if self._key else {}
            self._client = httpx.AsyncClient(
                headers=headers,
                timeout=httpx.Timeout(self._timeout, connect=min(self._timeout, _CONNECT_SECONDS)),
                trust_env=httpx.URL(self._url).host not in _LOOPBACK,  # a proxy knows nothing of this machine
            )
        return self._client

    def _refused(self, reply: httpx.Response) -> FathomError:
        """The error that a status stands for."""
        status = reply.status_code
        if status in (401, 403):  # what the server says of a key may quote it
            cure = "set embedder_api_key to a valid one" if self._key else "set embedder_api_key"
            return ConfigurationError(f"{self._who} refuses access ({status}): {cure}.")
        said = f"{status}: {self._reason(reply)}"
        if status == 404:
            return ConfigurationError(f"{self._who} has no such model ({said}). {self.missing.format(self._model)}")
        if status == 429:
            wait = retry_after(reply.headers.get("retry-after"))
            when = "later" if wait is None else f"in {wait:g} seconds"
            return RateLimited(f"{self._who} asks us to wait ({said}). Try again {when}.", retry_after=wait)
        if status == 408 or status >= 500:
            return Unavailable(f"{self._who} failed ({said}). Try again, or look into the server's log.")
        return ProviderError(f"{self._who} refuses the texts ({said}). Check the model and embedder_base_url.")

    def _reason(self, reply: httpx.Response) -> str:
        """What the server says is wrong, in a line, without the key."""
        try:
            error = _Failure.model_validate_json(reply.content).error
        except ValidationError:
            return reply.reason_phrase or "no reason given"
        text = error if isinstance(error, str) else error.message
        if self._key:
            text = text.replace(self._key.get_secret_value(), "…")
        return inert(text, width=200).rstrip(".")


class OllamaEmbedder(HttpEmbedder):
    """Models that run on this machine, or on another one of yours (`POST /api/embed`)."""

    provider = "ollama"
    default_url = "http://127.0.0.1:11434"
    path = "/api/embed"
    missing = "Run `ollama pull {}`, or check embedder_base_url."

    def _vectors(self, reply: bytes) -> list[list[float]]:
        return _OllamaReply.model_validate_json(reply).embeddings


class OpenAIEmbedder(HttpEmbedder):
    """OpenAI, and the many servers that speak its format (`POST …/v1/embeddings`)."""

    provider = "openai"
    default_url = "https://api.openai.com/v1"
    path = "/embeddings"
    missing = "Set embedder to a model that it has, not '{}', or check embedder_base_url, which often ends in /v1."

    def _vectors(self, reply: bytes) -> list[list[float]]:
        data = sorted(_OpenAIReply.model_validate_json(reply).data, key=lambda vector: vector.index)
        if [vector.index for vector in data] != list(range(len(data))):
            raise ValueError("the indexes of the vectors are not 0, 1, 2, …")
        return [vector.embedding for vector in data]


def ollama(settings: Settings) -> OllamaEmbedder:
    """The embedder that `ollama:MODEL` names."""
    return OllamaEmbedder(model_of(settings), **_options(settings))


def openai(settings: Settings) -> OpenAIEmbedder:
    """The embedder that `openai:MODEL` names.

    Raises:
        ConfigurationError: OpenAI itself is asked, and there is no key.
    """
    if settings.embedder_base_url is None and settings.embedder_api_key is None:
        raise ConfigurationError(
            "The embedder 'openai' needs a key: set embedder_api_key (FATHOM_EMBEDDER_API_KEY), "
            "or embedder_base_url for a server of your own."
        )
    return OpenAIEmbedder(model_of(settings), **_options(settings))


class _Options(TypedDict):
    base_url: str | None
    api_key: SecretStr | None
    multilingual: bool


def _options(settings: Settings) -> _Options:
    return {
        "base_url": settings.embedder_base_url,
        "api_key": settings.embedder_api_key,
        "multilingual": settings.embedder_multilingual,
    }


def model_of(settings: Settings) -> str:
    """What stands behind the provider in the name of an embedder.

    Raises:
        ConfigurationError: nothing does.
    """
    provider, _, model = (settings.embedder or "").partition(":")
    if not model.strip():
        raise ConfigurationError(f"Setting 'embedder' names no model: write it like '{provider}:nomic-embed-text'.")
    return model.strip()


def _checked(key: SecretStr | None) -> SecretStr | None:
    """The key without blanks around it; the message about a bad one does not quote it."""
    text = key.get_secret_value().strip() if key else ""
    if not (text.isascii() and text.isprintable()):
        raise ConfigurationError("Setting 'embedder_api_key' is wrong: it holds characters that no key has.")
    return SecretStr(text) if text else None


def sendable(text: str) -> str:
    """What is sent of a text: servers refuse an empty one, and JSON a lone surrogate."""
    return text[:LONGEST].encode("utf-8", "replace").decode("utf-8") or " "


def unit(values: Sequence[float]) -> list[float]:
    """The vector of length 1 in the same direction.

    Raises:
        ValueError: it has no direction.
    """
    norm = math.hypot(*values)
    if not 0 < norm < math.inf:
        raise ValueError(f"a vector of length {norm:g}")
    return [value / norm for value in values]


def _told(error: ValueError) -> str:
    """What is wrong, without the numbers that came."""
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(map(str, first["loc"]))
    return inert(f"{where}: {first['msg']}" if where else first["msg"], width=200)
