"""The log of the little web: who asked for what, and when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from fathom.urls import page_key
from fathom_testing.local_server import LogFile


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


class Log(LogFile):
    """The visits of a server; written to a file, if there is one, when each of them is complete."""

    def __init__(self, path: Path | None = None) -> None:
        """As for `LogFile`."""
        super().__init__(path)
        self.visits: list[Visit] = []

    def end(self, visit: Visit, now: float) -> None:
        """Complete a visit."""
        visit.end = now
        self.write(asdict(visit))


def fetched_twice(visits: Iterable[Visit]) -> dict[str, int]:
    """Pages that were answered in full more than once, whatever their address was written like, and how often."""
    counts = Counter(page_key(visit.url) for visit in visits if visit.status == 200 and visit.target != "/robots.txt")
    return {key: count for key, count in counts.items() if count > 1}
