"""Keeps a process on this machine: whatever would connect elsewhere, of ours or of a library, is refused."""

from __future__ import annotations

import ipaddress
import sys
from typing import Any

_ASKS_FOR_A_NAME = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}
_GOES_TO_AN_ADDRESS = {"socket.connect", "socket.sendto", "socket.sendmsg"}


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
        """Put the hook in place."""
        sys.addaudithook(self._hear)

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
        name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host or "")
        if not _stays(name):
            self.refused.append(name)
            raise Sealed(f"Nothing may leave this machine, and {name} was asked for.")


def _stays(host: str) -> bool:
    """Whether a host is this machine itself; a name that only a server elsewhere could resolve is not."""
    host = host.rstrip(".").lower()
    if host in ("", "localhost") or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


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
