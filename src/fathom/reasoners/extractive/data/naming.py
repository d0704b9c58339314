"""Which fields and which values of a dataset a question names, and where."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fathom.data.fields import DataField, DatasetDescription
from fathom.data.naming import without_note
from fathom.languages.packs import either, packs, words
from fathom.reasoners.extractive.data.constructions import Place
from fathom.reasoners.extractive.data.words import (
    EVERYWHERE,
    PIECE,
    WIDE_WORDS,
    meaning_of,
    meanings_of,
    stem_of,
    words_alike,
    words_of_name,
)
from fathom.text.analysis import stem
from fathom.text.stopwords import ASKING_WORDS, ENGLISH_STOP_WORDS

_GENERIC = [word for each in packs() for word in each.words("records.words")]
_FORMATS = frozenset(map(stem, ("csv", "json", "parquet")))
_FILE_OF = re.compile(rf"(?<=..)(?:{either('records.file')})$")
"""Ends the name of a file of records: 貸出記録 holds 貸出."""
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
    """A field that a question names, or one of its values."""

    field: DataField
    place: Place
    """Where it is named."""
    by_name: bool = True
    """Whether a word of its name is said, and not only one that means the same."""
    value: str | bool = ""
    """One of its values; `True` where it is the field of a flag that is raised."""
    unwanted: bool = False
    """Whether records that have the value are left out."""


def _apart(found: Iterable[Naming]) -> list[Naming]:
    """Those that share no character with one before, in the order of the text."""
    kept: list[Naming] = []
    for each in found:
        start, end = each.place
        if not any(start < other.place[1] and other.place[0] < end for other in kept):
            kept.append(each)
    return sorted(kept, key=lambda each: each.place)


def record_words(dataset: DatasetDescription) -> frozenset[str]:
    """Stems of the words for what the records are: from the names of the dataset and of its ids, and what fields share.

    What a category is called is no such word.
    """
    ids = {dataset.mapping.id or "", *(field.name for field in dataset.fields if field.type == "id")}
    others = {field.name for field in dataset.fields if field.type == "category"} - ids
    counted = Counter(word for field in dataset.fields for word in set(words_of_name(field.name)))
    shared = {word for word, times in counted.items() if times >= SHARED}
    of_fields = (_words_of(ids) - _words_of(others)) | shared
    own = _words_of((dataset.name, dataset.title, *dataset.tables)) | (of_fields - EVERYWHERE)
    own |= {_FILE_OF.sub("", word) for word in own}
    own -= _words_of(field.name for field in dataset.fields if field.type == "number") - of_fields
    return frozenset(
        word for word in own - _FORMATS if len(word) > (2 if word.isascii() else 1) and not word.isdigit()
    ) | {stem(word) for word in _GENERIC if word.isascii()}


def _words_of(names: Iterable[str]) -> set[str]:
    return {word for name in names for word in words_of_name(name)}


def speaks_of_records(text: str, dataset: DatasetDescription) -> re.Pattern[str]:
    """What finds a word for the records in a text; in Japanese also one that means the same."""
    known = sorted(record_words(dataset), key=len, reverse=True)
    alike = [word for word in WIDE_WORDS if word in text and meaning_of(word) in known]
    own = [re.escape(word) for word in (*_GENERIC, *known, *alike) if not word.isascii()]
    english = "|".join(re.escape(word) for word in known if word.isascii())
    return re.compile(rf"\b(?:{english})\w{{0,4}}\b|{'|'.join(own)}", re.IGNORECASE)


def namings(text: str, dataset: DatasetDescription) -> list[Naming]:
    """The fields that a text (NFKC), or the shape of one, names, in order; a field may be named twice."""
    order, records = _in_order(dataset), record_words(dataset)
    return _apart((*_in_words(text, order, records), *_in_japanese(text, order, records)))


def _in_order(dataset: DatasetDescription) -> list[DataField]:
    """The fields, those first that are rather meant by a word that several may be called by."""
    ranked = {name: at for at, name in enumerate((*dataset.mapping.category, dataset.mapping.date))}
    return sorted(dataset.fields, key=lambda each: (_RATHER.get(each.type, 4), ranked.get(each.name, len(ranked))))


def _in_words(text: str, order: Sequence[DataField], records: frozenset[str]) -> Iterator[Naming]:
    """Fields by the stems that call them, the longest run first."""
    called = _called(order, records)
    words = [match for match in PIECE.finditer(text) if match[0].lower() not in ("named", "called", "titled")]
    stems = [stem_of(match[0]) for match in words]
    for length in range(max(map(len, called), default=0), 0, -1):
        for at in range(len(words) - length + 1):
            if found := called.get(tuple(stems[at : at + length])):
                field, by_name = found
                yield Naming(field=field, place=(words[at].start(), words[at + length - 1].end()), by_name=by_name)


def _called(order: Sequence[DataField], records: frozenset[str]) -> dict[tuple[str, ...], tuple[DataField, bool]]:
    """What stems call a field, and whether these are of its name: all of it, its last word or one that no other field
    has; else they mean it."""
    telling: dict[str, tuple[str, ...]] = {}
    for field in order:
        own = tuple(word for word in words_of_name(without_note(field.name)) if word not in records)
        telling[field.name] = tuple(word for word in own if word not in EVERYWHERE) or own or words_of_name(field.name)
    counted = Counter(word for words in telling.values() for word in set(words))
    stop, common = ENGLISH_STOP_WORDS, records | EVERYWHERE | ENGLISH_STOP_WORDS
    whole = [(words_of_name(each.name), each, True, stop) for each in order]
    whole += [(telling[each.name], each, True, common) for each in order]
    parts = [((word,), each, True, common) for each in order for word in telling[each.name]]
    parts = [each for each in parts if counted[each[0][0]] == 1 or each[0] == telling[each[1].name][-1:]]
    alike = [((word,), each, False, common) for each in order for word in words_alike(each.name)]
    found: dict[tuple[str, ...], tuple[DataField, bool]] = {}
    for run, field, by_name, unwanted in (*whole, *parts, *alike):
        if len("".join(run)) > 1 and (run[1:] or run[0] not in unwanted):
            found.setdefault(run, (field, by_name))
    return found


def _in_japanese(text: str, order: Sequence[DataField], records: frozenset[str]) -> Iterator[Naming]:
    """Fields by their names letter by letter, the longest first, and by Japanese words that mean them."""
    by_name = [(field.name, field) for field in order if _CJK.search(field.name)]
    meant = [word for word in WIDE_WORDS if word in text and not records.intersection((word, meaning_of(word)))]
    by_word = [(word, field) for word in meant for field in order if meaning_of(word) in meanings_of(field.name)]
    for word, field in (*sorted(by_name, key=lambda each: -len(each[0])), *by_word):
        for match in re.finditer(re.escape(word), text):
            if not _inside_a_word(text, match.span()):
                yield Naming(field=field, place=match.span(), by_name=word == field.name)


def _inside_a_word(text: str, place: Place) -> bool:
    """Whether a lone ideograph is a part of a longer word: 国 in 国際."""
    is_part = re.search(r"[\u3400-\u9fff](?<!各)$", text[: place[0]])
    return place[1] - place[0] == 1 and bool(is_part or re.match(r"(?![別毎間])[\u3400-\u9fff]", text[place[1] :]))


def values_in(text: str, dataset: DatasetDescription) -> list[Naming]:
    """The values that a text (NFKC), or the shape of one, names, in order; each place belongs to one field.

    A word for the records or of asking is a value only when it is written as it is: `Other`.
    """
    records = record_words(dataset)
    found: list[Naming] = []
    for field in _in_order(dataset):
        if field.type in ("number", "date", "boolean"):
            continue
        for value in dict.fromkeys((*field.matches, *(field.values if field.type != "text" else ()))):
            is_common = value.lower() in {*_ASKING, field.name.lower()} or stem(value.lower()) in records
            is_common = is_common or value.lower() in _SUMS
            places = _places(text, without_note(value).strip(_MARKS), is_match=value in field.matches)
            found += [
                Naming(field=field, value=value, place=place)
                for place in places
                if not is_common or text[slice(*place)] == value
            ]
    return _apart(sorted(found, key=lambda each: each.place[0] - each.place[1]))


_SINGULAR = re.compile(r"(?<=[a-z]{3}[^\Ws])s$")
_SUMS = words("records.sums")
"""What a line of sums below a table is called."""


def _places(text: str, value: str, *, is_match: bool) -> list[Place]:
    """Where a value stands, whatever its case, as a plural, or as what belongs to a place: `Indian` for India."""
    if _CJK.search(value):
        return [match.span() for match in re.finditer(re.escape(value), text) if len(value) > 1 or is_match]
    if len(value) < 2:
        return []
    with_y = re.search(r"[a-z]{3}y$", value)
    plural = rf"{re.escape(value[:-1])}(?:y|ies)" if with_y else rf"{re.escape(_SINGULAR.sub('', value))}(?:e?s)?"
    rank = r"(?<!\btop )(?<!\bfirst )(?<!\blast )" if value.isdigit() else ""
    pattern = rf"(?<![A-Za-z0-9_]){rank}{plural}(?![A-Za-z0-9_])"
    found = [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]
    if found or not value.isalpha() or len(value) < 4:
        return found
    people = rf"\b{value[:-1] if value[-1] in 'aey' else value}(?:[ei]?ans?|n|ese|ish|i)\b"
    return [match.span() for match in re.finditer(people, text, re.IGNORECASE) if match[0][0].isupper()]
