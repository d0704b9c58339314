"""Fetches a page from a public place, within limits of size, time and manners."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urljoin

import httpcore

from fathom.browsing import WebRules, barred
from fathom.errors import (
    ConfigurationError,
    MalformedReply,
    NoEvidence,
    PageRefused,
    ProviderFault,
    RateLimited,
    Unreachable,
)
from fathom.pages.clock import Clock
from fathom.pages.guard import Address, AddressGuard, PrivateHosts, Resolver
from fathom.pages.pace import LONGEST_PAUSE, HostPace
from fathom.pages.robots import MAX_BYTES, Robots
from fathom.pages.wire import HttpAnswer, HttpWire
from fathom.services.failures import retry_after
from fathom.settings import Settings
from fathom.text.harmless import inert
from fathom.version import __version__

USER_AGENT = f"Fathom/{__version__} (+research; reads single pages for a person)"
REDIRECTS = 10
"""Redirects that lead to a page at most."""
_MOVED = {301, 302, 303, 307, 308}
_KEPT = ("etag", "last-modified", "date", "content-language", "x-robots-tag")
_RETRY_AFTER = 0.5
_ROBOTS_SECONDS = 10.0


@dataclass(frozen=True)
class Fetched:
    """A page as its server has sent it."""

    address: str
    """Where it was found in the end, behind all redirects."""
    status: int
    """200 to 299."""
    media_type: str
    """In lower case, without parameters; by its first bytes where the header is missing or wrong."""
    charset: str | None
    """What the header says; `None` when it says nothing."""
    body: bytes
    """Unpacked, `page_max_bytes` at most. A large one counts against the memory of all until its `Fetched` is gone."""
    headers: Mapping[str, str]
    """The ones of use, by name in lower case: etag, last-modified, date, content-language, x-robots-tag."""


class Fetcher:
    """Reads pages for one run or many; belongs to one event loop."""

    def __init__(
        self,
        settings: Settings,
        *,
        rules: WebRules,
        resolve: Resolver | None = None,
        network: httpcore.AsyncNetworkBackend | None = None,
    ) -> None:
        """`resolve` and `network` stand in for the resolver and the sockets of the system, below the guard.

        Raises:
            ConfigurationError: a setting of pages is wrong.
        """
        agent = settings.user_agent or USER_AGENT
        if not re.fullmatch(r"[\x20-\x7e]+", agent):
            raise ConfigurationError("user_agent: only printable ASCII characters can be sent.")
        self._rules = rules
        self._seconds, self._obeys = settings.page_timeout, settings.robots
        self._guard = AddressGuard(PrivateHosts(settings.private_hosts), resolve=resolve)
        self._wire = HttpWire(self._guard, agent=agent, max_bytes=settings.page_max_bytes, network=network)
        self._pace = HostPace(settings.page_delay)
        self._robots = Robots(self._get_robots, agent=(re.match(r"[A-Za-z_-]+", agent) or ["Fathom"])[0])

    async def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> Fetched | None:
        """The page; `None` when its server says that it is still the version that `etag` or `last_modified` name.

        Raises:
            PageRefused: it may not be read.
            PageTooLarge: it is larger, or comes slower, than is allowed.
            NoEvidence: there is nothing, or nothing of it can be read.
            RateLimited: its host asks us to wait for longer than is waited for.
            MalformedReply: what came is not what HTTP promises.
            Unavailable: no usable answer in time.
        """
        known = {"If-None-Match": etag, "If-Modified-Since": last_modified}
        known = {name: value for name, value in known.items() if re.fullmatch(r"[\x20-\x7e]{1,1000}", value)}
        start = Address.parse(url)
        answer = await self._follow(start, known, pages=True)
        if answer.status == 304 and known and answer.address.origin == start.origin:
            return None
        _judge(answer)
        fetched = Fetched(
            address=str(answer.address),
            status=answer.status,
            media_type=answer.media_type,
            charset=answer.charset,
            body=answer.body,
            headers={name: answer.headers[name][:1000] for name in _KEPT if name in answer.headers},
        )
        if answer.place:
            answer.place.leave_with(fetched)
        return fetched

    @property
    def connections(self) -> int:
        """Connections that are open; none, unless a page is being fetched."""
        return self._wire.connections

    async def close(self) -> None:
        """Let go of what is open."""
        await self._wire.close()
        self._guard.close()

    async def _get_robots(self, address: Address) -> tuple[int, bytes]:
        answer = await self._follow(address, {}, pages=False)
        return answer.status, answer.body

    async def _follow(self, start: Address, known: Mapping[str, str], *, pages: bool) -> HttpAnswer:
        """The answer behind all redirects; each hop is judged like the first.

        `known` names the version that is known, which is the business of the server of `start` alone. Without `pages`
        it is a robots.txt: it may be asked for without asking its host, and is cut where it is too long.
        """
        clock = Clock(self._seconds if pages else min(self._seconds, _ROBOTS_SECONDS))
        address, seen, behind_public = start, {start}, False
        self._admit(start, behind_public=False)
        while True:
            if pages and self._obeys:
                self._pace.slow_down(address.host, await self._robots.delay(address))
            headers = known if address.origin == start.origin else {}
            answer = await self._ask(address, headers, clock, first_bytes=None if pages else MAX_BYTES)
            if answer.status not in _MOVED:
                return answer
            behind_public |= not self._guard.opened(address.host, address.port)
            try:
                address = _moved_to(answer)
                self._admit(address, behind_public=behind_public)
            except PageRefused as error:
                raise PageRefused(f"{start} leads elsewhere: {error}") from error
            if address in seen or len(seen) > REDIRECTS:
                raise NoEvidence(f"{start} leads nowhere: it redirects in a circle, or more than {REDIRECTS} times.")
            seen.add(address)

    def _admit(self, address: Address, *, behind_public: bool) -> None:
        """Refuse what may not be read.

        A page of the public internet cannot lead to a host that the operator has opened: who has opened it has trusted
        the question and the documents with it, not the web.
        """
        if behind_public and self._guard.opened(address.host, address.port):
            raise PageRefused(f"{address} is not read: a public page leads there, but it is in private_hosts.")
        self._guard.check(address.host, address.port)
        if reason := barred(str(address), self._rules):
            raise PageRefused(f"{address} is not read: {reason}.")

    async def _ask(
        self, address: Address, headers: Mapping[str, str], clock: Clock, *, first_bytes: int | None
    ) -> HttpAnswer:
        """One request, and a second one when the first fails in a way that passes."""
        for last in (False, True):
            try:
                async with self._pace.turn(address.host):
                    answer = await self._wire.get(address, headers, clock, first_bytes=first_bytes)
            except Unreachable:
                if last or clock.left <= _RETRY_AFTER:
                    raise
                clock.left -= _RETRY_AFTER
                await asyncio.sleep(_RETRY_AFTER)
                continue
            wait = _silence(answer)
            if wait is not None:
                self._pace.silence(address.host, wait)
            if answer.status == 429 and (last or wait is None or wait > LONGEST_PAUSE):
                raise RateLimited(
                    f"{address} is not read: HTTP 429, its host asks for fewer requests.", retry_after=wait
                )
            if last or (answer.status < 500 and answer.status != 429):
                return answer
            if wait is None:
                clock.left -= _RETRY_AFTER
                await asyncio.sleep(_RETRY_AFTER)
            elif wait > LONGEST_PAUSE:
                return answer
        raise AssertionError("the second answer was returned")


def _silence(answer: HttpAnswer) -> float | None:
    """Seconds of silence that the server asks for; `None` when it does not."""
    return retry_after(answer.headers.get("retry-after")) if answer.status in (429, 503) else None


def _moved_to(answer: HttpAnswer) -> Address:
    target = answer.headers.get("location", "").encode("latin-1").decode("utf-8", "replace").strip()
    if not target:
        raise MalformedReply(f"{answer.address} redirects without saying where to.")
    try:
        return Address.parse(urljoin(str(answer.address), target))
    except ValueError as error:
        raise PageRefused(f"{inert(target, width=100)!r} is no address of a web page.") from error


def _judge(answer: HttpAnswer) -> None:
    """Refuse an answer that is no page."""
    match answer.status:
        case 204 | 205:
            raise NoEvidence(f"{answer.address} is empty: HTTP {answer.status}.")
        case 206:
            raise MalformedReply(f"{answer.address} has answered with a part: HTTP 206, which was not asked for.")
        case status if 200 <= status < 300:
            return
        case 401 | 403 | 451 as status:
            raise PageRefused(f"{answer.address} may not be read: HTTP {status}.")
        case status if 400 <= status < 500:
            raise NoEvidence(f"{answer.address} is not there: HTTP {status}.")
        case 503 if (wait := _silence(answer)) is not None:
            raise RateLimited(f"{answer.address} is not read: HTTP 503, its host asks for silence.", retry_after=wait)
        case status if status >= 500:
            raise ProviderFault(f"{answer.address} has failed: HTTP {status}.")
        case status:
            raise MalformedReply(f"{answer.address} has answered with HTTP {status}, which is no page.")
