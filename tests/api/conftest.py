"""Two servers for the tests of the API: one that works, and one whose sessions wait."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.serving import Served, home_with_notes, served


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(home_with_notes(tmp_path_factory.mktemp("served"))) as running:
        yield running


@pytest.fixture(scope="module")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server without a worker."""
    with served(home_with_notes(tmp_path_factory.mktemp("idle")), with_worker=False) as running:
        yield running


@pytest.fixture(scope="session")
def done(server: Served) -> dict[str, Any]:
    """A session that has a report."""
    return server.ended(server.ask())
