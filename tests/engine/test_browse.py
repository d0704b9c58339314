"""A round on the web: who is asked, what is read, what is left out, and what a reader is told of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fathom.asks import AllocateQueries
from fathom.browsing import SearchHit, WebQuery
from fathom.errors import PageRefused, Unavailable
from fathom.events import Allocated, CallFailed, Event, Gathered, PageLeftOut, PageRead, WebSearched
from fathom.evidence import Query
from fathom.report import Report
from fathom.sources.searching import standing_alone
from tests.support.doubles.reasoner import Shape, jittered
from tests.support.doubles.retriever import SimulatedRetriever
from tests.support.doubles.web import (
    SimulatedArchive,
    SimulatedReader,
    SimulatedSearch,
    address,
    hit,
    simulated_web,
    text_of,
)
from tests.support.lab import Lab, same

SHAPE = Shape(subtasks=4, dependencies={3: (1,)}, rounds=2, children={2: 2}, weak=("task_1",))
ONE = Shape(subtasks=1)
SEA = "https://sea.example/"
NO_HOST = PageRefused("no host has such a name")


def finds(*hits: SearchHit | str) -> Any:
    """What a provider finds, whatever it is asked for."""
    return lambda _: [hit(each) if isinstance(each, str) else each for each in hits]


def of(events: list[Event], kind: type[Any]) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


async def researched(
    folder: Path, web: Any, shape: Shape = ONE, *, sources: Any = (), **limits: Any
) -> tuple[Report, list[Event]]:
    """The report of a run that has, if nothing else is said, only the web; a replay gives the same."""
    async with Lab(folder, shape, web=web, sources=sources) as lab:
        report = await lab.start(**limits)
        events = await lab.events()
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
        assert await lab.events() == events
    return report, events


# ── Reading ────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_every_page_is_read_once_however_many_subtasks_want_it(tmp_path: Path) -> None:
    reader = SimulatedReader(latency=jittered(0.002))
    web = simulated_web(SimulatedSearch(pages=25), SimulatedSearch("beta", pages=25), reader=reader)
    report, events = await researched(tmp_path, web, SHAPE, sources=[SimulatedRetriever()])
    told = Counter(event.url for event in of(events, PageRead))
    assert set(Counter(reader.asked).values()) == {1} == set(told.values())
    assert report.usage.pages == len(reader.asked) > 10
    assert {source.kind for source in report.sources} == {"file", "web"}


async def test_research_works_on_the_web_alone(tmp_path: Path) -> None:
    report, _ = await researched(tmp_path, simulated_web(), SHAPE)
    assert report.partial is None and len(report.findings) > 10
    assert {source.kind for source in report.sources} == {"web"}
    coverage = report.coverage
    assert coverage.total == coverage.matched >= coverage.fetched >= coverage.scanned >= coverage.extracted > 0


async def test_a_round_reads_no_more_pages_than_allowed(tmp_path: Path) -> None:
    reader = SimulatedReader()
    shape = Shape(subtasks=1, queries=4)
    await researched(tmp_path, simulated_web(reader=reader), shape, max_pages=3, max_reflections=0)
    assert 3 <= len(reader.asked) <= 6, "those of the question as it stands, and those of the subtask"


async def test_documents_and_pages_together_bring_no_more_passages_than_one_source_may(tmp_path: Path) -> None:
    shape = Shape(subtasks=1, queries=2)
    report, events = await researched(
        tmp_path, simulated_web(), shape, sources=[SimulatedRetriever()], max_passages=2, max_reflections=0
    )
    assert all(0 < event.passages <= 2 * 2 for event in of(events, Gathered))
    assert {source.kind for source in report.sources} == {"file", "web"}


async def test_a_page_that_cannot_be_read_is_told_once_and_fails_nothing(tmp_path: Path) -> None:
    bad, slow = "https://bad.example/", "https://slow.example/"
    errors = {bad: PageRefused("robots.txt says no"), slow: Unavailable("it took too long")}
    web = simulated_web(SimulatedSearch(hits=finds(bad, slow, SEA)), reader=SimulatedReader(errors=errors))
    report, events = await researched(tmp_path, web, Shape(subtasks=3))
    assert {event.url: event.reason for event in of(events, PageLeftOut)} == {
        bad: "robots.txt says no",
        slow: "it took too long",
    }
    assert len(of(events, PageLeftOut)) == 2
    assert [source.uri for source in report.sources] == [SEA] and report.partial is None
    assert {entry.status for entry in report.subtasks} == {"completed"}


async def test_a_page_of_the_archive_that_leads_to_a_denied_host_is_left_out(tmp_path: Path) -> None:
    short, denied = "https://short.example/x", "https://denied.example/deep"
    archive = SimulatedArchive()
    page = await SimulatedReader().read(short)
    assert page is not None
    await archive.keep_page(replace(page, address=denied))
    for name, hosts in (("deny", ("denied.example",)), ("allow", ("short.example", "sea.example"))):
        rules: dict[str, Any] = {name: hosts}
        web = simulated_web(SimulatedSearch(hits=finds(short, SEA)), archive=archive, **rules)
        report, events = await researched(tmp_path / name, web)
        assert [source.uri for source in report.sources] == [SEA]
        assert {event.url for event in of(events, PageLeftOut)} == {short}


async def test_what_a_provider_holds_of_a_page_that_cannot_be_read_takes_its_place(tmp_path: Path) -> None:
    paper = "https://arxiv.org/abs/1"
    abstract = hit(paper, "On depth", text="The sea is 11 km deep. It was measured twice.", published="2025-02-03")
    reader = SimulatedReader(errors={paper: PageRefused("it needs a login")})
    archive = SimulatedArchive()
    web = simulated_web(SimulatedSearch("arxiv", hits=finds(abstract)), reader=reader, archive=archive)
    report, events = await researched(tmp_path, web)
    (source,) = report.sources
    assert (source.uri, source.title) == (paper, "On depth (arxiv)")
    assert not of(events, PageLeftOut) and len(of(events, PageRead)) == 1
    assert await archive.page(paper) is None, "another run tries to read the page itself"


async def test_pages_older_than_wanted_are_left_out_with_the_reason(tmp_path: Path) -> None:
    old, dated = "https://old.example/", hit("https://dated.example/", published="2019-05-05")
    reader = SimulatedReader(published={old: "2018-01-01", SEA: "2026-01-02"})
    web = simulated_web(SimulatedSearch(hits=finds(old, dated, SEA)), reader=reader, since="2025-01-01")
    report, events = await researched(tmp_path, web)
    assert {event.url: event.reason for event in of(events, PageLeftOut)} == {
        old: "published 2018-01-01, before 2025-01-01",
        dated.url: "published 2019-05-05, before 2025-01-01",
    }
    assert dated.url not in reader.asked
    assert [source.uri for source in report.sources] == [SEA]


async def test_only_allowed_hosts_are_read(tmp_path: Path) -> None:
    pages = ["https://a.allowed.example/", "https://other.example/", "https://bad.allowed.example/", SEA]
    provider, reader = SimulatedSearch(hits=finds(*pages)), SimulatedReader()
    web = simulated_web(provider, reader=reader, allow=("allowed.example",), deny=("bad.allowed.example",))
    await researched(tmp_path, web)
    assert reader.asked == ["https://a.allowed.example/"]
    assert {(query.allow, query.deny) for query in provider.asked} == {(("allowed.example",), ("bad.allowed.example",))}


async def test_copies_are_read_for_findings_once_and_known_as_one_origin(tmp_path: Path) -> None:
    text, copy = text_of(SEA), "https://copy.example/"
    other = "https://other.example/"
    reader = SimulatedReader(texts={SEA: text, copy: f"{text} ", other: text_of(other)})
    by_query = {"query 0": [hit(SEA), hit(copy)], "How deep": [hit(copy)]}

    def found(query: WebQuery) -> list[SearchHit]:
        return next((hits for words, hits in by_query.items() if words in query.text), [hit(copy), hit(other)])

    report, events = await researched(tmp_path, simulated_web(SimulatedSearch(hits=found), reader=reader))
    assert {event.url for event in of(events, PageRead)} == {SEA, copy, other}
    assert {source.uri for source in report.sources} <= {SEA, copy, other}
    assert len({SEA, copy} & {source.uri for source in report.sources}) <= 1


# ── Searching ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_each_query_is_asked_of_each_provider_once(tmp_path: Path) -> None:
    first, second = SimulatedSearch(latency=jittered(0.002)), SimulatedSearch("beta")
    shape = Shape(subtasks=3, common_queries=True)
    report, events = await researched(tmp_path, simulated_web(first, second), shape)
    asked = ["How deep is the sea?", "round 0 query 0", "round 0 query 1"]
    assert sorted(query.text for query in first.asked) == sorted(query.text for query in second.asked) == asked
    assert {query.language for query in first.asked} == {"en"}
    assert report.usage.searches == {"alpha": 3, "beta": 3}
    assert {event.provider for event in of(events, WebSearched)} == {"alpha", "beta"}


@pytest.mark.parametrize(
    ("text", "context", "asked"),
    [
        ("when was it built", "", "when was it built Norvik"),
        ("when was it built", "The harbour of Hestnes: its tower", "when was it built Hestnes"),
        ("when was Norvik's tower built", "", "when was Norvik's tower built"),
        ("the quarry at Hestnes", "", "the quarry at Hestnes"),
        ("how long are they kept", "When does git gc --prune objects?", "how long are they kept Norvik"),
    ],
)
async def test_the_web_is_asked_in_words_that_tell_what_they_are_about(text: str, context: str, asked: str) -> None:
    question = "How high is the lighthouse of Norvik and when was it built?"
    assert standing_alone(Query(text=text, context=context), question) == asked


async def test_the_fallbacks_are_asked_one_after_the_other_for_what_has_no_answer(tmp_path: Path) -> None:
    def only_of_the_question(query: WebQuery) -> list[SearchHit]:
        return [hit(SEA)] if "sea" in query.text else []

    first = SimulatedSearch(failing=lambda text: text.endswith("query 1"), hits=only_of_the_question)
    second, third = SimulatedSearch("second", hits=finds()), SimulatedSearch("third")
    last = SimulatedSearch("last")
    web = simulated_web(first, fallbacks=[second, third, last])
    report, _ = await researched(tmp_path, web)
    open = ["task_1 round 0 query 0", "task_1 round 0 query 1"]
    assert sorted(query.text for query in second.asked) == sorted(query.text for query in third.asked) == open
    assert last.asked == [] and report.findings


async def test_a_provider_that_fails_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    web = simulated_web(SimulatedSearch(failing=True), SimulatedSearch("beta"))
    report, events = await researched(tmp_path, web, Shape(subtasks=2))
    assert {event.call for event in of(events, CallFailed)} == {"search alpha"}
    assert report.partial is None and len(report.findings) == 6
    assert any("alpha" in limitation for limitation in report.limitations)


async def test_when_all_providers_fail_the_documents_answer_and_the_report_says_so(tmp_path: Path) -> None:
    web = simulated_web(SimulatedSearch(failing=True), fallbacks=[SimulatedSearch("beta", failing=True)])
    report, _ = await researched(tmp_path, web, Shape(subtasks=2), sources=[SimulatedRetriever()])
    assert {entry.status for entry in report.subtasks} == {"completed"}
    assert {source.kind for source in report.sources} == {"file"}
    assert all(any(name in limitation for limitation in report.limitations) for name in ("alpha", "beta"))


@pytest.mark.parametrize("lost_from", [0, 3], ids=["from the beginning", "in the middle"])
async def test_a_run_that_has_lost_the_web_is_partial_and_asks_it_again(tmp_path: Path, lost_from: int) -> None:
    shape = Shape(subtasks=3, dependencies={3: (1,)})
    async with Lab(tmp_path / "whole", shape, web=simulated_web()) as lab:
        whole = await lab.start()
    provider = SimulatedSearch()
    provider.failing = lambda _: len(provider.asked) > lost_from
    async with Lab(tmp_path / "lost", shape, web=simulated_web(provider)) as lab:
        report = await lab.start()
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
        assert (report.partial, (await lab.record()).status) == ("unavailable", "partial")
        assert any("alpha" in limitation for limitation in report.limitations) and report.findings
        provider.failing = False
        again = await lab.resume()
        assert (await lab.replay()).model_dump_json() == again.model_dump_json()
    assert again.partial is None and again.markdown == whole.markdown


async def test_when_nobody_answers_the_run_fails_and_can_be_taken_up_again(tmp_path: Path) -> None:
    provider = SimulatedSearch(failing=True)
    async with Lab(tmp_path, web=simulated_web(provider), sources=[]) as lab:
        with pytest.raises(Unavailable, match="alpha fails"):
            await lab.start()
        assert (await lab.record()).status == "failed"
        provider.failing = False
        report = await lab.resume()
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
    assert report.findings


async def test_what_the_documents_hold_nothing_on_is_asked_of_the_web_in_the_same_round(tmp_path: Path) -> None:
    class Empty(SimulatedRetriever):
        async def search(self, query: Any, *, limit: int) -> Any:  # noqa: ARG002 - it finds nothing
            found = await super().search(query, limit=1)
            return type(found)()

    provider = SimulatedSearch()
    async with Lab(tmp_path, ONE, web=simulated_web(provider), sources=[Empty()]) as lab:
        allocate = lab.reasoner._allocate

        def documents_only(ask: Any) -> Any:
            plan = allocate(ask)
            return plan.model_copy(update={"allocations": plan.allocations[:1]})

        lab.reasoner._allocate = documents_only  # type: ignore[method-assign]
        report = await lab.start()
        allocated = of(await lab.events(), Allocated)
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
    queries = ("task_1 round 0 query 0", "task_1 round 0 query 1")
    assert [(event.queries, event.reason) for event in allocated[:2]] == [
        ({"knowledge": queries}, "every source is asked the same"),
        ({"web": queries}, "the documents hold nothing on it"),
    ]
    assert {source.kind for source in report.sources} == {"web"}


async def test_known_queries_are_divided_among_documents_and_web_by_what_the_documents_hold(tmp_path: Path) -> None:
    source = SimulatedRetriever()
    shape = Shape(subtasks=2, weak=("task_1",))
    async with Lab(tmp_path, shape, web=simulated_web(), sources=[source]) as lab:
        await lab.start()
        asks = [ask for ask in lab.reasoner.asks if isinstance(ask, AllocateQueries)]
    again = [ask for ask in asks if ask.proposed]
    assert [[query.text for query in ask.proposed] for ask in again] == [["task_1 once more"]]
    assert all([each.name for each in ask.sources] == ["knowledge", "web"] and ask.today for ask in asks)
    assert source.described == 1 + len({ask.subtask.description for ask in asks}) + len(again)


async def test_without_a_web_a_run_asks_what_it_always_did(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(subtasks=2, weak=("task_1",))) as lab:
        report = await lab.start()
        paths = {entry.path for entry in await lab.store.journal("run_one")}
        asks = [ask for ask in lab.reasoner.asks if isinstance(ask, AllocateQueries)]
    assert not any("web" in path for path in paths) and lab.sources[0].described == 1
    assert all(not ask.proposed and not ask.today for ask in asks) and len(asks) == 2
    assert report.usage.searches == {} and report.usage.pages == 0


async def test_a_provider_that_has_us_wait_holds_up_nobody_else(tmp_path: Path) -> None:
    class Slow(SimulatedSearch):
        now = most = 0

        async def search(self, query: WebQuery) -> Any:
            self.now += 1
            self.most = max(self.most, self.now)
            try:
                return await super().search(query)
            finally:
                self.now -= 1

    slow = Slow(latency=jittered(0.01))
    report, _ = await researched(tmp_path, simulated_web(slow), Shape(subtasks=8, queries=4), max_concurrency=8)
    assert slow.most == 2 and len(slow.asked) == 1 + 8 * 4 and report.partial is None


# ── The archive ────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_another_run_asks_nothing_and_reads_nothing_that_is_in_the_archive(tmp_path: Path) -> None:
    archive = SimulatedArchive()
    provider, reader = SimulatedSearch(cost_usd=0.01), SimulatedReader()
    web = simulated_web(provider, reader=reader, archive=archive)
    first, _ = await researched(tmp_path / "first", web, SHAPE)
    asked, read = len(provider.asked), len(reader.asked)
    second, events = await researched(tmp_path / "second", web, SHAPE)
    assert (len(provider.asked), len(reader.asked)) == (asked, read)
    assert all(event.cached for event in events if isinstance(event, WebSearched | PageRead))
    assert second.markdown == first.markdown
    assert (second.usage.searches, second.usage.search_cost_usd, second.usage.pages) == ({}, 0.0, 0)
    assert second.usage.calls == first.usage.calls


async def test_refreshing_asks_again_and_reads_what_has_changed(tmp_path: Path) -> None:
    archive, changed = SimulatedArchive(), text_of("https://something.else/")
    provider, reader = SimulatedSearch(hits=finds(SEA, address(1))), SimulatedReader()
    await researched(tmp_path / "first", simulated_web(provider, reader=reader, archive=archive))
    asked = len(provider.asked)
    reader.texts[SEA] = changed
    again = simulated_web(provider, reader=reader, archive=archive, refresh=True)
    report, events = await researched(tmp_path / "second", again)
    assert len(provider.asked) == 2 * asked and reader.asked == [SEA, address(1)] * 2
    assert sorted(reader.known) == sorted([SEA, address(1)])
    assert not any(event.cached for event in events if isinstance(event, WebSearched | PageRead))
    assert any(changed[entry.start : entry.end] == entry.quote for entry in report.evidence)


async def test_pages_older_than_they_may_be_are_asked_for_again_and_stand_in_for_a_server_that_is_down(
    tmp_path: Path,
) -> None:
    archive, reader = SimulatedArchive(), SimulatedReader()
    provider = SimulatedSearch(hits=finds(SEA))
    await researched(tmp_path / "first", simulated_web(provider, reader=reader, archive=archive))
    down = SimulatedReader(errors={SEA: Unavailable("no connection")})
    web = simulated_web(provider, reader=down, archive=archive, keep_pages=60.0)
    report, events = await researched(tmp_path / "second", web)
    assert down.asked == [SEA] and [event.cached for event in of(events, PageRead)] == [True]
    assert [source.uri for source in report.sources] == [SEA]


# ── Money ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_searches_count_as_dollars(tmp_path: Path) -> None:
    web = simulated_web(SimulatedSearch(cost_usd=0.008), SimulatedSearch("beta", cost_usd=0.001))
    report, _ = await researched(tmp_path, web, SHAPE)
    count = report.usage.searches["alpha"]
    assert report.usage.searches == {"alpha": count, "beta": count}
    assert report.usage.search_cost_usd == report.usage.cost_usd == pytest.approx(count * 0.009)
    estimate = report.estimate
    assert estimate.searches_low <= 2 * count <= estimate.searches_high
    assert estimate.cost_usd_low <= report.usage.cost_usd <= estimate.cost_usd_high
    assert estimate.pages_low <= report.usage.pages <= estimate.pages_high
    assert estimate.calls_low <= sum(report.usage.calls.values()) <= estimate.calls_high


@pytest.mark.parametrize("most", [0.004, 0.02, 0.05])
async def test_what_a_search_may_cost_is_never_exceeded_and_free_ones_go_on(tmp_path: Path, most: float) -> None:
    dear = SimulatedSearch(cost_usd=0.01, latency=jittered(0.003))
    web = simulated_web(dear, fallbacks=[SimulatedSearch("free")])
    report, events = await researched(tmp_path, web, SHAPE, max_cost=most)
    assert report.usage.cost_usd <= most and len(dear.asked) == round(most * 100 - 0.4)
    assert report.partial == "max_cost" and report.usage.searches["free"] > 0
    assert {event.error for event in of(events, CallFailed)} == {
        "max_cost is spent: research goes on without searches that cost."
    }
    assert not any("alpha" in limitation for limitation in report.limitations)
    made = sum(report.usage.searches.values())
    assert report.usage.calls["web_search"] == made, "what was refused is no call"


# ── Limits ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("most", [1, 2, 4, 6, 9, 14, 22, 40, 60])
async def test_searches_and_pages_count_as_calls(tmp_path: Path, most: int) -> None:
    web = simulated_web(
        SimulatedSearch(latency=jittered(0.002)),
        SimulatedSearch("beta"),
        reader=SimulatedReader(latency=jittered(0.003)),
    )
    report, _ = await researched(tmp_path, web, Shape(subtasks=3), sources=[SimulatedRetriever()], max_calls=most)
    assert report.partial == "max_calls"
    # what the pages hold, and what it amounts to, belongs to the report
    assert sum(report.usage.calls.get(kind, 0) for kind in ("PlanResearch", "web_search", "read")) <= most


async def test_time_that_is_up_ends_browsing(tmp_path: Path) -> None:
    reader = SimulatedReader(latency=jittered(0.06))
    report, _ = await researched(tmp_path, simulated_web(reader=reader), SHAPE, max_time=0.15, max_concurrency=2)
    assert report.partial == "max_time"
    assert {entry.status for entry in report.subtasks} <= {"completed", "partial", "skipped"}


# ── Whatever comes ─────────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_order_in_which_answers_come_changes_nothing(tmp_path: Path) -> None:
    reports = []
    for salt in ("one", "two"):
        latency = jittered(0.004, salt=salt)
        web = simulated_web(
            SimulatedSearch(pages=20, latency=latency),
            SimulatedSearch("beta", pages=20, latency=latency),
            reader=SimulatedReader(latency=latency, faults=0.2),
        )
        report, _ = await researched(tmp_path / salt, web, SHAPE, sources=[SimulatedRetriever(latency=latency)])
        reports.append(same(report))
    assert len(set(reports)) == 1


async def test_a_text_under_several_addresses_changes_nothing_either(tmp_path: Path) -> None:
    mirrors = [f"https://mirror{n}.example/" for n in range(6)]
    texts = dict.fromkeys(mirrors, text_of(SEA))

    def found(query: WebQuery) -> list[SearchHit]:
        at = len(query.text) % 6
        return [hit(mirrors[at]), hit(mirrors[at - 1]), hit(address(at))]

    shape = Shape(subtasks=5, queries=1)
    reports = []
    for salt in ("one", "two"):
        latency = jittered(0.004, salt=salt)
        reader = SimulatedReader(texts=texts, latency=latency)
        web = simulated_web(SimulatedSearch(hits=found, latency=latency), reader=reader)
        reports.append(same((await researched(tmp_path / salt, web, shape))[0]))
    assert len(set(reports)) == 1


async def test_garbage_of_providers_breaks_nothing(tmp_path: Path) -> None:
    garbage = [
        SearchHit(url=url, title=title, score=score, published=published)
        for url, title, score, published in [
            ("", "", None, ""),
            ("javascript:alert(1)", "x", 0.5, "never"),
            ("https://[::1", "\x00\x1b[31m", 1.0, "9999-99-99"),
            ("http://user:pw@host.example/", "y", 0.0, "0000-00-00"),
            ("https://" + "a" * 5_000, "z" * 10_000, None, "2026"),
            ("https://" + "ü" * 300 + ".example/", "idna", None, ""),
            (SEA, "The sea", 0.3, "2026-01-01T10:00:00Z"),
            (SEA, "The sea", None, "2026-W01-1"),
        ]
    ]
    empty, reader = SimulatedSearch("empty", hits=finds()), SimulatedReader(errors={garbage[4].url + "/": NO_HOST})
    web = simulated_web(SimulatedSearch(hits=lambda _: garbage), empty, reader=reader)
    report, _ = await researched(tmp_path, web)
    assert [source.uri for source in report.sources] == [SEA]


async def test_what_only_the_documents_were_asked_may_be_asked_of_the_web_afterwards(tmp_path: Path) -> None:
    provider, text = SimulatedSearch(), "task_1 round 0 query 0"
    async with Lab(tmp_path, Shape(subtasks=1, rounds=2), web=simulated_web(provider)) as lab:
        allocate = lab.reasoner._allocate

        def same_words(ask: Any) -> Any:
            source = "web" if ask.feedback else "knowledge"
            plan = allocate(ask)
            queries = (Query(text=text, context=ask.query),)
            kept = [each.model_copy(update={"queries": queries}) for each in plan.allocations if each.source == source]
            return plan.model_copy(update={"allocations": tuple(kept)})

        lab.reasoner._allocate = same_words  # type: ignore[method-assign]
        await lab.start()
        allocated = [event.queries for event in of(await lab.events(), Allocated)]

    assert allocated[:2] == [{"knowledge": (text,)}, {"web": (text,)}]
    assert text in [query.text for query in provider.asked]
