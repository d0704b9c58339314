"""A report that has everything that a report can have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fathom.composing.sections import Sentence
from fathom.report import (
    VERIFIED,
    Claim,
    Contradiction,
    ContradictionSide,
    EvidenceEntry,
    FindingEntry,
    NotFoundEntry,
    Report,
    SourceEntry,
    Usage,
)
from fathom.text.phrases import phrases
from tests.support.figures import bars, line, report_of, section, written

SNAPSHOT = (
    "# Depth\n\nThe sea is wide. It is 10,935 m deep\nat its deepest point, as measured in 2021. "
    "It is cold there.\n\nEnd."
)
TABLE = "group | records\nAI | 50\nCloud | 40\nData | 3"
PAGE = "Some say that the sea is 11,034 m deep. Others do not."


def evidence(id: str, source: str, text: str, quote: str, **changed: Any) -> EvidenceEntry:
    """A quotation of `text`."""
    start = text.index(quote)
    fields = {"id": id, "source_id": source, "quote": quote, "start": start, "end": start + len(quote)}
    return EvidenceEntry.model_validate({"locator": "Depth", **fields, **changed})


def whole_report(
    *, language: str = "en", outside: Callable[[str], str] = lambda text: text, draws: bool = True, **changed: Any
) -> Report:
    """A report with every part; `outside` makes of each text that comes from outside another one."""
    words = phrases(language)

    def claim(number: int, text: str, cited: str, rests_on: tuple[str, ...], **more: Any) -> Claim:
        fields = {"id": f"C{number}", "text": outside(text), "citations": (cited,) if cited else ()}
        status = more.pop("status", "supported")
        judged = {"evidence": rests_on, "status": status, "verified": status in VERIFIED, "confidence": 0.8}
        return Claim.model_validate({**fields, **judged, **more})

    lead_in = "Three things are known:"
    claims = (
        claim(1, "The sea is 10,935 m deep.", "S1", ("E1",)),
        claim(2, "It is `cold & dark` there.", "S1", ("E1", "E2")),
        claim(3, lead_in, "S1", ("E1",)),
        claim(4, "It is wide.", "S1", ("E3",), lead_in=outside(lead_in)),
        claim(5, "It is deep.", "S1", ("E1",), lead_in=outside(lead_in)),
        claim(6, "Very deep.", "S1", ("E1",), lead_in=outside(lead_in), status="quoted"),
        claim(7, "It is 11,034 m deep.", "S3", ("E5",), status="partial"),
        claim(8, "Whales sing about it.", "S3", ("E5",), status="unsupported"),
        claim(9, "Everybody knows that.", "", (), status="unjudged"),
        claim(10, "AI has 50 records.", "S2", ("E4",)),
    )
    described: tuple[dict[str, Any], ...] = (
        {"kind": "file", "uri": outside("file:///notes/%E6%B5%B7.md"), "title": outside("Depth"), "origin": "S1"},
        {
            "kind": "dataset",
            "uri": outside("file:///data/events.csv"),
            "title": outside("events: by theme"),
            "query": outside('analyze {"group_by": ["theme"]}'),
            "records": 165,
        },
        {
            "kind": "web",
            "uri": outside("https://sea.example/deep?a=1&b=2"),
            "title": outside("The deep [sea]"),
            "site": outside("sea.example"),
            "nature": "academic",
            "published": outside("2021-05-06"),
            "origin": "S1",
        },
    )
    read = {"retrieved_at": "2026-01-02T03:04:05+00:00"}
    sources = tuple(
        SourceEntry.model_validate({**read, **each, "id": f"S{number}", "sha256": str(number) * 64})
        for number, each in enumerate(described, start=1)
    )
    plain = (
        bars({f"group {at}": float(at) for at in range(1, 26)}, title=outside("events: by theme"), source_id="S2"),
        line({"2024-01": 3, "2024-02": 5, "2024-03": 4}, id="F2", title=outside("events: by month"), source_id="S2"),
    )
    figures = tuple(
        each.model_copy(
            update={
                "rows": tuple((outside(key), *cells) for key, *cells in each.rows),
                "labels": tuple(map(outside, each.labels)),
                "columns": (outside(each.columns[0]), *each.columns[1:]),
                "kind": each.kind if draws else "table",
            }
        )
        for each in plain
    )
    said = [Sentence(each) for each in claims]
    items = (
        Sentence(claims[2], form="lead_in"),
        Sentence(claims[3], form="item"),
        Sentence(claims[4], form="item"),
        Sentence(claims[5], form="item", goes_on=True),
    )
    below = section(outside("Doubts"), said[6], Sentence(claims[7], opens=True), said[8])
    sections = (
        section(words.summary, said[0], role="summary"),
        section(outside("How deep is the sea?"), said[1], *items, sections=(below,), subtask_id="task_1"),
        section(outside("Events"), said[9], subtask_id="task_2", figures=tuple(figure.id for figure in figures)),
    )
    side = {"date": outside("2021-05-06")}
    contradiction = Contradiction(
        findings=("f1", "f2"),
        description="[S1] and [S3] differ.",
        sides=(
            ContradictionSide(finding="f1", claim=claims[0].text, source_id="S1", kind="file"),
            ContradictionSide(finding="f2", claim=claims[6].text, source_id="S3", kind="web", **side),
        ),
    )
    not_found = tuple(NotFoundEntry(what=outside(what)) for what in ("How old is the sea?", "Who owns it?"))
    limitations = (outside("Everything is wet."), outside("Marked sentences: 3."))
    found = {"confidence": 0.9, "subtask_id": "task_1"}
    fields: dict[str, Any] = {
        "query": outside("How deep is the sea, and who owns it?"),
        "title": outside("The sea"),
        "markdown": "",
        "key_findings": (f"{claims[0].text} [S1]",),
        "conclusions": (),
        "limitations": limitations,
        "suggestions": (outside("Add documents about whales."), "Go on with `fathom resume run_1`."),
        "sections": sections,
        "claims": claims,
        "evidence": (
            evidence("E1", "S1", SNAPSHOT, "It is 10,935 m deep\nat its deepest point", locator=outside("Depth")),
            evidence("E2", "S1", SNAPSHOT, "It is cold there."),
            evidence("E3", "S1", SNAPSHOT, "The sea is wide."),
            evidence("E4", "S2", TABLE, "AI | 50", locator="group = AI"),
            evidence("E5", "S3", PAGE, "the sea is 11,034 m deep"),
            evidence("E6", "S3", PAGE, "Others do not."),
        ),
        "findings": (
            FindingEntry(id="f1", claim=claims[0].text, evidence=("E1",), **found),
            FindingEntry(id="f2", claim=claims[6].text, evidence=("E5",), **found),
        ),
        "sources": sources,
        "not_found": not_found,
        "contradictions": (contradiction,),
        "figures": figures,
        "partial": "max_calls",
        "reasoner": outside("extractive 1.0"),
        "usage": Usage(models={outside("openai:gpt_x_"): 1}),
    }
    return written(report_of(language=language).model_copy(update={**fields, **changed}))


SNAPSHOTS = {"1" * 64: SNAPSHOT, "2" * 64: TABLE, "3" * 64: PAGE}
