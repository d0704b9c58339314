"""Sets a report that a model has written: its checked units as sections, blocks and cells, with everything numbered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fathom.composing.numbering import Numbering, SetText
from fathom.findings import Finding, StatementForm
from fathom.report import VERIFIED, Contradiction, ContradictionSide, ReportSection, TableCell, TextBlock
from fathom.sheet import Sheet
from fathom.text import typeset
from fathom.text.display import word_count
from fathom.text.phrases import Phrases
from fathom.verification.judged import Judged
from fathom.written import Clause, PlacedUnit, Unit, WrittenBlock, WrittenReport, WrittenSection


@dataclass(frozen=True)
class WrittenText:
    """A written report with what is known of each of its units."""

    report: WrittenReport
    judged: Mapping[str, Judged]
    """By the places of the units."""
    placed: Mapping[str, tuple[Judged, ...]] = field(default_factory=dict)
    """What its writer left out, by the places of the units that it belongs behind."""

    def set(self, numbering: Numbering, words: Phrases) -> SetText:
        """Its sections, disagreements and limits, in the order in which they are numbered."""
        return _Setting(self, numbering, words).text()

    def sentences(self) -> Iterator[Judged]:
        """What is known of every unit that becomes a claim, in order."""
        places = (
            place.id
            for place, unit in self.report.units()
            if unit.text and (unit.cites or not place.id.startswith("limit."))
        )
        return (each for id in places if id in self.judged for each in (self.judged[id], *self.placed.get(id, ())))


class _Setting:
    def __init__(self, text: WrittenText, numbering: Numbering, words: Phrases) -> None:
        self._report, self._judged, self._placed = text.report, text.judged, text.placed
        self._numbering, self._words = numbering, words

    def text(self) -> SetText:
        report, words = self._report, self._words
        sections = []
        if lead := self._claims("lead", report.lead):
            block = TextBlock(kind="paragraph", items=(lead,))
            sections.append(ReportSection(heading=words.summary, claims=lead, blocks=(block,), role="summary"))
        for at, section in enumerate(report.sections, start=1):
            blocks = [
                block
                for number, each in enumerate(section.blocks, start=1)
                for block in self._blocks(f"s{at}.{number}", each)
            ]
            claims = tuple(id for block in blocks for id in ids_of(block))
            if blocks:
                made = ReportSection(
                    heading=section.heading, subtask_id=self._root(at), claims=claims, blocks=tuple(blocks)
                )
                sections.append(made)
        steps = self._listed("next", report.next_steps)
        if steps:
            claims = tuple(id for item in steps for id in item)
            block = TextBlock(kind="steps", items=steps)
            sections.append(ReportSection(heading=words.next_steps, claims=claims, blocks=(block,), role="conclusion"))
        contradictions = tuple(self._disagreements(report.disagreements))
        limits = (
            " ".join(filter(None, (self._limit(f"limit.{at}.{number}", unit) for number, unit in enumerate(units, 1))))
            for at, units in enumerate(report.limits, start=1)
        )
        return SetText(tuple(sections), contradictions, tuple(filter(None, limits)))

    def _claims(self, place: str, units: Sequence[Unit], form: StatementForm = "paragraph") -> tuple[str, ...]:
        places = (f"{place}.{at}" for at in range(1, len(units) + 1))
        return tuple(id for each in places for id in (self._claim(each, form), *self._added(each, form)))

    def _added(self, place: str, form: StatementForm = "paragraph") -> tuple[str, ...]:
        added = self._placed.get(place, ())
        return tuple(self._numbering.claim(replace(each, form=form), None, lead_in=None).id for each in added)

    def _claim(self, place: str, form: StatementForm, *, under: str | None = None) -> str:
        return self._numbering.claim(replace(self._judged[place], form=form), None, lead_in=under).id

    def _listed(self, place: str, items: Iterable[Sequence[Unit]]) -> tuple[tuple[str, ...], ...]:
        return tuple(self._claims(f"{place}.{at}", units, "item") for at, units in enumerate(items, start=1))

    def _blocks(self, place: str, block: WrittenBlock) -> Iterator[TextBlock]:
        if before := self._claims(place, block.text):
            yield TextBlock(kind="paragraph", items=(before,))
        if block.items:
            items = tuple(
                self._claims(f"{place}.i{at}", units, "item") for at, units in enumerate(block.items, start=1)
            )
            yield TextBlock(kind="steps" if block.kind == "steps" else "list", items=items)
        if block.rows:
            rows = tuple(
                tuple(self._cell(place, block, row, at, column) for column in range(1, len(row) + 1))
                for at, row in enumerate(block.rows, start=1)
            )
            yield TextBlock(kind="table", columns=block.columns, rows=rows)
            cells = (f"{place}.r{at}c{column}" for at, row in enumerate(rows, 1) for column in range(1, len(row) + 1))
            if behind := tuple(id for cell in cells for id in self._added(cell)):
                yield TextBlock(kind="paragraph", items=(behind,))

    def _cell(self, place: str, block: WrittenBlock, row: Sequence[Unit], at: int, column: int) -> TableCell:
        """A cell; one that cites nothing, and in which a check found nothing wrong, names its row or says nothing."""
        unit, id = row[column - 1], f"{place}.r{at}c{column}"
        judged = self._judged.get(id)
        is_name = column == 1 or (judged is not None and judged.verdict.status in VERIFIED)
        if judged is None or (is_name and not unit.cites):
            return TableCell(text=unit.text)
        heading = block.columns[column - 1] if column <= len(block.columns) else ""
        label = " | ".join(filter(None, (row[0].text if column > 1 else "", heading)))
        return TableCell(text=unit.text, claim=self._claim(id, "row", under=label or None))

    def _root(self, at: int) -> str | None:
        """The part of the question that most of what a section cites was found for."""
        roots = Counter(
            finding.root
            for place, _ in self._report.units()
            if place.id.startswith(f"s{at}.") and place.id in self._judged
            for finding in self._judged[place.id].cited
        )
        return roots.most_common(1)[0][0] if roots else None

    def _disagreements(self, listed: Iterable[Sequence[Unit]]) -> Iterator[Contradiction]:
        """What the documents say differently, with a side for each that is cited."""
        quality = self._numbering.quality
        known = {finding.id: finding for finding in quality.findings}
        for at, units in enumerate(listed, start=1):
            places = [f"differ.{at}.{number}" for number in range(1, len(units) + 1)]
            named = list(dict.fromkeys(id for place in places for id in self._judged[place].findings))
            sides: dict[str, ContradictionSide] = {}
            for id in named:
                document = quality.documents[known[id].evidence[0].document]
                side = ContradictionSide(
                    finding=id,
                    claim=known[id].claim,
                    source_id=self._numbering.source(document.sha256).id,
                    kind=document.kind,
                    date=document.published,
                )
                sides.setdefault(document.sha256, side)
            pair = (named[0], named[-1]) if named else ("", "")
            claims = self._claims(f"differ.{at}", units)
            text = " ".join(map(self._with_marks, places, units))
            yield Contradiction(findings=pair, description=text, claims=claims, sides=tuple(sides.values()))

    def _limit(self, place: str, unit: Unit) -> str:
        """What a reader must know, a claim if it cites; nothing of what a check found wrong."""
        judged = self._judged.get(place)
        if judged and judged.verdict.by == "model" and judged.verdict.status not in VERIFIED:
            return ""
        if unit.cites:
            self._claim(place, "item")
        return self._with_marks(place, unit)

    def _with_marks(self, place: str, unit: Unit) -> str:
        judged = self._judged.get(place)
        spans = judged.evidence if judged else ()
        sources = dict.fromkeys(self._numbering.source(span.document).id for span in spans)
        sign = typeset.CONCLUSION if sources and unit.is_conclusion else ""
        return " ".join(filter(None, (unit.text, typeset.marks(tuple(sources))))) + sign


def ids_of(block: TextBlock) -> tuple[str, ...]:
    """Ids of the claims of a block, in order."""
    cells = (cell.claim for row in block.rows for cell in row if cell.claim)
    return (*(id for item in block.items for id in item), *cells)


def trimmed(report: WrittenReport, points: Mapping[str, int], *, most: int, keep: int) -> WrittenReport:
    """The report without its least relevant sentences and items, as many as it is too long by; its lead and its tables
    stay.

    Args:
        points: How much each unit matters, by its place.
        most: Words that it may have.
        keep: Points from which a unit stays, whatever the length.
    """
    units = {place.id: unit for place, unit in report.units()}
    words = sum(word_count(unit.text) for unit in units.values())
    removable = sorted(
        (point, place)
        for place, point in points.items()
        if point < keep and place.startswith("s") and not units[place].is_conclusion and ".r" not in place
    )
    gone = set[str]()
    for _, place in removable:
        if words <= most:
            break
        words -= word_count(units[place].text)
        gone.add(place)
    return report.mapped(lambda place, unit: None if place.id in gone else unit)


def with_left_out(
    report: WrittenReport, findings: Iterable[Finding], sheet: Sheet, *, heading: str, most: int
) -> WrittenReport:
    """The report with those `findings` that nothing in it cites, in a list of their own, the most relevant first;
    at most `most` of them."""
    numbers: dict[str, list[int]] = {}
    for number, _, sentence in sheet:
        for id in sentence.findings:
            numbers.setdefault(id, []).append(number)
    cited = {number for _, unit in report.units() for number in unit.cites}
    lost: dict[str, tuple[int, ...]] = {}
    for finding in sorted(findings, key=lambda each: -each.relevance):
        own = numbers.get(finding.id, ())
        if own and cited.isdisjoint(own):
            lost.setdefault(finding.claim, tuple(own))
    items = tuple((Unit(clauses=(Clause(text=claim, cites=own),)),) for claim, own in [*lost.items()][:most])
    if not items:
        return report
    section = WrittenSection(heading=heading, blocks=(WrittenBlock(kind="list", items=items),))
    return report.model_copy(update={"sections": (*report.sections, section)})


def with_placed(text: WrittenText, placed: Iterable[PlacedUnit], judged: Mapping[str, Judged]) -> WrittenText:
    """The text with what its writer left out where it belongs, and without it where another unit says it.

    Args:
        placed: Where that is.
        judged: What is known of them as they are said there, by their places; those without stay where they are.
    """
    gone = set[str]()
    said, behind = dict[str, tuple[str, ...]](), dict[str, tuple[Judged, ...]]()
    for each in placed:
        if each.unit is None:
            said[each.after] = (*said.get(each.after, ()), *text.judged[each.id].findings)
        elif each.id in judged:
            behind[each.after] = (*behind.get(each.after, ()), judged[each.id])
        else:
            continue
        gone.add(each.id)
    kept = text.report.mapped(lambda place, unit: None if place.id in gone else unit)
    before = (place.id for place, _ in text.report.units() if place.id not in gone)
    moved = zip(before, (place.id for place, _ in kept.units()), strict=True)
    known = {new: replace(text.judged[old], says=said.get(old, ())) for old, new in moved if old in text.judged}
    return WrittenText(kept, known, behind)
