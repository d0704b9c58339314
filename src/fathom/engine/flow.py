"""A flow of steps: walked here, or as a LangGraph graph when somebody looks on.

LangGraph draws up the checkpoints and hands the steps to whoever traces them. A run that nobody looks at, as a replay,
does without it, for importing it takes longer than many a run. What the steps do does not depend on who walks.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from fathom.engine.context import Context
from fathom.plan import Subtask

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph, StateGraph

DONE = "end"
"""Where a route leads when nothing follows."""


class Subtasks(Protocol):
    """Starts subtasks: what steps ask of `fathom.engine.scheduler`, which walks these steps itself."""

    @property
    def busy(self) -> bool:
        """Whether anything is under way."""
        ...

    def start_ready(self) -> None:
        """Start what may start."""
        ...

    async def progress(self) -> None:
        """Wait until something has ended."""
        ...

    async def take_places(self, key: str, wanted: int) -> int:
        """How many of `wanted` further subtasks there may be."""
        ...

    async def research_all(self, children: Sequence[Subtask]) -> None:
        """Research the children of a subtask."""
        ...

    async def research_again(self, weak: Sequence[str], round: int, searches: Mapping[str, tuple[str, ...]]) -> None:
        """Research subtasks a second time."""
        ...


@dataclass(frozen=True)
class Runtime:
    """What a step is given besides what the one before it has handed on."""

    context: Context
    subtasks: Subtasks


Step = Callable[[Any, Runtime], Awaitable[Any]]
"""From what is handed on, and the runtime, to the part that it writes."""


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
        runtime: Runtime,
        *,
        checkpointer: BaseCheckpointSaver[Any] | None = None,
        **config: Any,
    ) -> None:
        """Take every step from the state `start` to the end; `config` is for LangGraph, if it is to walk."""
        if runtime.context.is_watched:
            # without a checkpointer there is nothing whose durability could be chosen
            how: dict[str, Any] = {"durability": "async"} if checkpointer else {}
            whole: Any = {"recursion_limit": 100_000, **config}
            await self.compiled(checkpointer).ainvoke(start, whole, context=runtime, **how)
            return
        state, at = dict(start), 0
        names = [step.__name__ for step in self.steps]
        while at < len(names):
            state |= await self.steps[at](state, runtime)
            to = self.routes[names[at]][0](state) if names[at] in self.routes else None
            at = at + 1 if to is None else len(names) if to == DONE else names.index(to)

    def compiled(
        self, checkpointer: BaseCheckpointSaver[Any] | None = None
    ) -> CompiledStateGraph[Any, Runtime, Any, Any]:
        """The same as a graph; with a checkpointer its states can be looked at."""
        if checkpointer is None:
            return _compiled(self)
        return _graph_of(self).compile(checkpointer=checkpointer, name=self.name)


@cache
def _compiled(flow: Flow) -> CompiledStateGraph[Any, Runtime, Any, Any]:
    return _graph_of(flow).compile(name=flow.name)


@cache
def _graph_of(flow: Flow) -> StateGraph[Any, Runtime, Any, Any]:
    from langgraph.graph import END, START, StateGraph

    graph: StateGraph[Any, Runtime, Any, Any] = StateGraph(flow.state, context_schema=Runtime)
    for step in flow.steps:
        graph.add_node(step.__name__, _node(step))
    for before, name in pairwise([START, *(step.__name__ for step in flow.steps), END]):
        if before in flow.routes:
            decide, ways = flow.routes[before]
            graph.add_conditional_edges(before, decide, {way: END if way == DONE else way for way in ways})
        else:
            graph.add_edge(before, name)
    return graph


def _node(step: Step) -> Any:
    async def node(state: Any, runtime: Any) -> Any:  # LangGraph's own runtime, which holds ours
        return await step(state, runtime.context)

    return node
