"""The JSON object in what a model wrote, whatever stands around it; and the readable part of one that still comes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from pydantic_core import from_json

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


_BARE = dict.fromkeys(range(32), " ")
"""Bare line breaks, which models write into strings."""


_STEP = 200
"""Characters after which an answer is read again: what is shown is whole blocks."""


class WrittenBlocks:
    """Reads a report in JSON as it comes, and gives each block with its heading once the next one has begun.

    >>> blocks = WrittenBlocks("Summary", step=1)
    >>> blocks.read('{"lead": ["It is old [3].", "It is deep [4]."], "sections": [{"heading": "Age", "bl')
    [('Summary', 'It is old [3]. It is deep [4].')]
    >>> blocks.read('ocks": [{"kind": "paragraph", "text": "Glass is old."}, {"kind": "list", "items": ["one", ')
    [('Age', 'Glass is old.')]
    """

    def __init__(self, summary: str, *, step: int = _STEP) -> None:
        """`summary` is the heading that the lead is given."""
        self._summary, self._step = summary, step
        self._read = ""
        self._seen = self._given = 0

    def read(self, piece: str) -> list[tuple[str, str]]:
        """Heading and text of what is whole after `piece` and was not given before."""
        self._read += piece
        if len(self._read) - self._seen < self._step:
            return []
        self._seen = len(self._read)
        _, brace, rest = answer_in(self._read).partition("{")
        try:
            read = (brace + rest).translate(_BARE).encode("utf-8", "replace")  # half a pair of surrogates is no UTF-8
            value = from_json(read, allow_partial="trailing-strings")
        except ValueError:  # of what is no JSON, or no more of it, nothing can be shown
            return []
        blocks = list(_blocks(value, self._summary))
        before, self._given = self._given, max(self._given, len(blocks) - 1)
        return [block for block in blocks[before : self._given] if block[1]]


def _blocks(value: Any, summary: str) -> Iterator[tuple[str, str]]:
    """The lead and the blocks of a report, each with its heading, in the order in which they come."""
    for name, each in value.items() if isinstance(value, dict) else ():
        if name == "lead" and each:
            yield summary, " ".join(_strings(each))
        elif name == "sections" and isinstance(each, list):
            for section in each:
                yield from _blocks_of(section)


def _blocks_of(section: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(section, dict) or not isinstance(heading := section.get("heading"), str):
        return
    blocks = section.get("blocks")
    for block in blocks if isinstance(blocks, list) and blocks else [None]:
        yield heading, " ".join(_strings(block))


def _strings(value: Any) -> Iterator[str]:
    """Every string in a value but the kind of a block, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from () if key == "kind" else _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)
