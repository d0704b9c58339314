"""Versions of a document: of one name, with another day in the title."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import permutations

from fathom.text.analysis import terms
from fathom.text.dates import of_the_common_era, without_days

SAME_NAME = 0.6
"""Share of the shorter title's words that two versions share."""
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def replaced(titles: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Of titles by key, those of which there are newer versions: by the key of each of these the older one's day.

    >>> replaced({"a": "Travel policy (2023)", "b": "Travel policy from 1 May 2026", "c": "Fees 2025"})
    {'a': {'b': '2023'}}
    >>> replaced({"a": "送迎のきまり（平成30年版）", "b": "送迎のきまり（令和5年11月1日改訂）"})
    {'a': {'b': '2018'}}
    """
    dated = {key: without_days(of_the_common_era(title)) for key, title in titles.items()}
    names = {key: frozenset(terms(YEAR.sub(" ", text))) for key, (text, _) in dated.items()}
    days = {key: max((*days, *YEAR.findall(text)), default="") for key, (text, days) in dated.items()}
    found: dict[str, dict[str, str]] = {}
    for old, new in permutations(titles, 2):
        same = len(names[old] & names[new])
        if days[new] > days[old] > "" and same >= SAME_NAME * min(len(names[old]), len(names[new])) > 0:
            found.setdefault(old, {})[new] = days[old]
    return found
