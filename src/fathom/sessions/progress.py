"""What a run tells: each event in a line, and all of them folded into a row per subtask, as the page shows it, too."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, assert_never

from fathom import events
from fathom.errors import SKIPPED
from fathom.evidence import DocumentKind
from fathom.findings import DepthQuality
from fathom.frozen import FrozenModel
from fathom.plan import Subtask, SubtaskStatus
from fathom.report import Verdicts
from fathom.steering import Command
from fathom.text.harmless import inert
from fathom.text.places import Unplaced, unplaced
from fathom.text.plural import counted
from fathom.urls import host_of

Doing = Literal[
    DepthQuality, "waits", "starts", "asks", "reads", "turns", "scans", "scans_of", "judges", "asks_further",
    "goes_deeper", "sums_up", "waits_for", "waits_for_you", "because", "nothing",
]  # fmt: skip
"""What a subtask is doing; of one that has ended, `because` or `nothing`."""
Phase = Literal[
    "starting", "planning", "asking", "researching", "researching_again", "outlining", "writing", "writing_section",
    "checking", "waiting_for_you", "stopping", "completed", "partial", "nothing", "failed",
]  # fmt: skip
"""What a run is doing, or how it has ended."""
Stage = Literal["plan", "read", "write", "check"]
"""Which of its four parts a run is in, in their order; of one that has ended, the one that it has come to."""

_STAGES: dict[Phase, Stage] = {
    "planning": "plan", "researching": "read", "researching_again": "read", "outlining": "write", "writing": "write",
    "writing_section": "write", "checking": "check",
}  # fmt: skip
"""The stage that a phase belongs to; without one, the run is where it was."""
_STEPS: dict[str, Doing] = {"allocate": "asks_further", "drill_down": "goes_deeper", "synthesize": "sums_up"}
"""What a subtask does next, by the name of the step."""

_COMMANDS: dict[Command, str] = {
    "skip": "is left out",
    "deeper": "is looked into further",
    "write": "writes the report now",
}
DRAFT_SHOWN = 240
"""Characters of a section's draft that are kept to be shown."""


class Step(FrozenModel):
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
class SourceRow:
    """A document, a page or a dataset that was read, or that something was found in."""

    kind: DocumentKind
    title: str
    """Its title, or its address."""
    host: str = ""
    """Whose it is, of a page."""
    records: int = 0
    """What was read of a dataset."""
    found: set[str] = field(default_factory=set)
    """Ids of the findings that were shown of it."""

    @property
    def findings(self) -> int:
        """How many those are."""
        return len(self.found)


@dataclass
class RunProgress:
    """A run as its events tell it. Words from documents and from outside are made inert here."""

    query: str = ""
    phase: str = "starting"
    """What the run as a whole is doing."""
    step: Step = field(default_factory=lambda: Step(name="starting"))
    """The same as a step."""
    stage: Stage = "plan"
    """Which part of the run that belongs to."""
    started: datetime | None = None
    """When a process has taken the run up last."""
    rows: dict[str, Row] = field(default_factory=dict)
    """By subtask id."""
    pages: int = 0
    """Web pages that have been read."""
    datasets: dict[str, dict[str, int]] = field(default_factory=dict)
    """Records that were read of each dataset so far, by subtask id."""
    sources: dict[str, SourceRow] = field(default_factory=dict)
    """What was read, in the order in which it was met, by what tells it from the others."""
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

    def take(self, stored: events.StoredEvent) -> str | None:
        """Take an event in; return the line that tells it, or `None` when a line would say nothing new."""
        at = datetime.fromisoformat(stored.at)
        match stored.event:
            case events.RunStarted(query=query, resumed=resumed):
                self.query, self.started, self.error = query, at, None
                self.drafts, self.pages = {}, 0
                self._is("researching" if self.rows else "planning")
                self._wait_again()
                return f"Run {stored.run_id} {'continues' if resumed else 'starts'}."
            case events.Understood(question=question):
                self.query = question
                return f"Understood as: {inert(question, width=300)}"
            case events.Planned(plan=plan):
                self.rows = {}
                self._add(plan.subtasks)
                self._is("researching")
                strategy = f", {plan.strategy}" if plan.strategy else ""
                wished = f" Wished for: {plan.preferences.told}." if plan.preferences else ""
                return f"Plan: {counted(len(plan.subtasks), 'subtask')} ({plan.execution_mode}{strategy}).{wished}"
            case events.SubtaskStarted(subtask_id=id, description=description):
                row = self.row(id, description)
                row.status, row.started = "researching", row.started or at
                self._does(id, "starts")
                return f"{id}: {row.description}"
            case events.Allocated(subtask_id=id, queries=queries):
                where, asked = ", ".join(queries), sum(len(texts) for texts in queries.values())
                self._does(id, "asks", f"asks {where or 'nothing'}", where=where)
                return f"{id}: {counted(asked, 'query', 'queries')} to {where or 'no source'}."
            case events.Gathered(subtask_id=id, passages=passages, documents=documents, named=named):
                self.row(id).passages += passages
                for document in named:
                    self._met(document.kind, document.title, document.uri)
                self._does(id, "reads", f"reads {counted(passages, 'passage')}", n=passages)
                return f"{id}: {counted(passages, 'new passage')} in {counted(documents, 'document')}."
            case events.WebSearched(subtask_id=id, provider=provider, query=query, hits=hits, cached=cached):
                where = inert(provider, width=40) + (" (archive)" if cached else "")
                if id is not None:
                    self._does(id, "asks", f"asks {where}", where=provider)
                else:
                    self._is("asking", f"asking {where}", where=provider)
                return f"{id or 'question'}: {counted(hits, 'hit')} of {where} for “{inert(query, width=120)}”."
            case events.PageRead(url=url, title=title, cached=cached):
                self.pages += 1
                self._met("web", title, url)
                where = "archive" if cached else inert(host_of(url), width=60)
                return f"Read: {inert(title or url, width=100)} ({where})."
            case events.PageLeftOut(url=url, reason=reason):
                told = reason if reason.startswith(url) else f"{url}: {reason}"
                return f"Left out: {inert(told, width=220)}"
            case events.DatasetDescribed(dataset=dataset, records=records, fields=fields):
                self.datasets.setdefault(dataset, {})
                size = f"{counted(records, 'record')}, " if records is not None else ""
                return f"Dataset {inert(dataset, width=60)}: {size}{counted(fields, 'field')}."
            case events.TurnDirected(
                subtask_id=id, dataset=dataset, turn=turn, agents=agents, tools=tools, warning=warning
            ):
                what = ", ".join((*agents, *tools))
                shown = inert(what, width=100) or "nothing"
                self._does(id, "turns", f"turn {turn}: {shown}", turn=turn, what=what)
                told = f" {inert(warning, width=160)}" if warning else ""
                return f"{id}: {inert(dataset, width=60)}, turn {turn} runs {shown}.{told}"
            case events.ToolCalled(
                subtask_id=id, dataset=dataset, tool=tool, matched=matched, records=records, groups=groups
            ):
                self._met("dataset", dataset)
                brought = [counted(records, "record")] if records or not groups else []
                brought += [counted(groups, "group")] if groups else []
                of = f", {matched:,} matched" if matched is not None else ""
                return f"{id}: {inert(tool, width=60)} returns {' and '.join(brought)}{of}."
            case events.RecordsScanned(
                subtask_id=id, dataset=dataset, scanned=scanned, matched=matched, findings=findings
            ):
                self.datasets.setdefault(dataset, {})[id] = scanned
                self._met("dataset", dataset).records = sum(self.datasets[dataset].values())
                read = f"{scanned:,}" + (f" of {matched:,}" if matched is not None else "")
                doing: Doing = "scans" if matched is None else "scans_of"
                self._does(id, doing, f"reads records: {read}", n=scanned, all=matched or 0)
                return f"{id}: {read} records read, {counted(findings, 'new finding')}."
            case events.DatasetEnded(subtask_id=id, dataset=dataset, turns=turns, reason=reason, findings=findings):
                told = f"{counted(turns, 'turn')}, {counted(findings, 'finding')}: {inert(reason, width=120)}"
                return f"{id}: {inert(dataset, width=60)} is done after {told}."
            case events.Extracted(subtask_id=id, findings=findings, total=total, shown=told_of):
                self.row(id).findings = total
                for new in told_of:
                    if new.kind != "dataset":  # which has told what was read of it, under its name
                        self._met(new.kind, new.title, new.uri).found.add(new.finding_id)
                self._does(id, "judges", "judges the depth")
                return f"{id}: {counted(findings, 'new finding')}, {total} in all."
            case events.Assessed(subtask_id=id, evaluation=evaluation):
                self._does(id, evaluation.depth_quality, f"is {evaluation.depth_quality}")
                missing = f"; missing: {_few(evaluation.missing)}" if evaluation.missing else ""
                return f"{id}: {evaluation.depth_quality}{missing}."
            case events.Routed(subtask_id=id, decision=decision, reason=reason):
                if id and (step := _STEPS.get(decision)):
                    self._does(id, step)
                elif id:
                    self.row(id).doing = _words(decision)
                elif decision == "check":
                    self._is("checking", "checking citations")
                return f"{id or 'run'}: {_words(decision)}, because {_clause(reason)}." if reason else None
            case events.DrilledDown(subtask_id=id, children=children):
                self._add(children)
                count = len(children)
                self._does(id, "waits_for", f"waits for {counted(count, 'child', 'children')}", n=count)
                return f"{id}: goes deeper with {', '.join(child.subtask_id for child in children)}."
            case events.SubtaskEnded(subtask_id=id, status=status, findings=findings, reason=reason):
                row = self.row(id)
                row.status, row.findings, row.ended = status, findings, at
                values = {"reason": reason} if reason else {}
                self._does(id, "because" if reason else "nothing", inert(reason, width=60) or status, **values)
                why = f" ({inert(reason, width=120)})" if reason else ""
                return f"{id}: {status} with {counted(findings, 'finding')}{why}."
            case events.PlanRevised(
                accepted=accepted, reason=reason, added=added, removed=removed, priority_changes=changes
            ):
                self._revise(added, removed, changes)
                return f"Plan {'revised' if accepted else 'kept'}: {inert(reason, width=120)}"
            case events.Reflected(weak=weak, not_found=not_found):
                self._is("researching_again") if weak else self._is("outlining", "writing")
                return f"Looked back: {len(weak)} to research again, {len(not_found)} not in the sources."
            case events.Outlined(title=title, sections=sections):
                self.title = inert(title)
                self._is("writing")
                return f"Outline: {counted(len(sections), 'section')}."
            case events.SectionDrafted(heading=heading, text=text):
                short = self._writes(heading)
                self.drafts[short] = f"{self.drafts.get(short, '')}{inert(text)} "[-DRAFT_SHOWN:]
                return None  # a draft is not checked yet: it is told when it stands
            case events.SectionWritten(heading=heading, statements=statements):
                self.drafts.pop(self._writes(heading), None)
                return f"Written: {inert(heading, width=80)} ({counted(statements, 'statement')})."
            case events.Checked() as checked:
                self.checked = checked
                self._is("checking", "checking citations")
                return f"Checked: {counts(checked)}."
            case events.StoodIn() | events.LeftOut() | events.CallFailed() as trouble:
                self.troubles.append(self._trouble(trouble))
                return self.troubles[-1]
            case events.Spent() as spent:
                self.spent = spent
                return None
            case events.ApprovalAsked(approval=asked):
                wanted = "answer on the question" if asked.about == "question" else f"approval of the {asked.about}"
                if asked.subtask_id is None:
                    self._is("waiting_for_you", f"waiting for your {wanted}")
                else:
                    self._does(asked.subtask_id, "waits_for_you", f"waiting for your {wanted}")
                until = f" until {inert(asked.until[11:19])} UTC, then it continues as proposed" if asked.until else ""
                return (
                    f"Waiting for your {wanted}, {inert(asked.id, width=60)}{until}: "
                    f"`fathom approve {stored.run_id}` answers it."
                )
            case events.ApprovalGiven(approval_id=id, about=about, decision=decision, by=by):
                if about in ("plan", "question"):
                    self._is("planning")
                late = "" if by == "person" else ", as nobody has answered in time"
                return f"The {about} {inert(id, width=60)}: {decision}{late}."
            case events.Steered(command=command, subtask_id=id):
                if command == "skip" and id:
                    self._does(id, "because", "is left out, as was asked", reason=SKIPPED)
                return f"{id or 'run'}: {_COMMANDS[command]}, as was asked."
            case events.Stopping(reason=reason):
                self._is("stopping", f"stopping ({inert(reason, width=40)})")
                return f"Stopping: {_words(reason)}. The report is written from what was found."
            case events.Finished(partial=partial, words=length, sources=cited, claims=claims):
                found: Phase = "completed" if claims else "nothing"
                self._is("partial" if partial else found, "" if partial else "done" if claims else "nothing found")
                return f"Report: {counted(length, 'word')} from {counted(cited, 'source')}."
            case events.Failed(error=error):
                self.error = inert(error)
                self._is("failed")
                return None  # whoever shows the run tells it
            case event:
                assert_never(event)

    def row(self, id: str, description: str = "") -> Row:
        """The row of a subtask, which is made when nothing was told of it yet."""
        if id not in self.rows:
            self.rows[id] = Row(id, id.count("."), inert(description))
        return self.rows[id]

    def _is(self, phase: Phase, told: str = "", **values: int | str) -> None:
        self.phase, self.step = told or _words(phase), Step(name=phase, values=values)
        self.stage = _STAGES.get(phase, self.stage)

    def _does(self, id: str, doing: Doing, told: str = "", **values: int | str) -> None:
        row = self.row(id)
        row.doing, row.step = told or _words(doing), Step(name=doing, values=values)

    def _met(self, kind: DocumentKind, title: str, uri: str = "") -> SourceRow:
        """The row of something that was read; a page that has led elsewhere on its host is one with where it led."""
        host = host_of(uri).removeprefix("www.") if kind == "web" else ""
        key = f"{kind} {uri if kind == 'file' else f'{host} {title}'}"
        shown = inert(title or unplaced(uri), width=100)
        return self.sources.setdefault(key, SourceRow(kind, shown, inert(host, width=60)))

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


def counts(checked: events.Checked) -> str:
    """The verdicts in words: `12 supported, 1 partial`; what there is none of is left out."""
    verdicts = checked.model_dump(include=set(Verdicts.model_fields))
    return ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items() if count) or "nothing to check"


def _words(name: str) -> str:
    """The name of a step in words."""
    return inert(name.replace("_", " "), width=40)


def _clause(reason: str) -> str:
    """A reason as the end of a sentence of ours."""
    clause = inert(reason, width=120).rstrip(".。")
    return clause[:1].lower() + clause[1:] if clause[1:2].islower() else clause


def _few(texts: tuple[str, ...]) -> str:
    return inert(", ".join(texts[:3]) + (", …" if len(texts) > 3 else ""), width=120)
