"""What the short formats of a report share: its claims as it tells them, the sources that they cite, its coverage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fathom.report import Claim, Report
from fathom.text import typeset
from fathom.text.commonmark import inert
from fathom.text.own import REPORT_MARK
from fathom.text.phrases import Phrases


def heading(report: Report, words: Phrases) -> Iterator[str]:
    """The title, why the report is partial, and that nothing, or nothing that answers, was found, where that is so."""
    yield f"# {inert(report.title)}"
    if notice := words.notice(report.partial):
        yield f"> {notice}"
    if not report.claims:
        yield words.nothing_yet if report.partial else words.nothing_found
    if told := typeset.note(None, report.subtasks, report.outcome, words):
        yield told


def points(told: Sequence[Claim], words: Phrases) -> Iterator[str]:
    """Each sentence as a point of its own; an item behind the sentence that it stands under."""
    lead_ins = {each.lead_in for each in told}
    for each in told:
        if each.text not in lead_ins:
            lead_in = f"{inert(each.lead_in)} " if each.lead_in else ""
            yield f"- {lead_in}{typeset.sentence(each, words)}"


def ending(report: Report, told: Iterable[Claim], words: Phrases) -> Iterator[str]:
    """The sources that are cited, and how much was read."""
    cited = {id for each in told for id in each.citations}
    if sources := [source for source in report.sources if source.id in cited]:
        yield f"## {words.sources}"
        yield from typeset.source_list(sources, words)
    parts = {subtask.subtask_id: subtask.focus_area or subtask.description for subtask in report.subtasks}
    if lines := list(typeset.dataset_lines(report.coverage.datasets, parts, words)):
        yield "---"
        yield "  \n".join(lines)
    if targets := typeset.link_targets(sources):
        yield targets
    yield f"{REPORT_MARK}\n"
