"""Refuses every connection that would leave the machine: in the tests, and in every process that they start."""

from __future__ import annotations

import ipaddress
import socket
from typing import Any

_connect = socket.socket.connect
_connect_ex = socket.socket.connect_ex
_getaddrinfo = socket.getaddrinfo


def _refuse(host: object) -> None:
    name = host.decode() if isinstance(host, bytes) else str(host)
    if name in ("localhost", ""):
        return
    try:
        if ipaddress.ip_address(name).is_loopback:
            return
    except ValueError:
        pass  # a name, which only an outside server could resolve
    raise OSError(f"The tests have no network: {name} was asked for.")


def connect(self: socket.socket, address: Any) -> None:
    if self.family in (socket.AF_INET, socket.AF_INET6):
        _refuse(address[0])
    _connect(self, address)


def connect_ex(self: socket.socket, address: Any) -> int:
    if self.family in (socket.AF_INET, socket.AF_INET6):
        _refuse(address[0])
    return _connect_ex(self, address)


def getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
    if host is not None:
        _refuse(host)
    return _getaddrinfo(host, *args, **kwargs)


socket.socket.connect = connect  # type: ignore[method-assign,assignment]
socket.socket.connect_ex = connect_ex  # type: ignore[method-assign,assignment]
socket.getaddrinfo = getaddrinfo
