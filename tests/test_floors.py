"""The shape of the source tree: who may import whom."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "fathom"

FLOORS: dict[str, int] = {
    **dict.fromkeys(
        "errors registry noun plan evidence findings report asks events limits settings telemetry text prompts "
        "browsing urls natures data outcomes sqlite_file lazy verification".split(),
        0,
    ),
    **dict.fromkeys("ports reading services composing".split(), 1),
    **dict.fromkeys("reasoners knowledge search pages datasets tools sources stores render".split(), 2),
    "engine": 3,
    **dict.fromkeys("__init__ __main__ wiring cli api sessions page mcp_server evals testing".split(), 4),
}
ADAPTERS = {name for name, floor in FLOORS.items() if floor == 2}


def imports_of(path: Path) -> set[str]:
    """Top-level parts of Fathom that a file imports: `fathom.text.analysis` counts as `text`."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "fathom":
            parts = node.module.split(".")
            names |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("fathom.")}
    return names & FLOORS.keys()


def part_of(path: Path) -> str:
    """The part of Fathom that a file belongs to."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


FILES = sorted(SOURCE.rglob("*.py"))


@pytest.fixture(scope="module")
def imports() -> dict[Path, set[str]]:
    """Of every file, what it imports."""
    return {path: imports_of(path) for path in FILES}


def test_imports_point_down(imports: dict[Path, set[str]]) -> None:
    assert {part_of(path) for path in FILES} <= FLOORS.keys(), "a part has no floor: add it to FLOORS"
    above = {
        str(path.relative_to(SOURCE)): upward
        for path, names in imports.items()
        if (upward := sorted(name for name in names if FLOORS[name] > FLOORS[part_of(path)]))
    }
    assert above == {}, "imports from above"


def test_adapters_do_not_know_each_other(imports: dict[Path, set[str]]) -> None:
    others = {
        str(path.relative_to(SOURCE)): known
        for path, names in imports.items()
        if part_of(path) in ADAPTERS and (known := sorted(names & ADAPTERS - {part_of(path)}))
    }
    assert others == {}, "imports other adapters"


def test_the_engine_imports_ports_and_never_adapters(imports: dict[Path, set[str]]) -> None:
    known = {
        str(path.relative_to(SOURCE)): names & ADAPTERS
        for path, names in imports.items()
        if part_of(path) == "engine" and names & ADAPTERS
    }
    assert known == {}
