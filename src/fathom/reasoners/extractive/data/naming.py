"""Which fields and which values of a dataset a question names, where, and in which part."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fathom.data.fields import DataField, DatasetDescription
from fathom.data.naming import without_note
from fathom.reasoners.extractive.data.words import EVERYWHERE, JAPANESE_WORDS, meaning_of, meanings_of, words_of_name
from fathom.text.analysis import stem
from fathom.text.stopwords import ASKING_WORDS, ENGLISH_STOP_WORDS

Place = tuple[int, int]

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:['_.-][A-Za-z0-9]+)*")
_GENERIC = "record entry row item document doc case result data dataset datapoint observation".split()
_GENERIC_JA = ("データセット", "レコード", "データ", "項目", "件")
_FORMATS = frozenset(map(stem, ("csv", "json", "parquet")))
_NOT = re.compile(
    r"(?:\b(?:not|except|excluding|exclude|without|outside|besides|(?:other|rather)\s+than|apart\s+from|no|neither|nor"
    r"|non))[\s-]+(?:(?:in|of|from|for|about|on|the|any|with|by|at|is|are|being|\w+ed)\s+){0,3}$",
    re.IGNORECASE,
)
_NOT_BEHIND = re.compile(r"(?:の(?:もの|イベント|レコード))?(?:以外|を除|は除|では?な|じゃな|を含まな)")
_JOINED = re.compile(r"\s*(?:,|、|・|/|and|or|nor|と|や|および|,\s*and|,\s*or)\s*(?:in\s+|the\s+)?", re.IGNORECASE)
SHARED = 3
"""Fields that have a word in common which says what the records are: `event_title`, `event_theme`, `event_date`."""
_MARKS = ' \\"“”*†‡#'
"""What a table writes around a value, and nobody in a question."""
_CJK = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")
_ASKING = ENGLISH_STOP_WORDS | ASKING_WORDS
_RATHER = {"category": 0, "date": 1, "number": 2, "boolean": 3, "text": 5, "id": 6, "url": 7}
"""Which kind of field is rather meant by a word that several may be called by."""


@dataclass(frozen=True, kw_only=True)
class Naming:
    """A field that a question names."""

    field: DataField
    place: Place
    """Where it is named."""
    by_name: bool
    """Whether a word of its name is said, and not only one that means the same."""


@dataclass(frozen=True, kw_only=True)
class ValueNaming:
    """A value that a question names."""

    field: DataField
    value: str
    place: Place
    unwanted: bool
    """Whether records that have it are left out."""


def overlaps(place: Place, others: Sequence[Place]) -> bool:
    """Whether a place shares a character with one of the others."""
    return any(place[0] < other[1] and other[0] < place[1] for other in others)


# ── Records ────────────────────────────────────────────────────────────────────────────────────────────────────────


def record_words(dataset: DatasetDescription) -> frozenset[str]:
    """Stems of the words for what the records are: from the names of the dataset and of its ids, and what fields share.

    What a category is called is no such word.
    """
    ids = {dataset.mapping.id, *(field.name for field in dataset.fields if field.type == "id")} - {None}
    others = [field.name for field in dataset.fields if field.type == "category" and field.name not in ids]
    of_ids = _words_of(map(str, ids)) - _words_of(others)
    counted = Counter(word for field in dataset.fields for word in set(words_of_name(field.name)))
    shared = {word for word, times in counted.items() if times >= SHARED}
    own = _words_of((dataset.name, dataset.title, *dataset.tables)) | ((of_ids | shared) - EVERYWHERE)
    return frozenset(word for word in own - _FORMATS if len(word) > 2 and not word.isdigit()) | {*map(stem, _GENERIC)}


def _words_of(names: Iterator[str] | Sequence[str]) -> set[str]:
    return {word for name in names for word in words_of_name(name)}


def speaks_of_records(text: str, dataset: DatasetDescription) -> re.Pattern[str]:
    """What finds a word for the records in a text; in Japanese also one that means the same."""
    words = sorted(record_words(dataset), key=len, reverse=True)
    english = [re.escape(word) for word in words if word.isascii()]
    alike = [word for word in JAPANESE_WORDS if word in text and meaning_of(word) in words]
    own = [*_GENERIC_JA, *(re.escape(word) for word in (*words, *alike) if not word.isascii())]
    return re.compile(rf"\b(?:{'|'.join(english)})\w{{0,4}}\b|{'|'.join(own)}", re.IGNORECASE)


# ── Fields ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def namings(text: str, dataset: DatasetDescription, *, taken: Sequence[Place] = ()) -> list[Naming]:
    """The fields that `text` (NFKC) names outside of what is `taken`, in order; a field may be named twice.

    What is written as the field is called goes before words of its name, and these before words that mean it.
    """
    order, records = _in_order(dataset), record_words(dataset)
    found: list[Naming] = []
    for each in (*_verbatim(text, dataset), *_by_words(text, order, records), *_in_japanese(text, order, records)):
        if not overlaps(each.place, [*taken, *(other.place for other in found)]):
            found.append(each)
    return sorted(found, key=lambda each: each.place)


def _in_order(dataset: DatasetDescription) -> list[DataField]:
    """The fields, those first that are rather meant by a word that several may be called by."""
    ranked = {name: at for at, name in enumerate((*dataset.mapping.category, dataset.mapping.date))}
    return sorted(dataset.fields, key=lambda each: (_RATHER.get(each.type, 4), ranked.get(each.name, len(ranked))))


def _verbatim(text: str, dataset: DatasetDescription) -> Iterator[Naming]:
    """Names of fields that stand in the text letter by letter, the longest first."""
    for field in sorted(dataset.fields, key=lambda each: -len(each.name)):
        name = field.name
        if (len(name) < 2 and name.isascii()) or name.lower() in _ASKING:
            continue
        edges = (r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])") if name.isascii() else ("", "")
        for match in re.finditer(f"{edges[0]}{re.escape(name)}{edges[1]}", text, re.IGNORECASE):
            if name.isascii() or not _inside_a_word(text, match.span()):
                yield Naming(field=field, place=match.span(), by_name=True)


def _by_words(text: str, order: Sequence[DataField], records: frozenset[str]) -> Iterator[Naming]:
    """Fields by the stems of up to four words, the longest run first; by a single word also what means the same."""
    whole, parts = _names(order, records)
    words = [match for match in _WORD.finditer(text) if match[0].lower() not in ("named", "called", "titled")]
    stems = [stem(match[0].lower()) for match in words]
    for length in range(min(4, len(words)), 0, -1):
        for at in range(len(words) - length + 1):
            place = (words[at].start(), words[at + length - 1].end())
            said, by_name = text[slice(*place)].lower(), True
            field = whole.get(tuple(stems[at : at + length]))
            if (
                field is None
                and length == 1
                and said not in ENGLISH_STOP_WORDS
                and stems[at] not in records | EVERYWHERE
            ):
                by_name = stems[at] in parts
                field = parts.get(stems[at]) or _meant(said, order)
            if field:
                yield Naming(field=field, place=place, by_name=by_name)


def _names(
    order: Sequence[DataField], records: frozenset[str]
) -> tuple[dict[tuple[str, ...], DataField], dict[str, DataField]]:
    """What stems name: those that are a whole name, and its last word or one that no other field has."""
    telling: dict[str, tuple[str, ...]] = {}
    for field in order:
        own = tuple(word for word in words_of_name(without_note(field.name)) if word not in records)
        telling[field.name] = tuple(word for word in own if word not in EVERYWHERE) or own or words_of_name(field.name)
    counted = Counter(word for words in telling.values() for word in set(words))
    whole: dict[tuple[str, ...], DataField] = {}
    parts: dict[str, DataField] = {}
    for field in order:
        for run in (words_of_name(field.name), telling[field.name]):
            whole.setdefault(run, field)
        for at, word in enumerate(telling[field.name], start=1):
            if counted[word] == 1 or at == len(telling[field.name]):
                parts.setdefault(word, field)
    return whole, parts


def _in_japanese(text: str, order: Sequence[DataField], records: frozenset[str]) -> Iterator[Naming]:
    """Fields by Japanese words that mean them."""
    for word in JAPANESE_WORDS:
        field = _meant(word, order) if word in text and not {word, meaning_of(word)} & records else None
        for match in re.finditer(re.escape(word), text) if field else ():
            if field and not _inside_a_word(text, match.span()):
                yield Naming(field=field, place=match.span(), by_name=False)


def _meant(word: str, order: Sequence[DataField]) -> DataField | None:
    meaning = meaning_of(word)
    return next((field for field in order if meaning and meaning in meanings_of(field.name)), None)


def _inside_a_word(text: str, place: Place) -> bool:
    """Whether a lone ideograph is a part of a longer word: 国 in 国際."""
    before, behind = text[: place[0]], text[place[1] :]
    is_part = re.search(r"[\u3400-\u9fff](?<!各)$", before) or re.match(r"(?![別毎間])[\u3400-\u9fff]", behind)
    return place[1] - place[0] == 1 and bool(is_part)


# ── Values ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def values_in(text: str, dataset: DatasetDescription, *, taken: Sequence[Place] = ()) -> list[ValueNaming]:
    """The values that `text` (NFKC) names outside of what is `taken`, in order; each place belongs to one field.

    Values of a list are wanted or unwanted together: `except AI and Health`, `AI と健康以外`. A word for the records
    or of asking is a value only when it is written as it is: `Other`.
    """
    records = record_words(dataset)
    found: list[ValueNaming] = []
    for field in _in_order(dataset):
        if field.type in ("number", "date", "boolean"):
            continue
        for value in dict.fromkeys((*field.matches, *(field.values if field.type != "text" else ()))):
            is_common = value.lower() in {*_ASKING, field.name.lower()} or stem(value.lower()) in records
            for place in _places(text, without_note(value).strip(_MARKS), is_match=value in field.matches):
                if not overlaps(place, taken) and not (is_common and text[slice(*place)] != value):
                    found.append(ValueNaming(field=field, value=value, place=place, unwanted=False))
    kept: list[ValueNaming] = []
    for naming in sorted(found, key=lambda each: each.place[0] - each.place[1]):
        if not overlaps(naming.place, [other.place for other in kept]):
            kept.append(naming)
    runs: list[list[ValueNaming]] = []
    for each in sorted(kept, key=lambda each: each.place):
        last = runs[-1][-1] if runs else None
        if last and last.field == each.field and _JOINED.fullmatch(text[last.place[1] : each.place[0]]):
            runs[-1].append(each)
        else:
            runs.append([each])
    return [replace(each, unwanted=any(negated(text, one.place) for one in run)) for run in runs for each in run]


def negated(text: str, place: Place) -> bool:
    """Whether what stands there is denied: `not online`, `outside of India`, `日本以外`."""
    before, behind = text[max(0, place[0] - 40) : place[0]], text[place[1] : place[1] + 12]
    return bool(_NOT.search(before) or _NOT_BEHIND.match(behind))


def _places(text: str, value: str, *, is_match: bool) -> list[Place]:
    """Where a value stands, whatever its case, as a plural, or as what belongs to a place: `Indian` for India."""
    if _CJK.search(value):
        return [match.span() for match in re.finditer(re.escape(value), text) if len(value) > 1 or is_match]
    if len(value) < 2:
        return []
    plural = rf"{re.escape(value[:-1])}(?:y|ies)" if re.search(r"[a-z]{3}y$", value) else rf"{re.escape(value)}(?:e?s)?"
    pattern = rf"(?<![A-Za-z0-9_]){plural}(?![A-Za-z0-9_])"
    found = [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]
    if found or not value.isalpha() or len(value) < 4:
        return found
    people = rf"\b{value[:-1] if value[-1] in 'aey' else value}(?:[ei]?ans?|n|ese|ish|i)\b"
    return [match.span() for match in re.finditer(people, text, re.IGNORECASE) if match[0][0].isupper()]
