"""Which tools of a server may be called: those that the user names, else those that only read."""

from __future__ import annotations

import re
import unicodedata
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
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_RUNS = re.compile(r"[A-Z]+|[a-z]+")
"""The words of a name that is written in another way: of `getDELETEall`."""
_NAMESPACE = re.compile(r"[./:]|__")
_PLAIN = re.compile(r"[A-Za-z0-9_./:-]+")
_CHANGING = frozenset(
    "abort accept ack activate add amend append apply approve assign attach authorize ban burn buy cancel charge "
    "checkout claim clean clear close compact connect convert create deactivate decrement del delete deny deploy "
    "dequeue destroy detach disable discard disconnect dismiss dispatch drain drop edit empty enable encrypt enqueue "
    "erase escalate evict exec execute expire failover fire fix flush force forget freeze generate grant halt "
    "impersonate import increment inject insert install invalidate invite invoke kick kill lock merge migrate mint "
    "modify move mutate mute notify nuke overwrite patch pause pay perform pin pop prepend provision prune publish "
    "purge push put quarantine reassign rebase reboot rebuild recreate refund register reindex reject reload remove "
    "rename reopen repair replace reply reset resolve restart restore resume retire retry revert revoke rm rollback "
    "rotate save scale sell send set shell shred shut shutdown signin spawn sql start stop submit subscribe suspend "
    "switch sync terminate toggle touch transfer trash trigger trim truncate unassign unblock undo uninstall unlink "
    "unlock unmount unpublish unregister unsubscribe update upgrade upload upsert wipe withdraw write zap".split()
)
"""Words of names that tell of a change, wherever they stand. Those that are records as often (a post, an issue) are not
among them: behind a word of reading, that is what is read."""
_READING = frozenset(
    "aggregate analyse analyze browse compare count describe distinct explore facet fetch filter find get histogram "
    "inspect list look lookup match peek preview query read retrieve sample scan schema search show stats statistics "
    "summarise summarize top view".split()
)
"""Words of which one leads the name of a tool that reads."""
_JOINING = frozenset(("and", "or", "then", "n", "plus", "before", "after"))
"""Words behind which a name tells of one more thing that is done: `find_and_delete`."""


@dataclass(frozen=True)
class OfferedTool:
    """A tool as its server offers it."""

    name: str
    description: str
    input_schema: dict[str, Any]
    reads: bool | None = None
    """Whether it declares that it changes nothing; `None` when it does not say."""
    destroys: bool | None = None
    """Whether it declares that it may destroy something."""


class ToolGate:
    """Holds the tools of a server to what was found at the start, and to what the user allows."""

    def __init__(self, *, allowed: Sequence[str] = (), denied: Sequence[str] = ()) -> None:
        """Names, `*` standing for anything. Without `allowed`, tools that only read."""
        self._allowed = tuple(allowed)
        self._denied = tuple(denied)
        self._now: dict[str, OfferedTool] = {}
        self._found: dict[str, OfferedTool] | None = None

    @property
    def offers(self) -> list[OfferedTool]:
        """The tools that may be called, as they were found at the start."""
        return [offer for offer in (self._found or {}).values() if not self._reason(offer)]

    @property
    def refused(self) -> dict[str, str]:
        """The tools that may not, and why."""
        return {name: reason for name, offer in (self._found or {}).items() if (reason := self._reason(offer))}

    def listed(self, offers: Sequence[OfferedTool]) -> None:
        """Take note of what the server offers now; what it offers first is what there is."""
        now: dict[str, OfferedTool] = {}
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

    def reads(self, name: str, *, declared: bool = False) -> bool:
        """Whether calling it twice does no harm; `declared`: by its own word, not by its name."""
        offer = self._now.get(name)
        return offer is not None and not _change(offer) and bool(offer.reads or not declared)

    def _reason(self, offer: OfferedTool) -> str:
        """Why a tool may not be called; empty when it may."""
        if any(_fits(offer.name, pattern) for pattern in self._denied):
            return "it is denied in the settings of its server"
        if offer.name in self._allowed and "*" not in offer.name:
            return ""
        if self._allowed and not any(_fits(offer.name, pattern) for pattern in self._allowed):
            return "it is not among the tools that are allowed"
        if change := _change(offer):
            return f"{change}; to allow it, name it at the command line, or in the settings under [mcp.NAME] in tools"
        return ""


def _fits(name: str, pattern: str) -> bool:
    """Whether a name is that of the pattern, in which `*` alone stands for anything."""
    return fnmatchcase(name, pattern.replace("[", "[[]").replace("?", "[?]"))


def _change(offer: OfferedTool) -> str:
    """What speaks against calling a tool that the user has not named; empty when nothing does.

    What declares nothing may destroy, as the protocol has it: then its name must tell that it reads.

    >>> _change(OfferedTool("delete_all", "", {})), _change(OfferedTool("events.getPosts", "", {}))
    ("its name tells of a change ('delete')", '')
    """
    if offer.destroys:
        return "it declares that it may destroy something" + (", and that it reads only" if offer.reads else "")
    if len({unicodedata.name(char, "?").split()[0] for char in offer.name if char.isalpha() or not char.isascii()}) > 1:
        return "its name mixes letters of several alphabets"
    if offer.reads is not None:
        return "" if offer.reads else "it declares that it changes something"
    words = [word.lower() for word in _WORDS.findall(_NAMESPACE.split(offer.name)[-1])]
    everywhere = [word.lower() for found in (_WORDS, _RUNS) for word in found.findall(offer.name)]
    if telling := next((word for word in everywhere if word in _CHANGING), ""):
        return f"its name tells of a change ('{telling}')"
    leading = [word for before, word in pairwise(("and", *words)) if before in _JOINING]
    if not leading or not _READING.issuperset(leading) or not _PLAIN.fullmatch(offer.name):
        return "it declares nothing, and its name is not led by a word of reading, such as 'get', 'list' or 'search'"
    return ""
