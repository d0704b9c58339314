"""What findings on data are: a distribution, a comparison, a trend, sums, a scope, a record."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal, get_args

from fathom.data.fields import DataField, DatasetDescription
from fathom.data.requests import Interval
from fathom.findings import Finding
from fathom.reasoners.extractive.data.naming import namings

RECORD = "record "
"""Begins the locator of a record."""
MATCHED = "matched records: "
"""Begins the line that says how many records match."""
Kind = Literal["distribution", "comparison", "trend", "statistics", "records"]
ORDER: tuple[Kind, ...] = get_args(Kind)
"""The order in which they are told."""
_ROW = re.compile(r"(?:.* \| )?\d+(?: \| .*)?")
_STEPS = re.compile(rf"(?P<field>.+) / (?P<interval>{'|'.join(get_args(Interval))})")
_CONDITIONS = re.compile(r" \([^()]*(?:[=≠><≥≤“])[^()]*(?:\([^()]*\)[^()]*)*\)$")


@dataclass(frozen=True, kw_only=True)
class Counted:
    """What a snapshot of counts holds, by its title."""

    kind: Kind
    fields: tuple[str, ...] = ()
    """What is counted by."""
    moment: str = ""
    """The field of time."""
    interval: str = ""
    """The steps of time."""
    sums: tuple[str, ...] = ()
    """Fields that are summed up."""
    conditions: str = ""
    """What the records fulfil."""


def is_of_records(finding: Finding) -> bool:
    """Whether it quotes a record."""
    return finding.evidence[0].locator.startswith(RECORD)


def is_scope(finding: Finding) -> bool:
    """Whether it rests on nothing but how many records match."""
    return all(evidence.quote.startswith(MATCHED) for evidence in finding.evidence)


def is_of_data(finding: Finding) -> bool:
    """Whether a finding comes from data, by how its evidence is named: for asks that hold no documents."""
    first = finding.evidence[0]
    if first.locator.startswith(RECORD) or first.quote.startswith(MATCHED):
        return True
    return bool(_ROW.fullmatch(first.quote)) and (" = " in first.locator or not first.locator)


def counted(title: str) -> Counted:
    """What was counted, by the title of the snapshot (see `fathom.data.titles`).

    >>> counted("events: theme × start / year; Σ price (country = India)").fields
    ('theme',)
    """
    _, between, what = title.partition(": ")
    if not between:
        return Counted(kind="records")
    found = _CONDITIONS.search(what)
    conditions = found[0][2:-1] if found else ""
    what = _CONDITIONS.sub("", what)
    parts = what.split("; ")
    summed = ", ".join(part for part in parts if part.startswith("Σ "))
    sums = tuple(name.removeprefix("Σ ") for name in summed.split(", ") if name)
    fields = [name for part in parts if not part.startswith("Σ ") for name in part.split(" × ") if name]
    steps = _STEPS.fullmatch(fields[-1]) if fields else None
    held: dict[str, Any] = {"sums": sums, "conditions": conditions}
    if steps:
        return Counted(
            kind="trend", fields=tuple(fields[:-1]), moment=steps["field"], interval=steps["interval"], **held
        )
    if not fields:
        return Counted(kind="statistics", **held)
    return Counted(kind="comparison" if len(fields) > 1 else "distribution", fields=tuple(fields), **held)


def named_in(text: str, made: Counted) -> frozenset[str]:
    """The fields of a count that a text names."""
    fields = [DataField(name=name, type="category") for name in made.fields if name]
    fields += [DataField(name=name, type="number") for name in made.sums if name]
    if made.moment:
        fields.append(DataField(name=made.moment, type="date"))
    dataset = DatasetDescription(name="data", address="", fields=tuple(fields))
    return frozenset(naming.field.name for naming in namings(text, dataset))
