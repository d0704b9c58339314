"""Every regular expression takes time that grows with its text, and no faster: the form of each is looked at."""

from __future__ import annotations

import ast
import builtins
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from fathom.errors import UsageError
from fathom.limits import Limits
from fathom.reading.chunking import LONGEST, chunks
from fathom.reading.plain import read
from fathom.reasoners.language_model.tasks.plain import plain
from fathom.wiring.question import checked_query
from tests.patterns import Use, fault_of

SOURCE = Path(__file__).parents[1] / "src"
PLACES = {"search": "search", "match": "match", "fullmatch": "fullmatch"}
WHOLE_TEXTS = (
    *("reading", "pages", "natures.py", "text/sentences.py", "text/language.py", "datasets/delimited.py"),
    *("tools/texts.py", "reasoners/language_model/json_text.py"),
)
"""Where whole documents, pages, tables, answers of tools and of models are looked through. Elsewhere it is passages,
questions and what a model says at once, which have a length: see the last test."""


@cache
def sources() -> dict[Path, str]:
    return {path: path.read_text(encoding="utf-8") for path in sorted((SOURCE / "fathom").rglob("*.py"))}


def patterns() -> Iterator[tuple[str, str, int, Use]]:
    """Every pattern in the package: where it stands, its text, its flags and how it is used.

    What is only known when the program runs, as a part of a pattern, stands as an `x`.
    """
    everything = "".join(sources().values())
    for path, source in sources().items():
        if "testing" in path.parts or "re." not in source:
            continue
        tree = ast.parse(source)
        called = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_of_re(node)]
        if not called:
            continue
        names = {
            id(node.value): node.targets[0].id
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        module = import_module(".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"))
        scope: defaultdict[str, Any] = defaultdict(lambda: "x", {**vars(builtins), **vars(module)})
        for call in called:
            try:
                pattern = eval(compile(ast.Expression(call.args[0]), str(path), "eval"), scope)
            except (AttributeError, IndexError):  # made of something that only a run knows
                continue
            given = [*call.args[1:], *(each.value for each in call.keywords)]
            flags = 0
            for each in given:
                if re.fullmatch(r"re\.[A-Z]+(?: \| re\.[A-Z]+)*", ast.unparse(each)):
                    flags |= eval(compile(ast.Expression(each), str(path), "eval"), scope)
            pattern = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
            if isinstance(pattern, str):
                yield (
                    f"{path.relative_to(SOURCE / 'fathom')}:{call.lineno}",
                    pattern,
                    int(flags),
                    _use(call, names.get(id(call)), source, everything),
                )


def _is_of_re(call: ast.Call) -> bool:
    function = call.func
    return (
        isinstance(function, ast.Attribute)
        and ast.unparse(function.value) == "re"
        and function.attr in {"compile", *PLACES, "sub", "subn", "split", "findall", "finditer"}
    )


def _use(call: ast.Call, name: str | None, source: str, everything: str) -> Use:
    assert isinstance(call.func, ast.Attribute)
    used = {call.func.attr}
    if used == {"compile"}:
        used = set(re.findall(rf"\b{name}\.(\w+)\(", source if name[0] == "_" else everything)) if name else {"search"}
    return "fullmatch" if used == {"fullmatch"} else "match" if used and used <= {"match", "fullmatch"} else "search"


def test_a_fault_of_a_pattern_is_seen() -> None:
    for pattern in (
        r"(a*)*b",
        r"(?:\s*0(?:px|%)?[\s,]*)+\)",
        r"(?:\d+,?)+x",
        r"(?:a|ab|b)*c",
        r"(?:\w{1,20}\s?){2,9}$",
    ):
        assert (fault_of(pattern) or [""])[0] == "exponential", pattern
    for pattern in (r"\s+$", r"<!--.*?-->", r"x\s*\w*\s*y\s*\s*z", r"\d+(?:\.\d+)?%", r"<style>(.*?)</style"):
        assert (fault_of(pattern) or [""])[0] == "polynomial", pattern
    for pattern in (r"(?<!\s)\s+$", r"foo\s+bar", r"x(?:\s+\d+)*y", r"\b\w+!", r"^\s*x", r"\s+", r"x(?:\s*+,?\s*+)+y"):
        assert fault_of(pattern) is None, pattern


def test_no_pattern_takes_exponential_time_and_none_for_whole_texts_more_than_linear() -> None:
    faults = []
    looked = 0
    for where, pattern, flags, used in patterns():
        looked += 1
        whole = where.startswith(WHOLE_TEXTS)
        if fault := fault_of(pattern, flags, used=used, exponential_only=not whole):
            faults.append(f"{where}: {fault[0]} by repeating {fault[1]!r}: {pattern[:80]}")
    assert looked > 500
    assert not faults, "\n".join(faults)


def test_what_the_other_patterns_look_through_has_a_length() -> None:
    """They may take time with the square of it: passages, questions, and what a model says at once."""
    for text in ("\t" * 60_000, "x" * 60_000, "the sea " * 8_000, "潮が満ちる" * 12_000, "a\n" * 30_000):
        document = read(f"The sea. {text} It ends.".encode())
        assert max((chunk.end - chunk.start for chunk in chunks(document)), default=0) <= 2 * LONGEST
    with pytest.raises(UsageError, match="8,001 characters"):
        checked_query("x" * 8_001, Limits())
    assert len(plain("x" * 60_000)) <= 20_000
