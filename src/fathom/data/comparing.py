"""Checks what a sentence on counts says of groups side by side: which has more, which comes next."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from fathom.data.clauses import Node
from fathom.data.cues import (
    GREATER,
    LESS_JA,
    MORE_JA,
    NEXT,
    SMALLER,
    TOGETHER,
)
from fathom.data.moving import Moves
from fathom.data.proving import Figures
from fathom.data.ranking import Rankings

_NEXT_BEHIND = re.compile(
    r"\s*(?:\([^()]*\)|(?:with|at)\s+[\d.,]+(?:\s+records)?|の?[\d.,]+件)?\s*(?:,\s*and|,|and|、|と)\s*(?:then\s+)?"
)
"""Stands between groups that follow each other."""


class Comparisons:
    """What a sentence says of groups side by side."""

    def __init__(self, figures: Figures) -> None:
        self.figures, self.clauses = figures, figures.clauses
        self.tables, self.text = figures.tables, figures.clauses.text
        self.rankings, self.moves = Rankings(figures), Moves(figures)

    def wrong(self) -> Iterator[str]:
        """What is wrong, in a few words."""
        yield from self.moves.wrong()
        yield from self.rankings.wrong()
        yield from filter(None, self._orders())

    def _proved(self, problem: str) -> str:
        self.figures.proved += 1
        return problem

    def _orders(self) -> Iterator[str]:
        """`A, ahead of B`, `A, followed by B`, `AはBより多い`."""
        for pattern, sign in ((GREATER, 1), (SMALLER, -1)):
            for match in pattern.finditer(self.text):
                before = [node for node in self.clauses.nodes if node.end <= match.start() and node.names]
                behind = next((node for node in self.clauses.nodes if node.start >= match.end()), None)
                if not before or behind is None or not behind.names:
                    continue
                if not re.fullmatch(r"(?:[\s\w(']|\ufdd0)*", self.text[match.end() : behind.start]):
                    continue
                first = self._before_complement(before, match.start())
                yield self._proved(self._ordered(first, behind, sign, match[0]))
        for pattern, sign in ((MORE_JA, 1), (LESS_JA, -1)):
            for match in pattern.finditer(self.text):
                before = [node for node in self.clauses.nodes if node.end <= match.start() and node.names]
                if not before or self.text[before[-1].end : match.start()].strip("のに件\ufdd0 0123456789"):
                    continue
                other = before[-1]
                rest = [node for node in self.clauses.nodes if node is not other and node.names]
                one = before[-2] if len(before) > 1 else rest[0] if rest else None
                if one is not None:
                    yield self._proved(self._ordered(one, other, sign, match[0]))
        for match in NEXT.finditer(self.text):
            before = [node for node in self.clauses.nodes if node.end <= match.start() and node.names]
            behind = next((node for node in self.clauses.nodes if node.start >= match.end() and node.names), None)
            if before and behind:
                yield self._proved(self._follows(before[-1], behind))
                yield from map(self._proved, self._in_order(behind))

    def _before_complement(self, before: list[Node], position: int) -> Node:
        number = self.clauses.clause_at(position)
        start, _ = self.clauses.clause(number)
        own = [node for node in before if node.start >= start]
        return own[-1] if own else before[-1]

    def _ordered(self, first: Node, second: Node, sign: int, word: str) -> str:
        for number, mine in self.figures.elements(first, first.start):
            for other, theirs in self.figures.elements(second, second.start):
                if other != number:
                    continue
                table = self.tables[number]
                if TOGETHER.search(self.text[: second.start]):
                    mine = [frozenset[int]().union(*mine)]
                right = all((table.count(a) - table.count(b)) * sign > 0 for a in mine for b in theirs)
                return "" if right else f"{first.label} is not '{word}' {second.label}"
        return ""

    def _in_order(self, first: Node) -> Iterator[str]:
        """`followed by A (40) and B (30)`: those behind the first of them are told in their order, too."""
        last = first
        for node in self.clauses.nodes:
            if node.start <= last.start or not node.names:
                continue
            if not _NEXT_BEHIND.fullmatch(self.text[last.end : node.start]):
                return
            yield self._follows(last, node)
            last = node

    def _follows(self, first: Node, second: Node) -> str:
        """Whether nothing unnamed comes between the two, by their counts or by the statistic that is told."""
        named = {rows for node in self.clauses.nodes for _, e in self.figures.elements(node, node.start) for rows in e}
        statistic = self.rankings.statistic_before(second.start)
        for number, mine in self.figures.elements(first, first.start):
            for other, theirs in self.figures.elements(second, second.start):
                if other != number:
                    continue
                table = self.tables[number]
                rest = [
                    rows
                    for rows in self.rankings.groups_like(table, second)
                    if rows not in named and not rows <= table.missing
                ]
                high, low = ([self.rankings.size(table, rows, statistic) for rows in each] for each in (mine, theirs))
                others = [self.rankings.size(table, rows, statistic) for rows in rest]
                least, most = min(_known(high), default=None), max(_known(low), default=None)
                if least is None or most is None or (statistic and not table.is_complete):
                    return f"the counts do not say that {second.label} follows {first.label}"
                between = any(most < each <= least for each in _known(others))
                return "" if least >= most and not between else f"{second.label} does not follow {first.label}"
        return ""


def _known(sizes: Iterable[Fraction | None]) -> list[Fraction]:
    return [size for size in sizes if size is not None]
