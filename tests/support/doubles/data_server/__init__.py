"""MCP servers of the tests: of other shapes than ours, and misbehaving ones, as programs of their own."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.doubles.data_server.faults import FAULTS, Fault, Faulty
from tests.support.doubles.data_server.records import COUNTRIES, INJECTION, THEMES, events
from tests.support.doubles.data_server.shapes import Elastic, Listing

__all__ = ["COUNTRIES", "FAULTS", "INJECTION", "THEMES", "Fault", "command", "events", "served"]

_ROOT = Path(__file__).parents[4]


def command(shape: str, *options: Any) -> tuple[str, ...]:
    """What starts a server over standard input and output: `command("faulty", "--fault", "dies")`."""
    program = (
        f"import runpy, sys; sys.path.insert(0, {str(_ROOT)!r}); runpy.run_module({__name__!r}, run_name='__main__')"
    )
    return (sys.executable, "-c", program, shape, *map(str, options))


@contextmanager
def served(shape: str, *, log: Path | None = None) -> Iterator[str]:
    """A server over HTTP in a thread of its own, as long as the block lasts; its address."""
    import uvicorn  # a program does without

    server = Faulty("none", log=log) if shape == "faulty" else {"elastic": Elastic, "listing": Listing}[shape](log=log)
    listening = socket.create_server(("127.0.0.1", 0))
    serving = uvicorn.Server(uvicorn.Config(server.made().streamable_http_app(), log_level="error"))
    thread = threading.Thread(target=lambda: serving.run(sockets=[listening]), name="data server", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
    finally:
        serving.should_exit = serving.force_exit = True
        thread.join(30)
