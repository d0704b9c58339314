"""What a subtask looks for, as weighted terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fathom.plan import Subtask
from fathom.reasoners.extractive.question import ReadQuestion
from fathom.reasoners.extractive.rarity import Rarity
from fathom.text.analysis import compounds, identifiers, pieces, query_terms
from fathom.text.common import telling

CARRIED = 0.8
"""Weight of words that a part carries over from the topic of the question."""
REST = 0.5
"""Weight of the other words of the question."""
REST_BESIDE = 0.1
"""The same, where the part carries along what it is about."""
LED = 0.5
"""What scores count by the words of a search that what was found has called for."""
BACKGROUND = 1.0
"""Weight of the words that set the scene for all parts."""
PIECE = 0.2
"""Weight of a piece of a word that the sources hold: `sql` of `PostgreSQL`."""
NAMED = 0.7
"""What a term that is left out must say: `beyond popular practices like meditation` leaves that out."""
EVERYWHERE = 5.0
"""What a term that stands in every passage weighs: in a small folder it is chance which words are rare."""


@dataclass(frozen=True, kw_only=True)
class Facet:
    """What is looked for: the words of a part of the question, with their weights."""

    weights: Mapping[str, float]
    """Weight of each term (see `weight_of`), less for words that were carried over and for the rest of the question."""
    own: tuple[str, ...]
    """The terms of the part itself, in order, without pieces of words."""
    total: float
    """Sum of the weights, or 1 when there are none."""
    counts: float = 1.0
    """What its scores count."""
    left_out: frozenset[str] = frozenset()
    """Terms of what the answer is not to be about."""
    is_carried: bool = False
    """Whether the part says nothing by itself, and these are the terms of what it carries over: "and what for?"."""


def facets_of(subtask: Subtask, question: ReadQuestion, *, rarity: Rarity, searches: Sequence[str] = ()) -> list[Facet]:
    """One facet per query that the planner gave the subtask, else one for its description; one for each of `searches`,
    which what was found has called for."""
    asked = [query.text for query in subtask.queries] or [subtask.description]
    found = []
    for text in asked:
        own, topic = apart(text, question)
        rest = REST_BESIDE if topic else REST
        found.append(_facet(own or text, topic, question, rarity=rarity, rest=rest))
    led = (_facet(text, "", question, rarity=rarity, rest=REST_BESIDE) for text in searches)
    return found + [replace(facet, counts=LED) for facet in led]


def apart(text: str, question: ReadQuestion) -> tuple[str, str]:
    """The words of a query that are its part's own, and the topic that it carries before them, or what tells behind a
    side of a comparison in which respect; or nothing."""
    for clause in question.clauses:
        if clause.respect and (side := text.removesuffix(clause.respect).strip()) in clause.items:
            return side, clause.respect
        if len(text) > len(clause.text) and text.endswith(clause.text):
            topic = text.removesuffix(clause.text).strip()
            return (text, "") if topic in clause.items else (text.removeprefix(topic).strip(" :："), topic)
    return text, ""


def _facet(words: str, topic: str, question: ReadQuestion, *, rarity: Rarity, rest: float) -> Facet:
    said = next((text for text in (words, topic) if query_terms(text)), question.text)
    weights: dict[str, float] = dict.fromkeys(wanted(question.text, rarity), rest)
    weights |= dict.fromkeys(query_terms(question.background), BACKGROUND)
    weights |= dict.fromkeys(query_terms(topic), CARRIED) | dict.fromkeys(wanted(said, rarity), 1.0)
    weights = {
        term: share * weight_of(term, question=question, rarity=rarity)
        for term, share in weights.items()
        if not rarity.is_absent(term)
    }
    return Facet(
        weights=weights,
        total=sum(weights.values()) or 1.0,
        own=tuple(term for term in query_terms(said) if term in weights and not _is_piece(term, question, rarity)),
        left_out=frozenset(
            term for term in query_terms(question.left_out) if telling(term, language=question.language) >= NAMED
        ),
        is_carried=said is not words,
    )


def wanted(text: str, rarity: Rarity) -> list[str]:
    """The terms of a question, and those of two of its words that the sources write as one."""
    joined = (term for term in compounds(text) if rarity.knows(term) and not rarity.is_absent(term))
    return [*query_terms(text), *joined]


def weight_of(term: str, *, question: ReadQuestion, rarity: Rarity) -> float:
    """How much a term of a question says: by its rarity in the sources, and in its language at large."""
    share = PIECE if _is_piece(term, question, rarity) else 1.0
    return share * (EVERYWHERE + rarity.of(term)) * telling(term, language=question.language)


def _is_piece(term: str, question: ReadQuestion, rarity: Rarity) -> bool:
    whole = pieces(question.text).get(term)
    return whole is not None and not rarity.is_absent(whole)


def named_terms(text: str) -> list[tuple[str, Sequence[str]]]:
    """The things that a text names, each with its terms."""
    return [(name, found) for name in identifiers(text) if (found := query_terms(name))]
