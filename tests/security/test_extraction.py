"""Documents that give orders are material, also to the reasoner that needs no model."""

from __future__ import annotations

from pathlib import Path

import pytest

import fathom
from tests.support.honest import faults_of
from tests.support.injected_runs import documents, snapshots, within_bounds
from tests.support.injections import CANARY, HOST, INJECTIONS, Injection


@pytest.mark.parametrize("injection", INJECTIONS, ids=lambda each: each.name)
async def test_a_document_that_gives_orders_is_only_quoted(injection: Injection, tmp_path: Path) -> None:
    settings = fathom.Settings(home=tmp_path / "home")
    report = await fathom.research(injection.question, documents=[documents(tmp_path, injection)], settings=settings)

    assert report.claims and all(claim.verified for claim in report.claims)
    assert faults_of(report, await snapshots(settings, report)) == []
    assert within_bounds(report) == []
    planned = " ".join(f"{entry.description} {entry.focus_area}" for entry in report.subtasks)
    assert CANARY not in planned and HOST not in planned
