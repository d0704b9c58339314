"""Checks a sentence against the spans that it cites: the deterministic floor under every report.

A sentence is `supported` when it is a quotation of its spans, or when every number, name and negation in it occurs in
them, nearly all of its content words do, and in much the same order. It is `unsupported` when a number or a name is
missing or few words are covered, and `partial` in between. Whoever wrote the sentence has no say in the verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fathom.report import SupportStatus
from fathom.text.analysis import identifiers, query_terms, terms
from fathom.text.characters import count_cjk
from fathom.text.numbers import MONTHS, numbers
from fathom.verification.quotations import folded, is_quotation

SUPPORTED_COVER = 0.8
"""Share of the sentence's content terms that must occur in its spans for `supported`."""
PARTIAL_COVER = 0.5
"""The same for `partial`."""
PARAPHRASE_COVER = 0.2
"""The least share with which it may be a paraphrase in the same script: names and terms of a field are hardly replaced.
"""
SUPPORTED_ORDER = 0.6
"""Share of the covered terms that must stand in the order of the spans: swapped roles keep every word."""


@dataclass(frozen=True)
class Verdict:
    """How a sentence stands to its spans."""

    status: SupportStatus
    score: float
    """0 to 1; 1 for a quotation."""
    reason: str
    """What decided, in a few words."""
    open: bool = False
    """Whether a judge who reads may decide otherwise: other words may say the same, a missing number may not, nor a
    sentence that shares next to nothing with its source."""


def check(sentence: str, spans: Sequence[str]) -> Verdict:
    """Judge `sentence`, without citation marks, against the readable text of the spans that it cites.

    >>> check("The limit is 64.", ["By default the limit is 64."]).status
    'supported'
    >>> check("The limit is 65.", ["By default the limit is 64."]).status
    'unsupported'
    >>> check("The limit is 64.", []).status
    'uncited'
    """
    if not spans:
        return Verdict("uncited", 0.0, "no citation")
    claim, source = folded(sentence), " ".join(folded(span) for span in spans)
    if is_quotation(claim, source):
        return Verdict("supported", 1.0, "quotation")
    if lacks := missing(sentence, spans):
        return Verdict("unsupported", 0.0, f"{lacks[0]} is not in the source")
    wanted, held = terms(claim), terms(source)
    cover = _cover(wanted, held)
    if cover < PARTIAL_COVER:
        may_be_paraphrase = _in_other_script(claim, source) or cover >= PARAPHRASE_COVER
        return Verdict("unsupported", cover, "few of its words are in the source", open=may_be_paraphrase)
    if flipped := _flipped(claim, source):
        return Verdict("partial", cover, flipped, open=True)
    if cover < SUPPORTED_COVER:
        return Verdict("partial", cover, "not all of its words are in the source", open=True)
    if _order(query_terms(claim), query_terms(source)) < SUPPORTED_ORDER:
        return Verdict("partial", cover, "the source says it in another order", open=True)
    return Verdict("supported", cover, "its words are in the source")


def missing(sentence: str, spans: Sequence[str]) -> list[str]:
    """The numbers and the names of a sentence that its spans do not hold: these no other words can make up for.

    >>> missing("The notes, 7 in all, are by Ada Lovelace.", ["Lovelace wrote notes A to G."])
    ['7', 'Ada Lovelace']
    """
    claim, source = folded(sentence), " ".join(folded(span) for span in spans)
    names = _missing_names(sentence, source)
    if _in_other_script(claim, source):
        # a name is written differently there, unless the sentence has kept the script of the source
        names = {name for name in names if not count_cjk(source) and not count_cjk(name)}
    return [*sorted(numbers(claim) - numbers(source)), *sorted(names)]


def _missing_names(sentence: str, source: str) -> set[str]:
    """Names and identifiers of the sentence that the source does not hold."""
    held = set(terms(source))
    return {
        name
        for name in identifiers(sentence)
        if (written := folded(name)) not in source and written not in MONTHS and not held.issuperset(terms(name))
    }


def _in_other_script(claim: str, source: str) -> bool:
    """Whether one is written in Chinese, Japanese or Korean and the other is not: a translation shares no words."""
    return (count_cjk(claim) > 0) != (count_cjk(source) > 0)


def _cover(wanted: Sequence[str], held: Iterable[str]) -> float:
    """Share of the distinct terms of a sentence that occur in its spans."""
    distinct = set(wanted)
    return len(distinct.intersection(held)) / len(distinct) if distinct else 1.0


def _order(wanted: Sequence[str], held: Sequence[str]) -> float:
    """Longest common subsequence of the two, as a share of the sentence's covered terms.

    Dynamic programming over one row: O(len(wanted) × len(held)) time.
    """
    common = set(held)
    wanted = [term for term in wanted if term in common]
    if not wanted:
        return 1.0
    row = [0] * (len(held) + 1)
    for term in wanted:
        diagonal = 0
        for column, other in enumerate(held, start=1):
            diagonal, row[column] = row[column], diagonal + 1 if term == other else max(row[column], row[column - 1])
    return row[-1] / len(wanted)


_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nor|neither|without|cannot|nothing)\b|n't\b|ない|なく|なかっ|ません|ず(?:に|、|。|$)|不可|無効"
)
_OPPOSITES = [
    frozenset(pair.split("/"))
    for pair in (
        "increase/decrease increases/decreases increased/decreased more/fewer more/less maximum/minimum enable/disable "
        "enabled/disabled enables/disables before/after always/never above/below faster/slower higher/lower "
        "larger/smaller allow/forbid allows/forbids true/false 増加/減少 増える/減る 最大/最小 有効/無効 以上/以下 "
        "より前/より後 可能/不可能"
    ).split()
]


def negates(folded: str) -> bool:
    """Whether a text in lower case holds a negation."""
    return bool(_NEGATION.search(folded))


def _flipped(claim: str, source: str) -> str:
    """What turns the sentence against its source: a negation or an opposite on one side only; else nothing."""
    if bool(_NEGATION.search(claim)) and not _NEGATION.search(source):
        return "it negates and the source does not"
    if _NEGATION.search(source) and not _NEGATION.search(claim):
        nearest = _nearest_sentence(claim, source)
        if _NEGATION.search(nearest):
            return "the source negates and it does not"
    for pair in _OPPOSITES:
        mine = {word for word in pair if _holds(claim, word)}
        theirs = {word for word in pair if _holds(source, word)}
        if len(mine) == 1 and theirs and not mine & theirs:
            return f"it says '{next(iter(mine))}', the source says '{next(iter(theirs))}'"
    return ""


def _holds(text: str, word: str) -> bool:
    return bool(re.search(rf"\b{word}\b", text)) if word.isascii() else word in text


def _nearest_sentence(claim: str, source: str) -> str:
    """The sentence of the source that shares most terms with the claim."""
    wanted = set(terms(claim))
    sentences = re.split(r"(?<=[.!?。！？])\s*", source)
    return max(sentences, key=lambda sentence: len(wanted.intersection(terms(sentence))))
