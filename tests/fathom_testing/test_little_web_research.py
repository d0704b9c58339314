"""Research on the little web, end to end: what is true is found and cited, each page is read once, no trap works."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from fathom import wiring
from fathom.report import Report
from fathom.settings import load_settings
from fathom_testing.little_web import LittleWeb, fetched_twice


@pytest.fixture(scope="module")
def web() -> Iterator[LittleWeb]:
    with LittleWeb(size=6) as web:
        yield web


@pytest.fixture(scope="module")
def report(web: LittleWeb, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Report]:
    """What research says of the first topic, with the web alone."""
    topic = web.world.topics[0]
    question = f"What is the {topic.new.label.lower()} of the {topic.name}, and when was it opened to traffic?"
    with pytest.MonkeyPatch.context() as patched:
        for name, value in web.environment().items():
            patched.setenv(name, value)
        settings = load_settings(home=tmp_path_factory.mktemp("home"), web=True)
        yield asyncio.run(wiring.research(question, settings=settings))


def test_what_is_true_is_told_and_cited_from_a_page_that_holds_it(web: LittleWeb, report: Report) -> None:
    uris = {source.id: source.uri for source in report.sources}
    topic = web.world.topics[0]

    for name in (topic.new.name, topic.facts[0].name):
        fact = web.world.fact(name)
        telling = [claim for claim in report.claims if fact.states(claim.text)]
        assert telling, name
        assert all(uris[id] in fact.pages for id in telling[0].citations), name


def test_no_page_is_fetched_twice_in_a_run(web: LittleWeb, report: Report) -> None:
    assert report.claims
    assert fetched_twice(web.visits) == {}


def test_no_trap_and_no_wall_reaches_the_report(web: LittleWeb, report: Report) -> None:
    asked = {visit.host for visit in web.visits}
    told = report.model_dump_json()

    assert "walls.localhost" in asked, "else nothing was tried"
    assert "evil.example" not in told
    assert not any(source.uri in web.world.walls for source in report.sources)


def test_what_robots_may_not_read_is_not_asked_for(web: LittleWeb, report: Report) -> None:
    assert report.claims
    assert not {visit.url for visit in web.visits} & set(web.world.private)


def test_every_page_of_the_report_is_one_of_the_little_web(web: LittleWeb, report: Report) -> None:
    assert report.sources
    assert all(web.world.find(*place(source.uri)) for source in report.sources)


def place(uri: str) -> tuple[str, str]:
    """Host and path of an address."""
    host, _, path = uri.removeprefix("http://").partition("/")
    return host.partition(":")[0], f"/{path}"
