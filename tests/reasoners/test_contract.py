"""Every reasoner keeps the contract."""

from __future__ import annotations

import pytest

from fathom.ports import Reasoner
from fathom.reasoners.extractive import ExtractiveReasoner
from fathom.testing.reasoner import SimulatedReasoner
from tests.contracts import ReasonerContract


class TestExtractiveReasoner(ReasonerContract):
    @pytest.fixture
    def reasoner(self) -> Reasoner:
        return ExtractiveReasoner()


class TestSimulatedReasoner(ReasonerContract):
    @pytest.fixture
    def reasoner(self) -> Reasoner:
        return SimulatedReasoner()
