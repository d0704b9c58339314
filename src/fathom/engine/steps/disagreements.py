"""Where sources disagree: found among all findings of the run, and told side by side, never averaged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from fathom.engine.board import Research
from fathom.engine.quality import Quality
from fathom.engine.steps.check import Numbering
from fathom.evidence import Document
from fathom.findings import Finding
from fathom.report import Contradiction, ContradictionSide
from fathom.text.disagreement import disagreeing, said
from fathom.text.display import display
from fathom.text.phrases import Phrases

COMPARED = 400
"""Findings that are held against each other, the most relevant ones; those that the report tells in any case."""
PER_FINDING = 2
"""How often a finding is told as one side."""
MOST = 12
"""Disagreements that the report tells."""

Pair = tuple[Finding, Finding]


def disagreements(research: Research, told: Iterable[str], quality: Quality) -> list[Pair]:
    """Findings of independent origins that cannot both be true, one of them told in the report, and those that a
    synthesis has named.

    The user's documents against the web come first. What is said twice in the same words is told once.
    """
    findings = {finding.id: finding for finding in research.findings}
    shown = {id for id in told if id in findings}
    best = sorted(findings.values(), key=lambda finding: (finding.id not in shown, -finding.relevance))[:COMPARED]
    statements = []
    for finding in best:
        document = quality.documents[finding.evidence[0].document]
        heading = finding.evidence[0].locator.rpartition(" › ")[2]
        statements.append(
            (finding.id, document.sha256, said(finding.claim, under=_lead(finding, document), heading=heading))
        )
    pairs = [pair for synthesis in research.syntheses for pair in synthesis.contradictions]
    pairs += [(one, other) for one, other, _ in disagreeing(statements) if one in shown or other in shown]
    known = [(findings[one], findings[other]) for one, other in pairs if one in findings and other in findings]
    apart = [pair for pair in known if quality.are_independent(*map(_document, pair))]
    apart = [_ordered(pair, quality) for pair in apart]
    apart.sort(key=lambda pair: len({quality.documents[_document(finding)].kind for finding in pair}), reverse=True)
    return list(_each_once(apart))


def outdated(pairs: Iterable[Pair], quality: Quality) -> frozenset[str]:
    """The older of two sources that disagree, where both dates are known; a file counts as newer than any page."""
    old = set()
    for pair in pairs:
        one, other = (quality.documents[_document(finding)] for finding in pair)
        for mine, theirs in ((one, other), (other, one)):
            newer = theirs.kind != "web" or (theirs.published and theirs.published > mine.published)
            if mine.kind == "web" and mine.published and newer:
                old.add(mine.sha256)
    return frozenset(old)


def contradictions_of(pairs: Iterable[Pair], numbering: Numbering, words: Phrases) -> Iterator[Contradiction]:
    """The disagreements as the report has them; what they rest on is numbered."""
    for pair in pairs:
        sides = tuple(_side(finding, numbering) for finding in pair)
        yield Contradiction(
            findings=(pair[0].id, pair[1].id),
            description=" ".join(words.says_of(side.kind, side.source_id, side.date, side.claim) for side in sides),
            sides=sides,
        )


def _side(finding: Finding, numbering: Numbering) -> ContradictionSide:
    document = numbering.quality.documents[_document(finding)]
    source = numbering.quote(finding.evidence[0], finding.subtask_id).source_id
    claim = " ".join(filter(None, (_lead(finding, document), finding.claim)))
    return ContradictionSide(
        finding=finding.id, claim=claim, source_id=source, kind=document.kind, date=document.published
    )


def _lead(finding: Finding, document: Document) -> str:
    return display(finding.lead_in.quote, document.markup) if finding.lead_in else ""


def _document(finding: Finding) -> str:
    return finding.evidence[0].document


def _ordered(pair: Pair, quality: Quality) -> Pair:
    """The user's documents first, then the newer page."""
    one, other = sorted(pair, key=lambda finding: quality.documents[_document(finding)].published, reverse=True)
    if quality.documents[_document(one)].kind == "web" != quality.documents[_document(other)].kind:
        one, other = other, one
    return one, other


def _each_once(pairs: Iterable[Pair]) -> Iterator[Pair]:
    told: set[frozenset[str]] = set()
    times: Counter[str] = Counter()
    for one, other in pairs:
        key = frozenset(" ".join(finding.claim.casefold().split()) for finding in (one, other))
        if key in told or max(times[one.id], times[other.id]) == PER_FINDING or len(told) == MOST:
            continue
        told.add(key)
        times.update((one.id, other.id))
        yield one, other
