"""Research in documents and on the web, as a person starts it."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from fathom.report import Doubt, Report
from fathom.settings import load_settings
from fathom.wiring import opened_store
from fathom_testing.little_web import LittleWeb, fetched_twice
from tests.cli.conftest import Call, Done
from tests.support.ages import LONG_AGO, age
from tests.support.honest import faults_of

Ask = Callable[..., Report]


@pytest.fixture
def ask(call: Call, tmp_path: Path) -> Ask:
    """Ask by the command line; the report as JSON."""

    def run(*arguments: str | Path, code: int = 0) -> Report:
        file = tmp_path / "report.json"
        done = call(*arguments, "--json", file, "--out", tmp_path / "report.md", "--quiet")
        assert done.code == code, done.err
        return Report.model_validate_json(file.read_text(encoding="utf-8"))

    return run


async def _snapshots(report: Report) -> dict[str, str]:
    async with opened_store(load_settings()) as store:
        return {source.sha256: await store.snapshot(source.sha256) for source in report.sources}


def question(web: LittleWeb) -> str:
    """What the documents know a part of, and the web the rest."""
    name = web.world.topics[0].name
    return f"What did our inspection of the {name} find, and how long is the main span of the {name}?"


def test_a_report_rests_on_documents_and_on_the_web(ask: Ask, web: LittleWeb, notes: Path) -> None:
    report = ask("research", question(web), "--docs", notes, "--web")
    kinds = {source.kind for source in report.sources if source.id in report.cited}
    assert kinds == {"file", "web"}
    assert "17 cracked bearings" in report.markdown
    assert web.world.topics[0].facts[1].value in report.markdown
    assert report.markdown.index("Your documents") < report.markdown.index("The web")
    assert "Documents and web pages in reach: " in report.markdown
    assert faults_of(report, asyncio.run(_snapshots(report))) == []


def test_a_disagreement_of_documents_and_web_is_shown(ask: Ask, web: LittleWeb, notes: Path) -> None:
    report = ask("research", question(web), "--docs", notes, "--web")
    bridge = web.world.topics[0]
    told = " ".join(each.description for each in report.contradictions)
    assert bridge.wrong.value in told
    assert bridge.facts[1].value in told
    assert [(each.focus_area[:8], each.doubts) for each in report.subtasks] == [
        ("What did", ()),
        ("How long", ("contradicted",)),
    ]


def test_a_part_that_rests_on_one_page_which_nobody_vouches_for_says_so(ask: Ask, web: LittleWeb, notes: Path) -> None:
    bridge, dam = web.world.topics[0].name, web.world.topics[1].name
    asked = f"What did our inspection of the {bridge} find, and who designed the dam of the {dam}?"
    alone = ("--deny", "register.gov.localhost", "--deny", "shop.guides.localhost")
    weak = ask("research", asked, "--docs", notes, "--web", *alone)
    ours, theirs = weak.subtasks
    assert (ours.doubts, theirs.doubts) == ((), ("one_weak_source",)), "a document of the user's own needs no other"
    assert any(each.endswith(f": {theirs.focus_area}.") for each in weak.limitations)

    async def told() -> list[dict[str, tuple[Doubt, ...]]]:
        async with opened_store(load_settings()) as store:
            events = [stored.event for stored in await store.events(weak.run_id)]
        return [event.doubts for event in events if event.kind == "checked"]

    assert asyncio.run(told()) == [{theirs.subtask_id: ("one_weak_source",)}]
    borne_out = ask("research", asked, "--docs", notes, "--web").subtasks[1]
    assert "one_weak_source" not in borne_out.doubts


def test_the_web_alone_answers(ask: Ask, web: LittleWeb) -> None:
    reservoir = web.world.topics[1]
    report = ask("research", f"When was the dam of the {reservoir.name} completed, and who designed it?", "--web")
    assert reservoir.facts[0].value in report.markdown
    assert {source.kind for source in report.sources} == {"web"}
    assert "Web pages in reach: " in report.markdown


@pytest.mark.usefixtures("web")
def test_a_knowledge_base_that_holds_nothing_is_named(call: Call) -> None:
    done = call("research", "What is the toll?", "--web", "--kb", "manaul")
    assert "Only the web is searched: no documents are given, and the knowledge base 'manaul' is empty." in done.err


@pytest.mark.usefixtures("web")
def test_a_question_that_nobody_answers_stays_unanswered(ask: Ask, notes: Path) -> None:
    report = ask("research", "How do penguins of the Weddell Sea regulate their salt glands?", "--docs", notes, "--web")
    assert report.claims == ()


def test_no_page_is_fetched_twice_in_a_run_and_none_that_was_read_in_the_next(
    ask: Ask, web: LittleWeb, notes: Path
) -> None:
    first = ask("research", question(web), "--docs", notes, "--web")
    visits, searches = len(web.visits), len(web.search.seen)
    assert visits and searches
    assert fetched_twice(web.visits) == {}
    again = ask("research", question(web), "--docs", notes, "--web")
    assert len(web.search.seen) == searches
    assert {visit.url for visit in web.visits[visits:]}.isdisjoint({source.uri for source in first.sources})
    assert again.claims == first.claims


def test_pages_and_searches_that_only_an_old_run_has_used_go_with_it_and_what_is_cited_can_stay(
    ask: Ask, call: Call, home: Path, web: LittleWeb, notes: Path
) -> None:
    reservoir = web.world.topics[1]
    old = ask("research", question(web), "--docs", notes, "--web")
    new = ask("research", f"When was the dam of the {reservoir.name} completed, and who designed it?", "--web")
    cited = [("source", old.run_id, source.id) for source in old.sources]
    before = [call(*look).out for look in cited]
    age(home, old.run_id)
    connection = sqlite3.connect(home / "web.sqlite3")
    with connection:
        connection.executescript(
            f"UPDATE pages SET retrieved_at = '{LONG_AGO}'; UPDATE searches SET kept_at = '{LONG_AGO}'"
        )

    def held() -> tuple[set[str], int]:
        pages = {url for (url,) in connection.execute("SELECT url FROM pages")}
        return pages, connection.execute("SELECT count(*) FROM searches").fetchone()[0]

    everything = held()
    call("prune", "--older", "90d", "--keep-reports", "--dry-run")
    assert held() == everything
    assert "1 run removed" in call("prune", "--older", "90d", "--keep-reports").err
    pages, searches = held()
    assert {source.uri for source in new.sources} <= pages < everything[0]
    assert searches == 0
    assert [call(*look).out for look in cited] == before
    assert call("replay", new.run_id).code == 0
    connection.close()


def test_refresh_asks_again_and_unchanged_pages_are_not_sent_again(ask: Ask, web: LittleWeb, notes: Path) -> None:
    ask("research", question(web), "--docs", notes, "--web")
    visits = len(web.visits)
    ask("research", question(web), "--docs", notes, "--web", "--refresh")
    later = [visit for visit in web.visits[visits:] if visit.target != "/robots.txt"]
    assert later
    assert 304 in {visit.status for visit in later}


def test_without_the_flag_nobody_is_asked(ask: Ask, web: LittleWeb, notes: Path) -> None:
    report = ask("research", question(web), "--docs", notes)
    assert (web.visits, web.search.seen) == ([], [])
    assert {source.kind for source in report.sources} == {"file"}


def test_no_web_counts_more_than_every_setting(
    web: LittleWeb, notes: Path, spawn: Callable[..., subprocess.Popen[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FATHOM_WEB", "true")
    process = spawn("research", question(web), "--docs", notes, "--no-web")
    _, said = process.communicate(timeout=120)
    assert process.returncode == 0, said
    assert "Nothing has left this machine" in said
    assert (web.visits, web.search.seen) == ([], [])


def test_allowed_and_denied_hosts_and_dates_are_kept(ask: Ask, web: LittleWeb) -> None:
    name = web.world.topics[0].name
    everything = ("research", f"What is known of the {name}?", "--web")
    ask(*everything, "--allow", "wiki.localhost")
    assert {visit.host for visit in web.visits} == {"wiki.localhost"}
    ask(*everything, "--deny", "wiki.localhost", "--deny", "gov.localhost")
    hosts = {visit.host for visit in web.visits[1:] if visit.host != "wiki.localhost"}
    assert hosts
    assert "register.gov.localhost" not in hosts
    report = ask(*everything, "--since", "2024-01-01")
    assert all(source.published >= "2024-01-01" for source in report.sources if source.published)


def test_instructions_on_pages_reach_no_report(ask: Ask, web: LittleWeb) -> None:
    topics = " and ".join(topic.name for topic in web.world.topics[:4])
    report = ask("research", f"What do travellers' notes say of {topics}?", "--web", "--allow", "traps.localhost")
    assert any(visit.host == "traps.localhost" for visit in web.visits)
    hidden = [trap for trap in web.world.traps if trap.hidden]
    assert not [trap.name for trap in hidden if trap.order in report.markdown]
    assert "evil.example" not in {source.uri for source in report.sources}
    assert not re.search(r"\]\(<?http://evil", report.markdown)
    assert not [visit for visit in web.visits if "evil" in visit.host]


def test_walls_and_attacks_harm_nobody_but_themselves(ask: Ask, web: LittleWeb) -> None:
    name = web.world.topics[0].name
    report = ask("research", f"What is known of the {name}?", "--web", "--max-pages", "40", "--max-results", "40")
    read = {source.uri for source in report.sources}
    assert read
    assert read.isdisjoint(web.world.walls)
    assert read.isdisjoint(web.world.private)


def test_a_key_reaches_its_provider_and_nothing_else(
    ask: Ask, web: LittleWeb, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FATHOM_TAVILY_API_KEY", "tvly-very-secret-key")
    ask("research", f"What is known of the {web.world.topics[0].name}?", "--web", "--search", "tavily,arxiv")
    told = json.dumps([visit.headers for visit in web.visits])
    assert "very-secret" not in told
    for file in home.rglob("*"):
        if file.is_file():
            assert b"very-secret" not in file.read_bytes(), file
            if file.suffix == ".sqlite3":
                with sqlite3.connect(file) as connection:
                    assert "very-secret" not in "".join(connection.iterdump())


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--search", "tavly"), "Did you mean 'tavily'"),
        (("--search", "tavily"), "FATHOM_TAVILY_API_KEY"),
        (("--search", "searxng"), "FATHOM_SEARXNG_BASE_URL"),
        (("--web", "--no-web"), "leave out one of them"),
        (("--allow", "example.org"), "add --web"),
        (("--web", "--since", "yesterday"), "'yesterday' is no date: write it like 2025-01-01"),
        (("--web", "--since", "2025-13-01"), "write it like 2025-01-01"),
        (("--web", "--since", "2999-01-01"), "still to come"),
        (("--web", "--allow", "exa mple"), "no host"),
        (("--web", "--allow", "docs.example.org", "--deny", "example.org"), "--deny forbids"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_the_run(
    call: Call, here: Path, flags: tuple[str, ...], told: str
) -> None:
    (here / "notes.md").write_text("# Notes\n\nA note.\n")
    done: Done = call("research", "What is noted?", "--docs", here / "notes.md", *flags)
    assert done.code == 2
    assert len(done.complaints) == 1
    assert told in done.complaints[0]
    assert "run_" not in call("runs").out


def test_a_plan_says_what_would_leave_and_to_whom(call: Call, web: LittleWeb) -> None:
    done = call("plan", f"What is known of the {web.world.topics[0].name}?", "--web")
    host = urlsplit(web.environment()["FATHOM_SEARXNG_BASE_URL"]).netloc
    assert f"question's words, to whoever {host} asks (searxng)." in done.out
    assert "requests for the pages that are read" in done.out
    assert "Nothing leaves" not in done.out


@pytest.mark.usefixtures("web")
def test_the_doctor_says_which_providers_work(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    done = call("doctor", "--search", "searxng,tavily")
    assert re.search(r"✓\s+search searxng\s+answers", done.out), done.out
    monkeypatch.setenv("FATHOM_SEARXNG_BASE_URL", "http://127.0.0.1:9")
    broken = call("doctor", "--search", "searxng")
    assert broken.code == 1
    assert re.search(r"✗\s+search searxng", broken.out), broken.out
