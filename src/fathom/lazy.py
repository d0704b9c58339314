"""Names that a package imports from their places when they are first asked for."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import get_data
from typing import Any


def lazily(package: str) -> Callable[[str], Any]:
    """The `__getattr__` of a package that imports for type checkers alone: each name comes from where they find it."""

    def imported(name: str) -> Any:
        module = sys.modules[package]
        home = _homes(package).get(name)
        if home is None:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = getattr(import_module(home), name)
        setattr(module, name, value)
        return value

    return imported


@cache
def _homes(package: str) -> dict[str, str]:
    """Where each name that the text of a package imports is at home."""
    text = get_data(package, "__init__.py") or b""
    found = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom))
    return {alias.name: node.module for node in found if node.module for alias in node.names}
