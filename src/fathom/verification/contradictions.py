"""Where sources disagree: found among all findings of the run, and told side by side, never averaged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from fathom.findings import Synthesis
from fathom.text.analysis import query_terms, terms
from fathom.text.characters import count_cjk
from fathom.verification.disagreement import Pair, Side, disagreeing_sides
from fathom.verification.quality import Quality

COMPARED = 400
"""Sentences of findings that are held against each other: those that the report tells, then the most relevant ones."""
PER_FINDING = 2
"""How often a finding is told as one side."""
MOST = 12
"""Disagreements that the report tells."""


def disagreements(quality: Quality, syntheses: Iterable[Synthesis], told: Iterable[str], *, query: str) -> list[Pair]:
    """Findings of independent origins that cannot both be true, one of them told in the report, and those that a
    synthesis has named.

    What shares no word with the question is no matter of the report, unless it is in another script. The user's
    documents against the web come first. What is said twice in the same words is told once.
    """
    findings = {finding.id: finding for finding in quality.findings}
    shown = {id for id in told if id in findings}
    best = sorted(findings.values(), key=lambda finding: (finding.id not in shown, -finding.relevance))
    named = [pair for synthesis in syntheses for pair in synthesis.contradictions]
    pairs = [
        (Side(findings[one], findings[one].claim), Side(findings[other], findings[other].claim))
        for one, other in named
        if one in findings and other in findings
    ]
    found = disagreeing_sides(best, quality.documents, most=COMPARED)
    asked, wide = frozenset(query_terms(query)), count_cjk(query) > 0
    pairs += [
        pair
        for pair in found
        if any(side.finding.id in shown for side in pair)
        and all(asked.intersection(terms(side.text)) or (count_cjk(side.text) > 0) != wide for side in pair)
    ]
    apart = [_ordered(pair, quality) for pair in pairs if quality.are_independent(*(side.document for side in pair))]
    apart.sort(key=lambda pair: len({quality.documents[side.document].kind for side in pair}), reverse=True)
    return list(_each_once(apart))


def outdated(pairs: Iterable[Pair], quality: Quality) -> frozenset[str]:
    """The older of two sources that disagree, where both dates are known; a file counts as newer than any page."""
    old = set()
    for pair in pairs:
        one, other = (quality.documents[side.document] for side in pair)
        for mine, theirs in ((one, other), (other, one)):
            newer = theirs.kind != "web" or (theirs.published and theirs.published > mine.published)
            if mine.kind == "web" and mine.published and newer:
                old.add(mine.sha256)
    return frozenset(old)


def _ordered(pair: Pair, quality: Quality) -> Pair:
    """The user's documents first, then the newer page."""
    one, other = sorted(pair, key=lambda side: quality.documents[side.document].published, reverse=True)
    if quality.documents[one.document].kind == "web" != quality.documents[other.document].kind:
        one, other = other, one
    return one, other


def _each_once(pairs: Iterable[Pair]) -> Iterator[Pair]:
    told: set[frozenset[str]] = set()
    times: Counter[str] = Counter()
    for one, other in pairs:
        key = frozenset(" ".join(side.text.casefold().split()) for side in (one, other))
        if key in told or max(times[one.finding.id], times[other.finding.id]) == PER_FINDING or len(told) == MOST:
            continue
        told.add(key)
        times.update((one.finding.id, other.finding.id))
        yield one, other
