"""What stands behind a statement of the web: of values that cannot both be true, the better one is told first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from fathom.evidence import Document, SourceNature
from fathom.findings import Finding
from fathom.text.analysis import terms
from fathom.text.overlap import repeats
from fathom.verification.disagreement import Side, disagreeing_sides, texts_of

SAME = 0.85
"""Overlap from which two statements with the same numbers say the same."""
WORTH: dict[SourceNature, float] = {
    "official": 3.0,
    "academic": 3.0,
    "reference": 2.5,
    "news": 2.0,
    "other": 1.5,
    "vendor": 1.0,
    "forum": 1.0,
}
"""What a site counts for, by who speaks there; sites that say the same add up."""
COMPARED = 400
"""Sentences that are held against each other."""
OLDER_DAYS = 180
"""Days between the newest pages of two statements from which one counts as the older."""
OLDER = 0.5
"""What is left of the standing of the older statement."""


def worth_of(document: Document) -> float:
    """What one source counts for; a document of the user's more than any page."""
    return WORTH[document.nature or "other"] if document.kind == "web" else 2 * max(WORTH.values())


def weaker(findings: Sequence[Finding], documents: Mapping[str, Document]) -> frozenset[str]:
    """Findings of pages that state another value than findings of pages with more behind them.

    What the user's documents say is not weighed: it is told beside what the web says.
    """
    of_pages = {
        finding.id: finding
        for finding in findings
        if all(documents[evidence.document].kind == "web" for evidence in finding.evidence)
    }
    found = set()
    for sides in disagreeing_sides(of_pages.values(), documents, most=COMPARED):
        one, other = (side.finding.id for side in sides)
        behind = [_behind(side, of_pages.values(), documents) for side in sides]
        mine, theirs = (_standing(pages) for pages in behind)
        days = [_newest(pages) for pages in behind]
        if days[0] and days[1]:
            mine *= OLDER if (days[1] - days[0]).days > OLDER_DAYS else 1.0
            theirs *= OLDER if (days[0] - days[1]).days > OLDER_DAYS else 1.0
        if mine != theirs:
            found.add(one if mine < theirs else other)
    return frozenset(found)


def _behind(side: Side, others: Iterable[Finding], documents: Mapping[str, Document]) -> list[Document]:
    """The pages that state it, in this finding or another."""
    said_here = frozenset(terms(side.text))
    cited = {evidence.document for evidence in side.finding.evidence}
    for other in others:
        if any(repeats(frozenset(terms(text)), said_here, above=SAME) for text in texts_of(other)):
            cited.update(evidence.document for evidence in other.evidence)
    return [documents[sha256] for sha256 in sorted(cited)]


def _standing(pages: Iterable[Document]) -> float:
    """Each site once, with the best that speaks there; what has the same title and day is a copy."""
    sites: dict[str, float] = {}
    copies = {(page.title, page.published or page.sha256): page for page in pages}
    for page in copies.values():
        site = page.site or page.sha256
        sites[site] = max(sites.get(site, 0.0), WORTH[page.nature or "other"])
    return sum(sites.values())


def _newest(pages: Iterable[Document]) -> date | None:
    days = [page.published[:10] for page in pages if len(page.published) >= 10]
    return date.fromisoformat(max(days)) if days else None
