"""What each provider is sent, and what of its answers is particular to it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest
from pydantic import SecretStr

from fathom.browsing import SearchHit, WebQuery
from fathom.errors import ConfigurationError, MalformedReply, ProviderError, RateLimited, Unauthorized, Unavailable
from fathom.search import searches
from fathom.settings import Settings
from fathom_testing.search_server import Fault, SearchServer, Seen
from tests.contracts.searches import CORPUS, DEEP, KEY, addresses, asked
from tests.search.opening import open_at

WHOLE = WebQuery(
    text="deep sea",
    limit=7,
    language="ja",
    since="2024-05-06",
    allow=("alpha.example.org", "beta.example.com"),
    deny=("*.gamma.example.net",),
)


@pytest.fixture
def server() -> Iterator[SearchServer]:
    with SearchServer(CORPUS) as server:
        yield server


def the_one(server: SearchServer) -> Seen:
    (seen,) = server.seen
    return seen


def parameters(seen: Seen) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(seen.asked.query, strict_parsing=True).items()}


async def found_by(server: SearchServer, name: str, value: object) -> tuple[SearchHit, ...]:
    """The hits, when the list of them is `value`."""
    server.faults = [Fault("value", value=value)]
    return (await asked(open_at(server, name), DEEP)).hits


async def test_tavily_is_sent_the_hosts_the_day_and_a_basic_depth(server: SearchServer) -> None:
    await asked(open_at(server, "tavily"), WHOLE)

    seen = the_one(server)
    assert (seen.asked.method, seen.asked.path) == ("POST", "/search")
    assert seen.asked.headers["authorization"] == f"Bearer {KEY}"
    assert seen.json == {
        "query": "deep sea",
        "search_depth": "basic",
        "max_results": 7,
        "include_domains": ["alpha.example.org", "beta.example.com"],
        "exclude_domains": ["gamma.example.net"],
        "start_date": "2024-05-06",
    }


async def test_tavily_is_asked_for_no_more_than_it_gives(server: SearchServer) -> None:
    await asked(open_at(server, "tavily"), WebQuery(text="sea " * 500, limit=50))

    assert the_one(server).json["max_results"] == 20
    assert len(the_one(server).json["query"]) <= 400


async def test_searxng_is_sent_a_span_of_time_and_site_operators(server: SearchServer) -> None:
    recent = (datetime.now(UTC) - timedelta(days=20)).date().isoformat()

    await asked(open_at(server, "searxng"), WHOLE.model_copy(update={"since": recent}))

    assert the_one(server).asked.path == "/search"
    assert parameters(the_one(server)) == {
        "q": "deep sea (site:alpha.example.org OR site:beta.example.com) -site:gamma.example.net",
        "format": "json",
        "categories": "general",
        "language": "ja",
        "time_range": "month",
    }


async def test_the_scores_of_searxng_are_told_relative_to_its_best(server: SearchServer) -> None:
    hits = await found_by(
        server, "searxng", [{"url": f"https://a.org/{score}", "score": score} for score in (8.0, 2, None, -1, "1")]
    )

    assert [hit.score for hit in hits] == [1.0, 0.25, None, 0.0, None]


async def test_a_searxng_without_json_says_how_to_enable_it(server: SearchServer) -> None:
    server.faults = [Fault("html", status=403)]

    with pytest.raises(Unauthorized, match=r"search\.formats"):
        await asked(open_at(server, "searxng"), DEEP)


async def test_a_searxng_whose_engines_do_not_answer_has_not_found_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = {"results": [], "unresponsive_engines": [["bing", "timeout"]]}
    with_transport(monkeypatch, lambda _: httpx.Response(200, json=nothing))

    with pytest.raises(Unavailable, match="engines"):
        await asked(searches.get("searxng")(Settings(searxng_base_url="http://searx.example.org")), DEEP)


async def test_brave_is_sent_its_own_names_of_languages_and_a_span_of_days(server: SearchServer) -> None:
    await asked(open_at(server, "brave"), WHOLE)

    seen = the_one(server)
    assert seen.asked.path == "/res/v1/web/search"
    assert seen.asked.headers["x-subscription-token"] == KEY
    assert parameters(seen) == {
        "q": "deep sea (site:alpha.example.org OR site:beta.example.com) -site:gamma.example.net",
        "count": "7",
        "result_filter": "web",
        "text_decorations": "false",
        "search_lang": "jp",
        "freshness": f"2024-05-06to{datetime.now(UTC).date().isoformat()}",
    }


async def test_brave_is_sent_words_alone_where_the_operators_do_not_fit(server: SearchServer) -> None:
    hosts = tuple(f"host{n}.example.org" for n in range(40))

    await asked(open_at(server, "brave"), WebQuery(text="deep sea " * 40, allow=hosts, language="xx"))

    sent = parameters(the_one(server))
    assert "search_lang" not in sent
    assert "site:" not in sent["q"]
    assert len(sent["q"]) <= 400
    assert len(sent["q"].split()) <= 50


async def test_brave_tells_dates_in_two_ways(server: SearchServer) -> None:
    hits = await found_by(
        server,
        "brave",
        [
            {"url": "https://a.org/1", "page_age": "2024-05-06T07:08:09", "age": "May 7, 2024"},
            {"url": "https://a.org/2", "age": "May 7, 2024"},
            {"url": "https://a.org/3", "age": "3 days ago"},
        ],
    )

    assert [hit.published for hit in hits] == ["2024-05-06", "2024-05-07", ""]


async def test_a_wrong_key_that_brave_refuses_with_422_is_unauthorized(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = {"type": "ErrorResponse", "error": {"detail": "The provided subscription token is invalid."}}
    with_transport(monkeypatch, lambda _: httpx.Response(422, json=refused))

    with pytest.raises(Unauthorized, match="brave_api_key"):
        await asked(searches.get("brave")(Settings(brave_api_key=SecretStr(KEY))), DEEP)


async def test_wikipedia_is_sent_words_and_no_orders(server: SearchServer) -> None:
    query = WebQuery(text='deep "sea" -trench insource:/x/ intitle:y ~z!', limit=50)

    await asked(open_at(server, "wikipedia", contact="me@example.org"), query)

    sent = parameters(the_one(server))
    assert the_one(server).asked.path == "/w/api.php"
    assert sent["gsrsearch"] == "deep sea trench insource /x/ intitle y z"
    assert (sent["gsrlimit"], sent["gsrnamespace"], sent["exlimit"]) == ("20", "0", "20")
    assert "me@example.org" in the_one(server).asked.headers["user-agent"]


async def test_the_articles_of_wikipedia_come_best_first_with_their_beginning(server: SearchServer) -> None:
    tavily = await asked(open_at(server, "tavily"), DEEP)
    wikipedia = await asked(open_at(server, "wikipedia"), DEEP)

    assert addresses(wikipedia) == addresses(tavily)
    assert [hit.text for hit in wikipedia.hits] == [hit.snippet for hit in tavily.hits]
    assert [hit.published for hit in wikipedia.hits] == [hit.published for hit in tavily.hits]


@pytest.mark.parametrize(
    ("language", "host"),
    [
        ("de", "de.wikipedia.org"),
        ("", "en.wikipedia.org"),
        ("en", "en.wikipedia.org"),
        ("evil.org/", "en.wikipedia.org"),
    ],
)
async def test_wikipedia_is_asked_in_the_language_of_the_question(
    monkeypatch: pytest.MonkeyPatch, language: str, host: str
) -> None:
    hosts: list[str] = []

    def reply(request: httpx.Request) -> httpx.Response:
        hosts.append(request.url.host)
        return httpx.Response(200, json={"batchcomplete": True})

    with_transport(monkeypatch, reply)
    provider = searches.get("wikipedia")(Settings())

    found = await asked(provider, WebQuery(text="Tiefsee", language=language))

    assert found.hits == ()
    assert hosts == [host]
    assert provider.address == "https://en.wikipedia.org"


@pytest.mark.parametrize(
    ("code", "error"),
    [("ratelimited", RateLimited), ("readonly", Unavailable), ("badvalue", ProviderError)],
)
async def test_what_wikipedia_refuses_with_status_200_is_an_error(
    monkeypatch: pytest.MonkeyPatch, code: str, error: type[ProviderError]
) -> None:
    with_transport(monkeypatch, lambda _: httpx.Response(200, json={"error": {"code": code, "info": "Said\nso."}}))

    with pytest.raises(error, match="Said so"):
        await asked(searches.get("wikipedia")(Settings()), DEEP)


async def test_arxiv_is_sent_quoted_words_and_a_span_of_days(server: SearchServer) -> None:
    query = WebQuery(text='What is the depth" OR all:* of (sea) AND id:1', limit=3, since="2024-05-06")

    await asked(open_at(server, "arxiv"), query)

    assert the_one(server).asked.path == "/api/query"
    assert parameters(the_one(server)) == {
        "search_query": '(all:"depth" OR all:"sea" OR all:"id" OR all:"1")'
        " AND submittedDate:[202405060000 TO 999912312359]",
        "start": "0",
        "max_results": "3",
        "sortBy": "relevance",
        "sortOrder": "descending",
    }


@pytest.mark.parametrize(
    ("id", "address"),
    [
        ("http://arxiv.org/abs/2401.00001v3", "https://arxiv.org/abs/2401.00001"),
        ("http://arxiv.org/abs/hep-th/9901001v1", "https://arxiv.org/abs/hep-th/9901001"),
        ("https://export.arxiv.org/abs/2401.00001", "https://arxiv.org/abs/2401.00001"),
    ],
)
async def test_a_paper_of_arxiv_has_one_address_and_its_abstract(
    monkeypatch: pytest.MonkeyPatch, id: str, address: str
) -> None:
    feed = (
        f'<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>{id}</id><title>On\n  seas</title>'
        "<published>2024-01-02T03:04:05Z</published><summary>  Where $a &lt; b$ the\nsea is deep.</summary>"
        "</entry></feed>"
    )
    with_transport(monkeypatch, lambda _: httpx.Response(200, text=feed))

    found = await asked(searches.get("arxiv")(Settings()), DEEP)

    assert found.hits == (
        SearchHit(
            url=address,
            title="On seas",
            snippet="Where $a < b$ the sea is deep.",
            text="Where $a < b$ the sea is deep.",
            published="2024-01-02",
        ),
    )


async def test_an_error_of_arxiv_in_a_feed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    feed = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/api/errors#bad</id>'
        "<title>Error</title><summary>incorrect id format</summary></entry></feed>"
    )
    with_transport(monkeypatch, lambda _: httpx.Response(200, text=feed))

    with pytest.raises(ProviderError, match="incorrect id format"):
        await asked(searches.get("arxiv")(Settings()), DEEP)


async def test_a_feed_that_would_grow_without_end_or_read_files_does_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    feed = (
        f'<?xml version="1.0"?><!DOCTYPE feed [<!ENTITY e0 "seaseasea">{entities}'
        '<!ENTITY file SYSTEM "file:///etc/passwd">]><feed xmlns="http://www.w3.org/2005/Atom"><entry>'
        "<id>http://arxiv.org/abs/1</id><title>&file;</title><summary>&e11;</summary></entry></feed>"
    )
    with_transport(monkeypatch, lambda _: httpx.Response(200, text=feed))

    try:
        found = await asked(searches.get("arxiv")(Settings()), DEEP)
    except MalformedReply:
        return
    assert "root" not in found.model_dump_json()
    assert len(found.model_dump_json()) < 100_000


@pytest.mark.parametrize("name", ["tavily", "brave"])
def test_a_provider_without_its_key_is_refused_before_the_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(f"{name.upper()}_API_KEY", raising=False)

    with pytest.raises(ConfigurationError, match=f"{name}_api_key"):
        searches.get(name)(Settings())


def with_transport(monkeypatch: pytest.MonkeyPatch, reply: Any) -> None:
    """Let every client of this test be answered by a function."""
    client = httpx.AsyncClient

    def opened(**options: Any) -> httpx.AsyncClient:
        return client(**{**options, "transport": httpx.MockTransport(streamed)})

    def streamed(request: httpx.Request) -> httpx.Response:
        whole: httpx.Response = reply(request)
        return httpx.Response(whole.status_code, headers=whole.headers, stream=httpx.ByteStream(whole.content))

    monkeypatch.setattr(httpx, "AsyncClient", opened)
