"""One life of a connection to an MCP server, by the official SDK."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Coroutine, Iterator
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from fathom.errors import (
    FathomError,
    MalformedReply,
    ProviderError,
    TimedOut,
    ToolError,
    Unreachable,
    UsageError,
)
from fathom.outcomes import settle
from fathom.tools.access import Access
from fathom.tools.failures import Failures, Lost
from fathom.tools.policy import MOST_TOOLS, OfferedTool
from fathom.version import __version__

if TYPE_CHECKING:
    from mcp.client import Client
    from mcp_types import Tool

    from fathom.tools.stdio import StdioServer

CONNECT_SECONDS = 30.0
"""How long opening may take."""
_CLOSE_SECONDS = 6.0
"""How long a server is given to take its leave."""
_PAGES = 50
"""Pages of a listing of tools that are read."""


class _Answer(BaseModel):
    """A result of a tool as it came: its parts are understood elsewhere, or not."""

    content: Any = None
    structuredContent: Any = None
    isError: Any = False
    resultType: Any = "complete"


class Link:
    """One life of a connection. A task of its own enters and leaves it, as the scopes of the SDK demand."""

    def __init__(self, access: Access, failures: Failures, *, max_bytes: int, timeout: float) -> None:
        self._access = access
        self._failures = failures
        self._max_bytes = max_bytes
        self._timeout = timeout
        self._server: StdioServer | None = None
        self.is_stale = True
        """Whether the tools have to be listed."""
        self._stop = asyncio.Event()
        self._ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._ready.add_done_callback(lambda ready: ready.cancelled() or ready.exception())  # nobody may wait for it
        self._task = asyncio.create_task(self._live(), name=f"connection to {access.who}")

    async def tools(self) -> list[OfferedTool]:
        """What is offered now."""
        from mcp_types import PaginatedRequestParams

        self.is_stale = False
        client = await self._client()
        found: list[OfferedTool] = []
        cursor: str | None = None
        seen: set[str | None] = {None}
        for _ in range(_PAGES):
            with self._told():
                page = await client.session.list_tools(params=PaginatedRequestParams(cursor=cursor))
            found += map(_offer, page.tools)
            cursor = page.next_cursor
            if cursor in seen or len(found) >= MOST_TOOLS:
                break
            seen.add(cursor)
        return found[:MOST_TOOLS]

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The result of a tool. It is not held to the schema that the tool declares: any shape is understood or not."""
        from mcp_types import CallToolRequest, CallToolRequestParams

        client = await self._client()
        request = CallToolRequest(params=CallToolRequestParams(name=tool, arguments=arguments))
        with self._told():
            async with asyncio.timeout(self._timeout + 5):  # a server that does not read never gets the request
                answer = await client.session.send_request(request, _Answer, request_read_timeout_seconds=self._timeout)
        return vars(answer)

    def ended(self, error: Lost) -> FathomError:
        """What has happened: how the server has ended, where that is known."""
        if self._server and self._access.is_own and (refusal := self._server.refusal):
            return UsageError(refusal)
        words = self._server.last_words if self._server else ""
        return Unreachable(f"{self._access.who} has ended ({words}): see why it does." if words else str(error))

    async def close(self) -> None:
        """Leave it."""
        self._stop.set()
        if not self._ready.done():
            self._task.cancel()
        done, _ = await asyncio.wait({self._task}, timeout=_CLOSE_SECONDS)
        if not done:
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=_CLOSE_SECONDS)

    async def _client(self) -> Client:
        seconds = self._access.connect_seconds or CONNECT_SECONDS
        done, _ = await asyncio.wait({self._ready}, timeout=seconds)
        if not done:
            raise TimedOut(f"{self._access.who} has not answered for {seconds:.0f} seconds: see whether it runs.")
        if self._ready.cancelled():
            raise Lost(f"{self._access.who} was closed while it was opened.")
        return self._ready.result()

    async def _live(self) -> None:
        import mcp_types
        from mcp.client import Client

        _hush()
        try:
            async with Client(
                self._transport(),
                cache=None,
                client_info=mcp_types.Implementation(name="fathom", version=__version__),
                message_handler=self._heard,
                read_timeout_seconds=max(self._timeout, self._access.connect_seconds or 0),
            ) as client:
                self._ready.set_result(client)
                async with _following(self._follow(client)):
                    await self._stop.wait()
        except _trouble() as error:
            if not self._ready.done():
                settle(self._ready, self._not_opened(_first(error)))
        finally:
            self._ready.cancel()

    def _transport(self) -> Any:
        if self._access.url:
            from fathom.tools.http import connected

            return connected(self._access, self._failures, max_bytes=self._max_bytes, seconds=self._timeout)
        from fathom.tools.stdio import StdioServer

        self._server = StdioServer(self._access, self._failures, max_bytes=self._max_bytes)
        return self._server.connected()

    async def _heard(self, message: object) -> None:
        from mcp_types import ToolListChangedNotification

        if isinstance(message, ToolListChangedNotification):
            self.is_stale = True

    async def _follow(self, client: Client) -> None:
        """Hear of changes of the tools where a server tells of them only when it is asked to."""
        from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
        from mcp.shared.exceptions import MCPError

        tools = client.server_capabilities.tools
        if tools is None or not tools.list_changed:
            return
        with contextlib.suppress(ListenNotSupportedError, SubscriptionLost, MCPError, TimeoutError):
            async with client.listen(tools_list_changed=True) as changes:
                async for _ in changes:
                    self.is_stale = True

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Errors of the SDK as ours."""
        from mcp.shared.exceptions import MCPError
        from pydantic import ValidationError

        try:
            yield
        except MCPError as error:
            raise self._failures.error_of(error) from None  # its text may hold a secret
        except ValidationError as error:
            where = ".".join(map(str, error.errors(include_url=False, include_input=False)[0]["loc"]))
            said = f"{self._access.who} has sent what is no answer ({self._access.told(where, width=80)})"
            raise MalformedReply(f"{said}: tell its operator.") from None
        except TimeoutError:
            raise TimedOut(f"{self._access.who} gave no answer in time: ask for less, or raise mcp_timeout.") from None

    def _not_opened(self, error: BaseException) -> FathomError:
        from mcp.shared.exceptions import MCPError
        from mcp_types import METHOD_NOT_FOUND

        access = self._access
        if isinstance(error, FathomError):
            return error
        if isinstance(error, MCPError):
            if error.code == METHOD_NOT_FOUND:
                return ProviderError(
                    f"{access.who} is not at {access.address}, which speaks no MCP: check its address."
                )
            told = self._failures.error_of(error)
            return ProviderError(str(told)) if isinstance(told, ToolError) else told
        if isinstance(error, OSError):
            return Lost(f"{access.who} cannot be reached: {access.told(str(error))}.")
        return MalformedReply(f"{access.who} speaks no MCP that is understood: {access.told(str(error), width=120)}.")


def _offer(tool: Tool) -> OfferedTool:
    marks = tool.annotations
    return OfferedTool(
        name=tool.name,
        description=tool.description or "",
        input_schema=tool.input_schema,
        reads=marks.read_only_hint if marks else None,
        destroys=marks.destructive_hint if marks else None,
    )


@contextlib.asynccontextmanager
async def _following(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Within the block `work` goes on beside it."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


def _trouble() -> tuple[type[Exception], ...]:
    """What the SDK raises when a connection cannot be opened, or breaks."""
    import anyio
    import httpx2
    from mcp.shared.exceptions import MCPError

    broken = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)
    return (FathomError, MCPError, OSError, RuntimeError, ValueError, httpx2.HTTPError, ExceptionGroup, *broken)


def _first(error: BaseException) -> BaseException:
    """The first failure of several."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _hush() -> None:
    """Keep what a server sends off standard error, where the SDK would write it."""
    for name in ("mcp", "client", "httpx2"):
        logger = logging.getLogger(name)
        if not any(isinstance(handler, logging.NullHandler) for handler in logger.handlers):
            logger.addHandler(logging.NullHandler())
