"""One request and its answer, within limits of size and time; whatever goes wrong is an error for that page alone."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import httpcore

from fathom.errors import MalformedReply, NoEvidence, PageTooLarge, TimedOut, Unreachable
from fathom.pages.backend import BoundedStream, GuardedBackend
from fathom.pages.clock import Clock
from fathom.pages.guard import Address, AddressGuard
from fathom.pages.media import NEEDED, header_type, is_silent, media_type
from fathom.pages.room import LARGE, MemoryRoom, MemoryShare
from fathom.pages.unpack import ASKED_FOR, Unpacker
from fathom.text.harmless import inert

_FIELDS = 256
_OVERHEAD = 1_000_000
_PIECES, _PIECE_BYTES = 10_000, 64
_TAIL = 64
_CONNECT_SECONDS = 15.0


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    """Who vouches for a server; reading that takes longer than fetching a page."""
    return httpcore.default_ssl_context()


@dataclass(frozen=True)
class HttpAnswer:
    """What a server has answered."""

    address: Address
    status: int
    headers: Mapping[str, str]
    """By name in lower case; several of a name are joined by a comma."""
    body: bytes = b""
    """Unpacked; empty unless the status is one of success."""
    media_type: str = ""
    charset: str | None = None
    place: MemoryShare | None = field(default=None, compare=False)
    """Of a large body: what is to be left when it is gone."""


class HttpWire:
    """Asks servers in public places. Nothing is kept from one request to the next: no connection, no cookie."""

    def __init__(
        self, guard: AddressGuard, *, agent: str, max_bytes: int, network: httpcore.AsyncNetworkBackend | None = None
    ) -> None:
        """`network` stands in for the sockets of the system, below the guard."""
        self._agent, self._max_bytes = agent, max_bytes
        self._room = MemoryRoom(max_bytes)
        self._network = GuardedBackend(guard, network)

    async def get(
        self, address: Address, headers: Mapping[str, str], clock: Clock, *, first_bytes: int | None = None
    ) -> HttpAnswer:
        """The answer to one request; redirects are answers.

        With `first_bytes`, a longer body is cut there, and it may be of any type.

        Raises:
            PageRefused: the host is not on the public internet.
            PageTooLarge: the body is larger, or comes slower, than is allowed.
            NoEvidence: nothing of such a body can be read.
            MalformedReply: the answer is not HTTP, or not packed as it says.
            TimedOut: no answer in time.
            Unreachable: no connection, or it broke.
        """
        reading = _Reading()
        try:
            async with clock.running():
                return await self._get(address, headers, clock, reading, first_bytes)
        except TimeoutError as error:
            if reading.status:
                raise PageTooLarge(
                    f"{address} is not read: it came too slowly, {reading.came:,} bytes in time."
                ) from error
            raise TimedOut(f"{address} did not answer in time.") from error
        except httpcore.ConnectTimeout as error:
            raise Unreachable(f"{address} cannot be reached: no connection within {_CONNECT_SECONDS:.0f} s.") from error
        except httpcore.TimeoutException as error:
            raise TimedOut(f"{address} did not answer in time.") from error
        except (httpcore.NetworkError, ssl.SSLError, OSError) as error:
            raise Unreachable(f"{address} cannot be reached: {_reason(error)}.") from error
        except (httpcore.ProtocolError, httpcore.UnsupportedProtocol) as error:
            raise MalformedReply(f"{address} has answered wrongly: {_reason(error)}.") from error
        except (MalformedReply, PageTooLarge, NoEvidence) as error:
            raise type(error)(f"{address} is not read: {error}.") from error

    @property
    def connections(self) -> int:
        """Connections that are open."""
        return len(self._network.open)

    async def close(self) -> None:
        """Close what is still open."""
        for stream in list(self._network.open):
            await stream.aclose()

    async def _get(
        self, address: Address, headers: Mapping[str, str], clock: Clock, reading: _Reading, first_bytes: int | None
    ) -> HttpAnswer:
        sent = {
            "Host": address.place,
            "User-Agent": self._agent,
            "Accept": "text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.8,*/*;q=0.5",
            "Accept-Encoding": ASKED_FOR,
            **headers,
        }
        url = httpcore.URL(
            scheme=address.scheme.encode(),
            host=address.host.encode(),
            port=address.port,
            target=address.target.encode(),
        )
        timeouts = {"connect": _CONNECT_SECONDS}
        # a connection of its own: one that is used again could hold what its server has sent behind the last answer
        connection = httpcore.AsyncHTTPConnection(url.origin, ssl_context=_tls(), network_backend=self._network)
        try:
            async with connection.stream(
                "GET", url, headers=list(sent.items()), extensions={"timeout": timeouts}
            ) as response:
                if len(response.headers) > _FIELDS:
                    raise MalformedReply(f"it has {len(response.headers)} headers")
                found = _joined(response.headers)
                if not 200 <= response.status < 300 or response.status in (204, 205):
                    return HttpAnswer(address, response.status, found)
                reading.status = response.status
                return await self._read(address, response, found, clock, reading, first_bytes)
        finally:
            await connection.aclose()

    async def _read(
        self,
        address: Address,
        response: httpcore.Response,
        headers: Mapping[str, str],
        clock: Clock,
        reading: _Reading,
        first_bytes: int | None,
    ) -> HttpAnswer:
        cap, cut = first_bytes or self._max_bytes, first_bytes is not None
        if not cut and headers.get("content-length", "").isdecimal() and int(headers["content-length"][:18]) > cap:
            raise PageTooLarge(f"it says that it has more than {cap:,} bytes")
        unpacker = Unpacker(headers.get("content-encoding", ""), max_bytes=cap, cut=cut)
        said, charset = header_type(headers.get("content-type", ""))
        place, looked = None, cut
        stream: BoundedStream = response.extensions["network_stream"]
        stream.allowed = cap + cap // 4 + _OVERHEAD
        try:
            async for chunk in response.aiter_stream():
                reading.add(chunk)
                unpacker.add(chunk)
                if unpacker.full:
                    break
                if not looked and len(unpacker.body) >= NEEDED:
                    looked = True
                    _refuse_silent(media_type(said, bytes(unpacker.body[:NEEDED])))
                if place is None and len(unpacker.body) > LARGE:
                    async with clock.paused():
                        place = await self._room.enter()
            if "content-length" in headers and not unpacker.full and reading.ends_before(stream.last):
                raise MalformedReply("its body is longer than its content-length says")
            body = unpacker.end()
            kind = media_type(said, body)
            if not cut:
                _refuse_silent(kind)
        except BaseException:
            if place:
                place.leave()
            raise
        return HttpAnswer(address, response.status, headers, body, kind, charset, place)


@dataclass
class _Reading:
    """How far the reading of a body has come."""

    status: int = 0
    came: int = 0
    pieces: int = 0
    tail: bytes = b""

    def add(self, piece: bytes) -> None:
        """The next piece of the body, packed.

        Raises:
            MalformedReply: it comes in more pieces than its length explains: each of them takes a parser's time.
        """
        self.came += len(piece)
        self.pieces += 1
        self.tail = (self.tail + piece[-_TAIL:])[-_TAIL:]
        if self.pieces > _PIECES and self.came < self.pieces * _PIECE_BYTES:
            raise MalformedReply(f"its body comes in {self.pieces:,} pieces")

    def ends_before(self, last: bytes) -> bool:
        """Whether the connection has brought more than the body: what came `last` is not the end of the body."""
        length = min(len(self.tail), len(last))
        return length > 0 and self.tail[-length:] != last[-length:]


def _refuse_silent(kind: str) -> None:
    if is_silent(kind):
        raise NoEvidence(f"it is {kind}, which holds no text")


def _joined(headers: list[tuple[bytes, bytes]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("ascii", "replace").lower(), raw_value.decode("latin-1")
        found[name] = f"{found[name]}, {value}" if name in found else value
    return found


def _reason(error: Exception) -> str:
    cause = error.args[0] if error.args else error  # httpcore puts what happened below it there
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate is not valid ({inert(cause.verify_message, width=100)})"
    if isinstance(cause, ssl.SSLError):
        return f"TLS failed ({inert(cause.reason or str(cause), width=100)})"
    return inert(str(error), width=150).rstrip(".") or "the connection broke"
