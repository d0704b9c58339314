"""What the examples in docstrings show is so."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

from tests.support.project_pages import ROOT


def name(path: Path) -> str:
    """Of the module that a file is."""
    return ".".join(path.with_suffix("").parts).removeprefix("testing.").removeprefix("src.").removesuffix(".__init__")


SHOWN = [
    name(path.relative_to(ROOT))
    for folder in ("src", "testing", "tests")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if re.search(r"^ +>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)
]


@pytest.mark.parametrize("module", SHOWN)
def test_the_examples_of_a_module_run_as_they_stand(module: str) -> None:
    failed, tried = doctest.testmod(import_module(module))
    assert (failed, tried > 0) == (0, True)
