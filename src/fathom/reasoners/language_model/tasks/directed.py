"""A turn of research over a dataset as a model writes it: flat calls, numbers for tools, and every value a text."""

from __future__ import annotations

import json
from typing import Annotated, get_args

from pydantic import BeforeValidator

from fathom.data.requests import Interval
from fathom.data.turns import AgentName, SynthesisFormat
from fathom.reasoners.language_model.task import Wire
from fathom.reasoners.language_model.tasks.conditions import Condition
from fathom.reasoners.language_model.tasks.words import Number, Whole, one_of


class DirectedAgent(Wire):
    """A sub-agent to run."""

    agent: Annotated[str, one_of(get_args(AgentName))]
    """Which one."""
    tools: list[Number] = []
    """Numbers of the tools that it asks; empty for the usual one."""
    table: str = ""
    """The table, if there are several."""
    text: str = ""
    """Words to search for, for a scanner whose tool searches."""
    filters: list[Condition] = []
    """All of them hold; a scanner without any takes those of the last count."""
    group_by: list[str] = []
    """Fields whose values together make the groups."""
    histogram_field: str = ""
    """The date to count over time by; mostly empty."""
    histogram_interval: Annotated[str, one_of([*get_args(Interval), "none"])] = "none"
    """How wide a step of time is."""
    statistics: list[str] = []
    """Fields of numbers to sum up."""
    top_n: Whole = 0
    """Groups that are told; 0 for the usual 20."""
    samples_per_bucket: Whole = 0
    """Records of each group; for a scanner, reads only these."""
    batch_size: Whole = 0
    """Records that a scanner reads at a time; 0 for the usual."""
    focus: str = ""
    """What a scanner or extractor looks for, or the field of the experts."""
    format: Annotated[str, one_of(get_args(SynthesisFormat))] = "comprehensive_report"
    """How the synthesizer puts the answer."""


def _as_text(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value


class DirectedTool(Wire):
    """A tool to call."""

    tool: Number
    """Its number."""
    arguments: Annotated[str, BeforeValidator(_as_text)] = "{}"
    """Its arguments, as the text of a JSON object."""


class Directed(Wire, title="DirectDataset"):
    """What the turn runs."""

    reasoning: str = ""
    """Why, in a sentence."""
    promises_scan: bool = False
    """Whether only reading every matching record answers."""
    agents: list[DirectedAgent] = []
    """Sub-agents to run."""
    tool_calls: list[DirectedTool] = []
    """Tools to call; mostly none."""
