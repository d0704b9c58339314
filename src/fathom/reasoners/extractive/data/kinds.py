"""What findings on data are, by how their evidence is named: records, counts, how many records match."""

from __future__ import annotations

import re

from fathom.findings import Finding

RECORD = "record "
"""Begins the locator of a record."""
MATCHED = "matched records: "
"""Begins the line that says how many records match."""
_ROW = re.compile(r"(?:.* \| )?\d+(?: \| .*)?")


def is_of_records(finding: Finding) -> bool:
    """Whether it quotes a record."""
    return finding.evidence[0].locator.startswith(RECORD)


def is_scope(finding: Finding) -> bool:
    """Whether it rests on nothing but how many records match."""
    return all(evidence.quote.startswith(MATCHED) for evidence in finding.evidence)


def is_of_data(finding: Finding) -> bool:
    """Whether a finding comes from data, where the ask holds no documents that would tell."""
    first = finding.evidence[0]
    if first.locator.startswith(RECORD) or first.quote.startswith(MATCHED):
        return True
    return bool(_ROW.fullmatch(first.quote)) and (" = " in first.locator or not first.locator)
