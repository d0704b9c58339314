"""The server that stands for providers of searches: what it answers, what it refuses, what it logs."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest

from fathom.errors import ConfigurationError
from fathom_testing.search_server import Entry, Fault, SearchServer

CORPUS = [
    Entry("https://a.org/1", "Deep sea", "The sea is deep."),
    Entry("https://a.org/2", "Bread", "Bread is baked."),
    Entry("https://a.org/3", "Shallow sea", "This one is not."),
]


@pytest.fixture
def server() -> Iterator[SearchServer]:
    with SearchServer(CORPUS, keys={"tavily": "right"}) as server:
        yield server


def search(server: SearchServer, *, key: str = "right", query: object = "deep sea") -> httpx.Response:
    return httpx.post(
        f"{server.base('tavily')}/search", json={"query": query}, headers={"Authorization": f"Bearer {key}"}
    )


def test_pages_are_ranked_by_the_words_of_the_query(server: SearchServer) -> None:
    results = search(server).json()["results"]

    assert [result["url"] for result in results] == ["https://a.org/1", "https://a.org/3"]
    assert results[0]["score"] > results[1]["score"]


def test_a_corpus_may_be_whatever_finds_pages() -> None:
    def find(query: str, limit: int) -> list[Entry]:
        return [Entry(f"https://b.org/{query}/{number}", query, "") for number in range(limit)]

    with SearchServer(find) as server:
        results = search(server, query="x").json()["results"]

    assert [result["url"] for result in results] == [f"https://b.org/x/{number}" for number in range(5)]


def test_only_the_right_key_is_let_in(server: SearchServer) -> None:
    assert search(server, key="wrong").status_code == 401
    assert search(server).status_code == 200
    assert [seen.status for seen in server.seen] == [401, 200]


def test_what_the_provider_would_refuse_is_refused(server: SearchServer) -> None:
    assert search(server, query="").status_code == 400
    assert search(server, query=7).status_code == 400
    assert search(server, query="sea " * 200).status_code == 400
    assert httpx.get(f"{server.base('searxng')}/search?q=sea").status_code == 400
    assert httpx.get(f"{server.base('searxng')}/elsewhere").status_code == 404
    assert httpx.get(f"{server.url}/nobody/search").status_code == 404


def test_every_request_is_logged_with_what_it_brought(server: SearchServer) -> None:
    search(server)
    httpx.get(f"{server.base('searxng')}/search?q=sea&format=json", headers={"X-Mine": "1"})

    first, second = server.seen
    assert (first.provider, first.asked.path, first.json) == ("tavily", "/search", {"query": "deep sea"})
    assert first.asked.headers["authorization"] == "Bearer right"
    assert (second.provider, second.asked.query) == ("searxng", "q=sea&format=json")
    assert second.asked.headers["x-mine"] == "1"


def test_a_fault_befalls_the_requests_that_it_names(server: SearchServer) -> None:
    server.faults = [Fault("status", provider="tavily", status=503, after=1, times=2, retry_after="3")]

    replies = [search(server) for _ in range(4)]

    assert [reply.status_code for reply in replies] == [200, 503, 503, 200]
    assert replies[1].headers["retry-after"] == "3"
    assert httpx.get(f"{server.base('searxng')}/search?q=sea&format=json").status_code == 200
    assert [seen.fault for seen in server.seen] == ["", "status", "status", "", ""]


def test_a_fault_of_the_hits_leaves_the_rest_of_the_reply(server: SearchServer) -> None:
    server.faults = [Fault("value", value={"x": 1}), Fault("no_list")]

    assert search(server).json()["results"] == {"x": 1}
    assert search(server).json()["query"] == "deep sea"


def test_numbers_may_be_what_json_does_not_have(server: SearchServer) -> None:
    server.faults = [Fault("nan", times=1), Fault("infinite")]

    assert '"score": NaN' in search(server).text
    assert '"score": Infinity' in search(server).text


def test_the_text_of_a_page_can_be_extracted(server: SearchServer) -> None:
    reply = httpx.post(
        f"{server.base('tavily')}/extract",
        content=json.dumps({"urls": ["https://a.org/2", "https://a.org/9"]}),
        headers={"Authorization": "Bearer right"},
    ).json()

    assert [page["raw_content"] for page in reply["results"]] == ["# Bread\n\nBread is baked."]
    assert [page["url"] for page in reply["failed_results"]] == ["https://a.org/9"]


def test_a_port_that_is_taken_is_named(server: SearchServer) -> None:
    taken = int(server.url.rpartition(":")[2])

    with pytest.raises(ConfigurationError, match=str(taken)), SearchServer(CORPUS, port=taken):
        raise AssertionError("it listens")
