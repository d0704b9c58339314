"""A retriever of LangChain as a connector: whatever has `ainvoke(query)` and gives documents."""

from __future__ import annotations

from typing import Any

from fathom.evidence import text_digest
from fathom.ports.connector import Hit

_TITLES = ("title", "name", "filename")
_PLACES = ("url", "uri", "link", "source")
_DATES = ("date", "published", "updated_at", "last_modified", "created_at")


class LangChain:
    """Each document of the retriever is a hit with its text; how many there are, the retriever decides."""

    def __init__(self, retriever: Any) -> None:
        self._retriever = retriever
        self.address = getattr(retriever, "address", None)

    async def search(self, query: str, limit: int) -> list[Hit]:
        """The first `limit` documents."""
        return [_hit(each) for each in (await self._retriever.ainvoke(query))[:limit]]


def _hit(document: Any) -> Hit:
    def first(names: tuple[str, ...]) -> str:
        return next((str(document.metadata[name]) for name in names if document.metadata.get(name)), "")

    text, place = document.page_content, first(_PLACES)
    own = (
        getattr(document, "id", None) or f"{place} {text_digest(text)[:12]}".strip()
    )  # parts of a text share its place
    title = first(_TITLES) or place.rstrip("/").rpartition("/")[2]
    return Hit(id=str(own), title=title, text=text, uri=place, date=first(_DATES))
