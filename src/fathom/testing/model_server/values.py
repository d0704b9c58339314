"""A value for any JSON schema, made of the words of a prompt."""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Sequence
from typing import Any

from jsonschema import Draft202012Validator

from fathom.testing.model_server.words import Words

_DEEP = 4
"""Levels of nesting behind which nothing is added that the schema does not demand."""
_PHRASE = re.compile(r"quer|title|name|topic|keyword|heading|tag|label|categor|term|entit|subject|role|agent")
_NO = re.compile(r"need|clarif|missing|more|continue|follow|gap|retry|error|fail|revis|again|unclear|require|ambig")
_FORMATS = {
    "email": "reader@example.org",
    "idn-email": "reader@example.org",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "time": "12:00:00Z",
    "duration": "P1D",
    "hostname": "example.org",
    "idn-hostname": "example.org",
    "ipv4": "127.0.0.1",
    "ipv6": "::1",
    "json-pointer": "/a",
    "relative-json-pointer": "0",
    "regex": "a+",
    "uri-reference": "/a",
    "iri-reference": "/a",
    "uri-template": "/{a}",
}


class Values:
    """Writes values that a schema accepts. The same prompt gives the same value."""

    def __init__(self, root: dict[str, Any], words: Words, *, turn: int = 0, sparing: bool = False) -> None:
        """`turn` is where in the words to begin; `sparing` leaves out what is optional and has a default."""
        self._root = root
        self._words = words
        self._turn = turn
        self._sparing = sparing
        self._taken = 0

    def make(self) -> Any:
        """A value of the whole schema."""
        return self._value(self._root, "", 0)

    def _value(self, schema: Any, name: str, depth: int) -> Any:
        if not isinstance(schema, dict):
            return self._sentence()
        schema = self._whole(schema)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return next((value for value in schema["enum"] if self._fits(value, schema)), schema["enum"][0])
        for key in ("anyOf", "oneOf"):
            if schema.get(key):
                return self._one_of(schema, key, name, depth)
        match self._type(schema):
            case "object":
                return self._object(schema, depth)
            case "array":
                return self._array(schema, name, depth)
            case "integer" | "number" as kind:
                return _number(schema, whole=kind == "integer")
            case "boolean":
                return not _NO.search(name.lower())
            case "null":
                return None
            case _:
                return self._string(schema, name)

    def _whole(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The schema with its references and `allOf` put in."""
        for _ in range(20):
            if isinstance(reference := schema.get("$ref"), str):
                rest = {key: value for key, value in schema.items() if key != "$ref"}
                schema = _merged(self._at(reference), rest)
            elif schema.get("allOf"):
                rest = {key: value for key, value in schema.items() if key != "allOf"}
                for part in schema["allOf"]:
                    rest = _merged(rest, part)
                schema = rest
            else:
                break
        return schema

    def _at(self, reference: str) -> dict[str, Any]:
        place: Any = self._root
        for part in reference.removeprefix("#").split("/"):
            if part:
                place = place[part.replace("~1", "/").replace("~0", "~")]
        return place if isinstance(place, dict) else {}

    def _one_of(self, schema: dict[str, Any], key: str, name: str, depth: int) -> Any:
        """A value of the first alternative that says something; behind `_DEEP` levels, `null` if it may be."""
        rest = {other: value for other, value in schema.items() if other != key}
        options = sorted(schema[key], key=lambda option: (option.get("type") == "null") is (depth <= _DEEP))
        for option in options:
            value = self._value(_merged(rest, option), name, depth)
            if self._fits(value, schema):
                return value
        return self._value(_merged(rest, options[0]), name, depth)

    def _fits(self, value: Any, schema: dict[str, Any]) -> bool:
        definitions = {key: self._root[key] for key in ("$defs", "definitions") if key in self._root}
        return Draft202012Validator(schema | definitions).is_valid(value)

    def _type(self, schema: dict[str, Any]) -> str:
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = next((each for each in kind if each != "null"), "null")
        if kind:
            return str(kind)
        if schema.keys() & {"properties", "required", "additionalProperties", "minProperties"}:
            return "object"
        if schema.keys() & {"items", "prefixItems", "minItems", "maxItems"}:
            return "array"
        return "number" if schema.keys() & {"minimum", "maximum", "multipleOf"} else "string"

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        required = schema.get("required") or []
        value: dict[str, Any] = {}
        for name, inner in (schema.get("properties") or {}).items():
            optional = name not in required
            if optional and (depth >= _DEEP or inner is False or (self._sparing and _has_default(inner))):
                continue
            value[name] = self._value(inner, name, depth + 1)
        more = schema.get("additionalProperties", True)
        wanted = [name for name in required if name not in value]
        while len(value) + len(wanted) < schema.get("minProperties", 0):
            wanted.append(f"item_{len(value) + len(wanted)}")
        for name in wanted:
            value[name] = self._value(more if isinstance(more, dict) else {}, name, depth + 1)
        limit = schema.get("maxProperties", len(value))
        for name in [name for name in reversed(value) if name not in required][: max(0, len(value) - limit)]:
            del value[name]
        return value

    def _array(self, schema: dict[str, Any], name: str, depth: int) -> list[Any]:
        first = schema.get("prefixItems") or []
        least = schema.get("minItems", 0)
        count = max(least, len(first), 0 if depth > _DEEP or schema.get("items") is False else 1)
        count = min(count, schema.get("maxItems", count))
        value: list[Any] = []
        for index in range(count):
            inner = first[index] if index < len(first) else schema.get("items", {})
            item = self._value(inner, name, depth + 1)
            if schema.get("uniqueItems") and _among(item, value):
                other = self._another(inner, value)
                if other is None:
                    break
                item = other[0]
            value.append(item)
        return value

    def _another(self, schema: Any, taken: Sequence[Any]) -> tuple[Any] | None:
        """A value of the schema that is not taken yet."""
        whole = self._whole(schema) if isinstance(schema, dict) else {}
        step = whole.get("multipleOf", 1)
        numbers = [item for item in taken if isinstance(item, int | float) and not isinstance(item, bool)]
        strings = [item for item in taken if isinstance(item, str)]
        candidates = [
            *whole.get("enum", []),
            *([max(numbers) + step, min(numbers) - step] if numbers else []),
            *(string[: whole.get("maxLength", 400) - 2] + f" {len(taken)}" for string in strings[:1]),
            *(chr(97 + index % 26) * max(1, whole.get("minLength", 1)) for index in range(len(taken) + 1)),
            True,
            False,
            None,
            {},
            [],
        ]
        return next(((each,) for each in candidates if not _among(each, taken) and self._fits(each, whole)), None)

    def _string(self, schema: dict[str, Any], name: str) -> str:
        least: int = schema.get("minLength", 0)
        most: float = schema.get("maxLength", math.inf)
        if pattern := schema.get("pattern"):
            held = [*self._words.keywords, *self._words.dates, *self._words.urls, self._sentence()]
            plain = [*"1aA", "S1", "F1", "a1", "ab", "AB", "a-b", "task_1", "2024", "12", "1.0", "#1", "001", "a@b.co"]
            for text in [*held, *plain]:
                if re.search(pattern, text) and least <= len(text) <= most:
                    return text
        match schema.get("format"):
            case "uri" | "url" | "iri":
                return self._of(self._words.urls, "https://example.org/")
            case "date":
                return self._of(self._words.dates, "2024-01-01")
            case "date-time":
                return self._of(self._words.dates, "2024-01-01") + "T12:00:00Z"
            case str(kind) if kind in _FORMATS:
                return _FORMATS[kind]
        lower = name.lower()
        if re.search(r"url|link|href", lower):
            text = self._of(self._words.urls, "https://example.org/")
        elif re.search(r"^date|_date|date_", lower) and self._words.dates:
            text = self._of(self._words.dates, "")
        elif _PHRASE.search(lower):
            text = self._words.query(self._next())
        else:
            text = self._sentence()
        if len(text) > most:
            cut = text[: int(most)]
            text = cut.rpartition(" ")[0] if " " in cut and len(cut.rpartition(" ")[0]) >= least else cut
        return text if len(text) >= least else text + "." * (least - len(text))

    def _next(self) -> int:
        self._taken += 1
        return self._turn + self._taken - 1

    def _sentence(self) -> str:
        return self._of(self._words.sentences, "")

    def _of(self, texts: list[str], otherwise: str) -> str:
        return texts[self._next() % len(texts)] if texts else otherwise


def schema_of(example: Any) -> dict[str, Any]:
    """The schema of which a value is an example.

    >>> schema_of({"queries": ["a", "b"]})["properties"]["queries"]["minItems"]
    2
    """
    match example:
        case dict():
            properties = {name: schema_of(value) for name, value in example.items()}
            return {"type": "object", "properties": properties, "required": list(properties)}
        case list():
            count = min(len(example), 3)
            return {"type": "array", "items": schema_of(example[0]) if example else {}, "minItems": count}
        case bool():
            return {"type": "boolean"}
        case int():
            return {"type": "integer"}
        case float():
            return {"type": "number"}
        case None:
            return {"type": "null"}
        case _:
            return {"type": "string"}


def _number(schema: dict[str, Any], *, whole: bool) -> Any:
    """The smallest number within bounds that is not below 1, if there is one."""
    low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    above, below = schema.get("exclusiveMinimum", -math.inf), schema.get("exclusiveMaximum", math.inf)
    step: Any = schema.get("multipleOf") or (1 if whole else None)
    if whole and step != int(step):
        step = 1 if (1 / step).is_integer() else step
    if step:
        bottom = math.ceil(max(low, above) / step) if max(low, above) > -math.inf else -math.inf
        bottom += bottom * step <= above
        top = math.floor(min(high, below) / step) if min(high, below) < math.inf else math.inf
        top -= top * step >= below
        found = min(max(1, bottom), top) * step
        return int(found) if whole or float(found).is_integer() else found
    if low <= 1 <= high and above < 1 < below:
        return 1
    if max(low, above) > -math.inf and min(high, below) < math.inf:
        return low if low > above and low < below else (max(low, above) + min(high, below)) / 2
    if max(low, above) > -math.inf:
        return low if low > above else above + 1
    return high if high < below else below - 1


def _merged(one: dict[str, Any], other: Any) -> dict[str, Any]:
    """Both schemas at once, as far as they can be put together."""
    if not isinstance(other, dict):
        return one
    merged = copy.copy(one)
    for key, value in other.items():
        held = merged.get(key)
        if key == "properties" and isinstance(held, dict):
            merged[key] = {**held, **value}
        elif key in {"required", "allOf"} and isinstance(held, list):
            merged[key] = [*held, *(each for each in value if each not in held)]
        elif key in {"minimum", "minLength", "minItems", "exclusiveMinimum", "minProperties"} and held is not None:
            merged[key] = max(held, value)
        elif key in {"maximum", "maxLength", "maxItems", "exclusiveMaximum", "maxProperties"} and held is not None:
            merged[key] = min(held, value)
        else:
            merged[key] = value
    return merged


def _among(value: Any, taken: Sequence[Any]) -> bool:
    """Whether an equal value is there; to JSON, `True` is not 1."""
    return any(value == each and isinstance(value, bool) is isinstance(each, bool) for each in taken)


def _has_default(schema: Any) -> bool:
    return isinstance(schema, dict) and "default" in schema
