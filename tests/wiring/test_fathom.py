"""Fathom as a library: what `import fathom` offers."""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.runnables import RunnableConfig

import fathom
from fathom import wiring
from fathom.engine import run as engine_run
from fathom.errors import ConfigurationError, Fenced, NotFound, StoreError, UsageError
from fathom.limits import Limits
from fathom.settings import Settings
from fathom.wiring.adapters import last_checkpoint, opened_checkpoints, opened_store
from tests.support.doubles.faults import nobody_is_seen

QUESTION = "What is a scope, and how are exceptions handled?"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return wiring.load_settings(home=tmp_path / "home")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "names.md").write_text("# Names\n\nA scope defines the visibility of a name within a block.\n")
    (folder / "errors.md").write_text(
        "# Exceptions\n\nExceptions are handled by the except clause of a try statement.\n"
    )
    return folder


def test_every_public_name_is_there_and_importing_the_package_imports_nothing_heavy() -> None:
    assert all(getattr(fathom, name) is not None for name in fathom.__all__)
    assert set(fathom.__all__) <= set(dir(fathom))
    with pytest.raises(AttributeError, match="no attribute 'reserch'"):
        _ = fathom.reserch
    code = "import sys, fathom; print([name for name in ('pydantic', 'langgraph', 'click') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


async def test_a_question_over_a_folder_gives_a_report(settings: Settings, notes: Path) -> None:
    kinds: list[str] = []

    report = await fathom.research(
        QUESTION, documents=[str(notes)], settings=settings, on_event=lambda stored: kinds.append(stored.event.kind)
    )

    assert report.claims and all(claim.verified for claim in report.claims)
    assert {Path(source.uri).name for source in report.sources} == {"names.md", "errors.md"}
    assert kinds[0] == "run_started" and kinds[-1] == "finished"
    assert report == await fathom.resume(report.run_id, settings=settings)
    assert report == await fathom.replay(report.run_id, settings=settings)


async def test_what_answers_two_parts_is_told_once_and_counts_for_both(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "incident.md").write_text(
        "# Incident of 14 March 2025: bookings lost\n\n"
        "On 14 March 2025 the booking service lost 312 bookings between 09:12 and 09:47 UTC.\n\n"
        "The cause was a full disk on the primary database server: the write-ahead log was not archived.\n\n"
        "## What we changed\n\n- Silences now expire after 24 hours.\n- The disk alert fires at 70 percent.\n\n"
        "All customers were contacted by 17 March 2025.\n"
    )
    (tmp_path / "prices.md").write_text(
        "# Pricing\n\nThe basic plan costs 29 euros a month and includes 200 bookings.\n\n"
        "Prices were raised by 8 percent in January 2025. Existing customers kept their old price until July 2025.\n"
    )
    question = "What was the cause of the incident of 14 March 2025 and which silences were changed?"

    report = await fathom.research(question, documents=[tmp_path], settings=settings)

    assert len([each for each in report.subtasks if each.parent_id is None]) == 2
    assert report.not_found == ()
    assert [each.outcome for each in report.subtasks if each.parent_id is None] == ["closest", "closest"]


async def test_a_report_says_where_each_passage_stands_cites_it_once_and_claims_no_answer(
    settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "heating.md").write_text(
        "# Heating\n\n## In winter\n\nThe boiler is set to 68 degrees from November to March. Nobody turns it off.\n\n"
        "Before you leave the house:\n\n- close the valves in the hall\n- leave the boiler on\n"
    )
    report = await fathom.research("What is the boiler set to in winter?", documents=[tmp_path], settings=settings)
    far = await fathom.research("Does the boiler burn peat?", documents=[tmp_path], settings=settings)

    assert (report.outcome, [each.outcome for each in report.subtasks]) == ("closest", ["closest"])
    assert "## The passages that come nearest\n\n**Heating › In winter** [S1]\n\nThe boiler is set" in report.markdown
    assert "\n\n- close the valves in the hall\n- leave the boiler on\n\n" in report.markdown
    assert far.outcome == "closest"
    assert "None of these passages mentions" not in far.markdown  # which may call it something else
    assert "Sentences checked" not in far.markdown


async def test_a_report_that_only_quotes_says_how_much_it_quotes_and_gives_no_verdict(
    settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "heating.md").write_text("# Heating\n\nThe boiler is set to 68 degrees from November to March.\n")
    (tmp_path / "other.md").write_text("# Bread\n\nThe oven is hot.\n")
    report = await fathom.research("What is the boiler set to in winter?", documents=[tmp_path], settings=settings)

    assert report.quoted == 1 and report.limitations == ()
    footer = report.markdown.partition("\n---\n")[2].split("\n")
    assert footer[1:3] == [
        "1 passage quoted word for word from 1 document.  ",
        "Documents in reach: 2. Matched: 1, read: 1.",
    ]


async def test_a_stream_gives_every_event_once_in_order_and_then_the_report(settings: Settings, notes: Path) -> None:
    async with fathom.stream(QUESTION, documents=[notes], settings=settings) as run:
        numbers = [stored.seq async for stored in run]
        report = await run.report()

    assert numbers == list(range(1, len(numbers) + 1))
    assert report.run_id == run.run_id and run.ingested is not None and run.ingested.added == 2


async def test_a_run_that_is_left_early_can_be_taken_up_and_shows_its_history(settings: Settings, notes: Path) -> None:
    async with fathom.stream(QUESTION, documents=[notes], settings=settings) as run:
        async for stored in run:
            if stored.event.kind == "planned":
                break

    async with fathom.take_up(run.run_id, settings=settings) as again:
        kinds = [(stored.seq <= again.known, stored.event.kind) async for stored in again]
        report = await again.report()

    assert kinds[0] == (True, "run_started") and (False, "run_started") in kinds
    assert kinds[-1] == (False, "finished") and report.partial is None


async def test_a_stream_whose_run_another_process_takes_over_ends_in_an_error(
    settings: Settings, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody_is_seen(monkeypatch)
    walk, taken_over = engine_run._walk, asyncio.Event()

    async def once_taken_over(*args: Any, **options: Any) -> Any:
        await taken_over.wait()  # else the run may be over by then
        return await walk(*args, **options)

    monkeypatch.setattr(engine_run, "_walk", once_taken_over)
    with pytest.raises(Fenced):
        async with (
            fathom.stream(QUESTION, documents=[notes], settings=settings) as run,
            wiring.opened_store(settings) as other,
        ):
            async for stored in run:
                if stored.event.kind == "run_started":
                    await other.acquire(run.run_id)
                    taken_over.set()


async def test_stopping_a_stream_gives_a_partial_report(settings: Settings, notes: Path) -> None:
    async with fathom.stream(QUESTION, documents=[notes], settings=settings) as run:
        run.stop()
        report = await run.report()
    assert report.partial == "cancelled"


async def test_limits_of_a_resumed_run_are_changed_and_the_others_kept(settings: Settings, notes: Path) -> None:
    report = await fathom.research(
        QUESTION, documents=[notes], limits={"max_calls": 2, "max_words": 300}, settings=settings
    )
    assert report.partial == "max_calls"

    report = await fathom.resume(report.run_id, limits={"max_calls": None}, settings=settings)

    assert report.partial is None
    assert (report.limits.max_calls, report.limits.max_words) == (None, 300)


async def test_a_run_goes_on_with_the_documents_it_was_started_with(settings: Settings, notes: Path) -> None:
    report = await fathom.research(
        "What is a scope?", documents=[notes / "names.md"], limits={"max_calls": 2}, settings=settings
    )
    await fathom.ingest([notes], settings=settings)
    other = settings.model_copy(update={"kb": "other"})

    report = await fathom.resume(report.run_id, limits={"max_calls": None}, settings=other)

    assert report.coverage.total == 1
    assert {Path(source.uri).name for source in report.sources} == {"names.md"}


async def test_a_plan_needs_no_run(settings: Settings, notes: Path) -> None:
    prospect = await fathom.plan_for(QUESTION, documents=[notes], settings=settings)
    assert len(prospect.plan.subtasks) == 2
    assert 0 < prospect.estimate.calls_low <= prospect.estimate.calls_high
    assert prospect.run_id is None and prospect.destinations == ()
    async with wiring.opened_store(settings) as store:
        assert await store.runs() == []


async def test_what_cannot_begin_leaves_no_run_behind(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for documents in ([tmp_path / "empty"], [tmp_path / "missing"], None):
        with pytest.raises(UsageError):
            await fathom.research(QUESTION, documents=documents, settings=settings)
    async with wiring.opened_store(settings) as store:
        assert await store.runs() == []
    with pytest.raises(NotFound):
        await fathom.resume("run_unknown", settings=settings)


@given(st.text(st.characters()))
def test_a_question_is_refused_or_comes_back_clean(text: str) -> None:
    try:
        query = wiring.checked_query(text, Limits())
    except UsageError:
        return
    assert query == query.strip() and query.encode() and "\x00" not in query and "\x1b" not in query


def test_flags_come_before_settings_and_settings_before_the_effort(tmp_path: Path) -> None:
    settings = wiring.load_settings(home=tmp_path, effort="quick", limits={"max_depth": "2", "max_words": 700})
    limits = wiring.limits_for(settings, {"max_words": 800})
    assert (limits.max_questions, limits.max_depth, limits.max_words) == (3, 2, 800)
    with pytest.raises(ConfigurationError, match="Limit 'max_depth' is wrong"):
        wiring.limits_for(settings, {"max_depth": 0})


@given(st.lists(st.floats(min_value=0, max_value=4e9), min_size=2, max_size=20))
def test_run_ids_sort_by_time(times: list[float]) -> None:
    ids = [wiring.new_run_id(when) for when in sorted(times)]
    assert [id[:-3] for id in ids] == sorted(id[:-3] for id in ids)
    assert all(len(id) == len("run_") + 12 for id in ids)


async def test_a_comparison_whose_sides_are_told_is_not_called_missing(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text(
        "# 緑茶\n\n緑茶は70度から80度の湯で二分ほど淹れます。紅茶は95度の湯で四分ほど淹れます。\n", encoding="utf-8"
    )
    report = await fathom.research(
        "緑茶と紅茶の淹れ方の違いは何ですか？", documents=[tmp_path / "tea.md"], settings=settings
    )
    assert {"70", "95"} <= {number for claim in report.claims for number in ("70", "95") if number in claim.text}
    assert report.not_found == ()


async def test_a_checkpoint_that_is_broken_off_in_mid_write_locks_nobody_out(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fathom.sqlite_file.BUSY_SECONDS", 1)
    settings.home.mkdir()
    columns = "thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel"
    async with opened_checkpoints(settings) as one:
        cursor = await one.conn.cursor()  # whoever was cancelled may keep it
        await cursor.executemany(f"INSERT INTO writes ({columns}) VALUES ('one', '', '', '', ?, '')", [(1,), (2,)])

    async with opened_checkpoints(settings) as other:
        place: RunnableConfig = {"configurable": {"thread_id": "other", "checkpoint_ns": "", "checkpoint_id": ""}}
        await other.aput_writes(place, [("channel", 1)], "task")
    del cursor


async def test_one_fathom_can_be_opened_again_and_answers_side_by_side(settings: Settings, notes: Path) -> None:
    here, question = wiring.Fathom(settings), wiring.Question(QUESTION, documents=[notes])
    alone = await here.research(question)
    for _ in range(2):
        async with here:
            both = await asyncio.gather(here.research(question), here.replay(alone.run_id))
            assert both[1] == alone and both[0].markdown.count("##") == alone.markdown.count("##")
            run, is_new = await here.submit(question)
            claimed = await here.queue.claim("somebody", seconds=60)
            assert is_new and claimed is not None and claimed.run_id == run.run_id


async def test_a_check_without_a_model_makes_no_file_of_runs(settings: Settings, notes: Path) -> None:
    checked = await fathom.check("The sea is deep.", documents=[notes], settings=settings)
    assert checked.sentences and not (settings.home / "runs.sqlite3").exists()


async def test_a_store_that_cannot_be_used_leaves_nothing_open(settings: Settings) -> None:
    settings.home.mkdir()
    (settings.home / "runs.sqlite3").mkdir()
    here = wiring.Fathom(settings)
    for _ in range(2):
        with pytest.raises(StoreError):
            await here.__aenter__()
    (settings.home / "runs.sqlite3").rmdir()
    async with here:
        store = here.store
    with pytest.raises(Exception, match=r"closed|Closed"):
        await store.runs()


@pytest.mark.parametrize("model", [None, "ollama:fathom-test"])
async def test_a_service_keeps_checkpoints_when_it_has_a_model(settings: Settings, model: str | None) -> None:
    own = settings.model_copy(update={"model": model})
    async with wiring.Fathom(own) as service:
        await service.get_ready()
        assert (settings.home / "checkpoints.sqlite3").exists() is bool(model)


class Foreign:
    """What a checkpoint must not bring to life."""

    def __init__(self, path: str) -> None:
        Path(path).write_text("it is alive")


@pytest.mark.parametrize("kind", ["msgpack", "json"])
async def test_a_checkpoint_that_names_a_class_brings_none_to_life(
    settings: Settings, tmp_path: Path, kind: str
) -> None:
    settings.home.mkdir()
    sign = tmp_path / "sign"
    head = {"v": 1, "id": "1", "ts": ""}
    if kind == "msgpack":
        hook = ormsgpack.packb((Foreign.__module__, Foreign.__name__, [str(sign)]))
        state = ormsgpack.packb({**head, "channel_values": {"statuses": ormsgpack.Ext(1, hook)}})
    else:
        named = {"lc": 2, "type": "constructor", "id": [*Foreign.__module__.split("."), Foreign.__name__]}
        state = json.dumps({**head, "channel_values": {"statuses": {**named, "args": [str(sign)]}}}).encode()
    async with opened_checkpoints(settings) as saver:
        place = "thread_id, checkpoint_ns, checkpoint_id, type, checkpoint, metadata"
        await saver.conn.execute(
            f"INSERT INTO checkpoints ({place}) VALUES ('run_one:1:1', '', '1', ?, ?, '{{}}')", (kind, state)
        )
        await saver.conn.commit()
    found = await last_checkpoint("run_one", settings)
    assert found is not None and not isinstance(found["statuses"], Foreign)
    assert not sign.exists()


async def test_a_run_that_is_deleted_while_it_is_at_work_ends_with_one_clear_error(
    settings: Settings, notes: Path, caplog: pytest.LogCaptureFixture
) -> None:
    untold: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: untold.append(context))
    stream = fathom.stream(QUESTION, documents=[notes], settings=settings)
    with pytest.raises(StoreError, match="it was deleted while it was at work"):
        async with opened_store(settings) as store, stream as run:  # open by then: the run may be over soon
            async for stored in run:
                if stored.seq == 1:
                    await store.delete_run(run.run_id)
    gc.collect()
    assert untold == [] and caplog.records == []


async def test_of_two_versions_of_a_rule_the_older_one_is_called_so_where_it_is_quoted(
    settings: Settings, tmp_path: Path
) -> None:
    for year, price in ((2022, 40), (2026, 60)):
        (tmp_path / f"fees-{year}.md").write_text(
            f"# Fees of the club, valid from 1 July {year}\n\nThe fee for children is {price} euros a year.\n"
        )
    report = await fathom.research("What is the fee for children?", documents=[tmp_path], settings=settings)

    assert "**Fees of the club, valid from 1 July 2022 (older)** [S2]" in report.markdown
    assert "**Fees of the club, valid from 1 July 2026** [S1]" in report.markdown
