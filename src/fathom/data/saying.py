"""A sentence on counts in the making: the counts with what all of their sentences have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from fathom.data.counting import adds_up, base_of, groups_of, label_of, leaves_out, median_of, outliers, percent, ranked
from fathom.data.naming import conditions, enumerated, in_short, is_plain, named
from fathom.data.periods import dated
from fathom.data.requests import TOP_N, DataRequest
from fathom.data.results import Aggregation
from fathom.data.snapshots import one_line
from fathom.data.wanted import Wanted
from fathom.languages.packs import pack

NAMED = 3
"""Groups that a sentence names; of more it says how many they are."""


@dataclass(frozen=True)
class Insight:
    """An exact statement on counts."""

    text: str
    """One sentence that stands alone; it names the filters."""
    rows: tuple[int, ...]
    """The buckets that it rests on, as indexes of `aggregation.buckets`."""
    uses_matched: bool
    """Whether it also rests on the number of records that match."""
    weight: float
    """0 to 1: how much it answers what was asked for."""
    kind: str
    """`leader`, `top`, `change`, …: what it is about. Two of a kind say different things."""
    figures: dict[str, str] = field(default_factory=dict)
    """What it tells, by name: `count`, `share`, `key`, …, each as the sentence writes it."""


class Counts:
    """An aggregation, and the words that each sentence on it begins with."""

    def __init__(
        self,
        aggregation: Aggregation,
        *,
        request: DataRequest,
        matched: int | None,
        total: int | None,
        language: str,
        wanted: Wanted | None = None,
    ) -> None:
        self.aggregation = aggregation
        self.buckets = aggregation.buckets
        self.request = request
        self.wanted = wanted or Wanted()
        """What is asked of numbers, as far as a question says."""
        self.language = language
        self.says = pack(language).says("counts")
        """The sentences, `{…}` being what is filled in."""
        self.matched, self.total = matched, total
        self.base = base_of(aggregation, matched)
        """What shares are of; `None` when it is not known."""
        self.is_complete = not leaves_out(aggregation, matched, request.top_n)
        self.groups = groups_of(aggregation, matched, request.top_n)
        self.adds_up = self.base is not None and adds_up(aggregation, self.base)
        self.ranked = ranked(aggregation)
        """The groups with a value, the largest first."""
        self.conditions = conditions(request, language)
        short = in_short(request, language)
        opening = self.says["where_short"] if short else self.says["where"]
        self.where = opening.format(conditions=short or self.conditions) if self.conditions else ""
        """The records that are meant, behind the word for them: several conditions in short."""
        self.field = self.says["comma"].join(map(one_line, aggregation.fields))
        opening = self.says["of_some"] if self.base is None else self.says["of_all"]
        self.of_all = opening.format(base=f"{self.base:,}" if self.base is not None else "", where=self.where)

        self._plain = all(is_plain(label_of(self.buckets[at].key)) for at in self.ranked[:TOP_N])

    def name(self, at: int) -> str:
        """What a group is called; in quotation marks when a group beside it needs them."""
        label = label_of(self.buckets[at].key)
        if (date := dated(label, self.language)) != label:
            return date
        return named(label, self.language, plain=self._plain)

    def names(self, rows: Sequence[int]) -> str:
        """Groups in a row."""
        return enumerated([self.name(at) for at in rows], self.language)

    def count(self, at: int) -> int:
        """Records of a group."""
        return self.buckets[at].count

    def sum(self, rows: Sequence[int]) -> int:
        """Records of several groups."""
        return sum(map(self.count, rows))

    def share(self, count: int) -> str:
        """A share of the records that match, in brackets; nothing where it is not known."""
        return self.says["share"].format(percent=percent(count, self.base)) if self.base else ""

    def insight(self, kind: str, weight: float, rows: Sequence[int], /, *, wording: str = "", **said: Any) -> Insight:
        """The sentence `wording` (or, without it, `kind`) with `said` filled in."""
        common = {"of_all": self.of_all, "where": self.where, "field": self.field, "base": f"{self.base or 0:,}"}
        given = {name: f"{value:,}" if isinstance(value, int) else value for name, value in said.items()}
        text = self.says[wording or kind].format(**{**common, **given})
        uses_matched = self.matched is not None and (self.base is not None or self.matched == 0)
        told = {name: value.strip(" ()（）") for name, value in given.items() if value and value in text}
        if self.base is not None and common["base"] in text:
            told["base"] = common["base"]
        return Insight(text, tuple(rows), uses_matched, weight, kind, told)

    def outlier(self, rows: Sequence[int], weight: float) -> Iterator[Insight]:
        """The one of these groups that lies far above the rest (see `fathom.data.counting.outliers`)."""
        sizes = [self.count(at) for at in rows]
        middle = median_of(sizes)
        high = [rows[at] for at in outliers(sizes) if sizes[at] > middle]
        if len(high) == 1:
            said: dict[str, Any] = {"key": self.name(high[0]), "count": self.count(high[0]), "n": len(rows)}
            yield self.insight("outlier", weight, high, **said, median=f"{middle:,g}")
