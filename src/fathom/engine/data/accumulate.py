"""Takes down what a call of a turn has brought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fathom.data.met import FETCHED
from fathom.data.turns import DecomposerOutput, RecordsRead, ToolAnswer
from fathom.engine.context import Context
from fathom.engine.data.reading import batch_of
from fathom.engine.data.state import CallOutcome, DatasetState, RecordPage, RequestInForce, conditions_of
from fathom.findings import GapAnalysis, Synthesis, Validation
from fathom.plan import Perspectives


async def take(context: Context, dataset: DatasetState, outcome: CallOutcome) -> None:
    """Take one outcome down."""
    notes = dataset.notes
    match outcome.output:
        case DecomposerOutput() as output:
            notes.sub_questions = output.sub_questions or notes.sub_questions
        case Perspectives() as output:
            named = {each.name: each for each in (*notes.perspectives, *output.perspectives)}
            notes.perspectives = tuple(named.values())
        case Validation() as output:
            dataset.round.validation = output
        case GapAnalysis() as output:
            notes.gaps = output
    # records are taken down where they are read, and counts with the answers of the tools
    requests = [answer.request for answer in outcome.answers]
    requests += [outcome.request] if outcome.request is not None else []
    dataset.records.tables |= {request.table for request in requests if request.table}
    for answer in outcome.answers:
        await _take_answer(context, dataset, answer, outcome)
    if outcome.request is not None and outcome.request.is_page:
        dataset.in_force = replace(dataset.in_force, request=outcome.request, besides=outcome.besides)
    dataset.round.stopped = dataset.round.stopped or outcome.stopped


async def _take_answer(context: Context, dataset: DatasetState, answer: ToolAnswer, outcome: CallOutcome) -> None:
    """Counts, what they say, records and numbers."""
    request, records = answer.request, dataset.records
    conditions = conditions_of(request, outcome.besides)
    for result in answer.results:
        dataset.results.setdefault(result.document, result)
        dataset.documents.setdefault(result.document, answer.document(result.document))
        dataset.findings.add(dataset.said_by(result), counted=True)
    if answer.matched is not None:
        records.matched[conditions] = answer.matched
    if answer.total is not None:
        records.total = answer.total
    if not records.scans and (answer.results or answer.page):
        tool = outcome.tool or (answer.results[0].tool if answer.results else "")
        dataset.in_force = RequestInForce(request, outcome.besides, tool)
    for sha256, under in ((answer.page, conditions), (answer.prose, f"prose {conditions}")):
        if not sha256:
            continue
        page = RecordPage(answer.document(sha256), under, request.table)
        batch = await batch_of(context, dataset, page)
        records.met.note(under, request.table, batch.all_ids, FETCHED)
        if batch.ids:
            records.pages[sha256] = page


def told(outcome: CallOutcome) -> str:
    """The call and what came of it, in a few words."""
    match outcome.output:
        case DecomposerOutput(sub_questions=questions):
            came = f"{len(questions)} sub-questions"
        case Perspectives(perspectives=perspectives):
            came = f"{len(perspectives)} perspectives"
        case RecordsRead() as output:
            end = ", all of it" if output.complete else ""
            came = f"{output.records} records read, {output.findings} findings{end}"
        case Validation() as output:
            came = f"{output.status}, confidence {output.overall_confidence:.2f}"
        case GapAnalysis() as output:
            came = f"{output.recommendation}, {len(output.gaps)} gaps"
        case Synthesis():
            came = "summed up"
        case _:
            came = _answered(outcome.answers)
    return f"{outcome.what} → {came}"


def _answered(answers: Sequence[ToolAnswer]) -> str:
    if not answers:
        return "failed"
    groups = sum(len(result.aggregation.buckets) for answer in answers for result in answer.results)
    matched = next((answer.matched for answer in answers if answer.matched is not None), None)
    parts = [f"{groups} groups"] if groups else []
    parts += [f"{count} records"] if (count := sum(answer.records for answer in answers)) else []
    parts += [f"{matched} match"] if matched is not None else []
    parts += ["text, for the extractor"] if any(answer.prose for answer in answers) else []
    return ", ".join(parts) or "nothing"
