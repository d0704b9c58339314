"""What a tool returns is hostile material like a page: without what is invisible, bounded in every direction."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from fathom.data.requests import Scalar
from fathom.reading.visible import without_marks
from fathom.text.harmless import inert, inert_lines

MOST_TEXT = 20_000
"""Characters of a value."""
MOST_NAME = 200
"""Characters of a name."""
MOST_FIELDS = 500
"""Fields of a record."""
MOST_RECORDS = 1_000
"""Records of a result."""
MOST_DESCRIPTION = 1_000
"""Characters of what a tool or a field says of itself."""
_DEEPEST = 8
"""Levels that are named with dots; what is deeper stays as JSON."""
_LARGEST_INT = 2**53
"""What every reader of JSON reads exactly."""
_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u0600-\u0605\u06dd\u070f\u0890-\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000110bd-\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e01ef]"
)
"""What has to be looked at character by character."""


def clean_text(text: str, *, most: int = MOST_TEXT) -> str:
    """The text without what cannot be seen or steers a terminal; its lines stay.

    >>> clean_text("in\\u200bvis\\x1b[31mible\\nnext")
    'invis[31mible\\nnext'
    """
    text = text[:most]
    if text.isascii() and text.isprintable():
        return text
    return without_marks(inert_lines(text) if _SUSPECT.search(text) else text)


def clean_line(text: str, *, most: int = MOST_NAME) -> str:
    """The same on one line: a name, a description.

    >>> clean_line("a\\nb\\x07")
    'a b'
    """
    text = text[: 4 * most]
    if len(text) <= most and text.isascii() and text.isprintable():
        return " ".join(text.split())
    return inert(without_marks(inert(text)), width=most)


def scalar(value: Any) -> Scalar:
    """The value as one that a field can have: what is nested becomes JSON.

    >>> scalar(float("nan")), scalar(["a", 1]), scalar(2**60)
    (None, '["a", 1]', '1152921504606846976')
    """
    if isinstance(value, str):
        return clean_text(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _LARGEST_INT else _digits(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return clean_text(as_json(value))


def flat(value: Mapping[Any, Any]) -> dict[str, Scalar]:
    """The fields of a record, what is nested named with dots.

    >>> flat({"id": 1, "place": {"city": "Pune", "tags": ["a"]}})
    {'id': 1, 'place.city': 'Pune', 'place.tags': '["a"]'}
    """
    found: dict[str, Scalar] = {}
    for name, each in _leaves(value, "", _DEEPEST):
        if len(found) >= MOST_FIELDS:
            break
        found.setdefault(_name(name) if len(name) <= MOST_NAME else clean_line(name) or "field", scalar(each))
    return found


@lru_cache(maxsize=4_096)
def _name(name: str) -> str:
    """A name as it is shown; those of a page come again with each of its records."""
    return clean_line(name) or "field"


def _leaves(value: Mapping[Any, Any], before: str, depth: int) -> Iterator[tuple[str, Any]]:
    for name, each in value.items():
        full = f"{before}{str(name)[: 4 * MOST_NAME]}" if before or not isinstance(name, str) else name
        if isinstance(each, dict) and each and depth > 1 and len(full) < MOST_NAME:
            yield from _leaves(each, f"{full}.", depth - 1)
        else:
            yield full, each


def as_json(value: Any) -> str:
    """The value as JSON; empty when it is too deep to be written."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError, TypeError):
        return ""


def _digits(value: int) -> str | None:
    """A large number as text; `None` when it is too large even for that."""
    try:
        return str(value)
    except ValueError:
        return None
