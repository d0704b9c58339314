"""Figures and a report that shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fathom.composing.sections import Sentence, blocks_of
from fathom.limits import Limits
from fathom.render.markdown import write
from fathom.report import (
    Claim,
    Coverage,
    DatasetCoverage,
    Estimate,
    Figure,
    Report,
    ReportSection,
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


def section(heading: str, *sentences: Sentence, **fields: Any) -> ReportSection:
    """A section that tells these."""
    claims, blocks = (each.claim.id for each in sentences), blocks_of(sentences)
    return ReportSection(heading=heading, claims=tuple(claims), blocks=tuple(blocks), **fields)


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
    shown = tuple(figure.id for figure in figures)
    sections = (
        section(words.summary, Sentence(claims[0]), role="summary"),
        section("Themes", *map(Sentence, claims[1:]), subtask_id="task_1", figures=shown),
    )
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
        "markdown": "",
        "key_findings": (f"{claims[0].text} {''.join(f'[{id}]' for id in claims[0].citations)}",),
        "conclusions": (),
        "limitations": ("Everything here rests on a single source.",),
        "suggestions": (),
        "sections": sections,
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
    return written(Report(**(fields | changed)))


def plain(*told: ReportSection | Claim, language: str = "en", **changed: Any) -> str:
    """The Markdown of a report of these sections, or of one that tells these claims, without anything else to say."""
    claims = tuple(each for each in told if isinstance(each, Claim)) or changed.pop("claims")
    sections = tuple(each for each in told if isinstance(each, ReportSection))
    sections = sections or (section("Told", *map(Sentence, claims)),)
    bare = {"limitations": (), "coverage": Coverage(), "sections": sections, **changed}
    return report_of(language=language, claims=claims, **bare).markdown


def naming(*sources: SourceEntry, **changed: Any) -> str:
    """The Markdown of a report that tells one sentence, and cites these sources for it."""
    fields = {"id": "C1", "text": "It is told.", "evidence": (), "citations": tuple(each.id for each in sources)}
    return plain(Claim(**fields, status="supported", verified=True, confidence=1.0), sources=sources, **changed)


def written(report: Report) -> Report:
    """The report with its Markdown, unless it has one."""
    return report if report.markdown else report.model_copy(update={"markdown": write(report)})
