"""How far a run is: its events, folded into one row per subtask. The terminal, the service and the page show these."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, assert_never

from fathom import events
from fathom.findings import DepthQuality
from fathom.noun import Noun
from fathom.plan import Subtask, SubtaskStatus
from fathom.text.harmless import inert
from fathom.text.places import Unplaced
from fathom.text.plural import counted

Doing = Literal[
    DepthQuality, "waits", "starts", "asks", "reads", "turns", "scans", "scans_of", "judges", "asks_further",
    "goes_deeper", "sums_up", "waits_for", "because", "nothing",
]  # fmt: skip
"""What a subtask is doing; of one that has ended, `because` or `nothing`."""
Phase = Literal[
    "starting", "planning", "asking", "researching", "researching_again", "outlining", "writing", "writing_section",
    "checking", "stopping", "completed", "partial", "nothing", "failed",
]  # fmt: skip
"""What a run is doing, or how it has ended."""

_STEPS: dict[str, Doing] = {"allocate": "asks_further", "drill_down": "goes_deeper", "synthesize": "sums_up"}
"""What a subtask does next, by the name of the step."""

DRAFT_SHOWN = 240
"""Characters of a section's draft that are kept to be shown."""


class Step(Noun):
    """What is being done, for who tells it in a language of their own."""

    name: Doing | Phase
    """Which step it is."""
    values: dict[str, int | Unplaced] = {}
    """What belongs to it: names and numbers."""


@dataclass
class Row:
    """A subtask as it stands."""

    subtask_id: str
    depth: int
    description: str
    priority: int = 1
    status: SubtaskStatus = "pending"
    doing: str = "waits"
    """What it is doing, in a few words; of a subtask that has ended, how it ended."""
    step: Step = field(default_factory=lambda: Step(name="waits"))
    """The same as a step."""
    passages: int = 0
    findings: int = 0
    started: datetime | None = None
    ended: datetime | None = None

    def seconds(self, now: datetime) -> float | None:
        """How long it has been researched; `None` before it starts."""
        return (self.ended or now).timestamp() - self.started.timestamp() if self.started else None


@dataclass
class RunProgress:
    """A run as its events tell it. Words from documents and from outside are made inert here."""

    query: str = ""
    phase: str = "starting"
    """What the run as a whole is doing."""
    step: Step = field(default_factory=lambda: Step(name="starting"))
    """The same as a step."""
    started: datetime | None = None
    """When a process has taken the run up last."""
    rows: dict[str, Row] = field(default_factory=dict)
    """By subtask id."""
    pages: int = 0
    """Web pages that have been read."""
    datasets: dict[str, dict[str, int]] = field(default_factory=dict)
    """Records that were read of each dataset so far, by subtask id."""
    drafts: dict[str, str] = field(default_factory=dict)
    """The end of what stands in each section that is being written, by its heading."""
    title: str | None = None
    """Title of the report, once it is decided what it tells."""
    spent: events.Spent | None = None
    """What the run has taken so far."""
    checked: events.Checked | None = None
    """The counts of the last check."""
    troubles: list[str] = field(default_factory=list)
    """What went wrong on the way and the run went on without, a line each."""
    error: str | None = None
    """Why the run failed; `None` again once it was taken up."""

    def tree(self) -> list[Row]:
        """The rows, each behind its parent."""
        return sorted(self.rows.values(), key=lambda row: [int(part) for part in row.subtask_id[5:].split(".")])

    def take(self, stored: events.StoredEvent) -> None:
        """Take an event in."""
        at = datetime.fromisoformat(stored.at)
        match stored.event:
            case events.RunStarted(query=query):
                self.query, self.started, self.error = query, at, None
                self.drafts, self.pages = {}, 0
                self._is("planning")
                self._wait_again()
            case events.Planned(plan=plan):
                self.rows = {}
                self._add(plan.subtasks)
                self._is("researching")
            case events.SubtaskStarted(subtask_id=id, description=description):
                row = self.row(id, description)
                row.status, row.started = "researching", row.started or at
                self._does(id, "starts")
            case events.Allocated(subtask_id=id, queries=queries):
                where = ", ".join(queries)
                self._does(id, "asks", f"asks {where or 'nothing'}", where=where)
            case events.Gathered(subtask_id=id, passages=passages):
                self.row(id).passages += passages
                self._does(id, "reads", f"reads {counted(passages, 'passage')}", n=passages)
            case events.WebSearched(subtask_id=id, provider=provider, cached=cached):
                if id is not None:
                    self._does(id, "asks", f"asks {searched(provider, cached=cached)}", where=provider)
                else:
                    self._is("asking", f"asking {searched(provider, cached=cached)}", where=provider)
            case events.PageRead():
                self.pages += 1
            case events.TurnDirected(subtask_id=id, turn=turn, agents=agents, tools=tools):
                what = ", ".join((*agents, *tools))
                self._does(id, "turns", f"turn {turn}: {directed(agents, tools)}", turn=turn, what=what)
            case events.RecordsScanned(subtask_id=id, dataset=dataset, scanned=scanned, matched=matched):
                self.datasets.setdefault(dataset, {})[id] = scanned
                doing: Doing = "scans" if matched is None else "scans_of"
                self._does(id, doing, f"reads records: {scanned:,}{of_all(matched)}", n=scanned, all=matched or 0)
            case events.DatasetDescribed(dataset=dataset):
                self.datasets.setdefault(dataset, {})
            case events.Extracted(subtask_id=id, total=total):
                self.row(id).findings = total
                self._does(id, "judges", "judges the depth")
            case events.Assessed(subtask_id=id, evaluation=evaluation):
                self._does(id, evaluation.depth_quality, f"is {evaluation.depth_quality}")
            case events.Routed(subtask_id=str() as id, decision=decision):
                if step := _STEPS.get(decision):
                    self._does(id, step)
                else:
                    self.row(id).doing = words(decision)
            case events.DrilledDown(subtask_id=id, children=children):
                self._add(children)
                count = len(children)
                self._does(id, "waits_for", f"waits for {counted(count, 'child', 'children')}", n=count)
            case events.SubtaskEnded(subtask_id=id, status=status, findings=findings, reason=reason):
                row = self.row(id)
                row.status, row.findings, row.ended = status, findings, at
                why = {"reason": reason} if reason else {}
                self._does(id, "because" if reason else "nothing", inert(reason, width=60) or status, **why)
            case events.PlanRevised(added=added, removed=removed, priority_changes=changes):
                self._revise(added, removed, changes)
            case events.Reflected(weak=weak):
                self._is("researching_again") if weak else self._is("outlining", "writing")
            case events.Outlined(title=title):
                self.title = inert(title)
                self._is("writing")
            case events.SectionDrafted(heading=heading, text=text):
                short = self._writes(heading)
                self.drafts[short] = f"{self.drafts.get(short, '')}{inert(text)} "[-DRAFT_SHOWN:]
            case events.SectionWritten(heading=heading):
                self.drafts.pop(self._writes(heading), None)
            case events.Checked() as checked:
                self.checked = checked
                self._is("checking", "checking citations")
            case events.StoodIn() | events.LeftOut() | events.CallFailed() as trouble:
                self.troubles.append(self._trouble(trouble))
            case events.Spent() as spent:
                self.spent = spent
            case events.Stopping(reason=reason):
                self._is("stopping", f"stopping ({inert(reason, width=40)})")
            case events.Finished(partial=str()):
                self._is("partial")
            case events.Finished(claims=claims):
                self._is("completed" if claims else "nothing", "done" if claims else "nothing found")
            case events.Failed(error=error):
                self.error = inert(error)
                self._is("failed")
            case events.PageLeftOut() | events.ToolCalled() | events.DatasetEnded() | events.Routed():
                pass  # they change no row
            case event:
                assert_never(event)

    def row(self, id: str, description: str = "") -> Row:
        """The row of a subtask, which is made when nothing was told of it yet."""
        if id not in self.rows:
            self.rows[id] = Row(id, id.count("."), inert(description))
        return self.rows[id]

    def _is(self, phase: Phase, told: str = "", **values: int | str) -> None:
        self.phase, self.step = told or words(phase), Step(name=phase, values=values)

    def _does(self, id: str, doing: Doing, told: str = "", **values: int | str) -> None:
        row = self.row(id)
        row.doing, row.step = told or words(doing), Step(name=doing, values=values)

    def _writes(self, heading: str) -> str:
        """A section is being written; its heading, short."""
        short = inert(heading, width=40)
        self._is("writing_section", f"writing “{short}”", heading=heading)
        return short

    def _trouble(self, event: events.StoodIn | events.LeftOut | events.CallFailed) -> str:
        told = f"{event.subtask_id or 'run'}: {inert(event.call, width=60)}"
        match event:
            case events.StoodIn(reason=reason):
                why = inert(reason, width=200)
                again = any(line.endswith(why) for line in self.troubles)
                return f"{told} answered without the model: {'again, for the same reason.' if again else why}"
            case events.LeftOut(count=count):
                return f"{told} has no room for {counted(count, 'item')}, the least relevant."
            case events.CallFailed(error=error):
                return f"{told} failed: {inert(error, width=200)}"

    def _add(self, subtasks: tuple[Subtask, ...]) -> None:
        for subtask in subtasks:
            row = self.row(subtask.subtask_id, subtask.description)
            row.depth, row.priority = subtask.depth, subtask.priority

    def _revise(self, added: tuple[Subtask, ...], removed: tuple[str, ...], priorities: dict[str, int]) -> None:
        self._add(added)
        for id in removed:
            self.row(id).status = "removed"
            self._does(id, "nothing", "is no longer needed")
        for id, priority in priorities.items():
            self.row(id).priority = priority

    def _wait_again(self) -> None:
        """A process that takes the run up starts what its forerunner had under way."""
        for row in self.rows.values():
            if row.status == "researching":
                row.status = "pending"
                self._does(row.subtask_id, "waits")


def searched(provider: str, *, cached: bool) -> str:
    """Who has answered a search of the web."""
    return inert(provider, width=40) + (" (archive)" if cached else "")


def directed(agents: tuple[str, ...], tools: tuple[str, ...]) -> str:
    """What a turn of research on a dataset runs."""
    return inert(", ".join((*agents, *tools)), width=100) or "nothing"


def of_all(matched: int | None) -> str:
    """The end of a count: ` of 1,200` records that match, where that is known."""
    return f" of {matched:,}" if matched is not None else ""


def words(name: str) -> str:
    """The name of a step in words."""
    return inert(name.replace("_", " "), width=40)
