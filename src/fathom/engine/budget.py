"""What a run may spend: calls, tokens, dollars and time, asked before each call, with a part kept back for writing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil, inf
from typing import Any

from fathom.browsing import SearchResults
from fathom.limits import Limits
from fathom.ports import CallUsage
from fathom.report import Usage

KEPT_BACK = 0.25
"""Share of every cap that research leaves to the writing, when a model writes."""
MOST_SECONDS_KEPT_BACK = 120.0
"""Seconds that are enough to write with a model, however long research may take."""


@dataclass
class Budget:
    """The account of a run: what was spent, what is under way, and what is left.

    A call under way counts with what it can take at most, so that side by side they do not overshoot a cap that each of
    them alone would respect: one that has no room beside them waits for them to end.
    """

    limits: Limits
    metered: bool = False
    """Whether a model answers, so that writing costs something too."""
    calls: Counter[str] = field(default_factory=Counter)
    """Made so far, by kind, failed ones included."""
    research_calls: int = 0
    """Those of them that were not made for the report."""
    usage: Usage = field(default_factory=Usage)
    """What models, searches and pages have taken, without `calls` and `seconds`."""
    charged_tokens: int = 0
    """Tokens: what the cap is held against."""
    charged_usd: float = 0.0
    """US dollars, tokens of unknown price at one that next to no model has: what the cap is held against."""
    _before: dict[str, Any] = field(default_factory=dict)
    _under_way: dict[int, tuple[int, float]] = field(default_factory=dict)
    """Tokens and dollars of what is not over yet, by ticket."""

    # ── Taking down ────────────────────────────────────────────────────────────────────────────────────────────────

    def count(self, kind: str, number: int = 1, *, research: bool) -> None:
        """A call is made; with a number of -1 one that was counted was not, as there was nothing left to pay for it."""
        self.calls[kind] += number
        self.research_calls += number * research

    def begin(self, expected: CallUsage) -> int:
        """A call to a model, or a search that costs something, is under way; returns its ticket."""
        ticket = max(self._under_way, default=0) + 1
        self._under_way[ticket] = _held(expected)
        return ticket

    def end(self, ticket: int) -> None:
        """It is over; what it took is told by `spend` or `searched`."""
        del self._under_way[ticket]

    def searched(self, results: SearchResults) -> None:
        """Take down what a search took; one that was answered from the archive took nothing."""
        if results.cached:
            return
        spent, provider = self.usage, results.provider
        changes = {
            "searches": {**spent.searches, provider: spent.searches.get(provider, 0) + 1},
            "search_cost_usd": spent.search_cost_usd + results.cost_usd,
            "cost_usd": spent.cost_usd + results.cost_usd,
        }
        self.charged_usd += results.cost_usd
        self.usage = spent.model_copy(update=changes)

    def has_read(self) -> None:
        """Take down that a page was asked for and read."""
        self.usage = self.usage.model_copy(update={"pages": self.usage.pages + 1})

    def spend(self, taken: CallUsage, *, answered: bool = True) -> None:
        """Take down what a call to a model took, and whether it was answered."""
        spent = self.usage
        changes: dict[str, Any] = {"cached_calls": spent.cached_calls + taken.cached}
        if answered:
            changes["models"] = {**spent.models, taken.model: spent.models.get(taken.model, 0) + 1}
        if not taken.cached:
            changes |= {
                "prompt_tokens": spent.prompt_tokens + taken.prompt_tokens,
                "completion_tokens": spent.completion_tokens + taken.completion_tokens,
                "cost_usd": spent.cost_usd + (taken.cost_usd if taken.priced else 0.0),
                "unpriced_tokens": spent.unpriced_tokens + (0 if taken.priced else taken.tokens),
                "estimated_tokens": spent.estimated_tokens + (taken.tokens if taken.estimated else 0),
            }
            self.charge(taken)
        self.usage = spent.model_copy(update=changes)

    def charge(self, taken: CallUsage) -> None:
        """Hold the caps against a call, also one that nobody knows the end of."""
        tokens, cost_usd = _held(taken)
        self.charged_tokens += tokens
        self.charged_usd += cost_usd

    # ── What an attempt starts from ────────────────────────────────────────────────────────────────────────────────

    def so_far(self) -> dict[str, Any]:
        """What was spent, so that a new attempt can be granted its limits anew."""
        return {
            "calls": self.research_calls,
            "all_calls": self.calls.total(),
            "tokens": self.charged_tokens,
            "cost": self.charged_usd,
        }

    def start_from(self, before: Mapping[str, Any]) -> None:
        """What `so_far` told no longer counts."""
        self._before = dict(before)

    # ── Asking ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def refuses_research(self, *, seconds: float) -> str | None:
        """The limit that ends research, if it made one more call; `None` when it may go on."""
        limits = self.limits
        if limits.max_calls is not None and self._calls >= limits.max_calls - self._calls_kept_back:
            return "max_calls"
        if (time := self.research_seconds) is not None and seconds >= time:
            return "max_time"
        return None

    def calls_left(self) -> float:
        """How many more calls research may make; tokens and dollars are taken to last as they did so far."""
        limits, made = self.limits, self.calls.total() - int(self._before.get("all_calls", 0))
        left = inf if limits.max_calls is None else limits.max_calls - self._calls_kept_back - self._calls
        tokens = self.charged_tokens - self._before.get("tokens", 0)
        for most, spent in ((limits.max_tokens, tokens), (limits.max_cost, self._cost)):
            if most is not None and spent > 0:
                left = min(left, made * ((1 - KEPT_BACK) * most / spent - 1))
        return left

    def refuses_spending(self, expected: CallUsage | None) -> str | None:
        """The limit that keeps research from asking a model once more; what costs nothing may go on."""
        return self._binding(1 - KEPT_BACK, expected)

    def is_crowded(self, expected: CallUsage, *, research: bool) -> bool:
        """Whether the call has to wait for others to end: they may take what is left, or leave enough of it."""
        return self._binding(1 - KEPT_BACK if research else 1.0, expected, *self._under_way.values()) is not None

    @property
    def passed_by(self) -> tuple[int, float]:
        """Tokens and dollars by which the caps were passed: a provider took more than it was asked for."""
        most, dollars = self.limits.max_tokens, self.limits.max_cost
        tokens = self.charged_tokens - self._before.get("tokens", 0)
        return max(0, tokens - most) if most else 0, max(0.0, self._cost - dollars) if dollars else 0.0

    def refuses_search(self, cost_usd: float, *, beside: bool = False) -> str | None:
        """The limit that keeps research from a search that costs so much, or keeps it from it `beside` what is under
        way; one that costs nothing is never refused."""
        if not cost_usd:
            return None
        under_way = sum(cost for _, cost in self._under_way.values()) if beside else 0.0
        most = self.limits.max_cost
        share = 1 - KEPT_BACK if self.metered else 1.0
        return "max_cost" if most is not None and self._cost + under_way + cost_usd > most * share else None

    def refuses_report(self, *, seconds: float, expected: CallUsage | None = None) -> str | None:
        """The limit that binds, if the report asked a model once more; without a model it is always written."""
        limits = self.limits
        if limits.max_calls is not None and self._calls >= limits.max_calls:
            return "max_calls"
        if limits.max_time is not None and seconds >= limits.max_time:
            return "max_time"
        return self._binding(1.0, expected)

    @property
    def research_seconds(self) -> float | None:
        """How long research may take; `None` without that limit."""
        most = self.limits.max_time
        if most is None or not self.metered:
            return most
        return most - min(KEPT_BACK * most, MOST_SECONDS_KEPT_BACK)

    def _binding(self, share: float, expected: CallUsage | None, *under_way: tuple[int, float]) -> str | None:
        taken = [*under_way, *([_held(expected)] if expected else [])]
        tokens = self.charged_tokens - self._before.get("tokens", 0) + sum(tokens for tokens, _ in taken)
        cost = self._cost + sum(cost for _, cost in taken)
        if self.limits.max_tokens is not None and tokens > self.limits.max_tokens * share:
            return "max_tokens"
        if self.limits.max_cost is not None and cost > self.limits.max_cost * share:
            return "max_cost"
        return None

    @property
    def _cost(self) -> float:
        """Dollars of this attempt."""
        return self.charged_usd - float(self._before.get("cost", 0.0))

    @property
    def _calls(self) -> int:
        """Calls of this attempt that count against `max_calls`: without a model the report's are free."""
        if self.metered:
            return self.calls.total() - int(self._before.get("all_calls", 0))
        return self.research_calls - int(self._before.get("calls", 0))

    @property
    def _calls_kept_back(self) -> int:
        return ceil(KEPT_BACK * (self.limits.max_calls or 0)) if self.metered else 0


def _held(usage: CallUsage) -> tuple[int, float]:
    """Tokens and dollars that the caps are held against."""
    return max(usage.tokens, usage.held_tokens), max(usage.cost_usd, usage.held_usd)
