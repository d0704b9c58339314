"""The graph of one subtask: allocate → gather → extract → assess → gather again, drill down, or synthesize."""

from __future__ import annotations

from functools import cache
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from fathom.engine.context import Context
from fathom.engine.state import Branch, Step
from fathom.engine.steps.assess import assess, drill_down
from fathom.engine.steps.extract import extract
from fathom.engine.steps.gather import allocate, gather
from fathom.engine.steps.synthesize import synthesize


def where_to(branch: Branch) -> Step:
    """Where routing has decided to go (see `fathom.engine.routing`)."""
    return branch["next"]


@cache
def subtask_graph() -> CompiledStateGraph[Branch, Context, Any, Any]:
    """Compiled without a checkpointer: the journal answers what was asked before."""
    graph = StateGraph(Branch, context_schema=Context)
    graph.add_node(allocate)
    graph.add_node(gather)
    graph.add_node(extract)
    graph.add_node(assess)
    graph.add_node(drill_down)
    graph.add_node(synthesize)
    graph.add_edge(START, "allocate")
    graph.add_edge("allocate", "gather")
    graph.add_edge("gather", "extract")
    graph.add_conditional_edges("extract", where_to, {"assess": "assess", "synthesize": "synthesize", "end": END})
    graph.add_conditional_edges(
        "assess", where_to, {"allocate": "allocate", "drill_down": "drill_down", "synthesize": "synthesize"}
    )
    graph.add_edge("drill_down", "synthesize")
    graph.add_edge("synthesize", END)
    return graph.compile(name="subtask")
