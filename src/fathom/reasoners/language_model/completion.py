"""What a model wrote: read piece by piece, of a stream that may stall, break off or decline, or of a whole answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Literal, NamedTuple

from fathom.outcomes import Within
from fathom.reasoners.language_model.failures import Asked, broken_off, refused, stalled

_CUT = frozenset({"length", "max_tokens", "model_context_window_exceeded"})
_DECLINED = frozenset("content_filter refusal safety recitation blocklist prohibited_content spii image_safety".split())

Role = Literal["system", "user", "assistant"]
"""Whose words a message has; the assistant is the model."""


class Message(NamedTuple):
    """A part of a conversation."""

    role: Role
    """Who says it."""
    text: str
    """What is said."""


class Piece(NamedTuple):
    """What one message of a server brings: a piece of an answer, or all of it."""

    text: str = ""
    """Of the answer."""
    arguments: str = ""
    """JSON of the tool that was forced; it counts in place of the text."""
    reason: str = ""
    """Why the answer has ended, in small letters; empty while it has not."""
    declined: bool = False
    """Whether the model will not answer."""
    sent: int | None = None
    """Tokens of the prompt, as the provider counts."""
    received: int | None = None
    """Tokens of the answer so far, as the provider counts."""


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
    reason, sent, received = "", None, None
    idle, has_begun = Within(stall), False
    try:
        async with AsyncExitStack() as watched:
            async for piece in pieces:
                text.append(_storable(piece.text))
                arguments.append(_storable(piece.arguments))
                reason = piece.reason or reason
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
    if asked.streamed and not reason:
        raise broken_off(asked)
    finish: Literal["stop", "length"] = "length" if reason in _CUT else "stop"
    return Completion("".join(arguments) or "".join(text), finish, _tokens(sent), _tokens(received))


def _tokens(count: int | None) -> int | None:
    """A number of tokens; `None` when it makes no sense: nothing takes no token at all."""
    return count if count and count > 0 else None


def _storable(text: str) -> str:
    """The text without halves of characters, which no file takes."""
    return text.encode("utf-8", "replace").decode("utf-8")
