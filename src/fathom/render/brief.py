"""What the short formats of a report share: its claims as it tells them, the sources that they cite, its coverage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fathom.report import Claim, Report
from fathom.text import typeset
from fathom.text.commonmark import inert
from fathom.text.own import REPORT_MARK
from fathom.text.phrases import Phrases


def heading(report: Report, words: Phrases) -> Iterator[str]:
    """The title, why the report is partial, and that nothing was found, where that is so."""
    yield f"# {inert(report.title)}"
    if notice := words.notice(report.partial):
        yield f"> {notice}"
    if not report.claims:
        yield words.nothing_yet if report.partial else words.nothing_found


def claims_told(report: Report, told: Iterable[str]) -> list[Claim | str]:
    """The claims that sentences with citation marks are; of those that are none, the sentence."""
    known: dict[str, Claim] = {}
    for claim in report.claims:
        known.setdefault(" ".join((claim.text, typeset.marks(claim.citations))).rstrip(), claim)
    return [known.get(sentence, sentence) for sentence in told]


def blocks(told: Sequence[Claim | str], words: Phrases) -> Iterator[str]:
    """Sentences in a paragraph, items of a list below each other."""
    paragraph: list[str] = []
    items: list[str] = []
    for each in told:
        is_item = isinstance(each, Claim) and each.lead_in is not None
        if paragraph and is_item:
            yield " ".join(paragraph)
            paragraph = []
        if items and not is_item:
            yield "\n".join(items)
            items = []
        (items if is_item else paragraph).append(f"- {_sentence(each, words)}" if is_item else _sentence(each, words))
    yield from filter(None, (" ".join(paragraph), "\n".join(items)))


def points(told: Sequence[Claim | str], words: Phrases) -> Iterator[str]:
    """Each sentence as a point of its own; an item behind the sentence that it stands under."""
    lead_ins = {each.lead_in for each in told if isinstance(each, Claim)}
    for each in told:
        if isinstance(each, str) or each.text not in lead_ins:
            lead_in = f"{inert(each.lead_in)} " if isinstance(each, Claim) and each.lead_in else ""
            yield f"- {lead_in}{_sentence(each, words)}"


def ending(report: Report, told: Iterable[Claim | str], words: Phrases) -> Iterator[str]:
    """The sources that are cited, and how much was read."""
    cited = {id for each in told if isinstance(each, Claim) for id in each.citations}
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


def _sentence(each: Claim | str, words: Phrases) -> str:
    return inert(each) if isinstance(each, str) else typeset.sentence(each, words)
