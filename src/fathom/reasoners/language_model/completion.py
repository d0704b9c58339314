"""What a model wrote, read from LangChain's messages: whole ones, and streams that may stall, break off or decline."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any, Literal, NamedTuple

from fathom.outcomes import Within
from fathom.reasoners.language_model.failures import Asked, broken_off, refused, stalled

_CUT = frozenset({"length", "max_tokens", "model_context_window_exceeded"})
_DECLINED = frozenset("content_filter refusal safety recitation blocklist prohibited_content spii image_safety".split())

Role = Literal["system", "human", "ai"]
"""As LangChain calls them."""


class Message(NamedTuple):
    """A part of a conversation."""

    role: Role
    """Who says it."""
    text: str
    """What is said."""


class Completion(NamedTuple):
    """What a model wrote, and what it took."""

    text: str
    """As it came; the arguments of the tool when one was forced. May be empty."""
    finish: Literal["stop", "length"]
    """`length` says that it was cut."""
    prompt_tokens: int | None
    """As the provider counts; `None` when it tells nothing."""
    completion_tokens: int | None
    """As the provider counts; `None` when it tells nothing."""


async def read_stream(
    stream: AsyncIterator[Any], asked: Asked, tell: Callable[[str], None], *, stall: float
) -> Completion:
    """The answer that comes in chunks; `tell` is called with each piece.

    Raises:
        TimedOut: nothing came for `stall` seconds.
        BrokenOff: it ended without an end.
        ContentRefused: the model declined.
    """
    text: list[str] = []
    arguments: list[str] = []
    meta: dict[str, Any] = {}
    declined = False
    sent = received = 0
    try:
        async with Within(stall) as idle:
            async for chunk in stream:
                idle.again()
                pieces = [call["args"] or "" for call in chunk.tool_call_chunks]
                arguments += pieces
                text.append(str(chunk.text))
                if piece := _storable("".join(pieces) or text[-1]):
                    tell(piece)
                meta |= {name: value for name, value in chunk.response_metadata.items() if value is not None}
                declined = declined or bool(chunk.additional_kwargs.get("refusal"))
                if usage := chunk.usage_metadata:
                    sent += usage["input_tokens"]
                    received += usage["output_tokens"]
    except TimeoutError as error:
        if idle.expired():
            raise stalled(asked, stall) from error
        raise
    reason = _reason(meta)
    if declined or reason in _DECLINED:
        raise refused(asked)
    if not reason:
        raise broken_off(asked)
    whole = "".join(arguments) or "".join(text)
    return _completion(whole, reason, sent, received)


def read_message(message: Any, asked: Asked) -> Completion:
    """The answer that came as a whole.

    Raises:
        BrokenOff: it says itself that it is not whole.
        ContentRefused: the model declined.
    """
    reason = _reason(message.response_metadata)
    if message.additional_kwargs.get("refusal") or reason in _DECLINED:
        raise refused(asked)
    if message.response_metadata.get("done") is False:
        raise broken_off(asked)
    if message.tool_calls:
        text = json.dumps(message.tool_calls[0]["args"], ensure_ascii=False)
    elif message.invalid_tool_calls:
        text = message.invalid_tool_calls[0]["args"] or ""
    else:
        text = str(message.text)
    usage = message.usage_metadata or {"input_tokens": 0, "output_tokens": 0}
    return _completion(text, reason, usage["input_tokens"], usage["output_tokens"])


def _completion(text: str, reason: str, sent: object, received: object) -> Completion:
    return Completion(_storable(text), "length" if reason in _CUT else "stop", _tokens(sent), _tokens(received))


def _tokens(count: object) -> int | None:
    """A number of tokens; `None` when it makes no sense: nothing takes no token at all."""
    return count if isinstance(count, int) and count > 0 else None


def _storable(text: str) -> str:
    """The text without halves of characters, which no file takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _reason(meta: dict[str, Any]) -> str:
    """Why the answer has ended, in small letters; empty when it does not say."""
    feedback = meta.get("prompt_feedback")
    if isinstance(feedback, dict) and feedback.get("block_reason"):
        return "safety"
    return str(meta.get("finish_reason") or meta.get("done_reason") or meta.get("stop_reason") or "").lower()
