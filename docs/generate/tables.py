"""Markdown for the reference pages."""

from __future__ import annotations

from collections.abc import Iterable


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table, ending in a line break."""
    heading = list(head)
    lines = [heading, ["---"] * len(heading), *(list(row) for row in rows)]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def sentences(text: str | None) -> str:
    """A docstring as one paragraph."""
    return " ".join((text or "").split())
