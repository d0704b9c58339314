"""CheckReport: one call reads every unit beside the whole sheet and returns what is wrong; several if it is long."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Annotated, get_args

from fathom.asks import CheckReport, UnitToCheck
from fathom.errors import LimitReached, ProviderError
from fathom.reasoners.language_model.task import Draft, Put, Read, Stepwise, Wire
from fathom.reasoners.language_model.tasks.shown_report import shown_sheet
from fathom.reasoners.language_model.tasks.words import line, one_of
from fathom.reasoners.language_model.tasks.written_units import UnitReader, texts_of
from fathom.sheet import Sheet
from fathom.written import Mistake, PlacedUnit, ReportCheck, WrongUnit

SHARE = 0.7
"""Most of the window that a prompt takes."""
TOKENS_OF_A_MISTAKE, LIKELY, TOKENS_OF_A_UNIT = 130, 6, 30
"""Of an answer, as many mistakes as are likely, and then for each unit: few are wrong."""
MOST_ANSWER = 4_000
WHY = 240
"""Characters of what a model says for its verdict, at most."""


class FoundMistake(Wire):
    """A unit that is wrong."""

    unit: str
    """Its id."""
    kind: Annotated[str, one_of(get_args(Mistake))]
    """What is wrong."""
    why: str = ""
    """What the sheet says, in a few words."""
    repair: str = ""
    """The unit as it is right, with its numbers in brackets; empty if nothing true is left."""


class PlaceFound(Wire):
    """Where a unit belongs that was left out."""

    unit: str
    """Its id."""
    after: str
    """The id of the unit that it belongs behind, or that says it already."""
    text: str = ""
    """It as it fits there, with its numbers in brackets; empty if the report says it already."""


class Mistakes(Wire, title="CheckReport"):
    """What is wrong in a report."""

    wrong: list[FoundMistake]
    """None if nothing is."""
    placed: list[PlaceFound] = []
    """One for each unit that was left out."""


class CheckReportTask(Stepwise[CheckReport, ReportCheck]):
    """Units and the sheet in, mistakes out."""

    name = "check_report"

    def rule(self, ask: CheckReport) -> ReportCheck | None:
        """Without a unit nothing is wrong."""
        return None if ask.units else ReportCheck()

    async def answer(self, ask: CheckReport, put: Put) -> Read[ReportCheck]:
        """Every unit in as few prompts as the window allows, side by side.

        Raises:
            ProviderError: none of the prompts was answered; of several, those that were count.
        """
        results = await asyncio.gather(
            *(put(draft, answer_tokens=_room(put, count)) for draft, count in _batches(ask, put)),
            return_exceptions=True,
        )
        found = [each for each in results if isinstance(each, Read)]
        errors = [each for each in results if isinstance(each, BaseException)]
        for error in sorted(errors, key=lambda each: not isinstance(each, LimitReached)):
            if not found or not isinstance(error, ProviderError):
                raise error
        whole = ReportCheck(
            wrong=tuple(wrong for each in found for wrong in each.answer.wrong),
            placed=tuple(placed for each in found for placed in each.answer.placed),
            read=tuple(id for each in found for id in each.answer.read),
        )
        return Read(whole, sum(each.invented for each in found))


def _room(put: Put, count: int) -> int:
    """Tokens of an answer about so many units."""
    return min(MOST_ANSWER, put.max_output, TOKENS_OF_A_MISTAKE * min(count, LIKELY) + TOKENS_OF_A_UNIT * count)


def _fits(put: Put, draft: Draft[ReportCheck], count: int) -> bool:
    taken = put.tokens(draft)
    return taken <= SHARE * put.window and taken + _room(put, count) <= put.window


def _batches(ask: CheckReport, put: Put) -> list[tuple[Draft[ReportCheck], int]]:
    """Prompts with the units that each holds: one beside the whole sheet if that fits, else as many as it takes, each
    beside what its units cite, with the rest of those documents as far as it fits."""
    whole = _draft(ask, ask.units, None)
    if _fits(put, whole, len(ask.units)):
        return [(whole, len(ask.units))]
    batches: list[tuple[Draft[ReportCheck], int]] = []
    left = list(ask.units)
    while left:
        count = len(left)
        while True:
            units = left[:count]
            drafts = (_draft(ask, units, numbers) for numbers in _sheets(ask.sheet, units))
            fitting = next((each for each in drafts if _fits(put, each, count)), None)
            if fitting is not None:
                batches.append((fitting, count))
                break
            if count == 1:  # its evidence is too long for any: it keeps the verdict of the rules
                break
            count = max(1, round(count * 0.6))
        left = left[count:]
    return batches


def _sheets(sheet: Sheet, units: Sequence[UnitToCheck]) -> list[set[int]]:
    """What may be shown beside units, the most first: the documents that they cite, and what they cite."""
    cited = {number for each in units for number in each.unit.cites}
    documents = {document.document.sha256 for number, document, _ in sheet if number in cited}
    near = {number + step for number in cited for step in (-1, 0, 1)}
    return [
        {number for number, document, _ in sheet if document.document.sha256 in documents},
        {number for number, _, _ in sheet if number in near},
    ]


def _draft(ask: CheckReport, units: Sequence[UnitToCheck], numbers: set[int] | None) -> Draft[ReportCheck]:
    shown = [
        {
            "id": each.id,
            "label": each.label,
            "is_conclusion": all(clause.is_conclusion for clause in each.unit.clauses if clause.cites)
            and each.unit.is_conclusion,
            "flag": each.flag,
            "left_out": each.left_out,
            "said": each.unit.said,
        }
        for each in units
    ]
    variables = {"sheet": shown_sheet(ask.sheet, numbers), "units": shown}
    return Draft(variables, Mistakes, partial(_read, ask, units))


def _read(ask: CheckReport, units: Sequence[UnitToCheck], wire: Mistakes) -> Read[ReportCheck]:
    """The first mistake of each unit; what is no mistake, or names no unit, is left out."""
    reader = UnitReader(texts_of(ask.sheet))
    known = {each.id: each for each in units}
    kinds: dict[str, Mistake] = {kind: kind for kind in get_args(Mistake)}
    wrong: dict[str, WrongUnit] = {}
    strangers = 0
    for each in wire.wrong:
        id = each.unit.strip()
        strangers += id not in known
        if id not in known or id in wrong:
            continue
        repair = reader.unit(each.repair)
        if repair is not None and not repair.cites and known[id].unit.cites:  # its numbers are those that it had
            (*most, last) = repair.clauses
            cited = last.model_copy(
                update={"cites": known[id].unit.cites, "is_conclusion": known[id].unit.is_conclusion}
            )
            repair = repair.model_copy(update={"clauses": (*most, cited)})
        if repair == known[id].unit:
            continue
        kind = kinds.get(each.kind.strip().lower(), "not_said")
        wrong[id] = WrongUnit(id=id, kind=kind, why=line(each.why, WHY), repair=repair)
    placed: dict[str, PlacedUnit] = {}
    for moved in wire.placed:
        id, after = moved.unit.strip(), moved.after.strip()
        if id in known and known[id].left_out and after in known and not known[after].left_out:
            placed.setdefault(id, PlacedUnit(id=id, after=after, unit=reader.unit(moved.text)))
    if wire.wrong and not wrong and strangers == len(wire.wrong):
        raise ValueError("`unit` must be the id of one of the units shown, such as " + units[0].id)
    check = ReportCheck(wrong=tuple(wrong.values()), placed=tuple(placed.values()), read=tuple(known))
    return Read(check, strangers + reader.invented)
