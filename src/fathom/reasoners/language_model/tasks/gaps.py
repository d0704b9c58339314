"""AnalyzeGaps: what is missing, and whether to go on, as a model judges that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated, Literal

from fathom.asks import AnalyzeGaps
from fathom.findings import CONFIDENT, Finding, GapAnalysis, ResearchGap
from fathom.reasoners.extractive.gaps import analyze_gaps
from fathom.reasoners.language_model.task import Draft, Read, Task, Wire
from fathom.reasoners.language_model.tasks.dataset import Room, shown_results
from fathom.reasoners.language_model.tasks.plain import plain
from fathom.reasoners.language_model.tasks.validate import CLAIM_LENGTH, SAID_LENGTH, fitting_tags, shown_questions
from fathom.reasoners.language_model.tasks.words import TAG_TOKENS, Number, Share, line, one_of, searches, shown_tokens

MOST_GAPS = 8
LAST = 8
"""Rounds whose new findings are told."""
_WANTED = {"aggregator": "question", "scanner": "extraction_focus", "extractor": "extraction_focus"}
"""What each sub-agent that can bring something is told by."""


class FoundGap(Wire):
    """Something that is missing."""

    description: str
    """What, in a sentence."""
    importance: Share = 0.5
    """How much the answer gains by it, 0 to 1."""
    question: Number = 0
    """Number of the research question, or part, that it belongs to; 0 for all."""
    agent: Annotated[str, one_of(["search", *_WANTED])] = "search"
    """Who would bring it."""
    ask_for: str = ""
    """What to search, count or look for, in a few words."""


class Covered(Wire):
    """How far a question is answered."""

    question: Number
    """Its number."""
    share: Share
    """0 to 1."""


class GapsFound(Wire, title="AnalyzeGaps"):
    """What is missing."""

    reasoning: str = ""
    """Why, in a sentence."""
    coverage: list[Covered]
    """One for each question, or part: how far it is answered."""
    gaps: list[FoundGap] = []
    """The most important first; none if all is answered."""
    recommendation: Literal["CONTINUE_RESEARCH", "SUFFICIENT_COVERAGE", "DIMINISHING_RETURNS"]
    """Whether to go on."""


class AnalyzeGapsTask(Task[AnalyzeGaps, GapAnalysis]):
    """Findings, counts and questions in; what is missing out."""

    name = "analyze_gaps"
    answer_tokens = 900
    prompt_tokens = 4_000

    def rule(self, ask: AnalyzeGaps) -> GapAnalysis | None:
        """Where nothing was found and nothing was counted, all of it is missing."""
        return None if ask.findings or ask.results else analyze_gaps(ask)

    def drafts(self, ask: AnalyzeGaps, *, room: int) -> Sequence[Draft[GapAnalysis]]:
        """The questions, the latest counts, and the findings as far as they fit, the most relevant first."""
        questions = shown_questions(ask.questions, room // 3)
        left = Room.of(room)
        left.left -= sum(shown_tokens(text) + TAG_TOKENS for text in questions.values())
        results = shown_results(ask.results, left, 0.3)
        best = sorted(ask.findings, key=lambda finding: -finding.relevance)
        claims = [line(finding.claim, CLAIM_LENGTH) for finding in best]
        claims = claims[: fitting_tags(claims, left.left)]
        variables = {
            "confident": CONFIDENT,
            "questions": questions,
            "processed": ask.docs_processed,
            "available": ask.total_docs_available,
            "new_findings": ask.new_findings[-LAST:],
            "results": results,
            "findings": claims,
        }
        return [Draft(variables, GapsFound, partial(_read, ask), left_out=len(best) - len(claims))]


def _read(ask: AnalyzeGaps, wire: GapsFound) -> Read[GapAnalysis]:
    questions = {number: question.id for number, question in enumerate(ask.questions, start=1)}
    return gaps_of(wire, ask.findings, questions, wanted=_WANTED)


def gaps_of(
    wire: GapsFound, findings: Iterable[Finding], questions: Mapping[int, str], *, wanted: Mapping[str, str] = {}
) -> Read[GapAnalysis]:
    """What is missing, by the ids of the questions; `wanted` are the sub-agents that may bring it, and how each is
    told."""
    held = [text for finding in findings for text in finding.held]
    found: list[ResearchGap] = []
    named = {each.question for each in wire.gaps} - {0} | {each.question for each in wire.coverage}
    for gap in wire.gaps:
        said = line(plain(gap.description, held), SAID_LENGTH)
        what = next(iter(searches([gap.ask_for, said], most=1)), "")
        if not said or not what:
            continue
        agent = gap.agent if gap.agent in wanted else ""
        found.append(
            ResearchGap(
                description=said,
                importance=round(gap.importance, 4),
                suggested_agent=agent,
                suggested_params={wanted.get(agent, "query"): what},
                question=questions.get(gap.question, ""),
            )
        )
    found.sort(key=lambda gap: -gap.importance)
    covered = {each.question: each.share for each in wire.coverage}
    return Read(
        GapAnalysis(
            gaps=tuple(found[:MOST_GAPS]),
            coverage_by_question={id: round(covered[at], 4) for at, id in questions.items() if at in covered},
            recommendation=wire.recommendation,
            reasoning=line(plain(wire.reasoning, held), SAID_LENGTH),
        ),
        len(named - questions.keys()),
    )
