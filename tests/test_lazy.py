"""A package offers just what it says to type checkers, and imports it when it is asked for."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest


@pytest.mark.parametrize("package", ["fathom", "fathom.wiring"])
def test_each_name_is_what_type_checkers_take_it_for(package: str) -> None:
    module = import_module(package)
    (only_for_checkers,) = (
        node
        for node in ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")).body
        if isinstance(node, ast.If)
    )
    said = [node for node in only_for_checkers.body if isinstance(node, ast.ImportFrom)]
    assert said
    for node in said:
        for alias in node.names:
            assert getattr(module, alias.name) is getattr(import_module(str(node.module)), alias.name)
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        _ = module.nothing
