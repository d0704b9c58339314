"""What a model is shown of a dataset: fields, tools and counts, the most telling first, nothing cut within a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fathom.data.fields import DataField, DatasetDescription, DataTool
from fathom.data.profile import types_of
from fathom.data.snapshots import cells_of, columns_of, one_line
from fathom.data.turns import AggregationResult
from fathom.reasoners.language_model.tasks.words import fitting, line, shown_tokens
from fathom.text.analysis import terms

TAG_TOKENS = 16
"""Of a tag with the names of its attributes."""
NAME_LENGTH = 80
VALUE_LENGTH = 60
TEXT_LENGTH = 200
"""Characters of a name, of a value, and of what a tool or a field says of itself."""
VALUES = 8
"""Values of a field that are shown besides those that the question names."""
NAMED = 12
"""Values of a field that the question names."""
ARGUMENTS = 16
"""Arguments of a tool."""
ROWS = 15
"""Rows of a table of counts."""
ROW_LENGTH = 600
TABLES = 4
"""Tables of counts, the latest."""


@dataclass
class Room:
    """Tokens that are left for a prompt."""

    total: int
    left: int

    @classmethod
    def of(cls, tokens: int) -> Room:
        """Room of which nothing is taken yet."""
        return cls(tokens, tokens)

    def share(self, part: float) -> int:
        """Tokens that may be taken of a part of all of it."""
        return max(0, min(self.left, round(self.total * part)))

    def take(self, texts: Sequence[str], part: float) -> list[str]:
        """The first texts that fit into a part of all of it."""
        kept = fitting(texts, self.share(part))
        self.left -= sum(map(shown_tokens, kept))
        return kept


# ── Fields ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def shown_fields(dataset: DatasetDescription, question: str, room: Room, part: float) -> list[dict[str, Any]]:
    """The fields that matter most to the question: at least their names and types, and values as there is room."""
    shown = [_field(field) for field in _by_weight(dataset, question)]
    most = room.share(part)
    kept: list[dict[str, Any]] = []
    for entry in shown:
        for cut in (entry, {**entry, "says": ""}, {**entry, "says": "", "examples": ""}):
            if (taken := _tokens(cut)) <= most:
                kept.append(cut)
                most -= taken
                room.left -= taken
                break
        else:
            break
    return kept


def _by_weight(dataset: DatasetDescription, question: str) -> list[DataField]:
    """Fields whose values the question names, those that it names itself, those that play a part, and the rest."""
    asked = set(terms(question))
    mapping = dataset.mapping
    parts = {mapping.id, mapping.title, mapping.date, mapping.url, *mapping.text, *mapping.category}

    def weight(field: DataField) -> tuple[bool, bool, bool, bool]:
        words = set(terms(field.name.replace("_", " ").replace(".", " ")))
        counted = field.type in ("category", "number", "date", "boolean")
        return not field.matches, not words & asked, field.name not in parts, not counted

    return sorted(dataset.fields, key=weight)


def _field(field: DataField) -> dict[str, Any]:
    named = [line(one_line(value), VALUE_LENGTH) for value in field.matches[:NAMED]]
    values = [line(one_line(value), VALUE_LENGTH) for value in field.values if value not in field.matches][:VALUES]
    more = field.distinct is not None and field.distinct > len(values) + len(named) and bool(values)
    bounds = [field.minimum, field.maximum]
    return {
        "name": line(field.name, NAME_LENGTH),
        "type": field.type,
        "distinct": "" if field.distinct is None else str(field.distinct),
        "missing": str(field.missing) if field.missing else "",
        "range": " to ".join(line(str(bound), 40) for bound in bounds) if None not in bounds else "",
        "named": " | ".join(named),
        "examples": " | ".join([*values, "…"] if more else values),
        "says": line(field.description, TEXT_LENGTH).rstrip(" .:。："),
    }


def _tokens(entry: Mapping[str, Any]) -> int:
    return TAG_TOKENS + sum(shown_tokens(str(text)) for text in entry.values() if text)


# ── Tools ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def shown_tools(tools: Mapping[int, DataTool], room: Room, part: float) -> list[dict[str, Any]]:
    """Every tool by its number; what it says of itself and its arguments as there is room."""
    most = room.share(part)
    shown: list[dict[str, Any]] = []
    for number, tool in tools.items():
        profile = tool.profile
        can = [
            word
            for word, is_able in (
                ("counts", profile.aggregates),
                ("pages", profile.pages),
                ("searches", bool(profile.text)),
            )
            if is_able
        ]
        entry = {"number": number, "name": line(tool.name, NAME_LENGTH), "can": ", ".join(can), "says": ""}
        most -= _tokens(entry)
        lines = [line(tool.description, TEXT_LENGTH), *_arguments(tool)]
        told = fitting([text for text in lines if text], max(0, most // max(1, len(tools) - len(shown))))
        most -= sum(map(shown_tokens, told))
        room.left -= _tokens(entry) + sum(map(shown_tokens, told))
        shown.append({**entry, "lines": told})
    return shown


def _arguments(tool: DataTool) -> list[str]:
    """Each argument as a line: its name, its type, whether it must be given, and what it says of itself."""
    properties = tool.input_schema.get("properties")
    required = tool.input_schema.get("required")
    needed = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    if not isinstance(properties, dict):
        return []
    names = sorted(properties, key=lambda name: name not in needed)[:ARGUMENTS]
    found = []
    for name in names:
        schema = properties[name] if isinstance(properties[name], dict) else {}
        says = schema.get("description")
        must = ", must be given" if name in needed else ""
        kinds = " or ".join(line(kind, 20) for kind in types_of(schema)) or "anything"
        told = f": {line(says, 120)}" if isinstance(says, str) and says.strip() else ""
        found.append(f"- {line(str(name), NAME_LENGTH)} ({kinds}{must}){told}")
    return found


# ── Counts ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def shown_results(results: Sequence[AggregationResult], room: Room, part: float) -> list[dict[str, Any]]:
    """The latest counts as short tables, in the order in which they were made."""
    most = room.share(part)
    shown: list[dict[str, Any]] = []
    for result in reversed(results[-TABLES:]):
        entry = _table(result, most)
        taken = TAG_TOKENS + sum(map(shown_tokens, (entry["asked"], entry["head"], *entry["rows"])))
        if taken > most:
            break
        most -= taken
        room.left -= taken
        shown.insert(0, entry)
    return shown


def _table(result: AggregationResult, room: int) -> dict[str, Any]:
    """A table with as many of its rows as fit: of a histogram the last ones, else the first ones."""
    aggregation = result.aggregation
    asked = line(result.request.model_dump_json(exclude_defaults=True), ROW_LENGTH)
    head = line(" | ".join(columns_of(aggregation)), ROW_LENGTH)
    rows = [" | ".join(cells_of(aggregation, bucket)) for bucket in aggregation.buckets]
    is_late = aggregation.type == "date_histogram"
    ordered = rows[::-1] if is_late else rows
    room -= TAG_TOKENS + shown_tokens(asked) + shown_tokens(head)
    kept = fitting([line(row, ROW_LENGTH) for row in ordered[:ROWS]], room)
    return {
        "tool": line(result.tool, NAME_LENGTH),
        "matched": "" if result.matched is None else str(result.matched),
        "asked": asked,
        "head": head,
        "rows": kept[::-1] if is_late else kept,
        "left_out": max(len(rows), aggregation.distinct or 0) - len(kept),
    }
