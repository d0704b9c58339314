"""A report as a model composes it: sentences in runs, a table of cells, steps, a disagreement and a conclusion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from fathom.evidence import text_digest
from fathom.report import (
    VERIFIED,
    Claim,
    Contradiction,
    ContradictionSide,
    Coverage,
    FindingEntry,
    Report,
    ReportSection,
    SourceEntry,
    TableCell,
    TextBlock,
)
from fathom.text.phrases import phrases
from tests.support.figures import report_of, written
from tests.support.whole_report import evidence

Language = Literal["en", "ja"]

COMPARISON = {
    "en": (
        "Borg costs 48 EUR a month.",
        "restic costs 71 EUR a month.",
        "A full restore from Borg is free.",
        "A full restore from restic costs as much as it transfers.",
        "Borg restores 100 GB in 46 minutes.",
        "restic restores 100 GB in 58 minutes.",
        "Borg saves 61 % of the mail store.",
    ),
    "ja": (
        "Borgは月48ユーロである。",
        "resticは月71ユーロである。",
        "Borgの全復元は無料である。",
        "resticの全復元は転送量に応じて課金される。",
        "Borgは100 GBを46分で復元する。",
        "resticは100 GBを58分で復元する。",
        "Borgはメールの容量を61%減らす。",
    ),
}
MINUTES = {
    "en": ("We choose Borg.", "We test restores every quarter.", "Borg saves 40 % more.", "Jonas keeps the key."),
    "ja": (
        "Borgを採用する。",
        "復元は四半期ごとに試験する。",
        "Borgの削減量は40%多い。",
        "鍵はヨナスが保管する。",
    ),
}
SAID = {
    "en": {
        "title": "Backups: which tool, and what to do next",
        "chosen": "The team chose Borg.",
        "tested": "Restores are tested every quarter.",
        "pays": "Four tests a year would make restic the dearer choice.",
        "compared": "How they compare",
        "month": "monthly cost",
        "restore": "full restore",
        "time": "100 GB",
        "weigh": "to weigh",
        "cheaper": "Borg is cheaper",
        "free": "free",
        "dear": "380 EUR",
        "quarterly": "four a year",
        "one": "1. Keep the key in a second place.",
        "why": "Jonas alone has it.",
        "two": "Go on with the quarterly restore tests.",
        "share": "The comparison measures 61 % saved.",
        "more": "The minutes say 40 % more.",
    },
    "ja": {
        "title": "バックアップ：どのツールを選び、次に何をするか",
        "chosen": "チームはBorgを選んだ。",
        "tested": "復元は四半期ごとに試験されている。",
        "pays": "年4回の試験を行うと、resticのほうが高くつく。",
        "compared": "両者の比較",
        "month": "月額",
        "restore": "全復元",
        "time": "100 GBの復元時間",
        "weigh": "考慮点",
        "cheaper": "Borgが安い",
        "free": "無料",
        "dear": "380ユーロ",
        "quarterly": "年4回",
        "one": "1. 鍵をもう一か所に保管する。",
        "why": "鍵を持つのはヨナスだけである。",
        "two": "四半期ごとの復元試験を続ける。",
        "share": "比較表では61%の削減である。",
        "more": "議事録では40%多いとされる。",
    },
}


def texts(language: Language) -> dict[str, str]:
    """What its sources say, by the digest of their snapshot."""
    end = " " if language == "en" else ""
    return {text_digest(text): text for text in (end.join(COMPARISON[language]), end.join(MINUTES[language]))}


def composed_report(
    *, language: Language = "en", outside: Callable[[str], str] = lambda text: text, **changed: Any
) -> Report:
    """The report; `outside` makes of each text that comes from outside another one."""
    said, words = SAID[language], phrases(language)
    read = dict(zip(("S1", "S2"), texts(language).items(), strict=True))
    quotes = [("S1", quote) for quote in COMPARISON[language]] + [("S2", quote) for quote in MINUTES[language]]
    claims: list[Claim] = []

    def claim(text: str, *rests_on: int, **more: Any) -> str:
        """Add a claim that rests on these quotations; returns its id."""
        status = more.pop("status", "supported")
        cites = tuple(dict.fromkeys(quotes[number - 1][0] for number in rests_on))
        fields = {"id": f"C{len(claims) + 1}", "text": outside(text), "citations": cites, "status": status}
        judged = {"evidence": [f"E{number}" for number in rests_on], "verified": status in VERIFIED, "confidence": 0.8}
        claims.append(Claim.model_validate({**fields, **judged, "judged_by": "model", **more}))
        return claims[-1].id

    def cell(text: str, *rests_on: int, **more: Any) -> TableCell:
        return TableCell(text=outside(text), claim=claim(text, *rests_on, **more) if rests_on else None)

    def section(heading: str, *blocks: TextBlock, **more: Any) -> ReportSection:
        ids = [id for block in blocks for item in block.items for id in item]
        ids += [cell.claim for block in blocks for row in block.rows for cell in row if cell.claim]
        return ReportSection(heading=heading, claims=tuple(ids), blocks=blocks, **more)

    def block(kind: Literal["paragraph", "list", "steps"], *items: Sequence[str]) -> TextBlock:
        return TextBlock(kind=kind, items=tuple(map(tuple, items)))

    euros = "{} EUR" if language == "en" else "{}ユーロ"
    minutes = "{} min" if language == "en" else "{}分"
    lead = block(
        "paragraph",
        (claim(said["chosen"], 8), claim(said["tested"], 8, 9), claim(said["pays"], 4, 9, is_assessment=True)),
    )
    table = TextBlock(
        kind="table",
        columns=("", outside("Borg"), outside("restic"), outside(said["weigh"])),
        rows=(
            (
                cell(said["month"]),
                cell(euros.format(48), 1),
                cell(euros.format(71), 2),
                cell(said["cheaper"], 1, 2, is_assessment=True),
            ),
            (
                cell(said["restore"]),
                cell(said["free"], 3),
                cell(said["dear"], 4, status="unsupported"),
                cell(said["quarterly"], 9),
            ),
            (cell(said["time"]), cell(minutes.format(46), 5), cell(minutes.format(58), 6), cell("")),
        ),
    )
    steps = block("steps", (claim(said["one"], 11), claim(said["why"], 11)), (claim(said["two"], 9),))
    sections = (
        section(words.summary, lead, role="summary"),
        section(outside(said["compared"]), table, subtask_id="task_1"),
        section(words.conclusion, steps, role="conclusion"),
    )
    differ = claim(said["share"], 7), claim(said["more"], 10)
    found: list[tuple[str, str, tuple[str, ...], dict[str, Any]]] = [
        ("f1", quotes[7][1], ("E8",), {"fate": "cited", "claims": ("C1", "C2")}),
        ("f2", quotes[6][1], ("E7",), {"fate": "cited", "claims": (differ[0],)}),
        ("f3", quotes[9][1], ("E10",), {"fate": "merged", "claims": (differ[1],), "why": "f2 says the same"}),
        ("f4", quotes[10][1], ("E11",), {"fate": "left_out", "why": "it does not help to answer"}),
    ]
    described = (("S1", "comparison.md", "Comparison"), ("S2", "minutes.md", "Minutes"))
    fields: dict[str, Any] = {
        "query": "Which backup tool, and what to do next?",
        "title": outside(said["title"]),
        "key_findings": (),
        "limitations": (),
        "coverage": Coverage(total=2),
        "sections": sections,
        "claims": tuple(claims),
        "evidence": tuple(
            evidence(f"E{number}", id, read[id][1], quote, locator="")
            for number, (id, quote) in enumerate(quotes, start=1)
        ),
        "findings": tuple(
            FindingEntry.model_validate(
                {"id": id, "claim": text, "evidence": rests_on, "confidence": 0.9, "subtask_id": "task_1", **fate}
            )
            for id, text, rests_on, fate in found
        ),
        "sources": tuple(
            SourceEntry(
                id=id,
                uri=f"file:///notes/{name}",
                title=outside(title),
                sha256=read[id][0],
                retrieved_at="2026-01-02T03:04:05+00:00",
                kind="file",
                origin=id,
            )
            for id, name, title in described
        ),
        "contradictions": (
            Contradiction(
                findings=("f2", "f3"),
                description="[S1] and [S2] differ.",
                claims=differ,
                sides=(
                    ContradictionSide(finding="f2", claim=quotes[6][1], source_id="S1", kind="file"),
                    ContradictionSide(finding="f3", claim=quotes[9][1], source_id="S2", kind="file"),
                ),
            ),
        ),
    }
    return written(report_of(language=language).model_copy(update={"markdown": "", **fields, **changed}))
