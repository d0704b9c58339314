"""The sub-agents that research on a dataset may run: installed packages may replace one by an entry."""

from __future__ import annotations

from functools import cache
from typing import Any, Protocol, TypeVar, get_args

from fathom.data.turns import AgentLine, AgentName
from fathom.engine.data.agent import AgentContext
from fathom.frozen import FrozenModel
from fathom.registry import Registry

C = TypeVar("C", contravariant=True)


class SubAgent(Protocol[C]):
    """Does one kind of work on a dataset. Without memory of its own: all that is known is in `agent.dataset`."""

    name: AgentName
    fetches: bool
    """Whether it calls tools."""
    reads: bool
    """Whether it reads records for findings: such agents work one after the other, so that each record is read once."""
    line: str
    """What it does, for the planner."""

    async def run(self, agent: AgentContext, call: C) -> FrozenModel | None:
        """What the call comes to; `None` when it failed, or has left the answers of tools alone: `agent.outcome` knows.

        Raises:
            LimitReached: the run has stopped.
        """
        ...


sub_agents: Registry[type[SubAgent[Any]]] = Registry(
    "sub-agent",
    group="fathom.agents",
    builtin={
        "decomposer": "fathom.engine.agents.asking:Decomposer",
        "perspective": "fathom.engine.agents.asking:PerspectiveTaker",
        "aggregator": "fathom.engine.agents.reading:Aggregator",
        "scanner": "fathom.engine.agents.scanner:Scanner",
        "extractor": "fathom.engine.agents.reading:Extractor",
        "validator": "fathom.engine.agents.asking:Validator",
        "gap_analyzer": "fathom.engine.agents.asking:GapAnalyzer",
        "synthesizer": "fathom.engine.agents.asking:Synthesizer",
    },
)


@cache
def agent_named(name: AgentName) -> SubAgent[Any]:
    """The sub-agent of that name."""
    return sub_agents.get(name)()


@cache
def agent_lines() -> tuple[AgentLine, ...]:
    """All of them, as the planner knows them, in the order in which they are usually run."""
    agents = map(agent_named, get_args(AgentName))
    return tuple(AgentLine(name=agent.name, fetches=agent.fetches, line=agent.line) for agent in agents)
