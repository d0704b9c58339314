"""A page as a server has it, with what a search engine would know of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

HTML = "text/html; charset=utf-8"


@dataclass(frozen=True)
class LittlePage:
    """One answer at one address."""

    host: str
    """Without the port."""
    path: str
    """With what stands behind the `?`, if that matters."""
    title: str = ""
    body: bytes = b""
    text: str = ""
    """What a reader sees of it, without what stands around it; empty for what is no page to find."""
    published: str = ""
    """ISO 8601 date; empty when nobody knows."""
    language: str = "en"
    content_type: str = HTML
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    """Besides those that every answer has."""
    listed: bool = True
    """Whether searches find it."""

    @property
    def etag(self) -> str:
        """Changes with the body."""
        return f'"{hashlib.sha256(self.body).hexdigest()[:16]}"'
