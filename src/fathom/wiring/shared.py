"""What the runs of one process have in common: their store, and the knowledge bases and archive that they search."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from fathom.settings import Settings
from fathom.wiring.adapters import archive_file, knowledge_file, open_archive, open_embedder, opened_store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fathom.knowledge.knowledge_base import KnowledgeBase
    from fathom.ports import RunStore
    from fathom.ports.web import PageArchive


class Shared:
    """One set of connections and caches for each file, however many runs there are."""

    def __init__(self, stack: AsyncExitStack, settings: Settings) -> None:
        """All is closed with `stack`; `settings` are those of the process."""
        self._stack, self._settings = stack, settings
        self._runs: RunStore | None = None
        self._open: dict[tuple[Any, ...], Any] = {}

    async def runs(self) -> RunStore:
        """The store of runs, opened when it is first asked for: what cannot begin leaves no file behind.

        Raises:
            StoreError: its file cannot be used.
        """
        if self._runs is None:
            self._runs = await self._stack.enter_async_context(opened_store(self._settings))
        return self._runs

    def knowledge(self, settings: Settings) -> KnowledgeBase:
        """The knowledge base in force, whole; see `KnowledgeBase.kept_to`.

        Raises:
            ConfigurationError: as for `open_embedder`.
        """
        from fathom.knowledge.knowledge_base import KnowledgeBase

        def opened() -> KnowledgeBase:
            embedder = open_embedder(settings)
            if embedder:
                self._stack.push_async_callback(embedder.close)
            return KnowledgeBase(file, embedder=embedder)

        file = knowledge_file(settings)
        known: KnowledgeBase = self._one(opened, file, settings.embedder, settings.no_web)
        return known

    def archive(self, settings: Settings) -> PageArchive:
        """The archive of pages and searches."""
        known: PageArchive = self._one(lambda: open_archive(settings), archive_file(settings))
        return known

    def _one(self, opened: Callable[[], Any], file: Path, *how: Any) -> Any:
        """What is open of a file, or `opened` anew: when nothing is, or when another file is in its place."""
        identity = _identity(file)
        key = (file, identity, *how)
        if key not in self._open:
            one = opened()
            self._stack.push_async_callback(one.close)
            if not identity:  # whoever asks next finds the file, or has to make it again
                return one
            self._open[key] = one
        return self._open[key]


def _identity(file: Path) -> int:
    """Tells a file from another one that has been put in its place; 0 when there is none."""
    try:
        return file.stat().st_ino
    except OSError:
        return 0
