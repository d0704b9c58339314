"""What every provider of searches promises, over the wire, whatever its server does."""

from __future__ import annotations

import asyncio
import logging
import math
import re
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fathom.browsing import SearchResults, WebQuery
from fathom.errors import (
    MalformedReply,
    ProviderError,
    ProviderFault,
    RateLimited,
    TimedOut,
    Unauthorized,
    Unreachable,
)
from fathom.ports.web import WebSearch
from fathom.text.harmless import inert
from fathom.urls import canonical_url, is_within, page_key
from fathom_testing.search_server import Entry, Fault, SearchServer

KEY = "sk/secret+key=42"
CORPUS = [
    Entry("https://alpha.example.org/sea", "The deep sea", "The deep sea is cold, dark and salt.", "2024-05-06"),
    Entry("https://beta.example.com/trench?x=1&y=2", "Trenches", "A trench is the deepest part of the deep sea."),
    Entry("https://sub.alpha.example.org/a", "Sea levels", "How the level of the sea is measured.", "2023-01-31"),
    Entry("https://gamma.example.net/海", "深い海", "深い海は暗い。 The deep sea in Japanese.", "2025-02-28"),
    Entry("http://delta.example.net/", "Deep currents", "Currents of the deep sea move slowly.", "2019-12-31"),
    Entry("https://epsilon.example.net/bread", "Bread", "How bread is baked.", "2024-01-01"),
]
DEEP = WebQuery(text="deep sea", limit=10)
HOSTILE = [
    "\x00deep\x1b[31m sea",
    '"deep" OR sea) AND (*:* -site:x) insource:/.*/ ~deep! sea\\',
    "deep sea " * 2_000,
    "深い海" * 500,
    "sea&q=bread&limit=1000#x%00",
    "<script>alert(1)</script> deep sea",
    "deepsea" * 1_000,
]
NOTHING = ["\x00", "?!…", " \n ", '"*"']
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=True), st.text(max_size=20))
ADDRESSES = st.sampled_from(["https://a.org/", "http://www.a.org", "https://b.org/?q=1#x", "javascript:x", "//", ""])
NAMES = (
    "id title content description summary snippet score published_date publishedDate page_age age extract revisions "
    "abstract year name text results highlights published author timestamp"
).split()
ANY = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=6)),
    max_leaves=25,
)
NEARLY = st.lists(
    st.builds(
        lambda url, index, rest: {**rest, "url": url, "link": url, "fullurl": url, "index": index},
        st.one_of(ADDRESSES, LEAVES),
        st.integers(-3, 3),
        st.dictionaries(st.sampled_from(NAMES), st.one_of(LEAVES, ANY), max_size=5),
    ),
    max_size=5,
)
VALUES = st.one_of(NEARLY, ANY)
"""What may stand in place of the hits: nearly hits, and anything."""
SEVERAL = settings(
    deadline=None,
    max_examples=max(12, settings().max_examples // 5),
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.differing_executors,
        HealthCheck.too_slow,
    ],
)

Open: TypeAlias = Callable[..., WebSearch]
"""Opens the provider at the server; keyword arguments go to it."""


class WebSearchContract:
    """A subclass gives `name`, and the fixture `opened`, which opens the provider at `server` under `KEY`."""

    name: str
    takes_key: bool = False
    has_json: bool = True
    """Whether a reply is JSON."""

    @pytest.fixture
    def server(self) -> Iterator[SearchServer]:
        with SearchServer(CORPUS) as server:
            yield server

    async def test_it_finds_pages_best_first_each_once(self, opened: Open) -> None:
        found = await asked(opened(), DEEP)

        assert found.provider == self.name
        assert "https://alpha.example.org/sea" in addresses(found)
        assert "https://epsilon.example.net/bread" not in addresses(found)
        assert len(found.hits) == 5
        hold(found, DEEP)
        scores = [hit.score for hit in found.hits if hit.score is not None]
        assert scores == sorted(scores, reverse=True)

    async def test_the_same_query_finds_the_same(self, opened: Open) -> None:
        provider = opened()
        first = await provider.search(DEEP)
        again = await asyncio.gather(*(provider.search(DEEP) for _ in range(3)))
        await provider.close()

        assert again == [first] * 3

    async def test_at_most_limit_hits_are_found(self, opened: Open) -> None:
        provider = opened()
        for limit in (1, 2, 50):
            query = DEEP.model_copy(update={"limit": limit})
            found = await provider.search(query)
            assert len(found.hits) == min(limit, 5)
            hold(found, query)
        await provider.close()

    async def test_nothing_that_matches_is_no_failure(self, opened: Open) -> None:
        found = await asked(opened(), WebQuery(text="xylophone quarantine"))

        assert found == SearchResults(provider=self.name, cost_usd=found.cost_usd)

    @pytest.mark.parametrize("text", NOTHING)
    async def test_a_query_without_words_asks_nobody(self, server: SearchServer, opened: Open, text: str) -> None:
        found = await asked(opened(), WebQuery(text=text))

        assert found == SearchResults(provider=self.name)
        assert server.seen == []

    @pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
    async def test_a_hostile_query_finds_pages_or_nothing(self, server: SearchServer, opened: Open, text: str) -> None:
        query = WebQuery(text=text, limit=5, language="xx-evil", since='") OR 1', deny=('"x', "*.", "a b:c", ""))

        hold(await asked(opened(), query), query)

        assert all(seen.status == 200 for seen in server.seen)

    async def test_only_hosts_that_are_allowed_are_found(self, opened: Open) -> None:
        provider = opened()
        allowed = DEEP.model_copy(update={"allow": ("alpha.example.org",)})
        denied = DEEP.model_copy(update={"deny": ("alpha.example.org", "*.example.com")})

        assert set(addresses(await provider.search(allowed))) == {
            "https://alpha.example.org/sea",
            "https://sub.alpha.example.org/a",
        }
        assert {hit.url.split("/")[2] for hit in (await provider.search(denied)).hits} == {
            "gamma.example.net",
            "delta.example.net",
        }
        await provider.close()

    async def test_what_is_known_to_be_older_is_left_out(self, opened: Open) -> None:
        found = await asked(opened(), DEEP.model_copy(update={"since": "2024-01-01", "language": "en"}))

        assert found.hits
        assert all(hit.published >= "2024-01-01" for hit in found.hits if hit.published)
        if any(hit.published for hit in (await asked(opened(), DEEP)).hits):
            assert "http://delta.example.net/" not in addresses(found)

    async def test_it_knows_its_name_address_and_cost(self, server: SearchServer, opened: Open) -> None:
        provider = opened()

        assert provider.name == self.name
        assert provider.address == server.base(self.name)
        assert provider.cost_usd == (await asked(provider, DEEP)).cost_usd
        assert 0 <= provider.cost_usd < 1

    async def test_it_can_be_used_again_after_it_was_closed(self, opened: Open) -> None:
        provider = opened()
        first = await asked(provider, DEEP)

        assert await asked(provider, DEEP) == first

    @pytest.mark.parametrize(
        ("fault", "error"),
        [
            (Fault("status", status=400), ProviderError),
            (Fault("status", status=401), Unauthorized),
            (Fault("status", status=402), Unauthorized),
            (Fault("status", status=403), Unauthorized),
            (Fault("status", status=404), ProviderError),
            (Fault("status", status=408), TimedOut),
            (Fault("status", status=432), Unauthorized),
            (Fault("status", status=433), Unauthorized),
            (Fault("status", status=429), RateLimited),
            (Fault("status", status=429, retry_after="3600"), RateLimited),
            (Fault("status", status=429, retry_after="Fri, 01 Jan 2038 00:00:00 GMT"), RateLimited),
            (Fault("status", status=429, retry_after="soon"), RateLimited),
            (Fault("status", status=429, retry_after="nan"), RateLimited),
            (Fault("status", status=500), ProviderFault),
            (Fault("html", status=503), ProviderFault),
            (Fault("html", status=200), MalformedReply),
            (Fault("not_json"), MalformedReply),
            (Fault("truncated"), MalformedReply),
            (Fault("empty"), MalformedReply),
            (Fault("too_large"), MalformedReply),
            (Fault("wrong_packing"), MalformedReply),
            (Fault("slow", seconds=5), TimedOut),
            (Fault("drip", seconds=0.1), TimedOut),
            (Fault("reset"), Unreachable),
            (Fault("broken_off"), Unreachable),
            (Fault("no_list"), MalformedReply),
            (Fault("value", value=None), MalformedReply),
            (Fault("value", value=7), MalformedReply),
            (Fault("value", value="none"), MalformedReply),
            (Fault("value", value=[7, "x", None]), MalformedReply),
        ],
        ids=lambda value: f"{value.kind} {value.status} {value.value}" if isinstance(value, Fault) else "",
    )
    async def test_a_failure_is_an_error_of_its_kind_and_never_an_empty_list(
        self, server: SearchServer, opened: Open, fault: Fault, error: type[ProviderError]
    ) -> None:
        server.faults = [replace(fault)]
        timeout = 0.4 if error is TimedOut else 20

        with pytest.raises(error) as raised:
            await asked(opened(timeout=timeout), DEEP)

        told = str(raised.value)
        assert told
        assert "\n" not in told
        assert len(told) < 500

    async def test_a_service_that_is_not_there_is_unreachable(self, server: SearchServer, opened: Open) -> None:
        provider = opened()
        server.__exit__(None, None, None)

        with pytest.raises(Unreachable):
            await asked(provider, DEEP)

    @pytest.mark.parametrize(
        "fault",
        [
            Fault("status", status=429, retry_after="0"),
            Fault("status", status=429),
            Fault("status", status=500),
            Fault("html", status=503),
            Fault("reset"),
        ],
        ids=lambda fault: f"{fault.kind} {fault.status}",
    )
    async def test_what_passes_is_tried_again_twice(self, server: SearchServer, opened: Open, fault: Fault) -> None:
        server.faults = [replace(fault, times=2)]

        assert len((await asked(opened(), DEEP)).hits) == 5

        server.faults = [replace(fault)]
        before = len(server.seen)
        with pytest.raises(ProviderError):
            await asked(opened(), DEEP)
        assert len(server.seen) - before == 3

    @pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 432])
    async def test_what_does_not_pass_is_not_tried_again(self, server: SearchServer, opened: Open, status: int) -> None:
        server.faults = [Fault("status", status=status)]

        with pytest.raises(ProviderError):
            await asked(opened(), DEEP)

        assert len(server.seen) == 1

    async def test_who_asks_for_a_long_wait_is_left_alone(self, server: SearchServer, opened: Open) -> None:
        server.faults = [Fault("status", status=429, retry_after="600")]
        provider = opened()

        for _ in range(3):
            with pytest.raises(RateLimited) as raised:
                await asked(provider, DEEP)
            assert raised.value.retry_after is not None
            assert 500 < raised.value.retry_after <= 600

        assert len(server.seen) == 1

    @pytest.mark.parametrize("kind", ["numbers_for_texts", "nulls", "nan", "infinite"])
    async def test_hits_of_another_shape_are_an_error_or_hits_that_hold(
        self, server: SearchServer, opened: Open, kind: Any
    ) -> None:
        server.faults = [Fault(kind)]

        try:
            found = await asked(opened(), DEEP)
        except MalformedReply:
            assert kind not in ("nan", "infinite") or not self.has_json
        else:
            hold(found, DEEP)
            assert found.hits

    async def test_what_is_of_no_use_is_left_out_and_the_rest_stays(self, server: SearchServer, opened: Open) -> None:
        whole = await asked(opened(), DEEP)
        for kind in ("bad_addresses", "duplicates"):
            server.faults = [Fault(kind)]
            found = await asked(opened(), DEEP)
            hold(found, DEEP)
            assert set(addresses(found)) <= set(addresses(whole))
            assert addresses(whole)[0] in addresses(found)

    async def test_titles_and_snippets_hold_no_markup(self, server: SearchServer, opened: Open) -> None:
        server.faults = [Fault("markup")]

        found = await asked(opened(), DEEP)

        assert found.hits
        hold(found, DEEP)
        for hit in found.hits:
            for text in (hit.title, hit.snippet, hit.text):
                assert not re.search(r"<(?:script|b|img)\b|&(?:lt|amp);", text)

    @SEVERAL
    @given(value=VALUES)
    async def test_any_value_in_place_of_the_hits_is_hits_that_hold_or_a_typed_error(
        self, server: SearchServer, opened: Open, value: Any
    ) -> None:
        server.faults = [Fault("value", value=value)]

        try:
            found = await asked(opened(), DEEP)
        except ProviderError as error:
            assert "\n" not in str(error)
        else:
            hold(found, DEEP)

    async def test_a_redirect_is_not_followed(self, server: SearchServer, opened: Open) -> None:
        with SearchServer(CORPUS) as elsewhere:
            server.faults = [Fault("redirect", location=elsewhere.base(self.name) + "/search?q=deep")]

            with pytest.raises(ProviderError):
                await asked(opened(), DEEP)

            assert elsewhere.seen == []
        assert len(server.seen) == 1

    async def test_the_key_reaches_its_provider_in_a_header_or_a_body(
        self, server: SearchServer, opened: Open, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        provider = opened()

        await asked(provider, DEEP)

        assert all((KEY in sent(seen.asked)) == self.takes_key for seen in server.seen)
        assert all(KEY not in seen.asked.query and "secret" not in seen.asked.query for seen in server.seen)
        assert "secret" not in caplog.text
        assert "secret" not in repr(provider) + repr(vars(provider))

    @pytest.mark.parametrize("status", [400, 401, 403, 422, 429, 500])
    async def test_a_key_that_the_server_quotes_is_blotted_out(
        self, server: SearchServer, opened: Open, status: int, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        server.faults = [Fault("echo_key", status=status)]

        with pytest.raises(ProviderError) as raised:
            await asked(opened(), DEEP)

        assert "secret" not in "".join(traceback.format_exception(raised.value))
        assert "secret" not in repr(raised.value)
        assert "secret" not in caplog.text

    async def test_a_key_in_a_hit_is_blotted_out(self, server: SearchServer, opened: Open) -> None:
        server.faults = [Fault("quotes_key")]

        found = await asked(opened(), DEEP)

        assert found.hits
        assert KEY not in found.model_dump_json()

    async def test_a_search_that_is_cancelled_leaves_nothing_behind(self, server: SearchServer, opened: Open) -> None:
        server.faults = [Fault("slow", seconds=30, times=1)]
        provider = opened()
        task = asyncio.create_task(provider.search(DEEP))
        while not server.seen:  # noqa: ASYNC110 - the server is in another thread
            await asyncio.sleep(0.01)

        task.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task
        assert len((await asked(provider, DEEP)).hits) == 5


async def asked(provider: WebSearch, query: WebQuery) -> SearchResults:
    """What the provider finds; it is closed then."""
    try:
        return await provider.search(query)
    finally:
        await provider.close()


def addresses(found: SearchResults) -> list[str]:
    """The addresses of the hits."""
    return [hit.url for hit in found.hits]


def sent(asked: Any) -> str:
    """Headers and body of a request."""
    return "\n".join([*asked.headers.values(), asked.body.decode().replace("%2F", "/").replace("%2B", "+")]).replace(
        "%3D", "="
    )


def hold(found: SearchResults, query: WebQuery) -> None:
    """Hold results to what the nouns and the query promise."""
    assert len(found.hits) <= query.limit
    assert len({page_key(hit.url) for hit in found.hits}) == len(found.hits)
    for hit in found.hits:
        assert hit.url == canonical_url(hit.url)
        assert not query.allow or is_within(hit.url, query.allow)
        assert not is_within(hit.url, query.deny)
        assert re.fullmatch(r"(?:\d{4}-\d{2}-\d{2})?", hit.published)
        assert hit.score is None or (math.isfinite(hit.score) and 0 <= hit.score <= 1)
        for text in (hit.title, hit.snippet, hit.text):
            assert inert(text) == text
            assert not re.search(r"</?(?:script|b|img|strong|em)(?:\s+\S+=[^<>]*|[\s/]*)>", text)
            assert text == text.strip()
