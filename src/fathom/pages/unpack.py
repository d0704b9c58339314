"""Unpacks a body while it streams in, never further than a cap."""

from __future__ import annotations

import zlib

from fathom.errors import MalformedReply, PageTooLarge

_STEP = 1 << 18
_MEMBERS = 1_000
ASKED_FOR = "gzip, deflate"
"""What a request says that it can unpack."""


class Unpacker:
    """Collects a body of `gzip`, `deflate` or neither, up to `max_bytes` as it comes and as it is unpacked.

    What it has unpacked beyond the cap is never more than 256 KB, whatever a bomb holds.
    """

    def __init__(self, encoding: str, *, max_bytes: int, cut: bool = False) -> None:
        """`encoding` is the header `content-encoding`; with `cut`, what is beyond the cap is dropped, without an error.

        Raises:
            MalformedReply: it is none that was asked for.
        """
        names = [
            name for name in (part.strip().lower() for part in encoding.split(",")) if name not in ("", "identity")
        ]
        if len(names) > 1 or not {*names} <= {"gzip", "x-gzip", "deflate"}:
            raise MalformedReply(f"its content-encoding {encoding[:60]!r} was not asked for")
        self._packed = bool(names)
        self._gzip = names not in ([], ["deflate"])
        self._max, self._cut = max_bytes, cut
        self._came = self._members = 0
        self._stream: zlib._Decompress | None = None
        self._first = b""
        self._over = self._padded = False
        self.body = bytearray()

    @property
    def full(self) -> bool:
        """Whether the cap is reached, so that the rest can be left where it is."""
        return self._cut and len(self.body) >= self._max

    def add(self, data: bytes) -> None:
        """The next bytes.

        Raises:
            PageTooLarge: the cap is exceeded.
            MalformedReply: they are not packed as was said.
        """
        self._came += len(data)
        if self._came > self._max and not self._cut:
            raise PageTooLarge(f"it has more than {self._max:,} bytes")
        if not self._packed:
            self._keep(data)
            return
        try:
            self._unpack(data)
        except zlib.error as error:
            raise MalformedReply("its body is not packed as its content-encoding says") from error

    def end(self) -> bytes:
        """The whole body.

        Raises:
            MalformedReply: the end of a packed body is missing.
        """
        if self._packed and not self._over and self._came and not self.full:
            raise MalformedReply("its packed body breaks off")
        return bytes(self.body)

    def _keep(self, data: bytes) -> None:
        self.body += data
        if len(self.body) > self._max:
            if not self._cut:
                raise PageTooLarge(f"it has more than {self._max:,} bytes unpacked")
            del self.body[self._max :]

    def _unpack(self, data: bytes) -> None:
        while data and not self.full and not self._padded:
            if self._stream is None:
                data, self._first = self._first + data, b""
                if len(data) < 2:
                    self._first = data
                    return
                if self._over and not self._next(data):
                    self._padded = True
                    return
                self._stream = zlib.decompressobj(self._bits(data))
            self._keep(self._stream.decompress(data, _STEP))
            data = self._stream.unconsumed_tail
            if self._stream.eof:
                data, self._over, self._stream = self._stream.unused_data, True, None

    def _next(self, data: bytes) -> bool:
        """Whether another member follows; what else stands behind the end is padding, which servers leave there."""
        if not self._gzip or not data.startswith(b"\x1f\x8b"):
            return False
        self._members += 1
        if self._members > _MEMBERS:
            raise MalformedReply(f"its body is packed in more than {_MEMBERS} pieces")
        self._over = False
        return True

    def _bits(self, data: bytes) -> int:
        if self._gzip:
            return 31
        wrapped = data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0
        return 15 if wrapped else -15  # RFC 9110: some servers leave out the wrapper of deflate
