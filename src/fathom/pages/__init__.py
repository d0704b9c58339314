"""Turns addresses into pages: guarded fetching and reading."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fathom.registry import Registry

if TYPE_CHECKING:
    from fathom.browsing import WebRules
    from fathom.ports.web import PageReader
    from fathom.settings import Settings

readers: Registry[Callable[[Settings, WebRules], PageReader]] = Registry(
    "page reader",
    group="fathom.pages",
    builtin={
        "browser": "fathom.pages.browser:BrowserReader",
        "direct": "fathom.pages.direct:DirectReader",
        "tavily": "fathom.pages.tavily:TavilyReader",
    },
)
"""One class or function per way of reading pages; another package adds its own as entry points of `fathom.pages`."""
