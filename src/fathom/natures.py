"""Who speaks on a page, as far as its address tells: an authority, science, the press, a forum, a vendor."""

from __future__ import annotations

from fathom.evidence import SourceNature


def nature_of(url: str) -> SourceNature:
    """Who speaks at an address, by its host and path alone; `other` when these do not tell."""
    raise NotImplementedError(url)
