"""The log of a server: what came, how long it took, and what went wrong."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path

from fathom_testing.local_server import LogFile


@dataclass
class Entry:
    """A line of the log."""

    number: int
    """Counts all requests, 1 first."""
    protocol: str
    ask: str
    """Title of the schema, `json`, `tools`, `text`; `models` and `embeddings` are no calls of a chat model."""
    model: str
    start: float
    """Seconds since the server began."""
    end: float = 0.0
    streamed: bool = False
    messages: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    fault: str = ""
    """The fault that struck."""
    status: int = 0
    """HTTP status; 0 when nothing was answered, 499 when the client did not wait."""
    error: str = ""
    """Why an answerer or a body failed."""
    prompt: list[str] = field(default_factory=list)
    """Texts of the messages, when the log may hold them."""


class Log(LogFile):
    """The entries of a server; written to a file, if there is one, when each of them is complete."""

    def __init__(self, path: Path | None = None, *, prompts: bool = False) -> None:
        """As for `LogFile`; with `prompts`, the texts of the messages are logged as well."""
        super().__init__(path)
        self.entries: list[Entry] = []
        self._prompts = prompts

    def begin(self, now: float) -> Entry:
        """An entry for a request that has just come."""
        entry = Entry(len(self.entries) + 1, "", "", "", now)
        self.entries.append(entry)
        return entry

    def show(self, entry: Entry, messages: list[str]) -> None:
        """Keep the texts of the messages, if they may be kept."""
        if self._prompts:
            entry.prompt = messages

    def end(self, entry: Entry, status: int, now: float) -> None:
        """Complete an entry."""
        entry.status, entry.end = status, now
        self.write({key: value for key, value in asdict(entry).items() if key != "prompt" or self._prompts})
