"""One connection to one MCP server: opened at the first use, opened again when the server has gone."""

from __future__ import annotations

import asyncio
from typing import Any, TypeVar

from fathom.errors import FathomError, Unavailable, Unreachable
from fathom.tools.access import Access
from fathom.tools.failures import Failures, Lost
from fathom.tools.link import Link
from fathom.tools.policy import ToolGate

_DEATHS = 3
"""A server that has gone so often without an answer in between is not asked again."""
E = TypeVar("E", bound=BaseException)


class ServerConnection:
    """A connection that any number of tasks may use side by side. It must be closed in the loop that has used it."""

    def __init__(self, access: Access, gate: ToolGate, *, max_bytes: int, timeout: float) -> None:
        """`timeout`: seconds that a call may take."""
        self.access = access
        self._gate = gate
        self._max_bytes = max_bytes
        self._timeout = timeout
        self._failures = Failures(access)
        self._opening = asyncio.Lock()
        self._link: Link | None = None
        self._deaths = 0
        self._last_words = ""
        self._is_closed = False

    async def open(self) -> None:
        """Connect, and let the gate see the tools, unless that is done.

        Raises:
            ConfigurationError: it cannot be started.
            ProviderError: it cannot be reached, or says what is no answer.
        """
        await self._opened()

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """What the tool returns, as it stands in the protocol.

        Raises:
            ToolError, ProviderError: as the port says.
        """
        for is_last in (False, True):
            link = await self._opened()
            self._gate.check(tool)
            try:
                result = await link.call(tool, arguments)
            except Lost as error:
                ended = await self._drop(link, error)
                if is_last or not self._gate.reads(tool):
                    raise ended from error
            else:
                self._deaths = 0
                return self.access.unspoken(result)
        raise AssertionError("the last try has either returned or raised")

    async def close(self) -> None:
        """Let go of the server; it may be called twice."""
        self._is_closed = True
        link, self._link = self._link, None
        if link is not None:
            await link.close()

    async def _opened(self) -> Link:
        async with self._opening:
            if self._is_closed:
                raise Unreachable(f"The connection to {self.access.address} is closed.")
            if self._link is None:
                if self._deaths >= _DEATHS:
                    raise Unreachable(f"Not tried again, as it has failed {_DEATHS} times in a row: {self._last_words}")
                self._link = Link(self.access, self._failures, max_bytes=self._max_bytes, timeout=self._timeout)
            link = self._link
            try:
                if link.is_stale:
                    self._gate.listed(await link.tools())
            except asyncio.CancelledError:
                link.is_stale = True  # it opens for whoever comes next
                raise
            except FathomError as error:
                ended = await self._drop(link, error)
                if ended is error:
                    raise
                raise ended from error
            return link

    async def _drop(self, link: Link, error: E) -> E | FathomError:
        """Give a connection up; the error with how the server has ended, if that is known."""
        is_first = self._link is link
        if is_first:
            self._link = None
        await link.close()
        ended = link.ended(error) if isinstance(error, Lost) else error
        if is_first and isinstance(ended, Unavailable):
            self._deaths += 1
            self._last_words = str(ended)
        return ended
