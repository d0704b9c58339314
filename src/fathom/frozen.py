"""What every model of Fathom is: a frozen value with a canonical form and a digest."""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from textwrap import dedent
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema


class Described:
    """A model whose fields are described by the docstrings under them, read once a schema is wanted.

    Pydantic would read the source of every class that is imported, which takes longer than making the class.
    """

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        made = handler(schema)
        properties = handler.resolve_ref_schema(made).get("properties", {})
        for name, told in descriptions(cls).items():  # type: ignore[arg-type]  # mypy: a class has no hash
            if name in properties:
                properties[name].setdefault("description", told)
        resolved = handler.resolve_ref_schema(made)
        late = {name for name, field in cls.model_fields.items() if field.exclude_if is not None}  # type: ignore[attr-defined]
        if late.intersection(resolved.get("required", ())):
            resolved["required"] = [name for name in resolved["required"] if name not in late]
        return made


@cache
def descriptions(model: type[Any]) -> Mapping[str, str]:
    """The docstrings under the fields of a model by field, those that it has inherited included."""
    written = [base for base in reversed(model.__mro__) if issubclass(base, Described) and "[" not in base.__name__]
    return {
        field.target.id: inspect.cleandoc(told.value.value)
        for base in written
        for field, told in pairwise(ast.parse(dedent(inspect.getsource(base))).body[0].body)  # type: ignore[attr-defined]
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(told, ast.Expr) and isinstance(told.value, ast.Constant) and isinstance(told.value.value, str)
    }


class FrozenModel(Described, BaseModel):
    """A frozen value. The docstring under a field is its description in every schema."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    @classmethod
    def like(cls, other: object, **more: Any) -> Self:
        """One with what `other` has under the names of its fields, and with `more`, which counts before that.

        >>> class Point(FrozenModel):
        ...     x: int
        ...     y: int
        >>> class Place(Point):
        ...     name: str
        >>> Point.like(Place(x=1, y=2, name="home"), y=3)
        Point(x=1, y=3)
        """
        same = {name: getattr(other, name) for name in cls.model_fields if name not in more and hasattr(other, name)}
        return cls(**same, **more)

    def digest(self) -> str:
        """SHA-256 of the canonical JSON: equal values have equal digests, in every process."""
        return json_digest(self.model_dump(mode="json"))


def json_digest(value: Any) -> str:
    """SHA-256 of the canonical form of JSON."""
    canonical = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def later(default: Any) -> Any:
    """A field that a noun got when there were stored runs without it.

    At its default it is no part of the canonical form: what was asked before keeps its digest, and so its answer.
    """
    return Field(default=default, exclude_if=lambda value: value == default)


def request_digest(*parts: str) -> str:
    """SHA-256 of the parts: what the journal finds an answer by."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
