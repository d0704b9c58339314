"""What speaks for a candidate: how well it, and what stands around it, matches; and what kind of statement it is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fathom.evidence import Document, Passage
from fathom.reasoners.extractive.cues import CUES
from fathom.reasoners.extractive.forms import FORMS
from fathom.reasoners.extractive.reading import Candidate, Reading, read

K1 = 1.2
B = 0.5
TYPICAL = {"sentence": 22, "block": 60, "passage": 220, "page": 1000}
"""Terms that a text of each level has."""

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Facet:
    """What is looked for: the words of a part of the question, with their weights."""

    weights: Mapping[str, float]
    """Weight of each term: its rarity, less for words that were carried over and for the rest of the question."""
    own: tuple[str, ...]
    """The terms of the part itself, in order."""
    names: frozenset[str] = frozenset()
    """Those of its terms that are identifiers."""
    wants: frozenset[str] = frozenset()
    """Cues of the answer that it asks for."""

    total: float
    """Sum of the weights, or 1 when there are none."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """A candidate with its passage."""

    candidate: Candidate
    passage: Passage
    reading: Reading
    rank: int
    """Position of the passage in the ask, 0 first."""


MATCHES: tuple[str, ...] = (
    "sentence", "sentence_own", "sentence_names", "sentence_whole", "before", "lead",
    "block", "block_whole", "near", "passage", "passage_whole", "passage_order", "path", "leaf", "leaf_share",
    "page", "page_whole", "page_title", "title_share", "page_parts", "page_passages", "page_rank", "rank",
    "sentence*block", "sentence*passage", "sentence*path", "block*passage", "passage*page", "path*lead",
    "either*passage",
)  # fmt: skip
"""How well a candidate, and each level above it, matches the facet; `whole` is the question as a whole."""
NAMES: tuple[str, ...] = (*MATCHES, "wanted", *FORMS, *(f"cue_{name}" for name in CUES))
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


@dataclass(frozen=True, kw_only=True)
class Scene:
    """The places of an ask with what holds for every facet."""

    places: Sequence[Place]
    titles: Mapping[str, frozenset[str]]
    """Terms of the title of each document."""
    whole: Facet
    """The question as a whole."""
    parts: Sequence[Facet]
    """What each clause of the question looks for; a page that serves several is the better for it."""


def measure(scene: Scene, facet: Facet) -> Array:
    """One row per place, one column per name in `NAMES`; matches are shares of the facet's weight, 0 to about 2."""
    pages = _pages(scene, facet)
    sections = _sections(scene, facet)
    rows = np.zeros((len(scene.places), len(NAMES)))
    for at, place in enumerate(scene.places):
        candidate = place.candidate
        section = sections[id(place.reading)]
        page = pages[place.passage.document]
        held = candidate.terms
        sentence = _saturated(held, candidate.length, facet, typical=TYPICAL["sentence"])
        lead = _cover(candidate.lead_terms, facet)
        block = section.blocks[candidate.block]
        either = max(sentence, lead)
        cues = candidate.cues
        rows[at] = (
            sentence,
            _share(facet.own, held, facet.weights),
            len(facet.names.intersection(held)) / max(len(facet.names), 1),
            _saturated(held, candidate.length, scene.whole, typical=TYPICAL["sentence"]),
            section.sentences.get((candidate.block, candidate.place - 1), 0.0),
            lead,
            block,
            section.blocks_whole[candidate.block],
            section.near(candidate.block),
            section.match,
            section.whole,
            section.order,
            section.path,
            section.leaf,
            section.leaf_share,
            *page,
            1 / (1 + place.rank / 5),
            sentence * block,
            sentence * section.match,
            sentence * section.path,
            block * section.match,
            section.match * page[0],
            section.path * lead,
            either * section.match,
            max((cue for cue, name in zip(cues, CUES, strict=True) if name in facet.wants), default=0.0),
            *candidate.form,
            *cues,
        )
    return rows


@dataclass(kw_only=True)
class _Section:
    """How a passage matches."""

    match: float
    whole: float
    path: float
    leaf: float
    leaf_share: float
    blocks: list[float]
    blocks_whole: list[float]
    sentences: dict[tuple[int, int], float]
    order: float = 0.0

    def near(self, block: int) -> float:
        """The better of the blocks before and behind."""
        return max((self.blocks[at] for at in (block - 1, block + 1) if 0 <= at < len(self.blocks)), default=0.0)


def _sections(scene: Scene, facet: Facet) -> dict[int, _Section]:
    found: dict[int, _Section] = {}
    for place in scene.places:
        reading = place.reading
        if id(reading) in found:
            continue
        blocks = list(zip(reading.blocks, reading.lengths, strict=True))
        length = sum(reading.lengths)
        found[id(reading)] = _Section(
            match=_saturated(reading.whole, length, facet, typical=TYPICAL["passage"]),
            whole=_saturated(reading.whole, length, scene.whole, typical=TYPICAL["passage"]),
            path=_cover(reading.path, facet),
            leaf=_cover(reading.leaf, facet),
            leaf_share=_matched(reading.leaf, scene.whole),
            blocks=[_saturated(block, size, facet, typical=TYPICAL["block"]) for block, size in blocks],
            blocks_whole=[_saturated(block, size, scene.whole, typical=TYPICAL["block"]) for block, size in blocks],
            sentences={
                (candidate.block, candidate.place): _saturated(
                    candidate.terms, candidate.length, facet, typical=TYPICAL["sentence"]
                )
                for candidate in reading.candidates
            },
        )
    for order, section in enumerate(sorted(found.values(), key=lambda section: -section.match)):
        section.order = 1 / (1 + order / 3)
    return found


def _pages(scene: Scene, facet: Facet) -> dict[str, tuple[float, ...]]:
    """How each document matches: with all of its passages together, by its title, and for the parts of the question."""
    counts: dict[str, Counter[str]] = {}
    ranks: dict[str, int] = {}
    readings: dict[str, dict[int, Reading]] = {}
    for place in scene.places:
        sha = place.passage.document
        ranks.setdefault(sha, len(ranks))
        readings.setdefault(sha, {})[id(place.reading)] = place.reading
    for sha, own in readings.items():
        counts[sha] = Counter()
        for reading in own.values():
            counts[sha].update(reading.whole)
    return {
        sha: (
            _saturated(count, TYPICAL["page"], facet, typical=TYPICAL["page"]),
            _saturated(count, TYPICAL["page"], scene.whole, typical=TYPICAL["page"]),
            _cover(scene.titles[sha], facet),
            _matched(scene.titles[sha], scene.whole),
            sum(max(_share(part.own, r.whole, part.weights) for r in readings[sha].values()) for part in scene.parts)
            / max(len(scene.parts), 1),
            math.log1p(len(readings[sha])),
            1 / (1 + ranks[sha] / 2),
        )
        for sha, count in counts.items()
    }


def _saturated(count: Mapping[str, int], length: int, facet: Facet, *, typical: int) -> float:
    """BM25 of a text against weighted terms (Robertson and Zaragoza, 2009), as a share of their weight."""
    norm = K1 * (1 - B + B * length / typical)
    weights = facet.weights
    return (
        sum(weights[term] * count[term] * (K1 + 1) / (count[term] + norm) for term in weights.keys() & count.keys())
        / facet.total
    )


def _cover(held: frozenset[str], facet: Facet) -> float:
    """Share of the facet's weight that the terms hold."""
    return sum(facet.weights[term] for term in facet.weights.keys() & held) / facet.total


def _share(own: Sequence[str], held: Mapping[str, int], weights: Mapping[str, float]) -> float:
    """Share of the weight of the part's own terms that a text holds."""
    total = sum(weights[term] for term in own)
    return sum(weights[term] for term in own if term in held) / total if total else 0.0


def _matched(names: frozenset[str], facet: Facet) -> float:
    """Share of the words of a heading that the question holds."""
    return len(names & facet.weights.keys()) / len(names) if names else 0.0
