"""Which values of a dataset a question names, and whether it wants them or wants to leave them out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fathom.data.fields import DataField, DatasetDescription
from fathom.reasoners.extractive.data.naming import GENERIC_JA, Place, overlaps, record_words
from fathom.reasoners.extractive.data.words import words_of_name
from fathom.text.analysis import stem
from fathom.text.stopwords import ASKING_WORDS, ENGLISH_STOP_WORDS

_NOT = re.compile(
    r"(?:\b(?:not|except|excepting|excluding|exclude|without|outside|besides|other\s+than|apart\s+from|rather\s+than"
    r"|no|neither|nor|non|but\s+not|leaving\s+out|ignoring))(?:\s+|-)(?:(?:in|of|from|for|about|on|the|any|with|by|held|at|is|are|being)\s+){0,3}$",
    re.IGNORECASE,
)
_NOT_BEHIND = re.compile(r"(?:の(?:もの|イベント|レコード))?(?:以外|を除(?:く|い|外)|は除|ではな|でな|じゃな|を含まな)")
_JOINED = re.compile(r"\s*(?:,|、|・|/|and|or|nor|と|や|および|及び|,\s*and|,\s*or)\s*(?:in\s+|the\s+)?", re.IGNORECASE)
_MEANT_JA = r"(?:に関する|についての|分野|系|関連)|の(?:イベント|記録|件数|会議|もの|割合)|と|、|や|以外|を除"
"""Behind a value that is also a word for records, when the value is meant."""
_OF_PEOPLE = re.compile(r"(?:n|an|ian|ese|ish|i|s|ns|ans|ians|er|ers)$")
_IS = r"\s*(?:=|:|is|are|was|of|named|called|が|は|の|「|\"|')*\s*"


@dataclass(frozen=True, kw_only=True)
class ValueNaming:
    """A value that a question names."""

    field: DataField
    value: str
    place: Place
    unwanted: bool
    """Whether records that have it are left out."""
    beside_field: bool
    """Whether its field is named right beside it: `country India`."""


def values_in(text: str, dataset: DatasetDescription, *, taken: Sequence[Place] = ()) -> list[ValueNaming]:
    """The values that `text` (NFKC) names outside of what is `taken`, in order; each place belongs to one field."""
    records = record_words(dataset)
    order = {name: at for at, name in enumerate(dataset.mapping.category)}
    use = {"category": 0, "other": 1, "id": 2, "url": 4, "text": 5}
    found: list[tuple[tuple[float, ...], ValueNaming]] = []
    for field in dataset.fields:
        if field.type in ("number", "date", "boolean"):
            continue
        known = dict.fromkeys((*field.matches, *(field.values if field.type != "text" else ())))
        for value in known:
            for place in _places(text, value, is_match=value in field.matches, records=records):
                beside = _is_beside(text, field, place)
                if overlaps(place, taken) or (_is_a_word_of_asking(value, text, place) and not beside):
                    continue
                rank = (-(place[1] - place[0]), not beside, use.get(field.type, 3), order.get(field.name, 99))
                named = ValueNaming(field=field, value=value, place=place, unwanted=False, beside_field=beside)
                found.append((rank, named))
    kept: list[ValueNaming] = []
    for _, naming in sorted(found, key=lambda each: each[0]):
        if not overlaps(naming.place, [other.place for other in kept]):
            kept.append(naming)
    return _with_negation(text, sorted(kept, key=lambda each: each.place))


def _with_negation(text: str, found: Sequence[ValueNaming]) -> list[ValueNaming]:
    """What is left out: `except AI and Health`, `AI と健康以外`. Values of a list are wanted or unwanted together."""
    runs: list[list[ValueNaming]] = []
    for each in found:
        last = runs[-1][-1] if runs else None
        if last and last.field == each.field and _JOINED.fullmatch(text[last.place[1] : each.place[0]]):
            runs[-1].append(each)
        else:
            runs.append([each])
    return [replace(each, unwanted=any(_is_unwanted(text, one.place) for one in run)) for run in runs for each in run]


def _is_unwanted(text: str, place: Place) -> bool:
    return bool(
        _NOT.search(text[max(0, place[0] - 40) : place[0]]) or _NOT_BEHIND.match(text[place[1] : place[1] + 12])
    )


def _places(text: str, value: str, *, is_match: bool, records: frozenset[str]) -> list[Place]:
    """Where a value stands, whatever its case; for one that is said to be named, also in another form."""
    plain = value.strip()
    if not plain or (len(plain) == 1 and plain.isascii()):
        return []
    if plain.isascii():
        exact = len(plain) <= 3 and plain.isupper()
        pattern = rf"(?<![A-Za-z0-9_]){re.escape(plain)}(?:e?s)?(?![A-Za-z0-9_])"
        if re.search(r"[a-z]{3}y$", plain):
            pattern = rf"(?<![A-Za-z0-9_])(?:{re.escape(plain)}|{re.escape(plain[:-1])}ies)(?![A-Za-z0-9_])"
        found = [match.span() for match in re.finditer(pattern, text, 0 if exact else re.IGNORECASE)]
        if exact and not found and plain.lower() not in ENGLISH_STOP_WORDS | ASKING_WORDS:
            found = [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]
        if stem(plain.lower()) in records:
            return [place for place in found if _is_no_word_for_records(text, place, records)]
        return found or (_of_people(text, plain) if is_match or len(plain) >= 5 else [])
    if len(plain) < 2 and not is_match:
        return []
    meant = _MEANT_JA if plain in records or plain in GENERIC_JA else ""
    return [match.span() for match in re.finditer(rf"{re.escape(plain)}(?={meant})", text, re.IGNORECASE)]


def _is_no_word_for_records(text: str, place: Place, records: frozenset[str]) -> bool:
    """Whether a value that is also a word for records is meant as a value: `Data events`, not `data on events`."""
    behind = re.match(r"[\s-]+([A-Za-z]+)", text[place[1] :])
    followed = bool(behind and stem(behind[1].lower()) in records)
    written = text[place[0]].isupper() and bool(text[: place[0]].strip())
    before = text[: place[0]].lower()
    about = re.search(r"\b(?:about|theme|topic|category)\s+$|=\s*$", before)
    on = re.search(r"([a-z]+)\s+on\s+$", before)
    return followed or written or bool(about) or bool(on and stem(on[1]) in records)


def _of_people(text: str, value: str) -> list[Place]:
    """Where the word for what belongs to a place stands: `Indian` for India, `Japanese` for Japan."""
    if not value.isalpha() or len(value) < 4:
        return []
    root = re.escape(value[:-1] if value[-1] in "aey" else value)
    return [
        match.span()
        for match in re.finditer(rf"\b{root}\w{{1,4}}\b", text, re.IGNORECASE)
        if _OF_PEOPLE.search(match[0][len(value) - 1 :]) and match[0][:1].isupper()
    ]


def _is_beside(text: str, field: DataField, place: Place) -> bool:
    """Whether the field is named right before a value, or right behind: `country = India`, `the AI theme`."""
    before, behind = text[max(0, place[0] - 30) : place[0]].lower(), text[place[1] : place[1] + 24].lower()
    for word in {field.name.lower(), *words_of_name(field.name)}:
        name = rf"{re.escape(word)}{'[a-z]{0,3}' if word.isascii() else ''}"
        if re.search(rf"(?:^|[^a-z]){name}{_IS}$", before) or re.match(rf"[」\"']?\s*{name}(?![a-z別ごと])", behind):
            return True
    return False


def _is_a_word_of_asking(value: str, text: str, place: Place) -> bool:
    """Whether a value is such a common word that only its very case makes it one: `IT`, `Other`."""
    return value.lower() in ENGLISH_STOP_WORDS | ASKING_WORDS and text[place[0] : place[1]] != value
