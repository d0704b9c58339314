"""Connectors as users write them, well and badly; each names what it is asked in the file of `CONNECTOR_LOG`."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fathom.ports.connector import Hit
from tests.support.doubles.data_server import INJECTION

TEXTS = {
    "sea": "# The sea\n\n## Depth\n\nThe Varn trench is 8,412 metres deep. The ship Aldis measured it in 1974.\n",
    "tide": "<html><h1>Tides</h1><p>The tide of the Varn trench rises by 3 metres. The moon draws it.</p></html>",
    "salt": "The salt of the Varn trench comes from old vents. Its share is 41 grams in a litre of water.\n",
}


def note(*words: str) -> None:
    """Take down what was asked, at once, so that no kill can lose it."""
    if path := os.environ.get("CONNECTOR_LOG"):
        with Path(path).open("a", encoding="utf-8") as log:
            log.write(" ".join(words) + "\n")


def noted(path: Path) -> list[str]:
    """What was asked, in order."""
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


class Lookup:
    """Snippets, of which the texts are opened; of functions that are called in its own thread alone."""

    address = ""

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self.database = sqlite3.connect(":memory:")  # which no other thread may use
        self.database.execute("CREATE TABLE notes (id, text)")
        self.database.executemany("INSERT INTO notes VALUES (?, ?)", TEXTS.items())

    def search(self, query: str, limit: int) -> Iterator[Hit]:
        note("search", query)
        assert threading.get_ident() == self.thread
        for id, text in self.database.execute("SELECT id, text FROM notes LIMIT ?", [limit]):
            yield Hit(id=id, snippet=text[:20], uri=f"https://wiki.example/{id}", date=datetime(2025, 3, 1, tzinfo=UTC))

    def open(self, id: str) -> str:
        note("open", id)
        if id == os.environ.get("CONNECTOR_HANGS_AT"):
            threading.Event().wait()
        ((text,),) = self.database.execute("SELECT text FROM notes WHERE id = ?", [id])
        return str(text)


class Highlights(Lookup):
    """Its snippets are the words of the query."""

    def search(self, query: str, limit: int) -> Iterator[Hit]:
        for hit in super().search(query, limit):
            yield hit.model_copy(update={"snippet": query})


class Whole:
    """Whole texts at once, side by side."""

    address = "http://127.0.0.1:9/"

    async def search(self, query: str, limit: int) -> list[Hit]:
        note("search", query)
        await asyncio.sleep(0)
        return [Hit(id=id, text=text, title=id.title()) for id, text in TEXTS.items()][:limit]


def made() -> Whole:
    """A function that makes one."""
    return Whole()


class Nothing(Whole):
    async def search(self, query: str, limit: int) -> list[Hit]:  # noqa: ARG002
        return []


class Raises:
    """Fails at whatever it is asked, with a key in the message, and marks that steer a terminal."""

    def search(self, query: str, limit: int) -> list[Hit]:
        raise KeyError(f"no index for\n{query[:10]}\x1b[31m {limit}")


class RaisesAtOpen(Lookup):
    def open(self, id: str) -> str:
        raise SystemExit(f"no {id}")


class RaisesAtOne(Lookup):
    def open(self, id: str) -> str:
        if id == "tide":
            raise TimeoutError
        return super().open(id)


class CannotBeMade:
    def __init__(self) -> None:
        raise FileNotFoundError("no notes here")


class Hangs:
    def search(self, query: str, limit: int) -> list[Hit]:  # noqa: ARG002
        note("search", query)
        threading.Event().wait()
        return []


class HangsInTheLoop:
    async def search(self, query: str, limit: int) -> list[Hit]:  # noqa: ARG002
        note("search", query)
        await asyncio.Event().wait()
        return []


class Garbage:
    """Returns `given`."""

    given: Any = None

    def search(self, query: str, limit: int) -> Any:  # noqa: ARG002
        return self.given


class Strings(Garbage):
    given = ["one", "two"]


class NotAList(Garbage):
    given = 7


class WrongTypes(Garbage):
    given = [{"id": "1", "title": "Good", "text": "The Varn trench is deep."}, {"id": 2, "title": ["bad"]}]


class Endless:
    def search(self, query: str, limit: int) -> Iterator[Hit]:  # noqa: ARG002
        number = 0
        while True:
            number += 1
            yield Hit(id=str(number), text=f"The Varn trench has {number} vents, as was counted by the ship Aldis.")


class Opens(Lookup):
    """Opens `given`."""

    given: Any = None

    def open(self, id: str) -> Any:  # noqa: ARG002
        return self.given


class Huge(Opens):
    given = "The Varn trench is deep. " * 400_000


class Nul(Opens):
    given = "The Varn\x00trench is deep."


class Bytes(Opens):
    given = b"The Varn trench is deep."


class Blank(Opens):
    given = " \n "


class HalfLetters(Opens):
    given = "The Varn trench is 8,412 metres deep, said the \ud83d ship."


class Orders(Opens):
    given = f"{INJECTION}\n\nThe Varn trench is 8,412 metres deep. <script>alert(1)</script>"


class Scripted(Whole):
    """Its addresses lead where no link may."""

    async def search(self, query: str, limit: int) -> list[Hit]:
        hits = await super().search(query, limit)
        return [hit.model_copy(update={"uri": "javascript:alert(1)"}) for hit in hits]
