"""How the check of a report is put to a model, and what is made of what it finds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.asks import CheckReport, UnitToCheck
from fathom.errors import BudgetSpent, LimitReached, MalformedReply, ProviderError, Unavailable
from fathom.reasoners.language_model.task import Read
from fathom.reasoners.language_model.tasks import TASKS
from fathom.written import ReportCheck, unit_of
from fathom_testing.model_server.answers import Prompt, known
from tests.contracts.bounds import hold
from tests.reasoners.language_model.asking import Answering
from tests.support.researched import Page, material, write_ask

PAGES = [
    Page(
        " ".join(f"Sounding {number} found the sea {40 * number} metres deep." for number in range(first, first + 20)),
        title=f"Log {first}",
    )
    for first in (1, 21)
]
"""Their sentences are 1 to 40 on the sheet."""
QUOTES = [f"{text}." for page in PAGES for text in page.text[:-1].split(". ")]
SHEET = write_ask(
    material(
        [page.finding(quote) for page in PAGES for quote in QUOTES if quote in page.text], [p.document for p in PAGES]
    )
).sheet


def check(*said: str, **changes: Any) -> CheckReport:
    units = tuple(UnitToCheck(id=f"s1.1.{at}", unit=unit_of(text)) for at, text in enumerate(said, start=1))
    return CheckReport(query="How deep is the sea?", language="en", sheet=SHEET, units=units, **changes)


MANY = check(*(f"About {40 * number} metres were found by sounding {number} [{number}]." for number in range(1, 41)))
WRONG = check("The sea is 40 metres deep [1].", "It is 99 metres deep [2].", "It pays to look [so 3].")


def found(unit: str, kind: str = "number", repair: str = "", why: str = "") -> dict[str, str]:
    return {"unit": unit, "kind": kind, "why": why, "repair": repair}


async def answered(ask: CheckReport, **changes: Any) -> tuple[Answering, Read[ReportCheck]]:
    put = Answering(ask, **changes)
    read = await put.answer()
    hold(ask, read.answer)
    return put, read


def ids(ask: CheckReport) -> tuple[str, ...]:
    return tuple(unit.id for unit in ask.units)


# ── How it is put ──────────────────────────────────────────────────────────────────────────────────────────────────


async def test_one_prompt_has_all_units_beside_the_whole_sheet_where_it_fits() -> None:
    put, read = await answered(MANY)
    (prompt,) = put.prompts("CheckReport")
    assert prompt.user.count("<unit ") == prompt.user.count("Sounding ") == 40
    assert read.answer.read == ids(MANY)


async def test_several_prompts_have_every_unit_once_beside_what_it_cites_where_one_does_not_fit() -> None:
    put, read = await answered(MANY, window=4_096)
    prompts = put.prompts("CheckReport")
    assert len(prompts) > 1 and read.answer.read == ids(MANY)
    for prompt in prompts:
        shown = [number for number in range(1, 41) if f">About {40 * number} metres" in prompt.user]
        assert all(f"[{number}] Sounding {number} found" in prompt.user for number in shown)


@settings(max_examples=max(10, settings().max_examples // 2))
@given(st.integers(1, 40), st.sampled_from([2_048, 4_096, 8_192, 32_000]), st.integers(1, 12))
async def test_every_prompt_fits_the_window(count: int, window: int, words: int) -> None:
    said = (
        f"{'Deep and wide ' * words}is sounding {number} [{number}, {41 - number}]." for number in range(1, count + 1)
    )
    put, read = await answered(check(*said), window=window)
    assert all(put.tokens(draft) + room <= window for draft, room in put.drafts)
    assert set(read.answer.read) == {id for draft, _ in put.drafts for id in shown_in(draft)}


def shown_in(draft: Any) -> list[str]:
    return [each["id"] for each in draft.variables["units"]]


def test_without_a_unit_nobody_is_asked() -> None:
    assert TASKS[CheckReport].rule(check()) == ReportCheck()
    assert TASKS[CheckReport].rule(WRONG) is None


async def test_a_unit_is_shown_with_its_place_its_cell_and_what_speaks_against_it() -> None:
    unit = UnitToCheck(
        id="s1.1.r1c2", unit=unit_of("48 <EUR> [so 3]"), label='Borg | a "month"', flag="<48> is nowhere"
    )
    put, _ = await answered(WRONG.model_copy(update={"units": (unit,)}))
    (prompt,) = put.prompts("CheckReport")
    shown = next(line for line in prompt.user.splitlines() if line.startswith("<unit"))
    assert shown == (
        '<unit id="s1.1.r1c2" cell="Borg | a &quot;month&quot;" so="yes" flag="&lt;48&gt; is nowhere">'
        "48 &lt;EUR&gt; [so 3]</unit>"
    )


# ── What is made of it ─────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_mistake_names_its_unit_and_a_repair_is_read_as_a_unit() -> None:
    repair = "**It** is 80 metres deep [2], see https://evil.example [77]."
    _, read = await answered(WRONG, CheckReport={"wrong": [found("s1.1.2", "Number", repair, why="80,\nnot 99")]})
    (wrong,) = read.answer.wrong
    assert (wrong.id, wrong.kind, wrong.why) == ("s1.1.2", "number", "80, not 99")
    assert wrong.repair is not None and (wrong.repair.text, wrong.repair.cites) == ("It is 80 metres deep, see.", (2,))
    assert (read.answer.read, read.invented) == (ids(WRONG), 1)


async def test_a_repair_without_numbers_has_those_of_its_unit_and_an_empty_one_is_none() -> None:
    mistakes = [found("s1.1.2", repair="It is 80 metres deep."), found("s1.1.3", "cause", " "), found("s1.1.1", "odd")]
    _, read = await answered(WRONG, CheckReport={"wrong": mistakes})
    deep, pays, odd = read.answer.wrong
    assert deep.repair is not None and deep.repair.said == "It is 80 metres deep [2]."
    assert (pays.repair, pays.kind, odd.kind) == (None, "cause", "not_said")


async def test_unknown_units_are_ignored_and_counted_and_of_each_the_first_mistake_counts() -> None:
    mistakes = [found("s9.9.9"), found("s1.1.2", "hedge"), found(" s1.1.2 ", "opposite")]
    _, read = await answered(WRONG, CheckReport={"wrong": mistakes})
    assert [(wrong.id, wrong.kind) for wrong in read.answer.wrong] == [("s1.1.2", "hedge")] and read.invented == 1


async def test_a_repair_that_changes_nothing_is_no_mistake() -> None:
    _, read = await answered(WRONG, CheckReport={"wrong": [found("s1.1.2", repair="It is 99 metres deep [2].")]})
    assert read.answer.wrong == ()


async def test_what_was_left_out_is_shown_as_that_and_gets_a_place_behind_a_unit_of_the_report() -> None:
    *report, pays = WRONG.units
    ask = WRONG.model_copy(update={"units": (*report, pays.model_copy(update={"left_out": True}))})
    places = [
        {"unit": "s1.1.3", "after": "s1.1.1", "text": "So it pays **to look** [so 3, 77]."},
        {"unit": "s1.1.3", "after": "s1.1.2", "text": ""},
        {"unit": "s1.1.2", "after": "s1.1.1", "text": "It is part of the report [2]."},
    ]
    put, read = await answered(ask, CheckReport={"wrong": [], "placed": places})
    (prompt,) = put.prompts("CheckReport")
    assert 'left_out="yes">It pays to look' in prompt.user and prompt.user.count('left_out="yes">') == 1
    assert [(each.id, each.after, each.unit and each.unit.said) for each in read.answer.placed] == [
        ("s1.1.3", "s1.1.1", "So it pays to look [so 3].")
    ]
    put, read = await answered(ask, CheckReport={"wrong": [], "placed": [{"unit": "s1.1.3", "after": "s1.1.3"}]})
    assert read.answer.placed == ()


async def test_where_nothing_was_left_out_nobody_is_asked_for_a_place() -> None:
    put, _ = await answered(WRONG)
    assert "left_out" not in put.prompts("CheckReport")[0].user


async def test_an_answer_that_names_only_units_that_there_are_not_is_asked_for_again() -> None:
    with pytest.raises(MalformedReply, match=r"s1\.1\.1"):
        await answered(WRONG, CheckReport={"wrong": [found("7"), found("8")]})


async def test_what_some_prompts_were_not_answered_for_was_not_read() -> None:
    def fails_later(prompt: Prompt) -> Any:
        return known()["CheckReport"](prompt) if 'id="s1.1.1"' in prompt.user else Unavailable("gone")

    put, read = await answered(MANY, window=4_096, CheckReport=fails_later)
    assert len(put.drafts) > 1 and read.answer.read == ids(MANY)[: len(read.answer.read)] != ids(MANY)


@pytest.mark.parametrize("error", [Unavailable("gone"), BudgetSpent("max_cost"), MalformedReply("twice")])
async def test_where_no_prompt_is_answered_there_is_no_check(error: ProviderError) -> None:
    with pytest.raises(type(error)):
        await answered(MANY, window=4_096, CheckReport=error)


async def test_a_run_that_has_stopped_is_told_so() -> None:
    with pytest.raises(LimitReached):
        await answered(WRONG, CheckReport=LimitReached("max_time"))


NONSENSE = st.lists(
    st.fixed_dictionaries(
        {
            "unit": st.sampled_from(["s1.1.1", "s1.1.2", "S1.1.1", "", "nobody"]),
            "kind": st.sampled_from(["number", "opposite", "", "<b>"]),
            "why": st.text(max_size=20),
            "repair": st.sampled_from(["", "[1]", "<b>", "It is [so 2].", "[77] It", "**It** https://evil.example [1]"])
            | st.text(max_size=20),
        }
    ),
    max_size=4,
)


@given(NONSENSE)
async def test_no_answer_brings_in_what_was_not_given(wrong: list[dict[str, str]]) -> None:
    try:
        _, read = await answered(WRONG, CheckReport={"wrong": wrong})
    except MalformedReply:
        return  # the model is told what is wrong
    repairs = " ".join(each.repair.said for each in read.answer.wrong if each.repair)
    assert "evil.example" not in repairs and "<b>" not in repairs


async def test_the_model_server_finds_wrong_what_a_comparison_of_words_refutes() -> None:
    _, read = await answered(
        check("Sounding 1 found the sea 40 metres deep [1].", "It found 999 wrecks [2].", "Deep [so 3].")
    )
    assert [(wrong.id, wrong.repair) for wrong in read.answer.wrong] == [("s1.1.2", None)]
