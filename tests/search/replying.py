"""Has a provider of the local server answer with a given reply, and makes replies of any kind."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from fathom.browsing import SearchResults, WebQuery
from fathom_testing.search_server import SearchServer
from fathom_testing.search_server.wires import wire_of
from tests.search.opening import open_at

SEVERAL = settings(
    deadline=None,
    max_examples=max(15, settings().max_examples // 10),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors, HealthCheck.too_slow],
)


async def replied(patch: pytest.MonkeyPatch, name: str, reply: Any, query: WebQuery, **changes: Any) -> SearchResults:
    """What the provider makes of `reply`: a value for JSON, or the text itself."""
    patch.setattr(wire_of(name), "answer", lambda *_: reply)
    with SearchServer([]) as server:
        return await searched(server, name, query, **changes)


async def searched(server: SearchServer, name: str, query: WebQuery, **changes: Any) -> SearchResults:
    """What the provider finds; it is closed then."""
    provider = open_at(server, name, **changes)
    try:
        return await provider.search(query)
    finally:
        await provider.close()


def values(*names: str) -> st.SearchStrategy[Any]:
    """Any JSON value, whose objects mostly have fields of these names."""
    leaves = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=20),
        st.sampled_from(["https://a.org/", "10.1000/x", "2024-05-06", "3 days ago", "7"]),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(names), inner, min_size=1, max_size=len(names))
        ),
        max_leaves=30,
    )
