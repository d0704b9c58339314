"""Finds statements that cannot both be true: the same thing with another number, date or version, or negated.

Precision comes first. Two statements disagree only when they speak of the same thing in much the same words, and when
nothing that one of them says besides (a year, a condition, another name) explains the difference.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice
from typing import NamedTuple

from fathom.evidence import Document
from fathom.findings import Finding
from fathom.languages.packs import either, packs, words
from fathom.text.analysis import identifiers, query_terms, terms
from fathom.text.characters import count_cjk
from fathom.text.dates import without_days, without_since
from fathom.text.display import display
from fathom.text.quantities import Quantity, disagree, quantities, versions, years
from fathom.text.sentences import sentences
from fathom.text.stopwords import ENGLISH_STOP_WORDS

LONGEST = 60
"""Terms of the longest statement that is compared: a longer one says too much at once."""
SHARED = 2
"""What two statements must have in common besides numbers and common words."""
SHARED_WIDE = 4
"""The same in Chinese, Japanese and Korean, whose terms are pairs of characters."""
EXTRA_SHARE = 1 / 3
"""What one of the two may say besides, as a share of what both say."""

_SAME = {
    word: same.partition(" ")[0]
    for each in packs()
    for same in each.holds("disagreement.same")
    for word in same.split()[1:]
}
_PLAIN = words("disagreement.plain")
"""Terms that do not tell what is spoken of."""
_TELLING = re.compile(either("disagreement.telling"))
"""Words that change what a number stands for: they must stand in both or in neither."""
_OPENING = ENGLISH_STOP_WORDS | words("disagreement.roughly")
_BOUNDS = {
    word: bound for each in packs() for bound in ("most", "least") for word in each.holds(f"disagreement.{bound}")
}
_EVENT = re.compile(either("disagreement.event"))
_SEVERAL = re.compile(either("disagreement.several"))
_NEEDS = re.compile(either("disagreement.needs"))
_LABEL = re.compile(
    r"(?:\b(?:[A-Z][\w+/-]*|chapters?|sections?|parts?|tables?|figures?|pages?|steps?|notes?|versions?|issues?|tickets?|rules?"
    r"|lines?|columns?|levels?|phases?|types?|class|articles?|appendix|examples?|items?|points?|questions?|options?|no\.)\s+#?"
    r"|#|第)\d+(?![\d,]|\.\d)"
)
"""A number that names something, and counts nothing."""
_NO_PROSE = re.compile(r"[={}»|]|->|=>|::|\(\)\s*[.;]")
_NEGATION = re.compile(either("disagreement.negation"))
_HALF_NEGATION = re.compile(either("disagreement.half"))
OPPOSITES = tuple(tuple(pair.split("/")) for each in packs() for pair in each.words("disagreement.opposites"))
_OPPOSED = frozenset(term for pair in OPPOSITES for word in pair for term in terms(word))
_LONGER = dict(pair.split("/") for each in packs() for pair in each.holds("disagreement.longer"))
"""Opposites that hold the word that they are opposite to."""


@dataclass(frozen=True)
class ReadStatement:
    """A statement, read for comparison."""

    folded: str
    subject: frozenset[str]
    """What it speaks of: its terms without numbers, units and words that say nothing of it."""
    names: frozenset[str]
    telling: frozenset[str]
    """Words that change what a number stands for."""
    quantities: tuple[Quantity, ...]
    versions: tuple[str, ...]
    years: tuple[str, ...]
    days: tuple[str, ...]
    """Days that it names (ISO 8601), without those since when it holds."""
    negated: bool
    is_wide: bool
    """Whether it is Chinese, Japanese or Korean."""
    context: frozenset[str] = frozenset()
    """Terms of the heading that it stands under."""


@lru_cache(maxsize=4096)  # a finding is held against others in its subtask, and again in the report
def said(text: str, *, under: str = "", heading: str = "") -> ReadStatement | None:
    """`text` read for comparison, with what leads it in and the heading above it; `None` for no prose, or too much."""
    read = unicodedata.normalize("NFKC", f"{under} {text}".strip()).replace("’", "'")
    whole, days = without_days(without_since(read))
    labels = frozenset(_spaced(match[0]).casefold() for match in _LABEL.finditer(whole) if not _opens(match))
    folded = _spaced(_LABEL.sub(lambda match: match[0] if _opens(match) else " ", whole).casefold())
    if (
        _NO_PROSE.search(whole)
        or len(folded) > LONGEST * 12
        or len(terms(folded)) > LONGEST * (3 if count_cjk(folded) else 1)
    ):
        return None
    numbers = quantities(folded)
    units = {term for each in numbers for term in terms(each.unit)}
    return ReadStatement(
        folded=folded,
        subject=frozenset(_subject(folded)) - units,
        names=frozenset(name.casefold() for name in identifiers(whole) if not name[0].isdigit()),
        telling=labels | {_BOUNDS.get(word, word) for word in map(_spaced, _TELLING.findall(folded))},
        quantities=tuple(numbers),
        versions=tuple(versions(folded)),
        years=tuple(years(folded)),
        days=tuple(days),
        negated=bool(_NEGATION.search(folded)),
        is_wide=count_cjk(folded) > 0,
        context=frozenset(_subject(unicodedata.normalize("NFKC", heading).casefold())),
    )


def _opens(match: re.Match[str]) -> bool:
    """Whether a word is capitalised only because the sentence begins with it, as in `About 50`."""
    return match[0].split()[0].lower() in _OPENING


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _subject(folded: str) -> Iterable[str]:
    """The terms that tell what is spoken of; words that mean the same attribute are one term."""
    words = re.sub(r"[a-z]+", lambda match: _SAME.get(match[0], match[0]), folded)
    for term in query_terms(words):
        if term not in _PLAIN and term not in _OPPOSED and not term[0].isdigit() and not re.search("[ぁ-ゖ]", term):
            yield term


def disagreement(one: ReadStatement, other: ReadStatement) -> str:
    """What two statements disagree about: `number`, `date`, `version` or `negation`; empty when nothing shows it.

    >>> a, b, c = map(said, ("Audit logs are kept for 90 days.", "Audit logs are retained for 180 days.",
    ...                      "In 2019 audit logs were kept for 30 days."))
    >>> disagreement(a, b), disagreement(a, c)
    ('number', '')
    """
    if one.is_wide != other.is_wide or one.telling != other.telling or not _is_same_subject(one, other):
        return ""
    if one.negated != other.negated or _are_opposite(one, other):
        return "negation" if _only_negated(one, other) else ""
    if one.versions != other.versions:
        return "version" if _versions_differ(one, other) else ""
    if one.years != other.years or one.days != other.days:
        return "date" if _dates_differ(one, other) else ""
    return "number" if _numbers_differ(one, other) else ""


def _is_same_subject(one: ReadStatement, other: ReadStatement) -> bool:
    """Whether all that one of them speaks of, the other speaks of too, in much the same words."""
    shared = one.subject & other.subject
    mine, theirs = one.subject - shared, other.subject - shared
    if len(shared) < (SHARED_WIDE if one.is_wide else SHARED) or (mine and theirs):
        return False
    extra = mine | theirs
    named = {term for name in one.names ^ other.names for term in terms(name)}
    return len(extra) <= EXTRA_SHARE * len(shared) and not extra & named


def _only_negated(one: ReadStatement, other: ReadStatement) -> bool:
    """Whether nothing but a negation stands between them."""
    if _HALF_NEGATION.search(one.folded) or _HALF_NEGATION.search(other.folded):
        return False
    if (one.years, one.versions) != (other.years, other.versions) or one.names != other.names:
        return False
    if [each.low for each in one.quantities] != [each.low for each in other.quantities]:
        return False
    return one.subject == other.subject


def _are_opposite(one: ReadStatement, other: ReadStatement) -> bool:
    """Whether each holds one of two opposites, and not the other."""
    pairs = zip(_opposites_in(one.folded), _opposites_in(other.folded), strict=True)
    return any(len(mine) == 1 and len(theirs) == 1 and mine != theirs for mine, theirs in pairs)


@lru_cache(maxsize=1_024)
def _opposites_in(folded: str) -> tuple[frozenset[str], ...]:
    """Of each pair of opposites, those that are there."""
    return tuple(frozenset(word for word in pair if _holds(folded, word)) for pair in OPPOSITES)


def _holds(folded: str, word: str) -> bool:
    if word.isascii():
        return bool(re.search(rf"(?<![a-z]){word}(?![a-z])", folded))
    return word in (folded.replace(_LONGER[word], "") if word in _LONGER else folded)


def _versions_differ(one: ReadStatement, other: ReadStatement) -> bool:
    """Whether each tells one version as the one that is needed or the newest, and neither is a part of the other."""
    if len(one.versions) != 1 or len(other.versions) != 1 or one.years != other.years:
        return False
    a, b = one.versions[0], other.versions[0]
    if f"{a}.".startswith(f"{b}.") or f"{b}.".startswith(f"{a}."):
        return False
    if not all(_NEEDS.search(each.folded[: each.folded.find(each.versions[0])]) for each in (one, other)):
        return _numbers_differ(one, other, decimals=False)
    others = [[each.low for each in said.quantities if str(each.low) not in (a, b)] for said in (one, other)]
    return others[0] == others[1]


def _dates_differ(one: ReadStatement, other: ReadStatement) -> bool:
    """Whether something that happens once is told to have happened in different years, or on different days."""
    if len(one.years) != 1 or len(other.years) != 1 or one.versions or other.versions:
        return False
    if one.years == other.years and len(one.days) != len(other.days):
        return False
    if [each.low for each in one.quantities] != [each.low for each in other.quantities]:
        return False
    return all(_EVENT.search(each.folded) and not _SEVERAL.search(each.folded) for each in (one, other))


def _numbers_differ(one: ReadStatement, other: ReadStatement, *, decimals: bool = True) -> bool:
    """Whether they tell as many quantities, of the same kinds in the same order, and exactly one cannot be the same."""
    mine, theirs = one.quantities, other.quantities
    if not mine or len(mine) != len(theirs) or [each.kind for each in mine] != [each.kind for each in theirs]:
        return False
    if not decimals and not all(_measures(said, each) for said in (one, other) for each in said.quantities):
        return False  # it may be a version
    differing = [(a, b) for a, b in zip(mine, theirs, strict=True) if a.low != b.low or a.high != b.high]
    if len(differing) != 1 or not disagree(*differing[0]):
        return False
    a, b = differing[0]
    return bool(a.kind) or _counted(one, a) == _counted(other, b)


def _measures(statement: ReadStatement, quantity: Quantity) -> bool:
    """Whether a number is no version: it has a unit, or is said to be so many of something."""
    if quantity.kind:
        return True
    told = _VALUE.search(statement.folded[: quantity.start]) and _VALUED.match(statement.folded[quantity.end :])
    return bool(told) and not _OF_VERSIONS.search(statement.folded)


_VALUE = re.compile(r"\b(?:is|are|costs?|amounts\s+to|of)\s+(?:[$€£¥]\s*)?$")
_VALUED = re.compile(r"\s[a-z]{3,}")
_OF_VERSIONS = re.compile(r"\b(?:versions?|releases?|builds?|latest|newest)\b")
_COUNTED = re.compile(r"\s*(?:[-\s]?)([a-z]+|[^\W\d_ぁ-ゖ])")


def _counted(statement: ReadStatement, quantity: Quantity) -> str:
    """What a bare number counts: the word behind it; empty at the end of the sentence."""
    behind = _COUNTED.match(statement.folded[quantity.end :])
    found = query_terms(behind[1]) if behind else []
    return found[0] if found else ""


def disagreeing(statements: Sequence[tuple[str, str, ReadStatement | None]]) -> list[tuple[str, str, str]]:
    """Pairs of statements of different origins that disagree, as the names of both and about what, in their order.

    Each statement has a name, an origin, and what it says. An origin that disagrees with itself speaks of different
    things under its headings: what it says there is compared only with what stands under like headings.
    """
    readable = [(name, origin, what) for name, origin, what in statements if what and len(what.subject) >= SHARED]
    found: list[tuple[str, str, str, bool]] = []
    of_headings: set[str] = set()
    for (name, origin, one), (other_name, other_origin, other) in combinations(readable, 2):
        if len(one.subject & other.subject) < SHARED or not (about := disagreement(one, other)):
            continue
        if origin == other_origin:
            of_headings |= {name, other_name}
        else:
            found.append((name, other_name, about, bool(one.context & other.context)))
    return [
        (one, other, about) for one, other, about, is_near in found if is_near or of_headings.isdisjoint((one, other))
    ]


class Side(NamedTuple):
    """What a finding says where another one says something else: its claim, or a sentence of its passage."""

    finding: Finding
    text: str

    @property
    def document(self) -> str:
        """Digest of the document that says so."""
        return self.finding.evidence[0].document


Pair = tuple[Side, Side]


def disagreeing_sides(findings: Iterable[Finding], documents: Mapping[str, Document], *, most: int) -> list[Pair]:
    """Findings of different origins that cannot both be true, held against each other sentence by sentence: the first
    `most` sentences.

    A dataset agrees with itself however often it is asked: what differs are filters and groups.
    """
    sides = list(islice((Side(finding, text) for finding in findings for text in texts_of(finding)), most))
    statements = []
    for at, (finding, text) in enumerate(sides):
        evidence, lead = finding.evidence[0], finding.lead_in
        document = documents.get(evidence.document)
        under = display(lead.quote, document.markup if document else "plain") if lead else ""
        origin = document.uri if document and document.kind == "dataset" else evidence.document
        heading = evidence.locator.rpartition(" › ")[2]
        statements.append((str(at), origin, said(text, under=under, heading=heading)))
    return [(sides[int(one)], sides[int(other)]) for one, other, _ in disagreeing(statements)]


def texts_of(finding: Finding) -> Iterator[str]:
    """What a finding says, sentence by sentence when it is a passage."""
    if not finding.is_passage:
        yield finding.claim
    for piece in finding.pieces if finding.is_passage else ():
        yield from (piece.text[start:end] for start, end in sentences(piece.text))
