"""Which tools of a server may be called: those that the user names, else those that only read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import Any

from fathom.errors import ToolRefused
from fathom.text.harmless import inert

MOST_TOOLS = 200
"""Tools of one server that are looked at."""
_LONGEST_NAME = 200
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_CHANGING = frozenset(
    "add append apply approve archive book buy cancel clear close commit copy create deactivate delete deploy destroy "
    "disable drop edit email enable erase exec execute grant import insert install invite invoke kill merge modify "
    "move overwrite patch pay place post publish purge push put reboot rebuild register remove rename replace reset "
    "restart restore revoke run save schedule send set shell shutdown sql start stop store submit transfer truncate "
    "uninstall unpublish update upload upsert wipe write "
    "backup ban broadcast charge checkout decrement del dispatch enqueue evict flush generate increment lock logout "
    "migrate notify nuke pop refund reply retry rm rotate seed sync toggle trigger unlink unlock vacuum".split()
)
"""Words of names that tell of a change."""
_READING = frozenset(
    "aggregate analyse analyze browse count describe distinct explore facet fetch find get histogram inspect list "
    "look lookup match preview query read sample scan schema search show stats statistics summarise summarize top "
    "view".split()
)
"""Words of names that tell of reading; the first of either kind tells what a tool does: `get_post`, `post_message`."""
_JOINING = frozenset(("and", "or", "then"))
"""Words behind which a name tells of one more thing that is done: `find_and_delete`."""


@dataclass(frozen=True)
class Offer:
    """A tool as its server offers it."""

    name: str
    description: str
    input_schema: dict[str, Any]
    reads: bool | None = None
    """Whether it declares that it changes nothing; `None` when it does not say."""
    destroys: bool | None = None
    """Whether it declares that it may destroy something."""


class Gate:
    """Holds the tools of a server to what was found at the start, and to what the user allows."""

    def __init__(self, *, allowed: Sequence[str] = (), denied: Sequence[str] = ()) -> None:
        """Names, `*` standing for anything. Without `allowed`, tools that only read."""
        self._allowed = tuple(allowed)
        self._denied = tuple(denied)
        self._now: dict[str, Offer] = {}
        self._found: dict[str, Offer] | None = None

    @property
    def offers(self) -> list[Offer]:
        """The tools that may be called, as they were found at the start."""
        return [offer for offer in (self._found or {}).values() if not self._reason(offer)]

    @property
    def refused(self) -> dict[str, str]:
        """The tools that may not, and why."""
        return {name: reason for name, offer in (self._found or {}).items() if (reason := self._reason(offer))}

    def listed(self, offers: Sequence[Offer]) -> None:
        """Take note of what the server offers now; what it offers first is what there is."""
        now: dict[str, Offer] = {}
        for offer in offers:
            if 0 < len(offer.name) <= _LONGEST_NAME and inert(offer.name) == offer.name and len(now) < MOST_TOOLS:
                now.setdefault(offer.name, offer)
        self._now = now
        if self._found is None:
            self._found = now

    def check(self, name: str) -> None:
        """Raise `ToolRefused` unless the tool may be called, as it is now and as it was."""
        shown = inert(name, width=80)
        if self._found is None or name not in self._found:
            known = ", ".join(offer.name for offer in self.offers[:10]) or "none"
            raise ToolRefused(f"There is no tool '{shown}': name one of {inert(known, width=300)}.")
        now = self._now.get(name)
        if now is None:
            raise ToolRefused(f"The tool '{shown}' is offered no more: choose another one.")
        if reason := self._reason(self._found[name]) or self._reason(now):
            raise ToolRefused(f"The tool '{shown}' may not be called: {reason}.")

    def reads(self, name: str) -> bool:
        """Whether calling it twice does no harm."""
        offer = self._now.get(name)
        return offer is not None and not _change(offer)

    def _reason(self, offer: Offer) -> str:
        """Why a tool may not be called; empty when it may."""
        if any(_fits(offer.name, pattern) for pattern in self._denied):
            return "it is denied in the settings of its server"
        if offer.name in self._allowed and "*" not in offer.name:
            return ""
        if self._allowed and not any(_fits(offer.name, pattern) for pattern in self._allowed):
            return "it is not among the tools that are allowed"
        if change := _change(offer):
            return f"{change}; name it in the server's tools to allow it"
        return ""


def _fits(name: str, pattern: str) -> bool:
    """Whether a name is that of the pattern, in which `*` alone stands for anything."""
    return fnmatchcase(name, pattern.replace("[", "[[]").replace("?", "[?]"))


def _change(offer: Offer) -> str:
    """What tells that a tool changes something; empty when nothing does.

    >>> _change(Offer("delete_all", "", {})), _change(Offer("getPosts", "", {}))
    ("its name tells of a change ('delete')", '')
    """
    if offer.reads:
        return "" if not offer.destroys else "it declares that it reads only, and that it destroys"
    if offer.destroys:
        return "it declares that it may destroy something"
    words = [word.lower() for word in _WORDS.findall(offer.name)]
    telling = next((word for word in words if word in _CHANGING or word in _READING), "")
    later = (word for before, word in pairwise(words) if before in _JOINING and word in _CHANGING)
    telling = next(later, telling)
    if telling in _CHANGING:
        return f"its name tells of a change ('{telling}')"
    if offer.reads is False and telling not in _READING:
        return "it declares that it changes something"
    return ""
