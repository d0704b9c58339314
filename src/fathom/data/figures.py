"""Checks every figure of a sentence against the counts that it cites, and works sums, shares and ranks out anew.

A figure is right when it is what its row says, or follows from the cited rows: a sum, a share, a difference, a ratio, a
change, a rank, a mean. It must be so of the group that it is told of: of the one named beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

from fathom.data.clauses import Clauses
from fathom.data.comparing import Comparisons
from fathom.data.deriving import CitedTable
from fathom.data.leftover import doubts_of, unknown_names
from fathom.data.marks import masked
from fathom.data.proving import Figures
from fathom.verification.verdicts import Verdict, check

__all__ = ["CitedTable", "check_figures"]


def check_figures(sentence: str, tables: Sequence[CitedTable], spans: Sequence[str]) -> Verdict:
    """Judge `sentence`, without citation marks, against the counts and the readable text of the spans that it cites.

    >>> from fathom.data.results import Aggregation, Bucket
    >>> themes = Aggregation(
    ...     type="group_by",
    ...     fields=("theme",),
    ...     buckets=(Bucket(key=("AI",), count=50), Bucket(key=("Cloud",), count=40)),
    ...     distinct=2,
    ... )
    >>> table = CitedTable(themes, rows=(0, 1), matched=90)
    >>> check_figures("AI leads with 50 of 90 records (55.6 %).", [table], []).status
    'supported'
    >>> check_figures("Cloud leads with 50 of 90 records.", [table], []).status
    'unsupported'
    """
    if not tables:
        return check(sentence, spans)
    marked = masked(sentence, tables)
    clauses = Clauses(marked)
    figures = Figures(clauses, marked, tables, spans)
    wrong = [*figures.wrong(), *Comparisons(figures).wrong()]
    if not figures.proved and not wrong:
        return check(sentence, spans)
    if wrong:
        return Verdict("unsupported", 0.0, wrong[0], is_proved=True)
    if names := unknown_names(marked, tables, spans):
        return Verdict("unsupported", 0.0, f"{names[0]} is not in the source")
    if doubt := doubts_of(clauses, tables, spans):
        return Verdict("unjudged", 0.6, doubt)
    return Verdict("supported", 1.0, "worked out from the cited counts", is_proved=True)
