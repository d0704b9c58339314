"""The order in which paragraphs come: by meaning, their own and their passage's, and by the words of the question.

A stretch has a vector of its title, headings and text, and its passage the mean of its stretches' vectors. Where there
is no model of meaning, BM25 takes the place of the cosine.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from fathom.asks import ExtractFindings
from fathom.ports import Embedder, knows
from fathom.reasoners.extractive.parts import own_side
from fathom.reasoners.extractive.question import read_question
from fathom.reasoners.extractive.rarity import Rarity
from fathom.reasoners.extractive.stretches import Stretch, stretches
from fathom.reasoners.extractive.thinking import thinking
from fathom.text.analysis import query_terms, terms
from fathom.text.common import telling
from fathom.text.compounding import parts_in, with_parts

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]

PART = 0.7
"""Share of what a part of the question asks; the rest is that of the whole question."""
AROUND = 0.2
"""What a word counts that the whole question has and the part has not."""
OWN = 0.5
"""Share of a stretch's own likeness; the rest is that of its passage."""
WORDS = 0.25
"""What the share of the question's words that a passage holds counts beside a cosine."""
SECOND, AGAIN = 0.5, 30
"""What a second model's cosine counts, and how many of the best stretches it looks at."""
WHOLE = 200
"""Words of the longest document or passage that is quoted whole, in its own order, where a stretch of it is."""
EVERYWHERE = 5.0
"""What a word that every passage holds weighs beside its rarity: in a small folder it is chance which words are
rare."""
LEFT_OUT = 0.3
"""What is left of the score of what stands below a heading or title that names what the question leaves out."""
TEXT = 900
"""Characters of a text that is compared."""
K1, B = 1.2, 0.75
Place = tuple[str, int, int]


@dataclass(frozen=True, kw_only=True)
class Near:
    """A stretch with what it is worth."""

    stretch: Stretch
    score: float
    """For comparison within a run; 0 to about 1.7."""
    likeness: float
    """Cosine to what is asked, of the stretch and its passage."""
    words: float
    """Share of the words asked for, by rarity, that its passage holds with title and headings."""


def by_words(ask: ExtractFindings) -> list[Near]:
    """All that the passages say, best first, by words alone."""
    found, texts = _found(ask)
    return _together(_ordered(ask, found, texts, None))


async def nearest(ask: ExtractFindings, model: Embedder, second: Embedder | None = None) -> list[Near]:
    """All that the passages say, best first. `second` looks at the best of them in a language that it knows.

    Raises:
        ConfigurationError, ProviderError: a model gave no vectors.
    """
    found, texts = await thinking(partial(_found, ask))
    if not found:
        return []
    asked = asked_for(ask)
    vectors = await model.embed([*asked, *texts.values()])
    near = await thinking(partial(_ordered, ask, found, texts, vectors))
    if second and knows(second, ask.language):
        best = near[:AGAIN]
        likeness = await _likeness(second, asked, [texts[each.stretch.place] for each in best])
        again = [replace(each, score=each.score + SECOND * more) for each, more in zip(best, likeness, strict=True)]
        near = sorted(again, key=lambda each: -each.score) + near[AGAIN:]
    return _together(near)


def asked_for(ask: ExtractFindings) -> tuple[str, str]:
    """What a subtask asks, and what the whole question does, without what that leaves out."""
    whole = read_question(ask.query, language=ask.language).text
    part = ask.subtask.description
    if (side := own_side(part)) != part:  # of a comparison: the query says in which respect, the question names others
        part = whole = " ".join(query.text for query in ask.subtask.queries) or side
    return " ".join((*ask.missing, part)), whole


async def _likeness(model: Embedder, asked: tuple[str, str], texts: Sequence[str]) -> list[float]:
    found: list[float] = _cosines(await model.embed([*asked, *texts]))[0].tolist()
    return found


def _cosines(vectors: Sequence[Sequence[float]]) -> tuple[Vector, Vector, Vector]:
    """The cosines of texts to what is asked, which the first two vectors are of; those of the texts, and that."""
    import numpy as np

    matrix = np.asarray(vectors, dtype=np.float32)
    asked = PART * matrix[0] + (1 - PART) * matrix[1]
    asked /= np.linalg.norm(asked) + 1e-9
    return matrix[2:] @ asked, matrix[2:], asked


def _terms(ask: ExtractFindings) -> dict[str, float]:
    """The terms of what is asked, with the share that each counts: those of the whole question less."""
    part, whole = asked_for(ask)
    return dict.fromkeys(query_terms(whole), AROUND) | dict.fromkeys(query_terms(part), 1.0)


def _found(ask: ExtractFindings) -> tuple[list[Stretch], dict[Place, str]]:
    """The stretches of the passages, each once, and what each says with all that stands above it."""
    documents = {document.sha256: document for document in ask.documents}
    seen: dict[Place, Stretch] = {}
    for passage in ask.passages:
        for stretch in stretches(passage, markup=documents[passage.document].markup):
            seen.setdefault(stretch.place, stretch)
    return list(seen.values()), {place: _text(each, documents[each.document].title) for place, each in seen.items()}


def _text(stretch: Stretch, title: str) -> str:
    above = ". ".join(dict.fromkeys((title, *stretch.headings)))
    lead = f"{stretch.lead.rstrip(' :：')}: " if stretch.lead else ""
    return f"{above}. {lead}{stretch.text}"[:TEXT]


def _ordered(
    ask: ExtractFindings,
    found: Sequence[Stretch],
    texts: Mapping[Place, str],
    vectors: Sequence[Sequence[float]] | None,
) -> list[Near]:
    if not found:
        return []
    likeness = _by_meaning(vectors, found) if vectors else _by_words(_terms(ask), list(texts.values()))
    left_out = set(query_terms(read_question(ask.query, language=ask.language).left_out))
    titles = {document.sha256: document.title for document in ask.documents}

    def worth(each: Stretch) -> float:
        """Less below a heading that names what the question leaves out."""
        return LEFT_OUT if left_out.intersection(terms(f"{titles[each.document]} {each.headings}")) else 1.0

    near = (
        Near(stretch=each, score=worth(each) * (like + WORDS * words), likeness=like, words=words)
        for each, like, words in zip(found, likeness, _shares(found, ask), strict=True)
    )
    return sorted(near, key=lambda each: -each.score)


def _by_meaning(vectors: Sequence[Sequence[float]], found: Sequence[Stretch]) -> list[float]:
    """The cosines of stretches, mixed with those of their passages: the mean of their stretches' vectors, weighed by
    the root of their words."""
    import numpy as np

    cosines, own, asked = _cosines(vectors)
    numbers: dict[str, int] = {}
    at = [numbers.setdefault(each.passage.id, len(numbers)) for each in found]
    weights = np.sqrt(np.array([max(1, each.words) for each in found], dtype=np.float32))
    sums = np.zeros((len(numbers), own.shape[1]), dtype=np.float32)
    np.add.at(sums, at, own * weights[:, None])
    passages = (sums @ asked) / (np.linalg.norm(sums, axis=1) + 1e-9)
    mixed: list[float] = (OWN * cosines + (1 - OWN) * passages[at]).tolist()
    return mixed


def _shares(found: Iterable[Stretch], ask: ExtractFindings) -> list[float]:
    """What the passage of each stretch holds of the words asked for, weighed by rarity, as a share of those of the
    part: words of the whole question make up for some."""
    titles, rarity = {document.sha256: document.title for document in ask.documents}, Rarity.over(ask.sources)
    weights = {
        term: share * (EVERYWHERE + rarity.of(term)) * telling(term, language=ask.language)
        for term, share in _terms(ask).items()
    }
    parts = parts_in(weights, language=ask.language)
    total = sum(weights[term] for term in query_terms(asked_for(ask)[0])) or sum(weights.values()) or 1.0
    shares: dict[str, float] = {}
    for each in found:
        if each.passage.id not in shares:
            text = " \n".join((titles[each.document], *each.headings, each.passage.text))
            held = with_parts(Counter(terms(text)), parts)
            shares[each.passage.id] = min(1.0, sum(weights[term] for term in weights if held.get(term)) / total)
    return [shares[each.passage.id] for each in found]


def _by_words(asked: Mapping[str, float], texts: Sequence[str]) -> list[float]:
    """BM25 of the words asked for, as a share of the best (S. Robertson, H. Zaragoza: The Probabilistic Relevance
    Framework, 2009)."""
    bags = [Counter(terms(text)) for text in texts]
    typical = sum(bag.total() for bag in bags) / len(bags) or 1.0
    scores = [0.0] * len(bags)
    for term, share in asked.items():
        holding = sum(term in bag for bag in bags)
        weight = share * math.log(1 + (len(bags) - holding + 0.5) / (holding + 0.5))
        for at, bag in enumerate(bags):
            if count := bag.get(term):
                scores[at] += weight * count * (K1 + 1) / (count + K1 * (1 - B + B * bag.total() / typical))
    best = max(scores) or 1.0
    return [score / best for score in scores]


def _together(near: Sequence[Near]) -> list[Near]:
    """Behind the first stretch of a short document or passage the rest of it, in its own order."""
    groups: defaultdict[str, list[Near]] = defaultdict(list)
    for each in near:
        groups[each.stretch.document].append(each)
        groups[each.stretch.passage.id].append(each)
    ordered: dict[Place, Near] = {}
    for each in near:
        whole = (groups[each.stretch.document], groups[each.stretch.passage.id])
        short = next((own for own in whole if sum(other.stretch.words for other in own) <= WHOLE), [each])
        for at, other in enumerate(sorted(short, key=lambda other: (other is not each, other.stretch.start))):
            ordered.setdefault(other.stretch.place, replace(other, score=each.score - at * 1e-5))
    return list(ordered.values())
