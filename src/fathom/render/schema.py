"""A JSON Schema in words: what type a field has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def type_of(field: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """A field's type in the words of JSON; an object has the name of its definition.

    >>> type_of({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}, {})
    'array of string or null'
    """
    match field:
        case {"$ref": str(ref)}:
            name = ref.rsplit("/", 1)[1]
            target = definitions.get(name, {})
            return type_of(target, definitions) if "enum" in target or "oneOf" in target else name
        case {"anyOf": list(choices)} | {"oneOf": list(choices)}:
            kinds = [type_of(choice, definitions) for choice in choices]
            return " or ".join(kinds) if len(kinds) < 4 else "one of those below"
        case {"enum": list(choices)}:
            return ", ".join(f"`{choice}`" for choice in choices)
        case {"const": choice}:
            return f"`{choice}`"
        case {"type": "array", "prefixItems": list(items)}:
            return f"{len(items)} × {type_of(items[0], definitions)}"
        case {"type": "array", "items": dict(item)}:
            return f"array of {type_of(item, definitions)}"
        case {"type": "object", "additionalProperties": dict(item)}:
            return f"object of {type_of(item, definitions)}"
        case {"type": str(name)}:
            return name
        case _:
            return "any"
