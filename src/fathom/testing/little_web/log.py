"""The log of the little web: who asked for what, and when."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TextIO

from fathom.errors import ConfigurationError
from fathom.urls import page_key


@dataclass
class Visit:
    """A request."""

    number: int
    """Counts all of them, 1 first."""
    host: str
    """Without the port."""
    target: str
    """The path, query included."""
    url: str
    start: float
    """Seconds since the server began."""
    end: float = 0.0
    """When the last of the answer was sent; 0 until then."""
    method: str = "GET"
    headers: dict[str, str] = field(default_factory=dict)
    """Names in lower case."""
    status: int = 0
    """HTTP status; 0 when nothing was answered."""
    size: int = 0
    """Bytes of the body."""


class Log:
    """The visits of a server; written to a file, if there is one, when each of them is complete."""

    def __init__(self, path: Path | None = None) -> None:
        """Add to what the file holds.

        Raises:
            ConfigurationError: the file cannot be written.
        """
        self.visits: list[Visit] = []
        try:
            self._file: TextIO | None = path.open("a", encoding="utf-8") if path else None
        except OSError as error:
            raise ConfigurationError(f"The log {path} cannot be written: {error}.") from error

    def end(self, visit: Visit, now: float) -> None:
        """Complete a visit."""
        visit.end = now
        if self._file:
            line = asdict(visit) | {"start": round(visit.start, 4), "end": round(now, 4)}
            self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
            self._file.flush()

    def close(self) -> None:
        """Let go of the file."""
        if self._file:
            self._file.close()


def fetched_twice(visits: Iterable[Visit]) -> dict[str, int]:
    """Pages that were answered in full more than once, whatever their address was written like, and how often."""
    counts = Counter(page_key(visit.url) for visit in visits if visit.status == 200 and visit.target != "/robots.txt")
    return {key: count for key, count in counts.items() if count > 1}
