"""The reference pages say what the code says."""

from __future__ import annotations

import re
import runpy
from typing import Any

import pytest
from pydantic import BaseModel

from fathom.events import StoredEvent
from fathom.limits import Limits
from fathom.noun import descriptions
from fathom.reading.readers import suffixes
from fathom.render.json import schema
from fathom.sessions.datasets import data_suffixes
from fathom.settings import Settings
from tests.docs.pages import ROOT

GENERATED: dict[str, str] = runpy.run_path(str(ROOT / "docs" / "generate"))["pages"]()


@pytest.mark.parametrize("name", GENERATED)
def test_the_reference_is_what_the_code_gives(name: str) -> None:
    written = (ROOT / "docs" / name).read_text(encoding="utf-8")

    assert written == GENERATED[name], f"docs/{name} is out of date: run `python docs/generate`"


def test_the_example_of_an_upload_sends_a_file_that_is_taken_there() -> None:
    sent = dict(
        re.findall(r"-F files=@\w+(\.\w+) http://[^/]+/api/(knowledge|datasets)", GENERATED["reference/api.md"])
    )

    assert {where: suffix for suffix, where in sent.items()}.keys() == {"knowledge", "datasets"}
    assert all(suffix in (suffixes() if where == "knowledge" else data_suffixes()) for suffix, where in sent.items())


@pytest.mark.parametrize("model", [Limits, Settings], ids=lambda model: model.__name__)
def test_every_setting_and_limit_has_its_sentence(model: type[BaseModel]) -> None:
    assert model.model_fields.keys() - descriptions(model).keys() == set()


@pytest.mark.parametrize("whole", [schema(), StoredEvent.model_json_schema()], ids=["report", "events"])
def test_every_field_of_the_contract_has_its_sentence(whole: dict[str, Any]) -> None:
    bare = [
        f"{name}.{field}"
        for name, definition in [*whole["$defs"].items(), ("", whole)]
        for field, entry in definition.get("properties", {}).items()
        if "description" not in entry and field != "kind"
    ]

    assert bare == []
