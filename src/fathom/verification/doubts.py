"""Holds a sentence against the spans that it cites, and counts what speaks against it.

None of it proves a sentence wrong: other words may say the same. How much each doubt weighs is fitted
(`fathom.verification.score`), and a judge who reads is asked each of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate, combinations, permutations

from fathom.languages.packs import either, packs
from fathom.text.analysis import identifiers, query_terms, terms
from fathom.text.characters import KATAKANA, count_cjk
from fathom.text.numbers import MONTHS, numbers, with_digits
from fathom.text.quantities import Quantity, disagree, quantities, years
from fathom.text.sentences import sentences
from fathom.verification.disagreement import OPPOSITES
from fathom.verification.quotations import folded

LIKE = 0.6
"""Share of the longer of two words that both must begin with to be forms of one word."""
STRETCH = 1.5
"""Length of the stretch in which the words of a sentence are looked for together, as a multiple of their number."""
SHORTEST = 8
"""Length of that stretch, at least: function words stand in it too."""
COMPUTED = 40
"""Quantities of the spans, at most, with which sums and ratios are worked out."""
PARTS = (7, 12, 24, 60)
"""How many of one unit of time are in another."""
FEW = 5
"""The most that a number may be that somebody has counted himself."""
ROUGHLY = Decimal("0.1")
"""How far from a fraction told in words what it stands for may be, as a share of it."""


@dataclass(frozen=True)
class Doubts:
    """What speaks against a sentence."""

    figures: tuple[str, ...] = ()
    """Numbers that neither stand in the spans nor follow from what stands there."""
    derived: tuple[str, ...] = ()
    """Numbers that do not stand there, and may be worked out from two that do."""
    names: tuple[str, ...] = ()
    """Names that the spans do not hold."""
    words: float = 0.0
    """How many of its other words have none like it in the spans."""
    share: float = 1.0
    """Share of its words that have."""
    together: float = 1.0
    """Share of its words that stand together in one stretch of the spans."""
    nearest: float = 1.0
    """Share of its words that the nearest sentence of the spans holds."""
    order: float = 1.0
    """Share of the words found that stand in the spans in the order of the sentence."""
    misplaced: tuple[str, ...] = ()
    """Figures that stand beside other words there."""
    swapped: tuple[str, str] | None = None
    """Two names that stand there the other way round."""
    flipped: str = ""
    """What turns the sentence against its spans: a negation or an opposite on one side only."""
    hedge: str = ""
    """A condition or a hedge of the nearest sentence that it drops."""
    is_foreign: bool = False
    """Whether it is in another script than its spans: then only figures and names can be compared."""


def doubts_of(sentence: str, spans: Sequence[str], *, titles: Sequence[str] = ()) -> Doubts:
    """What speaks against `sentence`, held against readable spans; `titles` and headings tell what
    they are about.

    >>> spans = ["Sodium cells kept 88 % of their capacity, LFP cells 55 %."]
    >>> doubts_of("Sodium cells kept 55 % of their capacity.", spans).misplaced
    ('55',)
    >>> doubts_of("Sodium cells kept 33 points more than LFP cells, over 9 years.", spans).figures
    ('9',)
    """
    claim, source = folded(sentence), folded(" ".join(spans))
    known = " ".join([source, *map(folded, titles)])
    lacking, derived = map(tuple, map(sorted, _missing_figures(claim, known)))
    names = tuple(sorted(missing_names(sentence, known)))
    if in_other_script(claim, source):
        # a name is written differently there, unless the sentence has kept the script of the source
        kept = tuple(name for name in names if not count_cjk(source) and not count_cjk(name))
        return Doubts(lacking, derived, kept, is_foreign=True)
    held = terms(source)
    known_by = {term for text in (*titles, *(each.unit for each in quantities(claim))) for term in terms(text)}
    wanted = [term for term in query_terms(with_digits(claim)) if not term[0].isdigit() and term not in known_by]
    absent = [1 - _likeness(term, held) for term in wanted]
    named = {term for name in names for term in terms(name)}
    nearest = _nearest(claim, source)
    return Doubts(
        figures=lacking,
        derived=derived,
        names=names,
        words=sum(lack for term, lack in zip(wanted, absent, strict=True) if term not in named),
        share=_cover(wanted, held),
        together=_together(wanted, held),
        nearest=_cover(query_terms(_NEGATION.sub(" ", claim)), terms(nearest)),
        order=_order(query_terms(claim), query_terms(source)),
        misplaced=tuple(_misplaced(claim, source)),
        swapped=_swapped(sentence, claim, nearest),
        flipped=_flipped(claim, source, nearest),
        hedge=_dropped(claim, nearest),
    )


def missing(sentence: str, spans: Sequence[str]) -> list[str]:
    """The numbers and the names of a sentence that its spans do not hold, whatever may follow from them.

    >>> missing("The notes, 7 in all, are by Ada Lovelace.", ["Lovelace wrote notes A to G."])
    ['7', 'Ada Lovelace']
    >>> missing("There are over 749 notes.", ["There are 1,000 notes."])
    ['749']
    """
    found = doubts_of(sentence, spans)
    unheld = sorted(numbers(folded(sentence)) - numbers(folded(" ".join(spans))))
    return [*dict.fromkeys((*found.figures, *found.derived, *unheld)), *found.names]


def unaccounted(sentence: str, cells: Sequence[str], spans: Sequence[str] = ()) -> list[str]:
    """The numbers of a sentence that stand neither in `spans` nor in `cells`, and cannot come from cells: not in two
    steps either, as the share that two have together. Nothing is said where there are more than `COMPUTED` of them.

    >>> unaccounted("A and B have 60 %, C 41 %.", ["A: 20", "B: 40", "C: 40", "100 in all"])
    ['41']
    """
    claim = folded(sentence)
    given = quantities(folded(" ".join(cells)))
    lacking, _ = _missing_figures(claim, folded(" ".join([*cells, *spans])))
    if not lacking or len(given) > COMPUTED:
        return []
    values = [each.low for each in given if each.kind != "percent"]
    sums = {*values, *accumulate(values)}
    sums |= {value for one, other in combinations(values, 2) for value in (one + other, abs(one - other))}
    spelled = with_digits(claim)
    for told in quantities(claim):
        ratios = (100 * value / other for value in sums for other in values if other)
        is_mean = told.kind != "percent" and told.step < 1  # which may be of anything
        if is_mean or any(_is_near(told, value) for value in (ratios if told.kind == "percent" else sums)):
            lacking -= numbers(spelled[told.start : told.end])
    return sorted(lacking)


def missing_names(sentence: str, source: str) -> set[str]:
    """Names and identifiers of the sentence that the source, `folded`, does not hold."""
    held = set(terms(source))
    return {
        name
        for name in identifiers(sentence)
        if (written := folded(name)) not in source and written not in MONTHS and not held.issuperset(terms(name))
    }


def in_other_script(claim: str, source: str) -> bool:
    """Whether one is written in Chinese, Japanese or Korean and the other is not: a translation shares no words."""
    return (count_cjk(claim) > 0) != (count_cjk(source) > 0)


# ── Figures ────────────────────────────────────────────────────────────────────────────────────────────────────────


_NAMED = re.compile(r"[a-z]-?\d+|(?<!\d)\d++[a-z]++-|\b\dq\b")
"""Digits that belong to a name: COVID-19, Q3, 9th-grade."""


def _missing_figures(claim: str, source: str) -> tuple[set[str], set[str]]:
    """Numbers that neither stand in the source nor follow by rounding or a unit: those that do not follow by a sum, a
    difference, a ratio or a share either, and those that may."""
    spelled = _as_fractions(with_digits(claim))
    lacking = _figures(_NAMED.sub(" ", spelled)) - _figures(_as_fractions(with_digits(source)))
    if not lacking:
        return lacking, set()
    given = quantities(source)[:COMPUTED]
    counted = {_counted(source, each) for each in quantities(source)}
    points = len(_CLOCK.findall(source)) + len(years(source))
    derived: set[str] = set()
    for told in quantities(spelled):
        written = numbers(spelled[told.start : told.end]) & lacking
        is_lapse = told.kind == "second" and points > 1  # from one time or year to another
        is_count = told.low <= FEW and _counted(spelled, told) not in counted | {""}  # of what the source lists
        if any(told.kind == other.kind and not disagree(told, other) for other in given):
            lacking -= written
        elif is_lapse or is_count or any(_is_near(told, value) for value in _worked_out(told, given)):
            derived |= written
    ratios = [value for one, other in permutations(given, 2) for value in _ratios(one, other)]
    derived |= {each for each in lacking if "/" in each and any(_is_fraction(each, value) for value in ratios)}
    return lacking - derived, derived & lacking


_CLOCK = re.compile(r"\b\d{1,2}:\d\d\b|(?:午前|午後)\d{1,2}時")
_FRACTION = re.compile(r"(?<![\d/.,])\d{1,2}/\d{1,2}(?![\d/.,])")
_HALF = re.compile(r"\ban? (\w+) and a half\b")
_OF_SO_MANY = re.compile(r"\b(\d{1,2}|one) (?:in|out of)(?: every)? (\d{1,2})\b(?![.,:/]?\d)|(\d{1,2})分の(\d{1,2})")


def _as_fractions(text: str) -> str:
    """`3 in 4` and `4分の3` as `3/4`, `an hour and a half` as `1.5 hour`."""

    def fraction(match: re.Match[str]) -> str:
        part, whole = (match[4], match[3]) if match[3] else (match[1].replace("one", "1"), match[2])
        return f"{part}/{whole}" if int(part) < int(whole) else match[0]

    return _OF_SO_MANY.sub(fraction, _HALF.sub(r"1.5 \1", text))


def _figures(text: str) -> set[str]:
    """The numbers of a text; a fraction is one, and not two."""
    return numbers(_FRACTION.sub(" ", text)) | set(_FRACTION.findall(text))


def _counted(text: str, quantity: Quantity) -> str:
    """The word behind a bare number, as far as it is none that says little; a counter in Japanese."""
    if quantity.kind or quantity.step < 1:
        return ""
    if wide := re.match(r"[^\W\d_]", text[quantity.end :]):
        return wide[0] if count_cjk(wide[0]) else ""
    return next(iter(query_terms(text[quantity.end : quantity.end + 20])), "").replace("time", "")


def _worked_out(told: Quantity, given: Sequence[Quantity]) -> Iterator[Decimal]:
    """What of the kind of `told` can be worked out from two of the quantities given."""
    same = [each for each in given if each.kind in (told.kind, "" if told.kind else "percent")]  # 33 points more
    for each in same if told.kind else ():  # a month's share of what a year takes
        yield from (value for part in PARTS for value in (each.low / part, each.low * part))
    for one, other in combinations(same, 2):
        yield one.low + other.low
        yield abs(one.low - other.low)
    if len(same) > 2:
        yield sum((each.low for each in same), Decimal(0))
    if told.kind in ("percent", ""):
        for one, other in permutations(given, 2):
            yield from (value * (100 if told.kind == "percent" else 1) for value in _ratios(one, other))


def _ratios(one: Quantity, other: Quantity) -> Iterator[Decimal]:
    """How many times one is the other, and by how much it is more or less, as a share of the other."""
    if one.kind == other.kind and other.low:
        yield one.low / other.low
        yield abs(one.low - other.low) / other.low


def _is_near(told: Quantity, value: Decimal) -> bool:
    return abs(told.low - value) <= max(told.step / 2, ROUGHLY * told.low if told.bound == "about" else Decimal(0))


def _is_fraction(written: str, value: Decimal) -> bool:
    part, whole = map(Decimal, written.split("/", 1))
    return abs(part - value * whole) <= ROUGHLY * part if whole else False


# ── Words ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _likeness(term: str, held: Collection[str]) -> float:
    """1 when the spans hold the term, less when they hold another form of the word, else 0."""
    if term in held:
        return 1.0
    if not term.isascii() or len(term) < 4:
        return 0.0
    alike = (_begun(term, other) for other in held if other[:3] == term[:3])
    return max((share for share in alike if share >= LIKE), default=0.0)


def _begun(one: str, other: str) -> float:
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return same / max(len(one), len(other))


def _cover(wanted: Collection[str], held: Collection[str]) -> float:
    return sum(_likeness(term, held) for term in wanted) / len(wanted) if wanted else 1.0


def _together(wanted: Sequence[str], held: Sequence[str]) -> float:
    """The largest share of the terms `wanted` that stand in one stretch of `held`."""
    distinct = set(wanted)
    if not distinct:
        return 1.0
    length = max(SHORTEST, int(STRETCH * len(wanted)))
    stretches = (held[at : at + length] for at in range(max(1, len(held) - length + 1)))
    return max(len(distinct.intersection(stretch)) for stretch in stretches) / len(distinct)


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


# ── What stands to what ────────────────────────────────────────────────────────────────────────────────────────────

_CLAUSE = re.compile(either("doubts.clause"))
_PASSIVE = re.compile(either("doubts.passive"))
_CAPITAL = re.compile(rf"(?<![\w&.-])[A-Z]\w*+(?:[&.-]\w++)*+|[{KATAKANA}]{{2,}}")


def _misplaced(claim: str, source: str) -> Iterator[str]:
    """Figures beside which the source has no word of the sentence that it has not also beside another figure, but has
    such words beside that other one."""
    theirs = [(numbers(clause), set(terms(clause))) for clause in _CLAUSE.split(source)]
    for clause in _CLAUSE.split(claim):
        words = {term for term in query_terms(clause) if not term[0].isdigit()}
        for figure in numbers(clause):
            here = [words & held for found, held in theirs if figure in found]
            there = [words & held for found, held in theirs if found and figure not in found]
            if (
                here
                and any(other > own for own in here for other in there)
                and not any(own - other for own in here for other in there)
            ):
                yield figure


def _swapped(sentence: str, claim: str, nearest: str) -> tuple[str, str] | None:
    """Two names in the order that the nearest sentence does not have; in the same one where only one is passive."""
    is_mixed = bool(_PASSIVE.search(claim)) != bool(_PASSIVE.search(nearest))
    found = (folded(name) for name in _CAPITAL.findall(sentence))
    places = {name: nearest.find(name) for name in found if nearest.count(name) == 1 == claim.count(name)}
    for one, other in combinations(places, 2):
        first, last = sorted((places[one], places[other]))
        turned = any(f"by {name}" in (claim if _PASSIVE.search(claim) else nearest) for name in (one, other))
        if is_mixed and not turned:
            continue
        if (places[one] > places[other]) != is_mixed and not _CLAUSE.search(nearest[first:last]):
            return one, other
    return None


_NEGATION = re.compile(either("doubts.negation"))
_OPPOSITES = [
    *(frozenset(pair.split("/")) for each in packs() for pair in each.words("doubts.opposites")),
    *map(frozenset, OPPOSITES),
]
_HEDGES = re.compile(either("doubts.hedges"))


def negates(text: str) -> bool:
    """Whether a text in lower case holds a negation."""
    return bool(_NEGATION.search(text))


def _flipped(claim: str, source: str, nearest: str) -> str:
    """What turns the sentence against its source: a negation or an opposite on one side only; else nothing."""
    if negates(claim) and not negates(source):
        return "it negates and the source does not"
    if negates(nearest) and not negates(claim):
        return "the source negates and it does not"
    for pair in _OPPOSITES:
        mine = {word for word in pair if _holds(claim, word)}
        theirs = {word for word in pair if _holds(nearest, word)}
        if len(mine) == 1 and theirs and not mine & theirs:
            return f"it says '{next(iter(mine))}', the source says '{next(iter(theirs))}'"
    return ""


def _dropped(claim: str, nearest: str) -> str:
    """A hedge or condition of the nearest sentence, where the sentence has none at all."""
    found = _HEDGES.search(nearest)
    return found[0] if found and not _HEDGES.search(claim) else ""


def _holds(text: str, word: str) -> bool:
    return bool(re.search(rf"\b{word}\b", text)) if word.isascii() else word in text


def _nearest(claim: str, source: str) -> str:
    """The clause, or else the sentence, of the source that shares most terms with the claim; the shorter of several."""
    wanted = set(query_terms(claim))
    whole = [source[start:end] for start, end in sentences(source)] or [source]
    parts = [*whole, *(clause for sentence in whole for clause in _CLAUSE.split(sentence))]
    return max(parts, key=lambda part: (len(wanted.intersection(terms(part))), -len(part)))
