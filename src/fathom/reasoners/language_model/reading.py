"""Reads what a model writes, piece by piece: a stream may stall, break off, or decline to go on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Literal

from fathom.outcomes import Within
from fathom.reasoners.language_model.completion import Completion, Piece
from fathom.reasoners.language_model.failures import Asked, broken_off, refused, stalled

_CUT = frozenset({"length", "max_tokens", "model_context_window_exceeded"})
_DECLINED = frozenset("content_filter refusal safety recitation blocklist prohibited_content spii image_safety".split())


async def read(
    pieces: AsyncIterator[Piece], asked: Asked, tell: Callable[[str], None] | None, *, stall: float
) -> Completion:
    """The answer of these pieces; `tell` is called with the words of each.

    Raises:
        TimedOut: after its first word, no further one came for `stall` seconds.
        BrokenOff: a stream ended without an end.
        ContentRefused: the model declined.
    """
    text: list[str] = []
    arguments: list[str] = []
    reason, sent, received, thinks = "", None, None, False
    idle, has_begun = Within(stall), False
    try:
        async with AsyncExitStack() as watched:
            async for piece in pieces:
                text.append(_storable(piece.text))
                arguments.append(_storable(piece.arguments))
                reason, thinks = piece.reason or reason, piece.thinks or thinks
                sent, received = piece.sent or sent, piece.received or received
                if piece.declined or reason in _DECLINED:
                    raise refused(asked)
                if words := arguments[-1] or text[-1]:
                    if not has_begun:  # until then it reads the prompt, and thinks
                        await watched.enter_async_context(idle)
                    has_begun = True
                    idle.again()
                    if tell:
                        tell(words)
    except TimeoutError as error:
        if idle.expired():
            raise stalled(asked, stall) from error
        raise
    if asked.options.streamed and not reason:
        raise broken_off(asked)
    finish: Literal["stop", "length"] = "length" if reason in _CUT else "stop"
    answer = "".join(arguments) or "".join(text)
    return Completion(answer, finish, _tokens(sent), _tokens(received), thinks and not answer.strip())


def _tokens(count: int | None) -> int | None:
    """A number of tokens; `None` when it makes no sense: nothing takes no token at all."""
    return count if count and count > 0 else None


def _storable(text: str) -> str:
    """The text without halves of characters, which no file takes."""
    return text.encode("utf-8", "replace").decode("utf-8")
