"""The promise of a source that a user writes: it searches and, where a hit is not the whole text, opens."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable
from datetime import date, datetime
from typing import Annotated, Any, Protocol

from pydantic import AfterValidator, BeforeValidator, Field

from fathom.frozen import FrozenModel


def _day(value: Any) -> Any:
    text = value.isoformat() if isinstance(value, date) else value
    try:
        return datetime.fromisoformat(text).date().isoformat() if isinstance(text, str) else text
    except ValueError:
        return ""


Text = Annotated[str, AfterValidator(lambda text: text.encode("utf-8", "replace").decode("utf-8"))]
"""Without halves of characters, which nothing can store."""


class Hit(FrozenModel):
    """Something that a search has found; with its text it becomes a document of the report."""

    id: Text = Field(min_length=1, max_length=4_000)
    """What the source calls it, and `open` is given."""
    title: Text = ""
    """What a reader would call it. Without one the first heading of its text counts, else its id."""
    text: Text = ""
    """All of it, as plain text, Markdown or HTML; empty when it is to be opened."""
    snippet: Text = ""
    """A few words of it, which are its text when it cannot be opened."""
    uri: Text = ""
    """Where a reader finds it: an address with `http`, `https` or `file`; no link is made of any other."""
    date: Annotated[Text, BeforeValidator(_day)] = ""
    """When it was written or changed last: a date, or text in ISO 8601. What is neither is taken for not known."""


class Connector(Protocol):
    """A source of the user's own: an object, its class, or a function that makes one.

    Methods are `def` or `async def`. What is `def` is called in one thread, one call at a time, and that thread makes
    the object, too; what is `async def` is called in the event loop, several calls side by side. Whatever they raise is
    told in a line, and costs that answer alone. It may have besides:

    - `open(id: str) -> str`: the whole text of a hit that came without one;
    - `address: str`: the address that it asks, empty when nothing leaves this machine. One that does not say so is not
      asked under `no_web`.
    """

    def search(self, query: str, limit: int) -> Iterable[Hit] | Awaitable[Iterable[Hit]]:
        """At most `limit` hits, best first; none when nothing matches.

        Args:
            query: A few words, or a question.
        """
        ...
