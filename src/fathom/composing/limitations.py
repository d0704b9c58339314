"""What a reader of a report must know, and what to look for next."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import get_args

from fathom.composing.numbering import Numbering, Telling
from fathom.composing.research import Outcome, ReportMaterial
from fathom.errors import SKIPPED
from fathom.findings import Check, ValidationIssue
from fathom.report import Contradiction, NotFoundEntry, SourceEntry
from fathom.text import typeset
from fathom.text.phrases import Phrases

RECORD = "record "
"""Begins the locator of a record."""
LIST_FROM = 10
"""Records that make a list and no mere examples."""
MOST = 3
"""Limitations, and suggestions, that come from what was judged of the findings as a whole."""


def limitations(telling: Telling, words: Phrases, *, is_quoted: bool) -> Iterator[str]:
    """What a reader must know, most important first; `is_quoted`: all is told in the words of its sources alone."""
    research, numbering = telling.research, telling.numbering
    cited_sources = tuple(numbering.sources.values())
    for name, error in research.failures.items():
        yield words.source_failed.format(name=name, error=error)
    yield from (words.lacks[each] for each in research.lacks)
    weak = sum(not claim.verified for claim in numbering.claims)
    if weak and telling.limits is None:  # of a written report the footer says it
        yield words.weak_note.format(count=weak)
    skipped = [each.subtask for each in research.outcomes if each.reason == SKIPPED]
    if skipped:
        what = words.comma.join((each.focus_area or each.description).rstrip(" ?？.。") for each in skipped)
        yield words.skipped.format(what=what)
    if research.unapproved:
        yield words.unapproved.format(count=research.unapproved)
    if stand_ins := sum(research.stand_ins.values()):
        yield " ".join(filter(None, (words.stand_ins.format(count=stand_ins), research.stand_in_reason)))
    yield from telling.limits or ()  # the caveats are among what a model has written them from
    if research.invented:
        yield words.invented.format(count=research.invented)
    yield from typeset.dataset_notes(research.coverage.datasets, asked_for(research), words)
    yield from _list_notes(research, numbering, words)
    cited = {id for claim in numbering.claims for id in claim.citations}
    for source in cited_sources:
        if source.left_out and source.id in cited:
            yield words.unread_parts.format(title=source.title, what="; ".join(source.left_out[:MOST]))
    kinds = [source.kind for source in cited_sources]
    if kinds in (["file"], ["web"]) and research.coverage.total > 1:
        if kinds == ["web"] or not is_quoted:  # one document that answers is what its owner hopes for
            yield words.single_source
    elif alone := len(numbering.alone):
        yield words.single_origin.format(count=alone, claims=len(numbering.claims))
    parts = [each for each in telling.subtasks if each.parent_id is None and each.outcome != "nothing"]
    weak_parts = [each.focus_area or each.description for each in parts if "one_weak_source" in each.doubts]
    if weak_parts and len(parts) > 1 < len(cited_sources) and research.validation is None:  # which says it of more
        yield words.doubts["evidence_strength"].format(what=words.comma.join(weak_parts))
    if numbering.stale:
        old = dict.fromkeys(id for claim in numbering.stale for id in claim.citations)
        yield words.stale.format(count=len(numbering.stale), sources=words.comma.join(old))
    undated = [source.id for source in cited_sources if source.kind == "web" and not source.published]
    if numbering.quality.is_current and undated:
        yield words.undated.format(sources=words.comma.join(undated))
    if telling.limits is None:
        yield from dict.fromkeys(caveat for synthesis in research.syntheses for caveat in synthesis.caveats)
    yield from _doubts(
        research, words, told={each.id for each in telling.told}, tell=_untold(telling.contradictions, cited_sources)
    )


def _list_notes(research: ReportMaterial, numbering: Numbering, words: Phrases) -> Iterator[str]:
    """That a list of records is shorter than what matches, where one dataset was asked."""
    listed = {entry.locator for entry in numbering.evidence.values() if entry.locator.startswith(RECORD)}
    if len(research.coverage.datasets) == 1 and len(listed) >= LIST_FROM:
        (data,) = research.coverage.datasets
        if data.matched is not None and data.matched > len(listed):
            yield words.data_listed.format(name=data.name, listed=len(listed), found=data.matched)


def _untold(contradictions: tuple[Contradiction, ...], cited_sources: tuple[SourceEntry, ...]) -> frozenset[Check]:
    """The checks of the findings that no other part of the report speaks of."""
    said: dict[Check, bool] = {"contradiction": bool(contradictions), "evidence_strength": len(cited_sources) < 2}
    return frozenset(kind for kind in get_args(Check) if not said.get(kind))


def asked_for(research: ReportMaterial) -> dict[str, str]:
    """The part of the question that each subtask answers, by its id."""
    subtasks = (outcome.subtask for outcome in research.outcomes)
    return {subtask.subtask_id: subtask.focus_area or subtask.description for subtask in subtasks}


def suggestions(
    research: ReportMaterial, not_found: tuple[NotFoundEntry, ...], run_id: str, words: Phrases
) -> Iterator[str]:
    if research.partial is not None:
        yield words.resume.format(run_id=run_id)
    for entry in not_found:
        yield words.search_again.format(what=entry.what)
    areas = (
        area
        for outcome in research.outcomes
        if outcome.evaluation and outcome.findings
        for area in outcome.evaluation.drill_down_areas
    )
    for area in list(dict.fromkeys(areas))[:3]:
        yield words.look_deeper.format(what=area)
    yield from _to_look_for(research, words)


def _doubts(research: ReportMaterial, words: Phrases, *, told: Container[str], tell: Container[Check]) -> Iterator[str]:
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


def _to_look_for(research: ReportMaterial, words: Phrases) -> Iterator[str]:
    """What would close the gaps that are still open, the most important first."""
    open_gaps = [gap for gap in (research.gaps.gaps if research.gaps else ()) if _still_holds(research, gap.question)]
    wanted = (gap.suggested_params.get("query") or gap.description.rstrip(".。") for gap in open_gaps)
    for what in list(dict.fromkeys(wanted))[:MOST]:
        yield words.search_again.format(what=what)


def _still_holds(research: ReportMaterial, question: str) -> bool:
    """Whether what was said of a question was not overtaken, nor is said elsewhere because nothing was found."""
    if question in research.researched_since:
        return False
    return all(outcome.findings or outcome.synthesis for outcome in _outcomes(research, question))


def _what(research: ReportMaterial, issue: ValidationIssue) -> str:
    """The subtask that an issue concerns, by its focus; else the issue in its own words."""
    for outcome in _outcomes(research, issue.question):
        return outcome.subtask.focus_area or outcome.subtask.description
    return issue.description.rstrip(".。")


def _outcomes(research: ReportMaterial, id: str) -> list[Outcome]:
    return [outcome for outcome in research.outcomes if outcome.subtask.subtask_id == id]
