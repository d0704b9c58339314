"""How good a report is, measured against a question's gold pages and facts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import unquote

from fathom.evals.questions import EvalQuestion, ExpectedFact
from fathom.frozen import FrozenModel
from fathom.report import Report
from fathom.text.analysis import terms
from fathom.text.display import word_count

REDUNDANT_OVERLAP = 0.6
"""Overlap of terms (Jaccard) with an earlier claim, above which a claim says nothing new."""


class Score(FrozenModel):
    """What one report is worth. Shares over several questions are pooled: found by all over wanted by all."""

    question: str
    """Id of the question."""
    corpus: str
    """The corpus that it was asked of."""
    language: str
    """Language of the question, as an ISO 639-1 code."""
    answerable: bool
    """Whether the corpus holds an answer."""
    run_id: str = ""
    """The run; empty when none came about."""
    facts_found: tuple[str, ...] = ()
    """Names of the facts that a sentence tells which cites one of the fact's pages."""
    facts_missed: tuple[str, ...] = ()
    """Names of the other facts."""
    pages_found: tuple[str, ...] = ()
    """Gold pages that are cited."""
    pages_missed: tuple[str, ...] = ()
    """Gold pages that are not."""
    claims: int = 0
    """Sentences of the report that state something."""
    supported: int = 0
    """Of these, the ones that quote their evidence or are supported by it."""
    redundant: int = 0
    """Of these, the ones that an earlier one has already told (see `REDUNDANT_OVERLAP`)."""
    words: int = 0
    """Words of the report as `fathom.text.display.word_count` counts them: headings and sources included."""
    tokens: int = 0
    """Pieces of the Markdown between white space. Says little of Japanese, which has none."""
    abstained: bool = True
    """The report does not say that it answers: it shows what comes closest, or nothing."""
    verbatim: bool = True
    """Every quotation is the snapshot's text at its offsets."""
    seconds: float = 0.0
    """Wall time from the question to the report."""
    error: str | None = None
    """Why there is no report."""


def score(
    report: Report, question: EvalQuestion, *, snapshots: Mapping[str, str] | None = None, seconds: float | None = None
) -> Score:
    """Measure a report.

    Args:
        snapshots: Text by `sha256` of every source of the report; without it the quotations are not looked at.
        seconds: Wall time; without it the report's own account of it.
    """
    told = {fact.name for fact in question.facts if tells(report, fact)}
    cited = cited_uris(report)
    found = tuple(page for page in question.pages if any(is_page(uri, page) for uri in cited))
    return Score(
        question=question.id,
        corpus=question.corpus,
        language=question.language,
        answerable=not question.unanswerable,
        run_id=report.run_id,
        facts_found=tuple(fact.name for fact in question.facts if fact.name in told),
        facts_missed=tuple(fact.name for fact in question.facts if fact.name not in told),
        pages_found=found,
        pages_missed=tuple(page for page in question.pages if page not in found),
        claims=len(report.claims),
        supported=sum(claim.verified for claim in report.claims),
        redundant=redundant(report),
        words=word_count(report.markdown),
        tokens=len(report.markdown.split()),
        abstained=not report.claims or report.outcome == "closest",
        verbatim=snapshots is None or verbatim(report, snapshots),
        seconds=report.usage.seconds if seconds is None else seconds,
    )


def tells(report: Report, fact: ExpectedFact) -> bool:
    """Whether one sentence of the report, or a cell with its row and its column, both matches the fact and cites a page
    that holds it."""
    alone = report.in_words
    uris = {source.id: source.uri for source in report.sources}
    pattern = re.compile(fact.pattern)
    return any(
        pattern.search(" ".join(alone[claim.id].split()))
        and any(is_page(uris[id], page) for id in claim.citations for page in fact.pages)
        for claim in report.claims
    )


def cited_uris(report: Report) -> set[str]:
    """Addresses of the sources that at least one sentence cites."""
    cited = {id for claim in report.claims for id in claim.citations}
    return {source.uri for source in report.sources if source.id in cited}


def is_page(uri: str, page: str) -> bool:
    """Whether an address is that of a page of the corpus.

    >>> is_page("file:///corpora/git-doc/howto/a%20b.html", "howto/a b.html")
    True
    >>> is_page("file:///corpora/git-doc/git-commit.html", "commit.html")
    False
    """
    return unquote(uri).endswith("/" + page)


def redundant(report: Report) -> int:
    """Number of claims that overlap with an earlier one by more than `REDUNDANT_OVERLAP`."""
    seen: list[frozenset[str]] = []
    count = 0
    for text in report.in_words.values():
        own = frozenset(terms(text))
        count += any(_overlap(own, other) > REDUNDANT_OVERLAP for other in seen)
        seen.append(own)
    return count


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0


def verbatim(report: Report, snapshots: Mapping[str, str]) -> bool:
    """Whether every quotation is, to the letter, what its source holds at its offsets; a missing snapshot is a no."""
    texts = {source.id: snapshots.get(source.sha256, "") for source in report.sources}
    return all(entry.quote == texts.get(entry.source_id, "")[entry.start : entry.end] for entry in report.evidence)
