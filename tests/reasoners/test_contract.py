"""Every reasoner keeps the contract."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from fathom.ports import Reasoner
from fathom.reasoners.extractive import ExtractiveReasoner
from fathom.reasoners.language_model import from_settings
from fathom.settings import Settings
from fathom_testing.model_server import ModelServer
from tests.contracts import ReasonerContract
from tests.contracts.asking import extract_ask
from tests.contracts.reasoners import HELD
from tests.support.doubles.calls import DirectCalls
from tests.support.doubles.reasoner import SimulatedReasoner


class TestExtractiveReasoner(ReasonerContract):
    @pytest.fixture
    def reasoner(self) -> Reasoner:
        return ExtractiveReasoner()


class TestSimulatedReasoner(ReasonerContract):
    @pytest.fixture
    def reasoner(self) -> Reasoner:
        return SimulatedReasoner()


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


class TestLanguageModelReasoner(ReasonerContract):
    """Over the wire, with a model that says what the extractive reasoner would say."""

    @pytest.fixture
    async def reasoner(self, server: ModelServer) -> AsyncIterator[Reasoner]:
        settings = Settings(model="openai:fathom-test", base_url=f"{server.url}/v1")
        reasoner = from_settings(settings)
        yield reasoner
        await reasoner.close()

    async def test_a_deterministic_reasoner_answers_the_same_ask_the_same(self, reasoner: Reasoner) -> None:
        """It does not promise that, but that the same ask is the same request: so it is paid for once."""
        first, again = DirectCalls(), DirectCalls()
        ask = extract_ask(HELD)
        await reasoner.answer(ask, first)
        await reasoner.answer(type(ask).model_validate_json(ask.model_dump_json()), again)

        assert [call.request for call in first.made] == [call.request for call in again.made] != []
