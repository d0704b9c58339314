"""What a call of a turn works with: the run, what is known of the dataset, its place in the run, and what it leaves."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from fathom.asks import Ask
from fathom.data.fields import DataTool
from fathom.data.requests import DataRequest
from fathom.data.turns import ToolAnswer
from fathom.engine.context import Context
from fathom.engine.data.state import CallOutcome, DatasetState
from fathom.engine.sources import PlacedCalls
from fathom.errors import LOST, ProviderError
from fathom.events import ToolCalled
from fathom.frozen import FrozenModel

A = TypeVar("A", bound=FrozenModel)


@dataclass
class AgentContext:
    """Of one call, by a sub-agent or of a tool."""

    context: Context
    dataset: DatasetState
    path: str
    outcome: CallOutcome = field(default_factory=CallOutcome)
    """What failed, what tools have answered."""

    def aside(self) -> AgentContext:
        """The same place for a call that is made beside others: what fails there is taken over in order."""
        return AgentContext(self.context, self.dataset, self.path, CallOutcome(besides=self.outcome.besides))

    async def ask(self, ask: Ask[A], *, at: str = "") -> A | None:
        """The reasoner's answer; a failure is told, and answered with `None`.

        Raises:
            LimitReached: the run has stopped.
        """
        try:
            return await self.context.ask(self._at(at), ask)
        except ProviderError as error:
            self.outcome.errors.append(f"{ask.kind()}: {error}")
            await self.context.tell_failure(ask.kind(), error, self.dataset.subtask)
            return None

    async def fetch(self, tool: DataTool, request: DataRequest, *, at: str = "") -> ToolAnswer | None:
        """What a tool returns for a request; a failure is told, and answered with `None`.

        Raises:
            LimitReached: the run has stopped.
        """
        calls, besides = self._calls(at), self.outcome.besides
        return await self._tried(tool, self.dataset.data.ask(tool, request, besides=besides, calls=calls))

    async def call(self, tool: DataTool, arguments: dict[str, Any]) -> ToolAnswer | None:
        """What a tool returns for arguments as the planner has written them; otherwise as `fetch`."""
        return await self._tried(tool, self.dataset.data.call(tool, arguments, calls=self._calls()))

    def _at(self, place: str) -> str:
        return f"{self.path}/{place}" if place else self.path

    def _calls(self, at: str = "") -> PlacedCalls:
        return PlacedCalls(self.context, self._at(at), self.dataset.subtask)

    async def _tried(self, tool: DataTool, answer: Awaitable[ToolAnswer]) -> ToolAnswer | None:
        name = self.dataset.description.name
        try:
            return await answer
        except ProviderError as error:
            if isinstance(error, LOST):
                self.context.state.material.fail(name, error)
            self.outcome.errors.append(f"{tool.name}: {error}")
            await self.context.tell_failure(f"{name} {tool.name}", error, self.dataset.subtask)
            return None

    async def tell(self, tool: DataTool, answer: ToolAnswer) -> None:
        """Say that a tool has answered."""
        await self.context.emit(
            ToolCalled(
                subtask_id=self.dataset.subtask.subtask_id,
                dataset=self.dataset.description.name,
                tool=tool.name,
                matched=answer.matched,
                records=answer.records,
                groups=sum(len(result.aggregation.buckets) for result in answer.results),
            )
        )
