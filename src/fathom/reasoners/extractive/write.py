"""Sections: findings told in the words of their sources, a lead-in once before its items."""

from __future__ import annotations

from itertools import groupby

from fathom.asks import WriteSection
from fathom.evidence import Markup
from fathom.findings import Finding
from fathom.report import Section, Statement
from fathom.text.display import display, word_count
from fathom.text.phrases import phrases

_TERM_WORDS = 12
"""Longest lead-in without a full stop that is read as a term."""


def write_section(ask: WriteSection) -> Section:
    """One statement per finding, in the order of the outline."""
    markups = {document.sha256: document.markup for document in ask.documents}
    statements: list[Statement] = []
    for lead, group in groupby(ask.findings, key=lambda finding: finding.lead_in.id if finding.lead_in else ""):
        findings = list(group)
        if lead:
            statements += _led(findings, markups, ask.language)
        else:
            statements += [Statement(text=finding.claim, findings=(finding.id,)) for finding in findings]
    return Section(statements=tuple(statements))


def _led(findings: list[Finding], markups: dict[str, Markup], language: str) -> list[Statement]:
    """Findings under the same lead-in: a sentence before, a term, or the beginning of a list."""
    first = findings[0]
    evidence = first.lead_in
    assert evidence is not None
    lead = display(evidence.quote, markups[evidence.document])
    if lead.endswith((".", "。", "!", "！")) and 0 <= first.evidence[0].start - evidence.end <= 3:
        return [
            Statement(text=lead, findings=(first.id,)),
            *(Statement(text=finding.claim, findings=(finding.id,)) for finding in findings),
        ]
    if len(findings) == 1 and word_count(lead) <= _TERM_WORDS and not lead.endswith((".", "。", ":", "：")):
        return [Statement(text=f"{lead}{phrases(language).colon}{first.claim}", findings=(first.id,))]
    return [
        Statement(text=lead, findings=tuple(finding.id for finding in findings), form="lead_in"),
        *(Statement(text=finding.claim, findings=(finding.id,), form="item") for finding in findings),
    ]
