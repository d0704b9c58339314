"""What of the pages that a server sends is no evidence: error pages, walls, stubs and empty ones."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from fathom.browsing import PageLink
from fathom.errors import NoEvidence
from fathom.evidence import SourceNature
from fathom.reading.document import ReadDocument
from fathom.reading.page import SHORTEST, weight

_SHORTEST_OF_FIGURES = 60
"""Letters that are enough of a page with a figure: opening hours, a fee. An error page or a wall says none."""
_LONGEST_STUB = 1_500
_LONGEST_NAMED = 800
_LONGEST_NAME = 200
_QUOTED = re.compile('“[^“”]{1,300}”|„[^„“”]{1,300}[“”]|«[^«»]{1,300}»|"[^"\n]{1,300}"|「[^「」]{1,300}」')


class NeedsScripts(NoEvidence):
    """Nothing to read unless the page's scripts run: a browser may read it."""


@dataclass(frozen=True)
class PageReading:
    """What a body holds, of whatever type it is."""

    content: ReadDocument
    title: str
    language: str
    address: str
    """What it calls its one address, else the one it was found at."""
    published: str = ""
    nature: SourceNature = "other"
    links: tuple[PageLink, ...] = ()
    """Where its main text leads, in its order."""


@dataclass(frozen=True)
class _Sign:
    """How pages of one sort that is no evidence are told."""

    reason: str
    title: re.Pattern[str] | None = None
    """What their title or first line is; such a page may be longer, for what stands around its message."""
    text: re.Pattern[str] | None = None
    """What one of at most `longest` letters says."""
    longest: int = 0
    scripts: bool = False
    """Whether running the page's scripts may help."""


@cache
def _signs() -> tuple[_Sign, ...]:
    table = tomllib.loads(files("fathom.pages").joinpath("signs.toml").read_text(encoding="utf-8"))
    return tuple(
        _Sign(
            row["reason"],
            title=_any([f"{table['around']}(?:{each}){table['around']}" for each in row.get("title", ())]),
            text=_any(row.get("text", ())),
            longest=row["longest"],
            scripts=row.get("scripts", False),
        )
        for row in table["sign"]
    )


def _any(patterns: Sequence[str]) -> re.Pattern[str] | None:
    return (
        re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE | re.MULTILINE)
        if patterns
        else None
    )


def check(text: str, *, title: str, unscripted: str = "", scripts: int = 0, free: bool = True) -> None:
    """Refuse a page that says nothing that could be quoted.

    An article about errors, cookies or captchas has a title of its own, quotes what such pages say, or is longer.

    Args:
        text: the content of the page.
        title: its title.
        unscripted: what it shows where no scripts run.
        scripts: how many scripts it has.
        free: whether it claims to show its text to everybody.

    Raises:
        NeedsScripts: it may say more in a browser.
        NoEvidence: with the reason, as in "`address`: reason".
    """
    said = weight(text)
    names = {each.strip()[:_LONGEST_NAME] for each in (title, text.lstrip().partition("\n")[0])}
    spoken = f"{title.strip()}\n{_QUOTED.sub(' ', text)}" if said <= _LONGEST_STUB else ""
    for sign in _signs():
        named = sign.title is not None and any(map(sign.title.fullmatch, names))
        if (named and said < _LONGEST_NAMED) or (said <= sign.longest and sign.text and sign.text.search(spoken)):
            raise NeedsScripts(sign.reason) if sign.scripts else NoEvidence(sign.reason)
    if not free and said < _LONGEST_STUB:
        raise NoEvidence("it shows its text only to those who have signed in or paid")
    if said < SHORTEST and not (said >= _SHORTEST_OF_FIGURES and re.search(r"\d", text)):
        if scripts or (unscripted and re.search("javascript", unscripted, re.IGNORECASE)):
            raise NeedsScripts("it shows nothing without its scripts")
        raise NoEvidence("it holds next to no text")
