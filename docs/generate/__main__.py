"""Writes the reference pages from the code: `python docs/generate`. A test keeps them up to date."""

from __future__ import annotations

import json
from pathlib import Path

from page_api import api
from page_cli import cli
from page_schemas import events, report_json
from page_settings import settings
from page_workflow import workflow

from fathom.render.json import schema

DOCS = Path(__file__).parents[1]
NOTE = "<!-- Written by docs/generate; change the code that it describes. -->\n\n"


def pages() -> dict[str, str]:
    """The text of every generated file, by its path below `docs/`."""
    return {
        "reference/api.md": NOTE + api(),
        "reference/cli.md": NOTE + cli(),
        "reference/settings.md": NOTE + settings(),
        "reference/report-json.md": NOTE + report_json(),
        "reference/report.schema.json": json.dumps(schema(), ensure_ascii=False, indent=2) + "\n",
        "reference/events.md": NOTE + events(),
        "reference/workflow.md": NOTE + workflow(),
    }


def main() -> None:
    """Write every page that has changed."""
    for name, content in pages().items():
        path = DOCS / name
        if not path.exists() or path.read_text(encoding="utf-8") != content:
            path.write_text(content, encoding="utf-8")
            print(f"docs/{name}")


if __name__ == "__main__":
    main()
