"""What a run tells while it works. Every event is stored before anyone sees it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fathom.findings import DepthEvaluation
from fathom.noun import Noun
from fathom.plan import MasterPlan, Subtask


class RunStarted(Noun):
    """A process has taken the run up, for the first time or again."""

    kind: Literal["run_started"] = "run_started"
    query: str
    resumed: bool = False


class Planned(Noun):
    """The plan is made."""

    kind: Literal["planned"] = "planned"
    plan: MasterPlan


class SubtaskStarted(Noun):
    """Research on a subtask begins."""

    kind: Literal["subtask_started"] = "subtask_started"
    subtask_id: str
    description: str


class Allocated(Noun):
    """A round's queries are decided."""

    kind: Literal["allocated"] = "allocated"
    subtask_id: str
    queries: dict[str, tuple[str, ...]]
    """Texts of the queries by source."""
    reason: str = ""


class Gathered(Noun):
    """The sources have answered."""

    kind: Literal["gathered"] = "gathered"
    subtask_id: str
    passages: int
    """Passages not seen before in this subtask."""
    documents: int


class Extracted(Noun):
    """The passages are read."""

    kind: Literal["extracted"] = "extracted"
    subtask_id: str
    findings: int
    """New ones in this round."""
    total: int
    """All of the subtask so far."""


class Assessed(Noun):
    """The depth of a subtask is judged."""

    kind: Literal["assessed"] = "assessed"
    subtask_id: str
    evaluation: DepthEvaluation


class Routed(Noun):
    """A decision about where to go next, with its reason."""

    kind: Literal["routed"] = "routed"
    subtask_id: str | None = None
    decision: str
    """The name of the next step."""
    reason: str


class DrilledDown(Noun):
    """A subtask has opened children."""

    kind: Literal["drilled_down"] = "drilled_down"
    subtask_id: str
    children: tuple[Subtask, ...]


class SubtaskEnded(Noun):
    """A subtask is synthesized, or has ended early."""

    kind: Literal["subtask_ended"] = "subtask_ended"
    subtask_id: str
    status: Literal["completed", "partial", "failed"]
    findings: int
    reason: str = ""


class PlanRevised(Noun):
    """The plan has changed, or a revision was declined."""

    kind: Literal["plan_revised"] = "plan_revised"
    accepted: bool
    reason: str
    added: tuple[Subtask, ...] = ()
    removed: tuple[str, ...] = ()
    priority_changes: dict[str, int] = {}


class Reflected(Noun):
    """The run has looked for weak answers."""

    kind: Literal["reflected"] = "reflected"
    round: int
    weak: tuple[str, ...]
    not_found: tuple[str, ...]


class Outlined(Noun):
    """It is decided what the report tells where."""

    kind: Literal["outlined"] = "outlined"
    title: str
    sections: tuple[str, ...]


class SectionWritten(Noun):
    """A section of the report is written."""

    kind: Literal["section_written"] = "section_written"
    heading: str
    statements: int


class Checked(Noun):
    """Every citation of the report is checked."""

    kind: Literal["checked"] = "checked"
    supported: int
    partial: int
    unsupported: int
    uncited: int


class CallFailed(Noun):
    """A call to the outside failed; the run goes on without its answer."""

    kind: Literal["call_failed"] = "call_failed"
    subtask_id: str | None = None
    call: str
    error: str


class Stopping(Noun):
    """A limit binds or the user has asked to stop; the report is written from what was found."""

    kind: Literal["stopping"] = "stopping"
    reason: str


class Finished(Noun):
    """The report is stored."""

    kind: Literal["finished"] = "finished"
    partial: str | None = None
    words: int
    sources: int
    claims: int


class Failed(Noun):
    """The run has ended without a report."""

    kind: Literal["failed"] = "failed"
    error: str


Event = Annotated[
    RunStarted
    | Planned
    | SubtaskStarted
    | Allocated
    | Gathered
    | Extracted
    | Assessed
    | Routed
    | DrilledDown
    | SubtaskEnded
    | PlanRevised
    | Reflected
    | Outlined
    | SectionWritten
    | Checked
    | CallFailed
    | Stopping
    | Finished
    | Failed,
    Field(discriminator="kind"),
]


class StoredEvent(Noun):
    """An event with its place in the run."""

    run_id: str
    seq: int
    """1 for the first event of the run, without gaps."""
    at: str
    """ISO 8601, UTC."""
    event: Event
