"""MCP servers of the tests: of other shapes than ours, and misbehaving ones, as programs of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.doubles.data_server.faults import FAULTS, Fault
from tests.doubles.data_server.records import COUNTRIES, INJECTION, THEMES, events

__all__ = ["COUNTRIES", "FAULTS", "INJECTION", "THEMES", "Fault", "command", "events", "served"]

_ROOT = Path(__file__).parents[3]


def command(shape: str, *options: Any) -> tuple[str, ...]:
    """What starts a server over standard input and output: `command("faulty", "--fault", "dies")`."""
    program = (
        f"import runpy, sys; sys.path.insert(0, {str(_ROOT)!r}); runpy.run_module({__name__!r}, run_name='__main__')"
    )
    return (sys.executable, "-c", program, shape, *map(str, options))


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
