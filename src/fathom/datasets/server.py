"""The MCP server: two tools over a database, spoken over standard input and output or over HTTP on this machine."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import anyio
import mcp_types as types
from anyio.to_thread import run_sync
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from fathom.data.fields import FieldMapping
from fathom.datasets import arguments as analyze_arguments
from fathom.datasets.database import DataTables, open_database
from fathom.datasets.describing import Describer
from fathom.datasets.query import answer
from fathom.datasets.session import Session
from fathom.datasets.workspace import memory_within, remove_all
from fathom.errors import ToolFailed, UsageError
from fathom.registry import did_you_mean
from fathom.settings.data import DataSettings
from fathom.version import __version__

NAME = "fathom-dataset"
HOST = "127.0.0.1"
PATH = "/mcp"
AT_ONCE = 4
"""Calls that are answered side by side; others wait."""
_MOST_QUESTION = 10_000
"""Characters of a question that are looked at."""
_GRACE = 2
"""Seconds that calls under way get to end."""
_OURS = "fathom"
"""A client of that name reads what is structured and needs no second copy as text."""

T = TypeVar("T")

_DESCRIBE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "table": {
            "type": ["string", "null"],
            "description": "Name of the table. Default: the one that fits the question best, else the first.",
        },
        "question": {
            "type": ["string", "null"],
            "description": "A question in any words: each field then tells in `matches` which of its values it names.",
        },
    },
}
_OBJECT = {"type": "object"}
_LIST = {"type": "array"}


def tools_of(database: DataTables) -> list[types.Tool]:
    """The tools; nothing can be changed with them."""
    harmless = types.ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
    tables = ", ".join(database.tables[:20])
    return [
        types.Tool(
            name="describe",
            title="Describe the data",
            description=(
                f"Say what {database.title} holds (tables: {tables}): the fields of a table with their types, ranges, "
                "numbers of different and missing values and most frequent values, which field plays which part, the "
                "number of records, and some of them. Ask this first."
            ),
            input_schema=_DESCRIBE_SCHEMA,
            output_schema={
                "type": "object",
                "properties": {"fields": _LIST, "tables": _LIST, "mapping": _OBJECT, "total": {"type": "integer"}},
                "required": ["fields", "tables", "mapping", "total"],
            },
            annotations=harmless,
        ),
        types.Tool(
            name="analyze",
            title="Count and read records",
            description=(
                f"Count the records of {database.title} by field, over time or with statistics of numbers; or, without "
                "group_by, date_histogram and statistics, return them page by page. data_context.unique_ids_matched "
                "says how many records the filters match, page.search_after asks for the next page while "
                "page.has_more. An empty part of a key stands for records without a value."
            ),
            input_schema=analyze_arguments.SCHEMA,
            output_schema={
                "type": "object",
                "properties": {"aggregations": _OBJECT, "documents": _LIST, "page": _OBJECT, "data_context": _OBJECT},
                "required": ["data_context"],
            },
            annotations=harmless,
        ),
    ]


class _Tools:
    """Answers calls, each in a thread of its own that is stopped with the call."""

    def __init__(self, database: DataTables, *, seconds: float) -> None:
        self._database = database
        self._describer = Describer(database)
        self._seconds = seconds
        self._limiter = anyio.CapacityLimiter(AT_ONCE)
        self._tools = tools_of(database)

    async def listed(
        self, _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._tools)

    async def called(
        self, context: ServerRequestContext[Any], call: types.CallToolRequestParams
    ) -> types.CallToolResult:
        given = call.arguments or {}
        try:
            match call.name:
                case "describe":
                    found = await self._within(partial(self._describe, given))
                case "analyze":
                    found = await self._within(partial(self._analyze, given))
                case name:
                    known = [tool.name for tool in self._tools]
                    raise ToolFailed(
                        f"There is no tool '{name}'.{did_you_mean(name, known)} Known: {', '.join(known)}."
                    )
        except ToolFailed as error:
            return types.CallToolResult(content=[types.TextContent(text=str(error))], is_error=True)
        text = _summary(found) if _is_ours(context) else json.dumps(found, ensure_ascii=False)
        return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=found)

    async def _within(self, work: Callable[[Session], T]) -> T:
        session = self._database.session(seconds=self._seconds)

        def run() -> T:
            with session:
                return work(session)

        async with self._limiter:
            try:
                return await run_sync(run, abandon_on_cancel=True)
            except anyio.get_cancelled_exc_class():
                session.stop()
                raise

    def _describe(self, given: Mapping[str, Any], session: Session) -> dict[str, Any]:
        known = list(_DESCRIBE_SCHEMA["properties"])
        for name, value in given.items():
            if name not in known:
                raise ToolFailed(
                    f"There is no argument '{name}'.{did_you_mean(name, known)} Known: {', '.join(known)}."
                )
            if value is not None and not isinstance(value, str):
                raise ToolFailed(f"{name} is a text.")
        question = str(given.get("question") or "")[:_MOST_QUESTION]
        question = question.encode("utf-8", "ignore").decode()
        return self._describer.describe(session, table=str(given.get("table") or ""), question=question)

    def _analyze(self, given: Mapping[str, Any], session: Session) -> dict[str, Any]:
        request = analyze_arguments.request_of(given)
        table = self._database.profile(request.table).asked
        request = analyze_arguments.spelled_out(request, table)
        with_records = given.get("page_size") is not None or bool(given.get("search_after"))
        return answer(self._database, session, request, with_records=with_records)


def _is_ours(context: ServerRequestContext[Any]) -> bool:
    params = context.session.client_params
    return params is not None and params.client_info.name == _OURS


def _summary(found: Mapping[str, Any]) -> str:
    """One line, for whoever looks at what goes over the wire."""
    if "fields" in found:
        return f"{found['table']}: {found['total']} records, {len(found['fields'])} fields."
    context = found["data_context"]
    return f"{context['unique_ids_matched']} of {context['total_records']} records match."


def server_of(database: DataTables, settings: DataSettings) -> Server[Any]:
    """The server of a database."""
    tools = _Tools(database, seconds=settings.data_timeout)
    return Server(
        NAME,
        version=__version__,
        title=f"Fathom: {database.title}",
        instructions="Ask `describe` what the data hold, then `analyze` to count records or to read them page by page.",
        on_list_tools=tools.listed,
        on_call_tool=tools.called,
    )


# ── How it is reached ──────────────────────────────────────────────────────────────────────────────────────────────


def serve(
    paths: Sequence[Path],
    settings: DataSettings,
    mappings: Mapping[str, FieldMapping],
    *,
    port: int | None = None,
    say: Callable[[str], None],
) -> None:
    """Serve the files until the input ends or a signal comes; what was read of them is removed then.

    Args:
        port: Serve over HTTP on this port of this machine, 0 for one that is free; `None` speaks over standard input
            and output.
        say: Tells a person where it is; never over standard output.

    Raises:
        UsageError: a file cannot be read, or the port is taken.
        ConfigurationError: a mapping does not fit.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _end)
    listening = None if port is None else _listening(port)
    # not in this thread, so that a signal is heard while files are read
    with memory_within(settings.data_memory_mb), ThreadPoolExecutor(1) as thread:
        database = thread.submit(open_database, paths, settings, mappings).result()
    try:
        server = server_of(database, settings)
        if listening is None:
            anyio.run(_over_stdio, server)
        else:
            say(f"Serving {database.title} at http://{HOST}:{listening.getsockname()[1]}{PATH}")
            _over_http(server, listening)
    finally:
        database.close()


def _end(number: int, _: FrameType | None) -> None:
    """Leave nothing behind, at once: a thread that waits for input cannot be ended in any other way."""
    remove_all()
    os._exit(128 + number)


async def _over_stdio(server: Server[Any]) -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _listening(port: int) -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()  # whoever is told the address may come before all is ready, and waits
    except OSError as error:
        listening.close()
        raise UsageError(f"The port {port} cannot be used: {error.strerror}. Choose another, or 0 for any.") from error
    return listening


def _over_http(server: Server[Any], listening: socket.socket) -> None:
    import uvicorn

    app = server.streamable_http_app(streamable_http_path=PATH, host=HOST, json_response=True)
    config = uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=_GRACE)
    uvicorn.Server(config).run(sockets=[listening])
