"""The MCP server: tools, resources and a prompt over the sessions of this machine."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from fathom.errors import FathomError, NotFound, UsageError
from fathom.frozen import FrozenModel
from fathom.mcp_server.fitting import MOST, as_text, plain
from fathom.mcp_server.handlers import ToolHandlers
from fathom.mcp_server.papers import Papers
from fathom.mcp_server.tools import INSTRUCTIONS, TOOLS, Tool
from fathom.registry import did_you_mean
from fathom.text.harmless import inert
from fathom.version import __version__

NAME = "fathom"
FAULT = "A fault in Fathom has ended this call: the log of the server tells more."
TOO_LARGE = "The result is too large to be told: ask for less."
_OPENING = ("initialize", "server/discover")
_OURS = "fathom"
"""What Fathom calls itself where it is the client."""

log = logging.getLogger(__name__)


class _Calls:
    """Answers requests."""

    def __init__(
        self, handlers: ToolHandlers, papers: Papers, wait_to_start: Callable[[Any], int | None] | None
    ) -> None:
        self._handlers = handlers
        self._papers = papers
        self._wait_to_start = wait_to_start

    async def listed(
        self, _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool.shown for tool in TOOLS.values()])

    async def called(
        self, context: ServerRequestContext[Any], call: types.CallToolRequestParams
    ) -> types.CallToolResult:
        async def tell(seq: int, line: str) -> None:
            await context.session.report_progress(seq, None, line)

        try:
            tool = _tool(call.name)
            if tool.is_costly and self._wait_to_start and (wait := self._wait_to_start(context.request)) is not None:
                return _failed(f"These are too many sessions: the next one may be started in {wait} s.")
            answer = plain(await getattr(self._handlers, tool.name)(_arguments(tool.takes, call.arguments or {}), tell))
        except FathomError as error:
            return _failed(inert(str(error), width=2_000))
        except Exception:
            log.exception("the tool %s failed by a fault of Fathom", inert(call.name, width=80))
            return _failed(FAULT)
        text = as_text(answer)
        if len(text) > MOST:
            log.error("the tool %s has made a result of %d characters", tool.name, len(text))
            return _failed(TOO_LARGE)
        return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=answer)

    async def resources(
        self, _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=await self._papers.listed())

    async def templates(
        self, _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=self._papers.templates)

    async def read(
        self, _: ServerRequestContext[Any], asked: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            return types.ReadResourceResult(contents=[await self._papers.read(str(asked.uri))])
        except NotFound as error:
            raise MCPError(types.INVALID_PARAMS, inert(str(error)), {"uri": str(asked.uri)}) from error
        except FathomError as error:
            raise MCPError(types.INTERNAL_ERROR, inert(str(error))) from error

    async def prompts(
        self, _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[self._papers.prompt])

    async def prompted(
        self, _: ServerRequestContext[Any], asked: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        try:
            return self._papers.prompted(asked.name, asked.arguments or {})
        except FathomError as error:
            raise MCPError(types.INVALID_PARAMS, inert(str(error))) from error


def _tool(name: str) -> Tool:
    if name not in TOOLS:
        hint = did_you_mean(name, list(TOOLS))
        raise UsageError(f"There is no tool '{inert(name, width=80)}'.{hint} Known: {', '.join(TOOLS)}.")
    return TOOLS[name]


def _arguments(model: type[FrozenModel], given: dict[str, Any]) -> FrozenModel:
    """The arguments of a tool, checked.

    Raises:
        UsageError: says in one line which of them is wrong, and why.
    """
    try:
        return model.model_validate({name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_context=False)
        first = next((each for each in wrong if each["type"] == "extra_forbidden"), wrong[0])  # most likely misspelt
        name = inert(".".join(map(str, first["loc"])), width=80) or "arguments"
        known = list(model.model_fields)
        match first["type"]:
            case "missing":
                said = f"The argument '{name}' is missing."
            case "extra_forbidden":
                said = f"There is no argument '{name}'.{did_you_mean(name, known)} Known: {', '.join(known)}."
            case _:
                said = (
                    f"The argument '{name}' is wrong: {inert(first['msg'].removeprefix('Value error, '), width=300)}."
                )
        raise UsageError(said) from None  # what was given is not repeated


def _failed(line: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=line)], is_error=True)


def server_of(
    handlers: ToolHandlers,
    papers: Papers,
    *,
    on_work: Callable[[], Awaitable[None]] | None = None,
    wait_to_start: Callable[[Any], int | None] | None = None,
) -> Server[Any]:
    """The server.

    Args:
        wait_to_start: Told the HTTP request by which a client asks for what costs something; the seconds that it has to
            wait, `None` when it may. Without it everybody may at any time.
        on_work: Called before each request of a client that may want something carried out: of any but Fathom itself,
            which only reads here. Else runs that ask this server would be carried out by servers that ask others.
    """
    calls = _Calls(handlers, papers, wait_to_start)
    server = Server(
        NAME,
        version=__version__,
        title="Fathom",
        description="Deep research with checked citations, in documents, data and on the web.",
        instructions=INSTRUCTIONS,
        on_list_tools=calls.listed,
        on_call_tool=calls.called,
        on_list_resources=calls.resources,
        on_list_resource_templates=calls.templates,
        on_read_resource=calls.read,
        on_list_prompts=calls.prompts,
        on_get_prompt=calls.prompted,
    )
    if on_work is not None:
        ready = on_work

        async def watch(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
            if ctx.request_id is not None and ctx.method not in _OPENING and not _is_ours(ctx):
                await ready()
            return await call_next(ctx)

        server.middleware.append(watch)
    return server


def _is_ours(context: ServerRequestContext[Any]) -> bool:
    params = context.session.client_params
    return params is not None and params.client_info.name == _OURS
