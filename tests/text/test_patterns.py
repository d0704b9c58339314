"""Every regular expression takes time that grows with its text, and no faster: the form of each is looked at."""

from __future__ import annotations

import ast
import builtins
import re
import time
from collections import defaultdict, deque
from collections.abc import Iterator
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from fathom.errors import UsageError
from fathom.limits import Limits, seconds, tokens
from fathom.reading.chunking import LONGEST, chunks
from fathom.reading.plain import read
from fathom.reasoners.extractive.question import READ
from fathom.reasoners.language_model.tasks.plain import plain
from fathom.wiring.question import checked_query
from tests.support.patterns import Use, attacks, fault_of

SOURCE = Path(__file__).parents[2] / "src"
CALLED = ("compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer")
WHOLE_TEXTS = (
    *("reading", "pages", "publishers.py", "text/sentences.py", "text/language.py", "datasets/delimited.py"),
    *("tools/texts.py", "reasoners/language_model/json_text.py"),
)
"""Where whole documents, pages, tables, answers of tools and of models are looked through. Elsewhere it is passages,
questions and what a model says at once, which have a length: see the last test."""


MEETS = {
    "reasoners/extractive/data": (2_000, True),
    "languages/english": (2_000, True),
    "languages/japanese": (2_000, True),
    "languages/boilerplate": (LONGEST, True),
    "languages/dangling": (LONGEST, True),
    "languages": (2_000, True),
    "reasoners/extractive/parts": (2_000, True),
    "reasoners/extractive/names": (8_000, True),
    "reasoners/extractive": (LONGEST, True),
    "data/servers": (2_000, False),
    "data": (LONGEST, True),
    "datasets/loading": (2_000, False),
    "text/analysis": (8_000, False),
    "text/display": (LONGEST, False),
    "text/commonmark": (8_000, False),
    "text/places": (8_000, False),
    "text": (LONGEST, True),
    "verification": (LONGEST, True),
    "reasoners/language_model": (LONGEST, False),
    "render/html": (8_000, False),
    "tools": (200, False),
    "limits": (8_000, False),
    "cli/planning": (200, True),
}
"""What the patterns that take time with the square of a text's length meet: at most so many characters, and whether all
white space in it is single spaces. Of a question 2,000 characters are taken apart, of 8,000; a sentence, read or told
by a model, has `LONGEST`; a tool's name has 200."""
OF_OURS = {
    "api/security/headers.py": "the page, as it was built",
    "text/quantities.py:23": "a constant",
}
"""Patterns that meet nothing from outside, or next to nothing of it."""


@cache
def sources() -> dict[Path, str]:
    return {path: path.read_text(encoding="utf-8") for path in sorted((SOURCE / "fathom").rglob("*.py"))}


@cache
def uses(path: Path | None = None) -> dict[str, set[str]]:
    """By name, what is called of it: in one file, or in any."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for source in sources().values() if path is None else (sources()[path],):
        for name, called in re.findall(r"\b(\w++)\.(\w++)\(", source):
            found[name].add(called)
    return found


@cache
def patterns() -> tuple[tuple[str, str, int, Use], ...]:
    """Every pattern in the package: where it stands, its text, its flags and how it is used.

    What is only known when the program runs, as a part of a pattern, stands as an `x`.
    """
    return tuple(found for path in sources() for found in _patterns_of(path))


def _patterns_of(path: Path) -> Iterator[tuple[str, str, int, Use]]:
    if not re.search(rf"\bre\.(?:{'|'.join(CALLED)})\(", sources()[path]):
        return
    nodes = list(ast.walk(ast.parse(sources()[path])))
    names = {
        id(node.value): node.targets[0].id
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    name = ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for call in nodes:
        if not (isinstance(call, ast.Call) and _is_of_re(call)):
            continue
        written = call.args[0]
        try:
            pattern = written.value if isinstance(written, ast.Constant) else _evaluated(written, name)
        except (AttributeError, IndexError, KeyError, TypeError):  # made of something that only a run knows
            continue
        given = [*call.args[1:], *(each.value for each in call.keywords)]
        flags = 0
        for each in given:
            if re.fullmatch(r"re\.[A-Z]+(?: \| re\.[A-Z]+)*", ast.unparse(each)):
                flags |= _evaluated(each, "re", re=re)
        pattern = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
        if isinstance(pattern, str):
            where = f"{path.relative_to(SOURCE / 'fathom')}:{call.lineno}"
            yield where, pattern, int(flags), _use(call, names.get(id(call)), path)


def _evaluated(written: ast.expr, module: str, **known: Any) -> Any:
    """What an expression of a module says, where the names that only a run knows say `x`."""
    scope = defaultdict(lambda: "x", {**vars(builtins), **vars(import_module(module)), **known})
    return eval(compile(ast.Expression(written), module, "eval"), scope)


def _is_of_re(call: ast.Call) -> bool:
    function = call.func
    return isinstance(function, ast.Attribute) and ast.unparse(function.value) == "re" and function.attr in CALLED


def _use(call: ast.Call, name: str | None, path: Path) -> Use:
    assert isinstance(call.func, ast.Attribute)
    used = {call.func.attr}
    if used == {"compile"}:
        used = uses(path if name[0] == "_" else None).get(name, set()) if name else {"search"}
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
    looked: set[str] = set()
    for where, pattern, flags, used in patterns():
        looked.add(where)
        whole = where.startswith(WHOLE_TEXTS)
        if fault := fault_of(pattern, flags, used=used, exponential_only=not whole):
            faults.append(f"{where}: {fault[0]} by repeating {fault[1]!r}: {pattern[:80]}")
    assert len(looked) > 500
    assert [each for each in OF_OURS if not any(where.startswith(each) for where in looked)] == []
    assert not faults, "\n".join(faults)


def test_what_the_other_patterns_look_through_has_a_length() -> None:
    """They may take time with the square of it: passages, questions, and what a model says at once."""
    for text in ("\t" * 60_000, "x" * 60_000, "the sea " * 8_000, "潮が満ちる" * 12_000, "a\n" * 30_000):
        document = read(f"The sea. {text} It ends.".encode())
        assert max((chunk.end - chunk.start for chunk in chunks(document)), default=0) <= 2 * LONGEST
    with pytest.raises(UsageError, match="8,001 characters"):
        checked_query("x" * 8_001, Limits())
    assert len(plain("x" * 60_000)) <= LONGEST
    assert READ <= 2_000


def test_white_space_in_a_question_and_in_a_claim_costs_nothing() -> None:
    for space in ("\t", " ", "\r", "\x1f", "\u3000", "\u2028"):
        assert checked_query(f"How{space * 4_000}deep is the sea?", Limits()) == "How deep is the sea?"
        assert plain(f"The sea{space * 1_000}is deep.") == "The sea is deep."
    assert checked_query("How deep\n \r\n\t is the sea?\n", Limits()) == "How deep\nis the sea?"


def test_a_limit_is_read_in_time_that_grows_with_it() -> None:
    for read_limit in (seconds, tokens):
        assert read_limit(f"\t9{chr(9) * 8}\n") == 9
        with pytest.raises(ValueError, match="is written like"):
            read_limit(f"9{' ' * 1_000_000}!")


@pytest.mark.soak
def test_no_pattern_takes_long_for_the_longest_text_that_it_meets() -> None:
    """None takes longer, each time the two are run one after the other, than twice what it takes to find no `x` behind
    any of 4,000 digits."""
    yardstick = partial(_seconds, re.compile(r"\d+x"), "search", "0" * 4_000)
    most = 2 * min(yardstick() for _ in range(5))
    slow, looked = [], 0
    for where, pattern, flags, used in patterns():
        if where.startswith((*WHOLE_TEXTS, *OF_OURS)) or fault_of(pattern, flags, used=used) is None:
            continue
        looked += 1
        length, single = next(bound for place, bound in MEETS.items() if where.startswith(place))
        compiled = re.compile(pattern, flags)
        for begin, repeated in attacks(pattern, flags, used=used):
            for word in dict.fromkeys((repeated, repeated.lower())):
                for end in ("\x00", "!", "x"):
                    text = f"{begin}{word * length}"[: length - 1] + end
                    text = " ".join(text.split()) if single else text
                    taken = partial(_seconds, compiled, used, text)
                    if taken() > most and all(taken() > 2 * yardstick() for _ in range(10)):
                        slow.append(f"{where}: {begin!r}, {word!r}, {end!r}: {pattern[:80]}")
    assert looked > 50
    assert not slow, "\n".join(slow)


def _seconds(pattern: re.Pattern[str], used: Use, text: str) -> float:
    """Seconds of CPU to look a text through."""
    started = time.process_time()
    deque(pattern.finditer(text), maxlen=0) if used == "search" else getattr(pattern, used)(text)
    return time.process_time() - started
