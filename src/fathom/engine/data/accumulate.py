"""Takes down what a call of a turn has brought."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.data.met import FETCHED
from fathom.data.turns import DecomposerOutput, ExtractorOutput, ScannerOutput, SynthesizerOutput, ToolAnswer
from fathom.engine.data.desk import Desk, RecordPage, TurnOutcome, conditions_of
from fathom.engine.data.reading import batch_of
from fathom.findings import GapAnalysis, Validation
from fathom.plan import Perspectives


async def take(desk: Desk, outcome: TurnOutcome) -> None:
    """Put one outcome on the desk."""
    match outcome.output:
        case DecomposerOutput() as output:
            desk.sub_questions = output.sub_questions or desk.sub_questions
        case Perspectives() as output:
            named = {each.name: each for each in (*desk.perspectives, *output.perspectives)}
            desk.perspectives = tuple(named.values())
        case Validation() as output:
            desk.validation = output
        case GapAnalysis() as output:
            desk.gaps = output
    # records are taken down where they are read, and counts with the answers of the tools
    requests = [answer.request for answer in outcome.bench.answers]
    requests += [outcome.bench.request] if outcome.bench.request is not None else []
    desk.tables |= {request.table for request in requests if request.table}
    for answer in outcome.bench.answers:
        await _take_answer(desk, answer, outcome)
    if outcome.bench.request is not None and outcome.bench.request.is_page:
        desk.last, desk.besides = outcome.bench.request, outcome.bench.besides
    desk.stopped = desk.stopped or outcome.bench.stopped


async def _take_answer(desk: Desk, answer: ToolAnswer, outcome: TurnOutcome) -> None:
    """Counts, what they say, records and numbers."""
    request, besides = answer.request, outcome.bench.besides
    conditions = conditions_of(request, besides)
    for result in answer.results:
        desk.results.setdefault(result.document, result)
        desk.documents.setdefault(result.document, answer.document(result.document))
        desk.shelf.add(desk.said_by(result), counted=True)
    if answer.matched is not None:
        desk.matched[conditions] = answer.matched
    if answer.total is not None:
        desk.total = answer.total
    if not desk.scans and (answer.results or answer.page):
        desk.last, desk.besides = request, besides
        desk.last_tool = outcome.tool or (answer.results[0].tool if answer.results else "")
    for sha256, under in ((answer.page, conditions), (answer.prose, f"prose {conditions}")):
        if not sha256:
            continue
        document = answer.document(sha256)
        batch = await batch_of(desk.bench(), document, conditions=under, scope=request.table)
        desk.met.note(under, request.table, batch.all_ids, FETCHED)
        if batch.ids:
            desk.pages[sha256] = RecordPage(document, under, request.table)


def told(outcome: TurnOutcome) -> str:
    """The call and what came of it, in a few words."""
    match outcome.output:
        case DecomposerOutput(sub_questions=questions):
            came = f"{len(questions)} sub-questions"
        case Perspectives(perspectives=perspectives):
            came = f"{len(perspectives)} perspectives"
        case ScannerOutput() as output:
            end = ", all of it" if output.complete else ""
            came = f"{output.docs_scanned} records read, {len(output.findings)} findings{end}"
        case ExtractorOutput() as output:
            came = f"{output.docs_processed} records read, {len(output.findings)} findings"
        case Validation() as output:
            came = f"{output.status}, confidence {output.overall_confidence:.2f}"
        case GapAnalysis() as output:
            came = f"{output.recommendation}, {len(output.gaps)} gaps"
        case SynthesizerOutput():
            came = "summed up"
        case _:
            came = _answered(outcome.bench.answers)
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
