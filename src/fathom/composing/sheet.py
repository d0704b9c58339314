"""The sheet of a report: the sentences that its findings cite, and those beside them, document by document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fathom.composing.research import ReportMaterial
from fathom.data.snapshots import cells_of, columns_of, records_in
from fathom.data.turns import AggregationResult
from fathom.evidence import Document, Evidence
from fathom.findings import Finding
from fathom.sheet import Sheet, SheetDocument, SheetSentence
from fathom.text.display import display
from fathom.text.sentences import sentences
from fathom.text.typeset import BAR

NEIGHBOUR = 300
"""Characters of a sentence beside a cited one, at most."""
SHORT_FIELD, MOST_FIELDS = 60, 6
"""Characters of a field of a record that says what it is, and how many of them are shown."""
MOST_WITH_NEIGHBOURS = 250
"""Sentences of a sheet, at most, as long as it has those beside the cited ones."""
MOST_ROWS = 100
"""Rows of one table of counts on the sheet, at most, besides those that a finding cites."""


def sheet_of(research: ReportMaterial, texts: Mapping[str, str], *, neighbours: bool = True) -> Sheet:
    """Every sentence that a finding cites, each once, in the order of its document; with the sentences before and after
    it in its paragraph, unless these are left out or there are too many of them.

    Args:
        texts: Snapshots by their `sha256`; a document without one has no neighbours.
    """
    cited: dict[str, dict[str, SheetSentence]] = {}
    for finding in research.findings:
        for sentence in _of_finding(finding, research):
            own = cited.setdefault(sentence.evidence[0].document, {})
            name = sentence.text if sentence.computed else sentence.evidence[0].id
            if name in own:
                findings = tuple(dict.fromkeys((*own[name].findings, *sentence.findings)))
                lead = own[name].lead or sentence.lead  # only one finding may have read it under what leads it in
                sentence = own[name].model_copy(update={"findings": findings, "lead": lead})
            own[name] = sentence
    made = []
    for sha256, own in cited.items():
        document, left_out = research.documents[sha256], 0
        if sha256 in research.results:
            own = {each.evidence[0].id: each for each in _rows(research.results[sha256], list(own.values()))} | own
            left_out = max(0, len(research.results[sha256].rows) - MOST_ROWS)
        elif document.kind == "dataset":
            own = _with_records(own, texts.get(sha256, ""))
        elif neighbours:
            text = texts.get(sha256, "")
            beside = (each for one in list(own.values()) for each in _beside(one, text, document))
            own = {each.evidence[0].id: each for each in beside} | own
        in_order = sorted(own.values(), key=lambda each: (each.computed, each.evidence[0].start, each.evidence[0].end))
        kept = tuple(_each_place_once(in_order))
        made.append(SheetDocument(document=document, sentences=kept, left_out=left_out))
    sheet = Sheet(documents=tuple(made))
    if neighbours and sum(len(each.sentences) for each in sheet.documents) > MOST_WITH_NEIGHBOURS:
        return sheet_of(research, texts, neighbours=False)
    return sheet


def _of_finding(finding: Finding, research: ReportMaterial) -> Iterator[SheetSentence]:
    document = research.documents[finding.evidence[0].document]
    if finding.fact and document.sha256 in research.results:
        yield SheetSentence(text=finding.claim, evidence=finding.evidence, findings=(finding.id,), computed=True)
        return
    lead = ""
    if span := finding.lead_in:
        lead = display(span.quote, research.documents[span.document].markup)
    for evidence in finding.evidence:
        markup = research.documents[evidence.document].markup
        text = display(evidence.quote, markup)
        if text:
            # what leads in a list leads in the span that is in it
            near = lead if span and (evidence.document, evidence.locator) == (span.document, span.locator) else ""
            yield SheetSentence(text=text, evidence=(evidence,), lead=near, findings=(finding.id,))


def _rows(result: AggregationResult, computed: Sequence[SheetSentence]) -> Iterator[SheetSentence]:
    """The rows of counts, each evidence of what was computed from it, and the line that says how many records match."""
    behind: dict[str, list[str]] = {}
    for each in computed:
        for row in each.evidence:
            behind.setdefault(row.id, []).extend(each.findings)
    counts, head = result.aggregation, BAR.join(columns_of(result.aggregation))
    for bucket, span in list(zip(counts.buckets, result.rows, strict=False))[:MOST_ROWS]:
        cells = BAR.join(cells_of(counts, bucket))
        evidence = Evidence(document=result.document, start=span.start, end=span.end, quote=cells, block=span)
        findings = tuple(dict.fromkeys(behind.get(evidence.id, ())))
        yield SheetSentence(text=cells, evidence=(evidence,), lead=head, findings=findings)
    if result.matched_line is not None:
        span, quote = result.matched_line, f"matched records: {result.matched}"
        evidence = Evidence(document=result.document, start=span.start, end=span.end, quote=quote, block=span)
        yield SheetSentence(text=quote, evidence=(evidence,))


def _with_records(cited: Mapping[str, SheetSentence], text: str) -> dict[str, SheetSentence]:
    """What is cited of records, under the short fields of its record that say what it is."""
    records = records_in(text)
    led = {}
    for name, sentence in cited.items():
        start = sentence.evidence[0].start
        record = next((each for each in records if each.start <= start < each.end), None)
        fields = record.fields.items() if record else ()
        short = [
            f"{field}: {text[span.start : span.end]}"
            for field, span in fields
            if span.end - span.start <= SHORT_FIELD and not span.start <= start < max(span.end, span.start + 1)
        ]
        led[name] = sentence.model_copy(update={"lead": BAR.join(short[:MOST_FIELDS])})
    return led


def _beside(sentence: SheetSentence, text: str, document: Document) -> Iterator[SheetSentence]:
    """The sentences before and after one in its paragraph."""
    span = sentence.evidence[0]
    if not text:
        return
    if span.block:
        start, end = span.block.start, span.block.end
    else:
        start = text.rfind("\n\n", 0, span.start) + 2 if "\n\n" in text[: span.start] else 0
        end = text.find("\n\n", span.end)
        end = len(text) if end < 0 else end
    first_seen, last_seen = max(start, span.start - 2 * NEIGHBOUR), min(end, span.end + 2 * NEIGHBOUR)
    around = sentences(text, start=first_seen, end=last_seen)
    before = [each for each in around[first_seen > start :] if each[1] <= span.start][-1:]  # the outermost may be cut
    after = [each for each in around[: len(around) - (last_seen < end)] if each[0] >= span.end][:1]
    for first, last in (*before, *after):
        quote = text[first:last]
        if last - first > NEIGHBOUR or not (shown := display(quote, document.markup)):
            continue
        evidence = Evidence(
            document=span.document, start=first, end=last, quote=quote, locator=span.locator, block=span.block
        )
        yield SheetSentence(text=shown, evidence=(evidence,), lead=sentence.lead if span.block else "")


def _each_place_once(in_order: Iterable[SheetSentence]) -> Iterator[SheetSentence]:
    """The sentences without neighbours that are part of a cited one, or of which one is a part."""
    kept = list(in_order)
    cited = [(each.evidence[0].start, each.evidence[0].end) for each in kept if each.findings and not each.computed]
    for each in kept:
        start, end = each.evidence[0].start, each.evidence[0].end
        is_row = not each.findings and bool(each.lead) and BAR in each.lead
        if each.findings or is_row or not any(first < end and start < last for first, last in cited):
            yield each
