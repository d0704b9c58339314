"""What a planner is shown of the sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fathom.evidence import SourceDescription
from fathom.reasoners.language_model.tasks.words import fitting, lines, shown_tokens

TITLES = 20
"""Titles of documents of each source, the nearest to the question."""
HEADINGS = 40


def shown_sources(sources: Sequence[SourceDescription], *, room: int) -> list[dict[str, Any]]:
    """Each source with the titles and headings that fit into its share of the room."""
    share = room // max(len(sources), 1)
    shown = []
    for source in sources:
        titles = fitting(lines(source.titles, most=TITLES, length=100), share // 2)
        headings = fitting(lines(source.headings, most=HEADINGS, length=80), share - sum(map(shown_tokens, titles)))
        shown.append({"source": source, "titles": titles, "headings": headings})
    return shown
