"""How the findings of a run are shown: by part of the question, each with where it went."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click

from fathom.cli.terminal import counted, print_rows
from fathom.findings import root_of
from fathom.report import FindingEntry, FindingFate, Report
from fathom.text.harmless import inert

FATES: dict[FindingFate, str] = {"cited": "cited", "merged": "merged", "left_out": "left out"}
HEADINGS = ("fate", "claims", "sources", "finding", "why")


def findings_of(report: Report) -> list[dict[str, Any]]:
    """Every finding, with the part of the question that it is for and the ids of the sources that it rests on."""
    parts = {subtask.subtask_id: subtask.description for subtask in report.subtasks}
    sources = {entry.id: entry.source_id for entry in report.evidence}
    return [
        {
            **each.model_dump(mode="json"),
            "part": parts.get(root_of(each.subtask_id), ""),
            "sources": list(dict.fromkeys(sources[id] for id in each.evidence)),
        }
        for each in report.findings
    ]


def print_findings(report: Report) -> None:
    """The findings of each part, then how many there are of each fate."""
    parts: dict[str, list[dict[str, Any]]] = {subtask.subtask_id: [] for subtask in report.subtasks}
    for each in findings_of(report):
        parts.setdefault(root_of(each["subtask_id"]), []).append(each)
    for id, found in parts.items():
        if found:
            click.echo(inert(f"{id}  {found[0]['part']}".rstrip()))
            print_rows(map(_row, found), headings=HEADINGS, flexible=2, wraps=True)
            click.echo()
    click.echo(_counts(report.findings))


def _row(finding: dict[str, Any]) -> tuple[str, ...]:
    listed = (", ".join(finding[name]) for name in ("claims", "sources"))
    return FATES[finding["fate"]], *listed, finding["claim"], finding["why"]


def _counts(findings: tuple[FindingEntry, ...]) -> str:
    counts = Counter(each.fate for each in findings)
    fates = ", ".join(f"{counts[fate]} {name}" for fate, name in FATES.items() if counts[fate])
    return f"{counted(len(findings), 'finding')}{f': {fates}' if fates else ''}."
