"""Every sentence that passages could tell, ranked by the stretch that it stands in and by its own words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fathom.asks import ExtractFindings
from fathom.evidence import Document, Evidence, Passage, Span
from fathom.reasoners.extractive.facets import Facet
from fathom.reasoners.extractive.reading import Candidate, read
from fathom.reasoners.extractive.relevance import matches, scored_stretches

OWN = 0.5
"""What its own match, and that of its lead-in, adds to the score of the stretch that a sentence stands in."""
FOUND, HALF = 0.5, 5
"""What it adds that the search found the passage first; half of it for one after so many others."""
GOOD, POWER = 4.0, 8
"""A sum that counts as 1, and the power of what it is measured by: sentences of one page differ little."""
_MARKS = re.compile(r"[¶\u200b\uf0c1]+|[#§]+\s*$")
_FACETS = 6
"""Terms that a place is said to serve."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """A candidate with its passage."""

    candidate: Candidate
    passage: Passage
    rank: int
    """Position of the passage in the ask, 0 first."""


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """A place with what it is worth."""

    place: Place
    score: float
    """How well it answers, for comparison with others of the same question."""
    facet: Facet
    """The part of the subtask that it answers best."""

    @property
    def served(self) -> tuple[str, ...]:
        """The terms of its facet that it holds, the heaviest first."""
        held = set(self.facet.own).intersection(self.place.candidate.terms)
        return tuple(sorted(held, key=lambda term: (-self.facet.weights.get(term, 0), term)))[:_FACETS]

    @property
    def evidence(self) -> Evidence:
        """The quote."""
        candidate, passage = self.place.candidate, self.place.passage
        block = passage.blocks[candidate.block]
        said = evidence_of(passage, candidate.start, candidate.end)
        return said.model_copy(update={"block": Span(start=block.start, end=block.end)})

    @property
    def lead_in(self) -> Evidence | None:
        """What must be read before it."""
        lead = self.place.candidate.lead_in
        return evidence_of(self.place.passage, lead.start, lead.end) if lead else None


def rank(ask: ExtractFindings) -> list[Ranked]:
    """Everything that the passages could tell and that is not known yet, best first."""
    told = {(finding.evidence[0].document, finding.evidence[0].start, finding.evidence[0].end) for finding in ask.known}
    found = places(ask.passages, ask.documents)
    around, by_facet = scored_stretches(ask)
    stretches: dict[str, list[int]] = {}
    for number, stretch in enumerate(around):
        stretches.setdefault(stretch.document, []).append(number)
    homes = [
        next((at for at in stretches.get(each.passage.document, ()) if around[at].holds(each.candidate.start)), None)
        for each in found
    ]
    texts = [each.candidate.terms + Counter(each.candidate.lead_terms) for each in found]
    best: list[Ranked] = []
    for facet, scores in by_facet:
        for at, (place, home, own) in enumerate(zip(found, homes, matches(facet, texts), strict=True)):
            score = OWN * own + FOUND * HALF / (HALF + place.rank) + (scores[home][1] if home is not None else 0.0)
            ranked = Ranked(place=place, score=(score / GOOD) ** POWER, facet=facet)
            if at == len(best):
                best.append(ranked)
            elif ranked.score > best[at].score:
                best[at] = ranked
    best.sort(key=lambda each: (-each.score, each.place.rank, each.place.candidate.start))
    return [each for each in best if _span(each.place) not in told]


def places(passages: Sequence[Passage], documents: Sequence[Document]) -> list[Place]:
    """Everything that the passages could tell, each span once, in the order of the passages."""
    markups = {document.sha256: document.markup for document in documents}
    found: dict[tuple[str, int, int], Place] = {}
    for rank, passage in enumerate(passages):
        for candidate in read(passage, markup=markups[passage.document]).candidates:
            place = Place(candidate=candidate, passage=passage, rank=rank)
            found.setdefault(_span(place), place)
    return list(found.values())


def _span(place: Place) -> tuple[str, int, int]:
    return place.passage.document, place.candidate.start, place.candidate.end


def evidence_of(passage: Passage, start: int, end: int) -> Evidence:
    """A span of a passage as a quotation."""
    return Evidence(
        document=passage.document, start=start, end=end, quote=passage.quote(start, end), locator=locator_of(passage)
    )


def locator_of(passage: Passage) -> str:
    """The heading path of a passage, as one line."""
    return " › ".join(filter(None, (" ".join(_MARKS.sub(" ", heading).split()) for heading in passage.headings)))
