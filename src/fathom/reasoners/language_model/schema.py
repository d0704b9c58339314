"""The JSON schema that a model is given: plain, closed, and short, for it is paid for on each call."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, NamedTuple

from fathom.reasoners.language_model.task import Wire

_BOUNDS = frozenset(
    "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format"
    " minItems maxItems uniqueItems default examples discriminator".split()
)


class AnswerSchema(NamedTuple):
    """The shape of an answer, as it is sent."""

    name: str
    """Its title: the name of the ask."""
    body: dict[str, Any]
    """The schema. Never changed: it is shared by all calls."""
    text: str
    """The same as compact JSON."""
    bare: dict[str, Any]
    """The same without descriptions, for a server that only holds the answer to it."""
    notation: str
    """The same for a reader, in few words: a field to a line, its description behind `//`."""

    @property
    def tool(self) -> dict[str, Any]:
        """As the one tool whose arguments are the answer, in the form that most servers take."""
        function = {"name": self.name, "description": "Give the answer.", "parameters": self.body}
        return {"type": "function", "function": function}


@cache
def schema_of(wire: type[Wire]) -> AnswerSchema:
    """What a model is told about the shape of its answer.

    Every field is required and no other is allowed, as strict modes demand; bounds are left out, which they refuse:
    a wrong value is found when the answer is read. Docstrings of fields are kept as descriptions.
    """
    whole = wire.model_json_schema()
    body = _plain(whole, whole.get("$defs", {}))
    name = str(whole.get("title", wire.__name__))
    body = {"title": name, **body}
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return AnswerSchema(name, body, text, _bare(body), _notation(body))


def _plain(node: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """A node without titles, bounds and references; references to itself are not foreseen in a wire."""
    if reference := node.get("$ref"):
        target = definitions[str(reference).rpartition("/")[2]]
        target = {key: value for key, value in target.items() if key != "description"}
        return _plain({**target, **{key: value for key, value in node.items() if key != "$ref"}}, definitions)
    plain: dict[str, Any] = {}
    for key, value in node.items():
        match key:
            case "type" | "description" | "enum":
                plain[key] = value
            case "const":
                plain["enum"] = [value]
            case "items":
                plain[key] = _plain(value, definitions)
            case "anyOf" | "oneOf" | "allOf":
                choices = [_plain(choice, definitions) for choice in value]
                plain |= choices[0] if len(choices) == 1 else {"anyOf": choices}
            case "properties":
                plain[key] = {name: _plain(field, definitions) for name, field in value.items()}
                plain["required"] = list(value)
                plain["additionalProperties"] = False
            case "prefixItems" | "additionalProperties" if value and value is not True:
                raise TypeError(f"a model cannot be asked for `{key}`: use a list of objects")
            case _ if key in _BOUNDS or key in ("title", "$defs", "required", "additionalProperties"):
                continue
            case _:
                raise TypeError(f"a model cannot be asked for `{key}`")
    if "description" in plain:
        plain["description"] = " ".join(str(plain["description"]).split())
    if plain.get("type") == "object":  # what a class is for is no news to whoever answers with it
        plain.pop("description", None)
    return plain


def _bare(node: Any) -> Any:
    """A node without descriptions; a field may be called so."""
    if isinstance(node, list):
        return [_bare(each) for each in node]
    if not isinstance(node, dict):
        return node
    fields = {name: _bare(field) for name, field in node.get("properties", {}).items()}
    bare = {key: _bare(value) for key, value in node.items() if key not in ("description", "properties")}
    return {**bare, "properties": fields} if fields else bare


def _notation(node: dict[str, Any], indent: str = "") -> str:
    """A node as a reader is told of it.

    >>> name = {"type": "string", "description": "In a word."}
    >>> print(_notation({"properties": {"names": {"type": "array", "items": name}, "name": name}}))
    {
     names: [string]
     name: string // In a word.
    }
    """
    if choices := node.get("enum"):
        return " | ".join(json.dumps(choice, ensure_ascii=False) for choice in choices)
    if choices := node.get("anyOf"):
        return " | ".join(_notation(choice, indent) for choice in choices)
    if items := node.get("items"):
        return f"[{_notation(items, indent)}]"
    if (fields := node.get("properties")) is None:
        return str(node["type"])
    lines = []
    for name, field in fields.items():
        first, *rest = _notation(field, indent + " ").split("\n")
        told = f" // {field['description']}" if "description" in field else ""
        lines += [f"{indent} {name}: {first}{told}", *rest]
    return "\n".join(("{", *lines, indent + "}"))
