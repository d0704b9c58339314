"""Which field of a dataset plays which part: found by names, types and values, and corrected by a small TOML file."""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from fathom.data.fields import DataField, FieldMapping, FieldType, Role
from fathom.data.requests import Scalar
from fathom.data.results import Record
from fathom.errors import ConfigurationError
from fathom.languages.packs import packs
from fathom.registry import did_you_mean

Stored = Literal["text", "number", "date", "boolean"]
"""What the values of a field are made of."""

MOST_VALUES = 20
"""Values of a field that are named."""
CATEGORIES = 200
"""Different values up to which a field of short texts may be grouped by, however few its records are."""
SHORT = 60
"""Characters up to which a text is a word or two and not prose."""

_NAMES: dict[Role, tuple[str, ...]] = {
    role: tuple(name for each in packs() for name in each.words(f"columns.{role}"))
    for role in ("id", "title", "text", "date", "category", "url")
}
"""What fields are called, the surest name first."""
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_CODE = re.compile(r"[A-Za-z]{0,8}[-_]?\d{2,}|[0-9a-f]{8,}(?:-[0-9a-f]+)*", re.IGNORECASE)
_URL = re.compile(r"https?://\S+", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?)?")


# ── Types ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def type_of(
    name: str,
    stored: Stored,
    values: Sequence[str],
    *,
    distinct: int | None = None,
    present: int | None = None,
    missing: int | None = None,
) -> FieldType:
    """What the values of a field are.

    Args:
        name: Its name.
        stored: What they are made of.
        values: Some of them as texts.
        distinct: Different values of all records; `None` when only `values` are known, repeats included.
        present: Records that have a value.
        missing: Records that have none.
    """
    known = distinct is not None and present is not None
    count = distinct if distinct is not None else len(set(values))
    held = present if present is not None else len(values)
    unique = held > 0 and count == held and not missing
    if stored in ("date", "boolean"):
        return "date" if stored == "date" else "boolean"
    if unique and _place(name, "id") is not None and not any(" " in value for value in values):
        return "id"
    if stored == "number":
        return "number"
    if not values:
        return "other"
    if all(_URL.fullmatch(value) for value in values):
        return "url"
    if unique and held > 1 and all(_CODE.fullmatch(value) for value in values):
        return "id"
    if max(map(len, values)) > 4 * SHORT or sum(map(len, values)) / len(values) > SHORT:
        return "text"
    if _place(name, "text") is not None and (unique or not known):
        return "text"
    if known:
        return "category" if count <= max(2, held // 2) and (count <= CATEGORIES or count * 20 <= held) else "text"
    return "category" if count < held or _place(name, "category") is not None else "text"


def field_types(records: Iterable[Record]) -> tuple[DataField, ...]:
    """The fields that some records have, in the order in which they occur; what only all records tell is left open."""
    columns: dict[str, list[Scalar]] = {}
    for record in records:
        for name, value in record.fields.items():
            columns.setdefault(name, []).append(value)
    return tuple(
        _field(name, [value for value in values if value not in (None, "")]) for name, values in columns.items()
    )


def _field(name: str, present: Sequence[Scalar]) -> DataField:
    texts = [str(value) for value in present]
    stored = _stored(present)
    kind = type_of(name, stored, texts)
    numbers = [value for value in present if isinstance(value, int | float) and not isinstance(value, bool)]
    low, high = (min(numbers), max(numbers)) if numbers and stored == "number" else (None, None)
    dates = sorted(texts) if kind == "date" else []
    return DataField(
        name=name,
        type=kind,
        minimum=dates[0] if dates else low,
        maximum=dates[-1] if dates else high,
        values=tuple(each for each, _ in Counter(texts).most_common(MOST_VALUES)) if kind == "category" else (),
    )


def _stored(values: Sequence[Scalar]) -> Stored:
    if values and all(isinstance(value, bool) for value in values):
        return "boolean"
    if values and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return "number"
    if values and all(isinstance(value, str) and _DATE.fullmatch(value.strip()) for value in values):
        return "date"
    return "text"


# ── Parts ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def mapping_of(fields: Sequence[DataField], samples: Sequence[Record]) -> FieldMapping:
    """The mapping that names, types and values suggest; a part that nothing fits stays empty.

    >>> fields = [DataField(name="event_id", type="id"), DataField(name="start_date", type="date"),
    ...           DataField(name="テーマ", type="category", distinct=5)]
    >>> mapping = mapping_of(fields, [])
    >>> mapping.id, mapping.date, mapping.category
    ('event_id', 'start_date', ('テーマ',))
    """
    length = {field.name: _mean_length(field.name, samples) for field in fields}
    title = _title(fields, length)
    prose = [field for field in fields if field.type == "text" and field.name != title]
    prose.sort(key=lambda field: (_place(field.name, "text") is None, -length[field.name]))
    groups = [field for field in fields if _groups(field) and field.name != title]
    groups.sort(key=_telling)
    dates = [field for field in fields if field.type == "date"] or [field for field in fields if _is_year(field)]
    links = [field for field in fields if field.type == "url"]
    return FieldMapping(
        id=_id(fields, samples),
        title=title,
        text=tuple(
            field.name for field in prose if _place(field.name, "text") is not None or length[field.name] > SHORT
        )
        or tuple(field.name for field in prose[:1]),
        date=_best(dates, "date"),
        category=tuple(field.name for field in groups),
        url=_best(links, "url"),
    )


def _id(fields: Sequence[DataField], samples: Sequence[Record]) -> str | None:
    sure = [field for field in fields if field.type == "id"]
    open_ones = [
        field
        for field in fields
        if field.distinct is None and _place(field.name, "id") is not None and _is_unique(field.name, samples)
    ]
    return _best(sure or open_ones, "id")


def _is_unique(name: str, samples: Sequence[Record]) -> bool:
    values = [record.fields.get(name) for record in samples]
    return None not in values and len(set(values)) == len(values)


def _title(fields: Sequence[DataField], length: Mapping[str, float]) -> str | None:
    able = [field for field in fields if field.type in ("text", "category")]
    if named := [field for field in able if _place(field.name, "title") is not None]:
        return min(named, key=lambda field: (field.type != "text", _place(field.name, "title") or 0)).name
    short = [field for field in able if field.type == "text" and 0 < length[field.name] <= 2 * SHORT]
    unnamed = [field for field in short if _place(field.name, "text") is None]
    return max(unnamed, key=lambda field: field.distinct or 0).name if unnamed else None


def _groups(field: DataField) -> bool:
    return field.type in ("category", "boolean") and (field.distinct is None or field.distinct > 1)


def _telling(field: DataField) -> tuple[int, bool, int]:
    """Sorts what is named like a category before others, and what has a handful of values before what has many."""
    place = _place(field.name, "category")
    few = field.type == "boolean" or (field.distinct is not None and not 3 <= field.distinct <= 50)
    return (len(_NAMES["category"]) if place is None else place, few, field.missing or 0)


def _is_year(field: DataField) -> bool:
    low, high = field.minimum, field.maximum
    if field.type != "number" or not isinstance(low, int) or not isinstance(high, int):
        return False
    return 1_000 <= low <= high < 3_000 and bool({"year", "年", "年度"} & set(_words(field.name)))


def _best(fields: Sequence[DataField], role: Role) -> str | None:
    """The one whose name fits best; the first when no name fits."""
    if not fields:
        return None
    places = [_place(field.name, role) for field in fields]
    return min(zip(fields, places, strict=True), key=lambda each: 1_000 if each[1] is None else each[1])[0].name


def _place(name: str, role: Role) -> int | None:
    """How well a name fits a part, 0 best; `None` when it does not."""
    words = _words(name)
    for place, known in enumerate(_NAMES[role]):
        if known.isascii():
            if words and (words[-1] == known.lower() or (role != "id" and words[0] == known and known != "at")):
                return 2 * place + (len(words) > 1)
        elif words and any(word.endswith(known) for word in words):
            return 2 * place
    return None


def _words(name: str) -> list[str]:
    """The words of the last part of a name, in lower case: `user.createdAt` gives `created`, `at`."""
    last = unicodedata.normalize("NFKC", name).rpartition(".")[2]
    return [word.lower() for word in _WORDS.findall(last)]


def _mean_length(name: str, samples: Sequence[Record]) -> float:
    texts = [value for record in samples if isinstance(value := record.fields.get(name), str)]
    return sum(map(len, texts)) / len(texts) if texts else 0.0


# ── The file ───────────────────────────────────────────────────────────────────────────────────────────────────────


def read_mappings(path: Path) -> dict[str, FieldMapping]:
    """The corrections of a TOML file: a table for each dataset, or table of a dataset, by name.

    A part that is left out stays as it is found; `""` and `[]` say that no field plays it.

    Raises:
        ConfigurationError: the file cannot be read, or says something else.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigurationError(f"The mapping {path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The mapping {path} is no TOML: {error}.") from error
    return {name: _mapping(path, name, given) for name, given in content.items()}


def _mapping(path: Path, name: str, given: Any) -> FieldMapping:
    if not isinstance(given, Mapping):
        raise ConfigurationError(f"The mapping {path}: '{name}' is no table. Write [{name}], and the parts below it.")
    parts = list(FieldMapping.model_fields)
    for part in given:
        if part not in parts:
            raise ConfigurationError(
                f"The mapping {path}: [{name}] knows no part '{part}'.{did_you_mean(part, parts)} "
                f"Known: {', '.join(parts)}."
            )
    listed = {
        part: ([value] if isinstance(value, str) else value or [""]) if part in ("text", "category") else value
        for part, value in given.items()
    }
    try:
        return FieldMapping.model_validate(listed)
    except ValidationError as error:
        part = error.errors()[0]["loc"][0]
        raise ConfigurationError(
            f"The mapping {path}: {part} of [{name}] is the name of a field, in quotes."
        ) from error


def mapping_toml(name: str, mapping: FieldMapping) -> str:
    """The mapping as a table of the file; `read_mappings` reads it back.

    >>> print(mapping_toml("events", FieldMapping(id="id", text=("body",))), end="")
    [events]
    id = "id"
    title = ""
    text = ["body"]
    date = ""
    category = []
    url = ""
    """
    lines = [f"[{_quoted(name) if not re.fullmatch(r'[A-Za-z0-9_-]+', name) else name}]"]
    for part, value in mapping:
        listed = (
            f"[{', '.join(map(_quoted, filter(None, value)))}]" if isinstance(value, tuple) else _quoted(value or "")
        )
        lines.append(f"{part} = {listed}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def corrected(found: FieldMapping, given: FieldMapping | None, fields: Sequence[DataField]) -> FieldMapping:
    """What was found, with what the file says in its place.

    Raises:
        ConfigurationError: it names a field that the dataset does not have.
    """
    if given is None:
        return found
    names = [field.name for field in fields]
    changes: dict[str, Any] = {}
    for part, value in given:
        if not value:
            continue
        for name in value if isinstance(value, tuple) else (value,):
            if name and name not in names:
                shown = ", ".join(names[:MOST_VALUES]) or "none"
                raise ConfigurationError(
                    f"The mapping names '{name}' as {part}, and there is no such field.{did_you_mean(name, names)} "
                    f"Known: {shown}."
                )
        changes[part] = tuple(filter(None, value)) if isinstance(value, tuple) else value
    if given.id == "":
        changes["id"] = None
    for part in ("title", "date", "url"):
        if getattr(given, part) == "":
            changes[part] = None
    return found.model_copy(update=changes)
