"""What keeps the fetching of pages on the public internet: an address is read strictly, then judged when connecting."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from urllib.parse import SplitResult, quote, urlsplit, urlunsplit

from fathom.errors import ConfigurationError, PageRefused, Unreachable
from fathom.outcomes import in_thread_of
from fathom.text.harmless import inert
from fathom.urls import IP, ip_of, plain_host

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a host, as a resolver knows them; `OSError` when it knows none."""

PORTS = {"http": 80, "https": 443}
_SAFE = "/%:@!$&'()*+,;=~-._"
_LONGEST = 8_000

_CLOSED_4 = [
    ipaddress.IPv4Network(net)
    for net in (
        "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 "
        "192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 "
        "203.0.113.0/24 224.0.0.0/4 240.0.0.0/4"
    ).split()
]
"""IANA's registry of special IPv4 addresses, and what it keeps for multicast and for later."""

_CLOSED_6 = [ipaddress.IPv6Network(net) for net in "2001::/23 2001:db8::/32 2620:4f:8000::/48 3fff::/20".split()]
"""IANA's registry of special IPv6 addresses, as far as they lie among the global ones."""

_GLOBAL_6 = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_ISATAP, _ISATAP_BITS = 0x00005EFE, 0xFCFFFFFF
"""What stands before the IPv4 address that the last bits of an IPv6 address hold, whatever network it is of."""


def is_public(place: IP) -> bool:
    """Whether an address belongs to the public internet; one that holds another is as public as that one.

    >>> [is_public(ipaddress.ip_address(text)) for text in ("8.8.8.8", "::ffff:10.0.0.1", "64:ff9b::8.8.8.8")]
    [True, False, True]
    """
    if isinstance(place, ipaddress.IPv4Address):
        return place.is_global and not any(place in net for net in _CLOSED_4)
    if place.scope_id:
        return False
    last = ipaddress.IPv4Address(int(place) & 0xFFFFFFFF)
    if int(place) >> 32 & _ISATAP_BITS == _ISATAP and not is_public(last):
        return False
    if inner := place.ipv4_mapped or place.sixtofour or (last if place in _NAT64 else None):
        return is_public(inner)
    return place in _GLOBAL_6 and place.is_global and not any(place in net for net in _CLOSED_6)


@dataclass(frozen=True)
class Address:
    """Where a page is, taken apart once, so that all who judge it and who connect mean the same host."""

    scheme: str
    """`http` or `https`."""
    host: str
    """A name in lower case without a last dot, or an IP address in its one plain spelling, IPv6 without brackets."""
    port: int
    target: str
    """Path and query, ASCII."""

    @classmethod
    def parse(cls, url: str) -> Address:
        """The parts of a URL, without its fragment.

        Raises:
            PageRefused: it is no address of a web page, or its host is spelled so that it may hide another.
        """
        shown = repr(inert(url, width=200))
        if len(url) > _LONGEST:
            raise PageRefused(f"An address of {len(url)} characters is not read: {shown}.")
        try:
            parts = urlsplit("".join(char for char in url.strip() if char.isprintable()))
            name, port = parts.hostname or "", parts.port
        except ValueError as error:
            raise PageRefused(f"{shown} is no address of a web page.") from error
        scheme = parts.scheme.lower()
        if scheme not in PORTS:
            raise PageRefused(f"{shown} is not read: only http and https are.")
        if "@" in parts.netloc:
            raise PageRefused(f"{shown} is not read: an address of a web page holds no name and no password.")
        if (host := plain_host(name)) is None:
            raise PageRefused(f"{shown} is not read: its host is no plain name and no plain IP address.")
        target = quote(parts.path or "/", safe=_SAFE)
        query = f"?{quote(parts.query, safe=_SAFE + '?')}" if parts.query else ""
        return cls(scheme, host, PORTS[scheme] if port is None else port, target + query)

    @property
    def ip(self) -> IP | None:
        """The host, when it is an IP address."""
        return ip_of(self.host)

    @property
    def place(self) -> str:
        """Host and port as in a URL; the scheme's own port is left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> tuple[str, str, int]:
        """What has to be the same for two pages to have the same server."""
        return self.scheme, self.host, self.port

    def at(self, target: str) -> Address:
        """Another page of the same server."""
        return Address(self.scheme, self.host, self.port, target)

    def __str__(self) -> str:
        path, _, query = self.target.partition("?")
        return urlunsplit(SplitResult(self.scheme, self.place, path, query, ""))


def _is_here(host: str) -> bool:
    return host == "localhost" or host.endswith(".localhost")  # RFC 6761: such names never leave the machine


class PrivateHosts:
    """The hosts that the operator has opened although they are not on the public internet."""

    def __init__(self, entries: Iterable[str]) -> None:
        """Entries are `wiki.corp.example`, `*.intranet.example`, `127.0.0.1:8080`, `[::1]:8080`.

        Raises:
            ConfigurationError: an entry is none of these.
        """
        self._entries = [self._read(entry) for entry in entries]

    def opens(self, host: str, port: int) -> bool:
        """Whether a host of that name may be read at that port, wherever it is."""
        return any(
            (host.endswith(name) if name.startswith(".") else host == name) and wanted in (None, port)
            for name, wanted in self._entries
        )

    def hold(self, url: str) -> bool:
        """Whether an address is of such a host; one that may hide its host is taken for that."""
        try:
            address = Address.parse(url)
        except PageRefused:
            return True
        return self.opens(address.host, address.port)

    @staticmethod
    def _read(entry: str) -> tuple[str, int | None]:
        match = re.fullmatch(
            r"(\*\.)?(\[[^\]]+\]|[^:\[\]]+|[^:\[\]]*:[^:\[\]]*:[^\[\]]*?)(?::(\d{1,5}))?", entry.strip()
        )
        host = plain_host(match[2].strip("[]")) if match else None
        if not match or not host or (match[1] and ip_of(host)):
            raise ConfigurationError(
                f"private_hosts: {inert(entry, width=100)!r} is no host; write wiki.corp.example, *.intranet.example "
                "or 127.0.0.1:8080."
            )
        return f".{host}" if match[1] else host, int(match[3]) if match[3] else None


class AddressGuard:
    """Finds the places that may be connected to for a host."""

    def __init__(self, private: PrivateHosts, *, resolve: Resolver | None = None) -> None:
        self._private = private
        self._resolve = resolve or self._look_up
        self._threads: ThreadPoolExecutor | None = None

    def opened(self, host: str, port: int) -> bool:
        """Whether the operator has opened that host."""
        return self._private.opens(host, port)

    def check(self, host: str, port: int) -> None:
        """Refuse what can be refused without asking a resolver.

        Raises:
            PageRefused: the port or the literal address is not open to us.
        """
        if self.opened(host, port):
            return
        if port not in PORTS.values():
            raise PageRefused(f"{host}:{port} is not read: only ports 80 and 443 are. {_HOW}")
        if _is_here(host) or ((place := ip_of(host)) and not is_public(place)):
            raise PageRefused(f"{host} is not read: it is not on the public internet. {_HOW}")

    async def places(self, host: str, port: int) -> list[str]:
        """The IP addresses at which the host may be connected to, in the resolver's order.

        Raises:
            PageRefused: none of its addresses is public.
            Unreachable: nobody knows the name.
        """
        self.check(host, port)
        if ip_of(host):
            return [host]
        if _is_here(host):
            found: Sequence[str] = ["127.0.0.1"]
        else:
            try:
                found = await self._resolve(host, port)
            except (OSError, UnicodeError) as error:
                raise Unreachable(f"{host} cannot be found: {inert(str(error), width=100)}.") from error
        places = [place for place in (ip_of(each) for each in dict.fromkeys(found)) if place]
        if not places:
            raise Unreachable(f"{host} cannot be found: its name has no address.")
        kept = [str(place) for place in places if self.opened(host, port) or is_public(place)]
        if not kept:
            raise PageRefused(f"{host} is not read: its name leads to a place off the public internet. {_HOW}")
        return kept

    async def _look_up(self, host: str, port: int) -> list[str]:
        # threads of its own: resolvers that never answer must not take those that everybody shares
        self._threads = self._threads or ThreadPoolExecutor(8, thread_name_prefix="fathom-dns")
        look_up = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        found = await in_thread_of(self._threads, look_up)
        return [str(place[0]) for _, _, _, _, place in found]

    def close(self) -> None:
        """Let go of the threads."""
        if self._threads:
            self._threads.shutdown(wait=False, cancel_futures=True)


_HOW = "The setting private_hosts can open it."
