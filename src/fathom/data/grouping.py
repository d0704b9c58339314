"""Checks how many groups a sentence counts, and what it says of every group or of none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from fathom.data.clauses import Clauses
from fathom.data.cues import (
    EVERY,
    GROUP_NOUN,
    GROUPS,
    NO_GROUP,
    TIE,
)
from fathom.data.deriving import CitedTable, Rows, share
from fathom.data.described import describe
from fathom.data.marks import Masked
from fathom.data.stating import Statistics
from fathom.data.written import Written


class Groups(Statistics):
    """The numbers of groups of a sentence."""

    def __init__(self, clauses: Clauses, marked: Masked, tables: Sequence[CitedTable]) -> None:
        super().__init__(clauses, marked, tables)
        self.used, self._described_wrong = describe(clauses, tables)
        self._bases: list[tuple[int, int, int]] = []

    def is_group_count(self, figure: Written) -> bool:
        after = self.clauses.after(figure.end)
        return bool(GROUPS.match(after)) or bool(re.match(r"\s+of\s+(?:the\s+)?\d+\s+" + GROUP_NOUN, after))

    def _group_count(self, figure: Written) -> str:
        """A number of groups: of all, of those just named, of those that tie, of those without records."""
        clauses = self.clauses
        said = clauses.said(clauses.clause_at(figure.start))
        after = clauses.after(figure.end)
        listed = next((node for node in clauses.nodes if node.form == "list" and node.start > figure.end), None)
        is_part = re.match(rf"\s+of\s+(?:the\s+)?\d+\s+{GROUP_NOUN}", after) or (
            re.search(r"グループ中$", clauses.before(figure.start))
        )
        for table in self.tables_at(figure):
            exact: int | None
            counts = [bucket.count for bucket in table.aggregation.buckets]
            if is_part:
                exact = len(listed.names) if listed else None
            elif TIE.search(said):
                most = table.count((table.ranked[0],)) if table.ranked else 0
                exact = sum(table.count((at,)) == most for at in table.ranked)
            elif which := next((each for each in clauses.figures if self.tells_which(each)), None):
                exact = sum(which.fits(Fraction(count)) for count in counts) if table.is_complete else None
            elif listed and re.search(r"\b(?:remaining|other|these)\s+$", clauses.before(figure.start)):
                exact = len(listed.names)
            elif table.is_timed and re.match(r"\s*(?:different|distinct)", after):
                exact = sum(1 for count in counts if count)
            elif table.aggregation.type == "date_histogram" and len(table.aggregation.fields) < 2:
                exact = len(counts)
                if re.search(r"にあり|に分", after) or "different" in after:
                    exact = sum(1 for count in counts if count)
            else:
                exact = table.groups
                if exact is not None and figure.value == len(table.ranked) and table.is_complete:
                    exact = len(table.ranked)
            if exact is not None and figure.fits(Fraction(exact)):
                return ""
        return f"{figure.text} is not the number of those groups"

    def _quantified(self, figure: Written) -> str | None:
        """What is wrong with a figure of every group, or of none; `None` when it is of neither."""
        start, end = self.clauses.clause(self.clauses.clause_at(figure.start))
        said = self.clauses.plain[start:end]
        none, every = NO_GROUP.search(said), EVERY.search(said)
        if not none and not every:
            return None
        for table in self.tables_at(figure):
            if not table.is_complete or table.is_measured_whole:
                continue
            named = [rows for node in self.clauses.nodes for _, e in self.elements(node, figure.start) for rows in e]
            left_out = frozenset[int]().union(*named) if none and none["other"] else Rows()
            groups = [frozenset((at,)) for at in self.plain_groups(table) if at not in left_out]
            fits = [
                exact is not None and figure.fits(exact)
                for rows in groups
                for exact in [self.value(figure, table, rows)]
            ]
            if (not any(fits)) if none else all(fits):
                return ""
        return f"it is not so of {'no' if none else 'every'} group"

    def tells_which(self, figure: Written) -> bool:
        """Whether it says which groups another figure counts: `3 months have no records`, `2 have more than 30`."""
        is_none = not figure.value and not figure.text[:1].isdecimal()
        if figure.unit or not (is_none or figure.bound in ("more", "least", "less", "most")):
            return False
        start, end = self.clauses.clause(self.clauses.clause_at(figure.start))
        others = [
            each for each in self.clauses.figures_in(start, figure.start if not is_none else end) if each is not figure
        ]
        return not self.clauses.nodes_in(start, figure.start) and any(
            self.is_group_count(each) and not each.unit and each not in self.used for each in others
        )

    def whole_for(self, position: int, table: CitedTable) -> int | None:
        """The records that a share is of: those that the sentence tells last before it, or next."""
        earlier = [whole for start, _, whole in self._bases if start < position]
        later = [whole for start, _, whole in self._bases if start >= position]
        return earlier[-1] if earlier else later[0] if later else table.base

    def value(self, figure: Written, table: CitedTable, rows: Rows) -> Fraction | None:
        """What the figure should be: a count or a share."""
        count = table.count(rows)
        several = len(rows) > 1
        if figure.unit in ("%", "fraction"):
            if several and not table.adds_up and table.aggregation.type != "date_histogram":
                return None
            return share(count, self.whole_for(figure.start, table))
        return Fraction(count)
