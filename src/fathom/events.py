"""What a run tells while it works. Every event is stored before anyone sees it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fathom.evidence import DocumentKind
from fathom.findings import DepthEvaluation
from fathom.frozen import FrozenModel, later
from fathom.plan import MasterPlan, Subtask
from fathom.report import Doubt, Verdicts
from fathom.steering import About, Approval, Command, Decision


class RunStarted(FrozenModel):
    """A process has taken the run up, for the first time or again."""

    kind: Literal["run_started"] = "run_started"
    query: str
    """The user's question."""
    resumed: bool = False
    """Whether an earlier process had taken it up before."""


class Understood(FrozenModel):
    """A follow-up question was put into words that stand by themselves."""

    kind: Literal["understood"] = "understood"
    question: str
    """What is researched."""


class Planned(FrozenModel):
    """The plan is made."""

    kind: Literal["planned"] = "planned"
    plan: MasterPlan
    """The plan, before any revision."""


class SubtaskStarted(FrozenModel):
    """Research on a subtask begins."""

    kind: Literal["subtask_started"] = "subtask_started"
    subtask_id: str
    """The subtask."""
    description: str
    """The sub-question."""


class Allocated(FrozenModel):
    """A round's queries are decided."""

    kind: Literal["allocated"] = "allocated"
    subtask_id: str
    """The subtask."""
    queries: dict[str, tuple[str, ...]]
    """Texts of the queries by source."""
    reason: str = ""
    """Why these sources, in a sentence."""


class DocumentShown(FrozenModel):
    """A document of which passages are read, as it is shown while the run goes on."""

    title: str
    """Its title."""
    uri: str
    """Its address."""
    kind: DocumentKind = later("file")
    """Where it comes from."""


DOCUMENTS_SHOWN = 20
"""At most so many of a round's documents are shown."""


class Gathered(FrozenModel):
    """The sources have answered."""

    kind: Literal["gathered"] = "gathered"
    subtask_id: str
    """The subtask."""
    passages: int
    """Passages not seen before in this subtask."""
    documents: int
    """Documents that these passages stand in."""
    named: tuple[DocumentShown, ...] = later(())
    """These, `DOCUMENTS_SHOWN` at most, the best first."""


class WebSearched(FrozenModel):
    """A provider has answered a search."""

    kind: Literal["web_searched"] = "web_searched"
    subtask_id: str | None = None
    """The subtask; `None` for the question as a whole."""
    provider: str
    """The provider."""
    query: str
    """The words that it was asked for."""
    hits: int
    """Pages that it has found."""
    cached: bool = False
    """Whether the answer came from the archive."""


class PageRead(FrozenModel):
    """A web page was read; every page of a run is read, and told, once."""

    kind: Literal["page_read"] = "page_read"
    url: str
    """Its address."""
    title: str
    """Its title."""
    characters: int
    """Length of its text."""
    cached: bool = False
    """Whether it came from the archive."""


class PageLeftOut(FrozenModel):
    """A web page could not be read."""

    kind: Literal["page_left_out"] = "page_left_out"
    url: str
    """Its address."""
    reason: str
    """Why."""


class DatasetDescribed(FrozenModel):
    """A dataset has told what it holds."""

    kind: Literal["dataset_described"] = "dataset_described"
    dataset: str
    """Its name."""
    records: int | None
    """Its records; `None` when it does not say."""
    fields: int
    """Its fields."""
    tools: tuple[str, ...]
    """The tools that may be called."""
    refused: dict[str, str] = {}
    """Tools that may not, and why."""


class TurnDirected(FrozenModel):
    """The planner has decided what a turn of research on a dataset does."""

    kind: Literal["turn_directed"] = "turn_directed"
    subtask_id: str
    """The subtask."""
    dataset: str
    """The dataset."""
    turn: int
    """1 for the first turn."""
    agents: tuple[str, ...]
    """Sub-agents that run."""
    tools: tuple[str, ...]
    """Tools that are called beside them."""
    reason: str = ""
    """Why, in a sentence."""
    warning: str = ""
    """The UNFETCHED warning that the planner saw."""


class ToolCalled(FrozenModel):
    """A tool of a dataset has answered."""

    kind: Literal["tool_called"] = "tool_called"
    subtask_id: str
    """The subtask."""
    dataset: str
    """The dataset."""
    tool: str
    """The tool."""
    matched: int | None
    """Records that match; `None` when the tool does not say."""
    records: int
    """Records that it has returned."""
    groups: int
    """Groups and steps that it has counted."""


class RecordsScanned(FrozenModel):
    """A batch of records is read."""

    kind: Literal["records_scanned"] = "records_scanned"
    subtask_id: str
    """The subtask."""
    dataset: str
    """The dataset."""
    scanned: int
    """Records read so far, each once."""
    matched: int | None
    """Records that match; `None` when not known."""
    findings: int
    """Findings that the batch has brought."""


class DatasetEnded(FrozenModel):
    """Research on a dataset has ended for a subtask."""

    kind: Literal["dataset_ended"] = "dataset_ended"
    subtask_id: str
    """The subtask."""
    dataset: str
    """The dataset."""
    turns: int
    """Turns that it took."""
    reason: str
    """What ended it."""
    findings: int
    """What it found."""


class NewFinding(FrozenModel):
    """A finding, as it is shown while the run goes on."""

    finding_id: str
    """Its id."""
    claim: str
    """What it says, at most `CLAIM_SHOWN` characters of it."""
    title: str
    """Title of the document that it was found in."""
    uri: str
    """Address of that document."""
    kind: DocumentKind = later("file")
    """Where that comes from."""


CLAIM_SHOWN = 600
FINDINGS_SHOWN = 20
"""At most so many of a round's findings are shown; the report's JSON has them all."""


class Extracted(FrozenModel):
    """The passages are read."""

    kind: Literal["extracted"] = "extracted"
    subtask_id: str
    """The subtask."""
    findings: int
    """New ones in this round."""
    total: int
    """All of the subtask so far."""
    dropped: int = 0
    """Those whose quotes do not stand in what was read."""
    shown: tuple[NewFinding, ...] = ()
    """The new ones, `FINDINGS_SHOWN` at most."""


class Assessed(FrozenModel):
    """The depth of a subtask is judged."""

    kind: Literal["assessed"] = "assessed"
    subtask_id: str
    """The subtask."""
    evaluation: DepthEvaluation
    """The verdict."""


class Routed(FrozenModel):
    """A decision about where to go next, with its reason."""

    kind: Literal["routed"] = "routed"
    subtask_id: str | None = None
    """The subtask; `None` when the decision concerns the run."""
    decision: str
    """The name of the next step."""
    reason: str
    """What decided, in a few words."""


class DrilledDown(FrozenModel):
    """A subtask has opened children."""

    kind: Literal["drilled_down"] = "drilled_down"
    subtask_id: str
    """The subtask that is deepened."""
    children: tuple[Subtask, ...]
    """Its children, most important first."""


class SubtaskEnded(FrozenModel):
    """A subtask is synthesized, or has ended early."""

    kind: Literal["subtask_ended"] = "subtask_ended"
    subtask_id: str
    """The subtask."""
    status: Literal["completed", "partial", "failed", "skipped"]
    """How it ended."""
    findings: int
    """Its findings."""
    reason: str = ""
    """Why it ended early; empty when it did not."""


class PlanRevised(FrozenModel):
    """The plan has changed, or a revision was declined."""

    kind: Literal["plan_revised"] = "plan_revised"
    accepted: bool
    """Whether the revision was carried out."""
    reason: str
    """Why it was, or why not."""
    added: tuple[Subtask, ...] = ()
    """New subtasks."""
    removed: tuple[str, ...] = ()
    """Ids of subtasks that are no longer researched."""
    priority_changes: dict[str, int] = {}
    """New priority by subtask id."""


class Reflected(FrozenModel):
    """The run has looked for weak answers."""

    kind: Literal["reflected"] = "reflected"
    round: int
    """Which reflection, 1 first."""
    weak: tuple[str, ...]
    """Ids of the subtasks that are researched again."""
    not_found: tuple[str, ...]
    """Ids of the subtasks that the sources cannot answer."""


class Outlined(FrozenModel):
    """It is decided what the report tells where."""

    kind: Literal["outlined"] = "outlined"
    title: str
    """Title of the report."""
    sections: tuple[str, ...]
    """Headings of its sections."""


class SectionWritten(FrozenModel):
    """A section of the report is written."""

    kind: Literal["section_written"] = "section_written"
    heading: str
    """Its heading."""
    statements: int
    """Statements that it holds."""
    text: str = ""
    """These statements, as yet unchecked: the report may hold others in their place."""


class Checked(Verdicts):
    """Every citation of the report is checked."""

    kind: Literal["checked"] = "checked"
    doubts: dict[str, tuple[Doubt, ...]] = later({})
    """Why the answer to a subtask may not hold, by its id."""


class StoodIn(FrozenModel):
    """A model gave no usable answer, and the extractive reasoner has answered in its place."""

    kind: Literal["stood_in"] = "stood_in"
    subtask_id: str | None = None
    """The subtask; `None` when the ask was made for the run as a whole."""
    call: str
    """Name of the ask."""
    reason: str
    """Why the model did not answer, in a line."""


class LeftOut(FrozenModel):
    """A model was not shown everything: its window is small, or the rest would tell little for what it costs."""

    kind: Literal["left_out"] = "left_out"
    subtask_id: str | None = None
    """The subtask; `None` when the ask was made for the run as a whole."""
    call: str
    """Name of the ask."""
    count: int
    """Passages or findings that were left out, the least relevant ones."""


class SectionDrafted(FrozenModel):
    """A section is being written: what stands there so far is not checked yet."""

    kind: Literal["section_drafted"] = "section_drafted"
    heading: str
    """Its heading."""
    text: str
    """The sentences that have come since the last such event."""


class CallFailed(FrozenModel):
    """A call to the outside failed; the run goes on without its answer."""

    kind: Literal["call_failed"] = "call_failed"
    subtask_id: str | None = None
    """The subtask; `None` when the call was made for the run as a whole."""
    call: str
    """Kind of the call."""
    error: str
    """What happened, in a line."""


class Spent(FrozenModel):
    """What the run has taken so far; told every few seconds while that changes, and once more at the end."""

    kind: Literal["spent"] = "spent"
    calls: int
    """Calls to reasoner, models, sources and the web, earlier processes included."""
    tokens: int
    """Tokens sent to and received from models."""
    cost_usd: float
    """US dollars for models and for searches of the web, as far as prices are known."""


class ApprovalAsked(FrozenModel):
    """The run waits with something until its person has approved it; all else goes on."""

    kind: Literal["approval_asked"] = "approval_asked"
    approval: Approval
    """What is to be approved, and what happens when nobody answers."""


class ApprovalGiven(FrozenModel):
    """An approval is answered, or the time for that was up."""

    kind: Literal["approval_given"] = "approval_given"
    approval_id: str
    """Which of them."""
    about: About
    """What was to be approved."""
    decision: Decision
    """What was decided."""
    by: Literal["person", "time"]
    """Who has: `time` when nobody has answered in time, so that the run goes on as proposed."""


class Steered(FrozenModel):
    """Somebody has told the run, while it is under way, what to do otherwise."""

    kind: Literal["steered"] = "steered"
    command: Command
    """What it was told."""
    subtask_id: str | None = None
    """Which part that concerns; `None` for the run as a whole."""


class Stopping(FrozenModel):
    """A limit binds or the user has asked to stop; the report is written from what was found."""

    kind: Literal["stopping"] = "stopping"
    reason: str
    """Which limit, `cancelled`, or `written_early`: somebody wanted the report now."""


class Finished(FrozenModel):
    """The report is stored."""

    kind: Literal["finished"] = "finished"
    partial: str | None = None
    """Why the report is incomplete; `None` when it is not."""
    words: int
    """Words of the report."""
    sources: int
    """Sources that it cites."""
    claims: int
    """Sentences that state something."""


class Failed(FrozenModel):
    """The run has ended without a report."""

    kind: Literal["failed"] = "failed"
    error: str
    """What happened, in a line."""


Event = Annotated[
    RunStarted
    | Understood
    | Planned
    | SubtaskStarted
    | Allocated
    | Gathered
    | WebSearched
    | PageRead
    | PageLeftOut
    | DatasetDescribed
    | TurnDirected
    | ToolCalled
    | RecordsScanned
    | DatasetEnded
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
    | StoodIn
    | LeftOut
    | SectionDrafted
    | Spent
    | ApprovalAsked
    | ApprovalGiven
    | Steered
    | Stopping
    | Finished
    | Failed,
    Field(discriminator="kind"),
]


class StoredEvent(FrozenModel):
    """An event with its place in the run."""

    run_id: str
    """The run."""
    seq: int
    """1 for the first event of the run, without gaps."""
    at: str
    """ISO 8601, UTC."""
    event: Event
    """What happened; `kind` says which of them it is."""
