"""Checks what rose and fell in a sentence on counts, and by how much two groups differ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from fathom.data.clauses import Node
from fathom.data.cues import (
    COMPARES,
    DOWN,
    HIGHER,
    LOWER,
    SINCE,
    STABLE,
    STEADY,
    TIE,
    UP,
)
from fathom.data.deriving import CitedTable, Rows
from fathom.data.proving import Figures
from fathom.data.written import Written


class Moves:
    """What a sentence says of a change over time, and of the distance between two groups."""

    def __init__(self, figures: Figures) -> None:
        self.figures, self.clauses, self.tables = figures, figures.clauses, figures.tables
        self.text = figures.clauses.text

    def wrong(self) -> Iterator[str]:
        """What is wrong, in a few words."""
        for figure in self.figures.changes:
            self.figures.proved += 1
            if problem := self._change(figure):
                yield problem
        yield from filter(None, self._trends())

    def _proved(self, problem: str) -> str:
        self.figures.proved += 1
        return problem

    def _trends(self) -> Iterator[str]:
        cues = [(match, 1) for match in UP.finditer(self.text)] + [(match, -1) for match in DOWN.finditer(self.text)]
        for match, sign in cues:
            if not any(table.is_timed for table in self.tables):
                yield self._proved("the counts are not over time")
                continue
            pair = self.over_time(match.start())
            if pair is None:
                yield self._proved(f"it is not clear when it was '{match[0]}'")
                continue
            table, before, after = pair
            moved = table.count(after) - table.count(before)
            if STEADY.search(self.text) and not self._is_steady(table, before, after, sign):
                moved = 0
            yield self._proved("" if moved * sign > 0 else f"it is not so that it {'rose' if sign > 0 else 'fell'}")
        for match in STABLE.finditer(self.text):
            if any(table.is_timed for table in self.tables) and not TIE.search(self.text[: match.start()]):
                pair = self.over_time(match.start())
                if pair and not re.search("ピーク", self.text):
                    table, before, after = pair
                    yield self._proved("" if table.count(before) == table.count(after) else "it is not the same")

    @staticmethod
    def _is_steady(table: CitedTable, before: Rows, after: Rows, sign: int) -> bool:
        """Whether each step from one to the other goes the same way."""
        steps = [at for at in table.steps if at in table.between(before, after)]
        return all((table.count((b,)) - table.count((a,))) * sign > 0 for a, b in pairwise(steps))

    def over_time(self, position: int) -> tuple[CitedTable, Rows, Rows] | None:
        """The two times that a change is told of, the earlier one first: those of its clause, else the last two before;
        one alone is compared with the step before it; without any it is the first and the last."""
        for number, table in enumerate(self.tables):
            if not table.is_timed or number not in self.figures.allowed(position):
                continue
            last = len(table.aggregation.fields) - 1
            points: list[tuple[int, Rows]] = []
            for node in self.clauses.nodes:
                places = [place for name in node.names if (place := name.place(number)) and place.dim in (last, None)]
                if len(places) != len(node.names) or not places:
                    continue
                if node.form == "range" and self._is_one_time(node):
                    span = self.figures.elements(node, position)
                    points += [(node.start, rows[0]) for at, rows in span if at == number]
                else:
                    within = self.figures.others_of(number, node)
                    points += [(node.start, place.rows & within) for place in places]
            start, end = self.clauses.clause(self.clauses.clause_at(position))
            here = [rows for at, rows in points if start <= at < end]
            earlier = [rows for at, rows in points if at < start]
            later = [rows for at, rows in points if at >= end]
            chosen = (
                here if len(here) >= 2 else [*earlier, *here][-2:] if earlier and (here or len(earlier) > 1) else here
            )
            if not chosen:
                chosen = [*earlier, *later][:2]
            if len(chosen) == 1 and later and here:
                chosen = [*here, later[0]]
            pair = self._pair(table, chosen)
            if pair:
                before, after = pair
                return table, before, after
        return None

    def _is_one_time(self, node: Node) -> bool:
        """Whether a span of time is one side of the comparison, as `from 40 in A to B`, and not both."""
        before = self.text[max(0, node.start - 8) : node.start]
        return (
            bool(re.search(r"[(]$|\d\s*件?[(]?$", before.strip()))
            or sum(n.form == "range" for n in self.clauses.nodes) > 1
        )

    def _pair(self, table: CitedTable, chosen: list[Rows]) -> tuple[Rows, Rows] | None:
        steps = table.steps
        if not steps or not all(chosen):
            return None
        if len(chosen) >= 2:
            first, second = chosen[0], chosen[1]
            if first == second:
                return None
            return (first, second) if self._when(table, first) <= self._when(table, second) else (second, first)
        if len(table.aggregation.fields) > 1:
            return None
        if not chosen:
            return frozenset(steps[:1]), frozenset(steps[-1:])
        (only,) = chosen
        since = SINCE.search(self.text)
        if since:
            return only, frozenset(steps[-1:])
        at = min(steps.index(step) for step in only)
        if len(only) > 1 or at == 0:
            return None
        return frozenset(steps[at - 1 : at]), only

    @staticmethod
    def _when(table: CitedTable, rows: Rows) -> str:
        return min(table.date(at) for at in rows)

    def _change(self, figure: Written) -> str:
        """A change over time, a difference or a ratio of two groups."""
        start, end = self.clauses.clause(self.clauses.clause_at(figure.start))
        said = self.text[max(0, start - 60) : end + 20]
        compares = COMPARES.search(said)
        pair = None
        timed = self.over_time(figure.start) if any(table.is_timed for table in self.tables) else None
        sides = self._sides(figure)
        if timed and not (compares and sides):
            pair = timed
            sign = self._direction(figure)
        elif sides:
            table, first, second = sides
            pair = (table, second, first)
            sign = self._direction(figure)
        if pair is None:
            return f"it is not clear what {figure.text} compares"
        table, before, after = pair
        if not (before | after) <= frozenset(table.rows):
            return f"what {figure.text} compares is in no cited row"
        a, b = table.count(before), table.count(after)
        if sign and (b - a) * sign < 0 and figure.unit != "times":
            return f"{figure.text} goes the other way"
        if figure.sign and (b - a) * figure.sign < 0:
            return f"{figure.text} goes the other way"
        exact = self._amount(figure, table, a, b)
        return "" if exact is not None and figure.fits(exact) else f"{figure.text} does not follow from the counts"

    def _amount(self, figure: Written, table: CitedTable, a: int, b: int) -> Fraction | None:
        if figure.unit == "times":
            return Fraction(b, a) if a else None
        if figure.unit == "%":
            return Fraction(100 * abs(b - a), a) if a else None
        if figure.unit == "points":
            return Fraction(100 * abs(b - a), table.base) if table.base else None
        return Fraction(abs(b - a))

    def _direction(self, figure: Written) -> int:
        near = self.text[max(0, figure.start - 24) : figure.start] + "|" + self.clauses.after(figure.end, 24)
        up, down = HIGHER.search(near), LOWER.search(near)
        if bool(up) != bool(down):
            return 1 if up else -1
        start, end = self.clauses.clause(self.clauses.clause_at(figure.start))
        said = self.text[start:end]
        rose, fell = UP.search(said), DOWN.search(said)
        return (1 if rose else -1) if bool(rose) != bool(fell) else 0

    def _sides(self, figure: Written) -> tuple[CitedTable, Rows, Rows] | None:
        """The group that is compared and the one that it is compared with."""
        nodes = [node for node in self.clauses.nodes if not node.other and node.names]
        flat = [Node(n.start, n.end, (name,)) for n in nodes if n.form != "range" for name in n.names]
        flat += [n for n in nodes if n.form == "range"]
        if len(flat) < 2:
            flat = [Node(node.start, node.end, (name,)) for node in nodes for name in node.names]
        start, end = self.clauses.clause(self.clauses.clause_at(figure.start))
        before = [node for node in flat if node.end <= figure.start]
        after = [node for node in flat if node.start >= figure.end and node.start < max(end, figure.end + 50)]
        if after and before:
            first, second = before[-1], after[0]
            if first.start < start and any(node.start >= start for node in before):
                first = next(node for node in before if node.start >= start)
        elif len(before) >= 2:
            first, second = before[-2], before[-1]
            between = self.text[first.end : second.start]
            if re.match(r"\s*(?:より|に比べ|に対し)", between):
                first, second = second, first
        elif len(after) >= 2:
            first, second = after[0], after[1]
        else:
            return None
        for number, table in enumerate(self.tables):
            mine = [rows for at, rows in self.figures.elements(first, figure.start) if at == number]
            theirs = [rows for at, rows in self.figures.elements(second, figure.start) if at == number]
            if mine and theirs:
                return table, frozenset[int]().union(*mine[0]), frozenset[int]().union(*theirs[0])
        return None
