"""Which fields of a dataset a question names, where, and in which part."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fathom.data.fields import DataField, DatasetDescription
from fathom.reasoners.extractive.data.words import EVERYWHERE, JAPANESE_WORDS, meaning_of, meanings_of, words_of_name
from fathom.text.analysis import stem
from fathom.text.stopwords import ASKING_WORDS, ENGLISH_STOP_WORDS

As = Literal["group", "named"]
Place = tuple[int, int]

LEAST_ALIKE = 6
"""First letters that two words must share to be of one family: `attendees` and `attendance`."""
WHOLE, HEAD, WORD, MEANING, ALIKE = 1.0, 0.8, 0.7, 0.6, 0.5
"""How surely a field is named: by its whole name, its last word, another one, a word for the same, a word alike."""
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:['_.-][A-Za-z0-9]+)*")
_GENERIC = "record entry row item document doc case result data dataset datapoint observation".split()
GENERIC_JA = ("データセット", "レコード", "データ", "項目", "件")
"""Japanese words for records of any kind."""
_CALLED = frozenset({"named", "called", "titled"})
"""What is said before a name, and is none of a field."""
_BEFORE_GROUP = re.compile(
    r"(?:\b(?:by|per|across|among|amongst|each|every|over|different|various|distinct|unique|other|which|what"
    r"|how\s+many|number\s+of|most(?:\s+\w+)?|least(?:\s+\w+)?|fewest|top(?:\s+\w+)?|wise|main|common|popular|share\s+of|list\s+of|kinds?\s+of"
    r"|types?\s+of|distribution\s+of|breakdown\s+of)|各|どの|どんな|何の)\s*(?:the\s+|of\s+the\s+|its\s+|their\s+)?$",
    re.IGNORECASE,
)
_BEHIND_GROUP = re.compile(
    r"\s*-?(?:distribution|breakdown|split|mix|wise|shares?)\b"
    r"|(?:名|の)?(?:別|ごと|毎|間|ランキング)|の(?:分布|内訳|割合|種類|比率|構成|ランキング|数)|(?:が|は)(?:最も|一番|もっとも)|[はが]?(?:どれ|いくつ)",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Naming:
    """A field that a question names."""

    field: DataField
    place: Place
    """Where it is named."""
    sure: float
    """How surely it is meant, up to 1."""
    role: As
    """`group` when the words around say that records are grouped by it."""


def namings(text: str, dataset: DatasetDescription, *, taken: Sequence[Place] = ()) -> list[Naming]:
    """The fields that `text` (NFKC) names outside of what is `taken`, in order; a field may be named twice."""
    fields, records = _Fields(dataset), record_words(dataset)
    found: list[Naming] = []
    occupied = list(taken)

    def take(field: DataField, place: Place, sure: float) -> None:
        occupied.append(place)
        before, behind = text[max(0, place[0] - 30) : place[0]], text[place[1] : place[1] + 16]
        groups = bool(_BEFORE_GROUP.search(before) or _BEHIND_GROUP.match(behind))
        found.append(Naming(field=field, place=place, sure=sure, role="group" if groups else "named"))

    for field, place in _verbatim(text, dataset):
        if not overlaps(place, occupied):
            take(field, place, WHOLE)
    words = [(stem(match[0].lower()), match) for match in _WORD.finditer(text)]
    for length in range(min(4, len(words)), 0, -1):
        for at in range(len(words) - length + 1):
            run = words[at : at + length]
            place = (run[0][1].start(), run[-1][1].end())
            if overlaps(place, occupied) or not text[place[0] : place[1]].isascii():
                continue
            if match := fields.named_by(tuple(word for word, _ in run), run[0][1][0] if length == 1 else ""):
                take(match[0], place, match[1])
    for word in JAPANESE_WORDS:
        for match_ja in re.finditer(re.escape(word), text):
            if word in records or overlaps(match_ja.span(), occupied) or _inside_a_word(text, match_ja.span()):
                continue
            if (field_ja := fields.meant_by(meaning_of(word))) is not None:
                take(field_ja, match_ja.span(), MEANING)
    return sorted(found, key=lambda each: each.place)


def overlaps(place: Place, others: Sequence[Place]) -> bool:
    """Whether a place shares a character with one of the others."""
    return any(place[0] < other[1] and other[0] < place[1] for other in others)


def record_words(dataset: DatasetDescription) -> frozenset[str]:
    """Stems of the words for what the records are: from the name of the dataset, and what its fields share."""
    named = {word for name in (dataset.name, dataset.title, *dataset.tables) for word in words_of_name(name)}
    counted = Counter(word for field in dataset.fields for word in set(words_of_name(field.name)))
    shared = {word for word, times in counted.items() if times > 1 and word not in EVERYWHERE}
    kept = {word for word in named | shared | _of_ids(dataset) if len(word) > 2 and not word.isdigit()}
    return frozenset(kept | {stem(word) for word in _GENERIC}) - {stem(word) for word in ("csv", "json", "parquet")}


def _of_ids(dataset: DatasetDescription) -> set[str]:
    """What the field of their ids calls the records: `ticket`, `order_id`, `イベントID`; unless a category does so."""
    named = {dataset.mapping.id, *(field.name for field in dataset.fields if field.type == "id")} - {None}
    found = {word for name in named for word in words_of_name(str(name))} - EVERYWHERE
    others = [field for field in dataset.fields if field.type == "category" and field.name not in named]
    taken = {word for field in others for word in words_of_name(field.name)}
    joined = " ".join(field.name for field in others)
    return {word for word in found if word not in taken and (word.isascii() or word not in joined)}


def speaks_of_records(text: str, dataset: DatasetDescription) -> re.Pattern[str]:
    """What finds a word for the records in a text."""
    english = sorted((re.escape(word) for word in record_words(dataset) if word.isascii()), key=len, reverse=True)
    japanese = [re.escape(word) for word in record_words(dataset) if not word.isascii()]
    own = [*GENERIC_JA, *japanese]
    if "イベント" in text and any(word.startswith("event") for word in record_words(dataset)):
        own.append("イベント")
    return re.compile(rf"\b(?:{'|'.join(english)})\w{{0,4}}\b|{'|'.join(own)}", re.IGNORECASE)


def _inside_a_word(text: str, place: Place) -> bool:
    """Whether a lone ideograph is a part of a longer word: 国 in 国際."""
    before, behind = text[: place[0]], text[place[1] :]
    is_part = re.search(r"[\u3400-\u9fff](?<!各)$", before) or re.match(r"(?![別毎間])[\u3400-\u9fff]", behind)
    return place[1] - place[0] == 1 and bool(is_part)


def _verbatim(text: str, dataset: DatasetDescription) -> list[tuple[DataField, Place]]:
    """Names of fields that stand in the text letter by letter, the longest first."""
    found = []
    for field in sorted(dataset.fields, key=lambda each: -len(each.name)):
        name = field.name
        if len(name) < 2 and name.isascii():
            continue
        if name.lower() in ENGLISH_STOP_WORDS | ASKING_WORDS:
            continue
        edges = (r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])") if name.isascii() else ("", "")
        for match in re.finditer(f"{edges[0]}{re.escape(name)}{edges[1]}", text, re.IGNORECASE):
            if not _inside_a_word(text, match.span()) or name.isascii():
                found.append((field, match.span()))
    return found


class _Fields:
    """The fields by the words that may name them."""

    def __init__(self, dataset: DatasetDescription) -> None:
        self._records = record_words(dataset)
        order = [*dataset.mapping.category, dataset.mapping.date or ""]
        ranked = {name: at for at, name in reversed(list(enumerate(order)))}
        use = {"category": 0, "date": 1, "number": 2, "boolean": 3, "text": 5, "id": 6, "url": 7}
        self._fields = sorted(
            dataset.fields, key=lambda field: (use.get(field.type, 4), ranked.get(field.name, len(order)))
        )
        self._words = {field.name: self._telling(words_of_name(field.name)) for field in self._fields}
        self._counted = Counter(word for words in self._words.values() for word in set(words))

    def _telling(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """The words of a name without those that every field, or the records, have too."""
        kept = tuple(word for word in words if word not in self._records)
        telling = tuple(word for word in kept if word not in EVERYWHERE)
        return telling or kept or words

    def named_by(self, run: tuple[str, ...], word: str) -> tuple[DataField, float] | None:
        """The field that words in a row name, and how surely; `word` is a single one as it is written."""
        if word.lower() in _CALLED:
            return None
        for field in self._fields:
            if run in (words_of_name(field.name), self._words[field.name]):
                return field, WHOLE
        if len(run) > 1 or not word:
            return None
        one = run[0]
        if one in self._records or word.lower() in ENGLISH_STOP_WORDS or one in EVERYWHERE:
            return None
        return self._by_word(one, word)

    def _by_word(self, one: str, word: str) -> tuple[DataField, float] | None:
        for field in self._fields:
            if self._words[field.name][-1:] == (one,):
                return field, HEAD
        if (field_meant := self.meant_by(meaning_of(word))) is not None:
            return field_meant, MEANING
        for field in self._fields:
            if one in self._words[field.name] and self._counted[one] == 1:
                return field, WORD
        beginning = one[:LEAST_ALIKE] if len(one) >= LEAST_ALIKE else one + " "
        for field in self._fields:
            is_alike = any(own.startswith(beginning) for own in self._words[field.name])
            if is_alike and field.type in ("number", "category", "boolean"):
                return field, ALIKE
        return None

    def meant_by(self, meaning: str) -> DataField | None:
        """The first field that may mean that."""
        if not meaning:
            return None
        return next((field for field in self._fields if meaning in meanings_of(field.name)), None)
