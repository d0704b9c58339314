"""Where the service listens, and whether anybody but this machine can ask it there."""

from __future__ import annotations

import errno
import ipaddress
import os
import resource
import socket
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from fathom.errors import ConfigurationError

BACKLOG = 2_048
"""Connections that may wait to be taken."""
FILES = 8_192
"""Files and connections that the process asks the system to let it have open at once."""


class ListeningHost(NamedTuple):
    """A host that the service may listen on."""

    host: str
    """As it was given."""
    addresses: tuple[str, ...]
    """What it stands for, as numbers."""

    @property
    def is_loopback(self) -> bool:
        """Whether nobody but this machine gets there."""
        return all(ipaddress.ip_address(address).is_loopback for address in self.addresses)

    @property
    def is_everywhere(self) -> bool:
        """Whether it stands for every address of this machine."""
        return any(ipaddress.ip_address(address).is_unspecified for address in self.addresses)

    def url(self, port: int) -> str:
        """Where the page is, for a browser on this machine."""
        host = self.host.strip("[]")
        if self.is_everywhere:
            host = "127.0.0.1"
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def place_of(host: str) -> ListeningHost:
    """What a host stands for.

    Raises:
        ConfigurationError: it is no address and no name of this machine.
    """
    plain = host.strip().strip("[]")
    try:
        return ListeningHost(host.strip(), (str(ipaddress.ip_address(plain)),))
    except ValueError:
        pass  # a name
    try:
        found = socket.getaddrinfo(plain or None, None, type=socket.SOCK_STREAM) if plain else []
    except (OSError, UnicodeError) as error:
        raise ConfigurationError(
            f"The host '{host}' cannot be found: {error}. Give an address of this machine, like 127.0.0.1."
        ) from error
    if not found:
        raise ConfigurationError("The host is empty: give an address of this machine, like 127.0.0.1.")
    return ListeningHost(host.strip(), tuple(dict.fromkeys(str(address[0]) for *_, address in found)))


@cache
def room() -> int:
    """How many files and connections this process may have open at once, after asking for more where that is little."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return FILES
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(soft, wanted)


def listen(place: ListeningHost, port: int) -> list[socket.socket]:
    """Sockets that listen on a place, at one and the same port; the caller closes them.

    Args:
        port: 0 takes one that is free.

    Raises:
        ConfigurationError: the port is taken or not allowed, or the address is not one of this machine.
    """
    opened: list[socket.socket] = []
    refused: OSError | None = None
    for address in place.addresses:
        try:
            opened.append(_listening(address, opened[0].getsockname()[1] if opened else port))
        except OSError as error:
            refused = error
            if error.errno != errno.EADDRNOTAVAIL:  # else `localhost` may well stand for one that is switched off
                _close(opened)
                raise _told(error, place, port) from error
    if refused and not opened:
        raise _told(refused, place, port) from refused
    return opened


def _listening(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    # without the protocol's number, asyncio lets the system hold back what is sent in several pieces
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere it would let two listen on one port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listening.bind((address, port))
        listening.listen(BACKLOG)
        listening.setblocking(False)
    except OSError:
        listening.close()
        raise
    return listening


def _close(sockets: Sequence[socket.socket]) -> None:
    for each in sockets:
        each.close()


def _told(error: OSError, place: ListeningHost, port: int) -> ConfigurationError:
    match error.errno:
        case errno.EADDRINUSE:
            said = f"Port {port} of {place.host} is taken. Another service may use it: choose one with `serve_port`."
        case errno.EACCES:
            said = f"Port {port} of {place.host} may not be listened on: choose one from 1024 on with `serve_port`."
        case errno.EADDRNOTAVAIL:
            said = f"This machine has no address {place.host}: choose one of its own with `serve_host`."
        case _:
            said = f"Port {port} of {place.host} cannot be listened on: {error.strerror or error}."
    return ConfigurationError(said)
