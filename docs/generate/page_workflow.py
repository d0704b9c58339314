"""The page with the drawings of the workflow, made from the compiled graphs."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from langchain_core.runnables.graph import Graph

from fathom.engine.graph import RUN
from fathom.engine.loop import LOOP


def workflow() -> str:
    """The shell, the loop of a subtask, and both modes."""
    shell, subtask = (flow.compiled().get_graph() for flow in (RUN, LOOP))
    return "\n".join(
        [
            "# Workflow\n",
            "Drawn from the compiled graphs. A dotted line is one of several ways; which one is taken is decided by a "
            "pure function over typed verdicts (`fathom.engine.routing`).\n",
            "## A run\n",
            "`research` is visited again for each subtask that ends; `reflect` for each reflection.\n",
            mermaid(shell.draw_mermaid()),
            "## A subtask\n",
            "One loop over any source. `direct` divides the queries of a round among the sources and asks the planner "
            "of each dataset for a turn; `act` does all of it side by side; `accumulate` takes down what came, in the "
            "order in which it was directed. `assess` goes back to `direct` for the planners that have more to do (the "
            "rules are in `fathom.engine.data.ending`); when all of them have ended it judges how deep the findings "
            "go. `drill_down` walks through the same loop for each child, side by side, and waits for them.\n",
            mermaid(subtask.draw_mermaid()),
            "## Simple mode\n",
            "A plan of one subtask.\n",
            mermaid(nested(shell, subtask, {"task_1": ()})),
            "## Hierarchical mode\n",
            "A plan with dependencies; here two subtasks side by side, and a third that builds on both. Each starts "
            "the moment its dependencies end.\n",
            mermaid(nested(shell, subtask, {"task_1": (), "task_2": (), "task_3": ("task_1", "task_2")})),
        ]
    )


def nested(shell: Graph, subtask: Graph, plan: Mapping[str, tuple[str, ...]]) -> str:
    """The shell with the subtasks of a plan inside of `research`."""
    lines = ["flowchart TD", "\tsubgraph research"]
    for id, dependencies in plan.items():
        lines += [f"\tsubgraph {id}", *drawn(subtask, prefix=f"{id}_"), "\tend"]
        lines += [f"\t{needed} ==> {id}" for needed in dependencies]
    return "\n".join([*lines, "\tend", *drawn(shell, prefix="run_", boxes={"research"})])


def drawn(graph: Graph, *, prefix: str, boxes: Container[str] = ()) -> Iterator[str]:
    """The nodes and edges of a graph, under ids of their own; `boxes` are nodes that are drawn elsewhere."""
    ids = {name: name if name in boxes else f"{prefix}{name.strip('_')}" for name in graph.nodes}
    for name, id in ids.items():
        if name not in boxes:
            yield f"\t{id}([{name.strip('_')}])" if name.startswith("__") else f"\t{id}[{name}]"
    for edge in graph.edges:
        if edge.source == edge.target and edge.source in boxes:
            continue
        yield f"\t{ids[edge.source]} {'-.->' if edge.conditional else '-->'} {ids[edge.target]}"


def mermaid(drawing: str) -> str:
    """A fenced drawing."""
    return f"```mermaid\n{drawing.strip()}\n```\n"
