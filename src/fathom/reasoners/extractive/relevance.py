"""How well a stretch answers a part of the question: BM25F, which of its words stand together, and what its section
and its page say besides.

S. Robertson, H. Zaragoza: The Probabilistic Relevance Framework, 2009; D. Metzler, W. B. Croft: A Markov Random Field
Model for Term Dependencies, 2005. Each term counts as a share of what a text that holds every word of the part would
score, so that scores of different questions can be compared.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
OPENS, OPENING = 0.5, 10
"""What it adds that the heading right above holds all words of the part: what opens a section says what it is about; if
it has so many terms, less where it only names an owner or a day."""
LEFT_OUT = 0.3
"""What is left of the score of what stands under a heading or title that names what the question leaves out."""
PHRASE, NEIGHBOURS = 0.3, 0.3
"""What it adds that words which follow each other in the part do so here, or stand near each other."""
APART, NEAR = 2, 8
"""Words from one to the next in a phrase, and between neighbours, at most."""


_Place = tuple[str, tuple[str, ...]]
"""A document and the headings within it."""


@dataclass(frozen=True, slots=True)
class _Text:
    """A text as bags of terms."""

    body: Counter[str]
    length: int
    leaf: Counter[str] = field(default_factory=Counter)
    """Of the last heading above it."""
    above: Counter[str] = field(default_factory=Counter)
    """Of the headings above that and the title."""


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
    return _bm25f(facet, [_Text(counts, counts.total()) for counts in texts])


class _Scorer:
    """The stretches of an ask, their sections and their pages."""

    def __init__(self, found: Sequence[Stretch], titles: Mapping[str, str], parts: Sequence[str]) -> None:
        """`parts` are terms of the question that count where a compound begins or ends with them too."""
        self._places = [(each.document, each.headings) for each in found]
        heads: dict[_Place, tuple[Counter[str], Counter[str]]] = {}
        sections, opening = defaultdict[_Place, Counter[str]](Counter), dict[_Place, int]()
        pages: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._texts: list[_Text] = []
        for each, place in zip(found, self._places, strict=True):
            if place not in heads:
                said = "".join(each.headings[-1:]), " \n".join((titles[each.document], *each.headings[:-1]))
                leaf, above = (with_parts(Counter(terms(text)), parts) for text in said)
                heads[place] = leaf, above
            held = with_parts(each.terms, parts)
            sections[place].update(held)
            pages[each.document].update(held)
            opening[place] = min(opening.get(place, each.start), each.start)
            self._texts.append(_Text(held, each.terms.total(), *heads[place]))
        self._opens = [opening[place] == each.start for each, place in zip(found, self._places, strict=True)]
        self._sections = {key: _Text(held, held.total(), *heads[key]) for key, held in sections.items()}
        self._pages = {key: _Text(held, held.total()) for key, held in pages.items()}
        self._sequences = [terms(" \n".join((titles[each.document], *each.headings, each.text))) for each in found]

    def scores(self, facet: Facet) -> list[tuple[float, float]]:
        """Of each stretch, what it scores by itself, and with all that stands around it."""
        own = _bm25f(facet, self._texts)
        sections = dict(zip(self._sections, _bm25f(facet, list(self._sections.values())), strict=True))
        pages = dict(zip(self._pages, _bm25f(facet, list(self._pages.values())), strict=True))
        vote = dict.fromkeys(self._pages, 0.0)
        for (page, _), score in zip(self._places, own, strict=True):
            vote[page] = max(vote[page], score)
        scored = []
        for at, (score, place) in enumerate(zip(own, self._places, strict=True)):
            around = _closeness(facet, self._sequences[at]) + SECTION * sections[place] + PAGE * pages[place[0]]
            around += VOTE * vote[place[0]] + (self._opening(facet, at) if self._opens[at] else 0.0)
            above = self._texts[at].leaf + self._texts[at].above if facet.left_out else Counter[str]()
            share = LEFT_OUT if any(above[term] for term in facet.left_out) else 1.0
            scored.append((share * score, share * (score + around)))
        return scored

    def _opening(self, facet: Facet, at: int) -> float:
        """What it adds to the first stretch found of a section that the heading above it holds words of the part."""
        head = self._texts[at].leaf if self._places[at][1] else self._texts[at].above
        asked = sum(facet.weights[term] for term in facet.own) or 1.0
        says = min(1.0, self._texts[at].length / OPENING)
        return OPENS * says * sum(facet.weights[term] for term in facet.own if head.get(term)) / asked


def _bm25f(facet: Facet, texts: Sequence[_Text]) -> list[float]:
    count = max(len(texts), 1)
    typical = sum(text.length for text in texts) / count or 1.0
    typical_leaf = sum(text.leaf.total() for text in texts) / count or 1.0
    typical_above = sum(text.above.total() for text in texts) / count or 1.0
    result = []
    for text in texts:
        value = 0.0
        norm = 1 - B + B * text.length / typical
        norm_leaf = 1 - B + B * text.leaf.total() / typical_leaf
        norm_above = 1 - B + B * text.above.total() / typical_above
        for term, weight in facet.weights.items():
            said = text.body.get(term, 0) / norm
            said += LEAF * text.leaf.get(term, 0) / norm_leaf + ABOVE * text.above.get(term, 0) / norm_above
            if said:
                value += weight * said * (K1 + 1) / (said + K1)
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
