"""A comparison of two reports as one HTML file."""

from __future__ import annotations

from fathom.comparison.records import Comparison
from fathom.render.comparison.view import ComparisonView
from fathom.render.html import file_of
from fathom.render.html.inert import language, link
from fathom.render.html.words import words


def render(comparison: Comparison) -> str:
    """What differs, both reports side by side, as one HTML file without scripts; ends in a line break."""
    return file_of("compared.html", _ComparedView(comparison))


class _ComparedView(ComparisonView):
    """What the template shows."""

    link = staticmethod(link)

    def __init__(self, comparison: Comparison) -> None:
        super().__init__(comparison)
        self.lang = language(comparison.new.language)
        self.words = words(comparison.new.language)
