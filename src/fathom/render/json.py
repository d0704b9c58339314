"""The report as JSON: the public contract, whose schema is `docs/reference/report.schema.json`."""

from __future__ import annotations

import json
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from fathom.report import SCHEMA_VERSION, Report


def render(report: Report) -> str:
    """The whole report, indented, ending in a line break; the same report gives the same bytes."""
    return json.dumps(report.model_dump(mode="json"), ensure_ascii=False, indent=2) + "\n"


def schema() -> dict[str, Any]:
    """The JSON Schema of a report: every field is there in every report, and no other."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:fathom:report:{SCHEMA_VERSION}",
        **Report.model_json_schema(mode="serialization", schema_generator=_EveryField),
    }


class _EveryField(GenerateJsonSchema):
    """Requires fields with a default too: what is written is complete."""

    def field_is_required(self, field: Any, total: bool) -> bool:  # noqa: ARG002
        return True
