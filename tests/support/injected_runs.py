"""Runs on hostile documents, and what bounds them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fathom.report import Report
from fathom.settings import Settings
from fathom.wiring.adapters import opened_store
from tests.support.honest import snapshots_of
from tests.support.injections import Injection

KINDS = frozenset(
    "describe search PlanResearch AllocateQueries ExtractFindings AssessDepth RevisePlan Reflect SynthesizeSubtask"
    " OutlineReport WriteSection WriteReport CheckReport".split()
)
"""All calls that there are: whatever a document says, it can add no other."""


def documents(folder: Path, *injections: Injection) -> Path:
    """A folder that holds them."""
    made = folder / "documents"
    made.mkdir()
    for injection in injections:
        (made / f"{injection.name}.{injection.suffix}").write_text(injection.text, encoding="utf-8")
    return made


async def snapshots(settings: Settings, report: Report) -> dict[str, str]:
    """The texts that a run has kept, by digest."""
    async with opened_store(settings) as store:
        return await snapshots_of(store, report)


def within_bounds(report: Report) -> list[str]:
    """Where a run has done what its limits or its sources do not allow, one line each."""
    return list(_beyond(report))


def _beyond(report: Report) -> Iterator[str]:
    limits, planned = report.limits, [entry for entry in report.subtasks if entry.status != "removed"]
    if unknown := sorted(report.usage.calls.keys() - KINDS):
        yield f"calls of {unknown}"
    if len(report.subtasks) > limits.max_subtasks:
        yield f"{len(report.subtasks)} subtasks"
    if any(entry.depth >= limits.max_depth for entry in planned):
        yield "subtasks too deep"
    for entry in report.subtasks:
        if not 0 <= entry.estimated_importance <= 1:
            yield f"{entry.subtask_id} has the importance {entry.estimated_importance}"
    if any(source.kind != "file" or not source.uri.startswith("file:///") for source in report.sources):
        yield f"sources from elsewhere: {[source.uri for source in report.sources]}"
