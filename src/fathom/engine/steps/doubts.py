"""What the judgements on the findings as a whole leave a reader to know, and to look for."""

from __future__ import annotations

from collections.abc import Container, Iterator

from fathom.engine.board import Outcome, Research
from fathom.findings import Check, ValidationIssue
from fathom.text.phrases import Phrases

MOST = 3
"""Limitations, and suggestions, that come from these judgements."""


def doubts(research: Research, words: Phrases, *, told: Container[str], tell: Container[Check]) -> Iterator[str]:
    """One sentence for each kind of issue that weighs, the gravest first.

    What concerns only a subtask that has found something since is left out, and so is one that found nothing: the
    report lists it. Of findings beside the point only those count that the report has `told`. `tell` holds the kinds
    that nothing else in the report says.
    """
    by_kind: dict[Check, list[ValidationIssue]] = {}
    for issue in research.validation.issues if research.validation else ():
        if issue.severity != "low" and issue.type in tell and _still_holds(research, issue.question):
            by_kind.setdefault(issue.type, []).append(issue)
    count = 0
    for kind, issues in by_kind.items():
        ids = [id for issue in issues for id in issue.findings]
        if kind == "relevance":
            ids = [id for id in ids if id in told]
            if not ids:
                continue
        what = words.comma.join(dict.fromkeys(_what(research, issue) for issue in issues))
        yield words.doubts[kind].format(what=what, count=len(issues) if kind == "contradiction" else len(set(ids)))
        count += 1
        if count == MOST:
            return


def to_look_for(research: Research, words: Phrases) -> Iterator[str]:
    """What would close the gaps that are still open, the most important first."""
    open_gaps = [gap for gap in (research.gaps.gaps if research.gaps else ()) if _still_holds(research, gap.question)]
    wanted = (gap.suggested_params.get("query") or gap.description.rstrip(".。") for gap in open_gaps)
    for what in list(dict.fromkeys(wanted))[:MOST]:
        yield words.search_again.format(what=what)


def _still_holds(research: Research, question: str) -> bool:
    """Whether what was said of a question was not overtaken, nor is said elsewhere because nothing was found."""
    if question in research.researched_since:
        return False
    return all(outcome.findings or outcome.synthesis for outcome in _outcomes(research, question))


def _what(research: Research, issue: ValidationIssue) -> str:
    """The subtask that an issue concerns, by its focus; else the issue in its own words."""
    for outcome in _outcomes(research, issue.question):
        return outcome.subtask.focus_area or outcome.subtask.description
    return issue.description.rstrip(".。")


def _outcomes(research: Research, id: str) -> list[Outcome]:
    return [outcome for outcome in research.outcomes if outcome.subtask.subtask_id == id]
