"""What a status of a service means, as an error of ours: in one line, without a key."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from fathom.errors import ProviderError, ProviderFault, RateLimited, TimedOut, Unauthorized
from fathom.text.harmless import inert

_BAD_KEY = re.compile(
    r"(?:api[ _-]?key|token)\b.{0,30}\b(?:invalid|incorrect|wrong|missing|required|not valid)"
    r"|(?:invalid|incorrect|wrong|missing)\b.{0,20}\b(?:api[ _-]?key|token)\b",
    re.IGNORECASE,
)
_LONGEST_WAIT = 86_400.0
"""Seconds that anybody may ask us to wait; no run outlives them."""


@dataclass(frozen=True)
class Who:
    """A service, as far as an error needs to know it."""

    title: str
    """Its name, for a person."""
    host: str
    """Where it is asked."""
    address_setting: str
    """What holds its address."""
    key_setting: str = ""
    """What holds its key; empty when it takes none."""
    advice: Mapping[int, str] | None = None
    """What to do about a status, where that is more than what is said of all services."""
    wrong: frozenset[int] = frozenset()
    """Statuses that say that a setting is wrong, as against a service that fails or refuses this request alone."""

    def __str__(self) -> str:
        return f"{self.title} at {self.host}"

    def cure(self, status: int, otherwise: str) -> str:
        """What to do about a status."""
        return (self.advice or {}).get(status, otherwise)


def refusal(status: int, *, headers: Mapping[str, str], body: bytes, who: Who) -> ProviderError:
    """The error that a status which is no success stands for. `body` must not hold the key any more."""
    if status in (400, 422) and _BAD_KEY.search(reason(body)):
        status = 401
    match status:
        case 401 | 403:  # what a service says of a key may quote it
            key = f"set {who.key_setting} to a valid key" if who.key_setting else f"check {who.address_setting}"
            return Unauthorized(f"{who} refuses access ({status}): {who.cure(status, key)}.")
        case 402 | 432 | 433:
            spent = f"raise its plan, set {who.key_setting or 'a key'} to another key, or leave it out of search"
            return Unauthorized(f"{who} has nothing left of its plan ({status}): {who.cure(status, spent)}.")
        case 408:
            return TimedOut(f"{who} gave no answer in time ({status}): try again.")
        case 429:
            wait = retry_after(headers.get("retry-after"))
            when = "ask it less often" if wait is None else f"wait {wait:.0f} seconds"
            cure = who.cure(status, f"{when}, or lower its rate in search_rates")
            return RateLimited(f"{who} is asked too often ({status}): {cure}.", retry_after=wait)
    if status >= 500:
        return ProviderFault(f"{who} failed ({status}{reason(body)}): {who.cure(status, 'try again later')}.")
    if 300 <= status < 400:
        return ProviderError(
            f"{who} sends us to another address ({status}), where it is not asked: check {who.address_setting}."
        )
    cure = who.cure(status, f"check the query and {who.address_setting}")
    return ProviderError(f"{who} refuses the request ({status}{reason(body)}): {cure}.")


def reason(body: bytes) -> str:
    """What a service says is wrong, with a blank before it, short enough for a line; empty when it says nothing.

    >>> reason(b'{"detail": {"error": "Query is too long.\\\\n"}}'), reason(b"<html>")
    (' Query is too long', '')
    """
    try:
        value: Any = json.loads(body[:100_000])
    except (ValueError, RecursionError):
        return ""
    for _ in range(4):
        if isinstance(value, list) and value:
            value = value[0]
        elif isinstance(value, dict):
            names = ("error", "detail", "message", "info", "msg", "errors")
            value = next((value[name] for name in names if value.get(name)), None)
    text = inert(value[:1_000], width=160).rstrip(". ") if isinstance(value, str) else ""
    return f" {text}" if text else ""


def retry_after(said: str | None) -> float | None:
    """Seconds to wait, said as such or as a date, a day at most; `None` when nothing usable was said.

    >>> retry_after("7"), retry_after("-7"), retry_after("1" + "0" * 400), retry_after("nan"), retry_after(None)
    (7.0, 0.0, 86400.0, None, None)
    """
    try:
        seconds = float(said or "nan")
    except ValueError:
        try:
            moment = parsedate_to_datetime(said or "")
            seconds = (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
        except (ValueError, OverflowError):
            return None
    return None if math.isnan(seconds) else min(max(0.0, seconds), _LONGEST_WAIT)
