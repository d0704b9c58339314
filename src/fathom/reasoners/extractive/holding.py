"""Whether the sources hold what is asked at all."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from fathom.asks import ExtractFindings
from fathom.reasoners.extractive.names import missing, names_of
from fathom.reasoners.extractive.question import Question
from fathom.reasoners.extractive.rarity import Rarity, passages_behind
from fathom.reasoners.extractive.stretches import PassageKey
from fathom.text.analysis import query_terms, terms
from fathom.text.characters import count_cjk
from fathom.text.common import telling

SIGNS: tuple[str, ...] = (
    "passage", "third_passage", "heading",
    "missing", "missing_sure", "missing_elsewhere", "wide", "terms", "size",
)  # fmt: skip
"""What is looked at, in the order of the columns."""
MOST = 10_000
"""Passages of the largest corpus that the weights were fitted on: what more of them mean, nobody has measured."""


@dataclass(frozen=True)
class _Text:
    """A passage as a bag of terms, with the headings above it."""

    document: str
    held: frozenset[str]
    headings: frozenset[str]


def signs(ask: ExtractFindings, question: Question, *, rarity: Rarity) -> dict[str, float]:
    """How much of the question the best page, passage and sentence hold, and which names nothing holds.

    Shares are of the weight of the question's terms, by rarity; rare ones that the sources do not hold weigh most.
    """
    own = " ".join(query.text for query in ask.subtask.queries) or ask.subtask.description
    asked = {
        term: rarity.of(term) * (telling(term, language=question.language) if rarity.is_absent(term) else 1)
        for term in query_terms(asked_by(ask, question))
    }
    texts = _texts(ask)
    passages = sorted((_held(asked, text.held) for text in texts), reverse=True)
    wide = count_cjk(question.text) > 0
    shown = [" ".join((*passage.headings, " ".join(passage.text.split()))) for passage in ask.passages]
    shown += [document.title for document in ask.documents]
    everywhere = names_of(question.text)
    here = [name for name in everywhere if name.text in own] or names_of(own)
    lost = {name.text for name in missing([*everywhere, *here], texts=shown, rarity=rarity)}
    near = here or everywhere
    sure = [name for name in here if name.is_sure] or [name for name in everywhere if name.is_sure]
    lost_here = [name for name in near if name.text in lost]
    lost_everywhere = [name for name in everywhere if name.text in lost]
    return {
        "passage": passages[0] if passages else 0.0,
        "third_passage": passages[2] if len(passages) > 2 else max(passages, default=0.0),
        "missing": len(lost_here) / len(near) if near else 0.0,
        "missing_sure": float(any(name.text in lost for name in sure)),
        "missing_elsewhere": len(lost_everywhere) / len(everywhere) if everywhere else 0.0,
        "heading": max((_held(asked, text.headings) for text in texts), default=0.0),
        "wide": float(wide),
        "terms": math.log1p(len(asked)),
        "size": math.log1p(min(MOST, passages_behind(ask.sources))),  # words meet by chance where there are many
    }


def asked_by(ask: ExtractFindings, question: Question) -> str:
    """The words that say what a part asks: its own, and of one on "it" the whole question, as another part names it."""
    own = " ".join(query.text for query in ask.subtask.queries) or ask.subtask.description
    refers = any(clause.refers and clause.text in own for clause in question.clauses)
    return question.text if refers else own


def probability(found: dict[str, float], *, table: dict[str, float]) -> float:
    """Logistic regression on the signs: probability that the sources hold what is asked."""
    value = table["bias"] + sum(table[name] * found[name] for name in SIGNS)
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))


def _texts(ask: ExtractFindings) -> list[_Text]:
    titles = {document.sha256: frozenset(terms(document.title)) for document in ask.documents}
    found = []
    for passage in ask.passages:
        whole, path = _terms(PassageKey(passage))
        headings = path | titles[passage.document]
        found.append(_Text(passage.document, whole | headings, headings))
    return found


@lru_cache(maxsize=4096)
def _terms(key: PassageKey) -> tuple[frozenset[str], frozenset[str]]:
    """Those of a passage, and those of the headings above it."""
    passage = key.passage
    blocks = (each for each in passage.blocks if passage.start <= each.start < each.end <= passage.end)
    told = (passage.quote(each.start, each.end) for each in blocks if each.kind != "heading")
    return frozenset(terms(" \n".join(told))), frozenset(terms(" \n".join(passage.headings)))


def _held(weights: dict[str, float], held: Iterable[str]) -> float:
    """Share of the weight that the terms hold."""
    names = held if isinstance(held, (frozenset, set)) else set(held)
    total = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in names) / total if total else 0.0
