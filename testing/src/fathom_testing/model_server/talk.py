"""What a call asks and what it is answered, whatever the protocol."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal
from uuid import uuid4

from fathom.reasoners.language_model.tokens import count_tokens

Finish = Literal["stop", "length", "tools", "refusal", "content_filter"]


@dataclass(frozen=True)
class Message:
    """One turn."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str
    calls: tuple[str, ...] = ()
    """Names of the tools that the assistant called in this turn."""


@dataclass(frozen=True)
class Tool:
    """A tool on offer."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True)
class Request:
    """A call, as all protocols have it."""

    model: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    choice: str = "auto"
    """`auto`, `none`, `any` for one of the tools, or the name of the tool that must be called."""
    parallel: bool = True
    """Whether several tools may be called at once."""
    native: dict[str, Any] | None = None
    """The JSON schema that the protocol was told to hold the answer to."""
    json_mode: bool = False
    """Whether the answer must be JSON of any shape."""
    streamed: bool = False
    max_tokens: int | None = None
    wants_usage: bool = True
    """Whether a stream tells the tokens."""

    @cached_property
    def prompt_tokens(self) -> int:
        """Tokens of all messages, of the schema and of the tools."""
        shapes = [tool.parameters | {"name": tool.name, "description": tool.description} for tool in self.tools]
        shapes += [self.native] if self.native else []
        return sum(count_tokens(message.text) for message in self.messages) + sum(
            count_tokens(json.dumps(shape, ensure_ascii=False)) for shape in shapes
        )

    def text_of(self, role: str) -> str:
        """The texts of all messages of a role."""
        return "\n\n".join(message.text for message in self.messages if message.role == role)


@dataclass(frozen=True)
class ToolCall:
    """A call that the model wants made."""

    id: str
    name: str
    arguments: str
    """JSON, or what should have been."""

    @property
    def values(self) -> dict[str, Any] | None:
        """The arguments as an object; `None` when they are none."""
        try:
            values = json.loads(self.arguments)
        except json.JSONDecodeError:
            return None
        return values if isinstance(values, dict) else None


@dataclass(frozen=True)
class Reply:
    """An answer, as all protocols have it."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: Finish = "stop"
    usage: bool = True
    """Whether the tokens are told."""
    prompt_tokens: int = 0
    completion_tokens: int = -1
    """Counted when not said."""
    id: str = field(default_factory=lambda: uuid4().hex[:20])
    """Of this answer alone: agents replace a message by another with the same id."""
    thoughts: str = ""
    """What is shown of them, in a field of their own."""

    def __post_init__(self) -> None:
        if self.completion_tokens < 0:
            written = self.text + "".join(call.name + call.arguments for call in self.calls)
            object.__setattr__(self, "completion_tokens", count_tokens(written))


def bounded(reply: Reply, max_tokens: int | None) -> Reply:
    """The reply as far as `max_tokens` go."""
    if max_tokens is None or reply.completion_tokens <= max_tokens:
        return reply
    share = max_tokens / reply.completion_tokens
    calls = tuple(replace(call, arguments=call.arguments[: int(len(call.arguments) * share)]) for call in reply.calls)
    text = reply.text[: int(len(reply.text) * share)]
    return Reply(text, calls, "length", reply.usage, reply.prompt_tokens, max_tokens)


def pieces(text: str) -> list[str]:
    """A text as a stream tells it: word by word.

    >>> pieces("One two.")
    ['One ', 'two.']
    """
    found, begin = list[str](), 0
    while (space := text.find(" ", begin)) >= 0:
        found.append(text[begin : space + 1])
        begin = space + 1
    return [*found, text[begin:]] if begin < len(text) else found
