"""How far a run is: its events, folded into one row per subtask."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import assert_never

from fathom import events
from fathom.plan import Subtask, SubtaskStatus
from fathom.text.harmless import inert
from fathom.text.plural import counted

_STEPS = {"allocate": "asks further", "drill_down": "goes deeper", "synthesize": "sums up"}
"""What a subtask does next, by the name of the step."""

DRAFT_SHOWN = 240
"""Characters of a section's draft that are kept to be shown."""


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
    rows: dict[str, Row] = field(default_factory=dict)
    """By subtask id."""
    pages: int = 0
    """Web pages that have been read."""
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
                self.query, self.phase, self.error = query, "planning", None
                self.drafts, self.pages = {}, 0
                self._wait_again()
            case events.Planned(plan=plan):
                self.rows = {}
                self._add(plan.subtasks)
                self.phase = "researching"
            case events.SubtaskStarted(subtask_id=id, description=description):
                row = self.row(id, description)
                row.status, row.doing, row.started = "researching", "starts", row.started or at
            case events.Allocated(subtask_id=id, queries=queries):
                self.row(id).doing = f"asks {', '.join(queries) or 'nothing'}"
            case events.Gathered(subtask_id=id, passages=passages):
                row = self.row(id)
                row.passages += passages
                row.doing = f"reads {counted(passages, 'passage')}"
            case events.WebSearched(subtask_id=id, provider=provider, cached=cached):
                if id is not None:
                    self.row(id).doing = f"asks {searched(provider, cached=cached)}"
                else:
                    self.phase = f"asking {searched(provider, cached=cached)}"
            case events.PageRead():
                self.pages += 1
            case events.TurnDirected(subtask_id=id, turn=turn, agents=agents, tools=tools):
                self.row(id).doing = f"turn {turn}: {directed(agents, tools)}"
            case events.RecordsScanned(subtask_id=id, scanned=scanned, matched=matched):
                self.row(id).doing = f"reads records: {scanned:,}{of_all(matched)}"
            case events.Extracted(subtask_id=id, total=total):
                row = self.row(id)
                row.findings, row.doing = total, "judges the depth"
            case events.Assessed(subtask_id=id, evaluation=evaluation):
                self.row(id).doing = f"is {evaluation.depth_quality}"
            case events.Routed(subtask_id=str() as id, decision=decision):
                self.row(id).doing = _STEPS.get(decision, words(decision))
            case events.DrilledDown(subtask_id=id, children=children):
                self._add(children)
                self.row(id).doing = f"waits for {counted(len(children), 'child', 'children')}"
            case events.SubtaskEnded(subtask_id=id, status=status, findings=findings, reason=reason):
                row = self.row(id)
                row.status, row.findings, row.ended = status, findings, at
                row.doing = inert(reason, width=60) or status
            case events.PlanRevised(added=added, removed=removed, priority_changes=changes):
                self._revise(added, removed, changes)
            case events.Reflected(weak=weak):
                self.phase = "researching again" if weak else "writing"
            case events.Outlined(title=title):
                self.phase, self.title = "writing", inert(title)
            case events.SectionDrafted(heading=heading, text=text):
                heading = inert(heading, width=40)
                self.phase = f"writing “{heading}”"
                self.drafts[heading] = f"{self.drafts.get(heading, '')}{inert(text)} "[-DRAFT_SHOWN:]
            case events.SectionWritten(heading=heading):
                self.drafts.pop(inert(heading, width=40), None)
                self.phase = f"writing “{inert(heading, width=40)}”"
            case events.Checked() as checked:
                self.phase, self.checked = "checking citations", checked
            case events.StoodIn() | events.LeftOut() | events.CallFailed() as trouble:
                self.troubles.append(self._trouble(trouble))
            case events.Spent() as spent:
                self.spent = spent
            case events.Stopping(reason=reason):
                self.phase = f"stopping ({inert(reason, width=40)})"
            case events.Finished(partial=partial, claims=claims):
                self.phase = "partial" if partial else "done" if claims else "nothing found"
            case events.Failed(error=error):
                self.phase, self.error = "failed", inert(error)
            case (
                events.PageLeftOut()
                | events.DatasetDescribed()
                | events.ToolCalled()
                | events.DatasetEnded()
                | events.Routed()
            ):
                pass  # they change no row
            case event:
                assert_never(event)

    def row(self, id: str, description: str = "") -> Row:
        """The row of a subtask, which is made when nothing was told of it yet."""
        if id not in self.rows:
            self.rows[id] = Row(id, id.count("."), inert(description))
        return self.rows[id]

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
            self.row(id).status, self.row(id).doing = "removed", "is no longer needed"
        for id, priority in priorities.items():
            self.row(id).priority = priority

    def _wait_again(self) -> None:
        """A process that takes the run up starts what its forerunner had under way."""
        for row in self.rows.values():
            if row.status == "researching":
                row.status, row.doing = "pending", "waits"


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
