"""The reference pages say what the code says."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from fathom.events import StoredEvent
from fathom.frozen import descriptions
from fathom.limits import Limits
from fathom.reading.readers import suffixes
from fathom.render.json import schema
from fathom.sessions.datasets import data_suffixes
from fathom.settings import Settings
from tests.support.project_pages import ROOT


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    """The pages by name: made for these tests alone, for it takes as long as to collect a thousand others."""
    pages: dict[str, str] = runpy.run_path(str(ROOT / "docs" / "generate"))["pages"]()
    return pages


def test_the_reference_is_what_the_code_gives(generated: dict[str, str]) -> None:
    written = {name: (ROOT / "docs" / name).read_text(encoding="utf-8") for name in generated}

    outdated = [name for name in generated if written[name] != generated[name]]
    assert not outdated, f"of docs/ {outdated} are out of date: run `python docs/generate`"


def test_the_example_of_an_upload_sends_a_file_that_is_taken_there(generated: dict[str, str]) -> None:
    sent = dict(
        re.findall(r"-F files=@\w+(\.\w+) http://[^/]+/api/(knowledge|datasets)", generated["reference/api.md"])
    )

    assert {where: suffix for suffix, where in sent.items()}.keys() == {"knowledge", "datasets"}
    assert all(suffix in (suffixes() if where == "knowledge" else data_suffixes()) for suffix, where in sent.items())


@pytest.mark.parametrize("model", [Limits, Settings], ids=lambda model: model.__name__)
def test_every_setting_and_limit_has_its_sentence(model: type[BaseModel]) -> None:
    assert model.model_fields.keys() - descriptions(model).keys() == set()


@pytest.mark.parametrize("made", [schema, StoredEvent.model_json_schema], ids=["report", "events"])
def test_every_field_of_the_contract_has_its_sentence(made: Callable[[], dict[str, Any]]) -> None:
    whole = made()
    bare = [
        f"{name}.{field}"
        for name, definition in [*whole["$defs"].items(), ("", whole)]
        for field, entry in definition.get("properties", {}).items()
        if "description" not in entry and field != "kind"
    ]

    assert bare == []
