"""A report as a model writes it: sentences, list items and table cells, each with the numbers that it cites."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from typing import Literal, NamedTuple, Self

from pydantic import Field, model_validator

from fathom.frozen import FrozenModel
from fathom.text.characters import CJK
from fathom.text.sentences import sentences

BlockForm = Literal["paragraph", "list", "steps", "table"]
"""How a block is set."""
MARK = re.compile(r" ?\[((?:so\b[ :]{0,3}+)?\d{1,5}(?: ?[,;、，–-] ?(?:so\b[ :]{0,3}+)?\d{1,5})*+) ?\]", re.IGNORECASE)
"""A citation mark, in a text whose white space is single blanks."""
_AFTER_STOP = re.compile(rf"([.!?。！？])((?:{MARK.pattern})+)[.。]?(?=\s|$|[{CJK}])", re.IGNORECASE)
_STOPS = ".!?。！？"
_ONLY_PUNCTUATION = re.compile(r"[\W_]*")
_WIDE_GAP = re.compile(rf"(?<=[{CJK}）」』、。]) (?=[{CJK}（「『])")
"""A blank that only a mark had parted from."""


class Clause(FrozenModel):
    """A stretch of a sentence with what it cites."""

    text: str
    """Without citation marks, the white space and punctuation around it included."""
    cites: tuple[int, ...] = ()
    """Numbers of sentences on the sheet."""
    is_conclusion: bool = False
    """Whether it is concluded from what it cites, and is not said there."""


class Unit(FrozenModel):
    """A sentence, an item or a cell."""

    clauses: tuple[Clause, ...] = Field(min_length=1)
    """In order."""

    @property
    def text(self) -> str:
        """What a reader sees, without citation marks."""
        return _WIDE_GAP.sub("", "".join(clause.text for clause in self.clauses).strip())

    @property
    def stretches(self) -> tuple[Clause, ...]:
        """Its clauses as a reader sees them: together they are its text, and what cites the same is one.

        >>> [(each.text, each.cites) for each in unit_of("90 days [46], then 180 [57].").stretches]
        [('90 days', (46,)), (', then 180.', (57,))]
        """
        whole = "".join(clause.text for clause in self.clauses)
        first, behind = len(whole) - len(whole.lstrip()), len(whole.rstrip())
        gaps = {match.start() for match in _WIDE_GAP.finditer(whole)}
        made: list[Clause] = []
        at = 0
        for clause in self.clauses:
            places = range(at, at + len(clause.text))
            text = "".join(whole[place] for place in places if first <= place < behind and place not in gaps)
            at += len(clause.text)
            if made and (made[-1].cites, made[-1].is_conclusion) == (clause.cites, clause.is_conclusion):
                made[-1] = made[-1].model_copy(update={"text": made[-1].text + text})
            else:
                made.append(clause.model_copy(update={"text": text}))
        return tuple(made)

    @property
    def cites(self) -> tuple[int, ...]:
        """All that it cites, each number once."""
        return tuple(dict.fromkeys(number for clause in self.clauses for number in clause.cites))

    @property
    def is_conclusion(self) -> bool:
        """Whether any of it is concluded from what it cites."""
        return any(clause.is_conclusion for clause in self.clauses)

    @property
    def said(self) -> str:
        """With its citation marks, as a model writes it.

        >>> unit_of("It costs 48 EUR [3], so less than before [so 3, 7].").said
        'It costs 48 EUR [3], so less than before [so 3, 7].'
        """
        marked = ""
        for clause in self.clauses:
            body = clause.text.rstrip()
            end = len(body.rstrip(_STOPS)) if clause.cites else len(body)
            marked += body[:end] + _mark(clause) + clause.text[end:]
        return marked.strip()

    def citing_only(self, numbers: Container[int]) -> Unit:
        """Without any other citation."""
        if all(number in numbers for number in self.cites):
            return self
        kept = (
            clause.model_copy(update={"cites": tuple(number for number in clause.cites if number in numbers)})
            for clause in self.clauses
        )
        return Unit(clauses=tuple(kept))


def _mark(clause: Clause) -> str:
    if not clause.cites:
        return ""
    return f" [{'so ' if clause.is_conclusion else ''}{', '.join(map(str, clause.cites))}]"


def unit_of(text: str, *, is_mark: Callable[[str], bool] = lambda _: True) -> Unit:
    """A sentence, item or cell with its citation marks, as clauses.

    Args:
        is_mark: Whether a bracket with numbers, given with the word right before it, is a citation: `argv[0]` is none.

    >>> [(clause.text, clause.cites) for clause in unit_of("90 days [46], then 180 [57, 58].").clauses]
    [('90 days', (46,)), (', then 180.', (57, 58))]
    """
    text = _AFTER_STOP.sub(r"\2\1", " ".join(text.split()))
    clauses: list[Clause] = []
    at = 0
    for match in MARK.finditer(text):
        word = re.match(r"[\w)]*+", text[at : match.start()][::-1])
        if match[0][0] == "[" and word and word[0] and not is_mark(f"{word[0][::-1]}{match[0]}"):
            continue
        cites = tuple(dict.fromkeys(_numbers(match[1])))
        concludes = "so" in match[1].casefold()
        before = text[at : match.start()]
        if clauses and _ONLY_PUNCTUATION.fullmatch(before):  # two marks in a row are of one clause
            last = clauses.pop()
            both = tuple(dict.fromkeys((*last.cites, *cites)))
            is_conclusion = last.is_conclusion or concludes
            clauses.append(Clause(text=last.text, cites=both, is_conclusion=is_conclusion))
        else:
            clauses.append(Clause(text=before, cites=cites, is_conclusion=concludes))
        at = match.end()
    rest = text[at:]
    if clauses and _ONLY_PUNCTUATION.fullmatch(rest):
        clauses[-1] = clauses[-1].model_copy(update={"text": clauses[-1].text + rest})
    elif rest or not clauses:
        clauses.append(Clause(text=rest))
    return Unit(clauses=tuple(clauses))


def units_of(text: str, *, is_mark: Callable[[str], bool] = lambda _: True) -> tuple[Unit, ...]:
    """A text sentence by sentence (see `unit_of`).

    >>> [unit.said for unit in units_of("Chosen. [3, 7] It costs 48 EUR [4].")]
    ['Chosen [3, 7].', 'It costs 48 EUR [4].']
    """
    text = _AFTER_STOP.sub(r"\2\1", " ".join(text.split()))
    return tuple(unit_of(text[start:end], is_mark=is_mark) for start, end in sentences(text))


def _numbers(listed: str) -> Iterator[int]:
    for part in re.split(r" ?[,;、，] ?", re.sub(r"so\b[ :]{0,3}+", "", listed, flags=re.IGNORECASE)):
        first, _, last = (each.strip() for each in re.sub("–", "-", part).partition("-"))
        if last and 0 <= int(last) - int(first) < 10:
            yield from range(int(first), int(last) + 1)
        else:
            yield from map(int, filter(None, (first, last)))


class WrittenBlock(FrozenModel):
    """A paragraph, a list, steps or a table."""

    kind: BlockForm
    """Which of them it is."""
    text: tuple[Unit, ...] = ()
    """The sentences of a paragraph; those that lead in all else."""
    items: tuple[tuple[Unit, ...], ...] = ()
    """The sentences of each item or step."""
    columns: tuple[str, ...] = ()
    """The headings of a table."""
    rows: tuple[tuple[Unit, ...], ...] = ()
    """Its cells, as many in each row as there are columns."""

    @model_validator(mode="after")
    def _is_even(self) -> Self:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError("a row of a table has more or fewer cells than the table has columns")
        return self


class WrittenSection(FrozenModel):
    """A heading and what is written under it."""

    heading: str
    """Its heading."""
    blocks: tuple[WrittenBlock, ...] = ()
    """In order."""


class Place(NamedTuple):
    """Where a unit is in the report."""

    id: str
    """`lead.1`; of a section `s2.1.3` (a sentence), `s2.1.i3.1` (of an item) and `s2.1.r2c3` (a cell); `differ.1.1`,
    `next.1.1`, `limit.1.1`."""
    label: str = ""
    """Of a cell, its row and column: `Borg | monthly cost`."""


class WrittenReport(FrozenModel):
    """A whole report."""

    title: str = ""
    """Its title; empty to take that of the question."""
    lead: tuple[Unit, ...] = ()
    """The answer itself."""
    sections: tuple[WrittenSection, ...] = ()
    """What is behind it, in the order of the question."""
    disagreements: tuple[tuple[Unit, ...], ...] = ()
    """What the documents say differently, each with both sides, sentence by sentence."""
    next_steps: tuple[tuple[Unit, ...], ...] = ()
    """What to do, the most urgent first."""
    limits: tuple[tuple[Unit, ...], ...] = ()
    """What was asked and is nowhere said, and what a reader must know before relying on the report."""

    def units(self) -> Iterator[tuple[Place, Unit]]:
        """Every unit with its place, in the order of reading."""
        for number, unit in enumerate(self.lead, start=1):
            yield Place(f"lead.{number}"), unit
        for at, section in enumerate(self.sections, start=1):
            for number, block in enumerate(section.blocks, start=1):
                yield from _units(f"s{at}.{number}", block)
        for name, listed in (("differ", self.disagreements), ("next", self.next_steps), ("limit", self.limits)):
            for at, own in enumerate(listed, start=1):
                for number, unit in enumerate(own, start=1):
                    yield Place(f"{name}.{at}.{number}"), unit

    def mapped(self, change: Callable[[Place, Unit], Unit | None]) -> WrittenReport:
        """The report with each unit as `change` returns it; what becomes `None` is left out, of a table its cell is
        emptied, and so is a block or section without anything."""

        def several(place: str, units: tuple[Unit, ...]) -> tuple[Unit, ...]:
            found = (change(Place(f"{place}.{at}"), unit) for at, unit in enumerate(units, start=1))
            return tuple(unit for unit in found if unit is not None)

        def listed(place: str, items: tuple[tuple[Unit, ...], ...]) -> tuple[tuple[Unit, ...], ...]:
            found = (several(f"{place}{at}", item) for at, item in enumerate(items, start=1))
            return tuple(filter(None, found))

        def block(place: str, old: WrittenBlock) -> WrittenBlock | None:
            rows = [
                tuple(
                    change(Place(f"{place}.r{at}c{column}", _label(old, row, column)), cell) or EMPTY
                    for column, cell in enumerate(row, start=1)
                )
                for at, row in enumerate(old.rows, start=1)
            ]
            new = WrittenBlock(
                kind=old.kind,
                text=several(place, old.text),
                items=listed(f"{place}.i", old.items),
                columns=old.columns,
                rows=tuple(row for row in rows if any(cell.text for cell in row)),
            )
            is_kept = new.text or new.items or new.rows
            return new if is_kept and (old.kind == "paragraph" or new.items or new.rows) else None

        sections = []
        for at, section in enumerate(self.sections, start=1):
            blocks = (block(f"s{at}.{number}", each) for number, each in enumerate(section.blocks, start=1))
            kept = tuple(each for each in blocks if each is not None)
            sections += [WrittenSection(heading=section.heading, blocks=kept)] if kept else []
        return WrittenReport(
            title=self.title,
            lead=several("lead", self.lead),
            sections=tuple(sections),
            disagreements=listed("differ.", self.disagreements),
            next_steps=listed("next.", self.next_steps),
            limits=listed("limit.", self.limits),
        )


EMPTY = Unit(clauses=(Clause(text=""),))
"""An empty cell."""


def _units(place: str, block: WrittenBlock) -> Iterator[tuple[Place, Unit]]:
    for number, unit in enumerate(block.text, start=1):
        yield Place(f"{place}.{number}"), unit
    for at, item in enumerate(block.items, start=1):
        for number, unit in enumerate(item, start=1):
            yield Place(f"{place}.i{at}.{number}"), unit
    for at, row in enumerate(block.rows, start=1):
        for column, cell in enumerate(row, start=1):
            yield Place(f"{place}.r{at}c{column}", _label(block, row, column)), cell


def _label(block: WrittenBlock, row: tuple[Unit, ...], column: int) -> str:
    heading = block.columns[column - 1] if column <= len(block.columns) else ""
    return " | ".join(filter(None, (row[0].text if column > 1 else "", heading))) or "row"


# ── What a check finds ─────────────────────────────────────────────────────────────────────────────────────────────

Mistake = Literal["number", "date", "name", "hedge", "cause", "source", "too_broad", "not_said", "opposite"]
"""What is wrong with a unit."""


class WrongUnit(FrozenModel):
    """A unit that what it cites does not support."""

    id: str
    """Its place in the report."""
    kind: Mistake
    """What is wrong."""
    why: str = ""
    """What the cited sentences say, in a few words."""
    repair: Unit | None = None
    """The unit as it would be supported; `None` when nothing supported is left of it."""


class PlacedUnit(FrozenModel):
    """Where something belongs that the writer of a report left out."""

    id: str
    """Its place at the end of the report."""
    after: str
    """The place that it belongs behind, or that says it already."""
    unit: Unit | None = None
    """It as it is said there; `None` when the report says it already."""


class ReportCheck(FrozenModel):
    """What a check of a report found."""

    wrong: tuple[WrongUnit, ...] = ()
    """The units that are not supported."""
    placed: tuple[PlacedUnit, ...] = ()
    """Those that the writer left out, where they belong."""
    read: tuple[str, ...] = ()
    """Places of the units that were read; the others keep the verdict of the rules."""
