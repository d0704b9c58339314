"""What a model is told and what it says, whatever the wire."""

from __future__ import annotations

from typing import Literal, NamedTuple

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
    thinks: bool = False
    """Whether it shows what the model thinks."""


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
    only_thoughts: bool = False
    """Whether it shows what the model thinks, and no answer."""
