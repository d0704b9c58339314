"""Ranking the chunks of a few documents among themselves, whatever else the file holds."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from fathom.knowledge.finding import BODY_WEIGHT, HEADINGS_WEIGHT, TITLE_WEIGHT, IndexHit, order
from fathom.knowledge.index import Connection

_K1, _B = 1.2, 0.75
_MAIN_WEIGHT, _CONTEXT_WEIGHT = 3.0, 1.0

_CHUNKS = """
SELECT chunks.id, document_id, sha256, start, digest, chunk_terms.title, chunk_terms.headings, body
FROM documents CROSS JOIN chunks ON document_id = documents.id CROSS JOIN chunk_terms ON chunk_terms.id = chunks.id
WHERE documents.id IN (SELECT value FROM json_each(?))
"""


@dataclass(frozen=True)
class Ranking:
    """The chunks of some documents as a query sees them."""

    hits: tuple[IndexHit, ...]
    """Those that match, best first; ties by digest of the document and by place."""
    chunks: int
    """How many there are."""
    holding: Mapping[str, int]
    """How many hold each term."""
    cover: float
    """Share of the main terms, weighed by how rare they are, that the best one holds."""


def rank(
    connection: Connection, documents: Sequence[int], *, main: Sequence[str], context: Sequence[str] = ()
) -> Ranking:
    """Rank by BM25 (Robertson & Zaragoza, 2009), counting in these documents alone.

    A term of `main` counts three times as much as one of `context`; a chunk that only holds terms of `context` does not
    match, unless there are no others. The full-text index is of no use here: it counts in the whole file, where pages
    that other runs have read would change the order, and what most chunks hold is worth nothing to it.
    """
    weights = dict.fromkeys(context, _CONTEXT_WEIGHT) | dict.fromkeys(main, _MAIN_WEIGHT)
    needed = frozenset(main or weights)
    look = lru_cache(maxsize=256)(partial(_counts, wanted=frozenset(weights)))  # titles and headings come again
    found: list[tuple[IndexHit, int, dict[str, float]]] = []
    chunks = total = 0
    for id, document, sha256, start, digest, *parts in connection.execute(_CHUNKS, (json.dumps(list(documents)),)):
        counts: dict[str, float] = {}
        length = 0
        for part, weight in zip(parts, (TITLE_WEIGHT, HEADINGS_WEIGHT, BODY_WEIGHT), strict=True):
            words, held = look(part)
            length += words
            for term, count in held.items():
                counts[term] = counts.get(term, 0.0) + weight * count
        chunks += 1
        total += length
        if counts:
            found.append((IndexHit(id, document, sha256, start, digest, 0.0), length, counts))
    holding = {term: sum(term in counts for *_, counts in found) for term in weights}
    worth = {term: weights[term] * rarity(holding[term], chunks) * (_K1 + 1) for term in weights}
    hits = []
    for hit, length, counts in found:
        if not needed.isdisjoint(counts):
            damping = _K1 * (1 - _B + _B * length * chunks / total)
            # in the order of the terms, for a sum of fractions depends on it
            score = sum(worth[term] * counts[term] / (counts[term] + damping) for term in weights if term in counts)
            hits.append(replace(hit, score=score))
    wanted = {term: holding[term] for term in main}
    best = cover((wanted.keys() & counts.keys() for *_, counts in found), wanted, chunks)
    return Ranking(tuple(sorted(hits, key=order)), chunks, holding, best)


def _counts(text: str, wanted: frozenset[str]) -> tuple[int, dict[str, int]]:
    """How many terms a text has, which is terms with spaces between them, and how often those that are wanted."""
    words = text.split()
    return len(words), {term: words.count(term) for term in wanted.intersection(words)}


def rarity(holding: int, chunks: int) -> float:
    """How much a term tells that `holding` of so many chunks hold: above 0, more the fewer there are."""
    return math.log(1 + (chunks - holding + 0.5) / (holding + 0.5))


def cover(held: Iterable[Collection[str]], holding: Mapping[str, int], chunks: int) -> float:
    """Share of the terms, weighed by their rarity, that the best chunk holds.

    Args:
        held: The terms that each chunk holds.
        holding: How many chunks hold each term.

    >>> round(cover([["deep"], ["sea"]], {"deep": 1, "sea": 9}, 10), 2)
    0.93
    """
    worth = {term: rarity(count, chunks) for term, count in holding.items()}
    whole = sum(worth.values())
    best = max((sum(worth[term] for term in terms) for terms in held), default=0.0)
    return min(1.0, round(best / whole, 6)) if whole else 0.0  # the order of a set must not show
