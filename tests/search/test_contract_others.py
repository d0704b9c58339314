"""The providers that tell prices, that know papers, or that have no interface for programs keep the contract, too."""

from __future__ import annotations

from functools import partial

import pytest

from fathom_testing.search_server import Entry, Fault, SearchServer
from fathom_testing.search_server.wires.pubmed import id_of
from tests.contracts.searches import CORPUS, DEEP, Open, WebSearchContract, addresses, asked, hold
from tests.search.opening import open_at


class _AtServer(WebSearchContract):
    @pytest.fixture
    def opened(self, server: SearchServer) -> Open:
        return partial(open_at, server, self.name)


class TestExa(_AtServer):
    name = "exa"
    takes_key = True


class TestSerper(_AtServer):
    name = "serper"
    takes_key = True


class TestSemanticScholar(_AtServer):
    name = "semantic_scholar"
    takes_key = True


class TestOpenAlex(_AtServer):
    name = "openalex"
    takes_key = True


class TestPubMed(_AtServer):
    """All its pages are its own, whatever the pages of the corpus are called."""

    name = "pubmed"
    takes_key = True

    async def test_it_finds_pages_best_first_each_once(self, opened: Open) -> None:
        found = await asked(opened(), DEEP)

        assert found.provider == "pubmed"
        assert set(addresses(found)) == {page_of(entry) for entry in CORPUS if entry.title != "Bread"}
        assert found.hits[0].text == CORPUS[0].text
        hold(found, DEEP)

    async def test_a_search_that_its_pages_may_not_answer_asks_nobody(self, server: SearchServer, opened: Open) -> None:
        for rules in ({"allow": ("alpha.example.org",)}, {"deny": ("nih.gov",)}):
            assert addresses(await asked(opened(), DEEP.model_copy(update=rules))) == []

        assert server.seen == []

    async def test_only_hosts_that_are_allowed_are_found(self, opened: Open) -> None:
        found = await asked(opened(), DEEP.model_copy(update={"allow": ("nih.gov",), "deny": ("example.org",)}))

        assert len(found.hits) == 5

    async def test_what_is_of_no_use_is_left_out_and_the_rest_stays(self, server: SearchServer, opened: Open) -> None:
        whole = await asked(opened(), DEEP)
        server.faults = [Fault("duplicates")]

        assert await asked(opened(), DEEP) == whole


def page_of(entry: Entry) -> str:
    """Where PubMed has a page of the corpus."""
    return f"https://pubmed.ncbi.nlm.nih.gov/{id_of(entry)}/"


class TestDuckDuckGo(_AtServer):
    name = "duckduckgo"
    has_json = False
