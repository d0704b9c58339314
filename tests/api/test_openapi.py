"""The API describes itself whole, for programs and for people."""

from __future__ import annotations

import re
from typing import Any

import pytest

from fathom.api.openapi import operations
from tests.support.serving import Served


@pytest.fixture(scope="module")
def document(idle: Served) -> dict[str, Any]:
    described: dict[str, Any] = idle.client.get("/api/openapi.json").json()
    return described


def test_every_operation_has_a_name_a_summary_and_a_description(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in operations(document)]

    assert len(set(names)) == len(names) > 15
    for _, path, operation in operations(document):
        assert operation["summary"], path
        assert operation["description"], path
        assert operation["tags"], path
        assert all(each["description"] for each in operation.get("parameters", ())), path


def test_every_problem_is_documented_as_one(document: dict[str, Any]) -> None:
    for _, path, operation in operations(document):
        failures = {status: each for status, each in operation["responses"].items() if status >= "400"}
        assert {"422", "500", "503"} <= failures.keys(), path
        for failure in failures.values():
            assert failure["content"] == {
                "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
            }


def test_every_field_of_every_object_has_its_sentence(document: dict[str, Any]) -> None:
    bare = [
        f"{name}.{field}"
        for name, schema in document["components"]["schemas"].items()
        for field, entry in schema.get("properties", {}).items()
        if "description" not in entry and field != "kind"
    ]

    assert bare == []


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    names = set(re.findall(r"'#/components/schemas/(\w+)'", repr(document)))

    assert names <= document["components"]["schemas"].keys()


def test_people_read_the_same_on_a_page_without_scripts(idle: Served, document: dict[str, Any]) -> None:
    reply = idle.client.get("/docs")

    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert "<script" not in reply.text
    assert " style=" not in reply.text
    assert re.findall(r"(?:src|href)=\"(?:https?:)?//", reply.text) == []
    for _, path, operation in operations(document):
        assert f'id="{operation["operationId"]}"' in reply.text
        assert path in reply.text
    for target in re.findall(r'href="#([^"]+)"', reply.text):
        assert f'id="{target}"' in reply.text


def test_the_pages_that_would_load_scripts_from_elsewhere_are_not_there(idle: Served) -> None:
    assert [idle.client.get(path).status_code for path in ("/redoc", "/docs/oauth2-redirect", "/openapi.json")] == [
        404
    ] * 3
