"""What speaks for a candidate: how well it, and what stands around it, matches; and what kind of statement it is."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fathom.evidence import Document, Passage
from fathom.reasoners.extractive.cues import CUES
from fathom.reasoners.extractive.reading import Candidate, Reading, read
from fathom.text.analysis import terms

K1 = 1.2
B = 0.5
TYPICAL_WORDS = {"sentence": 22, "block": 60, "passage": 220}

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Facet:
    """What is looked for: the words of a part of the question, with their weights."""

    weights: Mapping[str, float]
    """Weight of each term: its rarity, less for words that were carried over and for the rest of the question."""
    own: frozenset[str]
    """The terms of the part itself."""
    names: frozenset[str] = frozenset()
    """Those of its terms that are identifiers."""
    wants: frozenset[str] = frozenset()
    """Cues of the answer that it asks for."""

    @property
    def total(self) -> float:
        return sum(self.weights.values()) or 1.0


@dataclass(frozen=True, kw_only=True)
class Place:
    """A candidate with its passage."""

    candidate: Candidate
    passage: Passage
    reading: Reading
    rank: int
    """Position of the passage in the ask, 0 first."""


NAMES: tuple[str, ...] = (
    "sentence", "sentence_cover", "sentence_names", "lead", "block", "passage", "path", "leaf", "title", "page",
    "page_whole",
    "near", "whole", "sentence*block", "sentence*passage", "sentence*path", "block*passage", "passage*page",
    "path*lead", "either*passage",
    "rank", "first", "early", "length", "short", "list_item", "definition", "table_row", "quote",
    "leaning", "example", "brackets",
    "wanted", *(f"cue_{name}" for name in CUES),
)  # fmt: skip
"""The features, in the order of the columns."""


def places(passages: Sequence[Passage], documents: Sequence[Document]) -> list[Place]:
    """Everything that the passages could tell, each span once, in the order of the passages."""
    markups = {document.sha256: document.markup for document in documents}
    seen: set[tuple[str, int, int]] = set()
    found: list[Place] = []
    for rank, passage in enumerate(passages):
        reading = read(passage, markup=markups[passage.document])
        for candidate in reading.candidates:
            key = (passage.document, candidate.start, candidate.end)
            if key not in seen:
                seen.add(key)
                found.append(Place(candidate=candidate, passage=passage, reading=reading, rank=rank))
    return found


def measure(found: Sequence[Place], facet: Facet, whole: Facet, documents: Sequence[Document]) -> Array:
    """One row per place, one column per name in `NAMES`; matches are shares of the facet's weight, 0 to about 2."""
    weights, total = facet.weights, facet.total
    own_total = sum(weights[term] for term in facet.own) or 1.0
    pages = _Pages(found, documents)
    page = {sha: _saturated(count, weights, typical=2000) / total for sha, count in pages.terms.items()}
    page_whole = {
        sha: _saturated(count, whole.weights, typical=2000) / whole.total for sha, count in pages.terms.items()
    }
    title = {sha: _cover(names, weights) / total for sha, names in pages.titles.items()}
    readings: dict[int, tuple[float, float, float, list[float]]] = {}
    rows = np.zeros((len(found), len(NAMES)))
    for at, place in enumerate(found):
        candidate, reading, sha = place.candidate, place.reading, place.passage.document
        if id(reading) not in readings:
            readings[id(reading)] = (
                _saturated(reading.whole, weights, typical=TYPICAL_WORDS["passage"]) / total,
                _cover(reading.path, weights) / total,
                _cover(reading.leaf, weights) / total,
                [_saturated(block, weights, typical=TYPICAL_WORDS["block"]) / total for block in reading.blocks],
            )
        passage, path, leaf, blocks = readings[id(reading)]
        block = blocks[candidate.block]
        sentence = _saturated(candidate.terms, weights, typical=TYPICAL_WORDS["sentence"]) / total
        lead = _cover(candidate.lead_terms, weights) / total
        near = max(
            blocks[candidate.block - 1] if candidate.block else 0.0,
            blocks[candidate.block + 1] if candidate.block + 1 < len(blocks) else 0.0,
        )
        cover = sum(weights[term] for term in facet.own if term in candidate.terms) / own_total
        named = len(facet.names.intersection(candidate.terms)) / max(len(facet.names), 1)
        cues = [1.0 if pattern.search(candidate.claim) else 0.0 for pattern in CUES.values()]
        wanted = max((cue for cue, name in zip(cues, CUES, strict=True) if name in facet.wants), default=0.0)
        either = max(sentence, lead)
        kind = candidate.kind
        rows[at] = (
            sentence, cover, named, lead, block, passage, path, leaf, title[sha], page[sha], page_whole[sha],
            near, _saturated(candidate.terms, whole.weights, typical=TYPICAL_WORDS["sentence"]) / whole.total,
            sentence * block, sentence * passage, sentence * path, block * passage, passage * page[sha],
            path * lead, either * passage,
            1 / (1 + place.rank / 5), candidate.place == 0, 1 / (1 + candidate.block),
            math.log1p(candidate.words), candidate.words < 9,
            kind == "list_item", kind == "definition", kind == "table_row", kind == "quote",
            candidate.leaning, bool(_EXAMPLE.search(candidate.claim)), candidate.claim.startswith(("(", "（", "[")),
            wanted, *cues,
        )  # fmt: skip
    return rows


_EXAMPLE = re.compile(r"\bfor (?:example|instance)\b|\be\.g\.|例えば|たとえば", re.IGNORECASE)


class _Pages:
    """What each document holds in all of its passages together."""

    def __init__(self, found: Sequence[Place], documents: Sequence[Document]) -> None:
        self.terms: dict[str, Counter[str]] = {}
        seen: set[int] = set()
        for place in found:
            if id(place.reading) not in seen:
                seen.add(id(place.reading))
                self.terms.setdefault(place.passage.document, Counter()).update(place.reading.whole)
        titles = {document.sha256: frozenset(terms(document.title)) for document in documents}
        self.titles = {sha: titles.get(sha, frozenset()) for sha in self.terms}


def _saturated(count: Mapping[str, int], weights: Mapping[str, float], *, typical: int) -> float:
    """BM25 of a text against weighted terms (Robertson and Zaragoza, 2009), with a given typical length."""
    length = sum(count.values()) / typical if typical < 1000 else 1.0
    norm = K1 * (1 - B + B * length)
    return sum(
        weight * count[term] * (K1 + 1) / (count[term] + norm) for term, weight in weights.items() if term in count
    )


def _cover(held: frozenset[str], weights: Mapping[str, float]) -> float:
    return sum(weight for term, weight in weights.items() if term in held)
