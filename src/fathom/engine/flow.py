"""A flow of steps: walked here, or as a LangGraph graph when somebody looks on.

LangGraph draws up the checkpoints and hands the steps to whoever traces them. A run that nobody looks at, as a replay,
does without it, for importing it takes longer than many a run. What the steps do does not depend on who walks.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

from fathom.engine.context import Context

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph, StateGraph

DONE = "end"
"""Where a route leads when nothing follows."""


@dataclass(frozen=True)
class Runtime:
    """What a step is given besides the state; of LangGraph's own, the steps use no more than this."""

    context: Context


Step = Callable[[Any, Any], Awaitable[Any]]
"""From the state and the runtime to the part of the state that it writes."""


@dataclass(frozen=True, eq=False)
class Flow:
    """Steps, one after the other."""

    name: str
    state: type[Any]
    """Of what the steps hand on."""
    steps: Sequence[Step]
    """In order."""
    routes: Mapping[str, tuple[Callable[[Any], str], Sequence[str]]]
    """By the name of a step that the next one does not simply follow: what decides, and where it may lead."""

    async def walk(
        self,
        start: Any,
        context: Context,
        *,
        checkpointer: BaseCheckpointSaver[Any] | None = None,
        **config: Any,
    ) -> None:
        """Take every step from the state `start` to the end; `config` is for LangGraph, if it is to walk."""
        if context.is_watched:
            # without a checkpointer there is nothing whose durability could be chosen
            how: dict[str, Any] = {"durability": "async"} if checkpointer else {}
            whole: Any = {"recursion_limit": 100_000, **config}
            await self.compiled(checkpointer).ainvoke(start, whole, context=context, **how)
            return
        state, at = dict(start), 0
        names = [step.__name__ for step in self.steps]
        while at < len(names):
            state |= await self.steps[at](state, Runtime(context))
            to = self.routes[names[at]][0](state) if names[at] in self.routes else None
            at = at + 1 if to is None else len(names) if to == DONE else names.index(to)

    def compiled(
        self, checkpointer: BaseCheckpointSaver[Any] | None = None
    ) -> CompiledStateGraph[Any, Context, Any, Any]:
        """The same as a graph; with a checkpointer its states can be looked at."""
        if checkpointer is None:
            return _compiled(self)
        return _graph_of(self).compile(checkpointer=checkpointer, name=self.name)


@cache
def _compiled(flow: Flow) -> CompiledStateGraph[Any, Context, Any, Any]:
    return _graph_of(flow).compile(name=flow.name)


@cache
def _graph_of(flow: Flow) -> StateGraph[Any, Context, Any, Any]:
    from langgraph.graph import END, START, StateGraph

    graph: StateGraph[Any, Context, Any, Any] = StateGraph(flow.state, context_schema=Context)
    for step in flow.steps:
        graph.add_node(cast(Any, step))  # its own types want to know more of the state
    for before, name in pairwise([START, *(step.__name__ for step in flow.steps), END]):
        if before in flow.routes:
            decide, ways = flow.routes[before]
            graph.add_conditional_edges(before, decide, {way: END if way == DONE else way for way in ways})
        else:
            graph.add_edge(before, name)
    return graph
