"""Everything that passages could tell, ranked by how well it answers a subtask."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fathom.asks import ExtractFindings
from fathom.evidence import Evidence, Passage, Span
from fathom.reasoners.extractive import weights
from fathom.reasoners.extractive.facets import facets_of, scene_of
from fathom.reasoners.extractive.features import NAMES, Array, Facet, Place, Scene, measure, places
from fathom.reasoners.extractive.question import read_question
from fathom.reasoners.extractive.rarity import Rarity

CHANGES = 0.25
"""What a page that lists the changes of a release counts for, unless changes are asked for: it tells of everything."""
_LISTS_CHANGES = re.compile(
    r"\b(?:release \d|release notes?|change ?log|changes in|what.s new|release history)"
    r"|リリースノート|変更履歴|更新履歴",
    re.IGNORECASE,
)
_ASKS_OF_CHANGES = re.compile(
    r"\b(?:versions?|releases?|changed?|changes|new|since|upgrad\w+|histor\w+|deprecat\w+|removed)\b"
    r"|\d\.\d|版|リリース|変更|新しい|更新|履歴|廃止",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[¶\u200b\uf0c1]+|[#§]+\s*$")
_FACETS = 6
"""Terms that a place is said to serve."""


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """A place with what it is worth."""

    place: Place
    score: float
    """How many times as likely as the average place it holds an answer."""
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
    found = places(ask.passages, ask.documents)
    if not found:
        return []
    question = read_question(ask.query, language=ask.language)
    rarity = Rarity.over(ask.sources)
    facets = facets_of(ask.subtask, question, rarity=rarity)
    scores, best = score(scene_of(ask, found, question, rarity=rarity), facets)
    if not _ASKS_OF_CHANGES.search(ask.query):
        titles = {document.sha256: document.title for document in ask.documents}
        lists = [bool(_LISTS_CHANGES.search(titles[place.passage.document])) for place in found]
        scores = np.where(lists, scores * CHANGES, scores)
    order = sorted(range(len(found)), key=lambda at: (-scores[at], found[at].rank, found[at].candidate.start))
    told = {(finding.evidence[0].document, finding.evidence[0].start, finding.evidence[0].end) for finding in ask.known}
    return [
        Ranked(place=found[at], score=float(scores[at]), facet=facets[best[at]])
        for at in order
        if (found[at].passage.document, found[at].candidate.start, found[at].candidate.end) not in told
    ]


def score(scene: Scene, facets: Sequence[Facet]) -> tuple[Array, list[int]]:
    """How much each place answers, and which facet it answers best."""
    columns = [weighed(standardised(measure(scene, facet)), table=weights.SENTENCE) for facet in facets]
    table = np.stack(columns)
    return table.max(axis=0), [int(at) for at in table.argmax(axis=0)]


def standardised(rows: Array) -> Array:
    """Every column with mean 0 and deviation 1 within this question; a column that is the same everywhere is 0."""
    deviation = rows.std(axis=0)
    return np.where(deviation > 1e-9, (rows - rows.mean(axis=0)) / np.where(deviation > 1e-9, deviation, 1.0), 0.0)


def weighed(rows: Array, *, table: dict[str, float]) -> Array:
    """The exponential of the weighted columns: how many times as likely as the average place it holds an answer."""
    result: Array = np.exp(np.clip(rows @ np.array([table[name] for name in NAMES]), -20, 20))
    return result


def evidence_of(passage: Passage, start: int, end: int) -> Evidence:
    """A span of a passage as a quotation."""
    return Evidence(
        document=passage.document, start=start, end=end, quote=passage.quote(start, end), locator=locator_of(passage)
    )


def locator_of(passage: Passage) -> str:
    """The heading path of a passage, as one line."""
    return " › ".join(filter(None, (" ".join(_MARKS.sub(" ", heading).split()) for heading in passage.headings)))
