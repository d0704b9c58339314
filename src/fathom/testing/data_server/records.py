"""Records that are the same wherever they are asked for, so that a test knows every answer."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

COUNTRIES = ("India", "Japan", "Brazil", "Kenya")
THEMES = ("AI", "Cloud", "Security", "Data", "モバイル")


def events(number: int) -> list[dict[str, Any]]:
    """So many events, each with another id.

    >>> events(1)[0]["event_id"], events(1)[0]["country"]
    ('EV00000', 'India')
    """
    return [_event(at) for at in range(number)]


def _event(at: int) -> dict[str, Any]:
    country, theme = COUNTRIES[at % len(COUNTRIES)], THEMES[(at // 3) % len(THEMES)]
    day = date(2023, 1, 1) + timedelta(days=at % 730)
    return {
        "event_id": f"EV{at:05}",
        "title": f"{theme} Summit {country} {at}",
        "country": country,
        "event_theme": theme,
        "start_date": day.isoformat(),
        "attendees": 50 + (at * 37) % 950,
        "summary": f"Speakers from {country} talked about {theme}. About {50 + (at * 37) % 950} people came on {day}.",
        "url": f"https://events.example/{at}",
    }
