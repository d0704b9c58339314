"""Versions of a document: of one name, with another day or number in the title or in the name of the file, or called
old there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import permutations
from pathlib import PurePosixPath
from urllib.parse import unquote

from fathom.evidence import Document
from fathom.languages.kanji import of_the_common_era
from fathom.languages.packs import either
from fathom.text.analysis import terms
from fathom.text.dates import without_days

SAME_NAME = 0.6
"""Share of the shorter name's words that two versions share."""
SERIES = 5
"""Months between two of one name up to which the earlier one is no older version."""
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_IN_A_NAME = re.compile(rf"{YEAR.pattern}(?:年度?)?")
_MONTH = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_.](0[1-9]|1[0-2])(?![-_.]?\d)")
_OLD = re.compile(either("versions.old"), re.IGNORECASE)
"""What calls a document old, at the end of its name: the map of an old town is no old map."""
_NUMBER = re.compile(r"(?<![^\W_])v(?:ersion)? ?(\d{1,2})(?![^\W_])|第(\d{1,2})版", re.IGNORECASE)


def replaced(titles: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Of titles by key, those of which there are newer versions: by the key of each of these the older one's day, its
    number, or the word that calls it old.

    >>> replaced({"a": "Travel policy (2023)", "b": "Travel policy from 1 May 2026", "c": "Fees 2025"})
    {'a': {'b': '2023'}}
    >>> replaced({"a": "送迎のきまり（平成30年版）", "b": "送迎のきまり（令和5年11月1日改訂）"})
    {'a': {'b': '2018'}}
    >>> replaced({"a": "規約_平成30年", "b": "規約_令和8年改正"})
    {'a': {'b': '2018'}}
    >>> replaced({"a": "Rota rules v2", "b": "rota rules v3 from March"})
    {'a': {'b': 'v2'}}
    >>> replaced({"a": "runbook-restore-OLD", "b": "runbook-restore"})
    {'a': {'b': 'old'}}
    >>> replaced({"a": "Old town map", "b": "Town map"})
    {}
    """
    named = {key: _named(title) for key, title in titles.items()}
    found: dict[str, dict[str, str]] = {}
    for old, new in permutations(titles, 2):
        (mine, day, number, aged), (theirs, later, further, ageing) = named[old], named[new]
        if len(mine & theirs) < SAME_NAME * min(len(mine), len(theirs)) or not mine & theirs:
            continue
        if later > day > "" and not _is_of_a_series(day, later):
            found.setdefault(old, {})[new] = day
        elif further > number > 0 and not (day and later):
            found.setdefault(old, {})[new] = f"v{number}"
        elif aged and not ageing:
            found.setdefault(old, {})[new] = aged
    return found


def replaced_documents(documents: Mapping[str, Document]) -> dict[str, dict[str, str]]:
    """The same of documents: by their titles, or by the names of their files."""
    files = {key: PurePosixPath(unquote(each.uri)).stem for key, each in documents.items()}
    found = replaced(files)
    for old, newer in replaced({key: each.title for key, each in documents.items()}).items():
        found[old] = {**found.get(old, {}), **newer}
    return found


def _is_of_a_series(one: str, other: str) -> bool:
    """Whether two days, the earlier one first, are so near that what bears them follows each other: minutes, letters.

    >>> _is_of_a_series("2026-01-10", "2026-02-14"), _is_of_a_series("2023-03-01", "2026-05-01")
    (True, False)
    """
    if len(one) < len("2026-01") or len(other) < len("2026-01"):
        return False
    (year, month), (later, last) = ((int(part) for part in day.split("-")[:2]) for day in (one, other))
    return 12 * (later - year) + last - month < SERIES


def _named(title: str) -> tuple[frozenset[str], str, int, str]:
    """The words of a title, its latest day, its number, and what calls it old."""
    text, days = without_days(of_the_common_era(title))
    days += ["-".join(found) for found in _MONTH.findall(text)]
    text = _MONTH.sub(" ", text)
    numbers = [int(one or other) for one, other in _NUMBER.findall(text)]
    aged = _OLD.search(text)
    names = frozenset(terms(_IN_A_NAME.sub(" ", _NUMBER.sub(" ", _OLD.sub(" ", text)))))
    latest, number = max((*days, *YEAR.findall(text)), default=""), max(numbers, default=0)
    return names, latest, number, aged[0].lower() if aged else ""
