"""The description of the API as a page of its own: no script, and nothing of another host."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from fathom.api.openapi import operations
from fathom.api.problems import ALWAYS
from fathom.outcomes import in_thread
from fathom.render.schema import type_of

router = APIRouter(include_in_schema=False)


class DocumentedField(NamedTuple):
    """A parameter, or a field of an object."""

    name: str
    type: str
    meaning: str
    place: str = ""
    """Where a parameter stands: `path`, `query` or `header`."""
    required: bool = False


class Answer(NamedTuple):
    """What an operation may answer with, besides what all may."""

    status: str
    meaning: str
    bodies: tuple[tuple[str, str], ...]
    """Media type and type of each form that it has."""


class Operation(NamedTuple):
    """Something that can be asked of the service."""

    id: str
    method: str
    path: str
    summary: str
    meaning: str
    fields: tuple[DocumentedField, ...]
    bodies: tuple[tuple[str, str], ...]
    answers: tuple[Answer, ...]


class Group(NamedTuple):
    """Operations that belong together."""

    name: str
    meaning: str
    operations: tuple[Operation, ...]


class Object(NamedTuple):
    """An object of JSON."""

    name: str
    meaning: str
    fields: tuple[DocumentedField, ...]


def groups(document: dict[str, Any]) -> Iterator[Group]:
    """The operations, by their tags, in the order of the tags."""
    known = list(operations(document))
    for tag in document["tags"]:
        own = tuple(
            _operation(method, path, each, document)
            for method, path, each in known
            if tag["name"] in each.get("tags", ())
        )
        if own:
            yield Group(tag["name"], tag["description"], own)


def objects(document: dict[str, Any]) -> Iterator[Object]:
    """The objects, by name."""
    definitions = document["components"]["schemas"]
    for name, schema in definitions.items():
        if "properties" in schema:
            yield Object(name, _line(schema.get("description", "")), tuple(_fields(schema, definitions)))


@router.get("/api/openapi.json")
async def openapi(request: Request) -> Response:
    """The description for programs."""
    return Response(await in_thread(_json, request.app), media_type="application/json")


@router.get("/docs")
async def docs(request: Request) -> HTMLResponse:
    """The description as a page."""
    return HTMLResponse(await in_thread(_page, request.app))


@lru_cache(maxsize=1)
def _json(app: FastAPI) -> bytes:
    return json.dumps(app.openapi(), ensure_ascii=False, separators=(",", ":")).encode()


@lru_cache(maxsize=1)
def _page(app: FastAPI) -> str:
    document = app.openapi()
    told = list(objects(document))
    template = _templates(frozenset(each.name for each in told)).get_template("docs.html")
    return template.render(info=document["info"], groups=list(groups(document)), objects=told)


@cache
def _templates(names: frozenset[str]) -> Environment:
    environment = Environment(
        loader=PackageLoader("fathom.api"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    markdown = MarkdownIt("zero").enable(["backticks", "list"])
    environment.filters["prose"] = lambda text: Markup(markdown.render(text))
    environment.filters["inline"] = lambda text: Markup(markdown.renderInline(text))
    environment.filters["linked"] = lambda text: _linked(markdown.renderInline(text), names)
    return environment


def _linked(html: str, names: frozenset[str]) -> Markup:
    """Names of objects lead to where they are described."""
    return Markup(re.sub(r"\b[A-Z]\w+", lambda found: _link(found[0]) if found[0] in names else found[0], html))


def _link(name: str) -> str:
    return f'<a href="#{name}">{name}</a>'


def _operation(method: str, path: str, told: Mapping[str, Any], document: dict[str, Any]) -> Operation:
    definitions = document["components"]["schemas"]
    return Operation(
        id=told["operationId"],
        method=method,
        path=path,
        summary=told["summary"],
        meaning=told.get("description", ""),
        fields=tuple(
            DocumentedField(
                each["name"],
                type_of(each["schema"], definitions),
                _line(each.get("description", "")),
                each["in"],
                each.get("required", False),
            )
            for each in told.get("parameters", ())
        ),
        bodies=_bodies(told.get("requestBody", {}), definitions),
        answers=tuple(
            Answer(status, _line(each["description"]), _bodies(each, definitions))
            for status, each in told["responses"].items()
            if int(status) not in ALWAYS
        ),
    )


def _bodies(told: Mapping[str, Any], definitions: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    contents = told.get("content", {}).items()
    return tuple((media_type, type_of(each.get("schema", {}), definitions)) for media_type, each in contents)


def _fields(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Iterator[DocumentedField]:
    for name, each in schema["properties"].items():
        yield DocumentedField(name, type_of(each, definitions), _line(each.get("description", "")))


def _line(text: str) -> str:
    return " ".join(text.split()).replace("`None`", "`null`")
