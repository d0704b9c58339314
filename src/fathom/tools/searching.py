"""An MCP server with the tools `search` and `fetch` as a connector: the convention of sources of deep research."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from fathom.errors import MalformedReply
from fathom.ports.connector import Hit
from fathom.tools.access import Access
from fathom.tools.cleaning import as_json
from fathom.tools.parsing import texts_of
from fathom.tools.texts import value_in

_SHAPES = {"search": '{"results": [{"id", "title", "url"}]}', "fetch": '{"id", "title", "text", "url"}'}
_DATES = ("date", "published", "published_at", "updated_at", "last_modified", "created_at")


class SearchAndFetch:
    """`search(query)` and `fetch(id)`, which answer with `_SHAPES`: as structured content, or as JSON in text."""

    def __init__(self, access: Access, call: Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]) -> None:
        """`call` gives what a tool returns, as it stands in the protocol."""
        self._access, self._call = access, call

    async def search(self, query: str, limit: int) -> list[Hit]:
        """The first `limit` results; `MalformedReply` when they have another shape."""
        results = await self._answer("search", "query", query, "results", list)
        if not all(isinstance(each, Mapping) and each.get("id") for each in results):
            raise self._strange("search", as_json(results)[:1_000])
        return [_hit(each) for each in results[:limit]]

    async def open(self, id: str) -> str:
        """The text of a result; `MalformedReply` when it has another shape."""
        return str(await self._answer("fetch", "id", id, "text", str))

    async def _answer(self, tool: str, argument: str, value: str, key: str, kind: type) -> Any:
        result = await self._call(tool, {argument: value})
        structured, text = result.get("structuredContent"), texts_of(result)
        for given in (structured, value_in(text)):
            if isinstance(given, Mapping) and isinstance(given.get(key), kind):
                return given[key]
        raise self._strange(tool, text or as_json(structured)[:1_000])

    def _strange(self, tool: str, said: str) -> MalformedReply:
        return MalformedReply(
            f"{self._access.who} has answered `{tool}` in another shape than {_SHAPES[tool]}: "
            f"{self._access.told(said)}. Mend it, or deny it the tool in its settings: it is then asked as a dataset."
        )


def _hit(result: Mapping[str, Any]) -> Hit:
    about = result.get("metadata")
    told = {name: each for given in (about, result) if isinstance(given, Mapping) for name, each in given.items()}
    url, title, text = (each if isinstance(each := told.get(name), str) else "" for name in ("url", "title", "text"))
    date = next((told[name] for name in _DATES if isinstance(told.get(name), str)), "")
    is_link = url.lower().startswith(("http://", "https://"))  # a stranger names no file of this machine
    return Hit(id=str(told["id"]), title=title, snippet=text, uri=url if is_link else "", date=date)
