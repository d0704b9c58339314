"""Whether a regular expression can take more than linear time: its automaton is looked through for ambiguity.

A backtracking matcher takes exponential time when a state of the automaton is reached from itself by one word in two
ways, and quadratic time or worse when a word leads from one loop to itself, from it to another, and from that to itself
(Weber and Seidl, 1991). The search for the place where a match begins is such a loop, too. Lookarounds are taken for
true, except a negative lookbehind, `\\b` and `^` at the very beginning, which say where a match may begin.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, Literal

c: Any = import_module("re._constants")
_parser: Any = import_module("re._parser")
Set = frozenset[str]
_ALPHABET = frozenset(map(chr, [*range(9, 14), *range(32, 127)])) | frozenset(
    "\x00\x1b\x85\xa0\xadäßΩжक\u200b\u200d\u2003\u3000、。ぁアー語한「！Ａ（：・–“”…①\ud800\U0001f600\U000e0041"
)
_COUNTED = 8
"""Repetitions up to which a counted one is written out; one that may be longer counts as without end."""
_CATEGORIES = {
    c.CATEGORY_DIGIT: str.isdigit,
    c.CATEGORY_SPACE: str.isspace,
    c.CATEGORY_WORD: lambda char: char.isalnum() or char == "_",
}
_NEGATED = {
    c.CATEGORY_NOT_DIGIT: c.CATEGORY_DIGIT,
    c.CATEGORY_NOT_SPACE: c.CATEGORY_SPACE,
    c.CATEGORY_NOT_WORD: c.CATEGORY_WORD,
}


@dataclass
class _Part:
    """A part of the automaton: where it may begin and end, and whether it may be empty."""

    first: dict[int, Set]
    last: dict[int, Set]
    """What may be read next after that state is what is not in the set: a possessive repetition has taken it."""
    empty: bool
    taken: Set = frozenset()
    """What cannot follow when it was empty: a possessive repetition would have taken it."""


@dataclass
class Automaton:
    """States are the characters of the pattern; a state is entered by reading one of its set."""

    ignore_case: bool
    dot_all: bool
    alphabet: Set
    strict: bool = False
    """Whether a condition counts as something to read: it may not hold."""
    counted: bool = False
    """Whether a repetition that may be long, but not without end, counts as one without end."""
    sets: list[Set] = field(default_factory=list)
    edges: dict[int, dict[int, Set]] = field(default_factory=lambda: defaultdict(dict))
    doubled: set[tuple[int, int]] = field(default_factory=set)
    """Edges there are two of: what is repeated within a repetition."""

    def state(self, chars: Iterable[str]) -> _Part:
        self.sets.append(frozenset(chars))
        at = len(self.sets) - 1
        return _Part({at: self.sets[at]}, {at: frozenset()}, empty=False)

    def follow(self, last: dict[int, Set], first: dict[int, Set]) -> None:
        for a, taken in last.items():
            for b, chars in first.items():
                if label := chars - taken:
                    if label & self.edges[a].get(b, frozenset()):
                        self.doubled.add((a, b))
                    self.edges[a][b] = label | self.edges[a].get(b, frozenset())

    def then(self, one: _Part, two: _Part) -> _Part:
        self.follow(one.last, two.first)
        first = {at: chars - one.taken for at, chars in two.first.items()}
        last = {at: known | two.taken for at, known in one.last.items()}
        return _Part(
            {**one.first, **first} if one.empty else one.first,
            {**last, **two.last} if two.empty else two.last,
            one.empty and two.empty,
            (one.taken | two.taken) if one.empty and two.empty else frozenset(),
        )

    def sequence(self, items: Iterable[Any]) -> _Part:
        whole = _Part({}, {}, empty=True)
        for op, value in items:
            whole = self.then(whole, self.part(op, value))
        return whole

    def part(self, op: Any, value: Any) -> _Part:
        if op in {c.LITERAL, c.NOT_LITERAL, c.IN, c.ANY}:
            return self.state(self.chars(op, value))
        if op is c.SUBPATTERN:
            return self.sequence(value[3])
        if op is c.ATOMIC_GROUP:
            return self.sequence(value)
        if op is c.BRANCH:
            parts = [self.sequence(each) for each in value[1]]
            return _Part(
                {k: v for part in parts for k, v in part.first.items()},
                {k: v for part in parts for k, v in part.last.items()},
                any(part.empty for part in parts),
            )
        if op in {c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT}:
            return self.repeated(*value, possessive=op is c.POSSESSIVE_REPEAT)
        if op is c.GROUPREF:
            return self.state(self.alphabet)
        assert op in {c.AT, c.ASSERT, c.ASSERT_NOT}, f"not known: {op}"
        self.sets.append(frozenset())
        return _Part({}, {len(self.sets) - 1: frozenset()} if self.strict else {}, empty=not self.strict)

    def repeated(self, least: int, most: int, inner: Any, *, possessive: bool) -> _Part:
        if most <= _COUNTED or not (self.counted or most is c.MAXREPEAT):
            copies = min(most, _COUNTED)
            parts = [self.sequence(inner) for _ in range(copies)]
            whole = _Part({}, {}, empty=True)
            for number in reversed(range(copies)):
                whole = self.then(parts[number], whole)
                whole.empty = whole.empty or number >= min(least, _COUNTED)
        else:
            whole = self.sequence(inner)
            self.follow(whole.last, whole.first)
            whole.empty = whole.empty or least == 0
        if possessive:
            taken = frozenset().union(*whole.first.values()) if self.counted or most is c.MAXREPEAT else frozenset()
            whole.last = {at: known | taken for at, known in whole.last.items()}
            whole.taken = taken
        return whole

    def chars(self, op: Any, value: Any) -> Set:
        if op is c.ANY:
            return self.alphabet if self.dot_all else self.alphabet - {"\n"}
        if op is c.IN:
            negate = value[0][0] is c.NEGATE
            found = frozenset().union(*(self.chars(*item) for item in value[negate:]))
            return self.alphabet - found if negate else found
        if op is c.NOT_LITERAL:
            return self.alphabet - self.chars(c.LITERAL, value)
        if op is c.CATEGORY:
            if value in _NEGATED:
                return self.alphabet - self.chars(op, _NEGATED[value])
            return _of_category(value, self.alphabet)
        low, high = (value, value) if op is c.LITERAL else value
        return _between(low, high, self.alphabet, self.ignore_case)


@cache
def _of_category(category: Any, alphabet: Set) -> Set:
    return frozenset(filter(_CATEGORIES[category], alphabet))


@cache
def _between(low: int, high: int, alphabet: Set, ignore_case: bool) -> Set:
    found = frozenset(char for char in alphabet if low <= ord(char) <= high)
    if not ignore_case:
        return found
    folded = {char.casefold() for char in found}
    return frozenset(char for char in alphabet if char.casefold() in folded)


Fault = Literal["exponential", "polynomial"]
Use = Literal["search", "match", "fullmatch"]


@cache
def fault_of(
    pattern: str, flags: int = 0, *, used: Use = "search", exponential_only: bool = False
) -> tuple[Fault, str] | None:
    """How a pattern can take more than linear time, with a word that is repeated for it; `None` when it cannot.

    A search may begin anywhere. Except for a full match, a state in which the match is already complete is harmless.
    """
    for tree, given in _ways(pattern, flags):
        if (word := _exponential(_automaton(tree, given, used, counted=True))) is not None:
            return "exponential", word
        if not exponential_only and (found := next(_polynomial(tree, given, used), None)):
            return "polynomial", found[1]
    return None


def attacks(pattern: str, flags: int = 0, *, used: Use = "search") -> Iterator[tuple[str, str]]:
    """What a text begins with that takes more than linear time, and what it goes on repeating."""
    for tree, given in _ways(pattern, flags):
        yield from dict.fromkeys(_polynomial(tree, given, used))


def _ways(pattern: str, flags: int) -> Iterator[tuple[list[Any], int]]:
    """The ways to match that have nothing to do with each other, and the flags in force."""
    tree = _parser.parse(pattern, flags)
    items = list(tree)
    is_choice = len(items) == 1 and items[0][0] is c.BRANCH
    for way in items[0][1][1] if is_choice else [items]:
        yield list(way), tree.state.flags


def _polynomial(tree: list[Any], flags: int, used: Use) -> Iterator[tuple[str, str]]:
    """For each two loops that one word leads through: a word that leads there, and that one."""
    automaton = _automaton(tree, flags, used)
    ends = frozenset() if used == "fullmatch" else _ends(automaton, tree)
    loops = _loops(automaton)
    for one in loops:
        for two in loops:
            if two & ends:
                continue  # what it has read so far is a match
            pairs = ((p, _overlap(automaton, one, two, p, q)) for p in one for q in two - {0, 1, p})
            if found := next(((p, word) for p, word in pairs if word is not None), None):
                yield _way_to(automaton, found[0]), found[1]


def _way_to(automaton: Automaton, state: int) -> str:
    """A short text that leads to the state."""
    ways = {0: "", 1: ""}
    waiting = deque(ways)
    while waiting and state not in ways:
        at = waiting.popleft()
        for following, chars in automaton.edges[at].items():
            if chars and following not in ways:
                ways[following] = ways[at] + min(chars, key=lambda char: (not char.isascii(), not char.isalnum(), char))
                waiting.append(following)
    return ways.get(state, "")


def _automaton(tree: Any, flags: int, used: Use, *, counted: bool = False) -> Automaton:
    alphabet = _ALPHABET | frozenset(_literals(list(tree)))
    automaton = Automaton(bool(flags & re.IGNORECASE), bool(flags & re.DOTALL), alphabet, counted=counted)
    automaton.state(())  # behind what a match may not begin after,
    started = automaton.state(())  # and behind the rest
    barred = _barred(automaton, list(tree), flags)
    whole = automaton.sequence(tree)
    for state in (0, 1):
        if used == "search" and barred != alphabet:
            automaton.edges[state].update({0: barred, 1: alphabet - barred})
    automaton.follow(started.last, whole.first)
    return automaton


def _exponential(automaton: Automaton) -> str | None:
    for loop in _loops(automaton):
        if loop & {0, 1}:
            continue
        if any(a in loop and b in loop for a, b in automaton.doubled):
            return "a repetition within a repetition"
        if (word := _twice(automaton, loop, min(loop))) is not None:  # what one state of a loop can, all can
            return word
    return None


def _ends(automaton: Automaton, tree: Any) -> frozenset[int]:
    """The states in which nothing is left that could fail."""
    strict = Automaton(automaton.ignore_case, automaton.dot_all, automaton.alphabet, strict=True)
    strict.sets += [frozenset(), frozenset()]
    return frozenset(strict.sequence(tree).last)


def _literals(items: Iterable[Any]) -> Iterator[str]:
    for item in items:
        if isinstance(item, tuple) and len(item) == 2 and item[0] in {c.LITERAL, c.NOT_LITERAL}:
            yield chr(item[1])
        elif isinstance(item, tuple) and len(item) == 2 and item[0] is c.RANGE:
            yield from map(chr, item[1])
        elif isinstance(item, tuple | list | _parser.SubPattern):
            yield from _literals(list(item))


def _barred(automaton: Automaton, items: list[Any], flags: int) -> Set:
    """The characters directly behind which no match begins."""
    nothing: Set = frozenset()
    if not items:
        return nothing
    op, value = items[0]
    if op is c.SUBPATTERN:
        return _barred(automaton, list(value[3]), flags)
    if op is c.BRANCH:
        each = [_barred(automaton, list(branch), flags) for branch in value[1]]
        return nothing.union(*each[:1]).intersection(*each[1:])
    if op is c.AT and value in {c.AT_BEGINNING, c.AT_BEGINNING_STRING}:
        if value is c.AT_BEGINNING and flags & re.MULTILINE:
            return automaton.alphabet - {"\n"} | _barred(automaton, items[1:], flags)
        return automaton.alphabet
    if op is c.AT and value is c.AT_BOUNDARY:
        following = Automaton(automaton.ignore_case, automaton.dot_all, automaton.alphabet).sequence(items[1:])
        word = automaton.chars(c.CATEGORY, c.CATEGORY_WORD)
        return word if not following.empty and all(chars <= word for chars in following.first.values()) else nothing
    if op is c.ASSERT_NOT and value[0] == -1 and len(value[1]) == 1:
        here = value[1][0]
        if here[0] in {c.LITERAL, c.NOT_LITERAL, c.IN, c.ANY}:
            return automaton.chars(*here) | _barred(automaton, items[1:], flags)
    if op is c.ASSERT and value[0] == -1 and len(value[1]) == 1:
        here = value[1][0]
        if here[0] in {c.LITERAL, c.NOT_LITERAL, c.IN, c.ANY}:
            return automaton.alphabet - automaton.chars(*here) | _barred(automaton, items[1:], flags)
    if op in {c.ASSERT, c.ASSERT_NOT}:
        return _barred(automaton, items[1:], flags)
    return nothing


def _loops(automaton: Automaton) -> list[frozenset[int]]:
    """The strongly connected components with an edge (Tarjan, 1972, here by reach, as automata are small)."""
    edges = {a: set(targets) for a, targets in automaton.edges.items()}
    while any(not targets <= edges.keys() or not targets for targets in edges.values()):  # what ends is in no loop
        edges = {a: left for a, targets in edges.items() if (left := targets & edges.keys())}
    reach: dict[int, set[int]] = {}
    for state in edges:
        seen: set[int] = set()
        waiting = list(edges.get(state, ()))
        while waiting:
            at = waiting.pop()
            if at not in seen:
                seen.add(at)
                waiting += edges.get(at, ())
        reach[state] = seen
    return list({frozenset(b for b in reach[a] if a in reach[b]): None for a in reach if a in reach[a]})


def _twice(automaton: Automaton, loop: frozenset[int], state: int) -> str | None:
    """A word that leads from a state to itself in two ways."""
    seen = {(state, state, False)}
    waiting = deque([(state, state, False, "")])
    while waiting:
        a, b, apart, word = waiting.popleft()
        for x, one in automaton.edges[a].items():
            for y, two in automaton.edges[b].items():
                both = one & two
                if not both or x not in loop or y not in loop:
                    continue
                now = (x, y, apart or x != y)
                if now == (state, state, True):
                    return word + min(both)
                if now not in seen:
                    seen.add(now)
                    waiting.append((*now, word + min(both)))
    return None


def _overlap(automaton: Automaton, one: frozenset[int], two: frozenset[int], p: int, q: int) -> str | None:
    """A word that leads from `p` to itself, from `p` to `q`, and from `q` to itself."""
    edges = automaton.edges
    first_chars, last_chars = (
        frozenset().union(*(chars for at, chars in edges[state].items() if at in loop))
        for state, loop in ((p, one), (q, two))
    )
    if not first_chars & last_chars or not automaton.sets[q] & (automaton.sets[p] or automaton.alphabet):
        return None
    seen = {(p, p, q)}
    waiting = deque([(p, p, q, "")])
    while waiting:
        a, b, z, word = waiting.popleft()
        for k, third in edges[z].items():
            if k not in two:
                continue
            for i, first in edges[a].items():
                both = first & third
                if not both or i not in one:
                    continue
                for j, second in edges[b].items():
                    common = both & second
                    if not common:
                        continue
                    if (i, j, k) == (p, q, q):
                        return word + min(common)
                    if (i, j, k) not in seen:
                        seen.add((i, j, k))
                        waiting.append((i, j, k, word + min(common)))
    return None
