"""Shared by tests: `TinyEmbedder`, `counts`."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path


class TinyEmbedder:
    """Counts letters: texts with the same letters are near."""

    def __init__(self, *, multilingual: bool = False) -> None:
        self.name = "tiny"
        self.dimensions = 26
        self.multilingual = multilingual
        self.asked: list[str] = []

    async def close(self) -> None:
        """Holds nothing open."""

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        self.asked += texts
        return [[text.lower().count(chr(97 + at)) + 0.01 for at in range(26)] for text in texts]


def counts(path: Path) -> tuple[int, int, int]:
    """Chunks, indexed chunks and vectors in the file."""
    with sqlite3.connect(path) as connection:
        connection.execute("INSERT INTO chunk_index (chunk_index, rank) VALUES ('integrity-check', 1)")
        chunks, indexed, vectors = (
            connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("chunks", "chunk_index", "vectors")
        )
    return chunks, indexed, vectors
