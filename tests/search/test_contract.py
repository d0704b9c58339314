"""Every provider of searches keeps the contract, over the wire."""

from __future__ import annotations

from functools import partial

import pytest

from fathom_testing.search_server import SearchServer
from tests.contracts.searches import Open, WebSearchContract
from tests.search.opening import open_at


class _AtServer(WebSearchContract):
    @pytest.fixture
    def opened(self, server: SearchServer) -> Open:
        return partial(open_at, server, self.name)


class TestTavily(_AtServer):
    name = "tavily"
    takes_key = True


class TestSearxng(_AtServer):
    name = "searxng"


class TestBrave(_AtServer):
    name = "brave"
    takes_key = True


class TestWikipedia(_AtServer):
    name = "wikipedia"


class TestArxiv(_AtServer):
    name = "arxiv"
    has_json = False
