"""Shared by tests: `PRICE`, `settings_for`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fathom
from fathom_testing.model_server import ModelServer

PRICE = {"input": 10.0, "output": 40.0}
"""US dollars per million tokens."""


def settings_for(folder: Path, server: ModelServer, **more: Any) -> fathom.Settings:
    fields = {"home": folder / "home", "model": "openai:fathom-test", "base_url": f"{server.url}/v1"}
    return fathom.Settings(**{**fields, "prices": {"openai:fathom-test": PRICE}, **more})
