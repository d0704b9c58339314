"""One server for the tests of the API."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.serving import Served, home_with_notes, served


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(home_with_notes(tmp_path_factory.mktemp("served"))) as running:
        yield running
