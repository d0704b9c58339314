"""What a report says, sentence by sentence, as it can be compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fathom.comparison.records import ComparedSentence
from fathom.report import Report, ReportSection, SourceEntry, TextBlock
from fathom.text.phrases import phrases
from fathom.text.sentences import sentences


@dataclass(frozen=True)
class Told:
    """A sentence with what helps to find it again in another report."""

    sentence: ComparedSentence
    sources: frozenset[tuple[str, str]]
    """What it cites (see `source_key`)."""
    part: str
    """The part of the question that it answers; empty when nobody knows."""

    @property
    def text(self) -> str:
        """Its words, with white space of one kind."""
        return " ".join(self.sentence.text.split())

    @property
    def place(self) -> str:
        """The heading that it stands under."""
        return self.sentence.place


def source_key(source: SourceEntry) -> tuple[str, str]:
    """What a source is known by in any report: its address, and what was asked there."""
    return source.uri, source.query


def told_by(report: Report) -> list[Told]:
    """Every sentence of a report in its order, then the rows of its figures, then what its sources do not hold."""
    sources = {source.id: source_key(source) for source in report.sources}
    parts = {subtask.subtask_id: subtask.description for subtask in report.subtasks}

    def told(sentence: ComparedSentence, subtask_id: str | None) -> Told:
        cited = frozenset(sources[id] for id in sentence.citations if id in sources)
        return Told(sentence, cited, parts.get(subtask_id or "", ""))

    claims = {claim.id: claim for claim in report.claims}
    places = dict(_places(report.sections))
    whole = {id for section in report.sections for block in _blocks(section) for id in _undivided(block)}
    found = []
    for id in dict.fromkeys([*places, *claims]):  # in the order of the sections, and nothing is forgotten
        claim = claims[id]
        spans = [(0, len(claim.text))] if id in whole else sentences(claim.text)
        for start, end in spans:
            sentence = ComparedSentence(
                text=claim.text[start:end],
                place=places.get(id, ""),
                claim=id,
                citations=claim.citations,
                status=claim.status,
            )
            found.append(told(sentence, claim.subtask_id))
    for figure in report.figures:
        for row in figure.rows:
            text = ", ".join(f"{column}: {cell}" for column, cell in zip(figure.columns, row, strict=False))
            sentence = ComparedSentence(text=text, place=figure.title, citations=(figure.source_id,))
            found.append(told(sentence, figure.subtask_id))
    for missing in report.not_found:
        sentence = ComparedSentence(text=missing.what, place=phrases(report.language).not_found)
        found.append(told(sentence, missing.subtask_id))
    return found


def _places(sections: tuple[ReportSection, ...]) -> Iterator[tuple[str, str]]:
    """Each claim of the sections with the heading that it stands under."""
    for section in sections:
        yield from ((id, section.heading) for id in section.claims)
        yield from _places(section.sections)


def _blocks(section: ReportSection) -> Iterator[TextBlock]:
    yield from section.blocks
    for below in section.sections:
        yield from _blocks(below)


def _undivided(block: TextBlock) -> Iterator[str]:
    """The claims of a block that are no prose: rows of tables, and code."""
    if block.kind in {"table", "code"}:
        yield from (id for item in block.items for id in item)
        if block.head:
            yield block.head
