"""The little web: what it holds is what it says, at every address and in every encoding."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit
from urllib.request import urlopen

import pytest

from fathom.errors import ConfigurationError
from fathom.publishers import nature_of
from fathom.settings import Settings
from fathom.text.likeness import likeness, signature
from fathom_testing.little_web import LittleWeb, fetched_twice
from fathom_testing.little_web.japanese import ENCODINGS


@pytest.fixture(scope="module")
def web() -> Iterator[LittleWeb]:
    with LittleWeb(size=6) as web:
        yield web


def got(web: LittleWeb, url: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of what is at an address."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=60)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    connection.request("GET", target, headers={"Host": parts.netloc, **headers})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, body


def test_every_fact_stands_on_the_pages_that_are_said_to_hold_it(web: LittleWeb) -> None:
    for fact in (*web.world.facts, *web.world.outdated, *web.world.disputed):
        assert fact.pages, fact
        for url in fact.pages:
            status, headers, body = got(web, url)
            assert status == 200
            if headers["content-type"] != "application/pdf":
                encoding = ENCODINGS.get(urlsplit(url).hostname or "", "utf-8")
                assert fact.states(body.decode(encoding)), (fact, url)


def test_what_is_old_or_wrong_is_never_what_is_true(web: LittleWeb) -> None:
    for topic in web.world.topics:
        assert len({topic.old.value, topic.new.value, topic.wrong.value, topic.facts[1].value}) == 4
        assert not topic.old.states(" ".join(fact.sentence for fact in topic.current))


def test_the_same_seed_gives_the_same_pages_and_another_gives_others() -> None:
    with LittleWeb(size=2) as one, LittleWeb(size=2) as other, LittleWeb(size=2, seed=2) as third:
        first = [(entry.title, entry.text) for entry in one.entries()]
        assert first == [(entry.title, entry.text) for entry in other.entries()]
        assert first != [(entry.title, entry.text) for entry in third.entries()]


def test_every_way_to_write_the_address_of_a_page_leads_to_it(web: LittleWeb) -> None:
    page = web.url("register.gov.localhost", f"/register/{web.world.topics[0].slug}/")
    whole = got(web, page)[2]

    variants = web.world.variants(page)

    assert len(variants) == 6
    assert all(got(web, variant)[2] == whole for variant in variants)


def test_a_page_that_has_not_changed_is_not_sent_again(web: LittleWeb) -> None:
    page = web.url("wiki.localhost", f"/wiki/{web.world.topics[0].slug}")
    _, headers, _ = got(web, page)

    assert got(web, page, **{"If-None-Match": headers["etag"]})[::2] == (304, b"")
    assert got(web, page, **{"If-Modified-Since": headers["last-modified"]})[::2] == (304, b"")
    assert got(web, page, **{"If-None-Match": '"other"'})[0] == 200


def test_a_syndicated_story_is_a_near_copy_at_every_site(web: LittleWeb) -> None:
    topic = web.world.topics[1]
    hosts = ("news.herald.localhost", "courier.localhost", "gazette.localhost", "mirror.localhost")
    texts = [
        entry.text
        for entry in web.entries()
        if urlsplit(entry.url).hostname in hosts and topic.name in entry.title and "New rule" in entry.title
    ]

    assert len(texts) == 4
    assert min(likeness(signature(texts[0]), signature(text)) for text in texts) > 0.8


def test_every_trap_holds_its_order_and_its_true_fact(web: LittleWeb) -> None:
    for trap in web.world.traps:
        body = got(web, web.url("traps.localhost", trap.path))[2].decode()
        topic = next(topic for topic in web.world.topics if topic.name == trap.topic)
        assert topic.facts[0].states(body)
        plain = "".join(chr(ord(char) - 0xE0000) if 0xE0000 < ord(char) < 0xE0080 else char for char in body)
        if trap.name not in ("zero-width", "controls-in-title"):
            assert trap.order in plain, trap.name


def test_a_paper_is_a_pdf_with_the_facts_of_its_page(web: LittleWeb) -> None:
    topic = web.world.topics[0]
    _, headers, body = got(web, web.url("papers.uni.edu.localhost", f"/pdf/{topic.slug}.pdf"))

    document = pytest.importorskip("pypdfium2").PdfDocument(body)
    text = " ".join(page.get_textpage().get_text_bounded() for page in document)

    assert headers["content-type"] == "application/pdf"
    assert topic.facts[1].states(" ".join(text.split()))


@pytest.mark.parametrize(
    ("host", "path", "status", "place"),
    [
        ("old.localhost", "/wiki/x", 301, "http://wiki.localhost:{port}/wiki/x"),
        ("old.localhost", "/hops/3", 302, "/hops/2"),
        ("old.localhost", "/loop", 301, "/loop"),
        ("wiki.localhost", "/nothing", 404, None),
        ("nobody.localhost", "/", 404, None),
        ("walls.localhost", "/gone", 410, None),
    ],
)
def test_an_address_leads_on_or_nowhere(web: LittleWeb, host: str, path: str, status: int, place: str | None) -> None:
    answered, headers, _ = got(web, web.url(host, path))

    assert answered == status
    assert headers.get("location") == (place and place.format(port=web.port))


def test_what_robots_may_not_read_is_said_on_every_site(web: LittleWeb) -> None:
    assert web.world.private
    for url in web.world.private:
        assert b"Disallow: /private/" in got(web, f"http://{urlsplit(url).netloc}/robots.txt")[2]


def test_a_search_finds_what_the_question_is_about(web: LittleWeb) -> None:
    topic = web.world.topics[2]

    with urlopen(f"{web.search.base('searxng')}/search?q={quote(topic.name)}&format=json") as answer:
        results = json.loads(answer.read())["results"]

    assert {"url", "title", "content"} <= results[0].keys()
    assert all(topic.name in hit["title"] for hit in results[:5])
    assert web.rank("霧ヶ原大橋の全長", 1)[0].title == "霧ヶ原大橋"
    assert web.rank("qqq", 5) == []


def test_the_log_tells_who_asked_for_what_and_which_page_twice() -> None:
    with LittleWeb(size=1) as web:
        slug = web.world.topics[0].slug
        for url in (web.url("wiki.localhost", f"/wiki/{slug}"), web.url("wiki.localhost", "/robots.txt")):
            got(web, url, **{"User-Agent": "tester"})
        assert fetched_twice(web.visits) == {}
        got(web, web.url("www.wiki.localhost", f"/wiki/{slug}?utm_source=x"))

        assert [visit.status for visit in web.visits] == [200, 200, 200]
        assert web.visits[0].headers["user-agent"] == "tester"
        assert fetched_twice(web.visits) == {f"wiki.localhost:{web.port}/wiki/{slug}": 2}


def test_a_folder_is_a_site_that_searches_find(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a b.md").write_text("# Kilns\n\nThe kiln is fired twice.\n", encoding="utf-8")
    (tmp_path / "other.md").write_text("# Clay\n\nClay is kneaded.\n", encoding="utf-8")
    with LittleWeb(generated=False) as web:
        web.serve(tmp_path, host="pots.localhost", names=["deep/a b.md"])

        (hit,) = web.rank("kiln fired", 5)

        assert hit.url == web.url("pots.localhost", "/deep/a%20b.md")
        assert got(web, hit.url)[2].startswith(b"# Kilns")
        assert got(web, web.url("pots.localhost", "/other.md"))[0] == 404
        assert got(web, web.url("wiki.localhost"))[0] == 404


def test_a_page_of_any_size_is_the_same_each_time(web: LittleWeb) -> None:
    one, again = (got(web, web.url("bulk-3.localhost", "/60/7"))[2] for _ in range(2))

    assert one == again
    assert 55_000 < len(one) < 65_000
    assert one != got(web, web.url("bulk-3.localhost", "/60/8"))[2]


def test_a_hostile_host_answers_with_attacks(web: LittleWeb) -> None:
    assert got(web, web.url("hostile.localhost", "/chain/2"))[1]["location"] == "/chain/1"
    assert got(web, web.url("hostile.localhost", "/nothing"))[0] == 404


def test_the_settings_point_every_provider_at_this_machine(web: LittleWeb) -> None:
    given = web.environment()
    bases = {name for name in Settings.model_fields if name.endswith("_base_url")} - {"embedder_base_url"}

    assert all(given[f"FATHOM_{name.upper()}"].startswith("http://127.0.0.1:") for name in bases)


def test_the_sites_are_of_every_kind(web: LittleWeb) -> None:
    natures = {nature_of(web.url(host)) for host in web.world.hosts}

    assert natures == {"official", "academic", "news", "forum", "vendor", "other"}


def test_a_port_that_is_taken_is_refused_at_once(web: LittleWeb) -> None:
    with pytest.raises(ConfigurationError, match=str(web.port)), LittleWeb(port=web.port):
        pass


def test_the_program_prints_the_settings_to_export(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Clay\n", encoding="utf-8")
    command = [sys.executable, "-m", "fathom_testing.little_web", "--docs", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(2)]
        process.terminate()

    assert all(line.startswith("export FATHOM_") for line in lines)
    assert process.returncode == 0
