"""The page about the API."""

from __future__ import annotations

import asyncio
import json
import shlex
import tempfile
from pathlib import Path
from typing import Any

from tables import table

from fathom import wiring
from fathom.api.app import create_app
from fathom.api.docs import DocumentedField, Operation, groups, objects
from fathom.api.listening import place_of
from fathom.api.security.guard import Guard
from fathom.sessions.tokens import Tokens
from fathom.settings import load_settings

BASE = "http://127.0.0.1:8000"
RUN = "run_01m8qz4bnk7d"
ASKED = {"query": "How does a context manager compare with try and finally?", "config": {"effort": "quick"}}

_IDS = {
    "{session_id}": RUN,
    "{source_id}": "S1",
    "{kb}": "default",
    "{doc_id}": "doc_67d00b7b3b4d",
    "{document_id}": "doc_67d00b7b3b4d",
    "{name}": "sales.csv",
}
_BODIES: dict[str, dict[str, Any]] = {
    "create_session": ASKED,
    "estimate": ASKED,
    "resume_session": {"limits": {"max_calls": 500}},
    "check": {"text": "The analytical engine was designed in 1837."},
    "log_in": {"token": "fathom_…"},
}
_QUERIES = {
    "list_sessions": "?status=running&status=queued",
    "get_report_markdown": "?style=summary",
    "get_source": "?evidence=E1",
    "follow_session": "?after=12",
    "search_documents": "?q=context+manager",
    "search_knowledge": "?q=context+manager",
}
_EXTRAS = {
    "create_session": ["-H", "Idempotency-Key: 7b1f"],
    "follow_session": ["-N"],
    "upload_documents": ["-F", "files=@notes.md"],
    "upload_data": ["-F", "files=@sales.csv"],
}

INTRODUCTION = f"""\
# The HTTP API

`fathom serve` answers at `{BASE}/api`. The same description is at `/docs` of a running service, and for
programs at `/api/openapi.json` (OpenAPI 3.1).

A service on any other address than this machine's own asks for a token, which `fathom token create` makes: send it as
`Authorization: Bearer TOKEN`.

## When something goes wrong

Every failure is a problem document ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457), `application/problem+json`):

```json
{{
  "type": "urn:fathom:problem:not-found",
  "title": "There is no such thing",
  "status": 404,
  "detail": "No session has the id '{RUN}'."
}}
```

`detail` says what happened and what to do.

| status | when |
| --- | --- |
| 400 | The body cannot be read at all. |
| 401 | A token is needed, or the one that was sent is no longer in force. |
| 403 | Another page may not ask this, or the service does not let it be done. |
| 404 | There is no such thing; also when the id cannot be one. |
| 405 | The address does not take that method. |
| 409 | It cannot be done as things stand: the session is under way, the key belongs to another request. |
| 413, 415 | The body is too large, or neither JSON nor, where files are taken, files. |
| 421 | The service does not go by the name that it was asked under. |
| 422 | The request is not valid: `errors` tells what, field by field. Without these, the service cannot do that. |
| 429 | Too many requests: try again after `Retry-After` seconds. |
| 500 | A fault of Fathom. `request_id` is what the service's log knows the request by. |
| 502 | Something outside has failed: a model, a search, a server of data. |
| 503 | The store cannot be used at the moment: try again after `Retry-After` seconds. |

Every operation may answer with 401, 403, 421, 422, 429, 500 and 503; what else, its section says.

## How to follow a session

`GET /api/research/sessions/ID/events` is a stream of server-sent events: `id` is the number of the event, `event` its
kind, `data` the event as [events.md](events.md) describes it. Every event is stored before it is sent. A client
that reconnects with the header `Last-Event-ID`, as an `EventSource` does by itself, or with `?after=N`, gets the events
after that number. The last one is followed by a frame `end` with the session's status; a client that reconnects after
it gets 204. A comment every 15 seconds keeps the connection open.

With `?progress=true`, a frame `progress` without an `id` comes before the events of each moment and tells what they
amount to, as [Progress](#progress) describes it: what the session and each subtask is doing. The first one of a stream
has every subtask, a later one those that have changed. `sources`, what was read last, is `null` while it is as before.
"""


def api() -> str:
    """Every operation, with its parameters, its bodies and an example."""
    document = asyncio.run(_document())
    parts = [INTRODUCTION]
    for group in groups(document):
        parts += [f"## {group.name.capitalize()}\n", f"{group.meaning}\n"]
        for each in group.operations:
            parts += _operation(each)
    parts.append("## Objects\n")
    for told in objects(document):
        if not told.name.startswith("Body_") and told.name not in _events(document):
            parts += [f"### {told.name}\n", f"{told.meaning}\n", _fields(told.fields)]
    return "\n".join(parts)


async def _document() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as home:
        settings = load_settings(home=Path(home))
        async with wiring.Fathom(settings) as fathom:
            guard = Guard(settings, Tokens(fathom.tokens), place_of(settings.serve_host))
            return create_app(fathom, access=guard).openapi()


def _events(document: dict[str, Any]) -> set[str]:
    """Names of the events, which have a page of their own."""
    choices = document["components"]["schemas"]["StoredEvent"]["properties"]["event"]["oneOf"]
    return {choice["$ref"].rsplit("/", 1)[1] for choice in choices}


def _operation(each: Operation) -> list[str]:
    parts = [f"### {each.summary}\n", f"`{each.method} {each.path}`\n", f"{each.meaning}\n"]
    if each.fields:
        rows = ((f"`{field.name}`", field.place, field.type, field.meaning) for field in each.fields)
        parts.append(table(("parameter", "in", "type", "what it means"), rows))
    for media_type, type in each.bodies:
        parts.append(f"Body: {type}, as `{media_type}`.\n")
    rows_of = (
        (answer.status, "; ".join(f"{type}, `{media}`" for media, type in answer.bodies) or "–", answer.meaning)
        for answer in each.answers
        if answer.status < "400"
    )
    parts.append(table(("answer", "body", "when"), rows_of))
    if problems := [answer for answer in each.answers if answer.status >= "400"]:
        parts.append(f"Problems: {', '.join(answer.status for answer in problems)}.\n")
    parts.append(f"```sh\n{_call(each)}\n```\n")
    return parts


def _call(each: Operation) -> str:
    """The operation as a command."""
    path = each.path
    for placeholder, id in _IDS.items():
        path = path.replace(placeholder, id)
    words = ["curl", *_EXTRAS.get(each.id, [])]
    if each.method != "GET" and not each.bodies:
        words += ["-X", each.method]
    for media_type, _ in each.bodies:
        if media_type == "application/json" and each.id in _BODIES:
            body = json.dumps(_BODIES[each.id], ensure_ascii=False)
            words += ["-H", "Content-Type: application/json", "-d", body]
    words.append(f"{BASE}{path}{_QUERIES.get(each.id, '')}")
    return shlex.join(words)


def _fields(fields: tuple[DocumentedField, ...]) -> str:
    return table(("field", "type", "what it holds"), ((f"`{each.name}`", each.type, each.meaning) for each in fields))
