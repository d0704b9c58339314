"""The description of the API: what FastAPI knows of it, and what it cannot know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from fathom.api.problems import Problem, documented
from fathom.events import StoredEvent
from fathom.sessions.views import Progress

_REF = "#/components/schemas/{model}"
_DONE = {"200": "Here it is.", "201": "It is stored.", "202": "It will be done.", "204": "It is done."}
_PLAIN = "Successful Response"


def describe(app: FastAPI) -> None:
    """Have an application describe itself at `/api/openapi.json`; made once, when it is asked for first."""

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app)
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Method, path and description of every operation, in the order of the document."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def _document(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes, tags=app.openapi_tags
    )
    _, own = models_json_schema(
        [(each, "serialization") for each in (Problem, StoredEvent, Progress)], ref_template=_REF
    )
    schemas = document["components"]["schemas"]
    for name, schema in own["$defs"].items():
        schemas.setdefault(name, schema)
    for _, path, operation in operations(document):
        if "{" in path:  # an id that cannot be one is the id of nothing
            operation["responses"] |= {str(status): told for status, told in documented(404).items() if status == 404}
        for status, response in operation["responses"].items():
            if response["description"] == _PLAIN:
                response["description"] = _DONE[status]
        operation["responses"] = dict(sorted(operation["responses"].items()))
        for parameter in operation.get("parameters", ()):
            parameter["schema"].pop("description", None)  # it stands beside it
            parameter["name"] = _HEADERS.get(parameter["name"], parameter["name"])
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    return document


_HEADERS = {"idempotency-key": "Idempotency-Key", "if-none-match": "If-None-Match", "last-event-id": "Last-Event-ID"}
"""Headers as people write them."""
