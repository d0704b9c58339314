"""Whether the sources hold what is asked at all."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fathom.asks import ExtractFindings
from fathom.reasoners.extractive.features import Place
from fathom.reasoners.extractive.question import read_question
from fathom.reasoners.extractive.rarity import Rarity
from fathom.text.analysis import query_terms


def held(ask: ExtractFindings, found: Sequence[Place], *, rarity: Rarity) -> float:
    """Probability that the passages answer, from how much of the question they cover."""
    question = read_question(ask.query, language=ask.language)
    asked = query_terms(question.text)
    total = sum(rarity.of(term) for term in asked) or 1.0
    best = 0.0
    seen: set[int] = set()
    for place in found:
        if id(place.reading) not in seen:
            seen.add(id(place.reading))
            best = max(best, sum(rarity.of(term) for term in asked if term in place.reading.whole) / total)
    return 1 / (1 + math.exp(-10 * (best - 0.4)))
