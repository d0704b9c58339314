"""What can go wrong at a provider, scripted: which request, and what befalls it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from fathom_testing.little_web.ranking import Entry
from fathom_testing.search_server.wires import Wire

Kind = Literal[
    "status",  # answers with `status`, and Retry-After if `retry_after` is given
    "echo_key",  # the same, and quotes the key that it was sent
    "html",  # answers 200 with a page
    "not_json",
    "truncated",
    "empty",
    "too_large",
    "wrong_packing",
    "slow",  # waits `seconds` first
    "drip",  # sends the answer in pieces, one every `seconds`
    "reset",
    "broken_off",  # hangs up in the middle of the answer
    "redirect",  # to `location`
    "value",  # `value` stands in place of the list of hits
    "no_list",  # the list of hits is not there
    "numbers_for_texts",
    "nulls",
    "nan",
    "infinite",
    "markup",
    "bad_addresses",
    "duplicates",
    "quotes_key",  # a hit holds the key that was sent
]
SHAPES = frozenset({"value", "no_list", "numbers_for_texts", "nulls", "nan", "infinite"})
"""Faults of the reply as a value; a format without JSON answers with something else of its kind."""

MARKUP = '<script>alert(1)</script><b onclick="x()">bold</b> &lt;img src=x onerror=y&gt; a &amp; b\x1b[31m\x00\u202e'
LARGE = 10_000_000
_ADDRESSES = ("javascript:alert(1)", "file:///etc/passwd", "//x", "http://", "http://a:b@c.org/", "data:text/html,x")
_WRONG_XML = '<?xml version="1.0"?><rss version="2.0"><channel><title>News</title></channel></rss>'


@dataclass
class Fault:
    """Befalls the requests of a provider, or of all, from the first on."""

    kind: Kind
    provider: str = ""
    """Whose requests; empty means all."""
    times: int | None = None
    """How many requests; `None` means every one."""
    after: int = 0
    """How many requests come before the first one that it befalls."""
    status: int = 500
    retry_after: str | None = None
    """The header, as it is sent."""
    seconds: float = 0.2
    location: str = ""
    value: Any = None
    path: str = ""
    """Only requests whose path holds this."""
    seen: int = field(default=0, init=False)
    """Requests so far that it might have befallen."""

    def strikes(self, provider: str, path: str) -> bool:
        """Whether it befalls this request, which is counted."""
        if self.provider not in ("", provider) or self.path not in path:
            return False
        self.seen += 1
        return self.seen > self.after and (self.times is None or self.seen <= self.after + self.times)


def spoiled_entries(kind: Kind, entries: Sequence[Entry], key: str) -> list[Entry]:
    """The hits as a fault has them, whatever the format."""
    match kind:
        case "markup":
            return [entry._replace(title=f"{entry.title} {MARKUP}", text=f"{MARKUP} {entry.text}") for entry in entries]
        case "bad_addresses":
            bad = [entry._replace(url=url) for entry, url in zip(entries, _ADDRESSES, strict=False)]
            return [*bad, *entries]
        case "duplicates":
            return [copy for entry in entries for copy in (entry, entry._replace(url=f"{entry.url}#part"))]
        case "quotes_key":
            return [entry._replace(title=f"{entry.title} {key}", text=f"{key} {entry.text}") for entry in entries]
        case _:
            return list(entries)


def spoiled_reply(fault: Fault, reply: Any, wire: Wire) -> Any:
    """The reply as a fault has it."""
    if fault.kind not in SHAPES:
        return reply
    if not wire.RESULTS:
        return _WRONG_XML
    match fault.kind:
        case "value":
            return _at(reply, wire.RESULTS, lambda _: fault.value)
        case "no_list":
            return {}
        case "numbers_for_texts":
            return _at(reply, wire.RESULTS, lambda hits: _each(hits, lambda leaf: 7 if isinstance(leaf, str) else leaf))
        case "nulls":
            return _at(reply, wire.RESULTS, lambda hits: _each(hits, lambda _: None))
        case kind:
            number = float("nan") if kind == "nan" else float("inf")
            change: Callable[[Any], Any] = lambda leaf: number if isinstance(leaf, float) else leaf  # noqa: E731
            return _at(reply, wire.RESULTS, lambda hits: _each(hits, change))


def packed(reply: Any) -> bytes:
    """A reply as bytes."""
    return (reply if isinstance(reply, str) else json.dumps(reply)).encode("utf-8", "surrogatepass")


def _at(reply: Any, path: str, change: Callable[[Any], Any]) -> Any:
    """The reply with something else at the end of the path."""
    name, _, rest = path.partition(".")
    if not isinstance(reply, dict):
        return reply
    inner = reply.get(name, {} if rest else [])
    return {**reply, name: _at(inner, rest, change) if rest else change(inner)}


def _each(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value with something else in place of each of its leaves."""
    if isinstance(value, dict):
        return {name: _each(inner, change) for name, inner in value.items()}
    if isinstance(value, list):
        return [_each(inner, change) for inner in value]
    return change(value)
