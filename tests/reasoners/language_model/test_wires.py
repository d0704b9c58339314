"""What each wire can say beyond what the servers of the tests do, and what is made of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fathom.reasoners.language_model.completion import Piece
from fathom.reasoners.language_model.providers import ServerAddress, Trouble, known_providers


def read(provider: str, said: Any) -> Piece:
    """What a message of a provider's server brings."""
    return known_providers.get(provider)("tiny", ServerAddress("http://localhost:1")).read(json.dumps(said).encode())


@pytest.mark.parametrize(
    ("provider", "said", "text"),
    [
        ("openai", {"choices": [{"delta": {"reasoning_content": "Hm.", "content": None}}]}, ""),
        ("openai", {"choices": [{"message": {"content": [{"type": "thinking"}, {"type": "text", "text": "5"}]}}]}, "5"),
        ("openai", {"choices": [], "usage": None}, ""),
        ("anthropic", {"type": "message", "content": [{"type": "thinking", "thinking": "Hm."}, {"text": "5"}]}, "5"),
        ("anthropic", {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "Hm."}}, ""),
        ("anthropic", {"type": "ping"}, ""),
        (
            "google_genai",
            {"candidates": [{"content": {"parts": [{"text": "Hm.", "thought": True}, {"text": "5"}]}}]},
            "5",
        ),
        ("google_genai", {"candidates": [{"finishReason": "STOP"}]}, ""),
        ("ollama", {"message": {"content": "5", "thinking": "Hm."}, "done": False}, "5"),
    ],
)
def test_thoughts_are_no_part_of_an_answer(provider: str, said: Any, text: str) -> None:
    assert read(provider, said).text == text


@pytest.mark.parametrize(
    ("provider", "said", "sent", "received"),
    [
        ("anthropic", {"input_tokens": 3, "cache_read_input_tokens": 40, "output_tokens": 5}, 43, 5),
        ("google_genai", {"promptTokenCount": 3, "candidatesTokenCount": 5, "thoughtsTokenCount": 60}, 3, 65),
    ],
)
def test_all_that_is_paid_for_is_counted(provider: str, said: Any, sent: int, received: int) -> None:
    name = "usage" if provider == "anthropic" else "usageMetadata"

    piece = read(provider, {"type": "message_delta", name: said})

    assert (piece.sent, piece.received) == (sent, received)


def test_of_several_calls_of_the_tool_the_first_is_the_answer() -> None:
    calls = [{"index": index, "function": {"arguments": f'{{"total": {index}}}'}} for index in (0, 1)]

    assert (
        read("openai", {"choices": [{"message": {"content": None, "tool_calls": calls}}]}).arguments == '{"total": 0}'
    )
    assert read("openai", {"choices": [{"delta": {"tool_calls": calls[1:]}}]}).arguments == ""


def test_a_prompt_that_google_blocks_is_declined() -> None:
    assert read("google_genai", {"promptFeedback": {"blockReason": "SAFETY"}}).declined


def test_an_older_server_of_ollama_says_only_that_it_is_done() -> None:
    assert read("ollama", {"message": {"content": ""}, "done": True}).reason == "stop"


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google_genai", "ollama"])
def test_an_error_is_no_answer_whatever_stands_beside_it(provider: str) -> None:
    error = {"error": {"message": "overloaded", "code": 502}}
    with pytest.raises(Trouble, match="overloaded"):
        read(provider, {**error, "type": "error", "choices": [], "candidates": [], "message": {"content": "5"}})
