"""Search by vectors: exact, over all of them, in memory; and its fusion with the full-text search."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING

from fathom.knowledge.database import AGAIN
from fathom.knowledge.finding import IndexHit, order
from fathom.knowledge.index import Prepared, chunk_texts
from fathom.knowledge.schema import VECTOR
from fathom.sqlite_file import sound

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from fathom.ports import Embedder

WEIGHT = 0.5
"""Share of the vectors in a fused score."""
_BATCH = 64


async def embedded(prepared: Prepared, embedder: Embedder) -> Prepared:
    """The document with the vectors of its chunks."""
    texts = chunk_texts(prepared)
    found: list[bytes] = []
    for at in range(0, len(texts), _BATCH):
        found += [as_bytes(vector) for vector in await embedder.embed(texts[at : at + _BATCH])]
    return replace(prepared, vectors=tuple(found), embedder=embedder.name)


def as_bytes(values: Sequence[float]) -> bytes:
    """A vector as it is stored: float32, length 1."""
    import numpy as np  # here and below: a knowledge base without an embedder has no use for it

    vector = np.asarray(values, dtype=np.float32)
    norm = float(np.linalg.norm(vector))
    return bytes((vector / norm if norm else vector).tobytes())


@dataclass(frozen=True)
class _Loaded:
    """All vectors of one embedder, at one state of the file."""

    state: tuple[str, int, int]
    chunks: npt.NDArray[np.int64]
    documents: npt.NDArray[np.int64]
    matrix: npt.NDArray[np.float32]


class VectorCache:
    """Keeps the vectors in memory until the file changes."""

    def __init__(self) -> None:
        self._loaded: _Loaded | None = None
        self._lock = Lock()

    def nearest(
        self,
        connection: sqlite3.Connection,
        vector: Sequence[float],
        *,
        embedder: str,
        limit: int,
        within: Sequence[int] | None,
    ) -> list[IndexHit]:
        """At most `limit` chunks, nearest first."""
        import numpy as np

        loaded = self._current(connection, embedder, len(vector))
        if not len(loaded.chunks):
            return []
        scores = loaded.matrix @ np.asarray(vector, dtype=np.float32)
        if within is not None:
            scores = np.where(np.isin(loaded.documents, np.asarray(within, dtype=np.int64)), scores, -np.inf)
        best = np.argsort(-scores, kind="stable")[:limit]
        ids = {int(loaded.chunks[at]): float(scores[at]) for at in best if np.isfinite(scores[at])}
        rows = connection.execute(
            "SELECT chunks.id, document_id, uri, start, digest FROM chunks "
            "JOIN documents ON documents.id = document_id WHERE chunks.id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(ids)),),
        )
        return sorted(
            (IndexHit(id, document, uri, start, digest, ids[id]) for id, document, uri, start, digest in rows),
            key=order,
        )

    def _current(self, connection: sqlite3.Connection, embedder: str, dimensions: int) -> _Loaded:
        import numpy as np

        changes = connection.execute("SELECT coalesce(max(value), 0) FROM meta WHERE key = 'changes'").fetchone()[0]
        state = (embedder, dimensions, int(changes))
        with self._lock:
            if self._loaded is None or self._loaded.state != state:
                found = connection.execute(
                    f"SELECT vectors.mark = checksum({VECTOR}), chunk_id, document_id, vector "
                    "FROM vectors JOIN chunks ON chunks.id = chunk_id "
                    "WHERE embedder = ? AND length(vector) = ? ORDER BY chunk_id",
                    (embedder, 4 * dimensions),  # a model can change behind its name
                )
                rows = [sound(row, f"A vector is damaged: {AGAIN}.") for row in found]
                matrix = np.frombuffer(b"".join(row[2] for row in rows), dtype=np.float32)
                self._loaded = _Loaded(
                    state,
                    np.array([row[0] for row in rows], dtype=np.int64),
                    np.array([row[1] for row in rows], dtype=np.int64),
                    matrix.reshape(len(rows), -1) if rows else matrix.reshape(0, 0),
                )
            return self._loaded


def likeness(vector: Sequence[float], *others: Sequence[float]) -> list[float]:
    """The cosines of vectors of length 1 to the first."""
    import numpy as np

    found: list[float] = (np.asarray(others, dtype=np.float32) @ np.asarray(vector, dtype=np.float32)).tolist()
    return found


def fuse(lexical: Sequence[IndexHit], near: Sequence[IndexHit]) -> list[IndexHit]:
    """Merge two rankings by a convex sum of their scores, each stretched to 0–1 (Bruch et al., 2023), best first.

    >>> a, b, c = (IndexHit(n, n, str(n), 0, bytes([n]), s) for n, s in ((1, 9.0), (2, 5.0), (3, 1.0)))
    >>> [hit.chunk_id for hit in fuse([a, b, c], [replace(c, score=0.2), replace(b, score=0.1)])]
    [1, 3, 2]
    """
    sums: dict[int, float] = {}
    hits: dict[int, IndexHit] = {}
    for ranking, weight in ((lexical, 1 - WEIGHT), (near, WEIGHT)):
        scores = [hit.score for hit in ranking]
        low, high = min(scores, default=0.0), max(scores, default=0.0)
        for hit in ranking:
            hits.setdefault(hit.chunk_id, hit)
            stretched = (hit.score - low) / (high - low) if high > low else 1.0
            sums[hit.chunk_id] = sums.get(hit.chunk_id, 0.0) + weight * stretched
    return sorted((replace(hit, score=sums[id]) for id, hit in hits.items()), key=order)
