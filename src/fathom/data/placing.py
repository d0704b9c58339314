"""What the names of a sentence stand for: which rows of which of the cited tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fathom.data.clauses import Clauses, Node
from fathom.data.deriving import CitedTable, Rows
from fathom.data.marks import CONTEXT, CONTEXT_MARK, Masked
from fathom.data.written import Written


class Places:
    """A sentence and the tables that it cites."""

    def __init__(self, clauses: Clauses, marked: Masked, tables: Sequence[CitedTable]) -> None:
        self.clauses, self.marked, self.tables = clauses, marked, tables

    def elements(self, node: Node, position: int) -> list[tuple[int, list[Rows]]]:
        """The groups of a node in each table that has them: one set per name, narrowed by the other parts of a key."""
        if node.other:
            return []
        if not node.names:
            return [(node.table, [frozenset((at,)) for at in sorted(node.rows)])] if node.rows else []
        found = []
        allowed = self.allowed(position)
        for number, table in enumerate(self.tables):
            places = [name.place(number) for name in node.names]
            if number not in allowed or any(place is None for place in places):
                continue
            rows = [self._narrowed(number, place.rows, place.dim, node) for place in places if place]
            if node.form == "range" and table.is_timed and len(rows) == 2 and rows[0] and rows[1]:
                rows = [table.between(rows[0], rows[1]) & self.others_of(number, node)]
            if all(rows) and (all(len(each) == 1 for each in rows) or self._may_sum(table)):
                found.append((number, rows))
        return found

    def _may_sum(self, table: CitedTable) -> bool:
        return (table.aggregation.type == "date_histogram" and len(table.aggregation.fields) < 2) or table.is_complete

    def _narrowed(self, number: int, rows: Rows, dim: int | None, node: Node) -> Rows:
        if dim is None or len(self.tables[number].aggregation.fields) < 2:
            return rows
        return rows & self.others_of(number, node)

    def others_of(self, number: int, node: Node) -> Rows:
        """The groups that the other parts of a key leave, told by the names nearest to `node`."""
        table = self.tables[number]
        every = frozenset(range(len(table.aggregation.buckets)))
        own = {place.dim for name in node.names if (place := name.place(number))}
        if len(table.aggregation.fields) < 2 or None in own:
            return every
        clause = self.clauses.clause_at(node.start)
        nearest: dict[int, tuple[tuple[bool, int], Rows]] = {}
        for other in self.clauses.nodes:
            if other is node or other.form != "single" or not other.names:
                continue
            place = other.names[0].place(number)
            if place is None or place.dim is None or place.dim in own:
                continue
            distance = (self.clauses.clause_at(other.start) != clause, abs(other.start - node.start))
            if place.dim not in nearest or distance < nearest[place.dim][0]:
                nearest[place.dim] = (distance, place.rows)
        return every.intersection(*(rows for _, rows in nearest.values())) if nearest else every

    def allowed(self, position: int) -> set[int]:
        """The tables that the filters named in the clause, or before, leave."""
        every = set(range(len(self.tables)))
        marks = [(match.start(), self.marked.contexts[ord(match[0]) - CONTEXT]) for match in self._context_marks()]
        start, end = self.clauses.clause(self.clauses.clause_at(position))
        here = [tables for at, tables in marks if start <= at < end] or [t for at, t in marks if at < start][-1:]
        left = every.intersection(*here) if here else every
        return left or every

    def _context_marks(self) -> Iterator[re.Match[str]]:
        return re.finditer(CONTEXT_MARK, self.clauses.text)

    def tables_at(self, figure: Written) -> list[CitedTable]:
        return [self.tables[number] for number in sorted(self.allowed(figure.start))]
