"""What was read, as tools return it: a stretch of a source with what is quoted of it, and passages of documents."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.errors import NotFound
from fathom.mcp_server.fitting import MOST, cut, fitting, slice_fitting
from fathom.mcp_server.outputs import CheckTold, Found, MarkedQuote, PassageTold, SentenceTold, SourceTold
from fathom.mcp_server.reports import source_of
from fathom.registry import did_you_mean
from fathom.report import VERIFIED, Report
from fathom.sessions.listings import FoundPassage
from fathom.verification.texts import CheckedText
from fathom.wiring.readings import MarkedSource, MarkedSpan

QUOTE = 2_000
PASSAGE = 4_000
"""Characters of a passage that are shown."""
QUOTES_ROOM = 20_000


def source_named(report: Report, id: str) -> tuple[str, str]:
    """The source that an id means, and the evidence, where it is one's.

    Raises:
        NotFound: the report has no such evidence.
    """
    id = id.upper()
    if id.startswith("S"):
        return id, ""
    known = {evidence.id: evidence.source_id for evidence in report.evidence}
    if id not in known:
        hint = did_you_mean(id, list(known)) or (f" It has E1 to E{len(known)}." if known else " It has none.")
        raise NotFound(f"The report of {report.run_id} has no evidence '{id}'.{hint}")
    return known[id], id


def stretch(marked: MarkedSource, report: Report, *, evidence: str, start: int | None, length: int) -> SourceTold:
    """A stretch of a source: from `start` on, else around the evidence, else around what is quoted of it first."""
    spans = _spans(marked, report)
    begin = _around(spans, evidence, length, len(marked.text)) if start is None else start
    text = slice_fitting(marked.text[begin : begin + length], MOST - QUOTES_ROOM - 5_000)
    end = begin + len(text)
    inside = [span for span in spans if span.start < end and span.end > begin]
    inside.sort(key=lambda span: (span.id != evidence, span.start))  # what was asked for has room in any case
    quotes = fitting([_quote(span, marked.text) for span in inside], QUOTES_ROOM)
    left = len(inside) - len(quotes)
    return SourceTold(
        session_id=marked.run_id,
        source=source_of(marked.source),
        text=text,
        start=begin,
        end=end,
        length=len(marked.text),
        quotes=quotes,
        left_out=f"{left} quotations in it are left out: ask for a shorter stretch." if left else "",
    )


def _spans(marked: MarkedSource, report: Report) -> list[MarkedSpan]:
    """What was quoted of a source, whether the report tells it or not."""
    told = {span.id: span for span in marked.spans}
    return [
        told.get(each.id) or MarkedSpan(id=each.id, start=each.start, end=each.end, claims=())
        for each in report.evidence
        if each.source_id == marked.source.id
    ]


def _around(spans: Sequence[MarkedSpan], evidence: str, length: int, whole: int) -> int:
    """Where a stretch begins that has a quotation in its middle."""
    named = [span for span in spans if span.id == evidence] or sorted(spans, key=lambda span: span.start)
    if not named:
        return 0
    middle = min(named[0].start + length // 4, (named[0].start + named[0].end) // 2)
    return max(0, min(middle - length // 2, whole - length))


def _quote(span: MarkedSpan, text: str) -> MarkedQuote:
    words, _ = cut(text[span.start : span.end], QUOTE)
    return MarkedQuote(evidence_id=span.id, quote=words, start=span.start, end=span.end, claims=span.claims)


def checked(text: CheckedText) -> CheckTold:
    """A checked text as a tool tells it, as much as there is room for."""
    every = []
    for each in text.sentences:
        near = each.against if each.status not in VERIFIED else None
        where = " › ".join(filter(None, (near.title, near.locator))) if near else ""
        every.append(
            SentenceTold(
                text=cut(each.text, 2_000)[0],
                status=each.status,
                why=each.why,
                quote=cut(near.quote, QUOTE)[0] if near else "",
                where=cut(where, 500)[0],
                repair=cut(each.repair, 2_000)[0],
            )
        )
    kept = fitting(every, MOST - 3_000)
    left = len(every) - len(kept) + text.left_out
    said = f"{left} sentences at the end are left out: check the text in parts." if left else ""
    return CheckTold(verdicts=text.verdicts, sentences=kept, left_out=said, notes=text.notes)


def passages(found: Sequence[FoundPassage], *, knowledge_base: str) -> Found:
    """Passages as a tool tells them, as many as there is room for."""
    every = []
    for passage in found:
        text, is_cut = cut(passage.text, PASSAGE)
        every.append(
            PassageTold(
                title=cut(passage.title, 300)[0],
                document_id=passage.document,
                heading=cut(" › ".join(passage.headings), 500)[0],
                text=text,
                is_cut=is_cut,
            )
        )
    kept = fitting(every, MOST - 2_000)
    left = len(every) - len(kept)
    said = f"{left} passages are left out: ask for fewer, or with other words." if left else ""
    return Found(knowledge_base=knowledge_base, passages=kept, left_out=said)
