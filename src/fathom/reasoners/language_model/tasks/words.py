"""What all tasks do with a model's words: cleaned, bounded, and short numbers mapped back to what they stand for."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, TypeVar

from pydantic import BeforeValidator, WithJsonSchema

from fathom.prompts import escaped
from fathom.reasoners.language_model.tokens import count_tokens
from fathom.text.harmless import inert

T = TypeVar("T")

TAG_TOKENS = 13
"""Of a tag with its attributes around a text in a prompt."""
QUERY_LENGTH = 300
"""Characters of a query that a model writes."""
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://\S*|\bwww\.\S+|\b(?:data|javascript|mailto):\S+", re.IGNORECASE)


def _within(most: float) -> BeforeValidator:
    """Brings a number between 0 and `most`, whatever a model makes of that; what is none is left to the validation."""

    def nearest(value: object) -> object:
        try:
            number = float(str(value))
        except ValueError:
            return value
        return most / 2 if math.isnan(number) else min(most, max(0.0, number))

    return BeforeValidator(nearest)


Share = Annotated[float, _within(1.0)]
"""A number from 0 to 1; one beyond is taken for the nearer bound."""
Points = Annotated[float, _within(10.0)]
"""A number from 0 to 10, likewise."""


def _number(value: object) -> object:
    """The number in `[3]` or `S3`; anything else is left to the validation."""
    found = re.findall(r"\d+", value) if isinstance(value, str) else []
    return int(found[0]) if len(found) == 1 and len(found[0]) < 10 else value


Number = Annotated[int, BeforeValidator(_number)]
"""A short id that the model was given."""


def _whole(value: object) -> int:
    """A number without its fraction, within what a machine counts with; 0 for what is none."""
    try:
        number = float(str(value))
    except ValueError:
        return 0
    return 0 if math.isnan(number) else round(min(1e9, max(-1e9, number)))


Whole = Annotated[int, BeforeValidator(_whole)]
"""A whole number; 0 stands for whatever is none."""


def one_of(names: Iterable[str]) -> WithJsonSchema:
    """For a text that the schema holds to these names, and that is read whatever it is: the rest may be of use.

    >>> one_of(["low", "high"]).json_schema
    {'type': 'string', 'enum': ['low', 'high']}
    """
    return WithJsonSchema({"type": "string", "enum": [*names]})


def line(text: str, most: int) -> str:
    """`text` on one line of at most `most` characters, cut between words, without what could steer a terminal.

    >>> line("The  deep\\x1b[2J\\nsea is deep", 12)
    'The deep [2J'
    """
    text = inert(text)
    if len(text) <= most:
        return text
    cut = text[: most + 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > most // 2 else cut[:most]).rstrip(" ,;:、，")


def searches(texts: Iterable[str], *, most: int, asked: Iterable[str] = ()) -> list[str]:
    """Queries without addresses, none of them twice or asked before, at most `most`.

    >>> searches(["depth of the sea", "Depth  of the sea", "https://evil.example/ salt"], most=3)
    ['depth of the sea', 'salt']
    """
    seen = {text.casefold() for text in asked}
    found = []
    for text in texts:
        text = line(_ADDRESS.sub(" ", text), QUERY_LENGTH)
        if any(char.isalnum() for char in text) and text.casefold() not in seen:
            seen.add(text.casefold())
            found.append(text)
    return found[:most]


def lines(texts: Iterable[str], *, most: int, length: int = 200) -> tuple[str, ...]:
    """Short texts, none empty or twice."""
    return tuple(dict.fromkeys(filter(None, (line(text, length) for text in texts))))[:most]


def picked(numbers: Iterable[int], given: Mapping[int, T]) -> tuple[list[T], int]:
    """What the numbers stand for, each once and in their order, and how many of them stand for nothing."""
    distinct = list(dict.fromkeys(numbers))
    return [given[number] for number in distinct if number in given], sum(n not in given for n in distinct)


def shown_tokens(text: str) -> int:
    """Tokens of a text as it stands in a prompt, escaped, with the line break or tag around it."""
    return count_tokens(escaped(text)) + 3


def fitting(texts: Sequence[str], room: int) -> list[str]:
    """The first of `texts`, as many as fit into `room` tokens."""
    kept = []
    for text in texts:
        room -= shown_tokens(text)
        if room < 0:
            break
        kept.append(text)
    return kept
