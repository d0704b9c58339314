"""Keeps a process on this machine: whatever would connect elsewhere, of ours or of a library, is refused."""

from __future__ import annotations

import ipaddress
import socket
import sys
from functools import wraps
from typing import Any

_ASKS_FOR_A_NAME = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}
_GOES_TO_AN_ADDRESS = {"socket.connect", "socket.sendto", "socket.sendmsg"}
_RESOLVES = ("bind", "connect", "connect_ex", "sendto", "sendmsg")
"""Methods of a socket that ask a server for a name before any hook is told of it."""


class Sealed(OSError):
    """Something wanted to leave this machine."""


class Seal:
    """Refuses every socket of this process that would leave the machine, from now until it ends.

    Python tells an audit hook of each connection before it is made, whoever makes it; a hook cannot be taken away. It
    sees what goes through Python's own sockets, which is all that Fathom uses.
    """

    def __init__(self) -> None:
        self.refused: list[str] = []
        """The hosts that were asked for, in order."""

    def close(self) -> None:
        """Put the hook in place, and let no socket ask for a name by itself."""
        for name in _RESOLVES:
            setattr(socket.socket, name, self._checked(getattr(socket.socket, name)))
        sys.addaudithook(self._hear)

    def _checked(self, method: Any) -> Any:
        @wraps(method)
        def checked(used: socket.socket, *arguments: Any) -> Any:
            address = arguments[-1] if arguments else None
            if isinstance(address, tuple) and address and used.family in (socket.AF_INET, socket.AF_INET6):
                host = _name(address[0])
                if _address(host) is None:
                    self._judge(host)
            return method(used, *arguments)

        return checked

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in _ASKS_FOR_A_NAME:
            host = arguments[0]
        elif event == "socket.getnameinfo":  # asks a server for the name of an address
            host = arguments[0][0]
        elif event in _GOES_TO_AN_ADDRESS:
            address = arguments[1]
            if not isinstance(address, tuple):  # of a socket in the file system, or of one that is connected already
                return
            host = address[0]
        else:
            return
        self._judge(_name(host))

    def _judge(self, host: str) -> None:
        if not _stays(host):
            self.refused.append(host)
            raise Sealed(f"Nothing may leave this machine, and {host} was asked for.")


def _name(host: Any) -> str:
    return bytes(host).decode("ascii", "replace") if isinstance(host, bytes | bytearray) else str(host or "")


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None


def _stays(host: str) -> bool:
    """Whether a host is this machine itself. A name that only a server elsewhere could resolve is not: many resolvers
    ask one for `x.localhost`, too."""
    address = _address(host)
    return host.lower() in ("", "localhost") if address is None else address.is_loopback or address.is_unspecified


_OF_THIS_PROCESS: list[Seal] = []


def sealed() -> Seal:
    """Seal this process, once."""
    if not _OF_THIS_PROCESS:
        _OF_THIS_PROCESS.append(Seal())
        _OF_THIS_PROCESS[0].close()
    return _OF_THIS_PROCESS[0]


def seal_of_process() -> Seal | None:
    """The seal, if this process is sealed."""
    return _OF_THIS_PROCESS[0] if _OF_THIS_PROCESS else None
