"""Shared by tests: `QUESTION`, `turn`, `script`, `lab`, `told`, `asked`, `run`, `ended`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from fathom.asks import DirectDataset
from fathom.data.turns import (
    DatasetTurn,
    SubAgentCall,
    ToolCall,
)
from fathom.events import DatasetEnded
from fathom.report import Report
from tests.support.doubles.dataset import SimulatedDataset
from tests.support.doubles.reasoner import Shape
from tests.support.lab import Lab

QUESTION = "India events by theme"


def turn(*agents: SubAgentCall, tools: Iterable[ToolCall] = (), promises: bool = False) -> DatasetTurn:
    return DatasetTurn(sub_agent_calls=agents, tool_calls=tuple(tools), promises_scan=promises)


def script(*turns: DatasetTurn) -> Callable[[DirectDataset], DatasetTurn]:
    """The turns in order; behind them nothing is directed."""
    return lambda ask: turns[ask.state.turn - 1] if ask.state.turn <= len(turns) else DatasetTurn()


def lab(folder: Path, *turns: DatasetTurn, dataset: SimulatedDataset | None = None, **shape: Any) -> Lab:
    directs: dict[str, Any] = {"turns": script(*turns)} if turns else {}
    return Lab(
        folder,
        Shape(subtasks=1, **directs, **shape),
        sources=[],
        datasets=[dataset or SimulatedDataset()],
    )


async def told(place: Lab, kind: type[Any]) -> list[Any]:
    return [event for event in await place.events() if isinstance(event, kind)]


def asked(place: Lab, kind: type[Any]) -> list[Any]:
    return [ask for ask in place.reasoner.asks if isinstance(ask, kind)]


async def run(place: Lab, **limits: Any) -> Report:
    return await place.start(query=QUESTION, mode="simple", **{"max_reflections": 0, **limits})


async def ended(place: Lab) -> DatasetEnded:
    (event,) = await told(place, DatasetEnded)
    return event  # type: ignore[no-any-return]
