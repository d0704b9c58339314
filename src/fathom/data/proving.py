"""Works each figure of a sentence out anew from the groups that it is told of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from fathom.data.clauses import Clauses, Node
from fathom.data.counting import is_missing
from fathom.data.cues import (
    CHANGE_AFTER,
    CHANGE_BEFORE,
    DATASET,
    EACH,
    EVERY,
    GROUP_NOUN,
    GROUPS,
    MARKS,
    NO_GROUP,
    NOT_OF,
    NOUN,
    OF_AFTER,
    OF_BEFORE,
    RECORDS,
    STATISTICS,
    TIE,
    TOGETHER,
)
from fathom.data.deriving import CitedTable, Rows, share
from fathom.data.described import describe
from fathom.data.marks import CONTEXT, CONTEXT_MARK, FIELD, FIELD_MARK, GROUP_MARK, Masked
from fathom.data.results import Statistic
from fathom.data.snapshots import cells_of, columns_of
from fathom.data.written import Written
from fathom.text.numbers import numbers

_RESPECTIVELY = re.compile(r"\s*(?:,|、|and|と|,?\s+and|to|から|-|~)\s*")


class Figures:
    """The figures of a sentence, each with the groups that it is told of."""

    def __init__(self, clauses: Clauses, marked: Masked, tables: Sequence[CitedTable], spans: Sequence[str]) -> None:
        self.clauses, self.marked, self.tables = clauses, marked, tables
        self.spans = [span for span in spans if not _is_row(span, tables)]
        self.proved = 0
        """Figures and comparisons that were worked out, right or wrong."""
        self.changes: list[Written] = []
        """Those that tell a change, a difference or a ratio: two groups stand behind each."""
        self.ranks: list[Written] = []
        self.used, self._described_wrong = describe(clauses, tables)
        self._bases: list[tuple[int, int, int]] = []

    def wrong(self) -> Iterator[str]:
        """What is wrong, in a few words."""
        self.proved += len(self.used)
        yield from self._described_wrong
        rest = []
        for figure in self.clauses.figures:
            if figure in self.used:
                continue
            if figure.unit in ("times", "points") or self._is_change(figure):
                self.changes.append(figure)
            elif figure.unit == "rank":
                self.ranks.append(figure)
            elif self._tells_which(figure):
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

    def _quantified(self, figure: Written) -> str | None:
        """What is wrong with a figure of every group, or of none; `None` when it is of neither."""
        start, end = self.clauses.clause(self.clauses.clause_at(figure.start))
        said = self.clauses.plain[start:end]
        none, every = NO_GROUP.search(said), EVERY.search(said)
        if not none and not every:
            return None
        for table in self._tables_at(figure):
            if not table.is_complete or table.is_measured_whole:
                continue
            named = [rows for node in self.clauses.nodes for _, e in self.elements(node, figure.start) for rows in e]
            left_out = frozenset[int]().union(*named) if none and none["other"] else Rows()
            groups = [frozenset((at,)) for at in self._plain_groups(table) if at not in left_out]
            fits = [
                exact is not None and figure.fits(exact)
                for rows in groups
                for exact in [self.value(figure, table, rows)]
            ]
            if (not any(fits)) if none else all(fits):
                return ""
        return f"it is not so of {'no' if none else 'every'} group"

    def _tells_which(self, figure: Written) -> bool:
        """Whether it says which groups another figure counts: `3 months have no records`, `2 have more than 30`."""
        is_none = not figure.value and not figure.text[:1].isdecimal()
        if figure.unit or not (is_none or figure.bound in ("more", "least", "less", "most")):
            return False
        start, end = self.clauses.clause(self.clauses.clause_at(figure.start))
        others = [
            each for each in self.clauses.figures_in(start, figure.start if not is_none else end) if each is not figure
        ]
        return not self.clauses.nodes_in(start, figure.start) and any(
            self._is_group_count(each) and not each.unit and each not in self.used for each in others
        )

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
        for table in self._tables_at(figure):
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

    def whole_for(self, position: int, table: CitedTable) -> int | None:
        """The records that a share is of: those that the sentence tells last before it, or next."""
        earlier = [whole for start, _, whole in self._bases if start < position]
        later = [whole for start, _, whole in self._bases if start >= position]
        return earlier[-1] if earlier else later[0] if later else table.base

    # ── Right or wrong ─────────────────────────────────────────────────────────────────────────────────────────────

    def _prove(self, figure: Written, in_order: Node | None) -> str:
        """What is wrong with a figure; empty when it is right."""
        if not figure.unit and self._is_group_count(figure):
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

    def value(self, figure: Written, table: CitedTable, rows: Rows) -> Fraction | None:
        """What the figure should be: a count or a share."""
        count = table.count(rows)
        several = len(rows) > 1
        if figure.unit in ("%", "fraction"):
            if several and not table.adds_up and table.aggregation.type != "date_histogram":
                return None
            return share(count, self.whole_for(figure.start, table))
        return Fraction(count)

    def _of_others(self, figure: Written) -> str:
        for table in self._tables_at(figure):
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
        for table in self._tables_at(figure):
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

    # ── Numbers of groups ──────────────────────────────────────────────────────────────────────────────────────────

    def _is_group_count(self, figure: Written) -> bool:
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
        for table in self._tables_at(figure):
            exact: int | None
            counts = [bucket.count for bucket in table.aggregation.buckets]
            if is_part:
                exact = len(listed.names) if listed else None
            elif TIE.search(said):
                most = table.count((table.ranked[0],)) if table.ranked else 0
                exact = sum(table.count((at,)) == most for at in table.ranked)
            elif which := next((each for each in clauses.figures if self._tells_which(each)), None):
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

    # ── Statistics ─────────────────────────────────────────────────────────────────────────────────────────────────

    def statistic_at(self, start: int, end: int) -> tuple[Statistic, str] | None:
        """The statistic and the field that the words before a figure tell; the field may be empty."""
        clauses = self.clauses
        clause_start, clause_end = clauses.clause(clauses.clause_at(start))
        before = clauses.text[clause_start:start]
        found = [(match.start(), kind) for kind, pattern in STATISTICS for match in pattern.finditer(before)]
        if not found and re.match(r"\s*(?:\w+\s+)?on average\b", clauses.after(end)):
            found = [(0, "mean")]
        if not found and any(table.measured for table in self.tables):  # `the sum is 10 for A and 5 for B`
            earlier = clauses.text[:clause_start]
            found = [(match.start(), kind) for kind, pattern in STATISTICS for match in pattern.finditer(earlier)]
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

    def _statistic(self, figure: Written, node: Node | None) -> str | None:
        """What is wrong with a statistic; `None` when the figure is none."""
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
                exact = table.statistic(rows, name, kind) if rows else None
                if exact is not None and rows and rows <= frozenset(table.rows) and figure.fits(exact):
                    return ""
            elif not table.measured and kind in ("mean", "median"):
                groups = sorted(self._plain_groups(table)) if table.is_complete else []
                exact = table.mean_count(groups) if kind == "mean" else table.median_count(groups)
                if groups and figure.fits(exact):
                    return ""
        if not any(name in table.measured for table in self.tables) and kind not in ("mean", "median"):
            return None
        return f"{figure.text} is not the {kind} of {name or 'the groups'}"

    def _measured_rows(self, number: int, table: CitedTable, node: Node | None) -> Rows:
        if table.is_measured_whole:
            return frozenset((0,))
        if node is None:
            return frozenset(range(len(table.aggregation.buckets))) if table.is_complete else frozenset()
        return next(
            (frozenset[int]().union(*rows) for at, rows in self.elements(node, node.start) if at == number), Rows()
        )

    def _plain_groups(self, table: CitedTable) -> list[int]:
        buckets = table.aggregation.buckets
        return [at for at, bucket in enumerate(buckets) if bucket.key and not is_missing(bucket)]

    # ── What a name stands for ─────────────────────────────────────────────────────────────────────────────────────

    def elements(self, node: Node, position: int) -> list[tuple[int, list[Rows]]]:
        """The groups of a node in each table that has them: one set per name, narrowed by the other parts of a key."""
        if node.other:
            return []
        if not node.names:
            return [(node.table, [frozenset((at,)) for at in sorted(node.rows)])] if node.rows else []
        found = []
        allowed = self._allowed(position)
        for number, table in enumerate(self.tables):
            places = [name.place(number) for name in node.names]
            if number not in allowed or any(place is None for place in places):
                continue
            rows = [self._narrowed(number, place.rows, place.dim, node) for place in places if place]
            if node.form == "range" and table.is_timed and len(rows) == 2 and rows[0] and rows[1]:
                rows = [table.between(rows[0], rows[1]) & self._others_of(number, node)]
            if all(rows) and (all(len(each) == 1 for each in rows) or self._may_sum(table)):
                found.append((number, rows))
        return found

    def _may_sum(self, table: CitedTable) -> bool:
        return (table.aggregation.type == "date_histogram" and len(table.aggregation.fields) < 2) or table.is_complete

    def _narrowed(self, number: int, rows: Rows, dim: int | None, node: Node) -> Rows:
        if dim is None or len(self.tables[number].aggregation.fields) < 2:
            return rows
        return rows & self._others_of(number, node)

    def _others_of(self, number: int, node: Node) -> Rows:
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

    def _allowed(self, position: int) -> set[int]:
        """The tables that the filters named in the clause, or before, leave."""
        every = set(range(len(self.tables)))
        marks = [(match.start(), self.marked.contexts[ord(match[0]) - CONTEXT]) for match in self._context_marks()]
        start, end = self.clauses.clause(self.clauses.clause_at(position))
        here = [tables for at, tables in marks if start <= at < end] or [t for at, t in marks if at < start][-1:]
        left = every.intersection(*here) if here else every
        return left or every

    def _context_marks(self) -> Iterator[re.Match[str]]:
        return re.finditer(CONTEXT_MARK, self.clauses.text)

    def _tables_at(self, figure: Written) -> list[CitedTable]:
        return [self.tables[number] for number in sorted(self._allowed(figure.start))]

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
