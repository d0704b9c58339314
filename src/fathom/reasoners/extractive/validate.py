"""Whether findings hold: do they contradict each other, cover what was asked, rest on enough, keep to the point?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from fathom.asks import ValidateFindings
from fathom.data.turns import SubQuestion
from fathom.evidence import Document
from fathom.findings import CONFIDENT, WEAK_BELOW, Finding, Validation, ValidationIssue
from fathom.languages.packs import pack
from fathom.reasoners.extractive.coverage import Cover, Covering, Grounds
from fathom.reasoners.extractive.data.kinds import RECORD
from fathom.text.phrases import phrases
from fathom.verification.disagreement import disagreeing_sides

SINGLE = 0.7
"""What is left of the confidence in an answer without any independent source; all of it from `WEAK_BELOW` on."""
CONTRADICTED = 0.8
"""What each contradiction leaves of the confidence in the answers that it concerns."""
HIGH_BELOW = 0.35
"""A question that is covered less is as good as unanswered."""
MANY_BESIDE = 1 / 3
"""Share of findings beside the point from which that weighs."""
COMPARED = 400
"""Findings, and sentences of them, that are held against each other, the most relevant ones."""
MOST_CONTRADICTIONS = 12
"""Contradictions that are told."""
_GRAVITY = ("high", "medium", "low")


def validate_findings(ask: ValidateFindings) -> Validation:
    """By words and figures alone.

    The confidence in the answer to a question is `cover · (0.7 + 0.3 · min(sources, 3) / 3) · 0.8 ** contradictions`:
    `cover` is the share of its terms that its findings hold (see `coverage`), `sources` are the independent ones behind
    these (documents, sites, records; a count stands on all that it has counted), `contradictions` those that concern
    one of them. The overall confidence is the mean of all questions, times `1 - beside / 2` with the share of findings
    that share no term with the question.

    `PASSED` from 0.7 on without a grave issue; `FAILED` without findings, or when none is to the point; else
    `NEEDS_REVISION`. A check that was not asked for finds nothing, and takes nothing from the confidence.
    """
    grounds, checks = Grounds.of_documents(ask.documents), frozenset(ask.validation_checks)
    covering = Covering(ask.findings, grounds)
    covers = {question.id: covering.of(question) for question in ask.questions}
    against = _contradictions(ask.findings, ask.documents) if "contradiction" in checks else []
    beside = covering.beside(ask.questions, ask.query) if "relevance" in checks else ()
    scores = {id: _confidence(cover, grounds, against, checks=checks) for id, cover in covers.items()}
    overall = sum(scores.values()) / len(scores) if scores else 0.0
    overall = round(overall * (1 - len(beside) / max(len(ask.findings), 1) / 2), 4)
    issues = sorted(_issues(ask, covers, grounds, against, beside), key=lambda issue: _GRAVITY.index(issue.severity))
    passes = overall >= CONFIDENT and not any(issue.severity == "high" for issue in issues)
    return Validation(
        status="FAILED" if len(ask.findings) == len(beside) else "PASSED" if passes else "NEEDS_REVISION",
        issues=tuple(issues),
        confidence_scores={id: round(score, 4) for id, score in scores.items()},
        overall_confidence=overall,
    )


def _confidence(
    cover: Cover, grounds: Grounds, against: Sequence[tuple[Finding, Finding]], *, checks: frozenset[str]
) -> float:
    ids = {finding.id for finding in cover.findings}
    times = sum(1 for pair in against if any(finding.id in ids for finding in pair))
    strength = min(1.0, grounds.sources(cover.findings) / WEAK_BELOW) if "evidence_strength" in checks else 1.0
    share = cover.share if "coverage" in checks else float(bool(cover.findings))
    return share * (SINGLE + (1 - SINGLE) * strength) * CONTRADICTED**times


def _contradictions(findings: Sequence[Finding], documents: Sequence[Document]) -> list[tuple[Finding, Finding]]:
    """Pairs of different origins that cannot both be true: by their words, and of counts by the figures of a row."""
    known = {document.sha256: document for document in documents}
    best = sorted(findings, key=lambda finding: -finding.relevance)[:COMPARED]
    told = disagreeing_sides(best, known, most=COMPARED)
    pairs = list({(one.finding.id, other.finding.id): (one.finding, other.finding) for one, other in told}.values())
    pairs += _counted_differently(best, known)
    return pairs[:MOST_CONTRADICTIONS]


def _counted_differently(
    findings: Sequence[Finding], documents: Mapping[str, Document]
) -> Iterator[tuple[Finding, Finding]]:
    """Findings on the same row of the same count, asked twice or of two tools, that hold other figures."""
    rows: dict[tuple[str, str, int], list[tuple[Finding, str, str]]] = {}
    for finding in findings:
        for evidence in finding.evidence:
            document = documents.get(evidence.document)
            if document and document.kind == "dataset" and not evidence.locator.startswith(RECORD):
                key = (document.title, evidence.locator, evidence.quote.count(" | "))
                rows.setdefault(key, []).append((finding, evidence.document, evidence.quote))
    told: set[frozenset[str]] = set()
    for same in rows.values():
        for (one, snapshot, quote), (other, other_snapshot, other_quote) in combinations(same, 2):
            pair = frozenset((one.id, other.id))
            if snapshot != other_snapshot and quote != other_quote and len(pair) == 2 and pair not in told:
                told.add(pair)
                yield one, other


def _issues(
    ask: ValidateFindings,
    covers: Mapping[str, Cover],
    grounds: Grounds,
    against: Sequence[tuple[Finding, Finding]],
    beside: Sequence[Finding],
) -> Iterator[ValidationIssue]:
    """What is wrong; of the sources of a question one issue, that its whole answer is weak or which findings are."""
    words = pack(ask.language).says("judgement")
    for one, other in against:
        yield ValidationIssue(
            type="contradiction",
            description=words["contradiction"].format(one=one.claim, other=other.claim),
            severity="high",
            suggested_action=words["settle"],
            findings=(one.id, other.id),
        )
    for question in ask.questions if "coverage" in ask.validation_checks else ():
        if (cover := covers[question.id]).share < CONFIDENT:
            yield ValidationIssue(
                type="coverage",
                description=lack_of(question, cover, ask.language),
                severity="high" if cover.share < HIGH_BELOW else "medium",
                suggested_action=words["search"].format(query=" ".join(cover.missing) or question.question),
                findings=tuple(finding.id for finding in cover.findings),
                question=question.id,
            )
    for question in ask.questions if "evidence_strength" in ask.validation_checks else ():
        found = covers[question.id].findings
        if weak := [finding.id for finding in found if grounds.sources([finding]) < WEAK_BELOW]:
            sources = grounds.sources(found)
            told = {"question": question.question, "least": WEAK_BELOW, "sources": sources, "count": len(weak)}
            yield ValidationIssue(
                type="evidence_strength",
                description=words["weak" if sources < WEAK_BELOW else "weak_findings"].format(**told),
                severity="medium" if sources < WEAK_BELOW else "low",
                suggested_action=words["confirm"],
                findings=tuple(weak),
                question=question.id,
            )
    if beside:
        yield ValidationIssue(
            type="relevance",
            description=words["beside"].format(count=len(beside), all=len(ask.findings)),
            severity="medium" if len(beside) >= MANY_BESIDE * len(ask.findings) else "low",
            suggested_action=words["leave_out"],
            findings=tuple(finding.id for finding in beside),
        )


def lack_of(question: SubQuestion, cover: Cover, language: str) -> str:
    """What the findings do not tell of a question, in a sentence."""
    words: Mapping[str, str] = pack(language).says("judgement")
    if not cover.findings:
        return words["unanswered"].format(question=question.question)
    if not cover.missing:
        return words["thin"].format(question=question.question)
    return words["partly"].format(question=question.question, missing=phrases(language).comma.join(cover.missing))
