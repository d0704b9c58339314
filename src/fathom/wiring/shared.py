"""What the runs of one process search at once: a knowledge base, and the archive of pages, is open once for all."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from fathom.settings import Settings
from fathom.wiring.adapters import knowledge_file, open_embedder

if TYPE_CHECKING:
    from pathlib import Path

    from fathom.knowledge.knowledge_base import KnowledgeBase
    from fathom.ports.web import PageArchive


class Shared:
    """Sources that runs ask together: one set of connections and caches for each file, however many runs there are."""

    def __init__(self, stack: AsyncExitStack) -> None:
        """They are closed with `stack`."""
        self._stack = stack
        self._open: dict[tuple[Any, ...], Any] = {}

    def knowledge(self, settings: Settings) -> KnowledgeBase:
        """The knowledge base in force, whole; see `KnowledgeBase.kept_to`.

        Raises:
            ConfigurationError: as for `open_embedder`.
        """
        from fathom.knowledge.knowledge_base import KnowledgeBase

        file = knowledge_file(settings)
        key = ("knowledge", file, _identity(file), settings.embedder, settings.no_web)
        if key not in self._open:
            embedder = open_embedder(settings)
            if embedder:
                self._stack.push_async_callback(embedder.close)
            self._open[key] = opened = KnowledgeBase(file, embedder=embedder)
            self._stack.push_async_callback(opened.close)
        known: KnowledgeBase = self._open[key]
        return known

    def archive(self, settings: Settings) -> PageArchive:
        """The archive of pages and searches."""
        from fathom.wiring.web import archive_file, open_archive

        file = archive_file(settings)
        key = ("archive", file, _identity(file))
        if key not in self._open:
            self._open[key] = opened = open_archive(settings)
            self._stack.push_async_callback(opened.close)
        known: PageArchive = self._open[key]
        return known


def _identity(file: Path) -> int:
    """Tells a file from another one that has been put in its place; 0 when there is none."""
    try:
        return file.stat().st_ino
    except OSError:
        return 0
