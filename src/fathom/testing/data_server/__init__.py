"""MCP servers of the tests: of other shapes than ours, and misbehaving ones, as programs of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fathom.testing.data_server.faults import FAULTS, Fault
from fathom.testing.data_server.records import COUNTRIES, INJECTION, THEMES, events

__all__ = ["COUNTRIES", "FAULTS", "INJECTION", "THEMES", "Fault", "command", "events", "served"]


def command(shape: str, *options: Any) -> tuple[str, ...]:
    """What starts a server over standard input and output: `command("faulty", "--fault", "dies")`."""
    return (sys.executable, "-m", "fathom.testing.data_server", shape, *map(str, options))


@contextmanager
def served(shape: str, *options: Any) -> Iterator[str]:
    """A server over HTTP, as long as the block lasts; its address."""
    process = subprocess.Popen([*command(shape, *options), "--http"], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
