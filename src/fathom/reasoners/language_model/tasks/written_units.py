"""What a model wrote as a typed report: leaves as units whose numbers are on the sheet, without markup and links."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from fathom.reasoners.language_model.task import Wire
from fathom.reasoners.language_model.tasks.plain import plain
from fathom.reasoners.language_model.tasks.words import line, one_of
from fathom.sheet import Sheet
from fathom.written import (
    EMPTY,
    BlockForm,
    Clause,
    Unit,
    WrittenBlock,
    WrittenReport,
    WrittenSection,
    unit_of,
    units_of,
)

FORMS: dict[str, BlockForm] = {"paragraph": "paragraph", "list": "list", "steps": "steps", "table": "table"}
HEADING = 160
"""Characters of a heading or a title, at most."""
MOST_COLUMNS = 8
UNMARKED = 0.2
"""Share of its units without numbers up to which a report is taken."""


class BlockWritten(Wire):
    """A block."""

    kind: Annotated[str, one_of(FORMS)] = "paragraph"
    """How it is set."""
    text: str = ""
    """A paragraph; else a sentence that leads in."""
    items: list[str] = []
    """Of a list or of steps."""
    columns: list[str] = []
    """Of a table."""
    rows: list[list[str]] = []
    """Its cells."""


class SectionText(Wire):
    """A section."""

    heading: str
    """What it holds, in a few words."""
    blocks: list[BlockWritten]
    """In order."""


class ReportText(Wire, title="WriteReport"):
    """A report."""

    title: str = ""
    """Its subject, in a few words."""
    lead: list[str] = []
    """The answer itself, sentence by sentence."""
    sections: list[SectionText] = []
    """In the order of the question."""
    disagreements: list[str] = []
    """What the documents say differently."""
    next_steps: list[str] = []
    """The most urgent first."""
    limits: list[str] = []
    """What is not said in the documents read."""


class SectionsText(Wire, title="WriteSections"):
    """Some sections of a report."""

    sections: list[SectionText]
    """Those that were named, in their order."""


class FrameText(Wire, title="FrameReport"):
    """What goes around the sections of a report."""

    title: str = ""
    """Its subject, in a few words."""
    lead: list[str]
    """The answer itself, sentence by sentence."""
    disagreements: list[str] = []
    """What the documents say differently."""
    next_steps: list[str] = []
    """The most urgent first."""
    limits: list[str] = []
    """What is not said in the documents read."""


def texts_of(sheet: Sheet) -> dict[int, str]:
    """What the sentences of a sheet say, each with what is before it."""
    return {number: f"{sentence.lead} {sentence.text}" for number, _, sentence in sheet}


class UnitReader:
    """Reads what a model wrote against the numbered texts that it was shown."""

    def __init__(self, texts: Mapping[int, str]) -> None:
        self._texts = texts
        self._all = " ".join(texts.values())
        self.invented = 0
        """Numbers so far that it was not shown; they were dropped."""

    def report(self, wire: ReportText) -> WrittenReport:
        """A whole report."""
        return WrittenReport(
            title=line(plain(wire.title, [self._all]), HEADING),
            lead=self._sentences(" ".join(wire.lead))
            if len(wire.lead) == 1
            else tuple(unit for each in wire.lead for unit in self._sentences(each)),
            sections=self.sections(wire.sections),
            disagreements=self._listed(wire.disagreements),
            next_steps=self._listed(wire.next_steps),
            limits=self._listed(wire.limits),
        )

    def sections(self, wire: Sequence[SectionText]) -> tuple[WrittenSection, ...]:
        """Sections, those without anything left out."""
        made = []
        for each in wire:
            blocks = tuple(block for written in each.blocks if (block := self._block(written)))
            if blocks:
                made.append(WrittenSection(heading=line(plain(each.heading, [self._all]), HEADING), blocks=blocks))
        return tuple(made)

    def unit(self, text: str) -> Unit | None:
        """A cell, or a repair; `None` when it says nothing."""
        return self._clean(unit_of(text, is_mark=self._is_mark))

    def sentences(self, texts: Iterable[str]) -> tuple[Unit, ...]:
        """Sentences."""
        return tuple(unit for text in texts for unit in self._sentences(text))

    def _sentences(self, text: str) -> tuple[Unit, ...]:
        cleaned = map(self._clean, units_of(text, is_mark=self._is_mark))
        return tuple(unit for unit in cleaned if unit is not None)

    def _listed(self, texts: Iterable[str]) -> tuple[tuple[Unit, ...], ...]:
        return tuple(filter(None, map(self._sentences, map(_unnumbered, texts))))

    def _block(self, wire: BlockWritten) -> WrittenBlock | None:
        kind = FORMS.get(wire.kind.strip().lower(), "paragraph")
        text, items = self._sentences(wire.text), self._listed(wire.items)
        columns = tuple(line(plain(each, [self._all]), HEADING) for each in wire.columns[:MOST_COLUMNS])
        width = max([len(columns), *map(len, wire.rows)], default=0)
        width = min(width, MOST_COLUMNS)
        rows = tuple(
            tuple((self.unit(cell) or EMPTY) for cell in (*row, *("",) * width)[:width])
            for row in wire.rows
            if any(row)
        )
        if rows:
            return WrittenBlock(kind="table", text=text, columns=(*columns, *("",) * (width - len(columns))), rows=rows)
        if items:
            return WrittenBlock(kind=kind if kind == "steps" else "list", text=text, items=items)
        return WrittenBlock(kind="paragraph", text=text) if text else None

    def _is_mark(self, text: str) -> bool:
        """Whether a bracket behind a word is a citation: not where a sentence of the sheet has it to the letter."""
        return text not in self._all

    def _clean(self, unit: Unit) -> Unit | None:
        clauses: list[Clause] = []
        for clause in unit.clauses:
            cites = tuple(number for number in clause.cites if number in self._texts)
            self.invented += len(clause.cites) - len(cites)
            held = [self._texts[number] for number in cites] or [self._all]
            text = plain(clause.text, held)
            if not text:
                text = "".join(re.findall(r"[.!?。！？]$", clause.text.strip())) if clauses else ""
            before = " " if clauses and clause.text[:1].isspace() else ""
            after = " " if clause.text[-1:].isspace() else ""
            if text or cites:
                clauses.append(Clause(text=f"{before}{text}{after}", cites=cites, is_conclusion=clause.is_conclusion))
        made = Unit(clauses=tuple(clauses)) if clauses else None
        return made if made and any(char.isalnum() for char in made.text) else None


def _unnumbered(text: str) -> str:
    """An item without the number or dash that a model put before it."""
    return re.sub(r"^\s*(?:\d{1,2}[.)]|[-*•])\s+", "", text)


def share_unmarked(report: WrittenReport) -> float:
    """Share of the units that should cite something and do not: those that name a row, lead something in or say what is
    missing need not."""
    lead_ins = {
        f"s{at}.{number}.{place}"
        for at, section in enumerate(report.sections, start=1)
        for number, block in enumerate(section.blocks, start=1)
        for place in range(1, len(block.text) + 1)
        if block.kind != "paragraph"
    }
    counted = [
        bool(unit.cites)
        for place, unit in report.units()
        if unit.text and not place.id.startswith("limit.") and not re.search(r"\.r\d+c1$", place.id)
        if place.id not in lead_ins
    ]
    return 1 - sum(counted) / len(counted) if counted else 1.0
