"""Tables of contents for the extension points: a name leads to a factory, imported when asked for."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoints, entry_points
from typing import Generic, TypeVar, cast

from fathom.errors import ConfigurationError

T = TypeVar("T")


def did_you_mean(name: str, known: list[str]) -> str:
    """` Did you mean 'x'?` when something known is close to `name`, else the empty string.

    >>> did_you_mean("markdwon", ["html", "markdown"])
    " Did you mean 'markdown'?"
    """
    close = difflib.get_close_matches(name, known, n=1)
    return f" Did you mean '{close[0]}'?" if close else ""


@lru_cache
def _installed(group: str, _: tuple[str, ...]) -> EntryPoints:
    """What the packages on this path add to a table: asking looks into each of them."""
    return entry_points(group=group)


class Registry(Generic[T]):
    """A named table whose rows are `module:attribute`; installed packages join it through entry points."""

    def __init__(self, noun: str, *, group: str, builtin: Mapping[str, str]) -> None:
        self._noun = noun
        self._group = group
        self._builtin = dict(builtin)

    def names(self) -> list[str]:
        """Every known name, built in and installed, sorted."""
        return sorted({*self._builtin, *(point.name for point in self._added())})

    def get(self, name: str) -> T:
        """The object behind `name`.

        Raises:
            ConfigurationError: nothing has that name; the message lists what has.
        """
        if target := self._builtin.get(name):
            module, _, attribute = target.partition(":")
            return cast(T, getattr(import_module(module), attribute))
        for point in self._added().select(name=name):
            return cast(T, point.load())
        known = self.names()
        raise ConfigurationError(
            f"Unknown {self._noun} '{name}'.{did_you_mean(name, known)} Known: {', '.join(known) or 'none'}."
        )

    def _added(self) -> EntryPoints:
        return _installed(self._group, tuple(sys.path))
