"""Cuts what a program writes into lines, without ever holding more of one than is allowed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_KEPT = 1_000
"""Bytes that are kept of either end of a line that is too long."""
_FIRST_ID = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,18})\s*[,}]')
_LAST_ID = re.compile(rb'"id"\s*:\s*(\d{1,18})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')


@dataclass(frozen=True)
class ByteLine:
    """A line."""

    start: bytes
    """Its first bytes; all of them when it is whole."""
    end: bytes
    """Its last bytes, when it is not."""
    is_whole: bool

    @property
    def answers(self) -> int | None:
        """The number of the request that it answers, as far as its ends tell.

        >>> ByteLine(b'{"jsonrpc":"2.0","id":7,"result":{', b"", False).answers
        7
        """
        found = _FIRST_ID.match(self.start) or _LAST_ID.search(self.start if self.is_whole else self.end)
        return int(found[1]) if found else None


class ByteLines:
    """Lines of at most `most` bytes; of a longer one only the ends are given."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._pieces: list[bytes] = []
        self._ends: tuple[bytes, bytes] | None = None
        self.size = 0
        """Bytes of the line that has not ended yet."""

    def feed(self, chunk: bytes) -> Iterator[ByteLine]:
        """The lines that end in `chunk`."""
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            self._add(chunk[start:end])
            yield self._line()
            start = end + 1
        self._add(chunk[start:])

    def _add(self, piece: bytes) -> None:
        self.size += len(piece)
        if self.size <= self._most:
            self._pieces.append(piece)
            return
        first, last = self._ends or (b"".join(self._pieces), b"".join(self._pieces))
        self._pieces = []
        self._ends = (first + piece[:_KEPT])[:_KEPT], (last + piece[-_KEPT:])[-_KEPT:]

    def _line(self) -> ByteLine:
        line = (
            ByteLine(*self._ends, is_whole=False)
            if self._ends
            else ByteLine(b"".join(self._pieces), b"", is_whole=True)
        )
        self._pieces, self._ends, self.size = [], None, 0
        return line
