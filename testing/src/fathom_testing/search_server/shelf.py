"""What the server has: pages that are found by words, by address, or by the number of an earlier answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from zlib import crc32

from fathom_testing.little_web.ranking import Entry, Ranking

Find = Callable[[str, int], list[Entry]]
"""Finds at most so many pages for a query, best first."""


class Shelf:
    """A corpus, or whatever finds pages, which is then all that is known of them."""

    def __init__(self, corpus: Iterable[Entry] | Find) -> None:
        if callable(corpus):
            self._find: Find = corpus
            self._known: dict[str, Entry] = {}
        else:
            entries = list(corpus)
            self._find = Ranking(entries)
            self._known = {entry.url: entry for entry in entries}

    def search(self, query: str, limit: int) -> list[Entry]:
        """At most `limit` pages, best first."""
        found = self._find(query, limit)
        self._known.update((entry.url, entry) for entry in found)
        return found

    def changed(self, change: Callable[[list[Entry]], list[Entry]]) -> Shelf:
        """The same shelf, on which searches find something else; from then on that is known too."""
        other = Shelf(lambda query, limit: change(self.search(query, limit)))
        other._known = self._known
        return other

    def at(self, url: str) -> Entry | None:
        """The page at an address, if it is known."""
        return self._known.get(url)

    def numbered(self, number: int) -> Entry | None:
        """The page with a number, if it is known."""
        return next((entry for entry in self._known.values() if number_of(entry) == number), None)


def number_of(entry: Entry) -> int:
    """A number that names a page, for formats in which pages have one."""
    return crc32(entry.url.encode()) + 1


def snippet_of(entry: Entry, *, length: int = 200) -> str:
    """A few words of a page."""
    return entry.text[:length]


def score_of(place: int) -> float:
    """A score from 0 to 1 for the hit at a place, the first being 0."""
    return round(0.95 ** (place + 1), 6)
