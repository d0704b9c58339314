"""What is missing in the findings, who would bring it, and whether it is worth going on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from fathom.asks import AnalyzeGaps
from fathom.data.turns import SubQuestion
from fathom.findings import CONFIDENT, WEAK_BELOW, GapAnalysis, ResearchGap
from fathom.reasoners.extractive.coverage import Cover, Covering, Grounds, asked_for, words_of
from fathom.reasoners.extractive.facets import named_terms
from fathom.reasoners.extractive.parts import own_side
from fathom.reasoners.extractive.validate import lack_of
from fathom.reasoners.extractive.verdicts import Verdicts, verdicts
from fathom.text.analysis import terms

LAST = 3
"""Batches or rounds in a row that decide whether anything is still to be found."""
LITTLE = 0.05
"""Share of all that was found that they must have brought together to go on."""
LATER = 0.05
"""What a gap weighs less for each place further down that its question has in the order."""
THIN = 0.3
"""Importance of a gap in what is answered, but not firmly or not completely."""
_COUNTS = re.compile(
    r"\b(?:how\s+(?:many|often|much)|number\s+of|counts?|distribut\w+|breakdown|shares?|percentages?|proportions?|trends?"
    r"|most\s+(?:common|frequent|\w+s\b)|top\s+\d*|largest|smallest|average|mean|median|total|per\s+\w+|over\s+time|by\s+\w+)\b"
    r"|件数|何件|いくつ|何人|分布|内訳|割合|推移|傾向|平均|合計|最も多い|上位|ごと|(?<![特区個])別",
    re.IGNORECASE,
)


def analyze_gaps(ask: AnalyzeGaps) -> GapAnalysis:
    """A question is answered as far as the findings, and what was counted, hold its terms (see `coverage`).

    Every question that was asked is critical. `SUFFICIENT_COVERAGE` when each is answered to 0.7; else
    `DIMINISHING_RETURNS` when the last three batches or rounds together brought no more than a twentieth of all that
    was found; else `CONTINUE_RESEARCH`.
    """
    words = verdicts(ask.language)
    grounds = Grounds.of_results(ask.results)
    covering = Covering(ask.findings, grounds)
    covers = {question.id: covering.of(question) for question in ask.questions}
    gaps = [*_open(ask, covers, words), *_thin(ask, covers, grounds, words)]
    gaps.sort(key=lambda gap: -gap.importance)
    open_questions = sum(cover.share < CONFIDENT for cover in covers.values())
    common = {"gaps": tuple(gaps), "coverage_by_question": {id: cover.share for id, cover in covers.items()}}
    if not open_questions:
        return GapAnalysis(**common, recommendation="SUFFICIENT_COVERAGE", reasoning=words.enough)
    if is_barren(ask.new_findings):
        told = words.barren.format(count=open_questions, rounds=LAST)
        return GapAnalysis(**common, recommendation="DIMINISHING_RETURNS", reasoning=told)
    told = words.go_on.format(count=open_questions)
    return GapAnalysis(**common, recommendation="CONTINUE_RESEARCH", reasoning=told)


def is_barren(new_findings: Sequence[int]) -> bool:
    """Whether the last batches brought next to nothing.

    >>> is_barren([20, 1, 0, 0]), is_barren([20, 4, 0, 0]), is_barren([0, 0])
    (True, False, False)
    """
    return len(new_findings) >= LAST and sum(new_findings[-LAST:]) <= LITTLE * sum(new_findings)


def _open(ask: AnalyzeGaps, covers: Mapping[str, Cover], words: Verdicts) -> Iterator[ResearchGap]:
    """What is answered too little."""
    for question in ask.questions:
        cover = covers[question.id]
        if cover.share < CONFIDENT:
            agent, params = _who(ask, question, cover)
            yield ResearchGap(
                description=lack_of(question, cover, words),
                importance=round(max(0.0, (1 - cover.share) * (1 - LATER * (question.priority - 1))), 4),
                suggested_agent=agent,
                suggested_params=params,
                question=question.id,
            )


def _thin(ask: AnalyzeGaps, covers: Mapping[str, Cover], grounds: Grounds, words: Verdicts) -> Iterator[ResearchGap]:
    """Of a dataset, what is answered on few records, and records that nobody has read."""
    if not _is_of_data(ask):
        return
    for question in ask.questions:
        cover = covers[question.id]
        sources = grounds.sources(cover.findings)
        if cover.share >= CONFIDENT and sources < WEAK_BELOW:
            yield ResearchGap(
                description=words.weak.format(question=question.question, sources=sources, least=WEAK_BELOW),
                importance=THIN,
                suggested_agent="scanner" if _unread(ask) else "validator",
                suggested_params={"extraction_focus": question.question} if _unread(ask) else {},
                question=question.id,
            )
    if unread := _unread(ask):
        yield ResearchGap(
            description=words.unread.format(unread=unread, all=ask.total_docs_available),
            importance=THIN,
            suggested_agent="scanner",
            suggested_params={"extraction_focus": ask.query},
        )


def _who(ask: AnalyzeGaps, question: SubQuestion, cover: Cover) -> tuple[str, dict[str, str]]:
    """Who would bring what is missing: counts, then records that nobody has read; for documents and pages a search.

    When all is counted and read, what remains is to check what there is.
    """
    lost = " ".join(cover.missing)
    if not _is_of_data(ask):
        return "", {"query": query_for(question, cover)}
    if _COUNTS.search(question.question) and not _is_counted(ask, cover):
        return "aggregator", {"question": question.question, "about": lost or question.question}
    if _unread(ask):
        return "scanner", {"extraction_focus": lost or question.question}
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


def _is_of_data(ask: AnalyzeGaps) -> bool:
    """Whether records are researched: in research on documents and pages, the questions are the subtasks."""
    return not any(question.id.startswith("task_") for question in ask.questions)


def _is_counted(ask: AnalyzeGaps, cover: Cover) -> bool:
    """Whether a count has the fields or values that are missing."""
    lost = {term for word in cover.missing for term in terms(word)}
    return any(lost <= set(terms(asked_for(result))) for result in ask.results)


def _unread(ask: AnalyzeGaps) -> int:
    return max(0, (ask.total_docs_available or 0) - ask.docs_processed)
