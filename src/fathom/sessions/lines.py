"""What is told of a run while it works: its events, in one line each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from fathom import events
from fathom.sessions.progress import RunProgress, directed, of_all, searched, words
from fathom.text.harmless import inert
from fathom.text.plural import counted
from fathom.urls import host_of


@dataclass
class RunView(RunProgress):
    """A run as its events tell it, and each of them in a line."""

    def apply(self, stored: events.StoredEvent) -> str | None:
        """Take an event in; return the line that tells it, or `None` when a line would say nothing new."""
        self.take(stored)
        return _line(stored, self)


def _line(stored: events.StoredEvent, run: RunProgress) -> str | None:
    """An event in a line. Words from documents and from outside are made inert here."""
    match stored.event:
        case events.RunStarted(resumed=resumed):
            return f"Run {stored.run_id} {'goes on' if resumed else 'starts'}."
        case events.Planned(plan=plan):
            strategy = f", {plan.strategy}" if plan.strategy else ""
            return f"Plan: {counted(len(plan.subtasks), 'subtask')} ({plan.execution_mode}{strategy})."
        case events.SubtaskStarted(subtask_id=id):
            return f"{id}: {run.row(id).description}"
        case events.Allocated(subtask_id=id, queries=queries):
            asked = sum(len(texts) for texts in queries.values())
            return f"{id}: {counted(asked, 'query', 'queries')} to {', '.join(queries) or 'no source'}."
        case events.Gathered(subtask_id=id, passages=passages, documents=documents):
            return f"{id}: {counted(passages, 'new passage')} in {counted(documents, 'document')}."
        case events.WebSearched(subtask_id=id, provider=provider, query=query, hits=hits, cached=cached):
            where = searched(provider, cached=cached)
            return f"{id or 'question'}: {counted(hits, 'hit')} of {where} for “{inert(query, width=120)}”."
        case events.PageRead(url=url, title=title, cached=cached):
            where = "archive" if cached else inert(host_of(url), width=60)
            return f"Read: {inert(title or url, width=100)} ({where})."
        case events.PageLeftOut(url=url, reason=reason):
            told = reason if reason.startswith(url) else f"{url}: {reason}"
            return f"Left out: {inert(told, width=220)}"
        case events.DatasetDescribed(dataset=dataset, records=records, fields=fields):
            size = f"{counted(records, 'record')}, " if records is not None else ""
            return f"Dataset {inert(dataset, width=60)}: {size}{counted(fields, 'field')}."
        case events.TurnDirected(
            subtask_id=id, dataset=dataset, turn=turn, agents=agents, tools=tools, warning=warning
        ):
            told = f" {inert(warning, width=160)}" if warning else ""
            return f"{id}: {inert(dataset, width=60)}, turn {turn} runs {directed(agents, tools)}.{told}"
        case events.ToolCalled(subtask_id=id, tool=tool, matched=matched, records=records, groups=groups):
            brought = [counted(records, "record")] if records or not groups else []
            brought += [counted(groups, "group")] if groups else []
            of = f", {matched:,} matched" if matched is not None else ""
            return f"{id}: {inert(tool, width=60)} returns {' and '.join(brought)}{of}."
        case events.RecordsScanned(subtask_id=id, scanned=scanned, matched=matched, findings=findings):
            return f"{id}: {scanned:,}{of_all(matched)} records read, {counted(findings, 'new finding')}."
        case events.DatasetEnded(subtask_id=id, dataset=dataset, turns=turns, reason=reason, findings=findings):
            told = f"{counted(turns, 'turn')}, {counted(findings, 'finding')}: {inert(reason, width=120)}"
            return f"{id}: {inert(dataset, width=60)} is done after {told}."
        case events.Extracted(subtask_id=id, findings=findings, total=total):
            return f"{id}: {counted(findings, 'new finding')}, {total} in all."
        case events.Assessed(subtask_id=id, evaluation=evaluation):
            missing = f"; missing: {_few(evaluation.missing)}" if evaluation.missing else ""
            return f"{id}: {evaluation.depth_quality}{missing}."
        case events.Routed(subtask_id=id, decision=decision, reason=reason):
            return f"{id or 'run'}: {words(decision)}, because {_clause(reason)}." if reason else None
        case events.DrilledDown(subtask_id=id, children=children):
            return f"{id}: goes deeper with {', '.join(child.subtask_id for child in children)}."
        case events.SubtaskEnded(subtask_id=id, status=status, findings=findings, reason=reason):
            why = f" ({inert(reason, width=120)})" if reason else ""
            return f"{id}: {status} with {counted(findings, 'finding')}{why}."
        case events.PlanRevised(accepted=accepted, reason=reason):
            return f"Plan {'revised' if accepted else 'kept'}: {inert(reason, width=120)}"
        case events.Reflected(weak=weak, not_found=not_found):
            return f"Looked back: {len(weak)} to research again, {len(not_found)} not in the sources."
        case events.Outlined(sections=sections):
            return f"Outline: {counted(len(sections), 'section')}."
        case events.SectionDrafted() | events.Spent():
            return None  # a draft is not checked yet: it is told when it stands
        case events.SectionWritten(heading=heading, statements=statements):
            return f"Written: {inert(heading, width=80)} ({counted(statements, 'statement')})."
        case events.Checked() as checked:
            return f"Checked: {counts(checked)}."
        case events.StoodIn() | events.LeftOut() | events.CallFailed():
            return run.troubles[-1]
        case events.Stopping(reason=reason):
            return f"Stopping: {words(reason)}. The report is written from what was found."
        case events.Finished(words=length, sources=sources):
            return f"Report: {counted(length, 'word')} from {counted(sources, 'source')}."
        case events.Failed():
            return None  # whoever shows the run tells it
        case event:
            assert_never(event)


def counts(checked: events.Checked) -> str:
    """The verdicts in words: `12 supported, 1 partial`; what there is none of is left out."""
    verdicts = checked.model_dump(exclude={"kind"})
    return ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items() if count) or "nothing to check"


def _clause(reason: str) -> str:
    """A reason as the end of a sentence of ours."""
    clause = inert(reason, width=120).rstrip(".。")
    return clause[:1].lower() + clause[1:] if clause[1:2].islower() else clause


def _few(texts: tuple[str, ...]) -> str:
    return inert(", ".join(texts[:3]) + (", …" if len(texts) > 3 else ""), width=120)
