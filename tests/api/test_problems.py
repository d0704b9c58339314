"""Every bad input is one problem document, which repeats nothing of it and tells nothing of the service."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

import fathom
from fathom.api.problems import MEDIA_TYPE, Problem
from fathom.errors import (
    ConfigurationError,
    Conflict,
    FathomError,
    LimitReached,
    NotFound,
    RateLimited,
    StoreError,
    ToolFailed,
    Unavailable,
    UsageError,
)
from fathom.sessions.service import Sessions
from tests.support.serving import ID, SESSIONS, Served


def told(reply: httpx.Response) -> Problem:
    """The problem that a response tells."""
    assert reply.headers["content-type"] == MEDIA_TYPE, reply.text
    problem = Problem.model_validate_json(reply.content)
    assert problem.status == reply.status_code
    assert problem.detail
    assert "\n" not in problem.detail
    return problem


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({}, ["body", "query"]),
        ({"query": 7}, ["body", "query"]),
        ({"query": "x", "more": "SECRET"}, ["body", "more"]),
        ({"query": "x" * 100_001}, ["body", "query"]),
        ({"query": "x", "config": {"effort": "SECRET"}}, ["body", "config", "effort"]),
        ({"query": "x", "config": {"mode": None}}, ["body", "config", "mode"]),
        ({"query": "x", "config": {"kb": "../SECRET"}}, ["body", "config", "kb"]),
        ({"query": "x", "config": {"limits": {"max_depth": 99}}}, ["body", "config", "limits", "max_depth"]),
        ({"query": "x", "config": {"limits": {"max_time": "SECRET"}}}, ["body", "config", "limits", "max_time"]),
        ({"query": "x", "config": {"limits": {"SECRET": 1}}}, ["body", "config", "limits", "SECRET"]),
        ({"query": "x", "config": {"paths": ["/etc/passwd"]}}, ["body", "config", "paths"]),
        ({"query": "x", "config": {"max_iterations": 3, "limits": {"max_subtasks": 2}}}, ["body", "config"]),
        ([], ["body"]),
        ("SECRET", ["body"]),
        (None, ["body"]),
    ],
    ids=repr,
)
def test_a_body_that_is_not_valid_is_told_field_by_field(idle: Served, body: Any, place: list[str]) -> None:
    reply = idle.client.post(SESSIONS, content=json.dumps(body), headers={"Content-Type": "application/json"})

    problem = told(reply)
    assert (problem.status, problem.type) == (422, "urn:fathom:problem:invalid")
    assert problem.errors is not None
    assert [list(each.loc) for each in problem.errors if list(each.loc)[: len(place)] == place]
    assert "passwd" not in reply.text
    assert "SECRET" not in "".join(each.msg for each in problem.errors)


@pytest.mark.parametrize(
    ("query", "config", "words"),
    [
        ("", {}, "question is empty"),
        ("?!", {}, "no letter"),
        ("x" * 8_001, {}, "8,001 characters"),
        ("What?", {"kb": "nowhere"}, "nowhere"),
        ("What?", {"documents": ["doc_000000000000"]}, "doc_000000000000"),
        ("What?", {"datasets": ["sales"]}, "There is no dataset 'sales'"),
        ("What?", {"reasoner": "language_model"}, "no model"),
        ("What?", {"model": "openai:another"}, "does not offer the model 'openai:another'"),
    ],
)
def test_what_cannot_be_done_as_it_was_asked_for_is_said_in_a_line(
    idle: Served, query: str, config: dict[str, Any], words: str
) -> None:
    problem = told(idle.client.post(SESSIONS, json={"query": query, "config": config}))

    assert problem.status == 422
    assert problem.errors is None
    assert words in problem.detail


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b"[" * 100_000, b'{"query": 1e99999999}', b'"\\ud800"'])
def test_a_body_that_cannot_be_read_is_a_problem(idle: Served, content: bytes) -> None:
    reply = idle.client.post(SESSIONS, content=content, headers={"Content-Type": "application/json"})

    assert told(reply).status in (400, 422)


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_body_in_another_format_is_not_read(idle: Served, media_type: str) -> None:
    reply = idle.client.post(SESSIONS, content=b'{"query": "What?"}', headers={"Content-Type": media_type})

    assert told(reply).status == 415


@pytest.mark.parametrize(
    "path",
    [
        f"{SESSIONS}/{ID}",
        f"{SESSIONS}/{ID[:-1]}",
        f"{SESSIONS}/run_",
        f"{SESSIONS}/{ID.upper()}",
        f"{SESSIONS}/..%2f..%2fetc%2fpasswd",
        f"{SESSIONS}/%00",
        f"{SESSIONS}/{ID}%0a",
        f"{SESSIONS}/{'9' * 3_000}",
        f"{SESSIONS}/{ID}/events",
        f"{SESSIONS}/{ID}/plan",
        f"{SESSIONS}/{ID}/results",
        f"{SESSIONS}/{ID}/report.json",
        f"{SESSIONS}/{ID}/report.md",
        f"{SESSIONS}/{ID}/report.html",
        f"{SESSIONS}/{ID}/report/article",
        f"{SESSIONS}/{ID}/report.pdf",
        f"{SESSIONS}/{ID}/sources",
        f"{SESSIONS}/{ID}/sources/S1",
        f"{SESSIONS}/{ID}/sources/S0",
        f"{SESSIONS}/{ID}/sources/..",
        "/api",
        "/api/nothing",
        "/nothing",
        "/assets/nothing.js",
        "/assets/../__init__.py",
        "/assets/%2e%2e/__init__.py",
        "/assets//etc/passwd",
        "/assets/%00",
        "/assets/",
    ],
)
def test_what_is_not_there_is_one_problem(idle: Served, path: str) -> None:
    assert told(idle.client.get(path)).type == "urn:fathom:problem:not-found"


@pytest.mark.parametrize(("method", "path"), [("PUT", SESSIONS), ("POST", "/api/health"), ("DELETE", SESSIONS)])
def test_a_method_that_an_address_does_not_take_is_one_problem(idle: Served, method: str, path: str) -> None:
    reply = idle.client.request(method, path)

    assert told(reply).status == 405
    assert reply.headers["allow"]


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=201", "limit=x", "status=SECRET", f"q={'x' * 1_001}", "limit=1&limit=x"],
)
def test_parameters_are_checked(idle: Served, query: str) -> None:
    reply = idle.client.get(f"{SESSIONS}?{query}")

    assert told(reply).status == 422
    assert "SECRET" not in reply.text


@pytest.mark.parametrize("number", ["-1", "x", "1.5", str(2**60)])
def test_a_place_in_the_events_is_a_number(server: Served, done: dict[str, Any], number: str) -> None:
    path = f"{SESSIONS}/{done['id']}/events"

    assert told(server.client.get(path, params={"after": number})).status == 422
    assert told(server.client.get(path, headers={"Last-Event-ID": number})).status == 422


@pytest.mark.parametrize(
    ("error", "status", "name"),
    [
        (NotFound("There is no such session."), 404, "not-found"),
        (Conflict("It is under way."), 409, "conflict"),
        (UsageError("Ask something."), 422, "unusable"),
        (ConfigurationError("Set a key."), 422, "not-set-up"),
        (Unavailable("The model does not answer."), 502, "provider"),
        (ToolFailed("The tool says no."), 502, "provider"),
        (RateLimited("Wait.", retry_after=7.2), 502, "provider"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_an_error_is_told_in_its_own_line(
    idle: Served, monkeypatch: pytest.MonkeyPatch, error: FathomError, status: int, name: str
) -> None:
    fail(monkeypatch, error)
    reply = idle.client.get(f"{SESSIONS}/{ID}")

    problem = told(reply)
    assert (problem.status, problem.type, problem.detail) == (status, f"urn:fathom:problem:{name}", str(error))
    assert reply.headers.get("retry-after") == ("7" if isinstance(error, RateLimited) else None)


def test_a_store_that_fails_is_told_without_its_file(
    idle: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fail(monkeypatch, StoreError("/srv/fathom/runs.sqlite3 cannot be written: the disk is full."))
    reply = idle.client.get(f"{SESSIONS}/{ID}")

    assert told(reply).status == 503
    assert int(reply.headers["retry-after"]) > 0
    assert "sqlite" not in reply.text
    assert "the disk is full" in caplog.text


@pytest.mark.parametrize("error", [RuntimeError("SECRET in /srv"), LimitReached("SECRET")], ids=repr)
def test_a_fault_tells_nothing_but_an_id_that_the_log_knows(
    idle: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    fail(monkeypatch, error)
    reply = idle.client.get(f"{SESSIONS}/{ID}")

    problem = told(reply)
    assert (problem.status, problem.type) == (500, "urn:fathom:problem:fault")
    assert "SECRET" not in reply.text
    assert problem.request_id in [getattr(record, "request", None) for record in caplog.records]


def fail(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """Have every look at a session raise."""

    async def get(_self: Sessions, _id: str) -> None:
        raise error

    monkeypatch.setattr(Sessions, "get", get)


SOURCE = Path(fathom.__file__).parent
OF_THE_COMMAND_LINE = {"cli", "evals"}
NO_TEXTS = {"pages/browser.py", "render/documents.py"}
"""The switches of other programs."""


def test_what_any_face_may_say_names_no_flag_of_the_command_line() -> None:
    """Settings are named, in backticks; the command line alone writes them as its flags. A whole command is one."""
    found = []
    for path in SOURCE.rglob("*.py"):
        place = path.relative_to(SOURCE)
        if place.parts[0] in OF_THE_COMMAND_LINE or place.as_posix() in NO_TEXTS:
            continue
        text = path.read_text(encoding="utf-8")
        if "--" not in text:
            continue
        tree = ast.parse(text)
        described = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        found += [
            f"{place}:{node.lineno}: {node.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in described
            if re.search(r"(?<![\w<!-])--(?:[a-z]{2}|$)", re.sub(r"`fathom [^`]*`", "", node.value))
        ]
    assert found == []
