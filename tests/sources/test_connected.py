"""Sources of the user's own in whole runs: what they bring, what they may not do, and what they cost when they fail."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import fathom
from fathom.data.servers import Server
from fathom.events import CallFailed, DatasetDescribed, Event, PageLeftOut
from fathom.report import Report
from fathom.settings import Settings
from fathom.wiring import opened_store
from fathom.wiring.readings import snapshots_cited
from tests.sources.search_server import started
from tests.support.doubles import connectors
from tests.support.doubles.connectors import noted
from tests.support.honest import faults_of

QUESTION = "How deep is the Varn trench, and by how much does its tide rise?"
HERE = "tests.support.doubles.connectors"


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONNECTOR_LOG", str(tmp_path / "asked"))
    return tmp_path / "asked"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    text = "# Varn\n\nThe Varn trench lies off the Norvik coast. It is deep, and its tide is strong.\n"
    (tmp_path / "notes" / "varn.md").write_text(text, encoding="utf-8")
    return tmp_path / "notes"


async def research(home: Path, *sources: str | Server, notes: Path | None = None, **given: Any) -> tuple[Report, Any]:
    """The report, which is honest, and all that was told."""
    told: list[Event] = []
    settings = Settings(home=home, **given)
    report = await fathom.research(
        QUESTION,
        documents=[notes] if notes else None,
        mcp=sources,
        limits={"max_time": 60},
        settings=settings,
        on_event=lambda stored: told.append(stored.event),
    )
    async with opened_store(settings) as store:
        assert faults_of(report, await snapshots_cited(store, report)) == []
    return report, told


def failures(told: list[Event]) -> set[str]:
    found = {event.error for event in told if isinstance(event, CallFailed)}
    assert all("\n" not in each and "\x1b" not in each and len(each) < 600 for each in found)
    return found


# ── What it brings ─────────────────────────────────────────────────────────────────────────────────────────────────


async def test_what_it_opens_is_read_and_cited_with_its_heading_its_link_and_its_date(
    tmp_path: Path, log: Path
) -> None:
    report, _ = await research(tmp_path, f"{HERE}:Lookup")

    quoted = {claim.text for claim in report.claims}
    assert any("8,412 metres" in each for each in quoted) and any("rises by 3 metres" in each for each in quoted)
    assert {source.uri for source in report.sources} <= {f"https://wiki.example/{id}" for id in connectors.TEXTS}
    assert {source.title for source in report.sources} >= {"The sea", "Tides"}, "a title out of Markdown and HTML"
    assert {(source.kind, source.published) for source in report.sources} == {("file", "2025-03-01")}
    assert "The sea › Depth" in report.markdown and "https://wiki.example/sea" in report.markdown
    assert "<h1>" not in report.markdown
    assert max(Counter(noted(log)).values()) == 1, "nothing is asked twice"


async def test_it_is_asked_beside_documents_and_both_are_told(tmp_path: Path, notes: Path) -> None:
    report, _ = await research(tmp_path, f"{HERE}:Whole", notes=notes)

    assert {source.uri.split(":")[0] for source in report.sources} == {"file", "source"}


async def test_one_that_is_named_in_the_settings_goes_by_that_name(tmp_path: Path) -> None:
    report, _ = await research(tmp_path, "wiki", sources={"wiki": f"{HERE}:made"})

    assert all(source.uri.startswith("source:wiki/") for source in report.sources) and report.sources
    assert "](source:" not in report.markdown and "<source:" not in report.markdown, "what leads nowhere is no link"


async def test_what_holds_nothing_is_answered_with_nothing(tmp_path: Path) -> None:
    report, told = await research(tmp_path, f"{HERE}:Nothing")

    assert not report.claims and not failures(told) and report.partial is None


async def test_a_report_is_made_again_and_researched_offline_without_the_source(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report, _ = await research(tmp_path, f"{HERE}:Lookup")
    asked = noted(log)
    monkeypatch.delattr(connectors, "Lookup")
    settings = Settings(home=tmp_path)

    assert await fathom.replay(report.run_id, settings=settings) == report
    assert await fathom.resume(report.run_id, settings=settings) == report
    forked = await fathom.fork(report.run_id, offline=True, settings=settings)
    assert {source.sha256 for source in forked.sources} <= {source.sha256 for source in report.sources}
    assert any("8,412 metres" in claim.text for claim in forked.claims)
    assert noted(log) == asked


async def test_a_run_that_was_killed_asks_nothing_again_that_was_answered(tmp_path: Path, log: Path) -> None:
    root, settings = Path(__file__).parents[2], Settings(home=tmp_path / "home")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, sys.path), str(root)])}
    environment |= {"FATHOM_HOME": str(settings.home)}
    command = [sys.executable, "-m", "fathom", "research", QUESTION, "--source", f"{HERE}:Lookup"]
    environment |= {"CONNECTOR_HANGS_AT": "salt"}
    process = await asyncio.create_subprocess_exec(*command, env=environment, stderr=subprocess.DEVNULL)
    async with asyncio.timeout(100), opened_store(settings) as store:
        answered: list[str] = []
        while len(answered) < 3:  # the search and two texts; the third one never comes
            await asyncio.sleep(0.05)
            for run in await store.runs():
                journal = await store.journal(run.run_id)
                answered = [entry.kind for entry in journal if entry.kind in ("find", "open")]
    process.kill()
    await process.wait()
    before = noted(log)

    report = await fathom.resume(run.run_id, settings=settings)
    assert any("8,412 metres" in claim.text for claim in report.claims)
    after = noted(log)[len(before) :]
    assert before[-1] == "open salt" and after.count("open salt") == 1, "what was under way is asked again"
    assert set(before[:-1]).isdisjoint(after) and after, "and nothing else"


# ── What it may do ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Raises", "has failed at `search`: KeyError: 'no index for"),
        ("RaisesAtOpen", "has failed at `open`: RuntimeError: a SystemExit"),
        ("CannotBeMade", "cannot be made: FileNotFoundError: no notes here"),
        (
            "NotThere",
            "cannot be made: AttributeError: module 'tests.support.doubles.connectors' has no attribute 'NotThere'",
        ),
        ("Strings", "what is no list of hits (hits.0: "),
        ("NotAList", "what is no list of hits (hits: Input should be a valid list)"),
        ("WrongTypes", "what is no list of hits (hits.1.id: Input should be a valid string)"),
        ("Hangs", "has not answered in 0.5 s"),
        ("HangsInTheLoop", "has not answered in 0.5 s"),
    ],
)
async def test_one_that_fails_is_told_in_a_line_and_the_others_are_read(
    tmp_path: Path, notes: Path, name: str, said: str
) -> None:
    report, told = await research(tmp_path / "home", f"{HERE}:{name}", notes=notes, mcp_timeout=0.5)

    assert all(each.startswith(f"The source '{name.lower()}' ") for each in failures(told))
    assert any(said in each for each in failures(told)), failures(told)
    assert any("Norvik coast" in claim.text for claim in report.claims)
    assert said[:60] in report.markdown.replace("\\", "")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Huge", "more than 2,000,000 characters"),
        ("Nul", "it is a binary file"),
        ("Bytes", "gives bytes in place of a text"),
        ("Blank", "gives no text"),
        ("RaisesAtOne", "has failed at `open`: TimeoutError"),
    ],
)
async def test_a_text_that_cannot_be_read_is_left_out_and_told(
    tmp_path: Path, notes: Path, name: str, said: str
) -> None:
    report, told = await research(tmp_path / "home", f"{HERE}:{name}", notes=notes)

    left_out = [event for event in told if isinstance(event, PageLeftOut)]
    assert left_out and all(said in event.reason for event in left_out)
    assert len({event.url for event in left_out}) == len(left_out), "each once"
    assert any("Norvik coast" in claim.text for claim in report.claims)


async def test_half_letters_are_replaced(tmp_path: Path) -> None:
    report, told = await research(tmp_path, f"{HERE}:HalfLetters")

    assert any("8,412 metres" in claim.text for claim in report.claims) and not failures(told)


async def test_hits_without_end_are_cut(tmp_path: Path) -> None:
    report, told = await research(tmp_path, f"{HERE}:Endless")

    assert 0 < len(report.sources) <= 10 and not failures(told)


async def test_what_it_says_is_material(tmp_path: Path) -> None:
    report, _ = await research(tmp_path, f"{HERE}:Orders")

    assert "<script" not in report.markdown and "](http" not in report.markdown and "\x1b" not in report.markdown


async def test_an_address_that_is_none_is_no_link(tmp_path: Path) -> None:
    report, _ = await research(tmp_path, f"{HERE}:Scripted")

    assert report.sources and "javascript:" not in report.model_dump_json()


async def test_nothing_leaves_unless_it_says_that_nothing_does(tmp_path: Path, notes: Path) -> None:
    report, _ = await research(tmp_path / "here", f"{HERE}:Lookup", f"{HERE}:Whole", no_web=True)
    assert report.sources

    _, told = await research(tmp_path / "home", f"{HERE}:Strings", notes=notes, no_web=True)
    assert any("nothing may leave this machine" in each for each in failures(told))


async def test_a_plan_says_who_would_be_asked(tmp_path: Path) -> None:
    sources = [f"{HERE}:{name}" for name in ("Lookup", "Whole", "Nothing", "Strings")]
    prospect = await fathom.plan_for(QUESTION, mcp=sources, settings=Settings(home=tmp_path))

    told = {each.names[0]: (each.host, each.is_local) for each in prospect.destinations}
    local = ("127.0.0.1:9", True)
    assert told == {"whole": local, "nothing": local, "strings": ("wherever strings is", False)}


async def test_a_text_that_is_found_by_other_words_is_not_opened_again(tmp_path: Path, log: Path) -> None:
    await research(tmp_path, f"{HERE}:Highlights")

    asked = noted(log)
    assert sum(line.startswith("search") for line in asked) > 1
    assert sorted(line for line in asked if line.startswith("open")) == [
        f"open {id}" for id in sorted(connectors.TEXTS)
    ]


async def test_what_is_no_source_is_refused_with_what_is_meant(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, sources={"wiki": f"{HERE}:Whole"})
    with pytest.raises(fathom.UsageError, match=r"'wikki' is no .*Did you mean 'wiki'\? Known: wiki\."):
        await fathom.research(QUESTION, mcp=["wikki"], settings=settings)


# ── Servers that search and fetch ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("shape", ["structured", "text"])
async def test_a_server_that_searches_and_fetches_is_searched(tmp_path: Path, shape: str) -> None:
    report, told = await research(tmp_path, Server(command=started(shape, tmp_path / "asked")))

    assert any("8,412 metres" in claim.text for claim in report.claims)
    assert not report.coverage.datasets and not [event for event in told if isinstance(event, DatasetDescribed)]
    addresses = {source.uri for source in report.sources}
    assert all(each.startswith("https://sea.example/" if shape == "structured" else "source:") for each in addresses)
    asked = noted(tmp_path / "asked")
    assert max(Counter(asked).values()) == 1 and {each.split()[0] for each in asked} == {"search", "fetch"}
    assert await fathom.replay(report.run_id, settings=Settings(home=tmp_path)) == report


@pytest.mark.parametrize("shape", ["odd search", "odd fetch", "fails"])
async def test_a_server_that_answers_in_another_shape_is_told_in_a_line(
    tmp_path: Path, notes: Path, shape: str
) -> None:
    report, told = await research(tmp_path / "home", Server(command=started(shape)), notes=notes)

    tool = "search" if shape == "odd search" else "fetch"
    said = "the index is locked" if shape == "fails" else f"has answered `{tool}` in another shape than {{"
    assert any(said in each for each in failures(told)), failures(told)
    assert any("Norvik coast" in claim.text for claim in report.claims)


async def test_a_server_whose_tools_take_something_else_stays_a_dataset(tmp_path: Path) -> None:
    _, told = await research(tmp_path, Server(command=started("dataset")))

    assert [event.tools for event in told if isinstance(event, DatasetDescribed)] == [("search", "fetch")]
