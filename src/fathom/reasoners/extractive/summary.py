"""The summary: which findings are told before anything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fathom.evidence import Document
from fathom.findings import Finding
from fathom.plan import Subtask
from fathom.reasoners.extractive.expected import has_form
from fathom.reasoners.extractive.write import is_term
from fathom.text.analysis import identifiers, query_terms, terms
from fathom.text.display import display, word_count

SUBJECT_TERMS = 6
"""How many terms at the beginning of a sentence are taken for its subject."""
LEAST = 3
"""Findings that the summary of a simple question tells."""
MOST = 5
"""Findings that a summary tells."""
CHOICE = 8
"""Best findings of a subtask that a summary chooses from, of the documents and of the web."""
SHARE = 0.2
"""Share of the relevance of the best that a finding of the summary must have."""
LONGEST = 60
"""Words of the longest finding that a summary tells."""
POWER = 0.5
"""Power of the relevance of what a page says: how well the page fits the whole question is a part of it."""
EXPECTED = 3.0
"""What a sentence of a page is worth more when it has the form of the answer: a person, a date, a number."""


def summary_of(
    chosen: Sequence[Finding],
    homes: Mapping[str, str],
    roots: Sequence[Subtask],
    documents: Mapping[str, Document],
) -> tuple[str, ...]:
    """The best findings of each subtask that can stand at the beginning, in the order of the plan.

    What documents say is told in their order, what pages say with the best first.
    """
    leads = {lead_key(finding) for finding in chosen if finding.lead_in}
    free = [
        finding
        for finding in chosen
        if _stands_alone(finding, documents, leads) and word_count(finding.claim) <= LONGEST
    ]
    first: list[Finding] = []
    for subtask in roots:
        own = [finding for finding in free if homes[finding.id] == subtask.subtask_id]
        own.sort(key=lambda finding: -finding.relevance)
        of_pages = [finding for finding in own if _is_page(finding, documents)]
        own = [*[finding for finding in own if finding not in of_pages][:CHOICE], *of_pages[: 2 * CHOICE]]
        worth = {finding.id: _worth(finding, subtask, is_page=finding in of_pages) for finding in own}
        own.sort(key=lambda finding: -worth[finding.id])
        picked = own[: max(1, LEAST // len(roots))]
        if any(finding not in of_pages for finding in picked):
            pages = [finding.evidence[0].document for finding in picked]
            picked.sort(key=lambda finding: (pages.index(finding.evidence[0].document), place_of(finding)))
        first += picked
    most = max((finding.relevance for finding in first), default=0.0)
    best = sorted(first, key=lambda finding: -finding.relevance)[:MOST]
    return tuple(
        finding.id
        for finding in first
        if finding in best and (_is_page(finding, documents) or finding.relevance >= SHARE * most)
    )


def lead_key(finding: Finding) -> tuple[str, int, int]:
    """Where the lead-in of a finding stands; of one without, where itself stands."""
    span = finding.lead_in or finding.evidence[0]
    return finding.evidence[0].document, span.start, span.end


def place_of(finding: Finding) -> tuple[int, int]:
    """Where a finding stands on its page."""
    return finding.evidence[0].start, finding.evidence[0].end


def _is_page(finding: Finding, documents: Mapping[str, Document]) -> bool:
    return documents[finding.evidence[0].document].kind == "web"


def _stands_alone(finding: Finding, documents: Mapping[str, Document], leads: set[tuple[str, int, int]]) -> bool:
    """Whether a finding can be told apart from its neighbours: nothing leads it but a term, and it leads nothing.

    Nor does a summary quote rows of a page's table, which mostly say what a sentence of it says too.
    """
    if " | " in finding.claim and _is_page(finding, documents):
        return False
    if finding.lead_in is None:
        return lead_key(finding) not in leads
    return is_term(display(finding.lead_in.quote, documents[finding.lead_in.document].markup))


def _worth(finding: Finding, subtask: Subtask, *, is_page: bool) -> float:
    """Relevance, more for what speaks of what was asked, best from its first words on.

    A summary answers, it does not announce; and it is read before anything else, so it must name its subject. All
    pages on a thing name it: what a page says must rather hold the rest of the question, and the form of its answer.
    """
    asked = frozenset(query_terms(f"{subtask.focus_area} {subtask.description}"))
    said = terms(f"{finding.lead_in.quote if finding.lead_in else ''} {finding.claim}")
    named = len(asked.intersection(said)) / max(1, len(asked))
    subject = bool(asked.intersection(said[:SUBJECT_TERMS]))
    worth = (0.5 + named) * (1 + 0.5 * subject)
    if not is_page:
        return finding.relevance * worth
    names = identifiers(subtask.description)
    besides = asked.difference(*(query_terms(name) for name in names))
    about = len(besides.intersection(said)) / max(1, len(besides))
    form = has_form(finding.claim, subtask.description, names=names)
    return float(finding.relevance**POWER * worth * (1 + about) * (1 + EXPECTED * form))
