"""Finds what a sentence on counts names: groups, fields, filters. What is left of it are figures and words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fathom.data.counting import BETWEEN, DATE, in_time, label_of
from fathom.data.naming import all_conditions, condition, conditions, folded, in_short, is_ordinary
from fathom.data.periods import periods_of
from fathom.data.requests import Filter
from fathom.data.snapshots import NO_VALUE, one_line, value_text
from fathom.text.characters import HAN, KATAKANA, is_cjk

if TYPE_CHECKING:
    from fathom.data.figures import CitedTable

GROUP, FIELD, CONTEXT, _LAST = 0xE000, 0xEA00, 0xF400, 0xF8FF
"""Characters of private use that stand for what is named: the first of each kind."""
GROUP_MARK = "[\ue000-\ue9ff]"
FIELD_MARK = "[\uea00-\uf3ff]"
CONTEXT_MARK = "[\uf400-\uf8ff]"
_MONTHS = "january february march april may june july august september october november december".split()
_QUOTED = re.compile(r'"([^"\n]{1,400})"')
_COUNTED = re.compile(
    r"\s?(?:records?|events?|entries|documents?|items?|rows|cases|groups?|times|people|%|percent|件|人|個|回|倍|グループ|円)"
)


@dataclass(frozen=True)
class Place:
    """What a name stands for in one table."""

    table: int
    rows: frozenset[int]
    """Its groups; several for a part of a key, or for a year of months."""
    dim: int | None
    """The part of the key that is named; `None` for all of it."""
    size: int = 0
    """Of a part of a date, the characters that it has; 0 for all of it."""


@dataclass(frozen=True)
class Named:
    """A name as it stands in the sentence."""

    label: str
    places: tuple[Place, ...]

    def place(self, table: int) -> Place | None:
        """What it stands for in that table."""
        return next((place for place in self.places if place.table == table), None)


@dataclass
class Masked:
    """A sentence whose names are single characters."""

    text: str
    """In lower case, the names masked."""
    groups: list[Named]
    fields: list[str]
    contexts: list[frozenset[int]]
    """Of each filter that is named, the tables that have it."""
    rest: str
    """The sentence as written without its names, for what else it may name."""


@dataclass
class _Surfaces:
    """The ways to write each name: exact, and whatever its case."""

    exact: dict[str, list[Place]] = field(default_factory=dict)
    any_case: dict[str, list[Place]] = field(default_factory=dict)

    def add(self, surface: str, place: Place) -> None:
        for table, key in ((self.exact, surface), (self.any_case, surface.casefold())):
            held = table.setdefault(key, [])
            same = next((at for at, other in enumerate(held) if _same_part(other, place)), None)
            if same is None:
                held.append(place)
            else:
                rows = held[same].rows | place.rows
                held[same] = Place(place.table, rows, place.dim, place.size)

    def find(self, written: str) -> list[Place]:
        return self.exact.get(written) or self.any_case.get(written.casefold()) or []


def _same_part(one: Place, other: Place) -> bool:
    return (one.table, one.dim, one.size) == (other.table, other.dim, other.size)


def masked(sentence: str, tables: Sequence[CitedTable]) -> Masked:
    """The sentence with every name masked that the tables know: the longest first, those in quotation marks before."""
    text = folded(sentence).replace("**", "").replace("`", '"')
    surfaces = _surfaces(tables)
    found = Masked(text, [], [], [], text)
    spans: list[tuple[int, int, str]] = []

    def free(start: int, end: int) -> bool:
        return all(end <= other_start or start >= other_end for other_start, other_end, _ in spans)

    def group(start: int, end: int, places: Iterable[Place], label: str) -> None:
        if len(found.groups) < FIELD - GROUP:
            spans.append((start, end, chr(GROUP + len(found.groups))))
            found.groups.append(Named(label, tuple(places)))

    def name_field(start: int, end: int, name: str) -> None:
        if len(found.fields) < CONTEXT - FIELD:
            spans.append((start, end, chr(FIELD + len(found.fields))))
            found.fields.append(name)

    def context(start: int, end: int, having: Iterable[int]) -> None:
        if len(found.contexts) < _LAST - CONTEXT:
            spans.append((start, end, chr(CONTEXT + len(found.contexts))))
            found.contexts.append(frozenset(having))

    said = _conditions(tables)
    for surface in sorted(said, key=len, reverse=True):
        for match in _occurrences(text, surface):
            if free(*match.span()):
                context(*match.span(), said[surface])
    fields = _fields(tables)
    values = _values(tables)
    for match in _QUOTED.finditer(text):
        if not free(*match.span()):
            continue
        inner = match[1].strip()
        if places := surfaces.find(inner):
            group(match.start(), match.end(), places, inner)
        elif inner.casefold() in fields:
            name_field(match.start(), match.end(), fields[inner.casefold()])
        elif inner.casefold() in values:
            context(*match.span(), values[inner.casefold()])
    for surface in sorted(surfaces.exact, key=len, reverse=True):
        for match in _occurrences(text, surface):
            start, end = match.start(), match.end()
            if not free(start, end) or not _stands_for(text, start, end, surface, surfaces, fields):
                continue
            if DATE.fullmatch(surface) and text[end : end + 1] == "年":
                end += 1
            group(start, end, surfaces.find(text[start : match.end()]), text[start : match.end()])
    for name in sorted(fields, key=len, reverse=True):
        for match in _occurrences(text, name):
            if free(*match.span()):
                name_field(match.start(), match.end(), fields[name])
    for value in sorted(values, key=len, reverse=True):
        for match in _occurrences(text, value):
            if free(*match.span()) and not (value.isdecimal() and _COUNTED.match(text, match.end())):
                context(*match.span(), values[value])
    pieces, rest, at = [], [], 0
    for start, end, mark in sorted(spans):
        pieces += [text[at:start].lower(), mark]
        rest += [text[at:start], " it "]
        at = end
    found.text = "".join([*pieces, text[at:].lower()])
    found.rest = "".join([*rest, text[at:]])
    return found


# ── The ways to write a name ───────────────────────────────────────────────────────────────────────────────────────


def _surfaces(tables: Sequence[CitedTable]) -> _Surfaces:
    found = _Surfaces()
    for number, table in enumerate(tables):
        buckets = table.aggregation.buckets
        timed = in_time(table.aggregation)
        for at, bucket in enumerate(buckets):
            rows = frozenset((at,))
            if not bucket.key:
                continue
            last = len(bucket.key) - 1
            for surface in _written(label_of(bucket.key), timed and not last):
                found.add(surface, Place(number, rows, None if last else 0))
            for dim, part in enumerate(bucket.key):
                written = one_line(part) or NO_VALUE
                dated = timed and dim == last
                if last:
                    for surface in _written(written, dated):
                        found.add(surface, Place(number, rows, dim))
                if dated:
                    for size in (4, 7):
                        if size < len(written):
                            for surface in _written(written[:size], True):
                                found.add(surface, Place(number, rows, dim, size))
    return found


def _written(label: str, dated: bool) -> Iterator[str]:
    """The ways to write a name; of a date all that people use."""
    yield folded(label)
    quoted = folded(label).replace('"', "'")
    if quoted != folded(label):
        yield quoted
    if BETWEEN in label:
        yield folded(label).replace(BETWEEN, ", ")
    if label == NO_VALUE:
        yield from ("no value", "値なし", "(値なし)")
    if not dated:
        return
    if match := re.fullmatch(r"(\d{4})-(\d{2})(?:-(\d{2}))?(?:[T ]00:00.*)?", label):
        year, month, day = match[1], int(match[2]), int(match[3] or 0)
        if not 1 <= month <= 12:
            return
        for name in (_MONTHS[month - 1], _MONTHS[month - 1][:3]):
            if day:
                yield from (f"{day} {name} {year}", f"{name} {day}, {year}", f"{name} {day} {year}")
            else:
                yield from (f"{name} {year}", f"{name}. {year}", f"{name} of {year}")
        yield f"{year}年{month}月" + (f"{day}日" if day else "")
        yield f"{year}/{match[2]}" + (f"/{match[3]}" if day else "")
    elif match := re.fullmatch(r"(\d{4})-Q(\d)", label):
        yield from (f"Q{match[2]} {match[1]}", f"{match[1]} Q{match[2]}", f"{match[1]}年第{match[2]}四半期")
    elif re.fullmatch(r"\d{4}", label):
        yield f"{label}年"


def _conditions(tables: Sequence[CitedTable]) -> dict[str, set[int]]:
    """The filters as insights write them, each with the tables that have it."""
    found: dict[str, set[int]] = {}
    for number, table in enumerate(tables):
        for language in ("en", "ja"):
            said = [condition(each, language) for each in table.request.filters]
            said += all_conditions(table.request, language)
            said += [conditions(table.request, language), in_short(table.request, language)]
            for each in filter(None, said):
                found.setdefault(folded(each), set()).add(number)
    return found


def _fields(tables: Sequence[CitedTable]) -> dict[str, str]:
    """Names of fields in lower case, with spaces for underscores, too, each with the name itself."""
    names: set[str] = set()
    for table in tables:
        names |= {*table.aggregation.fields, *table.request.group_by, *table.request.statistics}
        names |= {name for bucket in table.aggregation.buckets for name in bucket.statistics}
        names |= {each.field for each in table.request.filters}
    found: dict[str, str] = {}
    for name in sorted(names):
        written = folded(name)
        for surface in (written, written.replace("_", " "), written.rpartition(".")[2]):
            if surface.strip() and not surface.isdecimal():
                found.setdefault(surface.casefold(), name)
    return found


def _values(tables: Sequence[CitedTable]) -> dict[str, set[int]]:
    """The values of the filters in lower case, each with the tables that have it; of a date its year and month, too."""
    found: dict[str, set[int]] = {}
    for number, table in enumerate(tables):
        texts: set[str] = {folded(table.request.text).casefold()}
        for period, _ in periods_of(table.request.filters):
            if period is not None:
                texts |= {folded(period.short(language)).casefold() for language in ("en", "ja")}
                for end in (each.isoformat() for each in (period.first, period.last) if each):
                    texts |= {each.casefold() for size in (4, 7, 10) for each in _written(end[:size], True)}
        for value in (value for each in table.request.filters for value in _told(each)):
            text = folded(value_text(value)).casefold()
            if isinstance(value, str) and not is_ordinary(text):
                texts.add(text)
            if DATE.match(text) and re.match(r"[12]\d{3}(?:-|$)", text):
                texts |= {each.casefold() for size in (4, 7, 10) for each in _written(text[:size], True)}
        for text in filter(None, texts):
            found.setdefault(text, set()).add(number)
    return found


def _told(given: Filter) -> tuple[str | int | float | bool, ...]:
    values = given.value if isinstance(given.value, tuple) else (given.value,)
    return tuple(value for value in values if value is not None)


# ── Where a name stands ────────────────────────────────────────────────────────────────────────────────────────────


def _occurrences(text: str, surface: str) -> Iterator[re.Match[str]]:
    """Where a name stands as a word of its own, whatever its case."""
    if not any(char.isalnum() for char in surface):
        return
    plural = "s?" if len(surface) > 3 and surface[-1].isalpha() and surface.isascii() else ""
    for match in re.finditer(re.escape(surface) + plural, text, re.IGNORECASE):
        before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
        if not (_joined(before, match[0][0]) or _joined(match[0][-1], after)):
            yield match


def _joined(left: str, right: str) -> bool:
    """Whether two neighbouring characters belong to one word."""
    if not left or not right:
        return False
    if is_cjk(left) or is_cjk(right):
        return any(re.fullmatch(f"[{script}]{{2}}", left + right) is not None for script in (HAN, KATAKANA))
    return (left.isalnum() or left == "_") and (right.isalnum() or right == "_")


def _stands_for(text: str, start: int, end: int, surface: str, surfaces: _Surfaces, fields: dict[str, str]) -> bool:
    """Whether a word is the name and not a figure or a word of the sentence."""
    written = text[start:end]
    if DATE.fullmatch(surface):
        if re.search(r"[\d.,/-]$", text[:start]) or re.match(r"[.,/-]?\d", text[end:]):
            return False
        return not _COUNTED.match(text, end) or text[end : end + 1] == "年"
    if re.fullmatch(r"[\d.,+-]+", surface):
        named_before = "|".join(re.escape(name) for name in fields)
        return bool(named_before and re.search(rf"(?:{named_before})\s*(?:=|is|of|が|は|:)?\s*$", text[:start].lower()))
    if is_ordinary(surface):
        return written in surfaces.exact and written != written.lower()
    return True
