"""What a person sees of a run: its events, folded into one row per subtask and told in one line each."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import assert_never

from fathom.cli.terminal import counted
from fathom.events import (
    Allocated,
    Assessed,
    CallFailed,
    Checked,
    DatasetDescribed,
    DatasetEnded,
    DrilledDown,
    Extracted,
    Failed,
    Finished,
    Gathered,
    LeftOut,
    Outlined,
    PageLeftOut,
    PageRead,
    Planned,
    PlanRevised,
    RecordsScanned,
    Reflected,
    Routed,
    RunStarted,
    SectionDrafted,
    SectionWritten,
    Spent,
    StoodIn,
    Stopping,
    StoredEvent,
    SubtaskEnded,
    SubtaskStarted,
    ToolCalled,
    TurnDirected,
    WebSearched,
)
from fathom.plan import Subtask, SubtaskStatus
from fathom.text.harmless import inert
from fathom.urls import host_of

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
class View:
    """A run as its events tell it."""

    query: str = ""
    phase: str = "starting"
    """What the run as a whole is doing."""
    rows: dict[str, Row] = field(default_factory=dict)
    """By subtask id."""
    pages: int = 0
    """Web pages that have been read."""
    drafts: dict[str, str] = field(default_factory=dict)
    """The end of what stands in each section that is being written, by its heading."""
    spent: Spent | None = None
    """What the run has taken so far."""
    checked: Checked | None = None
    """The counts of the last check."""
    troubles: list[str] = field(default_factory=list)
    """What went wrong on the way and the run went on without, a line each."""
    error: str | None = None
    """Why the run failed; `None` again once it was taken up."""

    def tree(self) -> list[Row]:
        """The rows, each behind its parent."""
        return sorted(self.rows.values(), key=lambda row: [int(part) for part in row.subtask_id[5:].split(".")])

    def apply(self, stored: StoredEvent) -> str | None:
        """Take an event in; return the line that tells it, or `None` when a line would say nothing new.

        Words from documents and from outside are made inert here.
        """
        at = datetime.fromisoformat(stored.at)
        match stored.event:
            case RunStarted(query=query, resumed=resumed):
                self.query, self.phase, self.error = query, "planning", None
                self.drafts, self.pages = {}, 0
                self._wait_again()
                return f"Run {stored.run_id} {'goes on' if resumed else 'starts'}."
            case Planned(plan=plan):
                self.rows = {}
                self._add(plan.subtasks)
                self.phase = "researching"
                strategy = f", {plan.strategy}" if plan.strategy else ""
                return f"Plan: {counted(len(plan.subtasks), 'subtask')} ({plan.execution_mode}{strategy})."
            case SubtaskStarted(subtask_id=id, description=description):
                row = self._row(id, description)
                row.status, row.doing, row.started = "researching", "starts", row.started or at
                return f"{id}: {row.description}"
            case Allocated(subtask_id=id, queries=queries):
                asked = sum(len(texts) for texts in queries.values())
                self._row(id).doing = f"asks {', '.join(queries) or 'nothing'}"
                return f"{id}: {counted(asked, 'query', 'queries')} to {', '.join(queries) or 'no source'}."
            case Gathered(subtask_id=id, passages=passages, documents=documents):
                row = self._row(id)
                row.passages += passages
                row.doing = f"reads {counted(passages, 'passage')}"
                return f"{id}: {counted(passages, 'new passage')} in {counted(documents, 'document')}."
            case WebSearched(subtask_id=id, provider=provider, query=query, hits=hits, cached=cached):
                where = inert(provider, width=40) + (" (archive)" if cached else "")
                if id is not None:
                    self._row(id).doing = f"asks {where}"
                else:
                    self.phase = f"asking {where}"
                return f"{id or 'question'}: {counted(hits, 'hit')} of {where} for “{inert(query, width=120)}”."
            case PageRead(url=url, title=title, cached=cached):
                self.pages += 1
                where = "archive" if cached else inert(host_of(url), width=60)
                return f"Read: {inert(title or url, width=100)} ({where})."
            case PageLeftOut(url=url, reason=reason):
                told = reason if reason.startswith(url) else f"{url}: {reason}"
                return f"Left out: {inert(told, width=220)}"
            case DatasetDescribed(dataset=dataset, records=records, fields=fields):
                size = f"{counted(records, 'record')}, " if records is not None else ""
                return f"Dataset {inert(dataset, width=60)}: {size}{counted(fields, 'field')}."
            case TurnDirected(subtask_id=id, dataset=dataset, turn=turn, agents=agents, tools=tools, warning=warning):
                runs = inert(", ".join((*agents, *tools)), width=100) or "nothing"
                self._row(id).doing = f"turn {turn}: {runs}"
                told = f" {inert(warning, width=160)}" if warning else ""
                return f"{id}: {inert(dataset, width=60)}, turn {turn} runs {runs}.{told}"
            case ToolCalled(subtask_id=id, tool=tool, matched=matched, records=records, groups=groups):
                brought = [counted(records, "record")] if records or not groups else []
                brought += [counted(groups, "group")] if groups else []
                of = f", {matched:,} matched" if matched is not None else ""
                return f"{id}: {inert(tool, width=60)} returns {' and '.join(brought)}{of}."
            case RecordsScanned(subtask_id=id, scanned=scanned, matched=matched, findings=findings):
                of = f" of {matched:,}" if matched is not None else ""
                self._row(id).doing = f"reads records: {scanned:,}{of}"
                return f"{id}: {scanned:,}{of} records read, {counted(findings, 'new finding')}."
            case DatasetEnded(subtask_id=id, dataset=dataset, turns=turns, reason=reason, findings=findings):
                told = f"{counted(turns, 'turn')}, {counted(findings, 'finding')}: {inert(reason, width=120)}"
                return f"{id}: {inert(dataset, width=60)} is done after {told}."
            case Extracted(subtask_id=id, findings=findings, total=total):
                row = self._row(id)
                row.findings, row.doing = total, "judges the depth"
                return f"{id}: {counted(findings, 'new finding')}, {total} in all."
            case Assessed(subtask_id=id, evaluation=evaluation):
                self._row(id).doing = f"is {evaluation.depth_quality}"
                missing = f"; missing: {_few(evaluation.missing)}" if evaluation.missing else ""
                return f"{id}: {evaluation.depth_quality}{missing}."
            case Routed(subtask_id=id, decision=decision, reason=reason):
                if id is not None:
                    self._row(id).doing = _STEPS.get(decision, _words(decision))
                return f"{id or 'run'}: {_words(decision)}, because {_clause(reason)}." if reason else None
            case DrilledDown(subtask_id=id, children=children):
                self._add(children)
                self._row(id).doing = f"waits for {counted(len(children), 'child', 'children')}"
                return f"{id}: goes deeper with {', '.join(child.subtask_id for child in children)}."
            case SubtaskEnded(subtask_id=id, status=status, findings=findings, reason=reason):
                row = self._row(id)
                row.status, row.findings, row.ended = status, findings, at
                row.doing = inert(reason, width=60) or status
                why = f" ({inert(reason, width=120)})" if reason else ""
                return f"{id}: {status} with {counted(findings, 'finding')}{why}."
            case PlanRevised(accepted=accepted, reason=reason, added=added, removed=removed, priority_changes=changes):
                self._add(added)
                for id in removed:
                    self._row(id).status, self._row(id).doing = "removed", "is no longer needed"
                for id, priority in changes.items():
                    self._row(id).priority = priority
                return f"Plan {'revised' if accepted else 'kept'}: {inert(reason, width=120)}"
            case Reflected(weak=weak, not_found=not_found):
                self.phase = "researching again" if weak else "writing"
                return f"Looked back: {len(weak)} to research again, {len(not_found)} not in the sources."
            case Outlined(sections=sections):
                self.phase = "writing"
                return f"Outline: {counted(len(sections), 'section')}."
            case SectionDrafted(heading=heading, text=text):
                heading = inert(heading, width=40)
                self.phase = f"writing “{heading}”"
                self.drafts[heading] = f"{self.drafts.get(heading, '')}{inert(text)} "[-DRAFT_SHOWN:]
                return None  # not checked yet: it is told when it stands
            case SectionWritten(heading=heading, statements=statements):
                self.drafts.pop(inert(heading, width=40), None)
                self.phase = f"writing “{inert(heading, width=40)}”"
                return f"Written: {inert(heading, width=80)} ({counted(statements, 'statement')})."
            case Checked() as checked:
                self.phase, self.checked = "checking citations", checked
                return f"Checked: {counts(checked)}."
            case StoodIn(subtask_id=id, call=call, reason=reason):
                why = inert(reason, width=200)
                again = any(line.endswith(why) for line in self.troubles)
                told = "again, for the same reason." if again else why
                return self._trouble(f"{id or 'run'}: {inert(call, width=60)} answered without the model: {told}")
            case LeftOut(subtask_id=id, call=call, count=count):
                left = f"{counted(count, 'item')}, the least relevant"
                return self._trouble(f"{id or 'run'}: {inert(call, width=60)} has no room for {left}.")
            case CallFailed(subtask_id=id, call=call, error=error):
                return self._trouble(f"{id or 'run'}: {inert(call, width=60)} failed: {inert(error, width=200)}")
            case Spent() as spent:
                self.spent = spent
                return None
            case Stopping(reason=reason):
                self.phase = f"stopping ({inert(reason, width=40)})"
                return f"Stopping: {_words(reason)}. The report is written from what was found."
            case Finished(partial=partial, words=words, sources=sources):
                self.phase = "partial" if partial else "done"
                return f"Report: {counted(words, 'word')} from {counted(sources, 'source')}."
            case Failed(error=error):
                self.phase, self.error = "failed", inert(error)
                return None  # the command tells it
            case event:
                assert_never(event)

    def _trouble(self, line: str) -> str:
        self.troubles.append(line)
        return line

    def _row(self, id: str, description: str = "") -> Row:
        if id not in self.rows:
            self.rows[id] = Row(id, id.count("."), inert(description))
        return self.rows[id]

    def _add(self, subtasks: tuple[Subtask, ...]) -> None:
        for subtask in subtasks:
            row = self._row(subtask.subtask_id, subtask.description)
            row.depth, row.priority = subtask.depth, subtask.priority

    def _wait_again(self) -> None:
        """A process that takes the run up starts what its forerunner had under way."""
        for row in self.rows.values():
            if row.status == "researching":
                row.status, row.doing = "pending", "waits"


def counts(checked: Checked) -> str:
    """The verdicts in words: `12 supported, 1 partial`; what there is none of is left out."""
    verdicts = {
        "supported": checked.supported,
        "partial": checked.partial,
        "unsupported": checked.unsupported,
        "uncited": checked.uncited,
    }
    return ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items() if count) or "nothing to check"


def duration(seconds: float) -> str:
    """`7 s`, `2:05` or `1:02:05`."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def _clause(reason: str) -> str:
    """A reason as the end of a sentence of ours."""
    clause = inert(reason, width=120).rstrip(".。")
    return clause[:1].lower() + clause[1:] if clause[1:2].islower() else clause


def _few(texts: tuple[str, ...]) -> str:
    return inert(", ".join(texts[:3]) + (", …" if len(texts) > 3 else ""), width=120)


def _words(name: str) -> str:
    return inert(name.replace("_", " "), width=40)
