"""Any JSON schema gets a value that it accepts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field, HttpUrl

from fathom_testing.model_server.shapes import schema_of
from fathom_testing.model_server.talk import Message, Request
from fathom_testing.model_server.values import Values
from fathom_testing.model_server.words import Words

WORDS = Words(
    Request(
        "test",
        (
            Message("system", "You write JSON. Today is 2026-03-01."),
            Message("user", "How deep is the sea? The sea is 3,688 metres deep, says https://sea.example/depth."),
        ),
    )
)
NAMES = st.sampled_from(["query", "is_sufficient", "need_clarification", "url", "claim", "published_date", "count"])


def made(schema: dict[str, Any]) -> Any:
    return Values(schema, WORDS).make()


def strings() -> st.SearchStrategy[dict[str, Any]]:
    lengths: st.SearchStrategy[dict[str, Any]] = st.tuples(st.integers(0, 80), st.integers(0, 200)).map(
        lambda pair: {"minLength": pair[0], "maxLength": pair[0] + pair[1]}
    )
    formats: st.SearchStrategy[dict[str, Any]] = st.sampled_from(["uri", "date", "date-time", "email", "uuid"]).map(
        lambda name: {"format": name}
    )
    patterns: st.SearchStrategy[dict[str, Any]] = st.sampled_from([r"^\d+$", r"^[a-z_]+$", r"^S\d+$", "."]).map(
        lambda pattern: {"pattern": pattern}
    )
    choices: st.SearchStrategy[dict[str, Any]] = st.lists(st.text(), min_size=1, max_size=3).map(
        lambda values: {"enum": values}
    )
    more: st.SearchStrategy[dict[str, Any]] = st.one_of(st.just({}), lengths, formats, patterns, choices)
    return more.map(lambda rest: {"type": "string", **rest})


def numbers() -> st.SearchStrategy[dict[str, Any]]:
    bounds = st.tuples(st.integers(-1000, 1000), st.integers(2, 50))
    ranges = st.one_of(
        st.just({}),
        bounds.map(lambda pair: {"minimum": pair[0]}),
        bounds.map(lambda pair: {"maximum": pair[0]}),
        bounds.map(lambda pair: {"minimum": pair[0], "maximum": pair[0] + pair[1]}),
        bounds.map(lambda pair: {"exclusiveMinimum": pair[0], "exclusiveMaximum": pair[0] + pair[1]}),
        bounds.map(lambda pair: {"exclusiveMinimum": pair[0]}),
        bounds.map(lambda pair: {"exclusiveMaximum": pair[0]}),
        bounds.map(lambda pair: {"minimum": pair[0], "maximum": pair[0] + pair[1], "multipleOf": pair[1]}),
    )
    kinds = st.sampled_from(["integer", "number"])
    return st.tuples(kinds, ranges).map(lambda pair: {"type": pair[0], **pair[1]})


def arrays(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    plain = st.tuples(inner, st.integers(0, 4), st.integers(0, 3)).map(
        lambda three: {
            "type": "array",
            "items": three[0],
            "minItems": three[1],
            "maxItems": three[1] + three[2],
        }
    )
    unique = st.integers(0, 5).map(
        lambda count: {"type": "array", "items": {"type": "string"}, "minItems": count, "uniqueItems": True}
    )
    tuples = st.lists(inner, min_size=1, max_size=3).map(
        lambda schemas: {"type": "array", "prefixItems": schemas, "items": False, "minItems": len(schemas)}
    )
    return st.one_of(plain, unique, tuples)


def objects(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    def built(properties: dict[str, Any], skipped: int, closed: bool) -> dict[str, Any]:
        required = list(properties)[skipped:]
        return {
            "type": "object",
            "properties": properties,
            "required": required,
            **({"additionalProperties": False} if closed else {}),
        }

    return st.builds(built, st.dictionaries(NAMES, inner, max_size=4), st.integers(0, 3), st.booleans())


def alternatives(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    any_of = st.lists(inner, min_size=1, max_size=3).map(lambda schemas: {"anyOf": schemas})
    nullable = inner.map(lambda schema: {"anyOf": [{"type": "null"}, schema]})
    both = st.tuples(objects(inner), objects(inner)).map(
        lambda pair: {"allOf": [each | {"additionalProperties": True} for each in _apart(*pair)]}
    )
    return st.one_of(any_of, nullable, both, inner.map(lambda schema: {"allOf": [schema]}))


def _apart(one: dict[str, Any], other: dict[str, Any]) -> list[dict[str, Any]]:
    """Two objects without a property in common, so that both can hold."""
    own = {name: schema for name, schema in other["properties"].items() if name not in one["properties"]}
    return [one, other | {"properties": own, "required": [name for name in other["required"] if name in own]}]


LEAVES = st.one_of(
    strings(),
    numbers(),
    st.sampled_from(
        [
            {"type": "boolean"},
            {"type": "null"},
            {"const": 5},
            {"const": "x"},
            {},
            {"type": ["string", "null"]},
            {"$ref": "#/$defs/Node"},
        ]
    ),
)
SCHEMAS = st.recursive(
    LEAVES, lambda inner: st.one_of(arrays(inner), objects(inner), alternatives(inner)), max_leaves=12
)
NODE = {
    "type": "object",
    "title": "Node",
    "properties": {
        "name": {"type": "string"},
        "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
        "parent": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
    },
    "required": ["name", "children", "parent"],
}


@given(SCHEMAS)
def test_a_value_is_what_its_schema_asks_for(schema: dict[str, Any]) -> None:
    schema = {**schema, "$defs": {"Node": NODE}}
    Draft202012Validator.check_schema(schema)

    Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(made(schema))


class Source(BaseModel):
    url: HttpUrl
    year: int = Field(ge=1990, le=2030)


class Notes(BaseModel):
    sources: list[Source] = Field(min_length=2)
    weight: float = Field(gt=0, lt=1)
    sufficient: bool
    needs_more: bool
    tags: set[str] = Field(min_length=3)
    pair: tuple[int, str]
    lookup: dict[str, int] = Field(min_length=1)


def test_a_pydantic_model_accepts_what_its_schema_gets() -> None:
    notes = Notes.model_validate(made(Notes.model_json_schema()))

    assert str(notes.sources[0].url) == "https://sea.example/depth"
    assert (notes.sufficient, notes.needs_more) == (True, False)


def test_the_same_prompt_gets_the_same_value() -> None:
    assert made(Notes.model_json_schema()) == made(Notes.model_json_schema())


def test_texts_are_made_of_the_words_of_the_prompt() -> None:
    value = made({"properties": {"query": {"type": "string"}, "claim": {"type": "string"}}})

    assert value["query"] == "How deep is the sea?"
    assert value["claim"].startswith("The sea is 3,688 metres deep")


@pytest.mark.parametrize("example", [["a", "b"], {"a": [{"b": 1, "c": 0.5}], "d": None, "e": True}, []])
def test_an_example_is_a_value_of_its_own_schema(example: Any) -> None:
    Draft202012Validator(schema_of(example)).validate(example)
    Draft202012Validator(schema_of(example)).validate(made(schema_of(example)))
