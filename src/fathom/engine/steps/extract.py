"""Reading: what do the passages say, word for word?"""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import partial
from typing import Any

from fathom.asks import ExtractFindings
from fathom.composing.fitting import Fit
from fathom.engine.context import Context
from fathom.engine.sources import keep_snapshot
from fathom.engine.state import SubtaskRecord
from fathom.errors import LimitReached
from fathom.events import CLAIM_SHOWN, FINDINGS_SHOWN, Extracted, NewFinding
from fathom.evidence import Evidence, Passage
from fathom.findings import Finding, Findings, Synthesis
from fathom.outcomes import together


async def read(
    context: Context,
    id: str,
    path: str,
    passages: Sequence[Passage],
    *,
    stage: tuple[int, int],
    of_datasets: int = 0,
) -> int:
    """State what the passages of a round say, and keep the snapshots that the statements rest on; returns how much
    is new.

    A finding whose quotes stand neither in these passages, letter by letter, nor in what is known already, is dropped:
    the reasoner invented it. So is one whose document cannot be kept. What datasets have brought counts as news. The
    `stage` is how far the run as a whole is (see `RunState.brought`).
    """
    subtask, material = context.state.subtasks[id], context.state.material
    passages = list({passage.id: passage for passage in (*_opened(subtask), *passages)}.values())
    fit = Fit(context.state.asked.preferences) if context.state.asked.preferences else None
    spans = {(finding.subtask_id, span) for finding in subtask.known for span in finding.spans}
    known = {span for of, span in spans if of == id or span.document in material.lent[id]}
    cited = {passage.document for passage in passages} | {span.document for span in known}
    met = {sha256: material.document(id, sha256) for sha256 in cited} if fit else {}
    passages = fit.passages(passages, met) if fit else passages
    kept: dict[str, Finding] = {}
    dropped = 0
    if passages:
        answer = await _answer(context, id, path, passages)
        stated = answer.findings[: context.run.limits.max_findings]
        standing = [finding for finding in stated if is_grounded(finding, id, passages, known)]
        if fit and not context.reasoner.metered:  # a model has weighed them with the wishes in view
            standing = [fit.weighed(finding, met) for finding in standing]
        documents = sorted({span.document for finding in standing for span in finding.spans})
        snapshots = dict(zip(documents, await together(*map(partial(keep_snapshot, context), documents)), strict=True))
        standing = [finding for finding in standing if all(snapshots[span.document] for span in finding.spans)]
        dropped = len(stated) - len(standing)
        found = {finding.id: finding for finding in standing}
        kept = {name: finding for name, finding in found.items() if name not in subtask.findings}
        subtask.findings |= kept
        _take_down(context, id, answer)
        by_id, reading = {passage.id: passage for passage in passages}, subtask.reading
        reading.unread = {name: by_id[name] for name in answer.unread if name in by_id}
        reading.passages = (reading.passages or set()) - reading.unread.keys()
    news = len(kept) + of_datasets
    if passages or of_datasets:
        context.state.brought[stage] += news
    shown = _shown(context, id)
    total = len(subtask.findings)
    await context.emit(Extracted(subtask_id=id, findings=news, total=total, dropped=dropped, shown=shown))
    return news


async def read_preview(context: Context, id: str, path: str, look: int) -> None:
    """Read what the question as it stands has brought, for a subtask that was cut off before it had any to read."""
    context.state.take_over(id)
    passages, depth = context.state.material.preview.passages, context.state.subtasks[id].planned.depth
    await read(context, id, f"{path}/preview/r0", passages, stage=(look, depth))


def _opened(subtask: SubtaskRecord) -> list[Passage]:
    """The passages that the last verdict asks to be read by their place."""
    evaluation, unread = subtask.evaluation, subtask.reading.unread
    subtask.reading.unread = {}
    return [unread[name] for name in (evaluation.openings if evaluation else ()) if name in unread]


def _shown(context: Context, id: str) -> tuple[NewFinding, ...]:
    """The findings of a subtask that nobody was shown yet, those of datasets among them."""
    subtask, material = context.state.subtasks[id], context.state.material
    new = [finding for name, finding in subtask.findings.items() if name not in subtask.shown]
    subtask.shown |= {finding.id for finding in new}
    told = ((each, material.document(id, each.evidence[0].document)) for each in new[:FINDINGS_SHOWN])
    return tuple(NewFinding.like(at, finding_id=each.id, claim=each.claim[:CLAIM_SHOWN]) for each, at in told)


async def _answer(context: Context, id: str, path: str, passages: Sequence[Passage]) -> Findings:
    state, limits = context.state, context.run.limits
    subtask, material, last = state.subtasks[id], state.material, state.subtasks[id].evaluation
    cited = dict.fromkeys(passage.document for passage in passages)
    material.scanned |= cited.keys()
    # whoever judges what it reads must know the rest of the plan; without that the ask stays what it always was
    outlook: dict[str, Any] = {}
    if context.reasoner.metered:
        pages, links = material.pages_of(id), (*material.links_of(id).values(),)
        outlook = {"max_depth": limits.max_depth, "parts": state.parts, "links": links}
        if last:
            linked = (each.id for each in passages if (page := pages.get(each.document)) and page.url in last.openings)
            outlook |= {"missing": last.missing or last.drill_down_areas, "opened": (*last.openings, *linked)}
    elif last and last.queries:
        outlook = {"missing": last.queries}
    ask = context.about(
        ExtractFindings,
        subtask=subtask.planned,
        documents=tuple(material.document(id, sha256) for sha256 in cited),
        passages=tuple(passages),
        sources=material.described(id),
        known=subtask.known,
        max_findings=limits.max_findings,
        **outlook,
    )
    try:
        answer = await context.try_ask(f"{path}/extract", ask)
    except LimitReached:  # what was gathered belongs to the report
        answer = await context.try_ask(f"{path}/extract", ask, phase="report")
    if answer is None:
        subtask.broken = "the passages could not be read for findings"
        return Findings()
    return answer


def _take_down(context: Context, id: str, answer: Findings) -> None:
    """Keep what the reader thought of the whole: its verdict takes the place of the one before, for that knew less; its
    answer comes before what earlier rounds have answered from other findings."""
    reading, known = context.state.subtasks[id].reading, context.state.citable(id)
    reading.evaluation = answer.evaluation
    new = answer.synthesis and standing_on(answer.synthesis, id, known)
    reading.synthesis = joined(new, reading.synthesis) if new and reading.synthesis else new or reading.synthesis
    if reading.synthesis:
        reading.contradictions |= dict.fromkeys(reading.synthesis.contradictions)
        reading.synthesis = reading.synthesis.model_copy(update={"contradictions": tuple(reading.contradictions)})


def joined(new: Synthesis, old: Synthesis) -> Synthesis:
    """An answer with those statements of an earlier one that rest on other findings."""
    covered = {id for statement in new.statements for id in statement.findings}
    kept = [statement for statement in old.statements if covered.isdisjoint(statement.findings)]
    statements = (*new.statements, *kept)
    return new.model_copy(
        update={
            "text": " ".join(statement.text for statement in statements) or new.text,
            "findings": tuple(dict.fromkeys((*new.findings, *old.findings))),
            "statements": statements,
            "caveats": tuple(dict.fromkeys((*new.caveats, *old.caveats))),
        }
    )


def standing_on(synthesis: Synthesis, id: str, known: Container[str]) -> Synthesis | None:
    """The synthesis as far as it rests on findings that are known; `None` when nothing of it does."""
    statements = tuple(
        statement.model_copy(update={"findings": tuple(each for each in statement.findings if each in known)})
        for statement in synthesis.statements
    )
    statements = tuple(statement for statement in statements if statement.findings)
    findings = tuple(each for each in synthesis.findings if each in known)
    if not findings or (synthesis.statements and not statements):
        return None
    return synthesis.model_copy(
        update={
            "subtask_id": id,
            "text": " ".join(each.text for each in statements) if statements else synthesis.text,
            "findings": findings,
            "statements": statements,
            "contradictions": tuple(pair for pair in synthesis.contradictions if all(each in known for each in pair)),
        }
    )


def is_grounded(
    finding: Finding, subtask_id: str, passages: Sequence[Passage], known: Container[Evidence] = ()
) -> bool:
    """Whether each quote is known, or stands in one of the passages at the offsets that it names, for this subtask."""
    return finding.subtask_id == subtask_id and all(
        span in known or any(_stands_in(span, passage) for passage in passages) for span in finding.spans
    )


def _stands_in(span: Evidence, passage: Passage) -> bool:
    if span.document != passage.document:
        return False
    inside = passage.start <= span.start <= span.end <= passage.end
    if not inside and f"{span.start}-{span.end}" not in passage.lead_ins:
        return False
    return passage.quote(span.start, span.end) == span.quote
