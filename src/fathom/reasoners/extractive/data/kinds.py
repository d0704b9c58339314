"""What findings on data are: a distribution, a comparison, a trend, sums, a scope, a record."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from fathom.data.requests import Interval
from fathom.evidence import Document
from fathom.findings import Finding

RECORD = "record "
"""Begins the locator of a record."""
MATCHED = "matched records: "
"""Begins the line that says how many records match, and its locator."""
Kind = Literal["distribution", "comparison", "trend", "statistics", "records"]
ORDER: tuple[Kind, ...] = get_args(Kind)
"""The order in which they are told."""
_ROW = re.compile(r"(?:.* \| )?\d+(?: \| .*)?")
_STEPS = re.compile(rf"(?P<field>.+) / (?P<interval>{'|'.join(get_args(Interval))})")
_CONDITIONS = re.compile(r" \([^()]*(?:[=≠∈∉><≥≤∋\"])[^()]*(?:\([^()]*\)[^()]*)*\)$")


@dataclass(frozen=True, kw_only=True)
class Counted:
    """What a snapshot of counts holds, by its title."""

    kind: Kind
    fields: tuple[str, ...] = ()
    """What is counted by."""
    moment: str = ""
    """The field of time."""
    interval: Interval = "month"
    sums: tuple[str, ...] = ()
    """Fields that are summed up."""


def is_of_records(finding: Finding) -> bool:
    """Whether it quotes a record."""
    return finding.evidence[0].locator.startswith(RECORD)


def is_scope(finding: Finding) -> bool:
    """Whether it says how many records match, and nothing of groups."""
    return all(evidence.locator.startswith(MATCHED) for evidence in finding.evidence)


def is_of_data(finding: Finding) -> bool:
    """Whether a finding comes from data, by how its evidence is named: for asks that hold no documents."""
    first = finding.evidence[0]
    if first.locator.startswith((RECORD, MATCHED)):
        return True
    return bool(_ROW.fullmatch(first.quote)) and (" = " in first.locator or not first.locator)


def counted(document: Document) -> Counted:
    """What was counted, by the title of the snapshot (see `fathom.data.titles`).

    >>> made = {"uri": "file:///e", "kind": "dataset", "language": "und", "retrieved_at": "2026"}
    >>> counted(Document(sha256="a", title="events: theme × start / year; Σ price (country = India)", **made)).fields
    ('theme',)
    """
    _, between, what = document.title.partition(": ")
    if not between:
        return Counted(kind="records")
    what = _CONDITIONS.sub("", what)
    parts = what.split("; ")
    summed = ", ".join(part for part in parts if part.startswith("Σ "))
    sums = tuple(name.removeprefix("Σ ") for name in summed.split(", ") if name)
    fields = [name for part in parts if not part.startswith("Σ ") for name in part.split(" × ") if name]
    steps = _STEPS.fullmatch(fields[-1]) if fields else None
    if steps:
        interval: Interval = steps["interval"]  # type: ignore[assignment]  # the pattern holds nothing else
        return Counted(kind="trend", fields=tuple(fields[:-1]), moment=steps["field"], interval=interval, sums=sums)
    if not fields:
        return Counted(kind="statistics", sums=sums)
    return Counted(kind="comparison" if len(fields) > 1 else "distribution", fields=tuple(fields), sums=sums)


def kind_of(finding: Finding, documents: Mapping[str, Document]) -> Kind:
    """What a finding on data is."""
    return "records" if is_of_records(finding) else counted(documents[finding.evidence[0].document]).kind
