"""The data of a run: files of the user's, MCP servers and connectors, named, pinned and opened."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from fathom.browsing import WEB
from fathom.data.servers import DataSource, Server
from fathom.errors import ConfigurationError, UsageError
from fathom.limits import Limits
from fathom.registry import Registry, did_you_mean
from fathom.settings import Settings
from fathom.urls import is_loopback
from fathom.wiring.paths import checked_path

if TYPE_CHECKING:
    from fathom.data.fields import FieldMapping
    from fathom.ports import Reasoner, RunRecord
    from fathom.ports.data import Dataset
    from fathom.sources.guarded import Guarded

MAX_RECORDS_WITH_MODEL = 300
"""Records that a subtask reads when a model does, unless more are asked for: each of them is paid for."""
connectors: Registry[Any] = Registry("source", group="fathom.sources", builtin={})
"""Sources that installed packages bring along."""
TAKEN = {"knowledge", WEB}
"""Names that other sources have."""
_COMMAND_WORDS = frozenset("npx uvx pipx bunx node python python3 deno docker run -m -y exec".split())


def data_sources(
    data: Sequence[Path | str] | None, mcp: Sequence[str | Server] | None, settings: Settings
) -> tuple[DataSource, ...]:
    """The datasets of a question, each with a name of its own.

    Args:
        data: Files and folders, each a dataset.
        mcp: MCP servers: an address, a command, or a name out of the settings; and sources of the user's own: a name
            out of the settings or of an entry point, or `module:attribute`.

    Raises:
        UsageError: a file is not there, or what stands for a server is none.
        ConfigurationError: the mapping cannot be read.
    """
    found: dict[str, DataSource] = {}
    mapping = _mapping(settings)

    def add(name: str, **what: Any) -> None:
        free = _free(name, taken={*TAKEN, *found})
        found[free] = DataSource(name=free, mapping=mapping, **what)

    if data:
        from fathom.datasets.loading import look_at
    for path in data or ():
        checked = checked_path(path)
        look_at(checked)
        add(checked.name.partition(".")[0] or checked.name, paths=(str(checked),))
    for each in mcp or ():
        if not isinstance(each, Server) and (connector := _connector(each, settings)):
            add(each.rpartition(":")[2].lower(), connector=connector)
            continue
        name, server = _server(each, settings)
        add(name, server=server)
    return tuple(found.values())


def server_of(given: str, *, tools: Iterable[str] = (), headers: Mapping[str, str] | None = None) -> Server:
    """The server that an address or a command stands for.

    Raises:
        UsageError: it is neither, or a header holds a secret in plain.
    """
    try:
        if given.startswith(("http://", "https://")):
            return Server(url=_checked_url(given), tools=tuple(tools), headers=dict(headers or {}))
        command = shlex.split(given)
        if headers:
            raise UsageError(f"A header is for a server with an address, and '{given}' is a command.")
        if not command or shutil.which(command[0]) is None:
            raise UsageError(f"There is no command '{command[0] if command else ''}'.")
        return Server(command=tuple(command), tools=tuple(tools))
    except ValidationError as error:
        reason = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise UsageError(f"The server cannot be asked: {reason}.") from None  # what is given may hold a secret
    except ValueError as error:  # a quotation mark that is never closed
        raise UsageError(f"The command {given!r} cannot be read: {error}.") from error


def _checked_url(given: str) -> str:
    try:
        parts = urlsplit(given)
        if parts.hostname and parts.port != 0 and not (parts.username or parts.password):
            return given
    except ValueError:
        raise UsageError(f"{given!r} is no address of a server.") from None
    raise UsageError(
        "An address of a server has a host and no password in it: write it like https://example.org/mcp, and give a "
        "key in a header."
    )


def _connector(given: str, settings: Settings) -> str:
    """What makes the source of the user's own that is meant; empty when none is."""
    if given in settings.mcp:
        return ""
    named = settings.sources.get(given, given)
    return named if re.fullmatch(r"[\w.]+:[^\W\d]\w*", named) or named in connectors.names() else ""


def _server(given: str | Server, settings: Settings) -> tuple[str, Server]:
    """A name and the server; what is written in the settings under that name comes first."""
    if isinstance(given, Server):
        return _name_of(given), given
    if given in settings.mcp:
        return given, settings.mcp[given]
    if not given.strip():
        raise UsageError("`mcp` is empty: give it the address of a server, a command, or a name out of the settings.")
    if not given.startswith(("http://", "https://")) and (" " not in given and shutil.which(given) is None):
        known = sorted({*settings.mcp, *settings.sources, *connectors.names()})
        raise UsageError(
            f"'{given}' is no address, no command, no source, and no server of the settings."
            f"{did_you_mean(given, known)} Known: {', '.join(known) or 'none'}."
        )
    server = server_of(given)
    return _name_of(server), server


def _name_of(server: Server) -> str:
    """What a reader would call it: its host, or the word of its command that tells most."""
    if server.url:
        return urlsplit(server.url).hostname or "server"
    names = [Path(word).name for word in server.command if not word.startswith("-")]
    told = (name.rpartition("@")[0] or name for name in names if name not in _COMMAND_WORDS)  # `server@1.2` is `server`
    return next(told, names[0])


def _free(name: str, *, taken: set[str]) -> str:
    """A name like `name` that is not taken, of letters, digits, points, hyphens and underscores."""
    plain = re.sub(r"[^\w.-]+", "-", name).strip("-.")[:60] or "data"
    return next(each for each in (plain, *(f"{plain}-{at}" for at in range(2, 10_000))) if each not in taken)


def _mapping(settings: Settings) -> dict[str, FieldMapping]:
    if settings.data_mapping is None:
        return {}
    from fathom.data.mapping import read_mappings

    return read_mappings(settings.data_mapping)


def with_record_cap(limits: Limits, sources: Sequence[DataSource], reasoner: Reasoner) -> Limits:
    """The limits with the cap of records that reading with a model has unless another one is set."""
    if not sources or limits.max_records is not None or not reasoner.metered:
        return limits
    return limits.model_copy(update={"max_records": MAX_RECORDS_WITH_MODEL})


def sources_of(run: RunRecord) -> tuple[DataSource, ...]:
    """The datasets that a run's record pins."""
    return tuple(map(DataSource.model_validate, run.sources.get("data", ())))


async def opened_datasets(stack: AsyncExitStack, sources: Sequence[DataSource], settings: Settings) -> list[Dataset]:
    """The datasets, which connect when they are first asked, until the stack is closed.

    Raises:
        ConfigurationError: a variable of a server is not set, or nothing may leave.
    """
    if not sources:
        return []
    from fathom.tools import open_dataset

    found = []
    for source in sources:
        if not source.connector:
            found.append(open_dataset(source, settings))
            stack.push_async_callback(found[-1].close)
    return found


def opened_connectors(sources: Sequence[DataSource], settings: Settings) -> list[Guarded]:
    """The sources of the user's own, of whose code nothing runs before they are first asked."""
    from fathom.sources.guarded import Guarded

    return [
        Guarded(each.name, partial(_made, each.connector, no_web=settings.no_web), timeout=settings.mcp_timeout)
        for each in sources
        if each.connector
    ]


def _made(connector: str, *, no_web: bool) -> Any:
    """A connector; it raises whatever the user's code raises."""
    module, _, attribute = connector.partition(":")
    if attribute and (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)  # last, so that it hides nothing
    made: Any = getattr(import_module(module), attribute) if attribute else connectors.get(connector)
    if isinstance(made, type) or not (hasattr(made, "search") or hasattr(made, "ainvoke")):
        made = made()
    address = getattr(made, "address", None)
    if no_web and not (isinstance(address, str) and (not address or is_loopback(urlsplit(address).hostname or ""))):
        raise ConfigurationError("nothing may leave this machine, and its `address` does not say that nothing does")
    if not hasattr(made, "search") and hasattr(made, "ainvoke"):
        from fathom.sources.langchain import LangChain

        return LangChain(made)
    return made
