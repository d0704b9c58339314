"""Sections: findings told in the words of their sources, a lead-in once before its items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal

from fathom.asks import WriteSection
from fathom.evidence import Evidence
from fathom.findings import Finding, Statement, StatementForm
from fathom.reasoners.extractive.data.kinds import is_of_records
from fathom.reasoners.extractive.wording import dangles
from fathom.report import Section
from fathom.text.display import display, word_count
from fathom.text.phrases import phrases

_TERM_WORDS = 12
"""Longest lead-in without a full stop that is read as a term."""
_ENDS = (".", "。", "!", "！", "?", "？")
_LEADS = (":", "：")
_COLUMNS = " | "
"""Stands between the cells of a table row."""


def write_section(ask: WriteSection) -> Section:
    """One statement per finding, in the order of the outline.

    What stands before a list leads it; a term stands before what it means; the sentence before a pronoun comes first,
    unless it was told just before.
    """
    markups = {document.sha256: document.markup for document in ask.documents}
    colon = phrases(ask.language).colon
    listed = _listed(ask)
    statements: list[Statement] = []
    told: Evidence | None = None
    for _, group in groupby(_joined(_chosen(ask)), key=_lead_id):
        findings = list(group)
        lead = findings[0].lead_in
        if findings[0].is_passage:
            statements += _passages(findings, display(lead.quote, markups[lead.document]) if lead else "")
        elif lead is None:
            for each in findings:
                form: Literal["item", "paragraph"] = "item" if each.id in listed else "paragraph"
                statements.append(Statement(text=each.claim, findings=(each.id,), form=form))
        else:
            text = display(lead.quote, markups[lead.document])
            again = told is not None and told.id == lead.id
            if again and not _is_sentence_before(lead, findings[0]):
                del statements[-1]
            led = _led(findings, text, colon, again=again)
            in_list = len(led) == 1 and findings[0].id in listed
            statements += [led[0].model_copy(update={"form": "item"})] if in_list else led
        told = findings[-1].evidence[0]
    return Section(statements=tuple(statements))


def _joined(findings: Sequence[Finding]) -> list[Finding]:
    """Passages that stand one behind the other in their document as it has them, where the best of them is told."""
    joined: list[Finding] = []
    for each in findings:
        mine, at = each.evidence[0], len(joined)
        for place, other in enumerate(joined if each.is_passage else ()):
            if other.is_passage and mine.leads_to(other.evidence[0]):
                at = place
            elif other.is_passage and other.evidence[0].leads_to(mine):
                at = place + 1
        joined.insert(at, each)
    return joined


def _passages(findings: Sequence[Finding], lead: str) -> Iterator[Statement]:
    """Passages as their sources set them: paragraphs, code, and items and rows under what leads them."""
    ids = tuple(each.id for each in findings)
    if lead:
        yield Statement(text=lead, findings=ids, form="lead_in")
    for each in findings:
        below = [*(piece.form for piece in each.pieces[1:]), None]
        for piece, following in zip(each.pieces, below, strict=True):
            leads = piece.form == "paragraph" and following == "item" and not piece.text.endswith(_ENDS)
            form: StatementForm = "lead_in" if leads or piece.form == "head" else piece.form
            yield Statement(text=piece.text, findings=(each.id,), form=form)


def _chosen(ask: WriteSection) -> Sequence[Finding]:
    """The findings that the outline has chosen; where a summary has none chosen, the first that it has room for."""
    ids = set(ask.section.findings)
    if ask.role == "section" or ids:
        return [finding for finding in ask.findings if ask.role == "section" or finding.id in ids]
    words = 0
    chosen: list[Finding] = []
    for finding in ask.findings:
        words += word_count(finding.claim)
        if chosen and words > ask.max_words:
            break
        chosen.append(finding)
    return chosen


def _listed(ask: WriteSection) -> set[str]:
    """The findings that are records of a dataset, told as items when there are several."""
    datasets = {document.sha256 for document in ask.documents if document.kind == "dataset"}
    of_records = {each.id for each in ask.findings if each.evidence[0].document in datasets and is_of_records(each)}
    return of_records if ask.role == "section" and len(of_records) > 1 else set()


def is_term(lead: str) -> bool:
    """Whether a lead-in is a term that is told in one line with what it means."""
    return word_count(lead) <= _TERM_WORDS and not lead.endswith((*_ENDS, *_LEADS)) and _COLUMNS not in lead


def _lead_id(finding: Finding) -> str:
    return finding.lead_in.id if finding.lead_in else ""


def _is_sentence_before(lead: Evidence, finding: Finding) -> bool:
    """Whether a lead-in is the sentence before in the same paragraph, and not one before a list."""
    return lead.quote.rstrip().endswith(_ENDS) and dangles(finding.claim)


def _led(findings: Sequence[Finding], lead: str, colon: str, *, again: bool) -> list[Statement]:
    """Findings under one lead-in; `again` when the sentence before has just been told."""
    first = findings[0]
    assert first.lead_in is not None
    if _is_sentence_before(first.lead_in, first):
        before = [] if again else [Statement(text=lead, findings=(first.id,))]
        return [*before, *(Statement(text=finding.claim, findings=(finding.id,)) for finding in findings)]
    if len(findings) == 1 and is_term(lead):
        return [Statement(text=f"{lead}{colon}{first.claim}", findings=(first.id,))]
    return [
        Statement(text=lead, findings=tuple(finding.id for finding in findings), form="lead_in"),
        *(Statement(text=finding.claim, findings=(finding.id,), form="item") for finding in findings),
    ]
