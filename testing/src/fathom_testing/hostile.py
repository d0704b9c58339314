"""What a hostile server can answer, each attack under a path of its own: traps for whoever reads pages."""

from __future__ import annotations

import asyncio
import random
import zlib
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from urllib.parse import parse_qs

from fathom_testing.model_server.http import Asked, Connection

Attack = Callable[[Connection, Asked], Awaitable[None]]
"""Answers one request. What it leaves open stays open until the client hangs up."""

PAGE = b"<!DOCTYPE html><html><head><title>Tea</title></head><body><p>Tea is made of leaves.</p></body></html>"
_HTML = {"content-type": "text/html; charset=utf-8"}
_BIG = 200_000_000
_PIECE = 65_536


async def _packed(connection: Connection, asked: Asked) -> None:
    """200 MB in 200 KB: `/bomb`, `/bomb-deflate`; and again packed, `/bomb-twice`."""
    twice = asked.path == "/bomb-twice"
    encoding = {"/bomb-deflate": "deflate", "/bomb-twice": "gzip, gzip"}.get(asked.path, "gzip")
    connection.open(200, {**_HTML, "content-encoding": encoding, "connection": "close"})
    packer = zlib.compressobj(1, wbits=15 if encoding == "deflate" else 31)
    outer = zlib.compressobj(1, wbits=31)
    for left in range(_BIG // _PIECE, -1, -1):
        data = packer.compress(b" " * _PIECE) if left else packer.flush()
        if twice:
            data = outer.compress(data) + (b"" if left else outer.flush())
        connection.write(data)
        await connection.drain()
        await asyncio.sleep(0)
        if connection.gone:
            break
    connection.close()


async def _members(connection: Connection, _: Asked) -> None:
    """A body of empty packed pieces, without end."""
    packer = zlib.compressobj(wbits=31)
    empty = (packer.compress(b"") + packer.flush()) * 1000
    await _endlessly(connection, {**_HTML, "content-encoding": "gzip"}, empty)


async def _endless(connection: Connection, _: Asked) -> None:
    await _endlessly(connection, _HTML, b"<p>" + b"and so on " * 6_000)


async def _tiny_chunks(connection: Connection, _: Asked) -> None:
    """A body of two bytes a piece, each of which takes a parser as long as a large one."""
    await _repeat(connection, b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", b"2\r\n<p\r\n" * 1000)


async def _endlessly(connection: Connection, headers: dict[str, str], data: bytes) -> None:
    connection.open(200, {**headers, "transfer-encoding": "chunked"})
    while not connection.gone:
        connection.chunk(data)
        await connection.drain()
        await asyncio.sleep(0)


async def _drip(connection: Connection, _: Asked) -> None:
    connection.open(200, {**_HTML, "content-length": "100000"})
    while not connection.gone:
        connection.write(b"a")
        await asyncio.sleep(0.02)


async def _drip_header(connection: Connection, _: Asked) -> None:
    connection.write(b"HTTP/1.1 200 OK\r\nx-slow: ")
    while not connection.gone:
        connection.write(b"a")
        await asyncio.sleep(0.02)


async def _silence(connection: Connection, _: Asked) -> None:
    await connection.wait(600)


async def _endless_header(connection: Connection, _: Asked) -> None:
    await _repeat(connection, b"HTTP/1.1 200 OK\r\n", b"x-more: and more\r\n" * 1000)


async def _endless_continue(connection: Connection, _: Asked) -> None:
    await _repeat(connection, b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)


async def _endless_trailer(connection: Connection, _: Asked) -> None:
    await _repeat(
        connection, b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n", b"x-more: and more\r\n" * 1000
    )


async def _endless_chunk_size(connection: Connection, _: Asked) -> None:
    await _repeat(connection, b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;", b"extension=" * 1000)


async def _repeat(connection: Connection, first: bytes, data: bytes) -> None:
    connection.write(first)
    while not connection.gone:
        connection.write(data)
        await connection.drain()
        await asyncio.sleep(0)


async def _loop(connection: Connection, asked: Asked) -> None:
    await _move(connection, "/loop?pong" if asked.query == "ping" else "/loop?ping")


async def _deeper(connection: Connection, asked: Asked) -> None:
    """A redirect to a new address, each time."""
    await _move(connection, f"{asked.path}/x")


async def _chain(connection: Connection, asked: Asked) -> None:
    """`/chain/12` leads to a page by twelve redirects."""
    left = int(asked.path.rpartition("/")[2])
    await (_move(connection, f"/chain/{left - 1}") if left else connection.send(200, PAGE, _HTML))


async def _redirect(connection: Connection, asked: Asked) -> None:
    """`/redirect?to=…&status=302`."""
    given = parse_qs(asked.query, keep_blank_values=True)
    await _move(connection, given.get("to", [""])[0], int(given.get("status", ["302"])[0]))


async def _move(connection: Connection, to: str, status: int = 302) -> None:
    location = {"location": to.encode().decode("latin-1")} if to else {}
    await connection.send(status, b"", {**location, "set-cookie": "session=secret; Path=/"})


async def _status(connection: Connection, asked: Asked) -> None:
    """`/status/503?retry-after=1`."""
    status = int(asked.path.rpartition("/")[2])
    given = {name: values[0] for name, values in parse_qs(asked.query).items()}
    if status in (204, 304):
        return connection.open(status, given)
    return await connection.send(status, PAGE, {**_HTML, **given})


async def _reset(connection: Connection, _: Asked) -> None:
    connection.open(200, {**_HTML, "content-length": "100000"})
    connection.write(PAGE)
    await connection.drain()
    await asyncio.sleep(0.05)
    connection.reset()


async def _garbage(connection: Connection, _: Asked) -> None:
    connection.write(b"\x16\x03" + random.Random(7).randbytes(100_000))
    await connection.drain()
    connection.close()


def _raw(data: bytes, *, then: str = "close") -> Attack:
    """An attack that sends bytes as they are, and then hangs up, breaks the connection, or waits."""

    async def attack(connection: Connection, _: Asked) -> None:
        if data:
            connection.write(data)
            await connection.drain()
        if then == "reset":
            connection.reset()
        elif then == "close":
            connection.close()
        else:
            await connection.wait(600)

    return attack


def _page(headers: str, body: bytes = PAGE, *, status: int = 200) -> Attack:
    lines = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n{headers}\r\nconnection: close\r\n\r\n"
    return _raw(lines.encode("latin-1") + body)


def _gzip(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=31)
    return packer.compress(data) + packer.flush()


_SAID = "content-type: text/html"
ATTACKS: dict[str, Attack] = {
    "bomb": _packed,
    "bomb-deflate": _packed,
    "bomb-twice": _packed,
    "packed-pieces": _members,
    "endless": _endless,
    "drip": _drip,
    "drip-header": _drip_header,
    "silence": _silence,
    "endless-header": _endless_header,
    "endless-continue": _endless_continue,
    "endless-trailer": _endless_trailer,
    "endless-chunk-size": _endless_chunk_size,
    "tiny-chunks": _tiny_chunks,
    "loop": _loop,
    "deeper": _deeper,
    "chain": _chain,
    "redirect": _redirect,
    "redirect-nowhere": _page("x-location: /", status=302),
    "redirect-to-file": _page("location: file:///etc/passwd", status=302),
    "redirect-inside": _page("location: http://127.0.0.1/latest/meta-data/", status=302),
    "status": _status,
    "reset": _reset,
    "reset-at-once": _raw(b"", then="reset"),
    "hang-up": _raw(b""),
    "giant-header": _page(f"x-giant: {'a' * 1_000_000}"),
    "many-headers": _page("\r\n".join(f"x-{number}: a" for number in range(5_000))),
    "false-length-long": _page(f"{_SAID}\r\ncontent-length: {len(PAGE) + 1000}"),
    "false-length-short": _page(f"{_SAID}\r\ncontent-length: {len(PAGE) - 10}"),
    "false-length-huge": _page(f"{_SAID}\r\ncontent-length: 99999999999"),
    "length-negative": _page(f"{_SAID}\r\ncontent-length: -5"),
    "length-word": _page(f"{_SAID}\r\ncontent-length: many"),
    "two-lengths": _page(f"{_SAID}\r\ncontent-length: 5\r\ncontent-length: {len(PAGE)}"),
    "bad-chunk": _page(f"{_SAID}\r\ntransfer-encoding: chunked", b"zz\r\n" + PAGE),
    "huge-chunk": _page(f"{_SAID}\r\ntransfer-encoding: chunked", b"f" * 30 + b"\r\n" + PAGE),
    "short-chunks": _page(f"{_SAID}\r\ntransfer-encoding: chunked", b"%x\r\n%b\r\n" % (len(PAGE), PAGE)),
    "truncated-gzip": _page(f"{_SAID}\r\ncontent-encoding: gzip", _gzip(PAGE * 100)[:-20]),
    "false-gzip": _page(f"{_SAID}\r\ncontent-encoding: gzip"),
    "false-deflate": _page(f"{_SAID}\r\ncontent-encoding: deflate"),
    "br": _page(f"{_SAID}\r\ncontent-encoding: br", b"\x0b\x02\x80<p>tea</p>\x03"),
    "http-0.9": _raw(PAGE),
    "garbage": _garbage,
    "switch": _page("upgrade: websocket\r\nconnection: upgrade", b"", status=101),
    "null-header": _page("x-null: a\0b"),
    "folded-header": _page(f"{_SAID};\r\n charset=utf-8\r\nx: y\r\n\tz"),
    "pdf-as-html": _page(_SAID, b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n" + b" " * 2_000),
    "html-as-pdf": _page("content-type: application/pdf"),
    "picture-as-html": _page(_SAID, b"\x89PNG\r\n\x1a\n" + bytes(5_000)),
    "picture": _page("content-type: image/png", b"\x89PNG\r\n\x1a\n" + bytes(5_000)),
    "archive": _page("content-type: application/octet-stream", b"PK\x03\x04" + bytes(5_000)),
    "no-type": _page("x-nothing: said"),
}
"""Each answers below the path that begins with its name: `/bomb`, `/chain/12`, `/redirect?to=…`."""


def attack_at(path: str) -> Attack | None:
    """The attack below whose path that is; `None` when it is no attack."""
    return ATTACKS.get(path.strip("/").partition("/")[0])
