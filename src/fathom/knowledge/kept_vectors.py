"""Vectors that are made once: kept by the hash of their text, in 8 bits a number, in a file that can be deleted."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from fathom.errors import Damaged, StoreError
from fathom.knowledge.database import IndexDatabase
from fathom.outcomes import in_thread

if TYPE_CHECKING:
    from fathom.ports import Embedder

_SCHEMA = (
    "CREATE TABLE vectors (embedder TEXT, key TEXT, vector BLOB NOT NULL, PRIMARY KEY (embedder, key)) WITHOUT ROWID;"
)
_IN_MEMORY = 20_000
"""Vectors that a process keeps at hand, about 10 MB."""


class KeptVectors:
    """An embedder that asks another one only for texts whose vectors it has not kept."""

    def __init__(self, embedder: Embedder, path: Path) -> None:
        """`path` is the file; a damaged one is set aside, and one that cannot be written costs the vectors alone."""
        self.embedder = embedder
        self.name = embedder.name
        self.multilingual = embedder.multilingual
        self.dimensions = embedder.dimensions
        self.address = getattr(embedder, "address", None)
        self._database = IndexDatabase(path, _SCHEMA, called="File of vectors", remedy="delete it", seal="")
        self._recent: OrderedDict[str, bytes] = OrderedDict()
        self._lock = Lock()

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector of length 1 per text, in order, each number rounded to 1/127 of the largest.

        Raises:
            ConfigurationError, ProviderError: the embedder gave no vectors.
        """
        keys = [hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest() for text in texts]
        known = await in_thread(self._known, keys)
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if new:
            made = await self.embedder.embed(list(new.values()))
            self.dimensions = self.embedder.dimensions
            known |= await in_thread(self._keep, list(new), made)
        return await in_thread(lambda: [_unpacked(known[key]) for key in keys])

    async def close(self) -> None:
        """Let go of the embedder and of the file."""
        await self.embedder.close()
        await in_thread(self._database.close)

    def _known(self, keys: Sequence[str]) -> dict[str, bytes]:
        with self._lock:
            found = {key: self._recent[key] for key in keys if key in self._recent}
        left = [key for key in dict.fromkeys(keys) if key not in found]
        if not left:
            return found
        try:
            with self._database.read() as connection:
                rows = connection.execute(
                    "SELECT key, vector FROM vectors WHERE embedder = ? AND key IN (SELECT value FROM json_each(?))",
                    (self.name, json.dumps(left)),
                )
                stored = dict(rows)
        except Damaged:
            with suppress(StoreError):
                self._database.set_aside_if_damaged()
            return found
        except StoreError:
            return found
        self._remember(stored)
        return found | stored

    def _keep(self, keys: Sequence[str], vectors: Sequence[Sequence[float]]) -> dict[str, bytes]:
        made = dict(zip(keys, map(_packed, vectors), strict=True))
        self._remember(made)
        try:
            with self._database.write() as connection:
                connection.executemany(
                    "INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)", [(self.name, *each) for each in made.items()]
                )
        except StoreError:  # then they are made again
            return made
        return made

    def _remember(self, vectors: dict[str, bytes]) -> None:
        with self._lock:
            self._recent.update(vectors)
            while len(self._recent) > _IN_MEMORY:
                self._recent.popitem(last=False)


def _packed(vector: Sequence[float]) -> bytes:
    import numpy as np

    values = np.asarray(vector, dtype=np.float32)
    return bytes(np.round(values * (127 / (np.abs(values).max() or 1.0))).astype(np.int8).tobytes())


def _unpacked(packed: bytes) -> list[float]:
    import numpy as np

    values = np.frombuffer(packed, dtype=np.int8).astype(np.float32)
    found: list[float] = (values / (np.linalg.norm(values) or 1.0)).tolist()
    return found
