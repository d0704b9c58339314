"""Asks a host's robots.txt (RFC 9309) before its pages are read, once per host."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from protego import Protego

from fathom.errors import (
    MalformedReply,
    NoEvidence,
    PageError,
    PageRefused,
    Unavailable,
    Unreachable,
)
from fathom.pages.guard import Address
from fathom.pages.pace import LONGEST_PAUSE

MAX_BYTES = 512 * 1024
"""Bytes of a robots.txt that are read; what is behind them does not count."""
_AGENT = re.compile(r"(?im)^[ \t]*user[- ]?agent(?:[ \t]*+:|[ \t])[ \t]*+([^\n#]*+).*$")
_KEPT_SECONDS = 24 * 3600.0
_KEPT_FAILURE_SECONDS = 300.0
_HOSTS = 1_000

Get = Callable[[Address], Awaitable[tuple[int, bytes]]]
"""Status and body of a robots.txt, behind its redirects; a page's errors when there is no answer."""


@dataclass
class _Known:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    rules: Protego | None = None
    failure: str = ""
    gone: str = ""
    until: float = 0.0


class Robots:
    """What the hosts allow to our user agent."""

    def __init__(self, get: Get, *, agent: str) -> None:
        """`agent` is the name that a robots.txt knows us by."""
        self._get = get
        self._agent = agent
        self._hosts: OrderedDict[tuple[str, str, int], _Known] = OrderedDict()

    async def delay(self, address: Address) -> float:
        """Seconds that the host wants between two requests, for a page that it allows.

        Raises:
            PageRefused: it does not allow the page, or wants more than 10 s between requests.
            Unreachable: it cannot be asked.
            RateLimited: it asks for silence.
        """
        known = self._hosts.setdefault(address.origin, _Known())
        self._hosts.move_to_end(address.origin)
        if len(self._hosts) > _HOSTS:
            self._hosts.popitem(last=False)
        async with known.lock:
            if known.until <= asyncio.get_running_loop().time():
                await self._ask(address, known)
        if known.gone:
            raise Unreachable(f"{address} is not read: the robots.txt of {address.place} cannot be had: {known.gone}")
        if known.failure:
            raise PageRefused(
                f"{address} is not read: the robots.txt of {address.place} cannot be read ({known.failure}), which "
                "counts as a no. The setting robots=false leaves it aside."
            )
        if known.rules is None:
            return 0.0
        if not known.rules.can_fetch(str(address), self._agent):
            raise PageRefused(f"{address} is not read: the robots.txt of {address.place} does not allow it.")
        wanted = known.rules.crawl_delay(self._agent) or 0.0
        if wanted > LONGEST_PAUSE:
            raise PageRefused(
                f"{address} is not read: the robots.txt of {address.place} wants {wanted:g} s between two pages."
            )
        return wanted

    async def _ask(self, address: Address, known: _Known) -> None:
        known.rules, known.failure, known.gone = None, "", ""
        try:
            status, body = await self._get(address.at("/robots.txt"))
            if 200 <= status < 300:
                known.rules = Protego.parse(_ours(body.decode("utf-8-sig", "replace"), self._agent))
            elif not 400 <= status < 500:
                known.failure = f"HTTP {status}"
        except NoEvidence:
            pass  # it leads nowhere, which RFC 9309 reads like a 404: all is allowed
        except Unavailable as error:
            known.gone = str(error)
        except (MalformedReply, PageError) as error:
            known.failure = str(error)
        failed = known.failure or known.gone
        known.until = asyncio.get_running_loop().time() + (_KEPT_FAILURE_SECONDS if failed else _KEPT_SECONDS)


def _ours(text: str, agent: str) -> str:
    """The text with one name for all agents but us: groups of ten thousand names would take a parser minutes."""

    def name(match: re.Match[str]) -> str:
        found = match[1].strip().lower().partition("/")[0]
        return f"User-agent: {agent if found == agent.lower() else '*' if found == '*' else 'somebody-else'}"

    return _AGENT.sub(name, text)
