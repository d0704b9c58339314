"""Sentences of a report, checked and numbered."""

from __future__ import annotations

from fathom.composing.numbering import Numbering, Written, judge
from fathom.composing.sections import sections_of
from fathom.evidence import Document, Evidence, Span
from fathom.findings import Finding, Statement
from fathom.verification.quality import Quality

TEXT = "The sea is 10,900 m deep. Two things follow:\n- It is dark.\n- It is cold."
SEA = Document(
    sha256="0" * 64, uri="file:///sea.md", title="Sea", kind="file", language="en", retrieved_at="2026-01-01T00:00:00Z"
)


def span(quote: str) -> Evidence:
    start = TEXT.index(quote)
    whole = Span(start=start, end=start + len(quote))
    return Evidence(document=SEA.sha256, start=whole.start, end=whole.end, quote=quote, block=whole)


def found(quote: str, *, lead_in: str | None = None) -> Finding:
    lead = span(lead_in) if lead_in else None
    return Finding(subtask_id="task_1", claim=quote, evidence=(span(quote),), lead_in=lead, confidence=0.8)


DEEP = found("The sea is 10,900 m deep.")
DARK, COLD = (found(quote, lead_in="Two things follow:") for quote in ("It is dark.", "It is cold."))


def section(*statements: Statement) -> Written:
    return Written("section", "Sea", "task_1", statements)


def numbered(*written: Written) -> Numbering:
    documents = {SEA.sha256: SEA}
    numbering = Numbering(Quality(documents))
    sections_of(judge(written, {finding.id: finding for finding in (DEEP, DARK, COLD)}, documents), numbering)
    return numbering


def test_each_sentence_of_a_statement_is_judged_by_itself() -> None:
    said = Statement(text="The sea is 10,900 m deep. It holds 12 wrecks.", findings=(DEEP.id,))
    claims = numbered(section(said)).claims
    assert [(claim.text, claim.status) for claim in claims] == [
        ("The sea is 10,900 m deep.", "quoted"),
        ("It holds 12 wrecks.", "unsupported"),
    ]
    assert claims[1].confidence < claims[0].confidence


def test_an_item_is_a_claim_with_its_lead_in_as_evidence() -> None:
    lead = Statement(text="Two things follow:", findings=(DARK.id, COLD.id), form="lead_in")
    items = [Statement(text=finding.claim, findings=(finding.id,), form="item") for finding in (DARK, COLD)]
    numbering = numbered(section(lead, *items))
    assert [claim.lead_in for claim in numbering.claims] == [None, "Two things follow:", "Two things follow:"]
    assert [claim.evidence for claim in numbering.claims] == [("E1",), ("E1", "E2"), ("E1", "E3")]
    assert all(claim.citations == ("S1",) and claim.verified for claim in numbering.claims)


def test_the_same_sentence_is_told_once_in_the_whole_report() -> None:
    said = Statement(text=DEEP.claim, findings=(DEEP.id,))
    assert len(numbered(section(said), section(said)).claims) == 1


def test_a_section_keeps_its_place_when_the_summary_has_told_all_of_it() -> None:
    deep, dark, cold = (Statement(text=each.claim, findings=(each.id,)) for each in (DEEP, DARK, COLD))
    summary = Written("summary", "Summary", None, (deep, dark))
    told = [claim.text for claim in numbered(summary, section(dark), section(dark)).claims]
    assert told == [DEEP.claim, DARK.claim, DARK.claim]
    assert [claim.text for claim in numbered(summary, section(dark, cold)).claims][2:] == [COLD.claim]
    conclusion = Written("conclusion", "Conclusion", None, (deep,))
    assert len(numbered(summary, conclusion).claims) == 2, "a conclusion that is the summary is none"


def test_a_lead_in_whose_list_was_told_before_is_left_out_with_it() -> None:
    lead = Statement(text="Two things follow:", findings=(DARK.id, COLD.id), form="lead_in")
    items = [Statement(text=finding.claim, findings=(finding.id,), form="item") for finding in (DARK, COLD)]
    last = Statement(text=DEEP.claim, findings=(DEEP.id,))
    told = [claim.text for claim in numbered(section(lead, *items), section(lead, *items, last)).claims]
    assert told == [lead.text, DARK.claim, COLD.claim, DEEP.claim]


def test_a_statement_without_a_citation_is_unsupported() -> None:
    claims = numbered(section(Statement(text="Everybody knows the sea."))).claims
    assert [(claim.status, claim.citations, claim.confidence) for claim in claims] == [("unsupported", (), 0.0)]


def test_a_passage_is_told_whole_though_another_one_has_told_a_line_of_it() -> None:
    first, second = (
        Finding(subtask_id="task_1", claim=claim, evidence=(span(quote),), is_passage=True)
        for claim, quote in (
            ("- It is dark.", "It is dark."),
            ("- It is dark.\n- It is cold.", "It is dark.\n- It is cold."),
        )
    )
    told = [
        Statement(text=piece.text, findings=(each.id,), form="item")
        for each in (first, second)
        for piece in each.pieces
    ]
    judged = judge([section(*told), section(*told[1:])], {each.id: each for each in (first, second)}, {SEA.sha256: SEA})
    assert [each.text for each in judged[0].sentences] == ["It is dark.", "It is dark.", "It is cold."]
    assert judged[1].sentences == ()
