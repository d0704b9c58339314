"""One order for the passages of documents and of the web, whose own scores cannot be compared."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from fathom.evidence import Document, Passage, Query, SourceDescription
from fathom.text.analysis import query_terms, terms

K1, B = 1.2, 0.75
ASKED, REST = 3.0, 1.0
"""Weight of a term of the queries, and of one that only the question as a whole has."""
IN_HEADINGS = 2
"""What a term in a heading or a title counts for."""
STANDS_FOR = 10
"""Passages that one at hand stands for where nobody has counted a term: those at hand were chosen for it."""
FEWEST = 1_000
"""Passages that the sources are taken to have at least: in a few pages on one thing its name would tell nothing."""


def in_one_order(
    passages: Sequence[Passage],
    *,
    documents: Mapping[str, Document],
    sources: Sequence[SourceDescription],
    queries: Sequence[Query],
    question: str,
) -> tuple[Passage, ...]:
    """The passages by BM25 (Robertson and Zaragoza, 2009), best first; equal ones keep their order.

    How rare a term is says what the sources have counted, not these passages, all of which were found by it.

    Args:
        documents: Of the passages, by `sha256`: their titles count as headings.
    """
    asked = query_terms(" ".join(query.text for query in queries))
    weights = dict.fromkeys(query_terms(question), REST) | dict.fromkeys(asked, ASKED)
    bags = [_bag(passage, documents) for passage in passages]
    worth = _worth(weights, bags, sources)
    mean = sum(bag.total() for bag in bags) / max(len(bags), 1) or 1.0

    def score(bag: Counter[str]) -> float:
        damping = K1 * (1 - B + B * bag.total() / mean)
        return sum(worth[term] * bag[term] * (K1 + 1) / (bag[term] + damping) for term in weights if term in bag)

    scores = [round(score(bag), 9) for bag in bags]
    order = sorted(range(len(passages)), key=lambda at: (-scores[at], at))
    return tuple(passages[at] for at in order)


def _bag(passage: Passage, documents: Mapping[str, Document]) -> Counter[str]:
    bag = Counter(terms(passage.text))
    document = documents.get(passage.document)
    for heading in (*passage.headings, *((document.title,) if document else ())):
        for term in terms(heading):
            bag[term] += IN_HEADINGS
    return bag


def _worth(
    weights: Mapping[str, float], bags: Sequence[Counter[str]], sources: Sequence[SourceDescription]
) -> dict[str, float]:
    """The weight of each term, by how rare the sources say that it is."""
    known: Counter[str] = Counter()
    for source in sources:
        known.update(source.term_passages)
    total = max(sum(source.passages for source in sources), FEWEST) + len(bags)
    worth = {}
    for term, weight in weights.items():
        here = sum(term in bag for bag in bags)
        holding = min(known[term] + here if term in known else here * (STANDS_FOR + 1), total)
        worth[term] = weight * math.log(1 + (total - holding + 0.5) / (holding + 0.5))
    return worth
