"""What a server tells beside its answers: its models, their windows, vectors."""

from __future__ import annotations

import base64
import math
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

from fathom.reasoners.language_model.tokens import count_tokens
from fathom_testing.model_server.http import Asked

DIMENSIONS = 32
_SINCE = "2025-01-01T00:00:00Z"


@dataclass(frozen=True)
class Listing:
    """An answer that takes no model."""

    protocol: Literal["openai", "ollama", "anthropic"]
    ask: Literal["models", "embeddings"]
    body: dict[str, Any] | None
    """`None` when no such model is there."""


def listing(asked: Asked, models: Sequence[str], window: int) -> Listing | None:
    """The answer to a request for anything but an answer; `None` for an unknown address.

    Raises:
        ValueError: the body is no JSON object.
    """
    path = asked.path.rstrip("/")
    protocol: Literal["openai", "anthropic"] = "anthropic" if "anthropic-version" in asked.headers else "openai"
    describe = _anthropic_model if protocol == "anthropic" else _openai_model
    match asked.method, path:
        case "GET", "/v1/models":
            data = [describe(model, window) for model in models]
            more = {"has_more": False, "first_id": models[0], "last_id": models[-1]} if protocol == "anthropic" else {}
            return Listing(protocol, "models", {"object": "list", "data": data, **more})
        case "GET", str(one) if one.startswith("/v1/models/"):
            name = one.removeprefix("/v1/models/")
            return Listing(protocol, "models", describe(name, window) if name in models else None)
        case "POST", "/v1/embeddings":
            return Listing("openai", "embeddings", _openai_vectors(asked.json()))
        case "GET", "/api/version":
            return Listing("ollama", "models", {"version": "0.12.0"})
        case "GET", "/api/tags" | "/api/ps":
            return Listing("ollama", "models", {"models": [_ollama_model(model) for model in models]})
        case "POST", "/api/show":
            body = asked.json()
            name = str(body.get("model") or body.get("name") or "")
            return Listing("ollama", "models", _ollama_card(window) if not name or name in models else None)
        case "POST", "/api/embed":
            body = asked.json()
            texts = _texts(body.get("input"))
            told = {"model": body.get("model", ""), "prompt_eval_count": sum(map(count_tokens, texts))}
            return Listing("ollama", "embeddings", {**told, "embeddings": [vector(text) for text in texts]})
        case _:
            return None


def vector(text: str) -> list[float]:
    """A vector of length 1 that lies near those of texts with the same words.

    >>> len(vector("a b")), vector("a b") == vector("B a")
    (32, True)
    """
    sums = [0.0] * DIMENSIONS
    for word in re.findall(r"\w+", text.lower()) or [""]:
        digest = sha256(word.encode()).digest()
        sums[digest[0] % DIMENSIONS] += 1 if digest[1] % 2 else -1
    length = math.sqrt(sum(each * each for each in sums))
    return [each / length for each in sums] if length else [1.0, *sums[1:]]


def _texts(given: Any) -> list[str]:
    return [str(text) for text in given] if isinstance(given, list) else [str(given or "")]


def _openai_vectors(body: dict[str, Any]) -> dict[str, Any]:
    texts = _texts(body.get("input"))
    packed = body.get("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": index, "embedding": _packed(vector(text)) if packed else vector(text)}
        for index, text in enumerate(texts)
    ]
    tokens = sum(map(count_tokens, texts))
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": body.get("model", ""), "usage": usage}


def _packed(values: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(values)}f", *values)).decode()


def _openai_model(name: str, window: int) -> dict[str, Any]:
    # vLLM tells the window by one of these names, OpenRouter by the other
    return {"id": name, "object": "model", "created": 0, "owned_by": "fathom", "max_model_len": window} | {
        "context_length": window
    }


def _anthropic_model(name: str, window: int) -> dict[str, Any]:
    return {"type": "model", "id": name, "display_name": name, "created_at": _SINCE, "max_input_tokens": window}


def _ollama_model(name: str) -> dict[str, Any]:
    details = {"format": "gguf", "family": "llama", "parameter_size": "8B", "quantization_level": "Q4_K_M"}
    known = {"name": name, "model": name, "modified_at": _SINCE, "size": 1, "details": details}
    return known | {"digest": sha256(name.encode()).hexdigest()}


def _ollama_card(window: int) -> dict[str, Any]:
    return {
        "modelfile": "",
        "parameters": "",
        "template": "",
        "details": {"format": "gguf", "family": "llama", "parameter_size": "8B", "quantization_level": "Q4_K_M"},
        "model_info": {"general.architecture": "llama", "llama.context_length": window},
        "capabilities": ["completion", "tools"],
    }
