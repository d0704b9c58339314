"""A value for any JSON schema, made of the words of a prompt."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from jsonschema import Draft202012Validator

from fathom_testing.model_server.shapes import merged, number
from fathom_testing.model_server.words import Words

_DEEP = 4
"""Levels of nesting behind which nothing is added that the schema does not demand."""
_PHRASE = re.compile(r"quer|title|name|topic|keyword|heading|tag|label|categor|term|entit|subject|role|agent")
_NO = re.compile(r"need|clarif|missing|more|continue|follow|gap|retry|error|fail|revis|again|unclear|require|ambig")
_SAMPLES = ("1", "a", "A", "S1", "F1", "a1", "ab", "AB", "a-b", "task_1", "2024", "12", "1.0", "#1", "001", "a@b.co")
"""Texts that the patterns of schemas usually allow, if the prompt has none."""
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
        self._taken: Counter[str] = Counter()

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
                return number(schema, whole=kind == "integer")
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
                schema = merged(self._at(reference), rest)
            elif schema.get("allOf"):
                rest = {key: value for key, value in schema.items() if key != "allOf"}
                for part in schema["allOf"]:
                    rest = merged(rest, part)
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
            value = self._value(merged(rest, option), name, depth)
            if self._fits(value, schema):
                return value
        return self._value(merged(rest, options[0]), name, depth)

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
            own = [*self._words.keywords, *self._words.dates, *self._words.urls, self._sentence()]
            texts: list[str] = [*own, *_SAMPLES]
            fitting = (text for text in texts if re.search(pattern, text) and least <= len(text) <= most)
            if text := next(fitting, ""):
                return text
        match schema.get("format"):
            case "uri" | "url" | "iri":
                return self._url()
            case "date":
                return self._date()
            case "date-time":
                return self._date() + "T12:00:00Z"
            case str(kind) if kind in _FORMATS:
                return _FORMATS[kind]
        lower = name.lower()
        if re.search(r"url|link|href", lower):
            text = self._url()
        elif re.search(r"^date|_date|date_", lower) and self._words.dates:
            text = self._date()
        elif _PHRASE.search(lower):
            text = self._words.query(self._next("queries"))
        else:
            text = self._sentence()
        if len(text) > most:
            cut = text[: int(most)]
            text = cut.rpartition(" ")[0] if " " in cut and len(cut.rpartition(" ")[0]) >= least else cut
        return text if len(text) >= least else text + "." * (least - len(text))

    def _next(self, kind: str) -> int:
        """Where the next text of a kind stands among all of them."""
        self._taken[kind] += 1
        return self._turn + self._taken[kind] - 1

    def _sentence(self) -> str:
        texts = self._words.sentences
        return texts[self._next("sentences") % len(texts)]

    def _url(self) -> str:
        texts = self._words.urls or ["https://example.org/"]
        return texts[self._next("urls") % len(texts)]

    def _date(self) -> str:
        texts = self._words.dates or ["2024-01-01"]
        return texts[self._next("dates") % len(texts)]


def _among(value: Any, taken: Sequence[Any]) -> bool:
    """Whether an equal value is there; to JSON, `True` is not 1."""
    return any(value == each and isinstance(value, bool) is isinstance(each, bool) for each in taken)


def _has_default(schema: Any) -> bool:
    return isinstance(schema, dict) and "default" in schema
