"""What a report says, sentence by sentence, as it can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fathom.comparison.records import ComparedSentence
from fathom.report import Report, ReportSection, SourceEntry
from fathom.text.phrases import phrases
from fathom.text.sentences import sentences


class Told(NamedTuple):
    """A sentence with what helps to find it again in another report."""

    sentence: ComparedSentence
    text: str
    """Its words, with white space of one kind."""
    sources: frozenset[tuple[str, str]]
    """What it cites (see `source_key`)."""
    part: str
    """The part of the question that it answers; empty when nobody knows."""


def source_key(source: SourceEntry) -> tuple[str, str]:
    """What a source is known by in any report: its address, and what was asked there."""
    return source.uri, source.query


def told_by(report: Report) -> list[Told]:
    """Every sentence of a report in its order, then the rows of its figures, then what its sources do not hold."""
    sources = {source.id: source_key(source) for source in report.sources}
    parts = {subtask.subtask_id: subtask.description for subtask in report.subtasks}

    def told(text: str, place: str, subtask_id: str | None, cites: Sequence[str] = (), **claim: str) -> Told:
        sentence = ComparedSentence.model_validate({"text": text, "place": place, "citations": cites, **claim})
        cited = frozenset(sources[id] for id in cites if id in sources)
        return Told(sentence, " ".join(text.split()), cited, parts.get(subtask_id or "", ""))

    def found() -> Iterator[Told]:
        claims, places, alone = {claim.id: claim for claim in report.claims}, _places(report), report.in_words
        for claim in (claims[id] for id in dict.fromkeys([*places, *claims])):  # in the order of the sections
            text, place = alone[claim.id], places.get(claim.id, "")
            is_cell = text != claim.text
            for start, end in [(0, len(text))] if is_cell else sentences(text):
                judged = {"claim": claim.id, "status": claim.status}
                yield told(text[start:end], place, claim.subtask_id, claim.citations, **judged)
        for figure in report.figures:
            for row in figure.rows:
                text = ", ".join(f"{column}: {cell}" for column, cell in zip(figure.columns, row, strict=False))
                yield told(text, figure.title, figure.subtask_id, (figure.source_id,))
        for missing in report.not_found:
            yield told(missing.what, phrases(report.language).not_found, missing.subtask_id)

    return list(found())


def _places(report: Report) -> dict[str, str]:
    """The heading that each claim is under, in the order of the report."""
    places = dict(_headings(report.sections))
    for id in (id for each in report.contradictions for id in each.claims):
        places.setdefault(id, phrases(report.language).contradictions)
    return places


def _headings(sections: Sequence[ReportSection]) -> Iterator[tuple[str, str]]:
    for section in sections:
        yield from ((id, section.heading) for id in section.claims)
        yield from _headings(section.sections)
