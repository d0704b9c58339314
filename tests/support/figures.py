"""Figures and a report that shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fathom.composing.markdown import ReportDraft, ReportPart, Sentence, compose, section_of
from fathom.limits import Limits
from fathom.report import (
    Claim,
    Coverage,
    DatasetCoverage,
    Estimate,
    Figure,
    Report,
    SourceEntry,
    SubtaskEntry,
    Usage,
)
from fathom.text.numbers import plain_number
from fathom.text.phrases import phrases

TITLE = "events: event_theme (country = India)"


def bars(counts: Mapping[str, float], *, name: str = "records", title: str = TITLE, **changed: Any) -> Figure:
    """A distribution."""
    columns = ("event_theme", "records") if name == "records" else ("event_theme", "records", name)
    rows = tuple(
        (key, plain_number(value)) if name == "records" else (key, "1", plain_number(value))
        for key, value in counts.items()
    )
    fields = {
        "id": "F1",
        "title": title,
        "kind": "bar",
        "source_id": "S1",
        "subtask_id": "task_1",
        "columns": columns,
        "rows": rows,
        "labels": tuple(counts),
        "values": tuple(map(float, counts.values())),
        "value_name": name,
    }
    return Figure.model_validate(fields | changed)


def line(counts: Mapping[str, float], **changed: Any) -> Figure:
    """A histogram."""
    fields = {"title": "events: date / month", "kind": "line", "columns": ("date", "records"), "id": "F2"}
    return bars(counts, **(fields | changed))


def report_of(*figures: Figure, language: str = "en", claims: tuple[Claim, ...] = (), **changed: Any) -> Report:
    """A report with one section that shows the figures."""
    words = phrases(language)
    claims = claims or (
        Claim(
            id="C1",
            text="AI is the most frequent theme with 50 records.",
            citations=("S1",),
            evidence=("E1",),
            status="supported",
            verified=True,
            confidence=0.9,
            subtask_id="task_1",
        ),
        Claim(
            id="C2",
            text="It makes up 31 % of them.",
            citations=("S1",),
            evidence=("E1",),
            status="unsupported",
            verified=False,
            confidence=0.2,
            subtask_id="task_1",
        ),
    )
    sources = (
        SourceEntry(
            id="S1",
            uri="file:///data/events.csv",
            title=TITLE,
            sha256="0" * 64,
            retrieved_at="2026-01-02T03:04:05+00:00",
            kind="dataset",
            query='analyze {"group_by": ["event_theme"]}',
            records=165,
        ),
        SourceEntry(
            id="S2",
            uri="file:///notes.md",
            title="Notes",
            sha256="1" * 64,
            retrieved_at="2026-01-02T03:04:05+00:00",
            kind="file",
        ),
    )
    summary, themes = Sentence(claims[0]), tuple(map(Sentence, claims[1:]))
    parts = (
        ReportPart(words.summary, (summary,), role="summary"),
        ReportPart("Themes", themes, subtask_id="task_1", figures=figures),
    )
    draft = ReportDraft(title="India events", phrases=words, parts=parts, sources=sources[:1])
    subtask = SubtaskEntry(
        subtask_id="task_1",
        parent_id=None,
        depth=0,
        description="How are events distributed?",
        focus_area="themes",
        priority=1,
        dependencies=(),
        estimated_importance=1.0,
        status="completed",
        evaluation=None,
    )
    coverage = DatasetCoverage(
        name="events", total=100_000, matched=165, fetched=165, scanned=165, counted=3, subtask_id="task_1"
    )
    fields: dict[str, Any] = {
        "run_id": "run_1",
        "query": "India events by theme",
        "language": language,
        "mode": "simple",
        "created_at": "2026-01-02T03:04:05+00:00",
        "title": "India events",
        "markdown": compose(draft),
        "key_findings": (f"{claims[0].text} {''.join(f'[{id}]' for id in claims[0].citations)}",),
        "conclusions": (),
        "limitations": ("Everything here rests on a single source.",),
        "suggestions": (),
        "sections": tuple(map(section_of, parts)),
        "claims": claims,
        "evidence": (),
        "findings": (),
        "syntheses": (),
        "sources": sources,
        "subtasks": (subtask,),
        "not_found": (),
        "contradictions": (),
        "coverage": Coverage(total=100_000, datasets=(coverage,)),
        "usage": Usage(),
        "limits": Limits(),
        "estimate": Estimate(),
        "partial": None,
        "figures": figures,
    }
    return Report(**(fields | changed))
