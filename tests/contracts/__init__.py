"""What every adapter of a port promises: one suite per port, run on each adapter."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite(  # a failed promise shows what came instead, as in any test
    *(
        f"{__name__}.{suite}"
        for suite in (
            "stores",
            "queues",
            "reasoners",
            "bounds",
            "retrievers",
            "embedders",
            "archives",
            "searches",
            "sources",
        )
    )
)

from tests.contracts.archives import ArchiveOpener, PageArchiveContract, a_page  # noqa: E402
from tests.contracts.embedders import EmbedderContract  # noqa: E402
from tests.contracts.reasoners import ReasonerContract  # noqa: E402
from tests.contracts.retrievers import RetrieverContract  # noqa: E402
from tests.contracts.searches import WebSearchContract  # noqa: E402
from tests.contracts.sources import SourceContract  # noqa: E402
from tests.contracts.stores import Opener, RunStoreContract, a_report, a_run, put  # noqa: E402

__all__ = [
    "ArchiveOpener",
    "EmbedderContract",
    "Opener",
    "PageArchiveContract",
    "ReasonerContract",
    "RetrieverContract",
    "RunStoreContract",
    "SourceContract",
    "WebSearchContract",
    "a_page",
    "a_report",
    "a_run",
    "put",
]
