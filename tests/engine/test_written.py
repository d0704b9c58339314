"""A report that a model writes: what is checked of it, what a reader sees of that, and what is there when it fails."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.asks import Ask, CheckReport, WriteReport
from fathom.events import CallFailed, Checked, SectionWritten, StoodIn
from fathom.frozen import FrozenModel
from fathom.ports import Answered, Calls
from fathom.report import VERIFIED, Claim, Report
from fathom.sheet import Sheet
from fathom.text.phrases import phrases
from fathom.written import PlacedUnit, WrittenBlock, WrittenReport, WrittenSection, WrongUnit, unit_of, units_of
from tests.support.doubles.reasoner import Shape, SimulatedReasoner
from tests.support.lab import Lab, same

FURTHER = phrases("en").further
"""Heading of what matters and was left out."""
WRECKS = "It holds 99 wrecks [1]."
SHAPE = Shape(subtasks=2, relevance=0.5)


class Writer(SimulatedReasoner):
    """A reasoner like those with a model: its report is one paragraph, and of that it finds wrong what it is given, by
    number of the sentence with its repair. In both `{1}` is sentence 1 of the sheet."""

    metered = True

    def __init__(
        self,
        text: str = "",
        wrong: dict[int, str] | None = None,
        *,
        placed: tuple[tuple[str, str, str], ...] = (),
        shape: Shape = SHAPE,
    ) -> None:
        """`placed` are what was left out, the place that each belongs behind, and what it says there: `{own}` is it."""
        super().__init__(shape)
        self.text, self.wrong, self.placed = text, wrong or {}, placed

    async def answer(self, ask: Ask[FrozenModel], calls: Calls) -> Answered[FrozenModel]:  # type: ignore[override]
        answered: Answered[Any] = await super().answer(ask, calls)
        if isinstance(ask, WriteReport) and self.text:
            block = WrittenBlock(kind="paragraph", text=units_of(filled(self.text, ask.sheet)))
            section = WrittenSection(heading="Sea", blocks=(block,))
            return Answered(WrittenReport(title="The sea", sections=(section,)))
        if isinstance(ask, CheckReport):
            wrong = tuple(
                WrongUnit(
                    id=f"s1.1.{at}",
                    kind="not_said",
                    why="it is nowhere",
                    repair=unit_of(filled(repair, ask.sheet)) if repair else None,
                )
                for at, repair in self.wrong.items()
            )
            own = {unit.id: unit.unit.said for unit in ask.units}
            placed = tuple(
                PlacedUnit(id=id, after=after, unit=unit_of(said.replace("{own}", own[id])) if said else None)
                for id, after, said in self.placed
            )
            return Answered(answered.answer.model_copy(update={"wrong": wrong, "placed": placed}))
        return answered

    @property
    def checks(self) -> list[CheckReport]:
        return [ask for ask in self.asks if isinstance(ask, CheckReport)]


def filled(text: str, sheet: Sheet) -> str:
    said = {f"{{{number}}}": sentence.text for number, _, sentence in sheet}
    return re.sub(r"\{\d+\}", lambda name: said[name[0]], text)


async def run(folder: Path, writer: SimulatedReasoner, **limits: Any) -> tuple[Report, list[Any]]:
    """The report of a run and its events; a replay asks nobody, and gives the same bytes."""
    async with Lab(folder) as lab:
        lab.reasoner = writer
        report = await lab.start(**limits)
        asked, events = lab.calls, await lab.events()
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
        assert lab.calls == asked
        return report, events


def written(report: Report) -> list[Claim]:
    """The claims that the model has written."""
    claims = {claim.id: claim for claim in report.claims}
    return [claims[id] for section in report.sections if section.heading != FURTHER for id in section.claims]


# ── The check ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_what_is_not_proved_is_asked_about_once_and_repaired_from_the_sheet(tmp_path: Path) -> None:
    writer = Writer(f"{{1}} [1]. {WRECKS}", {2: "{2} [2]"})

    report, events = await run(tmp_path, writer)

    (ask,) = writer.checks
    assert [(unit.id, unit.unit.said) for unit in ask.units] == [("s1.1.2", WRECKS)]
    assert "99" in ask.units[0].flag
    first, second = written(report)
    assert (first.status, first.judged_by, second.status, second.judged_by) == ("quoted", "rule", "quoted", "model")
    assert second.repaired and second.text == next(text.text for number, _, text in ask.sheet if number == 2)
    assert [each.unsupported for each in events if isinstance(each, Checked)] == [0]


async def test_what_cannot_be_repaired_stays_and_is_marked(tmp_path: Path) -> None:
    report, events = await run(tmp_path, Writer(WRECKS, {1: "It holds 98 wrecks [1]."}))

    (claim,) = written(report)
    assert (claim.text, claim.status, claim.judged_by, claim.why, claim.repaired) == (
        "It holds 99 wrecks.",
        "unsupported",
        "model",
        "it is nowhere",
        False,
    )
    assert "It holds 99 wrecks. [S1] (not supported)" in report.markdown
    assert [each.unsupported for each in events if isinstance(each, Checked)] == [1]


async def test_a_verdict_on_a_unit_that_there_is_not_and_a_repair_from_elsewhere_do_no_harm(tmp_path: Path) -> None:
    report, _ = await run(tmp_path, Writer(WRECKS, {1: "It holds no wrecks [77].", 9: "{1} [1]"}))
    assert [(claim.text, claim.status) for claim in written(report)] == [("It holds 99 wrecks.", "unsupported")]


async def test_nobody_is_asked_where_all_is_proved_or_no_check_is_allowed(tmp_path: Path) -> None:
    proved, forbidden = Writer("{1} [1]."), Writer(WRECKS)
    await run(tmp_path / "a", proved)
    report, _ = await run(tmp_path / "b", forbidden, max_checks=0)
    assert not proved.checks and not forbidden.checks
    assert [(claim.status, claim.judged_by) for claim in written(report)] == [("unsupported", "rule")]


NUMBER = re.compile(r"\d[\d,.]*\d|\d")
WORDS = "the sea is deep 3,682 30 31 metres on average 9,999 not never higher Poseidon By default".split()
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(lambda words: f"{' '.join(words)} [1].")


@settings(max_examples=max(5, settings().max_examples // 5))
@given(text=TEXTS, repair=TEXTS | st.just("") | st.none())
async def test_whatever_is_written_and_checked_no_sentence_is_lost_and_no_number_made_up(
    tmp_path_factory: pytest.TempPathFactory, text: str, repair: str | None
) -> None:
    writer = Writer(text, {} if repair is None else {1: repair})
    report, _ = await run(tmp_path_factory.mktemp("run"), writer)
    read = set(NUMBER.findall(" ".join(entry.quote for entry in report.evidence)))
    assert written(report)
    for claim in written(report):
        assert claim.text in (unit.text for said in (text, repair or "") for unit in units_of(said))
        assert claim.judged_by == "model" or not claim.verified or set(NUMBER.findall(claim.text)) <= read


# ── When the model fails ───────────────────────────────────────────────────────────────────────────────────────────


def failing(*kinds: str) -> Writer:
    return Writer(WRECKS, shape=Shape(subtasks=2, relevance=0.5, failing=kinds))


async def test_where_no_model_writes_the_report_is_quoted_by_rule_and_says_so(tmp_path: Path) -> None:
    report, events = await run(tmp_path, failing("WriteReport"))

    assert [each.call for each in events if isinstance(each, StoodIn)] == ["WriteReport"]
    assert report.stand_ins == {"WriteReport": 1}
    assert (
        f"{phrases('en').stand_ins.format(count=1)} The simulated reasoner fails every WriteReport."
        in report.limitations
    )
    assert len(report.claims) == 6 and all(claim.status == "quoted" for claim in report.claims)


async def test_where_no_model_checks_the_verdicts_of_the_rules_count_and_the_report_says_so(tmp_path: Path) -> None:
    report, _ = await run(tmp_path, failing("CheckReport"))

    assert report.stand_ins == {"CheckReport": 1}
    assert (
        f"{phrases('en').stand_ins.format(count=1)} The simulated reasoner fails every CheckReport."
        in report.limitations
    )
    assert [(claim.status, claim.judged_by) for claim in written(report)] == [("unsupported", "rule")]


async def test_a_run_that_is_taken_up_again_writes_what_no_model_had_written(tmp_path: Path) -> None:
    async with Lab(tmp_path) as lab:
        lab.reasoner = failing("WriteReport")
        assert (await lab.start()).stand_ins
    async with Lab(tmp_path) as again:
        again.reasoner = Writer(WRECKS)
        report = await again.resume()
        assert [type(ask) for ask in again.reasoner.asks] == [WriteReport, CheckReport]
        assert not report.stand_ins and [claim.text for claim in written(report)] == ["It holds 99 wrecks."]
        assert same(await again.replay()) == same(report)


# ── What became of the findings ────────────────────────────────────────────────────────────────────────────────────


async def test_of_each_finding_the_report_says_where_it_went(tmp_path: Path) -> None:
    report, events = await run(tmp_path, Writer("{1} [1]. It is deep [so 1]. {4} [4].", shape=Shape(subtasks=2)))

    cited, *others = report.findings
    assert (cited.fate, cited.claims, cited.why) == ("cited", ("C1", "C2"), "") and cited.relevance > 0
    lost = [each for each in others if each.fate == "left_out"]
    assert all("cites" in each.why and not each.claims and each.relevance < 0.8 for each in lost) and lost
    added = [each for each in others if each.fate == "cited"]
    assert all(each.relevance >= 0.8 for each in added) and len(added) + len(lost) == 5
    (further,) = [section for section in report.sections if section.heading == FURTHER]
    assert {id for each in added for id in each.claims} == {*further.claims}
    assert [(each.heading, each.statements) for each in events if isinstance(each, SectionWritten)] == [("Sea", 3)]
    assert not any(isinstance(each, CallFailed) for each in events)
    assert {claim.status for claim in report.claims} <= {*VERIFIED}


LEFT = Shape(subtasks=2, relevance=0.9)
"""Six findings that all matter: what the paragraph does not cite is in a list at the end, `s2.1.i1.1` and so on."""


async def test_what_the_writer_left_out_goes_where_the_check_says_that_it_belongs(tmp_path: Path) -> None:
    places = (("s2.1.i1.1", "s1.1.1", "By the way: {own}"), ("s2.1.i2.1", "s1.1.2", ""))
    writer = Writer("{1} [1]. It is deep [so 1].", placed=places, shape=LEFT)

    report, _ = await run(tmp_path, writer)

    (ask,) = writer.checks
    assert [unit.id for unit in ask.units if unit.left_out][:2] == ["s2.1.i1.1", "s2.1.i2.1"]
    first, added, deep = written(report)
    assert added.text.startswith("By the way: ") and added.verified and added.judged_by == "model"
    assert first.status == "quoted" and deep.text == "It is deep."
    cited = [each for each in report.findings if added.id in each.claims]
    assert [(each.fate, each.claims) for each in cited] == [("cited", (added.id,))]
    (merged,) = [each for each in report.findings if each.fate == "merged" and each.claims == (deep.id,)]
    assert "other sentences" in merged.why
    further = [claim for section in report.sections if section.heading == FURTHER for claim in section.claims]
    assert len(further) == len([unit for unit in ask.units if unit.left_out]) - 2


async def test_a_place_that_there_is_not_and_a_sentence_that_the_sheet_does_not_say_leave_it_at_the_end(
    tmp_path: Path,
) -> None:
    places = (
        ("s2.1.i1.1", "s9.1.1", "{own}"),
        ("s2.1.i2.1", "s2.1.i1.1", "{own}"),
        ("s1.1.2", "s1.1.1", "{own}"),
        ("s2.1.i3.1", "s1.1.1", "It holds 99 wrecks [2]."),
        ("s2.1.i3.1", "s1.1.1", "It holds 98 wrecks [77]."),
    )
    report, _ = await run(tmp_path / "a", Writer("{1} [1]. It is deep [so 1].", placed=places, shape=LEFT))
    as_it_was, _ = await run(tmp_path / "b", Writer("{1} [1]. It is deep [so 1].", shape=LEFT))
    assert [claim.text for claim in report.claims] == [claim.text for claim in as_it_was.claims]
