"""Checks the statistics that a sentence tells: means, medians, sums, the least and the most."""

from __future__ import annotations

import re
from dataclasses import replace

from fathom.data.clauses import Node
from fathom.data.counting import is_missing
from fathom.data.cues import EACH, GROUP_NOUN, NOUN, STATISTICS
from fathom.data.deriving import CitedTable, Rows
from fathom.data.marks import FIELD, FIELD_MARK
from fathom.data.placing import Places
from fathom.data.results import Statistic
from fathom.data.written import Written

_SUPERLATIVE = re.compile(r"(?:small|low|larg|high|great)est|least|最[大小高低]")
_WITH_VALUE = re.compile(rf"\s*(?:(?:{NOUN})\s+)?(?:with|have|has)\s+an?\s+value\b")
_WITH_VALUE_JA = re.compile(r"値のある(?:記録|レコード)\s*$")


class Statistics(Places):
    """The statistics of a sentence."""

    def statistic_at(self, start: int, end: int) -> tuple[Statistic, str] | None:
        """The statistic and the field that the words before a figure tell; the field may be empty."""
        clauses = self.clauses
        clause_start, clause_end = clauses.clause(clauses.clause_at(start))
        found = self._kinds(clause_start, start)
        if not found and re.match(r"\s*(?:\w+\s+)?on average\b", clauses.after(end)):
            found = [(0, "mean")]
        if not found and any(table.measured for table in self.tables):  # `the sum is 10 for A and 5 for B`
            found = self._kinds(0, clause_start)
        if not found and (mean := re.search(r"\bon average\b|平均", clauses.text[:start])):
            found = [(mean.start(), "mean")]
        if not found:
            return None
        marks = list(re.finditer(FIELD_MARK, clauses.text[: max(start, clause_end)]))
        measured = [name for table in self.tables for name in table.measured]
        named = [clauses.fields[ord(match[0]) - FIELD] for match in marks]
        fields = [name for name in named if name in measured]
        kind: Statistic = max(found)[1]
        return kind, fields[-1] if fields else measured[0] if len(set(measured)) == 1 else ""

    def _kinds(self, start: int, end: int) -> list[tuple[int, Statistic]]:
        """Where the statistics are told between two places; `the largest groups` tells none."""
        text = self.clauses.text
        found = [(match, kind) for kind, pattern in STATISTICS for match in pattern.finditer(text, start, end)]
        return [(match.start(), kind) for match, kind in found if not self._is_of_groups(match)]

    def _is_of_groups(self, match: re.Match[str]) -> bool:
        """Whether a superlative is of groups and not of the values of a field that was summed up."""
        if not _SUPERLATIVE.fullmatch(match[0]):
            return False
        behind = re.match(rf"\s*の?(?:{GROUP_NOUN})", self.clauses.after(match.end()))
        if behind is None:
            return False
        mark = re.search(FIELD_MARK, behind[0])
        measured = {name for table in self.tables for name in table.measured}
        return mark is None or self.clauses.fields[ord(mark[0]) - FIELD] not in measured

    def _statistic(self, figure: Written, node: Node | None) -> str | None:
        """What is wrong with a statistic; `None` when the figure is none."""
        if _WITH_VALUE.match(self.clauses.after(figure.end)) or _WITH_VALUE_JA.search(
            self.clauses.before(figure.start)
        ):
            return self._values(figure, node)
        if re.match(rf"\s*(?:{NOUN})(?! per)", self.clauses.after(figure.end)) and not figure.text.count("."):
            told = self.statistic_at(figure.start, figure.end)
            if told is None or told[0] not in ("mean", "median") or any(table.measured for table in self.tables):
                return None
        told = self.statistic_at(figure.start, figure.end)
        if told is None:
            return None
        kind, name = told
        figure = replace(figure, value=-figure.value) if figure.sign < 0 else figure
        for number, table in enumerate(self.tables):
            if name in table.measured:
                rows = self._measured_rows(number, table, node)
                sides = [frozenset((at,)) for at in rows] if self._is_of_each(figure, node) else [rows]
                found = [table.statistic(each, name, kind) if each else None for each in sides]
                right = all(exact is not None and figure.fits(exact) for exact in found)
                if right and rows and rows <= frozenset(table.rows):
                    return ""
            elif not table.measured and kind in ("mean", "median"):
                groups = sorted(self.plain_groups(table)) if table.is_complete else []
                exact = table.mean_count(groups) if kind == "mean" else table.median_count(groups)
                if groups and figure.fits(exact):
                    return ""
        if not any(name in table.measured for table in self.tables) and kind not in ("mean", "median"):
            return None
        return f"{figure.text} is not the {kind} of {name or 'the groups'}"

    def _is_of_each(self, figure: Written, node: Node | None) -> bool:
        """Whether it is the figure of each of several groups: `A and B tie at 7 each`."""
        start, end = self.clauses.clause(self.clauses.clause_at(figure.start))
        return node is not None and len(node.names) > 1 and bool(EACH.search(self.clauses.text[start:end]))

    def _values(self, figure: Written, node: Node | None) -> str:
        """What is wrong with the number of records that have a value: of the field that is told, or of the only one."""
        told = self.statistic_at(figure.start, figure.end)
        for number, table in enumerate(self.tables):
            names = [told[1]] if told and told[1] in table.measured else table.measured
            rows = self._measured_rows(number, table, node)
            exact = table.statistic(rows, names[0], "count") if len(names) == 1 and rows else None
            if exact is not None and rows <= frozenset(table.rows) and figure.fits(exact):
                return ""
        return f"{figure.text} is not the number of records with a value"

    def _measured_rows(self, number: int, table: CitedTable, node: Node | None) -> Rows:
        if table.is_measured_whole:
            return frozenset((0,))
        if node is None:
            return frozenset(range(len(table.aggregation.buckets))) if table.is_complete else frozenset()
        return next(
            (frozenset[int]().union(*rows) for at, rows in self.elements(node, node.start) if at == number), Rows()
        )

    def plain_groups(self, table: CitedTable) -> list[int]:
        buckets = table.aggregation.buckets
        return [at for at, bucket in enumerate(buckets) if bucket.key and not is_missing(bucket)]
