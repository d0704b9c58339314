"""What a result may hold: no more than a model can take in, and nothing that steers whoever shows it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeVar

from fathom.frozen import FrozenModel
from fathom.text.harmless import inert, inert_lines

MOST = 100_000
"""Characters of a result, as JSON."""

N = TypeVar("N", bound=FrozenModel)


def plain(value: Any) -> Any:
    """A value as JSON knows it, in which no text can steer a terminal or hide what it says.

    >>> plain({"quote": "red \\x1b[31malert\\u202e", "n": (1, None)})
    {'quote': 'red [31malert', 'n': [1, None]}
    """
    if isinstance(value, FrozenModel):
        return plain(value.model_dump(mode="json"))
    if isinstance(value, str):
        return value if value.isascii() and value.isprintable() else inert_lines(value)
    if isinstance(value, dict):
        return {inert(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


def as_text(value: Any) -> str:
    """A plain value as JSON. What a source says cannot end the string that it stands in."""
    return json.dumps(value, ensure_ascii=False)


def size(value: Any) -> int:
    """Characters that a value takes in a result."""
    return len(as_text(plain(value)))


def cut(text: str, most: int) -> tuple[str, bool]:
    """The beginning of a text, and whether it is not all of it.

    >>> cut("abcdef", 4), cut("abc", 4)
    (('abc…', True), ('abc', False))
    """
    return (f"{text[: most - 1]}…", True) if len(text) > most else (text, False)


def fitting(items: Sequence[N], room: int) -> tuple[N, ...]:
    """As many of the first items as there is room for, in characters; the first one in any case."""
    kept: list[N] = []
    for item in items:
        room -= size(item) + 2
        if kept and room < 0:
            break
        kept.append(item)
    return tuple(kept)


def slice_fitting(text: str, room: int) -> str:
    """The longest beginning of a text that takes at most `room` characters in a result.

    >>> slice_fitting('a"b"c', 8)
    'a"b"'
    """
    piece = text[:room]
    while (over := size(piece) - room) > 0:
        piece = piece[: len(piece) - max(1, over // 2)]
    return piece
