"""Requests that nobody thought of: each gets an answer that the description promises, and none is a fault."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from tests.support.serving import Served, home_with_notes, served

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, str]]:
    """A server on which no session goes on, and a session of it that has a report."""
    home = home_with_notes(tmp_path_factory.mktemp("asked"))
    with served(home) as working:
        id = working.ended(working.ask())["id"]
    with served(home, with_worker=False) as server:
        yield server, id


def every_operation(asked: tuple[Served, str], *, examples: int) -> None:
    """Ask everything that can be asked, well and badly, with ids that are there and with others."""
    server, id = asked
    schema = schemathesis.openapi.from_dict(server.client.get("/api/openapi.json").json())
    schema.config.update(base_url=server.url)
    for result in schema.get_all_operations():
        assert isinstance(result, Ok), result
        operation = result.ok()
        known: dict[str, Any] = {"path_parameters": {"session_id": id}} if "{session_id}" in operation.path else {}
        if operation.method == "delete":
            known = {}
        cases = [
            operation.as_strategy(generation_mode=GenerationMode.POSITIVE, **known),
            operation.as_strategy(generation_mode=GenerationMode.POSITIVE),
            operation.as_strategy(generation_mode=GenerationMode.NEGATIVE),
        ]

        @settings(
            max_examples=examples,
            derandomize=True,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(case=st.one_of(cases))
        def ask(case: schemathesis.Case[Any]) -> None:
            response = case.call(timeout=30)
            case.validate_response(response, checks=CHECKS)

        ask()


def test_every_answer_is_one_that_the_description_promises(asked: tuple[Served, str]) -> None:
    every_operation(asked, examples=5)


@pytest.mark.soak
def test_every_answer_is_one_that_the_description_promises_however_often_it_is_asked(asked: tuple[Served, str]) -> None:
    every_operation(asked, examples=400)
