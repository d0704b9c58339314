"""Judges a sentence by the spans that it cites, without a model: the floor under every report.

Rules prove two things only: that a sentence is a quotation, and that a figure follows from cited cells. All else they
doubt. A sentence without a doubt, nearly all of whose words stand together in
its spans, is `supported`; one with a figure that they do not hold is `unsupported`; most others are `unjudged`, for
words cannot tell a paraphrase from an error. The bars were set on WiCE, SummEdits and JNLI (docs/benchmarks.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from fathom.report import VERIFIED, SupportStatus
from fathom.text.characters import count_cjk
from fathom.verification.doubts import Doubts, doubts_of, unaccounted
from fathom.verification.quotations import folded, is_quotation

LONGEST = 4_000
"""Characters of a sentence, at most: what is longer is none."""
OTHER_WORDS = 2.0
"""Words of a supported sentence, at most, that have none like them in its spans."""
SHARE = 0.8
"""Share of its words that must have one."""
TOGETHER = 0.6
"""Share of its words that must stand together in one stretch of the spans."""
ALIEN = 0.2
"""Share of its words below which, where a name is missing too, the spans do not speak of it."""


@dataclass(frozen=True)
class Verdict:
    """How a sentence stands to its spans."""

    status: SupportStatus
    score: float
    """Share of its words that the spans hold; 1 for a quotation, 0 for what is refuted."""
    why: str
    """What decided, in a few words."""
    is_proved: bool = False
    """Whether it is beyond a judge: a quotation, and arithmetic on cited figures."""
    by: Literal["rule", "model"] = "rule"
    """Who said so."""

    @property
    def is_open(self) -> bool:
        """Whether a judge has something to say of it: whatever is not proved right."""
        return not (self.is_proved and self.status in VERIFIED)

    @property
    def doubt(self) -> str:
        """What speaks against the sentence; empty when nothing does."""
        return "" if self.status in VERIFIED else self.why


def check(sentence: str, spans: Sequence[str], *, titles: Sequence[str] = ()) -> Verdict:
    """Judge `sentence`, without citation marks, by the readable text of the spans that it cites; a name may also stand
    in their `titles` and headings.

    >>> check("the limit is 64", ["By default the limit is 64."]).status
    'quoted'
    >>> check("The default limit is 64.", ["By default the limit is 64."]).status
    'supported'
    >>> check("The limit is 65.", ["By default the limit is 64."]).status
    'unsupported'
    >>> check("Nobody is let in before 64 have paid.", ["By default the limit is 64."]).status
    'unjudged'
    """
    if not spans:
        return Verdict("unsupported", 0.0, "it cites nothing")
    claim, source = folded(sentence), folded(" ".join(spans))
    if is_quotation(claim, source):
        return Verdict("quoted", 1.0, "quotation", is_proved=True)
    if len(sentence) > LONGEST:
        return Verdict("unjudged", 0.0, "it is too long for one sentence")
    doubts = doubts_of(sentence, spans, titles=titles)
    why = next(reasons(doubts), "")
    if doubts.figures:
        return Verdict("unsupported", 0.0, why)
    if doubts.flipped and doubts.nearest == 1.0:
        return Verdict("contradicted", 0.0, doubts.flipped)
    if doubts.names and doubts.share <= ALIEN and not doubts.is_foreign:
        return Verdict("unsupported", doubts.share, f"the source does not speak of {doubts.names[0]}")
    if why or count_cjk(claim):  # words of one character pair differ too little to tell what is said
        return Verdict("unjudged", doubts.share, why or "it is in other words")
    return Verdict("supported", doubts.share, "its words stand in the source, and nothing speaks against it")


def check_counts(sentence: str, facts: Sequence[str], cells: Sequence[str], spans: Sequence[str] = ()) -> Verdict:
    """Judge a sentence that cites counts of a dataset by the `facts` that were worked out from them, by their `cells`
    row by row, and by the other `spans` that it cites.

    A fact as it was worded is proved. In other words it is a judge's: what is compared with what, words do not tell.
    But that a figure neither stands in a cell nor follows from cells is proved, too.

    >>> facts, cells = ["Of the 90 records, AI has the most: 50 (55.6 %)."], ["90 records", "AI | 50", "Cloud | 40"]
    >>> [check_counts(each, facts, cells).status for each in (*facts, "Cloud has 10 fewer.", "Cloud has 41.")]
    ['supported', 'unjudged', 'unsupported']
    """
    if folded(sentence).rstrip(" .。") in (folded(fact).rstrip(" .。") for fact in facts):
        return Verdict("supported", 1.0, "worked out from the cited counts", is_proved=True)
    if spans and (verdict := check(sentence, spans)).status in VERIFIED:
        return verdict
    if wrong := unaccounted(sentence, cells, [*facts, *spans]):
        return Verdict("unsupported", 0.0, f"{wrong[0]} does not follow from the cited counts", is_proved=True)
    why = next(reasons(doubts_of(sentence, [*facts, *cells, *spans])), "")
    return Verdict("unjudged", 0.5, why or "it tells counts in words of its own")


def reasons(doubts: Doubts) -> Iterator[str]:
    """What keeps a sentence from being supported, in a few words each, the gravest first."""
    for figure in doubts.figures:
        yield f"{figure} is not in the source, nor does it follow from it"
    for figure in doubts.derived:
        yield f"{figure} is not in the source: it may follow from what is"
    for name in doubts.names:
        yield f"{name} is not in the source"
    if doubts.flipped:
        yield doubts.flipped
    for figure in doubts.misplaced:
        yield f"{figure} stands beside something else in the source"
    if doubts.swapped:
        yield "{} and {} stand the other way round in the source".format(*doubts.swapped)
    if doubts.hedge:
        yield f"the source says it with '{doubts.hedge}'"
    if doubts.is_foreign:
        yield "it is in another language than the source"
    elif doubts.words > OTHER_WORDS or doubts.share < SHARE:
        yield "not all of its words are in the source"
    elif doubts.together < TOGETHER:
        yield "its words stand apart in the source"
