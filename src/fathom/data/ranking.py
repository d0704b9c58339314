"""Checks who has most and least in a sentence on counts, who comes second, who has more than half."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from fathom.data.clauses import Node
from fathom.data.counting import tellable
from fathom.data.cues import (
    FIRST,
    LAST,
    LEAST,
    MAJORITY,
    MOST,
    ONLY,
    PLURAL,
    SAME_SIZE,
    TIE,
)
from fathom.data.deriving import CitedTable, Rows, exact
from fathom.data.marks import FIELD_MARK
from fathom.data.proving import Figures
from fathom.data.results import Statistic
from fathom.data.standing import SIMILAR
from fathom.data.written import Written


class Rankings:
    """What a sentence says of the place of a group among all."""

    def __init__(self, figures: Figures) -> None:
        self.figures, self.clauses, self.tables = figures, figures.clauses, figures.tables
        self.text = figures.clauses.text

    def wrong(self) -> Iterator[str]:
        """What is wrong, in a few words."""
        for figure in self.figures.ranks:
            self.figures.proved += 1
            if problem := self._rank(figure):
                yield problem
        for check in (self._superlatives, self._ends, self._only, self._majorities, self._evenness):
            yield from filter(None, check())

    def _proved(self, problem: str) -> str:
        self.figures.proved += 1
        return problem

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
        return self._value_told(match, measured)

    def _value_told(self, match: re.Match[str], measured: list[str]) -> tuple[Statistic, str] | None:
        """The values of a field that was summed up: `the highest population`, `人口が最大`."""
        behind = re.match(rf"\s*({FIELD_MARK})", self.text[match.end() :])
        before = re.search(rf"({FIELD_MARK})が$", self.text[: match.start()])
        for found in filter(None, (behind, before)):
            name = self.clauses.fields[ord(found[1]) - 0xEA00]
            if name in measured:
                return ("min" if LEAST.fullmatch(match[0]) else "max"), name
        return None

    def statistic_before(self, position: int) -> tuple[Statistic, str] | None:
        """The statistic of the superlative before: `A has the highest mean of attendance, followed by B`."""
        found = list(MOST.finditer(self.text[:position]))
        return self._statistic_told(found[-1]) if found else None

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
        groups = self.groups_like(table, node)
        meant = [rows for rows in groups if rows in elements]
        if len(meant) < len(elements):
            return None
        missing = table.missing
        others = [rows for rows in groups if rows not in elements and not rows <= missing]
        mine = [self.size(table, rows, statistic) for rows in meant]
        theirs = [self.size(table, rows, statistic) for rows in others]
        if any(size is None for size in mine):
            return None
        return [size for size in mine if size is not None], [size for size in theirs if size is not None]

    def size(self, table: CitedTable, rows: Rows, statistic: tuple[Statistic, str] | None) -> Fraction | None:
        """What groups are ranked by: their records, or a statistic; `None` when it is not told."""
        if statistic is None:
            return Fraction(table.count(rows))
        kind, name = statistic
        values = [table.aggregation.buckets[at].statistics.get(name, {}).get(kind) for at in rows]
        value = values[0] if len(values) == 1 else None
        return exact(value) if value is not None and tellable(value) else None

    def groups_like(self, table: CitedTable, node: Node) -> list[Rows]:
        """All groups of the kind of a name: all keys, all values of a part of a key, all years."""
        number = self.tables.index(table)
        place = node.names[0].place(number) if node.names else None
        buckets = table.aggregation.buckets
        if place is None or (place.size == 0 and (place.dim is None or len(table.aggregation.fields) < 2)):
            return [frozenset((at,)) for at in range(len(buckets))]
        within = self.figures.others_of(number, node)
        found: dict[str, set[int]] = {}
        for at in within:
            part = buckets[at].key[place.dim or 0]
            found.setdefault(part[: place.size] if place.size else part, set()).add(at)
        return [frozenset(rows) for rows in found.values()]

    def _several(self, match: re.Match[str]) -> Node | None:
        """All groups that follow: `the largest themes are A (50) and B (40)`."""
        measured = [name for table in self.tables for name in table.measured]
        if not PLURAL.match(self.text, match.end()) or self._value_told(match, measured):
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
