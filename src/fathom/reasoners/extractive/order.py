"""The order in which paragraphs come: by meaning, their own and their passage's, and by the words of the question.

Each stretch has a vector of its title, headings and text, and its passage the mean of its stretches' vectors. Where
there is no model of meaning, BM25 takes the place of the cosine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fathom.asks import ExtractFindings
from fathom.ports import Embedder, knows
from fathom.reasoners.extractive.rarity import Rarity
from fathom.reasoners.extractive.stretches import Stretch, stretches
from fathom.text.analysis import query_terms, terms
from fathom.text.common import telling
from fathom.text.compounding import parts_in, with_parts

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]

OWN = 0.5
"""Share of a stretch's own likeness; the rest is that of its passage."""
WORDS = 0.25
"""What the share of the question's words that a passage holds counts beside a cosine."""
SECOND, AGAIN = 0.5, 30
"""What a second model's cosine counts, and how many of the best stretches it looks at."""
K1, B = 1.2, 0.75


@dataclass(frozen=True, kw_only=True)
class Near:
    """A stretch with what it is worth."""

    stretch: Stretch
    score: float
    """For comparison within a run; 0 to about 1.5."""
    likeness: float
    """Cosine to what is asked, of the stretch and its passage."""
    words: float
    """Share of the words asked for, by rarity, that its passage holds with title and headings."""


async def nearest(ask: ExtractFindings, model: Embedder | None, second: Embedder | None = None) -> list[Near]:
    """All that the passages say, best first. `second` looks at the best of a text in a language that it knows.

    Raises:
        ConfigurationError, ProviderError: a model gave no vectors.
    """
    found = found_in(ask)
    if not found:
        return []
    titles = {document.sha256: document.title for document in ask.documents}
    texts = [text_of(each, titles[each.document]) for each in found]
    asked = asked_for(ask)
    held = shares_of_words(asked, found, titles, ask)
    if model:
        own, of_passage = _likeness(await model.embed([asked, *texts]), found)
    else:
        own = _by_words(asked, texts)
        of_passage = own
    near = sorted(
        (
            Near(stretch=each, score=OWN * one + (1 - OWN) * all_of + WORDS * share, likeness=OWN * one + (1 - OWN) * all_of, words=share)
            for each, one, all_of, share in zip(found, own, of_passage, held, strict=True)
        ),
        key=lambda each: -each.score,
    )
    if model and second and knows(second, ask.language):
        best = near[:AGAIN]
        more = _cosines(await second.embed([asked, *(text_of(each.stretch, titles[each.stretch.document]) for each in best)]))
        again = [Near(stretch=each.stretch, score=each.score + SECOND * extra, likeness=each.likeness, words=each.words) for each, extra in zip(best, more, strict=True)]
        near = sorted(again, key=lambda each: -each.score) + near[AGAIN:]
    return near


def asked_for(ask: ExtractFindings) -> str:
    """What a subtask asks; a part of a question with the whole behind it."""
    own = " ".join(dict.fromkeys(query.text for query in ask.subtask.queries)) or ask.subtask.description
    return own if " ".join(ask.query.split()) in own else f"{own} {ask.query}"


def found_in(ask: ExtractFindings) -> list[Stretch]:
    """The stretches of the passages, each once, in their order."""
    markups = {document.sha256: document.markup for document in ask.documents}
    seen: dict[tuple[str, int, int], Stretch] = {}
    for passage in ask.passages:
        for stretch in stretches(passage, markup=markups[passage.document]):
            seen.setdefault((stretch.document, stretch.start, stretch.end), stretch)
    return list(seen.values())


def text_of(stretch: Stretch, title: str) -> str:
    """What a stretch says with all that stands above it."""
    above = ". ".join(dict.fromkeys((title, *stretch.headings)))
    lead = f"{stretch.lead.rstrip(' :：')}: " if stretch.lead else ""
    return f"{above}. {lead}{stretch.text}"[:900]


def shares_of_words(asked: str, found: Sequence[Stretch], titles: Mapping[str, str], ask: ExtractFindings) -> list[float]:
    """Of the words asked for, weighed by rarity, the share that the passage of each stretch holds."""
    rarity = Rarity.over(ask.sources)
    weights = {term: (5+rarity.of(term)) * telling(term, language=ask.language) for term in query_terms(asked)}
    parts, total = parts_in(weights, language=ask.language), sum(weights.values()) or 1.0
    shares: dict[str, float] = {}
    for each in found:
        if each.passage.id not in shares:
            text = " \n".join((titles[each.document], *each.headings, each.passage.text))
            held = with_parts(Counter(terms(text)), parts)
            shares[each.passage.id] = sum(weight for term, weight in weights.items() if held.get(term)) / total
    return [shares[each.passage.id] for each in found]


def _cosines(vectors: Sequence[Sequence[float]]) -> list[float]:
    import numpy as np

    matrix = np.asarray(vectors, dtype=np.float32)
    found: list[float] = (matrix[1:] @ matrix[0]).tolist()
    return found


def _likeness(vectors: Sequence[Sequence[float]], found: Sequence[Stretch]) -> tuple[list[float], list[float]]:
    """The cosines of the stretches, and of their passages: the mean of its stretches' vectors by the root of their
    words. The first vector is that of what is asked."""
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


def _by_words(asked: str, texts: Sequence[str]) -> list[float]:
    """BM25 of the words asked for, as a share of the best (Robertson and Zaragoza, 2009)."""
    import math

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
