"""The shape of the source tree: who may import whom."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "fathom"
DOUBLES = ROOT / "testing" / "src" / "fathom_testing"

FLOORS: dict[str, int] = {
    **dict.fromkeys(
        "errors registry frozen plan evidence findings report asks steering events limits settings telemetry text "
        "languages prompts browsing urls publishers data outcomes thread comparison sqlite_file lazy locks "
        "sheet verification version written preferences clarification".split(),
        0,
    ),
    **dict.fromkeys("ports reading services composing render".split(), 1),
    **dict.fromkeys("reasoners knowledge search pages datasets tools sources stores".split(), 2),
    "engine": 3,
    **dict.fromkeys("__init__ __main__ wiring cli api sessions page mcp_server evals".split(), 4),
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


def modules_imported(path: Path, modules: Iterable[str]) -> set[str]:
    """The files of Fathom, by the names of their modules, that a file imports, for type checkers or when it is called.

    `from fathom import wiring` imports `fathom.wiring`, and `from fathom.wiring import Fathom` does: what stands in the
    `__init__` of a package. That Python reads those of the packages around a module first is not counted, as whoever
    imports the module names nothing of them.
    """
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {each if (each := f"{node.module}.{name.name}") in modules else node.module for name in node.names}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return found & set(modules)


def module_of(path: Path) -> str:
    """The name by which a file of Fathom is imported."""
    return ".".join(("fathom", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")


def circles(imported: Mapping[str, set[str]]) -> list[set[str]]:
    """The largest sets of modules each of which imports, over others or not, every other one."""
    reached = dict(imported)
    for middle in imported:
        for module, names in reached.items():
            if middle in names:
                reached[module] = names | reached[middle]
    found = {frozenset(other for other in reached[module] if module in reached[other]) for module in imported}
    return sorted(map(set, found - {frozenset()}), key=min)


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


def test_no_module_imports_itself_over_others() -> None:
    modules = {module_of(path): path for path in FILES}
    imported = {module: modules_imported(path, modules) for module, path in modules.items()}
    assert circles(imported) == []


def test_a_circle_is_found_however_many_modules_it_has() -> None:
    ring = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": set[str](), "e": {"a"}, "f": {"f"}}
    assert circles(ring) == [{"a", "b", "c"}, {"f"}]


def packages_in(node: ast.AST) -> set[str]:
    """The packages that are imported anywhere in a piece of a program."""
    found = [each for each in ast.walk(node) if isinstance(each, ast.Import | ast.ImportFrom)]
    modules = [
        module
        for each in found
        for module in ([each.module or ""] if isinstance(each, ast.ImportFrom) else [name.name for name in each.names])
    ]
    return {module.split(".")[0] for module in modules}


def test_fathom_does_not_know_its_doubles() -> None:
    trees = {str(path.relative_to(SOURCE)): ast.parse(path.read_text(encoding="utf-8")) for path in FILES}
    assert [name for name, tree in trees.items() if "fathom_testing" in packages_in(tree)] == []


def test_the_doubles_know_fathom_and_what_it_needs_and_nothing_of_its_tests() -> None:
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    installed = {re.split(r"[><=]", each)[0].replace("-", "_") for each in needed}
    files = sorted(DOUBLES.rglob("*.py"))
    known = {name for path in files for name in packages_in(ast.parse(path.read_text(encoding="utf-8")))}

    assert {"fathom", "fathom_testing"} < known
    assert known - sys.stdlib_module_names - installed == {"fathom", "fathom_testing"}


def test_a_test_takes_nothing_from_another_one() -> None:
    borrowed = {
        f"{path.relative_to(ROOT)}: {node.module}"
        for path in (ROOT / "tests").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and re.match(r"tests\.(\w+\.)*test_", node.module or "")
    }
    assert not borrowed, "what tests share stands in tests/support"
