"""Which pages are copies of each other: agencies, mirrors and whoever quotes at length say nothing of their own."""

from __future__ import annotations

from collections.abc import Iterable

from fathom.browsing import ArchivedPage
from fathom.text.likeness import likeness

ALIKE = 0.85
"""Likeness from which two pages are copies."""


def origins(pages: Iterable[ArchivedPage]) -> dict[str, str]:
    """Of each text, by `sha256`, the first one of those that are its copies, or copies of its copies."""
    first: dict[str, str] = {}
    signatures: dict[str, str] = {}
    for page in pages:
        sha256 = page.document.sha256
        if sha256 in first:
            continue
        groups = [first[other] for other, known in signatures.items() if likeness(known, page.likeness) >= ALIKE]
        signatures[sha256] = page.likeness
        first[sha256] = groups[0] if groups else sha256
        joined = set(groups[1:]) - set(groups[:1])
        for other, group in first.items():
            if group in joined:
                first[other] = groups[0]
    return first


def distinct(pages: Iterable[ArchivedPage]) -> list[ArchivedPage]:
    """The pages without those that are copies of an earlier one."""
    pages = list(pages)
    first, kept = origins(pages), dict[str, ArchivedPage]()
    for page in pages:
        kept.setdefault(first[page.document.sha256], page)
    return list(kept.values())
