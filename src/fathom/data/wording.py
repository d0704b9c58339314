"""The fixed sentences on counts, in the languages that have them; every other language gets the English ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from fathom.languages.packs import pack


@dataclass(frozen=True, kw_only=True)
class Wording:
    """What is said of counts. `{…}` marks what `str.format` fills in; every sentence stands alone.

    `{of_all}` stands for `of_all` or `of_some`; `{where}` for the filters; `{share}` for a share in brackets, if known.
    """

    of_all: str
    """Opens a sentence: of the `{base}` records that match."""
    of_whole: bool
    """Whether it does when no condition is stated, too."""
    of_some: str
    """The same when it is not known how many match."""
    where: str
    """The filters, `{conditions}`, behind the word for records."""
    where_short: str
    """The same when there are several: their values alone."""
    share: str
    """A share of `{percent}` in brackets."""
    nothing: str
    none_of: str
    """The same when the dataset has `{total}` records."""
    leader: str
    leader_next: str
    """Who has the most, and behind it `{next}`."""
    next: str
    """A group and its figure, `{key}` and `{value}`, among those that come next."""
    next_count: str
    """The same with a count."""
    next_tied: str
    """Several with the same count."""
    ties: str
    ties_many: str
    only: str
    only_group: str
    top: str
    concentration: str
    even: str
    smallest: str
    smallest_tied: str
    distribution: str
    other: str
    missing: str
    missing_all: str
    scope: str
    whole: str
    """How many records there are, when no condition is stated."""
    outlier: str
    peak: str
    peak_low: str
    """The same with the step `{low_key}` that has the fewest."""
    peaks: str
    peaks_many: str
    rose: str
    fell: str
    by: str
    """How much something has changed: `{percent}`."""
    halves: str
    """The first half of the time, `{first}` to `{until}`, and the second, `{since}` to `{last}`."""
    same: str
    steps: str
    gap: str
    gaps: str
    highest: str
    highest_next: str
    highest_tied: str
    """Several with the same figure."""
    lowest: str
    lowest_next: str
    lowest_tied: str
    measured_ends: str
    """A statistic in the first step of time and in the last one."""
    highest_value: str
    """The same where every group is one record."""
    highest_value_next: str
    highest_value_tied: str
    lowest_value: str
    lowest_value_next: str
    lowest_value_tied: str
    with_value: str
    """In brackets: `{n}` records have a value."""
    all_value: str
    """The same where all records of the group have one."""
    summed: str
    average: str
    mean_only: str
    extremes: str
    comma: str
    """Between the names of fields."""
    kinds: dict[str, str]
    """Names of statistics."""
    intervals: dict[str, str]
    """Steps of a histogram, more than one of them."""


@cache
def wording(language: str) -> Wording:
    """The sentences of a language, given as an ISO 639-1 code.

    >>> wording("ja").kinds["mean"], wording("fr").kinds["mean"]
    ('平均', 'mean')
    """
    return Wording(**pack(language).says("counts"))
