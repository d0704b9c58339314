"""The checks of honesty notice what they are there for."""

from __future__ import annotations

from typing import Any

import pytest

from fathom.evidence import text_digest
from fathom.render.markdown import sentences
from fathom.report import (
    Claim,
    Contradiction,
    ContradictionSide,
    EvidenceEntry,
    FindingEntry,
    Report,
    ReportSection,
    SourceEntry,
)
from fathom.text.phrases import phrases
from tests.contracts import a_report
from tests.support.honest import faults_of

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
    origins=1,
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


def test_a_mark_behind_two_citations_is_seen_and_its_want_too() -> None:
    other = SOURCE.model_copy(update={"id": "S2", "uri": "file:///cape.txt", "origin": "S1"})
    weak = {"status": "unsupported", "verified": False, "citations": ("S1", "S2"), "evidence": ("E1", "E2")}
    quotes = (QUOTE, QUOTE.model_copy(update={"id": "E2", "source_id": "S2"}))
    written = report(claim=weak, sources=(SOURCE, other), evidence=quotes)
    sentence = sentences(written.claims, phrases("en"))
    listed = MARKDOWN.replace("\n\n<!--", "\n- [S2] [Sea](<file:///cape.txt>)\n\n<!--")
    marked = written.model_copy(update={"markdown": listed.replace(f"{CLAIM.text} [S1]", sentence)})
    unmarked = written.model_copy(update={"markdown": listed.replace(f"{CLAIM.text} [S1]", f"{CLAIM.text} [S1] [S2]")})

    assert faults_of(marked, {SOURCE.sha256: TEXT}) == []
    assert faults_of(unmarked, {SOURCE.sha256: TEXT}) == [f"C1 is unsupported and stands unmarked: {CLAIM.text}"]


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


# ── Who says so, and who says otherwise ────────────────────────────────────────────────────────────────────────────

PAGE = SourceEntry(
    id="S2",
    uri="https://sea.example/",
    title="The sea",
    sha256=text_digest("It is 55 metres deep."),
    retrieved_at="2026-01-02T00:00:00Z",
    kind="web",
    site="sea.example",
    nature="news",
    published="2025-03-01",
    origin="S2",
)
ON_PAGE = QUOTE.model_copy(
    update={"id": "E2", "source_id": "S2", "quote": "It is 55 metres deep.", "start": 0, "end": 21}
)
FOUND = tuple(
    FindingEntry(id=id, claim=entry.quote, evidence=(entry.id,), confidence=0.9, subtask_id="task_1")
    for id, entry in (("f1", QUOTE), ("f2", ON_PAGE))
)
SIDES = tuple(
    ContradictionSide(finding=id, claim=entry.quote, source_id=source.id, kind=source.kind, date=source.published)
    for id, entry, source in (("f1", QUOTE, SOURCE), ("f2", ON_PAGE, PAGE))
)
APART = Contradiction(findings=("f1", "f2"), description="[S1] stands against [S2]", sides=SIDES)
BOTH = MARKDOWN.replace(
    "- [S1]",
    "[S1] says “It is 43 metres deep at the cape.” and [S2] “It is 55 metres deep.”\n\n### Your documents\n\n- [S1]",
).replace("<!--", "### The web\n\n- [S2] [The sea](<https://sea.example/>) sea.example, 2025-03-01, 2026-01-02\n\n<!--")
READ = {SOURCE.sha256: TEXT, PAGE.sha256: "It is 55 metres deep."}


def of_both(markdown: str = BOTH, **changes: Any) -> Report:
    fields = {"sources": (SOURCE, PAGE), "evidence": (QUOTE, ON_PAGE), "findings": FOUND, "contradictions": (APART,)}
    return report(markdown, **{**fields, **changes})


def test_an_honest_report_of_both_worlds_has_no_faults() -> None:
    assert faults_of(of_both(), READ) == []
    assert faults_of(of_both(claim={"origins": 2}), READ) == [], "a finding that it does not cite may say the same"


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (of_both(sources=(SOURCE, PAGE.model_copy(update={"origin": "S9"}))), "S2 is called a copy of S9"),
        (of_both(sources=(SOURCE.model_copy(update={"site": "x.example"}), PAGE)), "S1 is no page"),
        (of_both(claim={"origins": 3}), "C1 is said to have 3 origins"),
        (of_both(claim={"origins": 0}), "C1 is said to have 0 origins"),
        (
            of_both(claim={"origins": 2}, sources=(SOURCE, PAGE.model_copy(update={"origin": "S1"}))),
            "to have 2 origins",
        ),
        (of_both(contradictions=(APART.model_copy(update={"sides": SIDES[:1]}),)), "in a disagreement of"),
        (
            of_both(
                contradictions=(
                    APART.model_copy(update={"sides": (SIDES[0].model_copy(update={"date": "1999"}), SIDES[1])}),
                )
            ),
            "names S1 of 1999",
        ),
        (
            of_both(
                contradictions=(
                    APART.model_copy(update={"sides": (SIDES[0].model_copy(update={"claim": "No."}), SIDES[1])}),
                )
            ),
            "not told as it was found",
        ),
        (of_both(contradictions=(APART.model_copy(update={"description": "[S1]"}),)), "does not name S2"),
        (of_both(BOTH.replace("### The web", "### Others")), "the heading 'The web' does not fit"),
        (of_both(BOTH.replace(" sea.example, 2025-03-01", " ")), "S2 stands without ['sea.example', '2025-03-01']"),
        (report(MARKDOWN.replace("- [S1] [", "- [S3] [")), "['S1'] are cited and not in the list"),
    ],
)
def test_every_fault_of_the_sources_is_noticed(wrong: Report, fault: str) -> None:
    assert any(fault in each for each in faults_of(wrong, READ)), faults_of(wrong, READ)
