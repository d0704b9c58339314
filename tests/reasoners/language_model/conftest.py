"""What the tests of this folder share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.reasoners.language_model.wire import WireServer, wire_server

_OF_OPERATORS = (
    "OPENAI_API_KEY OPENAI_BASE_URL OPENAI_API_BASE OPENAI_ORG_ID ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN"
    " ANTHROPIC_BASE_URL ANTHROPIC_API_URL GOOGLE_API_KEY GEMINI_API_KEY GOOGLE_GEMINI_BASE_URL OLLAMA_HOST"
    " OLLAMA_API_KEY LANGSMITH_TRACING LANGSMITH_API_KEY LANGSMITH_GATEWAY LANGCHAIN_TRACING_V2"
).split()


@pytest.fixture(autouse=True)
def _no_provider_is_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _OF_OPERATORS:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[WireServer]:
    """A server of models."""
    with wire_server() as server:
        yield server
