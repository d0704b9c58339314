"""What findings on data are: records as they stand there, or facts that were worked out from counts."""

from __future__ import annotations

from fathom.findings import Finding

RECORD = "record "
"""Begins the locator of a record."""


def is_of_records(finding: Finding) -> bool:
    """Whether it quotes a record."""
    return finding.evidence[0].locator.startswith(RECORD)


def is_of_data(finding: Finding) -> bool:
    """Whether a finding comes from data."""
    return finding.fact is not None or is_of_records(finding)
