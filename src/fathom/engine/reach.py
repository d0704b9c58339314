"""What of the web a run may use, and what came of a page: what a replay must know, which has no web."""

from __future__ import annotations

from fathom.browsing import ArchivedPage, WebRules
from fathom.noun import Noun
from fathom.ports.web import Web


class Reach(Noun):
    """What of the web an attempt may use; decided when it begins."""

    rules: WebRules
    """What may be asked and read."""
    searches: dict[str, float]
    """The providers that are asked at once, and what a search of each costs, in US dollars."""
    fallbacks: dict[str, float] = {}
    """Those that are asked one after the other when none of the first has an answer."""

    @classmethod
    def of(cls, web: Web) -> Reach:
        """What `web` allows."""
        return cls(
            rules=web.rules,
            searches={each.name: each.cost_usd for each in web.searches},
            fallbacks={each.name: each.cost_usd for each in web.fallbacks},
        )

    @property
    def cost_usd(self) -> float:
        """What it costs to ask all providers one query, as long as the first ones answer."""
        return sum(self.searches.values())


class Reading(Noun):
    """What came of a page that was asked for."""

    page: ArchivedPage | None = None
    """The page; `None` when it gives nothing to quote."""
    left_out: str = ""
    """Why it does not."""
