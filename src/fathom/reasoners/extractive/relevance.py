"""How well a stretch answers a part of the question: BM25F, which of its words stand together, and what its section
and its page say besides.

S. Robertson, H. Zaragoza: The Probabilistic Relevance Framework, 2009; D. Metzler, W. B. Croft: A Markov Random Field
Model for Term Dependencies, 2005. Each term counts as a share of what a text that holds every word of the part would
score, so that scores of different questions can be compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from fathom.asks import ExtractFindings
from fathom.reasoners.extractive.facets import Facet, facets_of
from fathom.reasoners.extractive.question import read_question
from fathom.reasoners.extractive.rarity import Rarity
from fathom.reasoners.extractive.stretches import Stretch, stretches
from fathom.text.analysis import terms
from fathom.text.compounding import parts_in, with_parts

K1 = 1.2
B = 0.75
LEAF, ABOVE = 1.5, 1.5
"""What a term counts for in the last heading, and in those above it and the title."""
SECTION, PAGE, VOTE = 0.5, 0.4, 0.5
"""What the match of the whole section, of the whole page, and of the page's best stretch adds."""
OPENS = 0.5
"""What it adds that the heading right above holds all words of the part: what opens a section says what it is about."""
FOUND, HALF = 1.0, 5
"""What it adds to a stretch that would stand first that the search found its passage first; half of it for one after so
many others."""
PHRASE, NEIGHBOURS = 0.3, 0.3
"""What it adds that words which follow each other in the part do so here, or stand near each other."""
APART, NEAR = 2, 8
"""Words from one to the next in a phrase, and between neighbours, at most."""


@dataclass(frozen=True, kw_only=True)
class Relevant:
    """A stretch with what it is worth."""

    stretch: Stretch
    score: float
    own: float
    """What it scores by itself."""
    facet: Facet
    """The part of the subtask that it answers best."""


@dataclass(frozen=True)
class _Field:
    """A text as a bag of terms."""

    counts: Counter[str]
    length: int


def best_stretches(ask: ExtractFindings) -> list[Relevant]:
    """Everything that the passages could tell, best first.

    For a question of one part what the search found first, which asked for all of it, has the better claim to be that.
    """
    found, by_facet = scored_stretches(ask, ask.missing)
    best: dict[int, Relevant] = {}
    for facet, scores in by_facet:
        for at, (own, score) in enumerate(scores):
            if at not in best or score * facet.counts > best[at].score:
                best[at] = Relevant(stretch=found[at], score=score * facet.counts, own=own, facet=facet)
    order = sorted(best, key=lambda at: (-best[at].score, at))
    if order and len(read_question(ask.query, language=ask.language).clauses) == 1:
        ranks = {passage.id: rank for rank, passage in reversed(list(enumerate(ask.passages)))}
        first = max(order, key=lambda at: best[at].score + FOUND * HALF / (HALF + ranks[found[at].passage.id]))
        best[first] = replace(best[first], score=best[order[0]].score)
        order.insert(0, order.pop(order.index(first)))
    return [best[at] for at in order]


def scored_stretches(
    ask: ExtractFindings, searches: Sequence[str] = ()
) -> tuple[list[Stretch], list[tuple[Facet, list[tuple[float, float]]]]]:
    """The stretches of the passages, each once, and for each facet what each scores by itself and in all."""
    documents = {document.sha256: document for document in ask.documents}
    seen: dict[tuple[str, int, int], Stretch] = {}
    for passage in ask.passages:
        for stretch in stretches(passage, markup=documents[passage.document].markup):
            seen.setdefault((stretch.document, stretch.start, stretch.end), stretch)
    found = list(seen.values())
    question = read_question(ask.query, language=ask.language)
    facets = facets_of(ask.subtask, question, rarity=Rarity.over(ask.sources), searches=searches)
    asked = parts_in({term for facet in facets for term in facet.weights}, language=ask.language)
    scorer = _Scorer(found, {sha: document.title for sha, document in documents.items()}, sorted(asked))
    return found, [(facet, scorer.scores(facet)) for facet in facets]


def matches(facet: Facet, texts: Sequence[Counter[str]]) -> list[float]:
    """What texts score by their own words alone, their terms given; 0 to about 2."""
    return _bm25f(facet, [_Field(counts, counts.total()) for counts in texts], None)


class _Scorer:
    """The stretches of an ask, their sections and their pages."""

    def __init__(self, found: Sequence[Stretch], titles: Mapping[str, str], parts: Sequence[str]) -> None:
        """`parts` are terms of the question that count where a compound begins or ends with them too."""
        self._found = found
        told = [with_parts(each.terms, parts) for each in found]
        sections: dict[tuple[str, tuple[str, ...]], Counter[str]] = {}
        pages: dict[str, Counter[str]] = {}
        for each, held in zip(found, told, strict=True):
            sections.setdefault((each.document, each.headings), Counter()).update(held)
            pages.setdefault(each.document, Counter()).update(held)
        self._sequences = [terms(" \n".join((titles[each.document], *each.headings, each.text))) for each in found]
        self._bodies = [_Field(held, each.terms.total()) for each, held in zip(found, told, strict=True)]
        above = [" \n".join((titles[each.document], *each.headings[:-1])) for each in found]
        self._leaves = [with_parts(Counter(terms(" ".join(each.headings[-1:]))), parts) for each in found]
        self._above = [with_parts(Counter(terms(text)), parts) for text in above]
        self._sections = {key: _Field(counts, counts.total()) for key, counts in sections.items()}
        self._pages = {key: _Field(counts, counts.total()) for key, counts in pages.items()}

    def scores(self, facet: Facet) -> list[tuple[float, float]]:
        """Of each stretch, what it scores by itself, and with all that stands around it."""
        own = self._matches(facet, self._bodies)
        close = [_closeness(facet, sequence) for sequence in self._sequences]
        section_keys = list(self._sections)
        at_section = {key: at for at, key in enumerate(section_keys)}
        heads = {
            (each.document, each.headings): (leaf, above)
            for each, leaf, above in zip(self._found, self._leaves, self._above, strict=True)
        }
        sections = _bm25f(facet, [self._sections[key] for key in section_keys], [heads[key] for key in section_keys])
        page_keys = list(self._pages)
        pages = dict(zip(page_keys, _bm25f(facet, [self._pages[key] for key in page_keys], None), strict=True))
        opening = self._opening(facet)
        vote: dict[str, float] = {}
        for each, score in zip(self._found, own, strict=True):
            vote[each.document] = max(vote.get(each.document, 0.0), score)
        return [
            (
                score,
                score
                + near
                + SECTION * sections[at_section[each.document, each.headings]]
                + PAGE * pages[each.document]
                + VOTE * vote[each.document]
                + opens,
            )
            for each, score, near, opens in zip(self._found, own, close, opening, strict=True)
        ]

    def _opening(self, facet: Facet) -> list[float]:
        """What it adds to each stretch that it is the first one found of its section, by the words of the heading."""
        asked = sum(facet.weights[term] for term in facet.own) or 1.0
        first: dict[tuple[str, tuple[str, ...]], int] = {}
        for each in self._found:
            place = each.document, each.headings
            first[place] = min(first.get(place, each.start), each.start)
        heads = (
            leaf if each.headings else above
            for each, leaf, above in zip(self._found, self._leaves, self._above, strict=True)
        )
        return [
            OPENS * sum(facet.weights[term] for term in facet.own if head.get(term)) / asked
            if first[each.document, each.headings] == each.start
            else 0.0
            for each, head in zip(self._found, heads, strict=True)
        ]

    def _matches(self, facet: Facet, bodies: Sequence[_Field]) -> list[float]:
        return _bm25f(facet, bodies, list(zip(self._leaves, self._above, strict=True)))


def _bm25f(
    facet: Facet, bodies: Sequence[_Field], heads: Sequence[tuple[Counter[str], Counter[str]]] | None
) -> list[float]:
    typical = sum(body.length for body in bodies) / max(len(bodies), 1) or 1.0
    typical_leaf = typical_above = 1.0
    if heads:
        typical_leaf = sum(leaf.total() for leaf, _ in heads) / len(heads) or 1.0
        typical_above = sum(above.total() for _, above in heads) / len(heads) or 1.0
    result = []
    for at, body in enumerate(bodies):
        value = 0.0
        norm = 1 - B + B * body.length / typical
        leaf, above = heads[at] if heads else (Counter(), Counter())
        norm_leaf = 1 - B + B * leaf.total() / typical_leaf
        norm_above = 1 - B + B * above.total() / typical_above
        for term, weight in facet.weights.items():
            count = body.counts.get(term, 0) / norm
            if heads:
                count += LEAF * leaf.get(term, 0) / norm_leaf + ABOVE * above.get(term, 0) / norm_above
            if count:
                value += weight * count * (K1 + 1) / (count + K1)
        result.append(value / facet.total)
    return result


def _closeness(facet: Facet, sequence: Sequence[str]) -> float:
    """Which of the words that follow each other in a part do so in a text, or stand near each other; 0 to about 1.2."""
    places: dict[str, list[int]] = {term: [] for term in facet.own}
    for at, term in enumerate(sequence):
        if term in places:
            places[term].append(at)
    value = total = 0.0
    for one, other in pairwise(facet.own):
        weight = facet.weights[one] + facet.weights[other]
        total += weight
        apart = [[second - first for second in places[other]] for first in places[one]]
        phrases = sum(any(0 < far <= APART for far in each) for each in apart)
        near = sum(any(0 < abs(far) <= NEAR for far in each) for each in apart)
        value += weight * (PHRASE * 2 * phrases / (phrases + 1) + NEIGHBOURS * 2 * near / (near + 1))
    return value / total if total else 0.0
