"""Sections: findings told in the words of their sources, a lead-in once before its items."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import zip_longest

from fathom.asks import WriteSection
from fathom.findings import CUT, Finding, Statement, StatementForm
from fathom.reasoners.extractive.data.kinds import is_of_records
from fathom.reasoners.extractive.leads import place_of
from fathom.report import Section
from fathom.text.display import display, word_count
from fathom.text.phrases import phrases
from fathom.text.typeset import BAR

_TERM_WORDS = 12
"""Longest lead-in without a full stop that is read as a term."""
_ENDS = (".", "。", "!", "！", "?", "？")
_LEADS = (":", "：")


def write_section(ask: WriteSection) -> Section:
    """One statement per finding, in the order of the outline.

    What stands before a list leads it; a term stands before what it means.
    """
    markups = {document.sha256: document.markup for document in ask.documents}
    colon = phrases(ask.language).colon
    listed = _listed(ask)
    statements: list[Statement] = []
    whole: list[Finding] = []
    also: dict[str, tuple[str, ...]] = {}
    for each in ask.findings:
        same = next((other for other in whole if each.is_passage and place_of(other) == place_of(each)), None)
        if same:  # one passage answers two parts
            also[same.id] = (*also.get(same.id, ()), each.id)
        else:
            whole.append(each)
    for findings in _led_alike(_joined(whole)):
        lead = findings[0].lead_in
        text = display(lead.quote, markups[lead.document]) if lead else ""
        if findings[0].is_passage:
            statements += _passages(findings, text, also)
        else:
            statements += _led(findings, text, colon, listed=listed)
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


def _led_alike(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Findings in a row that have the same lead-in, and of one table the rows that its next passage goes on with."""
    groups: list[list[Finding]] = []
    for each in findings:
        last = groups[-1][-1] if groups else None
        same = last and (each.lead_in.id if each.lead_in else "") == (last.lead_in.id if last.lead_in else "")
        heads = [piece.text for piece in last.pieces if piece.form == "head"] if last else []
        goes_on = last and heads and last.evidence[0].leads_to(each.evidence[0]) and each.pieces[0].form == "row"
        if same or goes_on:
            groups[-1].append(each)
        else:
            groups.append([each])
    return groups


def _passages(findings: Sequence[Finding], lead: str, also: Mapping[str, Sequence[str]]) -> Iterator[Statement]:
    """Passages as their sources set them: paragraphs, code, and items and rows under what leads them. `also` has the
    findings of other parts that are the same passage."""
    ids = tuple(each.id for each in findings)
    if lead:
        yield Statement(text=lead, findings=ids, form="lead_in")
    for each, after in zip_longest(findings, findings[1:]):
        goes_on = after and each.evidence[0].leads_to(after.evidence[0])
        below = [*(piece.form for piece in each.pieces[1:]), None]
        for piece, following in zip(each.pieces, below, strict=True):
            leads = piece.form == "paragraph" and following == "item" and not piece.text.endswith(_ENDS)
            form: StatementForm = "lead_in" if leads or piece.form == "head" else piece.form
            text = piece.text.removesuffix(CUT) if goes_on and following is None else piece.text
            yield Statement(text=text, findings=(each.id, *also.get(each.id, ())), form=form)


def _listed(ask: WriteSection) -> set[str]:
    """The findings that are records of a dataset, told as items when there are several."""
    datasets = {document.sha256 for document in ask.documents if document.kind == "dataset"}
    of_records = {each.id for each in ask.findings if each.evidence[0].document in datasets and is_of_records(each)}
    return of_records if ask.role == "section" and len(of_records) > 1 else set()


def _led(findings: Sequence[Finding], lead: str, colon: str, *, listed: Collection[str]) -> Iterator[Statement]:
    """Findings under one lead-in, if there is any; a term stands in one line with what it means."""
    columns, ids = BAR.join(findings[0].facets), tuple(each.id for each in findings)
    if all(each.facets == findings[0].facets and is_of_records(each) and BAR in each.claim for each in findings):
        yield Statement(text=columns, findings=ids, form="lead_in")
        yield from (Statement(text=each.claim, findings=(each.id,), form="row") for each in findings)
        return
    forms: list[StatementForm] = ["item" if each.id in listed else "paragraph" for each in findings]
    is_term = word_count(lead) <= _TERM_WORDS and not lead.endswith((*_ENDS, *_LEADS)) and BAR not in lead
    if lead and is_term and len(findings) == 1:
        yield Statement(text=f"{lead}{colon}{findings[0].claim}", findings=(findings[0].id,), form=forms[0])
        return
    if lead:
        yield Statement(text=lead, findings=ids, form="lead_in")
        forms = ["item"] * len(findings)
    for each, form in zip(findings, forms, strict=True):
        yield Statement(text=each.claim, findings=(each.id,), form=form)
