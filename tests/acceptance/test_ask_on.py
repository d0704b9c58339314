"""Asking on: a follow-up knows its thread, researches only what that does not answer, and needs no run but its own.

Real documents; without a model, and with one over the wire.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import fathom
from fathom import wiring
from fathom.errors import Conflict, NotFound, UsageError
from fathom.ports import JournalEntry, RunRecord
from fathom.report import Report
from fathom.settings import Settings
from fathom_testing.model_server import ModelServer
from tests.support.honest import faults_of
from tests.support.model_settings import settings_for

DOCUMENTS = Path(__file__).parent / "corpora" / "frontends"
FIRST = "How does React render a component again?"
IN_THE_THREAD = "And how large is it, compressed?"
ONE_PART = "How large is React compressed, and what does VACUUM of PostgreSQL remove?"
ELSEWHERE = "What does VACUUM of PostgreSQL remove?"


@contextmanager
def settings_of(kind: str, folder: Path) -> Iterator[Settings]:
    if kind == "rule":
        yield wiring.load_settings(home=folder / "home")
        return
    with ModelServer() as server:
        yield settings_for(folder, server)


@pytest.fixture(params=["rule", "model"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    with settings_of(request.param, tmp_path) as settings:
        yield settings


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return shutil.copytree(DOCUMENTS, tmp_path / "notes")


@pytest.fixture
async def first(settings: Settings, notes: Path) -> Report:
    report = await fathom.research(FIRST, documents=[notes], settings=settings)
    assert report.sources
    assert "postgres" not in str(report.sources)
    return report


async def journal(run_id: str, settings: Settings) -> list[JournalEntry]:
    async with wiring.opened_store(settings) as store:
        return await store.journal(run_id)


async def record(run_id: str, settings: Settings) -> RunRecord:
    async with wiring.opened_store(settings) as store:
        return await store.run(run_id)


async def texts(run_id: str, settings: Settings) -> dict[str, str]:
    async with wiring.opened_store(settings) as store:
        return {sha256: await store.snapshot(sha256) for sha256 in await store.snapshots(run_id)}


async def delete(run_id: str, settings: Settings) -> None:
    async with wiring.opened_store(settings) as store:
        await store.delete_run(run_id)


async def test_a_follow_up_whose_answer_is_in_the_run_makes_no_search(first: Report, settings: Settings) -> None:
    asked = await fathom.ask(first.run_id, IN_THE_THREAD, settings=settings)

    assert asked.query == "How large is React, compressed?"
    assert asked.title == asked.query
    assert "45 kB" in asked.markdown
    assert asked.usage.calls["recall"] > 0
    assert not {"search", "web_search", "read"} & asked.usage.calls.keys()
    assert faults_of(asked, await texts(asked.run_id, settings)) == []
    assert {source.uri for source in asked.sources} <= {source.uri for source in first.sources}
    run = await record(asked.run_id, settings)
    assert (run.query, run.follows, run.thread) == (IN_THE_THREAD, first.run_id, first.run_id)
    assert (run.limits, run.sources["paths"]) == (first.limits, (await record(first.run_id, settings)).sources["paths"])


async def test_how_a_question_was_to_be_told_is_no_part_of_what_its_follow_up_leans_on(
    settings: Settings, notes: Path
) -> None:
    first = await fathom.research(f"{FIRST[:-1]}, in three bullet points?", documents=[notes], settings=settings)
    second = await fathom.ask(first.run_id, f"{IN_THE_THREAD[:-1]}, in two sentences?", settings=settings)
    third = await fathom.ask(second.run_id, "Is that more than Svelte has?", settings=settings)

    assert first.preferences and second.preferences
    assert (first.preferences.topic, second.preferences.topic) == (FIRST, "How large is React, compressed?")
    assert "45 kB" in second.markdown and not {"bullet", "sentences"} & set(second.title.split())
    assert "sentences" not in third.query


async def test_a_follow_up_that_only_wishes_has_the_same_question_told_so(settings: Settings, notes: Path) -> None:
    first = await fathom.research("How large is React compressed?", documents=[notes], settings=settings)
    asked = await fathom.ask(first.run_id, "As bullet points, please.", settings=settings)

    assert asked.preferences and asked.preferences.form == "bullets"
    assert asked.preferences.topic == first.query and asked.title == first.title
    if not settings.model:  # the form of a report with a model is asked of the model
        assert [line for line in asked.markdown.splitlines() if line.startswith("- ") and "45 kB" in line]
    assert not {"search", "web_search", "read"} & asked.usage.calls.keys()


async def test_a_follow_up_that_needs_one_part_researches_one_part(first: Report, settings: Settings) -> None:
    asked = await fathom.ask(first.run_id, ONE_PART, settings=settings)

    searched = [entry.path for entry in await journal(asked.run_id, settings) if entry.kind == "search"]
    assert {path.split("/")[0] for path in searched} == {"task_2"}
    assert sum("/r0/search/" in path for path in searched) == 1
    assert "45 kB" in asked.markdown
    assert "VACUUM removes the dead ones" in asked.markdown
    assert asked.coverage.total == len(list(DOCUMENTS.iterdir()))
    assert faults_of(asked, await texts(asked.run_id, settings)) == []


async def test_what_the_thread_does_not_know_is_researched_like_any_question(
    first: Report, settings: Settings, notes: Path
) -> None:
    asked = await fathom.ask(first.run_id, ELSEWHERE, settings=settings)
    alone = await fathom.research(ELSEWHERE, documents=[notes], settings=settings)

    assert [claim.text for claim in asked.claims] == [claim.text for claim in alone.claims]
    searches = [
        sum(entry.kind == "search" and entry.path.startswith("task") for entry in await journal(run_id, settings))
        for run_id in (asked.run_id, alone.run_id)
    ]
    assert searches[0] == searches[1] > 0


async def test_a_second_follow_up_knows_both_before_it(first: Report, settings: Settings) -> None:
    second = await fathom.ask(first.run_id, ELSEWHERE, settings=settings)

    third = await fathom.ask(second.run_id, "And how large is React, compressed?", settings=settings)
    again = await fathom.ask(second.run_id, "What does it keep several versions of?", settings=settings)

    for asked, said in ((third, "45 kB"), (again, "several versions of a row")):
        assert said in asked.markdown
        assert "search" not in asked.usage.calls
        assert (await record(asked.run_id, settings)).thread == first.run_id
    async with wiring.opened_store(settings) as store:
        thread = [run.run_id for run in await store.runs(thread=first.run_id)]
    assert thread == [again.run_id, third.run_id, second.run_id, first.run_id]


async def test_a_thread_is_replayed_resumed_and_asked_on_when_its_first_run_is_gone(
    first: Report, settings: Settings
) -> None:
    second = await fathom.ask(first.run_id, ONE_PART, settings=settings)
    async with fathom.ask_on(first.run_id, IN_THE_THREAD, settings=settings) as run:
        async for stored in run:
            if stored.event.kind == "planned":
                break
    await delete(first.run_id, settings)

    assert await fathom.replay(second.run_id, settings=settings) == second
    resumed = await fathom.resume(run.run_id, settings=settings)
    assert "45 kB" in resumed.markdown
    assert "search" not in resumed.usage.calls
    third = await fathom.ask(second.run_id, IN_THE_THREAD, settings=settings)
    assert "45 kB" in third.markdown
    forked = await fathom.fork(third.run_id, settings=settings)
    assert forked.query == third.query
    assert (await record(forked.run_id, settings)).follows == second.run_id
    with pytest.raises(NotFound, match=first.run_id):
        await fathom.ask(first.run_id, IN_THE_THREAD, settings=settings)


async def test_a_sentence_is_researched_further_by_asking_the_sources_at_once(
    first: Report, settings: Settings
) -> None:
    claim = next(claim for claim in first.claims if "Facebook" in claim.text)

    asked = await fathom.ask(first.run_id, about=claim.id.lower(), settings=settings)

    assert "React is a library" in asked.query
    kinds = {entry.kind for entry in await journal(asked.run_id, settings)}
    assert "search" in kinds
    assert "recall" not in kinds
    cited = {id for each in first.claims for id in each.evidence}
    told = {each.quote for each in first.evidence if each.id in cited}
    if not settings.model:  # a writer may lean on the sentences beside what was found
        assert not told & {each.quote for each in asked.evidence}, "what was told counts as no answer"
    run = await record(asked.run_id, settings)
    assert (run.follows, run.about, run.query) == (first.run_id, claim.id, asked.query)
    assert await fathom.replay(asked.run_id, settings=settings) == asked


async def test_what_cannot_be_followed_is_said_in_a_line(first: Report, settings: Settings) -> None:
    runs = len(await all_runs(settings))
    async with wiring.Fathom(settings) as open_:
        waiting, _ = await open_.submit(fathom.Question(FIRST))
    failed = await unfinished(first, settings)

    for run_id, question, about, error, said in (
        (waiting.run_id, "Why?", "", Conflict, "is queued, so that nothing can follow it yet: wait .* or stop it"),
        (failed, "Why?", "", Conflict, "is failed and has no report to follow: resume it first"),
        ("run_none", "Why?", "", NotFound, "No run is named"),
        (first.run_id, " \n", "", UsageError, "The question is empty"),
        (first.run_id, "??", "", UsageError, "no letter and no digit"),
        (first.run_id, "", "C999", NotFound, f"has no claim 'C999': it has C1 to C{len(first.claims)}"),
        (first.run_id, "Why?", "S1", NotFound, "has no claim 'S1'"),
    ):
        with pytest.raises(error, match=said):
            await fathom.ask(run_id, question, about=about, settings=settings)
    assert len(await all_runs(settings)) == runs + 2


async def test_a_partial_report_can_be_followed(settings: Settings, notes: Path) -> None:
    partial = await fathom.research(FIRST, documents=[notes], limits={"max_calls": 5}, settings=settings)
    assert partial.partial

    asked = await fathom.ask(partial.run_id, ELSEWHERE, limits={"max_calls": None}, settings=settings)

    assert "VACUUM removes the dead ones" in asked.markdown


async def all_runs(settings: Settings) -> list[RunRecord]:
    async with wiring.opened_store(settings) as store:
        return await store.runs()


async def unfinished(like: Report, settings: Settings) -> str:
    """A run that has failed before it had a report."""
    async with wiring.opened_store(settings) as store:
        run = (await store.run(like.run_id)).model_copy(update={"run_id": wiring.new_run_id(), "status": "failed"})
        await store.create_run(run)
    return run.run_id


async def test_a_japanese_thread_is_answered_from_what_it_has_read(settings: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "自治会"
    folder.mkdir()
    (folder / "規約.md").write_text("# 規約\n\n## 会費\n\n自治会の会費は年額3,000円です。支払い方法は口座振替です。\n")
    (folder / "訓練.md").write_text("# 防災訓練\n\n防災訓練は11月8日の9時に中学校で行います。雨天でも行います。\n")
    report = await fathom.research("自治会の会費はいくらですか？", documents=[folder], settings=settings)
    assert "3,000円" in report.markdown

    asked = await fathom.ask(report.run_id, "では支払い方法は？", settings=settings)
    other = await fathom.ask(asked.run_id, "防災訓練はいつ行いますか？", settings=settings)

    assert (asked.query, asked.language) == ("自治会の会費の支払い方法は？", "ja")
    assert "口座振替" in asked.markdown
    assert "search" not in asked.usage.calls
    assert "11月8日" in other.markdown
    assert other.usage.calls["search"] > 0


async def test_a_document_that_is_called_by_what_is_asked_is_looked_into_although_the_thread_speaks_of_it(
    tmp_path: Path,
) -> None:
    settings, folder = wiring.load_settings(home=tmp_path / "home"), tmp_path / "house"
    folder.mkdir()
    (folder / "house.md").write_text(
        "# House\n\nFilters are changed in June. The pump is serviced together with them.\n"
    )
    (folder / "pump.md").write_text("# The pump\n\nThe pump is serviced every second October, says Marlow.\n")
    first = await fathom.research(
        "When are the filters changed?", documents=[folder], limits={"max_depth": 1}, settings=settings
    )
    assert "October" not in first.markdown

    asked = await fathom.ask(first.run_id, "When is the pump serviced?", settings=settings)

    assert asked.usage.calls["search"] > 0
    assert "every second October" in asked.markdown
    assert any("together with them" in finding.claim for finding in asked.findings), "the thread seemed to answer it"
