"""What our own server says of its data, checked like the word of any other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from fathom.data.fields import DataField, DatasetDescription, FieldMapping, FieldType
from fathom.data.mapping import corrected
from fathom.data.servers import DataSource
from fathom.tools.cleaning import MOST_DESCRIPTION, MOST_FIELDS, clean_line, clean_text, scalar
from fathom.tools.counts import count
from fathom.tools.describing import ServerProfile
from fathom.tools.records import objects, records_of

_MOST_VALUES = 20
_MOST_TERMS = 1_000
_MOST_TABLES = 200
_MOST_SAMPLES = 5


def description_of(
    value: Mapping[str, Any], found: ServerProfile, source: DataSource, *, address: str
) -> DatasetDescription:
    """The description that a result of `describe` holds.

    Raises:
        ConfigurationError: the mapping of the source names a field that is not there.
    """
    fields = tuple(field for row in objects(value.get("fields"))[:MOST_FIELDS] if (field := _field(row)) is not None)
    names = {field.name for field in fields}
    mapping = _mapping(value.get("mapping"), names)
    tables = _texts(value.get("tables"), _MOST_TABLES)
    for given in _corrections(source, tables, names):
        mapping = corrected(mapping, given, fields)
    return DatasetDescription(
        name=source.name,
        address=address,
        title=_line(value.get("title")) or source.name,
        tools=found.tools,
        refused=found.refused,
        fields=fields,
        tables=tables,
        mapping=mapping,
        total=count(value.get("total", value.get("total_records"))),
        samples=tuple(records_of(_samples(value.get("samples")), id_field=mapping.id or _line(value.get("id_field")))),
        terms=_terms(value.get("terms")),
        revision=_line(value.get("revision")),
    )


def _corrections(source: DataSource, tables: tuple[str, ...], names: set[str]) -> list[FieldMapping]:
    """What the user says of the table that is described.

    What is said of the source as a whole may mean another one of several tables: by its name, or by its fields.
    """
    whole = source.mapping.get(source.name)
    if whole is not None and len(tables) > 1 and source.name != tables[0]:
        parts = (getattr(whole, part) for part in ("id", "title", "date", "url"))
        named = {name for name in (*parts, *whole.text, *whole.category) if name}
        whole = whole if named <= names and source.name not in tables else None
    found = (whole, source.mapping.get(tables[0]) if tables else None)
    return [each for each in found if each is not None]


def _field(row: Mapping[Any, Any]) -> DataField | None:
    name = _line(row.get("name"))
    kind = row.get("type")
    if not name:
        return None
    return DataField(
        name=name,
        type=kind if kind in get_args(FieldType) else "other",
        description=clean_text(str(row.get("description") or ""), most=MOST_DESCRIPTION),
        distinct=count(row.get("distinct")),
        missing=count(row.get("missing")),
        minimum=scalar(row.get("minimum")),
        maximum=scalar(row.get("maximum")),
        values=_texts(row.get("values"), _MOST_VALUES),
        matches=_texts(row.get("matches"), _MOST_VALUES),
    )


def _mapping(value: Any, names: set[str]) -> FieldMapping:
    """The mapping, without fields that there are not."""
    given = value if isinstance(value, Mapping) else {}
    found: dict[str, Any] = {}
    for part in ("id", "title", "date", "url"):
        name = _line(given.get(part))
        found[part] = name if name in names else None
    for part in ("text", "category"):
        found[part] = tuple(name for name in _texts(given.get(part), MOST_FIELDS) if name in names)
    return FieldMapping(**found)


def _samples(value: Any) -> list[Mapping[Any, Any]]:
    return [
        row["fields"] if set(row) == {"id", "fields"} and isinstance(row["fields"], Mapping) else row
        for row in objects(value)[:_MOST_SAMPLES]
    ]


def _terms(value: Any) -> dict[str, int]:
    pairs = list(value.items())[:_MOST_TERMS] if isinstance(value, Mapping) else []
    return {clean_line(str(term)): number for term, held in pairs if (number := count(held))}


def _texts(value: Any, most: int) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else []
    return tuple(clean_line(each) for each in listed[:most] if isinstance(each, str) and each.strip())


def _line(value: Any) -> str:
    return clean_line(value) if isinstance(value, str) else ""
