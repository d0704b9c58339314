"""A question asked again: an update that says what has changed, two runs compared, a fork that asks another one."""

from __future__ import annotations

import shutil
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import fathom
from fathom import wiring
from fathom.browsing import WebRules
from fathom.comparison.records import Comparison
from fathom.errors import Conflict, FathomError, NotFound, UsageError
from fathom.events import ApprovalAsked
from fathom.knowledge.archive import Archive
from fathom.ports import RunRecord
from fathom.ports.web import Web
from fathom.report import Report
from fathom.settings import Settings
from fathom.steering import Answer, EditedPart
from fathom.wiring import RunStream, opening
from fathom_testing.model_server import ModelServer
from tests.support.doubles.web import SimulatedReader, SimulatedSearch, hit, simulated_web
from tests.support.model_settings import settings_for

PUMP = (
    "# Heat pump\n\nThe heat pump in the annex was installed in March 2023. The annual service of the heat pump costs "
    "240 euros.\n\n## Noise\n\nNeighbours of the heat pump measured 38 decibels at the fence.\n"
)
BOILER = "# Boiler\n\nThe oil boiler stays in the cellar as a reserve for the heat pump.\n"
BATTERY = "# Battery\n\nA battery of 10 kWh has been the reserve of the heat pump since May 2025.\n"
QUESTION = "What does the heat pump cost, how loud is it, and what is its reserve?"

PUMP_JA = (
    "# ヒートポンプ\n\nヒートポンプは2023年3月に設置された。ヒートポンプの年次点検の費用は240ユーロである。\n\n"
    "## 騒音\n\nヒートポンプの騒音は敷地境界で38デシベルである。\n"
)
BOILER_JA = "# ボイラー\n\n灯油ボイラーはヒートポンプの予備として地下室に残す。\n"
BATTERY_JA = "# 蓄電池\n\n2025年5月から蓄電池がヒートポンプの予備となっている。\n"
QUESTION_JA = "ヒートポンプの費用、騒音、予備について教えてください"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return wiring.load_settings(home=tmp_path / "home")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return written(tmp_path / "notes", pump=PUMP, boiler=BOILER)


def written(folder: Path, **texts: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


async def record(run_id: str, settings: Settings) -> RunRecord:
    async with wiring.opened_store(settings) as store:
        return await store.run(run_id)


def changed(comparison: Comparison, *states: str) -> set[tuple[str, str]]:
    """The sentences that are different, each before and now."""
    return {
        (pair.old.text if pair.old else "", pair.new.text if pair.new else "")
        for pair in comparison.sentences
        if pair.state in states
    }


# ── Update ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("question", "pump", "boiler", "battery"),
    [(QUESTION, PUMP, BOILER, BATTERY), (QUESTION_JA, PUMP_JA, BOILER_JA, BATTERY_JA)],
    ids=["English", "Japanese"],
)
async def test_an_update_says_which_sentence_has_changed_and_which_document_is_new_or_gone(
    settings: Settings, tmp_path: Path, question: str, pump: str, boiler: str, battery: str
) -> None:
    notes = written(tmp_path / "notes", pump=pump, boiler=boiler)
    first = await fathom.research(question, documents=[notes], settings=settings)
    assert any("240" in claim.text for claim in first.claims)
    written(notes, pump=pump.replace("240", "265"), battery=battery)
    (notes / "boiler.md").unlink()

    report, comparison = await fathom.update(first.run_id, settings=settings)

    assert report.run_id != first.run_id and "265" in report.markdown
    costs = {(old, new) for old, new in changed(comparison, "changed") if "240" in old}
    assert {new for _, new in costs} == {old.replace("240", "265") for old, _ in costs} and costs
    assert not any("240" in old + new or "265" in old + new for old, new in changed(comparison, "new", "gone"))
    assert not comparison.unchanged
    assert {(pair.entry.uri, pair.state) for pair in comparison.sources} == {
        ("pump.md", "changed"),
        ("battery.md", "new"),
        ("boiler.md", "gone"),
    }
    assert (await record(report.run_id, settings)).sources["update_of"] == first.run_id
    assert await fathom.compare(report.run_id, settings=settings) == comparison
    assert await fathom.compare(first.run_id, report.run_id, settings=settings) == comparison
    assert await fathom.replay(report.run_id, settings=settings) == report


async def test_an_update_over_unchanged_documents_pays_for_no_call_and_says_that_nothing_has_changed(
    notes: Path, tmp_path: Path
) -> None:
    with ModelServer() as server:
        settings = settings_for(tmp_path, server)
        first = await fathom.research(QUESTION, documents=[notes], settings=settings)
        asked = len(server.calls)
        assert asked and first.usage.cost_usd > 0

        report, comparison = await fathom.update(first.run_id, settings=settings)

        assert len(server.calls) == asked
        assert report.usage.cost_usd == 0 and report.usage.cached_calls > 0
        assert comparison.unchanged and set(comparison.counts) == {"same"}
        assert {pair.state for pair in comparison.sources} == {"same"}

        written(notes, pump=PUMP.replace("240", "265"))
        later = await fathom.update(report.run_id, settings=settings)
        assert 0 < len(server.calls) - asked <= asked, "what has changed is read by the model"
        assert not later.comparison.unchanged


async def test_an_update_of_an_update_names_the_last_one_and_a_fork_of_it_updates_nothing(
    settings: Settings, notes: Path
) -> None:
    first = await fathom.research(QUESTION, documents=[notes], settings=settings)
    second, _ = await fathom.update(first.run_id, settings=settings)
    third, _ = await fathom.update(second.run_id, settings=settings)
    fork = await fathom.fork(third.run_id, settings=settings)

    assert (await record(third.run_id, settings)).earlier == second.run_id
    forked = await record(fork.run_id, settings)
    assert "update_of" not in forked.sources and forked.earlier == third.run_id


async def answered(run: RunStream, settings: Settings, *answers: Answer) -> tuple[Report, list[list[str]]]:
    """The report of a run that is given one answer after the other, and the plans that it has proposed."""
    proposed, left = [], list(answers)
    async with run:
        async for stored in run:
            if isinstance(stored.event, ApprovalAsked):
                proposed.append([each.description for each in stored.event.approval.proposed])
                await fathom.answer(run.run_id, left.pop(0), settings=settings)
        return await run.report(), proposed


@pytest.mark.parametrize("with_model", [False, True])
async def test_an_update_proposes_the_plan_as_its_person_has_made_it_and_so_does_the_next(
    notes: Path, tmp_path: Path, *, with_model: bool
) -> None:
    with ModelServer() as server:
        settings = settings_for(tmp_path, server) if with_model else wiring.load_settings(home=tmp_path / "home")
        mine = ("What is the reserve?", "Which noise do the neighbours hear?")
        edit = Answer(decision="edit", parts=tuple(EditedPart(description=each) for each in mine))
        accept = Answer(decision="accept")
        run = fathom.stream(QUESTION, documents=[notes], limits={"approve": "plan"}, settings=settings)
        first, [proposed] = await answered(run, settings, edit)
        again = fathom.branch_off(first.run_id, update=True, settings=settings)
        second, [updated] = await answered(again, settings, accept)
        third, [later] = await answered(
            fathom.branch_off(second.run_id, update=True, settings=settings), settings, accept
        )
        other = fathom.branch_off(third.run_id, question="How loud is it, and since when?", settings=settings)
        _, [another] = await answered(other, settings, accept)
        follow_up, _ = await answered(
            fathom.ask_on(third.run_id, "And the battery?", settings=settings), settings, accept
        )

        assert proposed != list(mine) and updated == later == list(mine) and set(another).isdisjoint(mine)
        assert await fathom.replay(second.run_id, settings=settings) == second
        assert (await fathom.compare(third.run_id, settings=settings)).unchanged
        assert "parts" not in (await record(follow_up.run_id, settings)).sources


async def test_a_plan_is_estimated_as_it_is_edited_and_nobody_is_asked_for_that(notes: Path, tmp_path: Path) -> None:
    with ModelServer() as server:
        settings = settings_for(tmp_path, server)
        run = fathom.stream(QUESTION, documents=[notes], limits={"approve": "plan"}, settings=settings)
        async with run:
            async for stored in run:
                if isinstance(stored.event, ApprovalAsked):
                    asked, calls = stored.event.approval, len(server.calls)
                    same = await wiring.expected(run.run_id, Answer(decision="accept"), settings=settings)
                    edit = Answer(decision="edit", parts=(EditedPart.like(asked.proposed[0]),))
                    fewer = await wiring.expected(run.run_id, edit, settings=settings)
                    assert len(server.calls) == calls
                    await fathom.answer(run.run_id, edit, settings=settings)
            report = await run.report()
        assert asked.estimate and same.bounds == asked.estimate.bounds
        assert report.estimate == fewer.bounds and 0 < fewer.cost_usd_typical < same.cost_usd_typical


async def test_an_update_asks_the_web_anew_although_the_archive_has_it(
    settings: Settings, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = "https://one.example/"
    search = SimulatedSearch(hits=lambda _: [hit(page, title="Noise")])
    reader = SimulatedReader(texts={page: "On noise\n\nA heat pump may reach 50 decibels at night, says the law.\n"})
    web = simulated_web(search, reader=reader, archive=Archive(settings.home / "web.sqlite3"))

    async def open_web(_: AsyncExitStack, rules: WebRules, __: Settings, **___: Any) -> Web:
        return replace(web, rules=rules)

    monkeypatch.setattr(opening, "rules_for", lambda _: web.rules)
    monkeypatch.setattr(opening, "opened_web", open_web)
    loud = "How many decibels may a heat pump reach at night?"
    first = await fathom.research(loud, documents=[notes], settings=settings)
    assert "50 decibels" in first.markdown
    await fathom.fork(first.run_id, settings=settings)
    asked, read = len(search.asked), len(reader.asked)
    assert (asked, read) == (1, 1), "a fork is answered out of the archive"
    reader.texts[page] = "On noise\n\nA heat pump may reach 45 decibels at night, says the law.\n"

    report, comparison = await fathom.update(first.run_id, settings=settings)

    assert (len(search.asked), len(reader.asked)) == (asked + 1, read + 1)
    assert "45 decibels" in report.markdown
    assert {(pair.entry.uri, pair.state) for pair in comparison.sources if pair.entry.kind == "web"} == {
        (page, "changed")
    }
    assert any("50" in old and "45" in new for old, new in changed(comparison, "changed"))


async def test_an_update_asks_data_anew(settings: Settings, tmp_path: Path) -> None:
    table = tmp_path / "orders.csv"
    rows = [f"{at},{'paid' if at % 3 else 'open'}" for at in range(30)]
    table.write_text("\n".join(["number,state", *rows]) + "\n", encoding="utf-8")
    first = await fathom.research("orders by state", data=[table], settings=settings)
    assert first.claims
    same = await fathom.update(first.run_id, settings=settings)
    table.write_text("\n".join(["number,state", *rows, *("99,open",) * 5]) + "\n", encoding="utf-8")

    comparison = (await fathom.update(first.run_id, settings=settings)).comparison

    assert same.comparison.unchanged
    assert any("10" in old and "15" in new for old, new in changed(comparison, "changed")), changed(
        comparison, "changed"
    )
    assert not changed(comparison, "new", "gone")


# ── What cannot be updated or compared ─────────────────────────────────────────────────────────────────────────────


async def test_what_cannot_be_updated_or_compared_is_said_in_a_line_and_leaves_no_run(
    settings: Settings, notes: Path
) -> None:
    first = await fathom.research(QUESTION, documents=[notes], settings=settings)
    offline = await fathom.fork(first.run_id, offline=True, settings=settings)
    async with fathom.branch_off(first.run_id, settings=settings) as broken_off:
        pass
    async with wiring.opened_store(settings) as store:
        planned = (await store.run(first.run_id)).model_copy(update={"run_id": "run_000000000001", "status": "planned"})
        await store.create_run(planned)
        count = len(await store.runs())
    wrong: list[tuple[Any, type[FathomError], str]] = [
        (fathom.update("run_none", settings=settings), NotFound, "No run is named 'run_none'"),
        (
            fathom.update(broken_off.run_id, settings=settings),
            Conflict,
            "is running: its report is compared once",
        ),
        (fathom.update(planned.run_id, settings=settings), NotFound, "is planned and has no report to compare"),
        (fathom.update(offline.run_id, settings=settings), UsageError, f"does not change: update {first.run_id}"),
        (fathom.compare(first.run_id, "run_none", settings=settings), NotFound, "No run is named"),
        (fathom.compare(first.run_id, broken_off.run_id, settings=settings), Conflict, "is running"),
        (fathom.compare(first.run_id, planned.run_id, settings=settings), NotFound, "has no report to compare"),
        (fathom.compare(first.run_id, first.run_id, settings=settings), UsageError, "Both are run_"),
        (fathom.compare(first.run_id, settings=settings), UsageError, "updates no other run"),
    ]
    for work, error, line in wrong:
        with pytest.raises(error, match=line) as raised:
            await work
        assert "\n" not in str(raised.value)

    shutil.rmtree(notes)
    with pytest.raises(UsageError, match=f"There is no file or folder {notes}"):
        await fathom.update(first.run_id, settings=settings)
    notes.mkdir()
    with pytest.raises(UsageError, match="There are no documents in"):
        await fathom.update(first.run_id, settings=settings)
    async with wiring.opened_store(settings) as store:
        assert len(await store.runs()) == count


async def test_a_comparison_with_a_run_that_was_deleted_is_refused(settings: Settings, notes: Path) -> None:
    first = await fathom.research(QUESTION, documents=[notes], settings=settings)
    report, _ = await fathom.update(first.run_id, settings=settings)
    async with wiring.opened_store(settings) as store:
        await store.delete_run(first.run_id)

    with pytest.raises(NotFound, match=first.run_id):
        await fathom.compare(report.run_id, settings=settings)
    assert await fathom.replay(report.run_id, settings=settings) == report


# ── Another question ───────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_fork_may_ask_another_question_of_the_same_sources_with_the_same_settings(
    settings: Settings, notes: Path
) -> None:
    first = await fathom.research(QUESTION, documents=[notes], limits={"max_words": 200}, settings=settings)

    forked = await fathom.fork(first.run_id, question="  Was kostet\x00 die Wartung? ", settings=settings)

    asked, before = await record(forked.run_id, settings), await record(first.run_id, settings)
    assert (asked.query, asked.language) == ("Was kostet die Wartung?", "de")
    assert (asked.limits, asked.sources["paths"], asked.mode) == (before.limits, [str(notes)], before.mode)
    for wrong, line in (("", "The question is empty"), ("?!", "no letter"), ("x" * 200_000, "may have")):
        with pytest.raises(UsageError, match=line):
            await fathom.fork(first.run_id, question=wrong, settings=settings)


async def test_a_new_run_takes_over_nothing_of_how_the_earlier_one_went(settings: Settings, notes: Path) -> None:
    first = await fathom.research(QUESTION, documents=[notes], settings=settings)
    async with wiring.opened_store(settings) as store:
        fence = await store.acquire(first.run_id)
        await store.update_run(first.run_id, fence=fence, stop_requested=True, error="It broke.")
        store.release(first.run_id)

    async with fathom.branch_off(first.run_id, update=True, settings=settings) as new:
        fresh = await record(new.run_id, settings)

    assert (fresh.stop_requested, fresh.error, fresh.title, fresh.claims) == (False, None, None, None)
