"""Snapshots that a run has kept of its documents, as a source of their own: the files are not needed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from fathom.errors import Unreadable
from fathom.evidence import Document, Markup, Query, Retrieval, SourceDescription
from fathom.knowledge.knowledge_base import KnowledgeBase
from fathom.outcomes import in_thread
from fathom.reading.document import ReadDocument
from fathom.reading.plain import PlainParser
from fathom.reading.readers import read_bytes

_SUFFIXES: dict[Markup, str] = {"plain": ".txt", "markdown": ".md", "rst": ".rst"}

Snapshots = Callable[[], AsyncIterator[tuple[Document, str]]]
"""Gives documents with their texts."""


class SnapshotKnowledge:
    """A knowledge base of snapshots, in a file that is gone when it is closed. A `Retriever`."""

    def __init__(self, snapshots: Snapshots, *, name: str = KnowledgeBase.name) -> None:
        """`snapshots` is asked when something is looked for, and not before."""
        self.name = name
        self._snapshots = snapshots
        self._filling = asyncio.Lock()
        self._documents: dict[str, Document] = {}
        self._folder: TemporaryDirectory[str] | None = None
        self._knowledge: KnowledgeBase | None = None

    async def describe(self, query: str) -> SourceDescription:
        """What a planner may know before asking."""
        return (await (await self._filled()).describe(query)).model_copy(update={"name": self.name})

    async def search(self, query: Query, *, limit: int) -> Retrieval:
        """At most `limit` passages, best first. Passages with the same text are given once."""
        found = await (await self._filled()).search(query, limit=limit)
        documents = tuple(self._documents.get(each.sha256, each) for each in found.documents)  # a page stays one
        return found.model_copy(update={"documents": documents})

    async def snapshot(self, sha256: str) -> str:
        """The whole text of a document."""
        return await (await self._filled()).snapshot(sha256)

    async def close(self) -> None:
        """Remove the file."""
        if self._knowledge:
            await self._knowledge.close()
        if self._folder:
            await in_thread(self._folder.cleanup)

    async def _filled(self) -> KnowledgeBase:
        async with self._filling:
            if self._knowledge is None:
                self._folder = self._folder or TemporaryDirectory(prefix="fathom-")
                knowledge = KnowledgeBase(Path(self._folder.name) / "snapshots.sqlite3")
                async for document, text in self._snapshots():
                    self._documents[document.sha256] = document
                    await knowledge.put(document, await in_thread(read_again, text, document.markup))
                self._knowledge = knowledge
        return self._knowledge


def read_again(text: str, markup: Markup) -> ReadDocument:
    """A snapshot with its structure, as far as its text and its markup tell; the text stays as it is."""
    # the mark spares the reader a guess at the encoding, which escape characters in the text could mislead
    data = b"\xff\xfe" + text.encode("utf-16-le", "surrogatepass")
    try:
        read = read_bytes(data, _SUFFIXES[markup])
    except Unreadable:  # half of a character in it, or the last line of a report
        read = None
    if read is None or read.text != text:
        return ReadDocument(text=text, title="", markup=markup, blocks=PlainParser(text).parse())
    return read
