"""Failures below the protocol, told by a sign: the SDK passes on only errors of the protocol, and forgets the cause."""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from typing import Any

from fathom.errors import MalformedReply, ProviderError, TimedOut, ToolFailed, Unreachable
from fathom.tools.access import Access

_SIGN = re.compile(r"\bfailure-[0-9a-f]{16}\b")
_MOST = 100
"""Failures that are remembered: those whose call was given up are never asked for."""


class Lost(Unreachable):
    """The connection is gone; the call may be tried on another one. It stays within this package."""


class Failures:
    """Keeps an error while only its sign travels."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._noted: OrderedDict[str, ProviderError] = OrderedDict()

    def note(self, error: ProviderError) -> str:
        """A sign that stands for `error` in a message."""
        sign = f"failure-{secrets.token_hex(8)}"
        self._noted[sign] = error
        while len(self._noted) > _MOST:
            self._noted.popitem(last=False)
        return sign

    def error_of(self, error: Any) -> ProviderError:
        """What an `MCPError` stands for."""
        from mcp_types import CONNECTION_CLOSED, INVALID_REQUEST, PARSE_ERROR, REQUEST_TIMEOUT

        for sign in _SIGN.findall(error.message[:2_000]):
            if noted := self._noted.pop(sign, None):
                return noted
        access, said = self._access, self._access.told(error.message) or str(error.code)
        if error.code == CONNECTION_CLOSED:
            return Lost(f"{access.who} has closed the connection: try again.")
        if error.code == INVALID_REQUEST and error.message == "Session terminated":
            return Lost(f"{access.who} has forgotten the connection: try again.")
        if error.code == REQUEST_TIMEOUT:
            return TimedOut(f"{access.who} gave no answer in time: ask for less, or raise mcp_timeout.")
        if error.code == PARSE_ERROR:
            return MalformedReply(f"{access.who} has sent what is no answer: {said}.")
        return ToolFailed(f"{access.who} refuses: {said.rstrip('.')}.")
