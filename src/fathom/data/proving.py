"""Works each figure of a sentence out anew from the groups that it is told of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from fathom.data.clauses import Clauses, Node
from fathom.data.cues import (
    CHANGE_AFTER,
    CHANGE_BEFORE,
    DATASET,
    EACH,
    GROUPS,
    MARKS,
    NOT_OF,
    OF_AFTER,
    OF_BEFORE,
    RECORDS,
    TOGETHER,
)
from fathom.data.deriving import CitedTable, share
from fathom.data.grouping import Groups
from fathom.data.marks import GROUP_MARK, Masked
from fathom.data.snapshots import cells_of, columns_of
from fathom.data.written import Written
from fathom.text.numbers import numbers

_RESPECTIVELY = re.compile(r"\s*(?:,|、|and|と|,?\s+and|to|から|-|~)\s*")


class Figures(Groups):
    """The figures of a sentence, each with the groups that it is told of."""

    def __init__(self, clauses: Clauses, marked: Masked, tables: Sequence[CitedTable], spans: Sequence[str]) -> None:
        super().__init__(clauses, marked, tables)
        self.spans = [span for span in spans if not _is_row(span, tables)]
        self.proved = 0
        """Figures and comparisons that were worked out, right or wrong."""
        self.changes: list[Written] = []
        """Those that tell a change, a difference or a ratio: two groups stand behind each."""
        self.ranks: list[Written] = []
        self._bases: list[tuple[int, int, int]] = []

    def wrong(self) -> Iterator[str]:
        """What is wrong, in a few words."""
        self.proved += len(self.used)
        yield from self._described_wrong
        rest = []
        for figure in self.clauses.figures:
            if figure in self.used or self._is_year_of_text(figure):
                continue
            if figure.unit in ("times", "points") or self._is_change(figure):
                self.changes.append(figure)
            elif figure.unit == "rank":
                self.ranks.append(figure)
            elif self.tells_which(figure):
                self.proved += 1
            elif not figure.unit and self._is_base(figure):
                self.proved += 1
                if problem := self._base(figure):
                    yield problem
            else:
                rest.append(figure)
        in_order = self._respectively(rest)
        for figure in rest:
            self.proved += 1
            if problem := self._prove(figure, in_order.get(figure)):
                yield problem

    # ── What a figure tells ────────────────────────────────────────────────────────────────────────────────────────

    def _is_change(self, figure: Written) -> bool:
        if figure.unit in ("fraction", "rank"):
            return False
        before, after = self.clauses.before(figure.start), self.clauses.after(figure.end)
        if figure.sign and figure.unit == "%":
            return True
        return bool(CHANGE_BEFORE.search(before) or CHANGE_AFTER.match(after))

    def _is_year_of_text(self, figure: Written) -> bool:
        """Whether it is a year that a cited text names and no count: `the conference of 2019`.

        Not where the counts are over time, whose years are names, nor of how many something is a part: `50 of 2019`.
        """
        if not re.fullmatch(r"(?:19|20)\d\d", figure.text) or any(table.is_timed for table in self.tables):
            return False
        before = self.clauses.before(figure.start)
        if not re.search(r"[^\W\d_]\s+(?:of|in|from|since)\s+$", before) or RECORDS.match(
            self.clauses.after(figure.end)
        ):
            return False
        if re.search(r"\b(?:out|all|share|part|half|most|percent|per cent)\s+of\s+$", before):
            return False
        return any(figure.text in numbers(span.lower()) for span in self.spans)

    def _is_base(self, figure: Written) -> bool:
        """Whether it tells of how many records the others are a part."""
        before, after = self.clauses.before(figure.start), self.clauses.after(figure.end)
        if OF_AFTER.match(after):
            return not GROUPS.match(after)
        if NOT_OF.search(before) or not OF_BEFORE.search(before):
            return bool(re.search(r"記録$|^記録", before) and re.match(rf"件(?:\({MARKS}\))?は", after))
        if GROUPS.match(after):
            return False
        if re.search(r"\b(?:in|over)\s+$", before) and not RECORDS.match(after):
            return False
        return bool(RECORDS.match(after) or re.search(r"\bof\s+(?:the\s+)?$", before))

    def _base(self, figure: Written) -> str:
        number = self.clauses.clause_at(figure.start)
        wide = bool(DATASET.search(self.clauses.before(figure.start, 16) + self.clauses.after(figure.end, 40)))
        wide = wide or bool(re.search(r"データセット", self.clauses.said(number)[: figure.start]))
        for table in self.tables_at(figure):
            wholes: list[int | None] = [table.total] if wide and table.total is not None else [table.base]
            if wide and not table.request.filters:
                wholes.append(table.base)
            for whole in (each for each in wholes if each is not None):
                if figure.fits(Fraction(whole)):
                    self._bases.append((figure.start, figure.end, whole))
                    return self._all_of(figure, table, whole)
        node = self.clauses.node_of(figure)
        if node and re.match(GROUP_MARK, self.clauses.after(figure.end).lstrip()):
            return self._of_node(figure, node)
        return f"the counts are not of {figure.text} records"

    def _all_of(self, figure: Written, table: CitedTable, whole: int) -> str:
        """`All 165 records have theme = AI`: so they must."""
        start, end = self.clauses.clause(self.clauses.clause_at(figure.start))
        said = self.clauses.text[start:end]
        is_all = re.search(r"\ball\s+(?:of the\s+)?$", self.clauses.before(figure.start))
        if not (is_all and re.match(r"\s*all\b", said)) and "すべて" not in self.clauses.text:
            return ""
        for node in self.clauses.nodes:
            if node.start > figure.end and not self.clauses.figures_in(figure.end, len(self.clauses.text)):
                for _, elements in self.elements(node, figure.start):
                    if sum(table.count(rows) for rows in elements) != whole:
                        return f"not all of them are in {node.label}"
        return ""

    # ── Right or wrong ─────────────────────────────────────────────────────────────────────────────────────────────

    def _prove(self, figure: Written, in_order: Node | None) -> str:
        """What is wrong with a figure; empty when it is right."""
        if not figure.unit and self.is_group_count(figure):
            return self._group_count(figure)
        node = in_order or self.clauses.node_of(figure)
        if not figure.unit and (problem := self._statistic(figure, node)) is not None:
            return problem
        if (problem := self._quantified(figure)) is not None:
            return problem
        if figure.sign < 0:
            return f"{figure.text} is no number of records"
        if self._counts_together(figure) and (joined := self._joined(figure)):
            node = joined
        if node is not None:
            return self._of_node(figure, node)
        return self._of_whole(figure)

    def _of_node(self, figure: Written, node: Node) -> str:
        if node.other:
            return self._of_others(figure)
        each = bool(EACH.search(self._around(figure)))
        together = self._counts_together(figure)
        uncited = False
        for number, elements in self.elements(node, figure.start):
            table = self.tables[number]
            if not frozenset[int]().union(*elements) <= frozenset(table.rows):
                uncited = True
                continue
            values = [self.value(figure, table, rows) for rows in elements]
            union = frozenset[int]().union(*elements)
            if each or (len(elements) > 1 and not together):
                if all(value is not None and figure.fits(value) for value in values):
                    return ""
                if each:
                    continue
            summed = self.value(figure, table, union)
            if summed is not None and figure.fits(summed):
                return ""
        if uncited:
            return f"{node.label} is in no cited row"
        return f"{figure.text} is not what the counts say of {node.label}"

    def _of_others(self, figure: Written) -> str:
        for table in self.tables_at(figure):
            other = table.aggregation.other
            if other is None:
                continue
            exact = Fraction(other) if not figure.unit else share(other, self.whole_for(figure.start, table))
            if exact is not None and figure.fits(exact):
                return ""
        return f"{figure.text} is not what the other groups have"

    def _of_whole(self, figure: Written) -> str:
        """A figure that is told of no group: of all that match, of the ends of the time, of the only cited row."""
        before, after = self.clauses.before(figure.start), self.clauses.after(figure.end)
        for table in self.tables_at(figure):
            if table.is_timed and not figure.unit and table.steps:
                if re.search(r"\bfrom\s+$", before) or re.match(r"\s*件?から", after):
                    return self._at_end(figure, table, table.steps[0])
                if re.search(r"\bto\s+$", before) or re.match(r"\s*件?[にへ]", after):
                    return self._at_end(figure, table, table.steps[-1])
            if figure.unit in ("%", "fraction"):
                bases = [whole for _, _, whole in self._bases]
                if table.total in bases and table.matched is not None:
                    exact = share(table.matched, table.total)
                    if exact is not None and figure.fits(exact):
                        return ""
            elif figure.fits(Fraction(self._all_that_match(table))):
                return ""
        if len(self.tables) and len(self._cited()) == 1 and not self.clauses.nodes:
            table, at = self._cited()[0]
            exact = self.value(figure, table, frozenset((at,)))
            if exact is not None and figure.fits(exact):
                return ""
        start, end = self.clauses.clause(self.clauses.clause_at(figure.start))
        if not self.clauses.nodes_in(start, end) and any(figure.text in numbers(span.lower()) for span in self.spans):
            return ""
        return (
            f"it is not clear what {figure.text} is of" if self.clauses.nodes else f"{figure.text} is not in the counts"
        )

    @staticmethod
    def _all_that_match(table: CitedTable) -> int:
        """Records that match, as far as it is known; -1 where it is not."""
        if table.matched is not None:
            return table.matched
        counted = sum(bucket.count for bucket in table.aggregation.buckets)
        return table.base if table.base is not None else -1 if counted or not table.is_complete else 0

    def _at_end(self, figure: Written, table: CitedTable, at: int) -> str:
        if at in table.rows and figure.fits(Fraction(table.count((at,)))):
            return ""
        return f"{figure.text} is not what the counts say of {table.date(at)}"

    def _cited(self) -> list[tuple[CitedTable, int]]:
        return [(table, at) for table in self.tables for at in table.rows]

    # ── Several at once ────────────────────────────────────────────────────────────────────────────────────────────

    def _around(self, figure: Written) -> str:
        start, end = self.clauses.clause(self.clauses.clause_at(figure.start))
        return self.clauses.text[start:end]

    def _counts_together(self, figure: Written) -> bool:
        """Whether it counts what is named before it together; a figure in brackets right behind a name does not."""
        if re.search(rf"{GROUP_MARK}\s*\($", self.clauses.before(figure.start)):
            return False
        return bool(TOGETHER.search(self._around(figure)))

    def _joined(self, figure: Written) -> Node | None:
        """All groups that are named before a figure, when it counts them together."""
        before = [node for node in self.clauses.nodes if node.end <= figure.start and not node.other]
        if not before or any(not node.names or node.form == "range" for node in before):
            return None
        names = tuple(name for node in before for name in node.names)
        return Node(before[0].start, before[-1].end, names, "list") if len(names) > 1 else None

    def _respectively(self, figures: Sequence[Written]) -> dict[Written, Node]:
        """Figures in a row beside as many names in a row: each belongs to the one at its place."""
        found: dict[Written, Node] = {}
        run: list[Written] = []
        for figure in [*figures, None]:
            if run and figure is not None and figure.unit == run[-1].unit:
                between = self.clauses.text[run[-1].end : figure.start]
                if _RESPECTIVELY.fullmatch(re.sub(r"件|records|events", "", between)):
                    run.append(figure)
                    continue
            if len(run) > 1:
                node = next((node for node in self.clauses.nodes if len(node.names) == len(run)), None)
                if node:
                    for each, name in zip(run, node.names, strict=True):
                        found[each] = Node(node.start, node.end, (name,))
            run = [figure] if figure is not None else []
        return found


def _is_row(span: str, tables: Sequence[CitedTable]) -> bool:
    """Whether a span is a line of a table: what it says is checked by the table itself."""
    line = " ".join(span.split())
    if re.match(
        r"(?:matched records|records of the dataset|counted records|groups|records in other groups): \d+$", line
    ):
        return True
    return any(
        line == " ".join(" | ".join(cells).split())
        for table in tables
        for cells in (
            columns_of(table.aggregation),
            *(cells_of(table.aggregation, bucket) for bucket in table.aggregation.buckets),
        )
    )
