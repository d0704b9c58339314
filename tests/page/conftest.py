"""One server and one browser for all tests of the page; who changes something has a context of their own."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from fathom import wiring
from fathom.settings import load_settings
from fathom_testing.model_server import ModelServer
from tests.page.person import Person, visiting
from tests.support.page_material import documents, hostile, records
from tests.support.page_serving import Service

if TYPE_CHECKING:
    from playwright.async_api import Browser

LATENCY = 0.1
"""Seconds that the model takes for an answer: enough to watch a session live."""
SLOW = 0.5
"""Enough to do something while a session begins."""
SLOWER = 2.0
"""Enough to see a session at its beginning, and to be told what is found."""
SLOWEST = 600.0
"""Nothing comes until it is told to be faster: a machine that is busy has the time to look at a state."""

NO_SUGGESTIONS = "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup"
"""For a bar of addresses that nobody sees, each context would start a process that takes longer than a page of ours."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs the server or the browser comes first: a worker gives away what comes last, and they stay with one."""

    def comes_later(item: pytest.Item) -> bool:
        needs = {"service", "chromium"} & set(getattr(item, "fixturenames", ()))
        return not (needs and Path(__file__).parent in item.path.parents)

    items.sort(key=comes_later)


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the documents, the records, and a document that means harm."""
    folder = tmp_path_factory.mktemp("page")
    documents(folder)
    records(folder)
    hostile(folder)
    return folder


@pytest.fixture(scope="session")
def model() -> Iterator[ModelServer]:
    with ModelServer(latency=LATENCY) as server:
        yield server


@pytest.fixture(scope="session")
def service(place: Path, model: ModelServer) -> Iterator[Service]:
    """The server with a model that takes its time, and a knowledge base."""
    served = Service(place / "home", environment=with_model(model))
    asyncio.run(_ingested(served, place / "documents"))
    served.start()
    yield served
    served.stop()


async def _ingested(served: Service, folder: Path) -> None:
    async with wiring.opened_knowledge(load_settings(home=served.home)) as knowledge:
        await knowledge.ingest([folder])


def with_model(model: ModelServer) -> dict[str, str]:
    """The settings of a server that has it."""
    named = {"FATHOM_MODEL": "openai:fathom-test", "FATHOM_BASE_URL": f"{model.url}/v1"}
    return {**named, "FATHOM_SERVE_RATE": "100000", "FATHOM_SERVE_NEW_SESSIONS": "10000"}


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    playwright = pytest.importorskip("playwright.async_api")
    path = shutil.which("chromium")
    if not path:
        pytest.skip("there is no chromium: apt-get install chromium")
    nowhere = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
    async with playwright.async_playwright() as started:
        drawn_here = ("--disable-gpu", "--disable-software-rasterizer")  # and by no process of their own
        arguments = ["--no-sandbox", nowhere, *drawn_here, NO_SUGGESTIONS]
        browser = await started.chromium.launch(executable_path=path, args=arguments)
        yield browser
        await browser.close()


@pytest.fixture
def waiting_model(model: ModelServer) -> Iterator[ModelServer]:
    """The model, slow until it is told to be slower or fast again."""
    model.latency = SLOW
    yield model
    model.latency = LATENCY


@pytest_asyncio.fixture(loop_scope="session")
async def person(chromium: Browser, service: Service) -> AsyncIterator[Person]:
    """Somebody at a desk who reads English; leaving finds every fault that the browser has seen."""
    async with AsyncExitStack() as stack:
        yield await stack.enter_async_context(visiting(chromium, service.url))
