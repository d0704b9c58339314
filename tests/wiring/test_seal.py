"""A sealed process: nothing leaves this machine, whoever tries."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import pytest

SEALED = "from fathom.wiring.seal import sealed; seal = sealed()\n"


def run(program: str) -> str:
    """What a program prints, in a process of its own: a seal cannot be taken away."""
    # without the tests' own guard, which would refuse first: only the seal is looked at
    command = [sys.executable, "-S", "-c", _PATHS + textwrap.dedent(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return (done.stdout + done.stderr).strip()


_PATHS = f"import sys; sys.path[:] = {sys.path!r}\n"


ATTEMPTS = (
    "socket.create_connection(('192.0.2.1', 80), timeout=1)",
    "socket.getaddrinfo('example.org', 80)",
    "socket.gethostbyname('example.org')",
    "socket.getaddrinfo('x.localhost', 80)",
    "socket.gethostbyname_ex('example.org')",
    "socket.gethostbyaddr('example.org')",
    "socket.socket().connect(('example.org', 80))",
    "socket.socket().connect_ex(('example.org', 80))",
    "socket.socket().connect((bytearray(b'example.org'), 80))",
    "socket.socket().bind(('example.org', 0))",
    "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('example.org', 53))",
    "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('example.org', 53))",
    "socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b'x', 0, ('example.org', 53, 0, 0))",
    "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendmsg([b'x'], [], 0, ('example.org', 53))",
    "socket.getnameinfo(('192.0.2.1', 80), 0)",
    "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
    "socket.socket(socket.AF_INET6).connect(('2001:db8::1', 80, 0, 0))",
    "socket.socket().connect_ex(('192.0.2.1', 80))",
    "urllib.request.urlopen('http://192.0.2.1/', timeout=1)",
    "asyncio.run(asyncio.open_connection('192.0.2.1', 80))",
    "asyncio.run(asyncio.open_connection('example.org', 443))",
    "httpx.get('http://192.0.2.1/', timeout=1)",
)


@pytest.fixture(scope="module")
def refused() -> dict[str, list[str]]:
    """What the seal has refused at each attempt of a process that tries them all."""
    said = run(
        SEALED
        + f"""
import asyncio, json, socket, urllib.request, httpx
refused = {{}}
for attempt in {ATTEMPTS!r}:
    before = len(seal.refused)
    try:
        eval(attempt)
    except Exception:
        refused[attempt] = seal.refused[before:]
print(json.dumps(refused))
"""
    )
    told: dict[str, list[str]] = json.loads(said.splitlines()[-1])
    return told


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_no_socket_leaves_a_sealed_process(attempt: str, refused: dict[str, list[str]]) -> None:
    assert refused[attempt]


def test_a_sealed_process_reaches_this_machine() -> None:
    said = run(
        SEALED
        + """
import socket
with socket.create_server(("127.0.0.1", 0)) as server:
    for host in ("127.0.0.1", "localhost"):
        socket.create_connection((host, server.getsockname()[1]), timeout=5).close()
print("reached", seal.refused)
"""
    )
    assert said == "reached []"


def test_a_thread_and_a_library_are_sealed_too() -> None:
    said = run(
        SEALED
        + """
import threading, urllib.request
def leak():
    try:
        urllib.request.urlopen("http://192.0.2.1/", timeout=1)
    except OSError:
        pass
thread = threading.Thread(target=leak); thread.start(); thread.join()
print(seal.refused)
"""
    )
    assert said == "['192.0.2.1']"
