"""What holds for every test of pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fathom.pages import fetch


@pytest.fixture(autouse=True, scope="module")
def _second_requests_come_at_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fetch, "_RETRY_AFTER", 0.01)
        yield
