"""Checks what a sentence on counts says of groups side by side: who has most, who comes second, what rose and fell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from fathom.data.clauses import Node
from fathom.data.counting import tellable
from fathom.data.cues import (
    COMPARES,
    DOWN,
    FIRST,
    GREATER,
    HIGHER,
    LAST,
    LEAST,
    LESS_JA,
    LOWER,
    MAJORITY,
    MORE_JA,
    MOST,
    NEXT,
    ONLY,
    PLURAL,
    SAME_SIZE,
    SINCE,
    SMALLER,
    STABLE,
    STEADY,
    TIE,
    TOGETHER,
    UP,
)
from fathom.data.deriving import CitedTable, Rows, exact
from fathom.data.marks import FIELD_MARK
from fathom.data.proving import Figures
from fathom.data.results import Statistic
from fathom.data.standing import SIMILAR
from fathom.data.written import Written


class Comparisons:
    """What a sentence says of groups side by side."""

    def __init__(self, figures: Figures) -> None:
        self.figures, self.clauses, self.tables = figures, figures.clauses, figures.tables
        self.text = figures.clauses.text

    def wrong(self) -> Iterator[str]:
        """What is wrong, in a few words."""
        for figure in self.figures.changes:
            self.figures.proved += 1
            if problem := self._change(figure):
                yield problem
        for figure in self.figures.ranks:
            self.figures.proved += 1
            if problem := self._rank(figure):
                yield problem
        for check in (
            self._superlatives,
            self._ends,
            self._only,
            self._majorities,
            self._trends,
            self._orders,
            self._evenness,
        ):
            yield from filter(None, check())

    def _proved(self, problem: str) -> str:
        self.figures.proved += 1
        return problem

    # ── Who has most and least ─────────────────────────────────────────────────────────────────────────────────────

    def _superlatives(self) -> Iterator[str]:
        taken = [match.span() for match in MAJORITY.finditer(self.text)]
        taken += [(figure.start - 12, figure.end + 18) for figure in self.figures.used]
        for pattern, least in ((MOST, False), (LEAST, True)):
            for match in pattern.finditer(self.text):
                if any(start <= match.start() < end for start, end in taken):
                    continue
                if re.search(
                    r"\d(?:st|nd|rd|th)?[ -]$|\b(?:second|third|fourth|fifth)[ -]$", self.text[: match.start()]
                ):
                    continue  # a rank: `the second largest`
                if re.search(
                    r"\b(?:second|third|fourth|fifth|\d+(?:nd|rd|th)|\d+位|番目に)\s*-?$", self.text[: match.start()]
                ):
                    continue
                told = self._statistic_told(match)
                if told and told[0] in ("min", "max") and any(table.is_measured_whole for table in self.tables):
                    continue  # the smallest value, not the smallest group
                yield self._proved(self._superlative(match, least=least))

    def _superlative(self, match: re.Match[str], *, least: bool) -> str:
        node = self._several(match) or self.subject(match)
        word = match[0]
        if node is None or not (places := self.figures.elements(node, match.start())):
            return self._nameless(word, least=least)
        statistic = self._statistic_told(match)
        for number, elements in places:
            problem = self._is_extreme(self.tables[number], elements, node, least=least, statistic=statistic)
            if not problem:
                return ""
        return problem

    def _nameless(self, word: str, *, least: bool) -> str:
        """`The largest group has 50`: the figure is looked for in the group that it is."""
        counts = [figure for figure in self.clauses.figures if not figure.unit and figure not in self.figures.used]
        return "" if counts and not least else f"it is not said what has '{word}'"

    def _statistic_told(self, match: re.Match[str]) -> tuple[Statistic, str] | None:
        """The statistic that a superlative is of: `the highest mean of attendance`."""
        measured = [name for table in self.tables for name in table.measured]
        if not measured:
            return None
        start, end = self.clauses.clause(self.clauses.clause_at(match.start()))
        around = self.text[start:end]
        for kind, pattern in (
            ("mean", r"\b(?:mean|average)\b|平均"),
            ("median", r"\bmedian\b|中央値"),
            ("sum", r"\b(?:sum|total)\b|合計"),
            ("min", r"\bminimum\b|最小値"),
            ("max", r"\bmaximum\b|最大値"),
        ):
            if re.search(pattern, around):
                told = self.figures.statistic_at(end, end)
                marks = re.findall(FIELD_MARK, around)
                names = [self.clauses.fields[ord(mark) - 0xEA00] for mark in marks]
                named = next((name for name in names if name in measured), told[1] if told else "")
                return kind, named or measured[0]  # type: ignore[return-value]
        return None

    def _is_extreme(
        self,
        table: CitedTable,
        elements: list[Rows],
        node: Node,
        *,
        least: bool,
        statistic: tuple[Statistic, str] | None,
    ) -> str:
        sizes = self._rivals(table, elements, node, statistic)
        if sizes is None:
            return f"the counts do not say how {node.label} stands to the others"
        mine, others = sizes
        if (least or statistic) and not table.is_complete:
            return "groups were left out, the smallest may be among them"
        if len(elements) > 1 and not self._is_tied():
            return (
                ""
                if all(self._beats(min(mine) if not least else max(mine), each, least) for each in others)
                else (f"{node.label} are not the {'smallest' if least else 'largest'}")
            )
        if self._is_tied():
            best = (min if least else max)([*mine, *others])
            alone = all(each == best for each in mine)
            complete = not any(each == best for each in others) or len(elements) == 1
            return "" if alone and complete else f"{node.label} does not tie for that place"
        if all(self._beats(mine[0], each, least) for each in others):
            return ""
        return f"{node.label} is not the {'smallest' if least else 'largest'} alone"

    def _is_tied(self) -> bool:
        return bool(TIE.search(self.text))

    @staticmethod
    def _beats(mine: Fraction, other: Fraction, least: bool) -> bool:
        return mine < other if least else mine > other

    def _rivals(
        self, table: CitedTable, elements: list[Rows], node: Node, statistic: tuple[Statistic, str] | None
    ) -> tuple[list[Fraction], list[Fraction]] | None:
        """The sizes of the groups that are meant, and those of all the others of their kind."""
        groups = self._groups_like(table, node)
        meant = [rows for rows in groups if rows in elements]
        if len(meant) < len(elements):
            return None
        missing = table.missing
        others = [rows for rows in groups if rows not in elements and not rows <= missing]
        mine = [self._size(table, rows, statistic) for rows in meant]
        theirs = [self._size(table, rows, statistic) for rows in others]
        if any(size is None for size in mine):
            return None
        return [size for size in mine if size is not None], [size for size in theirs if size is not None]

    def _size(self, table: CitedTable, rows: Rows, statistic: tuple[Statistic, str] | None) -> Fraction | None:
        if statistic is None:
            return Fraction(table.count(rows))
        kind, name = statistic
        values = [table.aggregation.buckets[at].statistics.get(name, {}).get(kind) for at in rows]
        value = values[0] if len(values) == 1 else None
        return exact(value) if value is not None and tellable(value) else None

    def _groups_like(self, table: CitedTable, node: Node) -> list[Rows]:
        """All groups of the kind of a name: all keys, all values of a part of a key, all years."""
        number = self.tables.index(table)
        place = node.names[0].place(number) if node.names else None
        buckets = table.aggregation.buckets
        if place is None or (place.size == 0 and (place.dim is None or len(table.aggregation.fields) < 2)):
            return [frozenset((at,)) for at in range(len(buckets))]
        within = self.figures._others_of(number, node)
        found: dict[str, set[int]] = {}
        for at in within:
            part = buckets[at].key[place.dim or 0]
            found.setdefault(part[: place.size] if place.size else part, set()).add(at)
        return [frozenset(rows) for rows in found.values()]

    def _several(self, match: re.Match[str]) -> Node | None:
        """All groups that follow: `the largest themes are A (50) and B (40)`."""
        if not PLURAL.match(self.text, match.end()):
            return None
        behind = [node for node in self.clauses.nodes if node.start >= match.end() and node.names]
        names = tuple(name for node in behind for name in node.names)
        return Node(behind[0].start, behind[-1].end, names, "list") if len(names) > 1 else None

    def subject(self, match: re.Match[str]) -> Node | None:
        """The group that a superlative or a rank is told of."""
        number = self.clauses.clause_at(match.start())
        start, end = self.clauses.clause(number)
        here = self.clauses.nodes_in(start, end)
        before = [node for node in here if node.end <= match.start() and not node.other]
        after = [node for node in here if node.start >= match.end() and not node.other]
        if after and re.fullmatch(
            rf"(?:[\s\w%.\ufdd0]|{FIELD_MARK})*?(?:\b(?:is|are|was|were|by|in|being|on)\b|:|は|が|の|,)[\s(]*(?:the )?",
            self.text[match.end() : after[0].start],
        ):
            return after[0]
        if before:
            return before[-1]
        if after:
            return after[0]
        for earlier in range(number - 1, -1, -1):
            nodes = [node for node in self.clauses.nodes_in(*self.clauses.clause(earlier)) if not node.other]
            if nodes:
                return nodes[0]
        return next((node for node in self.clauses.nodes if node.start > start and not node.other), None)

    def _rank(self, figure: Written) -> str:
        match = re.compile(re.escape(self.text[figure.start : figure.end])).search(self.text, figure.start)
        node = self.subject(match) if match else None
        if node is None or not node.names:
            return f"it is not clear what is {figure.text}"
        backwards = bool(LEAST.search(self.clauses.after(figure.end, 20)))
        for number, elements in self.figures.elements(node, figure.start):
            table = self.tables[number]
            statistic = self._statistic_told(match) if match else None
            sizes = self._rivals(table, elements[:1], node, statistic)
            if sizes is None or ((backwards or statistic) and not table.is_complete):
                continue
            mine, others = sizes[0][0], sizes[1]
            ahead = sum(self._beats(each, mine, backwards) for each in others)
            level = sum(each == mine for each in others)
            if ahead + 1 <= figure.value <= ahead + 1 + level:
                return ""
        return f"{node.label} is not {figure.text}"

    def _ends(self) -> Iterator[str]:
        """The first and the last step of time."""
        if not any(table.is_timed for table in self.tables):
            return
        for pattern, at in ((FIRST, 0), (LAST, -1)):
            for match in pattern.finditer(self.text):
                node = self._right_behind(match) or self.subject(match)
                if node is None:
                    continue
                for number, elements in self.figures.elements(node, match.start()):
                    table = self.tables[number]
                    filled = [step for step in table.steps if table.count((step,))]
                    ends = {table.steps[at], filled[at]} if filled else set()
                    if table.is_timed and len(elements) == 1:
                        right = any(end in elements[0] for end in ends)
                        yield self._proved("" if right else f"{node.label} is not the {match[0]}")

    def _right_behind(self, match: re.Match[str]) -> Node | None:
        return next(
            (
                node
                for node in self.clauses.nodes
                if node.start >= match.end()
                and re.fullmatch(r"[\s\w]{0,24}?(?:is|was|:|,|は|が|の)?[\s(]*", self.text[match.end() : node.start])
            ),
            None,
        )

    def _only(self) -> Iterator[str]:
        for match in ONLY.finditer(self.text):
            node = self.subject(match)
            end = self.clauses.clause(self.clauses.clause_at(match.start()))[1]
            bounds = [
                each for each in self.clauses.figures_in(match.end(), end) if each.bound in ("more", "least", "less")
            ]
            for number, elements in self.figures.elements(node, match.start()) if node else ():
                table = self.tables[number]
                groups = range(len(table.aggregation.buckets))
                fitting = [at for at in groups if all(each.fits(Fraction(table.count((at,)))) for each in bounds)]
                alone = len(fitting) == 1 and frozenset(fitting) in elements and table.is_complete
                yield self._proved("" if alone else f"{node.label if node else ''} is not the only one")

    def _majorities(self) -> Iterator[str]:
        """More than half."""
        for match in MAJORITY.finditer(self.text):
            node = self.subject(match)
            for number, elements in self.figures.elements(node, match.start()) if node else ():
                table = self.tables[number]
                base, count = table.base, table.count(frozenset[int]().union(*elements))
                right = base is not None and 2 * count > base and (len(elements) == 1 or table.adds_up)
                yield self._proved("" if right else f"{node.label if node else ''} is not more than half")

    def _evenness(self) -> Iterator[str]:
        for _ in SAME_SIZE.finditer(self.text):
            for table in self.tables:
                counts = [table.count((at,)) for at in table.ranked]
                if counts and not table.is_measured_whole:
                    even = counts[-1] > 0 and counts[0] <= SIMILAR * counts[-1] and table.is_complete
                    yield self._proved("" if even else "the groups are not of similar size")

    # ── What rose and fell ─────────────────────────────────────────────────────────────────────────────────────────

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
            if not table.is_timed or number not in self.figures._allowed(position):
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
                    within = self.figures._others_of(number, node)
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

    # ── Two side by side ───────────────────────────────────────────────────────────────────────────────────────────

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

    def _follows(self, first: Node, second: Node) -> str:
        """Whether nothing that is not named comes between the two."""
        named = {rows for node in self.clauses.nodes for _, e in self.figures.elements(node, node.start) for rows in e}
        for number, mine in self.figures.elements(first, first.start):
            for other, theirs in self.figures.elements(second, second.start):
                if other != number:
                    continue
                table = self.tables[number]
                high, low = min(map(table.count, mine)), max(map(table.count, theirs))
                rest = [
                    rows for rows in self._groups_like(table, second) if rows not in named and not rows <= table.missing
                ]
                between = any(low < table.count(rows) <= high for rows in rest)
                return "" if high >= low and not between else f"{second.label} does not follow {first.label}"
        return ""
