"""The sub-agents that research on a dataset may run: one file each; installed packages may replace one by an entry."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

from fathom.data.turns import AgentLine, AgentName
from fathom.engine.agents.base import SubAgent
from fathom.registry import Registry

sub_agents: Registry[type[SubAgent[Any, Any]]] = Registry(
    "sub-agent",
    group="fathom.agents",
    builtin={
        "decomposer": "fathom.engine.agents.decomposer:Decomposer",
        "perspective": "fathom.engine.agents.perspective:PerspectiveTaker",
        "aggregator": "fathom.engine.agents.aggregator:Aggregator",
        "scanner": "fathom.engine.agents.scanner:Scanner",
        "extractor": "fathom.engine.agents.extractor:Extractor",
        "validator": "fathom.engine.agents.validator:Validator",
        "gap_analyzer": "fathom.engine.agents.gap_analyzer:GapAnalyzer",
        "synthesizer": "fathom.engine.agents.synthesizer:Synthesizer",
    },
)


@cache
def agent_named(name: AgentName) -> SubAgent[Any, Any]:
    """The sub-agent of that name."""
    return sub_agents.get(name)()


@cache
def agent_lines() -> tuple[AgentLine, ...]:
    """All of them, as the planner knows them, in the order in which they are usually run."""
    agents = map(agent_named, get_args(AgentName))
    return tuple(AgentLine(name=agent.name, fetches=agent.fetches, line=agent.line) for agent in agents)
