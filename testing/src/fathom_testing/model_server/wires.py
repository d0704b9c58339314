"""The protocols that the server speaks, by the address that they are spoken at."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from fathom_testing.model_server import anthropic, ollama, openai, responses
from fathom_testing.model_server.talk import Reply, Request


class Wire(Protocol):
    """A protocol: how a call is read, and how an answer is written."""

    @property
    def name(self) -> str:
        """Of the protocol, in the log and in rules."""
        ...

    @property
    def content_type(self) -> str:
        """Of a stream."""
        ...

    def parse(self, body: dict[str, Any], /) -> Request:
        """The call in a body.

        Raises:
            KeyError, TypeError, AttributeError: it is none.
        """
        ...

    def whole(self, request: Request, reply: Reply, /) -> dict[str, Any]:
        """The answer in one piece."""
        ...

    def stream(self, request: Request, reply: Reply, /) -> Iterable[bytes]:
        """The answer piece by piece."""
        ...

    def error(self, status: int, message: str, code: str = "") -> dict[str, Any]:
        """The body of a failure."""
        ...


WIRES: dict[str, Wire] = {
    "/v1/chat/completions": openai,
    "/v1/responses": responses,
    "/api/chat": ollama,
    "/v1/messages": anthropic,
}
BY_NAME: dict[str, Wire] = {wire.name: wire for wire in WIRES.values()}
