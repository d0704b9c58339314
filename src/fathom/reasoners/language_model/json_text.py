"""The JSON object in what a model wrote, whatever stands around it; and the readable part of one that still comes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

_NAMES = "think(?:ing)?|thoughts?|reasoning|reflection"
_THOUGHT = re.compile(
    rf"<(?:{_NAMES})>|\[THINK\]|(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)", re.IGNORECASE
)
"""How thoughts begin, by the many ways in which models mark them."""
_THOUGHT_OUT = re.compile(
    rf"</(?:{_NAMES})>|\[/THINK\]|<\|channel\|>final(?:[^\S\n]*<\|constrain\|>\w+)?<\|message\|>", re.IGNORECASE
)
"""How they end; some models show no more of them than that."""
_FENCE = re.compile(r"```[a-zA-Z]*+[^\S\n]*+\n((?:[^`]++|`(?!``))*+)")
_LONGEST = 400_000
"""Characters of an answer that are looked at."""
_STARTS = 50
"""Opening braces that are tried."""
_DEPTH_ERRORS = (ValueError, RecursionError)


def _finite(number: str) -> float:
    if math.isinf(value := float(number)):
        raise ValueError("the answer holds a number without an end")
    return value


def _no_number(name: str) -> float:
    raise ValueError(f"the answer holds {name}, which is no number")


_DECODER = json.JSONDecoder(
    strict=False,  # models write bare line breaks into strings
    parse_float=_finite,
    parse_constant=_no_number,
)


def answer_in(text: str) -> str:
    """What a model wrote, without the thoughts that some put before it.

    >>> answer_in("<think>Two and three …</think> Five."), answer_in("Two and three … </think> Five.")
    ('Five.', 'Five.')
    >>> answer_in("<think>Two and"), answer_in('{"text": "It writes </think>."}')
    ('', '{"text": "It writes </think>."}')
    """
    text = text[:_LONGEST].strip()
    if text.startswith(("{", "[{", "```")):
        return text
    ends = [match.end() for match in _THOUGHT_OUT.finditer(text)]
    # the answer may hold such a mark itself: then what begins like one stands behind an earlier end
    at = next((end for end in ends if text[end:].lstrip().startswith(("{", "```"))), ends[-1] if ends else 0)
    return "" if not ends and _THOUGHT.match(text) else text[at:].strip()


def json_object(text: str) -> dict[str, Any]:
    """The first whole JSON object in `text`: alone, in a fence, behind thoughts, or among sentences.

    >>> json_object('Here it is:\\n```json\\n{"total": 5}\\n```')
    {'total': 5}

    Raises:
        ValueError: there is none; the message says why, for whoever wrote it.
    """
    text = answer_in(text)
    if not text:
        raise ValueError("the answer is empty")
    error: Exception | None = None
    for candidate in _candidates(text):
        try:
            value, _ = _DECODER.raw_decode(candidate)
        except _DEPTH_ERRORS as wrong:
            error = error or wrong
            continue
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, dict):
            return value
        error = error or ValueError("the answer holds no JSON object")
    if isinstance(error, json.JSONDecodeError):
        raise ValueError(f"the answer is no JSON: {error.msg} at character {error.pos}")
    if type(error) is ValueError:
        raise error
    raise ValueError("the answer holds no JSON object")


def finished_part(text: str) -> dict[str, Any]:
    """The object of an answer that was cut, with those items of its lists that came whole.

    >>> finished_part('{"items": [{"id": 1}, {"id": 2}, {"id": 3, "te')
    {'items': [{'id': 1}, {'id': 2}]}

    Raises:
        ValueError: no item of a list did.
    """
    text = answer_in(text)
    start = text.find("{")
    open_, inside, last = "", False, ""
    at = max(start, 0)
    while start >= 0 and at < len(text):
        char = text[at]
        if inside:
            at += char == "\\"
            inside = char != '"'
        elif char == '"':
            inside = True
        elif char in "{[":
            open_ += "}" if char == "{" else "]"
        elif char in "}]":
            open_ = open_[:-1]
        if not inside and char in '"}]' and open_.endswith("]"):
            last = text[start : at + 1] + open_[::-1]
        at += 1
    if not last:
        raise ValueError("nothing of the answer is whole")
    return json_object(last)


def _candidates(text: str) -> Iterator[str]:
    """Where an object may begin, the likeliest first."""
    yield text
    for match in _FENCE.finditer(text):
        yield match[1].strip()
    at = text.find("{")
    for _ in range(_STARTS):
        if at < 0:
            return
        yield text[at:]
        at = text.find("{", at + 1)


_STRING = re.compile(r'["\\]')
_ESCAPES = {"n": "\n", "t": " ", "r": "", "b": "", "f": ""}


class TextFields:
    """Reads JSON as it comes, and gives the new characters of the strings in fields of one name.

    >>> fields = TextFields("text")
    >>> [fields.read(piece) for piece in ('{"te', 'xt": "Gl', 'ass\\\\u0020is', ' old.", "id": "f1"}')]
    ['', 'Gl', 'ass is', ' old.']
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._key = ""  # the last whole string: a key, when a colon follows
        self._inside = False
        self._is_value = False
        self._string = ""
        self._rest = ""  # an escape that is not whole yet
        self._told = False

    def read(self, piece: str) -> str:
        """What is new to read after `piece`; values are divided by a space."""
        piece, self._rest = self._rest + piece, ""
        out: list[str] = []
        at = 0
        while at < len(piece):
            at = self._in_string(piece, at, out) if self._inside else self._between(piece, at, out)
        return "".join(out)

    @property
    def _wanted(self) -> bool:
        return self._is_value and self._key == self._name

    def _between(self, piece: str, at: int, out: list[str]) -> int:
        char = piece[at]
        if char == '"':
            self._inside, self._string = True, ""
            if self._wanted and self._told:
                out.append(" ")
        elif char == ":":
            self._key, self._is_value = self._string, True
        elif char in ",{}[]":
            self._is_value = False
            self._string = ""
        return at + 1

    def _in_string(self, piece: str, at: int, out: list[str]) -> int:
        match = _STRING.search(piece, at)
        end = match.start() if match else len(piece)
        self._take(piece[at:end], out)
        if match is None:
            return len(piece)
        if match[0] == '"':
            self._told = self._told or self._wanted
            self._inside = False
            return end + 1
        length = 6 if piece[end + 1 : end + 2] == "u" else 2
        if len(piece) < end + length:
            self._rest = piece[end:]
            return len(piece)
        self._take(_unescaped(piece[end : end + length]), out)
        return end + length

    def _take(self, text: str, out: list[str]) -> None:
        if self._wanted:
            out.append(text)
        elif not self._is_value:
            self._string += text


def _unescaped(escape: str) -> str:
    """The character that an escape stands for; half of a pair is not readable yet, and left out."""
    if escape[1] != "u":
        return _ESCAPES.get(escape[1], escape[1])
    try:
        code = int(escape[2:], 16)
    except ValueError:
        return ""
    return "" if 0xD800 <= code <= 0xDFFF else chr(code)
