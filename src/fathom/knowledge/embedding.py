"""Embedders behind a server: Ollama, and whatever speaks OpenAI's embeddings."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TypedDict

from pydantic import FiniteFloat, SecretStr

from fathom.errors import ConfigurationError
from fathom.services.addresses import checked_address, checked_key
from fathom.services.failures import Who
from fathom.services.http import Reply, Service
from fathom.services.pace import Pace
from fathom.settings import Settings
from fathom.text.harmless import inert

BATCH = 64
"""Texts of one request, at most."""
LONGEST = 6_000
"""Characters of one text that are sent: models take about 8,000 tokens and refuse more."""
LARGEST = 50_000_000
"""Bytes of one answer."""
_ANSWER_SECONDS = 120.0  # a local server may have to load the model first


class _OllamaReply(Reply):
    embeddings: list[list[FiniteFloat]]


class _OpenAIVector(Reply):
    index: int
    embedding: list[FiniteFloat]


class _OpenAIReply(Reply):
    data: list[_OpenAIVector]


class HttpEmbedder(ABC):
    """One `POST` per batch of texts; what differs between servers is below."""

    provider: str
    """What stands before the colon in the settings."""
    default_url: str
    """Address of the server when none is configured."""
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
        first_wait: float = 0.5,
    ) -> None:
        """`timeout` and `first_wait` are in seconds (see `Service`), the former for one batch.

        Raises:
            ConfigurationError: the address or the key cannot be used.
        """
        self.name = f"{self.provider}:{model}"
        self.multilingual = multilingual
        self.dimensions = 0
        self._model = model
        self.address = checked_address(
            base_url or self.default_url, setting="Setting 'embedder_base_url'", key_setting="embedder_api_key"
        )
        """Of its server."""
        key = checked_key(api_key, setting="Setting 'embedder_api_key'")
        who = Who(
            f"The embedder '{inert(self.name, width=100)}'",
            self.address,
            address_setting="embedder_base_url",
            key_setting="embedder_api_key",
            advice={404: self.missing.format(model), 429: "try again later"},
            wrong=frozenset({401, 403, 404}),
        )
        self._service = Service(
            who,
            address=self.address,
            pace=Pace(math.inf),
            key=key,
            headers={"Authorization": f"Bearer {key.get_secret_value()}"} if key else {},
            timeout=timeout,
            first_wait=first_wait,
            largest=LARGEST,
        )

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
        await self._service.close()

    @abstractmethod
    async def _vectors(self, body: Mapping[str, object]) -> list[list[float]]:
        """What the server answers, in the order of the texts.

        Raises:
            ValueError: the vectors cannot be told apart.
        """

    async def _batch(self, texts: list[str]) -> list[list[float]]:
        try:
            vectors = await self._vectors({"model": self._model, "input": texts})
            if len(vectors) != len(texts):
                raise ValueError(f"{len(vectors)} vectors for {len(texts)} texts")
            length = self.dimensions or len(vectors[0])
            if other := next((vector for vector in vectors if len(vector) != length), None):
                raise ValueError(f"vectors of {len(other)} and of {length} numbers")
            units = [unit(vector) for vector in vectors]
        except ValueError as error:
            raise self._service.malformed(str(error)) from error
        self.dimensions = length
        return units


class OllamaEmbedder(HttpEmbedder):
    """Models that run on this machine, or on another one of yours (`POST /api/embed`)."""

    provider = "ollama"
    default_url = "http://127.0.0.1:11434"
    missing = "run `ollama pull {}`, or check embedder_base_url"

    async def _vectors(self, body: Mapping[str, object]) -> list[list[float]]:
        return (await self._service.post("/api/embed", _OllamaReply, json=body)).embeddings


class OpenAIEmbedder(HttpEmbedder):
    """OpenAI, and the many servers that speak its format (`POST …/v1/embeddings`)."""

    provider = "openai"
    default_url = "https://api.openai.com/v1"
    missing = "set embedder to a model that it has, not '{}', or check embedder_base_url, which often ends in /v1"

    async def _vectors(self, body: Mapping[str, object]) -> list[list[float]]:
        reply = await self._service.post("/embeddings", _OpenAIReply, json=body)
        data = sorted(reply.data, key=lambda vector: vector.index)
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
