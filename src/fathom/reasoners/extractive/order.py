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

from fathom.asks import ExtractFindings
from fathom.ports import Embedder, knows
from fathom.reasoners.extractive import thinking
from fathom.reasoners.extractive.rarity import Rarity
from fathom.reasoners.extractive.stretches import Stretch, stretches
from fathom.text.analysis import query_terms, terms
from fathom.text.common import telling
from fathom.text.compounding import parts_in, with_parts

OWN = 0.5
"""Share of a stretch's own likeness; the rest is that of its passage."""
WORDS = 0.25
"""What the share of the question's words that a passage holds counts beside a cosine."""
SECOND, AGAIN = 0.5, 30
"""What a second model's cosine counts, and how many of the best stretches it looks at."""
WHOLE = 120
"""Words of the longest passage that is quoted whole, where a stretch of it is."""
EVERYWHERE = 5.0
"""What a word that every passage holds weighs beside its rarity: in a small folder it is chance which words are
rare."""
TEXT = 900
"""Characters of a text that is compared."""
K1, B = 1.2, 0.75


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
    return _whole(_ordered(ask, asked_for(ask), found, texts, None)) if found else []


async def nearest(ask: ExtractFindings, model: Embedder, second: Embedder | None = None) -> list[Near]:
    """All that the passages say, best first. `second` looks at the best of them in a language that it knows.

    Raises:
        ConfigurationError, ProviderError: a model gave no vectors.
    """
    found, texts = await thinking(partial(_found, ask))
    if not found:
        return []
    asked = asked_for(ask)
    vectors = await model.embed([asked, *texts.values()])
    near = await thinking(partial(_ordered, ask, asked, found, texts, vectors))
    if second and knows(second, ask.language):
        best = near[:AGAIN]
        one, *others = await second.embed([asked, *(texts[each.stretch.place] for each in best)])
        likeness = (sum(map(float.__mul__, one, other)) for other in others)
        again = [replace(each, score=each.score + SECOND * more) for each, more in zip(best, likeness, strict=True)]
        near = sorted(again, key=lambda each: -each.score) + near[AGAIN:]
    return _whole(near)


def asked_for(ask: ExtractFindings) -> str:
    """What a subtask asks; a part of a question with the whole behind it."""
    own = " ".join(ask.subtask.description.split())
    return own if " ".join(ask.query.split()) == own else f"{own} {ask.query}"


def _found(ask: ExtractFindings) -> tuple[list[Stretch], dict[tuple[str, int, int], str]]:
    """The stretches of the passages, each once, and what each says with all that stands above it."""
    documents = {document.sha256: document for document in ask.documents}
    seen: dict[tuple[str, int, int], Stretch] = {}
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
    asked: str,
    found: Sequence[Stretch],
    texts: Mapping[tuple[str, int, int], str],
    vectors: Sequence[Sequence[float]] | None,
) -> list[Near]:
    own, passage = _likeness(vectors, found) if vectors else (_by_words(asked, list(texts.values())),) * 2
    held = _shares(asked, found, ask)
    likeness = [OWN * one + (1 - OWN) * whole for one, whole in zip(own, passage, strict=True)]
    near = (
        Near(stretch=each, score=like + WORDS * words, likeness=like, words=words)
        for each, like, words in zip(found, likeness, held, strict=True)
    )
    return sorted(near, key=lambda each: -each.score)


def _likeness(vectors: Sequence[Sequence[float]], found: Sequence[Stretch]) -> tuple[list[float], list[float]]:
    """The cosines of the stretches, and of their passages: the mean of its stretches' vectors, weighed by the root of
    their words. The first vector is that of what is asked."""
    import numpy as np

    matrix = np.asarray(vectors, dtype=np.float32)
    asked, own = matrix[0], matrix[1:]
    numbers: dict[str, int] = {}
    at = [numbers.setdefault(each.passage.id, len(numbers)) for each in found]
    weights = np.sqrt(np.array([max(1, each.words) for each in found], dtype=np.float32))
    sums = np.zeros((len(numbers), matrix.shape[1]), dtype=np.float32)
    np.add.at(sums, at, own * weights[:, None])
    passages = (sums @ asked) / (np.linalg.norm(sums, axis=1) + 1e-9)
    return (own @ asked).tolist(), passages[at].tolist()


def _shares(asked: str, found: Iterable[Stretch], ask: ExtractFindings) -> list[float]:
    """Of the words asked for, weighed by rarity, the share that the passage of each stretch holds."""
    titles, rarity = {document.sha256: document.title for document in ask.documents}, Rarity.over(ask.sources)
    weights = {
        term: (EVERYWHERE + rarity.of(term)) * telling(term, language=ask.language) for term in query_terms(asked)
    }
    parts, total = parts_in(weights, language=ask.language), sum(weights.values()) or 1.0
    shares: dict[str, float] = {}
    for each in found:
        if each.passage.id not in shares:
            text = " \n".join((titles[each.document], *each.headings, each.passage.text))
            held = with_parts(Counter(terms(text)), parts)
            shares[each.passage.id] = sum(weight for term, weight in weights.items() if held.get(term)) / total
    return [shares[each.passage.id] for each in found]


def _by_words(asked: str, texts: Sequence[str]) -> list[float]:
    """BM25 of the words asked for, as a share of the best (S. Robertson, H. Zaragoza: The Probabilistic Relevance
    Framework, 2009)."""
    bags = [Counter(terms(text)) for text in texts]
    typical = sum(bag.total() for bag in bags) / len(bags) or 1.0
    scores = [0.0] * len(bags)
    for term in query_terms(asked):
        holding = sum(term in bag for bag in bags)
        weight = math.log(1 + (len(bags) - holding + 0.5) / (holding + 0.5))
        for at, bag in enumerate(bags):
            if count := bag.get(term):
                scores[at] += weight * count * (K1 + 1) / (count + K1 * (1 - B + B * bag.total() / typical))
    best = max(scores) or 1.0
    return [score / best for score in scores]


def _whole(near: Sequence[Near]) -> list[Near]:
    """Behind the first stretch of a short passage the rest of it."""
    passages: defaultdict[str, list[Near]] = defaultdict(list)
    for each in near:
        passages[each.stretch.passage.id].append(each)
    ordered: dict[tuple[str, int, int], Near] = {}
    for each in near:
        own = passages[each.stretch.passage.id]
        short = sum(other.stretch.words for other in own) <= WHOLE
        for at, other in enumerate(own if short else [each]):
            ordered.setdefault(other.stretch.place, replace(other, score=each.score - at * 1e-5))
    return list(ordered.values())
