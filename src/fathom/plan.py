"""The plan of a run: subtasks with dependencies, the queries that each asks of each source, and revisions."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Literal

from pydantic import Field, model_validator

from fathom.evidence import Query
from fathom.frozen import FrozenModel, later
from fathom.preferences import ReportPreferences

Mode = Literal["auto", "simple", "hierarchical"]
ExecutionMode = Literal["simple", "hierarchical"]
SubtaskStatus = Literal["pending", "researching", "completed", "partial", "failed", "skipped", "removed"]
_AROUND = " ,;:.?!()。？"


class Subtask(FrozenModel):
    """A sub-question of the query: the unit of research."""

    subtask_id: str = Field(pattern=r"^task_\d+(\.\d+)*$")
    """`task_1`; a child of it is `task_1.1`."""
    parent_id: str | None = None
    """The subtask that this one deepens; `None` at the root level."""
    depth: int = Field(default=0, ge=0)
    """0 at the root level."""
    description: str = Field(min_length=1)
    """The sub-question, in words that stand alone."""
    focus_area: str = ""
    """What part of the query it covers, in a few words; heads its section of the report."""
    priority: int = Field(default=1, ge=1)
    """Its place in the order, 1 first."""
    dependencies: tuple[str, ...] = ()
    """Ids of the subtasks whose findings it needs."""
    estimated_importance: float = Field(default=0.5, ge=0, le=1)
    """Its share of the budget; 1.0 when the user asked for it by name."""
    queries: tuple[Query, ...] = ()
    """Queries that the planner already knows; the first round asks them and skips the allocation."""
    reason: str = later("")
    """Why it is there: which words of the query ask for it, or what has led to it; empty when nobody knows."""

    @property
    def asked(self) -> str:
        """The sub-question without the one before it, where it carries that along."""
        own, whole = self.focus_area.casefold(), self.description.casefold()
        return self.focus_area if own and whole.endswith((f": {own}", f"：{own}")) else self.description


class MasterPlan(FrozenModel):
    """How a query is answered.

    Ids are unique, dependencies name subtasks of the plan, and no subtask depends on itself, not even through others.
    """

    is_complex: bool
    """Whether the query needs more than one subtask."""
    complexity_reasoning: str = ""
    """Which criteria decided that."""
    execution_mode: ExecutionMode = "simple"
    """`simple` has exactly one subtask."""
    strategy: str | None = None
    """The name of the strategy by which the query was decomposed; `None` for a simple one."""
    subtasks: tuple[Subtask, ...] = Field(min_length=1)
    """In the order of their priority."""
    overall_strategy: str = ""
    """The plan in a sentence, for a person."""
    preferences: ReportPreferences | None = later(None)
    """How the question wishes to be answered, when it says so: its topic is what the subtasks divide."""

    @model_validator(mode="after")
    def _is_a_graph_without_cycles(self) -> MasterPlan:
        check_graph(self.subtasks)
        return self

    def with_reasons(self, query: str) -> MasterPlan:
        """The plan with a reason for each part: where its planner gave none, the words of the query that it has."""
        why = "" if len(self.subtasks) > 1 else self.complexity_reasoning
        parts = (each.model_copy(update={"reason": each.reason or why or _said(each, query)}) for each in self.subtasks)
        return self.model_copy(update={"subtasks": tuple(parts)})


def _said(subtask: Subtask, query: str) -> str:
    """Which words of the query ask for a part; empty when none of them stands in it."""
    words = (subtask.focus_area or subtask.description).strip(_AROUND)
    if (at := query.lower().find(words.lower())) >= 0:
        said = [query[at : at + len(words)]]
    else:
        asked = query.split()
        bare, own = ([word.lower().strip(_AROUND) for word in each] for each in (asked, words.split()))
        shared = SequenceMatcher(None, bare, own, autojunk=False).get_matching_blocks()
        said = [" ".join(asked[at : at + size]).strip(_AROUND) for at, _, size in shared]
    return f"the question says “{' … '.join(filter(None, said))}”" if any(said) else ""


def check_graph(subtasks: tuple[Subtask, ...]) -> None:
    """Refuse double ids, unknown dependencies and cycles.

    Raises:
        ValueError: says which subtask is wrong.
    """
    dependencies = {subtask.subtask_id: set(subtask.dependencies) for subtask in subtasks}
    if len(dependencies) != len(subtasks):
        raise ValueError("two subtasks have the same id")
    for id, needed in dependencies.items():
        if unknown := needed - dependencies.keys():
            raise ValueError(f"{id} depends on {sorted(unknown)[0]}, which is not in the plan")
    while ready := [id for id, needed in dependencies.items() if not needed]:
        for id in ready:
            del dependencies[id]
        for needed in dependencies.values():
            needed.difference_update(ready)
    if dependencies:
        raise ValueError(f"the dependencies of {sorted(dependencies)[0]} form a circle")


class Allocation(FrozenModel):
    """Which source is asked what in one round of a subtask."""

    source: str
    """Name of the source, as it describes itself."""
    queries: tuple[Query, ...] = ()
    """0 to 5 queries; none means that the source is not asked."""


class StrategicPlan(FrozenModel):
    """How one round of a subtask asks the sources."""

    allocations: tuple[Allocation, ...] = ()
    """One per source that is asked."""
    allocation_strategy: str = ""
    """Why these sources, in a sentence."""


class PlanRevision(FrozenModel):
    """What a finished subtask changes in the plan."""

    should_revise: bool
    """Whether anything changes."""
    revision_reasoning: str = ""
    """Why, in a sentence."""
    trigger_type: Literal["new_topic", "scope_adjustment", "contradiction", "importance_shift"] | None = None
    """What the subtask brought to light; `None` when nothing."""
    new_subtasks: tuple[Subtask, ...] = ()
    """To be added; ids are given by the engine."""
    removed_subtasks: tuple[str, ...] = ()
    """Ids of subtasks that are no longer needed; one that has started is not removed."""
    priority_changes: dict[str, int] = {}
    """New priority by subtask id."""
    estimated_impact: float = Field(default=0.0, ge=0, le=1)
    """How much the report gains; a revision at or below 0.7 is not carried out."""


class Perspective(FrozenModel):
    """How one kind of expert would look at a topic."""

    name: str = Field(min_length=1)
    """Who that is."""
    focus: str = ""
    """What they would look at."""
    questions: tuple[str, ...] = ()
    """What they would ask."""
    keywords: tuple[str, ...] = ()
    """What they would search for."""


class Perspectives(FrozenModel):
    """Several ways to look at a topic."""

    perspectives: tuple[Perspective, ...] = ()
    """The most telling first."""
    reasoning: str = ""
    """Why these, in a sentence."""
