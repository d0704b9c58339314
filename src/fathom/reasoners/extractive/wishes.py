"""What a question wishes of its answer, by its own words."""

from __future__ import annotations

from fathom.asks import HearWishes
from fathom.languages.wishes import hear
from fathom.preferences import ReportPreferences


def hear_wishes(ask: HearWishes) -> ReportPreferences:
    """The phrases at its edges and between its marks that say nothing of the topic."""
    return hear(ask.query, today=ask.today, follows=ask.follows)
