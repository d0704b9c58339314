"""A comparison of two reports as HTML: an article for the page, and one file that asks nobody for anything."""

from __future__ import annotations

from fathom.comparison.records import Comparison, SourcePair
from fathom.render.comparison.view import ComparisonView
from fathom.render.html import file_of, part_of
from fathom.render.html.inert import language, link
from fathom.render.html.words import Words
from fathom.render.html.words import words as words_of


def render(comparison: Comparison) -> str:
    """What differs, both reports side by side, as one HTML file without scripts; ends in a line break."""
    return file_of("compared.html", _ComparedView(comparison))


def article(comparison: Comparison) -> str:
    """The same as an `<article>`, for a page that brings the style sheets."""
    return part_of("compared.html", _ComparedView(comparison))


class _ComparedView(ComparisonView):
    """What the template shows."""

    @property
    def lang(self) -> str:
        """The language of the new report, as HTML names it."""
        return language(self.comparison.new.language)

    @property
    def words(self) -> Words:
        """The words that reports in HTML have, too."""
        return words_of(self.comparison.new.language)

    def link(self, pair: SourcePair) -> str | None:
        """Where a source leads; `None` when it leads nowhere."""
        return link(pair.entry.uri)
