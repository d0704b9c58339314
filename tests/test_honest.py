"""The checks of honesty notice what they are there for."""

from __future__ import annotations

from typing import Any

import pytest

from fathom.evidence import text_digest
from fathom.report import Claim, EvidenceEntry, Report, ReportSection, SourceEntry
from tests.contracts import a_report
from tests.honest import faults_of

TEXT = "The sea is deep. It is 43 metres deep at the cape."
SOURCE = SourceEntry(
    id="S1", uri="file:///sea.txt", title="Sea", sha256=text_digest(TEXT), retrieved_at="2026-01-01", kind="file"
)
QUOTE = EvidenceEntry(
    id="E1", source_id="S1", quote=TEXT[17:], start=17, end=len(TEXT), locator="", subtask_id="task_1"
)
CLAIM = Claim(
    id="C1",
    text="It is 43 metres deep at the cape.",
    citations=("S1",),
    evidence=("E1",),
    status="supported",
    verified=True,
    confidence=0.9,
)
MARKDOWN = (
    "# Sea\n\nIt is 43 metres deep at the cape. [S1]\n\n- [S1] [Sea](<file:///sea.txt>)\n\n<!-- written by Fathom -->\n"
)


def report(markdown: str = MARKDOWN, *, claim: dict[str, Any] | None = None, **changes: Any) -> Report:
    fields = {"sources": (SOURCE,), "evidence": (QUOTE,), "claims": (CLAIM.model_copy(update=claim or {}),)}
    empty = {"findings": (), "syntheses": (), "markdown": markdown}
    return a_report("run_one").model_copy(update={**fields, **empty, **changes})


def test_an_honest_report_has_no_faults() -> None:
    assert faults_of(report(), {SOURCE.sha256: TEXT}) == []


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (report(evidence=(QUOTE.model_copy(update={"start": 16}),)), "E1 does not stand at 16"),
        (report(evidence=(QUOTE.model_copy(update={"source_id": "S9"}),)), "which is no source"),
        (report(claim={"evidence": ("E1", "E2")}), "C1 rests on ['E2']"),
        (report(claim={"citations": ("S1", "S2")}), "C1 cites"),
        (report(MARKDOWN.replace("[S1]\n", "[S1][S99]\n")), "cites ['S99']"),
        (report(MARKDOWN + "[x](https://evil.example)"), "a link to https://evil.example"),
        (report(MARKDOWN + "[x](javascript:alert(1))"), "a link to javascript"),
        (report(MARKDOWN + "<https://evil.example>"), "a link to https://evil.example"),
        (report(MARKDOWN + "see https://evil.example/raw"), "a bare address"),
        (report(MARKDOWN + "![](https://evil.example/p.png)"), "an image"),
        (report(MARKDOWN + "a <script>alert(1)</script>"), "HTML: <script>"),
        (report(MARKDOWN + "\n<div>\n"), "HTML: <div>"),
        (report(claim={"text": "It is 44 metres deep."}), "lacks ['44']"),
        (report(claim={"status": "unsupported", "verified": False}), "stands unmarked"),
        (report(claim={"status": "partial"}), "and verified: True"),
        (report(title="The sea of 77 depths"), "['77'] stands in the report"),
        (report(sections=(ReportSection(heading="88 fish"),)), "['88'] stands in the report"),
    ],
)
def test_every_fault_is_noticed(wrong: Report, fault: str) -> None:
    assert any(fault in each for each in faults_of(wrong, {SOURCE.sha256: TEXT}))


def test_a_source_that_was_not_read_is_noticed() -> None:
    assert "S1 (file:///sea.txt) was never read" in faults_of(report(), {})
    assert any("does not stand" in each for each in faults_of(report(), {SOURCE.sha256: TEXT + "!"})) is False
    assert any("another one" in each for each in faults_of(report(), {SOURCE.sha256: TEXT + "!"}))


def test_what_is_marked_is_no_fault() -> None:
    marked = MARKDOWN.replace("cape. [S1]", "cape. [S1] (not supported)")
    assert faults_of(report(marked, claim={"status": "unsupported", "verified": False}), {SOURCE.sha256: TEXT}) == []
