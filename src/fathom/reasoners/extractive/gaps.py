"""What is missing in the findings, who would bring it, and whether it is worth going on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from fathom.asks import AnalyzeGaps
from fathom.data.turns import SubQuestion
from fathom.findings import CONFIDENT, GapAnalysis, ResearchGap
from fathom.languages.packs import pack
from fathom.reasoners.extractive.coverage import Cover, Covering, Grounds, words_of
from fathom.reasoners.extractive.facets import named_terms
from fathom.reasoners.extractive.parts import own_side
from fathom.reasoners.extractive.validate import lack_of

LAST = 3
"""Batches or rounds in a row that decide whether anything is still to be found."""
LITTLE = 0.05
"""Share of all that was found that they must have brought together to go on."""
LATER = 0.05
"""What a gap weighs less for each place further down that its question has in the order."""


def analyze_gaps(ask: AnalyzeGaps) -> GapAnalysis:
    """A question is answered as far as the findings, and what was counted, hold its terms (see `coverage`).

    Every question that was asked is critical. `SUFFICIENT_COVERAGE` when each is answered to 0.7; else
    `DIMINISHING_RETURNS` when the last three batches or rounds together brought no more than a twentieth of all that
    was found; else `CONTINUE_RESEARCH`.
    """
    words = pack(ask.language).says("judgement")
    covering = Covering(ask.findings, Grounds.of_results(ask.results))
    covers = {question.id: covering.of(question) for question in ask.questions}
    gaps = sorted(_open(ask, covers), key=lambda gap: -gap.importance)
    recommendation: Literal["CONTINUE_RESEARCH", "SUFFICIENT_COVERAGE", "DIMINISHING_RETURNS"] = "CONTINUE_RESEARCH"
    if not gaps:
        recommendation = "SUFFICIENT_COVERAGE"
    elif is_barren(ask.new_findings):
        recommendation = "DIMINISHING_RETURNS"
    return GapAnalysis(
        gaps=tuple(gaps),
        coverage_by_question={id: cover.share for id, cover in covers.items()},
        recommendation=recommendation,
        reasoning=words[recommendation].format(count=len(gaps), rounds=LAST),
    )


def is_barren(new_findings: Sequence[int]) -> bool:
    """Whether the last batches brought next to nothing.

    >>> is_barren([20, 1, 0, 0]), is_barren([20, 4, 0, 0]), is_barren([0, 0])
    (True, False, False)
    """
    return len(new_findings) >= LAST and sum(new_findings[-LAST:]) <= LITTLE * sum(new_findings)


def _open(ask: AnalyzeGaps, covers: Mapping[str, Cover]) -> Iterator[ResearchGap]:
    """What is answered too little."""
    for question in ask.questions:
        cover = covers[question.id]
        if cover.share < CONFIDENT:
            agent, params = _who(ask, question, cover)
            yield ResearchGap(
                description=lack_of(question, cover, ask.language),
                importance=round(max(0.0, (1 - cover.share) * (1 - LATER * (question.priority - 1))), 4),
                suggested_agent=agent,
                suggested_params=params,
                question=question.id,
            )


def _who(ask: AnalyzeGaps, question: SubQuestion, cover: Cover) -> tuple[str, dict[str, str]]:
    """Who would bring what is missing: counts, then records that nobody has read; for documents and pages a search.

    When all is counted and read, what remains is to check what there is.
    """
    lost = " ".join(cover.missing) or question.question
    if question.id.startswith("task_"):
        return "", {"query": query_for(question, cover)}
    if not ask.results:
        return "aggregator", {"question": question.question, "about": lost}
    if ask.docs_processed < (ask.total_docs_available or 0):
        return "scanner", {"extraction_focus": lost}
    return "validator", {}


def query_for(question: SubQuestion, cover: Cover) -> str:
    """What to search for: what the question names, else all of its words that matter, with what nothing tells of first.

    Without its subject a word that is missing finds anything.
    """
    asked = own_side(question.question)
    names = [name for name, _ in named_terms(asked)]
    words = [word for word in cover.missing if not any(word in name for name in names)]
    if not words:
        return asked
    return " ".join(dict.fromkeys((*names, *words) if names else (*words, *words_of(asked))))
