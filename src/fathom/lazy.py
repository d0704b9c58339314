"""Names that a package imports from their places when they are first asked for."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


def lazily(package: str) -> Callable[[str], Any]:
    """The `__getattr__` of a package that imports for type checkers alone: each name comes from where they find it."""

    def imported(name: str) -> Any:
        module = sys.modules[package]
        home = _homes(str(module.__file__)).get(name)
        if home is None:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = getattr(import_module(home), name)
        setattr(module, name, value)
        return value

    return imported


@cache
def _homes(file: str) -> dict[str, str]:
    """Where each name that a file imports is at home."""
    found = (node for node in ast.walk(ast.parse(Path(file).read_bytes())) if isinstance(node, ast.ImportFrom))
    return {alias.name: node.module for node in found if node.module for alias in node.names}
