"""The guard that keeps the tests on this machine."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest


def test_a_test_reaches_no_other_machine() -> None:
    with pytest.raises(OSError, match="no network"):
        socket.create_connection(("192.0.2.1", 80), timeout=1)
    with pytest.raises(OSError, match="no network"):
        socket.getaddrinfo("example.org", 80)


def test_a_process_that_a_test_starts_reaches_no_other_machine() -> None:
    program = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "The tests have no network" in done.stderr


def test_a_test_reaches_a_server_on_this_machine() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()[:2]):
        server.accept()[0].close()
