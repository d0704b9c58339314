"""Whether a question asks for what is open or closed, where no value says so: a date of closing, or another status."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.data.fields import DatasetDescription
from fathom.data.requests import Filter
from fathom.reasoners.extractive.data.naming import Place, overlaps
from fathom.reasoners.extractive.data.words import meanings_of, words_of_name
from fathom.text.analysis import stem

_OPEN = re.compile(
    r"\b(?:still\s+)?(?:open|unresolved|unsolved|outstanding)\b|未(?:解決|完了|対応|処理)", re.IGNORECASE
)
_CLOSED = re.compile(
    r"\b(?:is|are|was|were|been)\s+(?:already\s+)?(?:closed|resolved|solved|completed)\b|(?:解決|完了|対応|処理)済み?",
    re.IGNORECASE,
)
_ENDS = frozenset(stem(word) for word in "close closed resolve resolved solve solved complete completed done".split())
_ENDS_JA = ("解決", "完了", "対応済", "処理済", "クローズ")


def states_in(
    text: str, dataset: DatasetDescription, *, taken: Sequence[Place]
) -> tuple[tuple[Filter, ...], list[Place]]:
    """The conditions that `open` and `closed` stand for in `text` (NFKC), and where they stand."""
    for pattern, is_open in ((_OPEN, True), (_CLOSED, False)):
        match = pattern.search(text)
        if match is None or overlaps(match.span(), taken):
            continue
        place = [match.span()]
        for field in dataset.fields:
            if field.type == "date" and _ends(field.name):
                return (Filter(field=field.name, op="is_null" if is_open else "not_null"),), place
        for field in dataset.fields:
            if "status" in meanings_of(field.name) and (ended := tuple(filter(_ends, field.values))):
                return (Filter(field=field.name, op="not_in" if is_open else "in", value=ended),), place
    return (), []


def _ends(name: str) -> bool:
    return bool(_ENDS & set(words_of_name(name))) or any(word in name for word in _ENDS_JA)
