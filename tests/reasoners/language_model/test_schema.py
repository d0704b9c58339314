"""The schema that a model is given."""

from __future__ import annotations

from typing import Any, Literal

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ConfigDict, Field

from fathom.reasoners.language_model.schema import schema_of
from fathom.reasoners.language_model.task import Wire
from fathom.reasoners.language_model.tasks import TASKS

_STRICT = {"title", "type", "description", "properties", "required", "additionalProperties", "items", "enum", "anyOf"}


class Part(Wire):
    """A part, which says so."""

    kind: Literal["long", "short"]
    """How it
    reads."""
    share: float | None = Field(default=None, ge=0, le=1)


class Whole(Wire):
    """All of it."""

    model_config = ConfigDict(title="Divide")

    parts: list[Part] = Field(min_length=1, max_length=9)
    """In order."""
    first: Part
    sure: Literal["yes"] = "yes"


def test_a_schema_is_closed_requires_all_and_says_no_more_than_it_must() -> None:
    part = {
        "properties": {
            "kind": {"description": "How it reads.", "enum": ["long", "short"], "type": "string"},
            "share": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        },
        "required": ["kind", "share"],
        "additionalProperties": False,
        "type": "object",
    }

    assert schema_of(Whole).name == "Divide"
    assert schema_of(Whole).body == {
        "title": "Divide",
        "properties": {
            "parts": {"description": "In order.", "items": part, "type": "array"},
            "first": part,
            "sure": {"enum": ["yes"], "type": "string"},
        },
        "required": ["parts", "first", "sure"],
        "additionalProperties": False,
        "type": "object",
    }


def test_a_schema_is_told_in_few_words_and_enforced_without_any() -> None:
    assert schema_of(Whole).notation == (
        "{\n"
        " parts: [{ // In order.\n"
        '  kind: "long" | "short" // How it reads.\n'
        "  share: number | null\n"
        " }]\n"
        ' first: {\n  kind: "long" | "short" // How it reads.\n  share: number | null\n }\n'
        ' sure: "yes"\n'
        "}"
    )
    assert "How it" not in str(schema_of(Whole).bare)
    assert schema_of(Whole).bare["properties"].keys() == schema_of(Whole).body["properties"].keys()


@given(st.floats(0, 1) | st.none(), st.sampled_from(["long", "short"]))
def test_what_the_class_writes_fits_the_schema(share: float | None, kind: Literal["long", "short"]) -> None:
    part = Part(kind=kind, share=share)

    jsonschema.validate(Whole(parts=[part], first=part).model_dump(mode="json"), schema_of(Whole).body)


def test_a_field_that_no_strict_mode_takes_is_a_mistake_of_ours() -> None:
    class Table(Wire):
        rows: dict[str, int]

    with pytest.raises(TypeError, match="use a list of objects"):
        schema_of(Table)


@pytest.mark.parametrize("ask", TASKS, ids=lambda ask: ask.__name__)
def test_every_answer_of_ours_is_asked_for_in_strict_words(ask: type) -> None:
    module = __import__(type(TASKS[ask]).__module__, fromlist=["*"])
    wires = [each for each in vars(module).values() if isinstance(each, type) and issubclass(each, Wire)]
    for wire in wires:
        assert _keywords(schema_of(wire).body) <= _STRICT


def _keywords(node: Any) -> set[str]:
    """The keywords of a schema, names of fields left out."""
    if isinstance(node, list):
        return {word for each in node for word in _keywords(each)}
    if not isinstance(node, dict):
        return set()
    words = set(node)
    for key, value in node.items():
        words |= set().union(*map(_keywords, value.values())) if key == "properties" else _keywords(value)
    return words
