"""Describes the data, and finds in a question the values and fields that it names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Any

from fathom.data.fields import DataField
from fathom.data.naming import without_note
from fathom.datasets.database import DataTables
from fathom.datasets.profile import Profile
from fathom.datasets.session import Session
from fathom.datasets.tables import Column
from fathom.text.analysis import query_terms, terms
from fathom.text.characters import CJK
from fathom.text.stopwords import ASKING_WORDS, ENGLISH_STOP_WORDS

MOST_MATCHES = 20
"""Values of a field that are told as named by a question."""
MOST_VALUES = 20_000
"""Different values up to which a field is compared value by value; of others only whole words are looked up."""
MOST_LETTERS = 80
"""Letters of a value that a question may name."""
MOST_WORDS = 8
"""Words of a value that is looked up in a field of many."""
MOST_ROWS = 50_000
"""Records whose texts are searched for the terms of a question."""
MOST_TIED = 20
"""Tables that fit a question alike and whose texts are searched, the largest ones."""
_CJK = re.compile(f"[{CJK}]")
_WORD = re.compile(r"[^\W_]+(?:[.\-'’&/+][^\W_]+)*")


class Describer:
    """Describes one database; what a question is compared with is read once."""

    def __init__(self, database: DataTables) -> None:
        self._database = database
        self._values: dict[tuple[str, str], tuple[str, ...] | None] = {}
        self._lock = Lock()

    def describe(self, session: Session, *, table: str = "", question: str = "") -> dict[str, Any]:
        """What the tool `describe` returns; without a `table`, of the one that fits the question best.

        Raises:
            ToolFailed: there is no such table, or it took too long.
        """
        database = self._database
        found = self._fitting(session, question) if question.strip() and not table else database.profile(table)
        fields = [self._matched(session, found, field, question) for field in found.fields]
        return {
            "title": database.title,
            "table": found.table.name,
            "tables": [found.table.name, *(name for name in database.tables if name != found.table.name)],
            "total": found.table.total,
            "id_field": found.id.name,
            "fields": [field.model_dump(mode="json") for field in fields],
            "mapping": found.mapping.model_dump(mode="json"),
            "samples": [record.fields for record in found.samples],
            "terms": self._terms(session, found, question) if question.strip() else {},
            "left_out": found.table.left_out,
            "notes": list(found.table.notes),
            "revision": database.revision,
        }

    def _fitting(self, session: Session, question: str) -> Profile:
        """The table whose name, fields and values hold most words of the question.

        On a tie it is the one that the question names first, then the one whose texts hold most of the words, then the
        largest.
        """
        profiles = [self._database.profile(name) for name in self._database.tables]
        if len(profiles) == 1:
            return profiles[0]
        wanted = query_terms(question)
        held = [self._held(session, found, question, wanted) for found in profiles]
        fits = [(len(each), -_named_at(found, wanted)) for found, each in zip(profiles, held, strict=True)]
        tied = [each for each in zip(profiles, held, fits, strict=True) if each[2] == max(fits)]
        tied = sorted(tied, key=lambda each: -each[0].table.total)[:MOST_TIED]
        if len(tied) == 1:
            return tied[0][0]
        return max(tied, key=lambda each: self._told_of(session, each[0], set(wanted) - each[1]))[0]

    def _held(self, session: Session, found: Profile, question: str, wanted: Sequence[str]) -> set[str]:
        """The terms that the name, the fields and the values of a table hold."""
        held = dict.fromkeys(wanted, 0)
        _count(held, [found.table.name, *(field.name for field in found.fields)])
        for column, field in _texts_of(found):
            if field.type == "url":
                continue
            _count(held, field.values)
            if (field.distinct or 0) > len(field.values):
                _count(held, self._looked_up(session, found, column, question))
        return {term for term, count in held.items() if count}

    def _told_of(self, session: Session, found: Profile, wanted: Iterable[str]) -> int:
        """How many of the terms the texts of a table hold."""
        prose = [column for column, field in _texts_of(found) if field.type == "text"]
        return sum(bool(self._in_prose(session, found, prose, term)) for term in wanted) if prose else 0

    def _matched(self, session: Session, found: Profile, field: DataField, question: str) -> DataField:
        if not question.strip() or field.name not in (column.name for column in found.table.columns):
            return field
        column = found.table.column(field.name)
        if column.kind == "integer":
            low, high = field.minimum, field.maximum
            years = [year for year in re.findall(r"(?<!\d)[12]\d{3}(?!\d)", question) if field.distinct]
            held = isinstance(low, int) and isinstance(high, int) and 1_000 <= low <= high < 3_000
            named = [year for year in years if held and low <= int(year) <= high]  # type: ignore[operator]
            return field.model_copy(update={"matches": tuple(dict.fromkeys(named))[:MOST_MATCHES]})
        if column.kind != "text" or field.type == "url":
            return field
        values = self._short_values(session, found, column, field)
        several = self._looked_up(session, found, column, question) if values is None else named_in(question, values)
        return field.model_copy(update={"matches": tuple(several)[:MOST_MATCHES]})

    def _short_values(
        self, session: Session, found: Profile, column: Column, field: DataField
    ) -> tuple[str, ...] | None:
        """The values of a field that are short enough to be named; `None` when they are too many."""
        key = (found.table.sql, column.sql)
        with self._lock:
            if key not in self._values:
                self._values[key] = None
                if (field.distinct or 0) <= MOST_VALUES:
                    rows = session.rows(
                        f"SELECT DISTINCT {column.sql} FROM {found.table.sql} "
                        f"WHERE length({column.sql}) <= ? ORDER BY ALL",
                        [MOST_LETTERS],
                    )
                    self._values[key] = tuple(value for (value,) in rows)
            return self._values[key]

    def _looked_up(self, session: Session, found: Profile, column: Column, question: str) -> list[str]:
        words = [match[0].casefold() for match in _WORD.finditer(unicodedata.normalize("NFKC", question))]
        phrases = {
            " ".join(words[start : start + length])
            for start in range(len(words))
            for length in range(1, MOST_WORDS + 1)
            if start + length <= len(words)
        }
        rows = session.rows(
            f"SELECT DISTINCT {column.sql} FROM {found.table.sql} "
            f"WHERE lower({column.sql}) IN (SELECT unnest(CAST(? AS VARCHAR[]))) ORDER BY ALL LIMIT 1000",
            [sorted(phrases)],
        )
        return named_in(question, [value for (value,) in rows])

    def _terms(self, session: Session, found: Profile, question: str) -> dict[str, int]:
        """For each term of the question, the number of fields and values that hold it."""
        held = dict.fromkeys(query_terms(question), 0)
        for field in found.fields:
            _count(held, [field.name])
        prose: list[Column] = []
        for column in found.table.columns:
            if column.kind != "text":
                continue
            field = next(field for field in found.fields if field.name == column.name)
            values = self._short_values(session, found, column, field)
            if values is None or field.type == "text":
                prose.append(column)
            else:
                _count(held, values)
        if prose:
            for term in held:
                held[term] += self._in_prose(session, found, prose, term)
        return {term: count for term, count in held.items() if count}

    @staticmethod
    def _in_prose(session: Session, found: Profile, prose: Sequence[Column], term: str) -> int:
        """Records whose texts hold a term, of the first many."""
        begins = term[:-1] if term.endswith("i") else term  # the stem of "companies" and "company" is "compani"
        holds = " OR ".join(f"contains(lower({column.sql}), ?)" for column in prose)
        row = session.row(
            f"SELECT count(*) FROM (SELECT * FROM {found.table.sql} LIMIT {MOST_ROWS}) WHERE {holds}",
            [begins] * len(prose),
        )
        return int(row[0])


def _texts_of(found: Profile) -> list[tuple[Column, DataField]]:
    """The columns of texts, each with its field."""
    fields = {field.name: field for field in found.fields}
    return [
        (column, fields[column.name])
        for column in found.table.columns
        if column.kind == "text" and column.name in fields
    ]


def _named_at(found: Profile, wanted: Sequence[str]) -> int:
    """Where among its terms a question first names a table; behind the last when it does not."""
    named = set(terms(found.table.name))
    return next((at for at, term in enumerate(wanted) if term in named), len(wanted))


def _count(held: dict[str, int], texts: Iterable[str]) -> None:
    for text in texts:
        for term in set(terms(text)) & held.keys():
            held[term] += 1


def named_in(question: str, values: Iterable[str]) -> list[str]:
    """The values that a question names: as words in any form and case, or, of Japanese, as a part of it.

    A value that is a common word, like `IT` or `A`, must be written in the same case. What is only a part of a longer
    value that is named is left out.

    >>> named_in("Events about clouds in South India", ["Cloud", "India", "South India", "IN"])
    ['South India', 'Cloud']
    >>> named_in("インドのイベントのテーマ", ["インド", "日本"])
    ['インド']
    """
    whole = unicodedata.normalize("NFKC", question)
    folded = whole.casefold()
    asked = [(match[0], match.start()) for match in _WORD.finditer(whole)]
    stems = [tuple(terms(word)) for word, _ in asked]
    places: dict[tuple[tuple[str, ...], ...], list[int]] = {}
    for start in range(len(stems)):
        for length in range(1, min(12, len(stems) - start) + 1):
            places.setdefault(tuple(stems[start : start + length]), []).append(start)
    found: list[tuple[int, int, str]] = []
    for value in values:
        plain = unicodedata.normalize("NFKC", value).strip()
        if _CJK.search(plain):
            at = folded.find(plain.casefold())
            if at >= 0 and len(plain) > 1:
                found.append((at, at + len(plain), value))
            continue
        words = _WORD.findall(without_note(plain))
        if not words:
            continue
        for start in places.get(tuple(tuple(terms(word)) for word in words), ()):
            said = [word for word, _ in asked[start : start + len(words)]]
            if len(words) == 1 and _is_common(words[0]) and (said != words or start == 0):
                continue
            last, at = asked[start + len(words) - 1]
            found.append((asked[start][1], at + len(last), value))
            break
    found.sort(key=lambda each: (each[0] - each[1], each[2]))
    kept: list[tuple[int, int, str]] = []
    for start, end, value in found:
        if not any(a <= start and end <= b and (a, b) != (start, end) for a, b, _ in kept):
            kept.append((start, end, value))
    return list(dict.fromkeys(value for _, _, value in kept))


def _is_common(word: str) -> bool:
    lower = word.lower()
    return len(word) == 1 or lower in ENGLISH_STOP_WORDS or lower in ASKING_WORDS
