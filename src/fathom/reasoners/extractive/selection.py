"""Which findings are told: the most score for the words that the report has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from fathom.reasoners.extractive.overlap import different_numbers, overlap

LENGTH_POWER = 0.7
"""Score is divided by the words that telling costs, to this power."""
SERVED = 0.97
"""What is left of a score for each finding already told for the same subtask."""
SAME_SECTION = 0.985
"""The same for findings of the same section of the same page."""
SAME = 0.9
"""Overlap with something told from which a finding says nothing new, unless its numbers differ."""
ALIKE = 0.4
"""Overlap from which it is worth less."""
MARK_WORDS = 1.4
"""Words of a citation mark, and of the mark of a list item."""
HEADING_WORDS = 4
"""Words of a heading, its marks included."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """Something that may be told, with what telling it takes."""

    key: str
    """What it is called by whoever chooses."""
    score: float
    """How much it answers; comparable with the other options."""
    subtask: str
    """The subtask that it answers."""
    terms: Collection[str]
    """What it says."""
    words: int
    """Its length."""
    document: str
    """The page that it stands on."""
    span: tuple[int, int]
    """Where it stands on the page."""
    lead: tuple[int, int] | None = None
    """Where its lead-in stands; told once for all that share it."""
    lead_words: int = 0
    """Length of the lead-in."""
    section: str = ""
    """The section of the page."""
    source_words: int = 8
    """Words of the page's entry in the list of sources."""


@dataclass
class Told:
    """What is chosen so far."""

    words: float
    """Length of the report with it."""
    options: list[Option] = field(default_factory=list)
    """In the order of choice."""
    served: Counter[str] = field(default_factory=Counter)
    sections: Counter[tuple[str, str]] = field(default_factory=Counter)
    groups: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    spans: dict[str, set[tuple[int, int]]] = field(default_factory=dict)
    """What is told of each page, lead-ins included."""

    def cost(self, option: Option) -> float:
        """Words that the report grows by when the option is told."""
        cost: float = option.words + MARK_WORDS
        if option.lead and option.lead not in self.spans.get(option.document, ()):
            cost += option.lead_words + MARK_WORDS
        if option.document not in self.spans:
            cost += option.source_words
        if self.groups[option.subtask, option.document, option.section] == 1:
            cost += HEADING_WORDS  # a second finding gives the group a heading
        if option.subtask not in self.served:
            cost += HEADING_WORDS
        return cost

    def value(self, option: Option, alike: float) -> float:
        """Score for the words, less when its subtask or section was served, or something like it was told."""
        value = option.score * SERVED ** self.served[option.subtask]
        value *= SAME_SECTION ** self.sections[option.document, option.section]
        if alike > ALIKE:
            value *= 1 - 0.5 * (alike - ALIKE)
        return float(value / self.cost(option) ** LENGTH_POWER)

    def add(self, option: Option) -> None:
        """Tell the option."""
        self.words += self.cost(option)
        self.options.append(option)
        self.served[option.subtask] += 1
        self.sections[option.document, option.section] += 1
        self.groups[option.subtask, option.document, option.section] += 1
        spans = self.spans.setdefault(option.document, set())
        spans.add(option.span)
        if option.lead:
            spans.add(option.lead)

    def holds(self, option: Option) -> bool:
        """Whether what the option says is told already, as a whole or in part."""
        start, end = option.span
        return any(a < end and start < b for a, b in self.spans.get(option.document, ()))


def choose(options: Sequence[Option], *, max_words: int, frame_words: int) -> Told:
    """Greedily the option with the most value, until nothing fits any more.

    `frame_words` is what the report takes before anything is told. Ties go to the earlier option.
    """
    told = Told(words=frame_words)
    alike = [0.0] * len(options)
    same = [False] * len(options)
    left = list(range(len(options)))
    while left:
        left = [
            at
            for at in left
            if told.words + told.cost(options[at]) <= max_words and not same[at] and not told.holds(options[at])
        ]
        if not left:
            break
        chosen = max(left, key=lambda at: (told.value(options[at], alike[at]), -at))
        told.add(options[chosen])
        left.remove(chosen)
        for at in left:
            shared = overlap(options[at].terms, options[chosen].terms)
            alike[at] = max(alike[at], shared)
            same[at] = same[at] or (shared > SAME and not different_numbers(options[at].terms, options[chosen].terms))
    return told
