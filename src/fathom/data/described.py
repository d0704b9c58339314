"""Groups that a sentence describes and does not name: the largest, those without a value, all the others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fathom.data.clauses import Clauses, Node
from fathom.data.cues import GROUPS, LEAST, TIE
from fathom.data.deriving import CitedTable
from fathom.data.marks import FIELD, FIELD_MARK
from fathom.data.written import Written

_NO_VALUE = re.compile(
    rf"(?:\bno|\bwithout(?: an?)?|\bmissing(?: an?)?|\black(?:s|ing)?(?: an?)?)\s+(?:values? (?:for|of|in)\s+)?"
    rf"(?P<field>{FIELD_MARK})(?:\s*,\s*{FIELD_MARK})*"
    rf"|(?<!{FIELD_MARK}[と、])(?P<ja>{FIELD_MARK})(?:[と、]{FIELD_MARK})*(?:の値)?(?:がありません|がない|が空|のない|が欠)"
)
_OTHERS = re.compile(
    r"\b(?:other )?groups (?:that are |which are )?not (?:listed|shown)|\b(?:all |the )?other(?: groups|s\b)"
    r"|\bthe rest\b|\bremaining groups|一覧にないグループ|その他(?:のグループ)?|残りのグループ"
)
_TOP_BEFORE = re.compile(r"(?:\btop|\bleading|上位)\s*$")
_TOP_AFTER = re.compile(r"\s*(?:largest|biggest|most (?:frequent|common|popular)|top|leading|highest)\b")
_BOTTOM_BEFORE = re.compile(r"(?:\bbottom|下位)\s*$")
_BOTTOM_AFTER = re.compile(r"\s*(?:smallest|least (?:frequent|common)|rarest|lowest)\b")


def describe(clauses: Clauses, tables: Sequence[CitedTable]) -> tuple[set[Written], list[str]]:
    """Add the groups that are described to `clauses.nodes`. Returns the figures that this uses up (`the top 3`), and
    what cannot be so."""
    used, wrong = set(), []
    added = [*_missing(clauses, tables), *_others(clauses)]
    for figure in clauses.figures:
        if figure.unit or figure.bound:
            continue
        before, after = clauses.before(figure.start, 12), clauses.after(figure.end, 20)
        said = clauses.said(clauses.clause_at(figure.start))
        if GROUPS.match(after) and TIE.search(said):
            used.add(figure)
            tied = _tied(tables, int(figure.value), least=bool(LEAST.search(said)))
            added += [Node(figure.start, figure.end, (), rows=tied[1], table=tied[0])] if tied else []
            wrong += [] if tied else [f"{figure.text} is not the number of groups that tie"]
            continue
        is_top = bool(_TOP_BEFORE.search(before) or _TOP_AFTER.match(after))
        is_bottom = bool(_BOTTOM_BEFORE.search(before) or _BOTTOM_AFTER.match(after))
        if not is_top and not is_bottom:
            continue
        used.add(figure)
        number, rows = _extreme(tables, int(figure.value), bottom=is_bottom)
        if number is None:
            wrong.append(f"which are the {figure.text} is not in the counts")
            continue
        listed = next((node for node in clauses.nodes if len(node.names) == figure.value), None)
        if listed is None:
            added.append(Node(figure.start, figure.end, (), rows=rows, table=number))
            continue
        named = [place.rows for name in listed.names if (place := name.place(number))]
        if len(named) != len(listed.names) or frozenset[int]().union(*named) != rows:
            wrong.append(f"{listed.label} are not the {figure.text} meant")
    clauses.nodes = sorted([*clauses.nodes, *added], key=lambda node: node.start)
    return used, wrong


def _missing(clauses: Clauses, tables: Sequence[CitedTable]) -> Iterator[Node]:
    for match in _NO_VALUE.finditer(clauses.text):
        mark = match["field"] or match["ja"]
        name = clauses.fields[ord(mark) - FIELD]
        for number, table in enumerate(tables):
            if name in table.aggregation.fields:
                yield Node(match.start(), match.end(), (), rows=table.missing, table=number)
                break


def _others(clauses: Clauses) -> Iterator[Node]:
    for match in _OTHERS.finditer(clauses.text):
        yield Node(match.start(), match.end(), (), other=True)


def _tied(tables: Sequence[CitedTable], many: int, *, least: bool) -> tuple[int, frozenset[int]] | None:
    """The groups that share the first place, or the last, when they are so many."""
    for number, table in enumerate(tables):
        order = table.ranked[::-1] if least else table.ranked
        tied = frozenset(at for at in order if table.count((at,)) == table.count(order[:1]))
        if len(tied) == many and not (least and not table.is_complete):
            return number, tied
    return None


def _extreme(tables: Sequence[CitedTable], many: int, *, bottom: bool) -> tuple[int | None, frozenset[int]]:
    """The largest or the smallest groups, when it is clear which they are."""
    for number, table in enumerate(tables):
        order = table.ranked
        if table.is_measured_whole or not 0 < many <= len(order) or (bottom and not table.is_complete):
            continue
        order = order[::-1] if bottom else order
        counts = [table.count((at,)) for at in order]
        if many == len(order) or counts[many - 1] != counts[many]:
            return number, frozenset(order[:many])
    return None, frozenset()
