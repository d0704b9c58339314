"""A report as a tool returns it: its text, and each claim with its status, its quotes and their sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fathom.mcp_server.fitting import MOST, cut, plain, size, slice_fitting
from fathom.mcp_server.inputs import Format
from fathom.mcp_server.outputs import CheckedClaim, CitedSource, Quote, ReportTold
from fathom.ports import RunStatus
from fathom.render import formats
from fathom.report import Claim, EvidenceEntry, Report, SourceEntry

TEXT_ROOM = 60_000
"""Characters of the text that a result holds at most; its claims get the rest."""
QUOTE = 600
"""Characters of a quote that are shown."""
QUOTES = 4
"""Quotes of a claim that are shown, the strongest ones."""
REMARKS = 10
"""Contradictions, and limitations, that are told; the text has all of them."""
_SPARE = 2_500
"""Kept back for what is left."""

_LESS_NEEDED = ("findings", "syntheses", "evidence", "figures", "gaps", "validation", "perspectives", "subtasks")
"""Parts of the report as data that are left out, in this order, until the rest fits in."""
_REST = ("markdown", "claims", "sections", "sources", "contradictions", "coverage", "not_found")

_NAMES: dict[Format, str] = {"summary": "summary", "report": "markdown", "bullets": "bullets", "json": "json"}


def whole(report: Report, format: Format) -> str:
    """The report in a format."""
    return formats.get(_NAMES[format])(report)


def told(
    report: Report,
    status: RunStatus,
    *,
    format: Format,
    claims_from: int = 1,
    text_from: int = 0,
    room: int = MOST,
) -> ReportTold:
    """The report, as much of it as there is room for, in characters.

    Args:
        claims_from: Number of the first claim to list, from 1.
        text_from: Offset in the text to begin at.
    """
    empty = ReportTold(
        session_id=report.run_id,
        status=status,
        title=cut(report.title, 500)[0],
        language=report.language,
        partial=report.partial,
        text="",
        text_start=0,
        text_length=0,
        claims=(),
        claims_total=len(report.claims),
        sources=(),
        contradictions=tuple(cut(each.description, 2 * QUOTE)[0] for each in report.contradictions[:REMARKS]),
        limitations=tuple(cut(each, QUOTE)[0] for each in report.limitations[:REMARKS]),
        data=None,
        left_out="",
    )
    if format == "json":
        return _as_data(report, empty, room)
    text = whole(report, format)
    piece = slice_fitting(text[text_from:], min(TEXT_ROOM, room * TEXT_ROOM // MOST))
    here = empty.model_copy(update={"text": piece, "text_start": text_from, "text_length": len(text)})
    every = _wanted(report, format)
    wanted = every[claims_from - 1 :]
    claims, sources = _fitting(report, wanted, room - size(here) - _SPARE)
    return here.model_copy(
        update={
            "claims": tuple(claims),
            "claims_total": len(every),
            "sources": tuple(sources),
            "left_out": _left_out(here, claims_from, len(claims), len(wanted)),
        }
    )


def source_of(entry: SourceEntry) -> CitedSource:
    """A source as a tool tells it."""
    return CitedSource.like(entry, title=cut(entry.title, 300)[0], uri=cut(entry.uri, 1_000)[0])


def _wanted(report: Report, format: Format) -> Sequence[Claim]:
    """The claims that a format tells: the short ones tell some sentences of the report."""
    match format:
        case "report" | "json":
            return report.claims
        case "bullets":
            return report.claims_of("summary")
        case "summary":
            return report.claims_of("summary", "conclusion")


def _claim(claim: Claim, words: str, known: Mapping[str, EvidenceEntry]) -> CheckedClaim:
    quotes = []
    for id in claim.evidence[:QUOTES]:
        if id in known:
            words, is_cut = cut(known[id].quote, QUOTE)
            where = cut(known[id].locator, 200)[0]
            quotes.append(Quote.like(known[id], evidence_id=id, quote=words, is_cut=is_cut, locator=where))
    text, sources = cut(words, 2_000)[0], claim.citations[:20]
    return CheckedClaim.like(claim, text=text, sources=sources, quotes=tuple(quotes))


def _fitting(report: Report, wanted: Sequence[Claim], room: int) -> tuple[list[CheckedClaim], list[CitedSource]]:
    """As many of the claims as there is room for, with the sources that they cite; the first in any case."""
    known = {source.id: source_of(source) for source in report.sources}
    evidence, alone = {entry.id: entry for entry in report.evidence}, report.in_words
    claims: list[CheckedClaim] = []
    cited: set[str] = set()
    for each in wanted:
        claim = _claim(each, alone[each.id], evidence)
        more = ({*claim.sources, *(quote.source_id for quote in claim.quotes)} & known.keys()) - cited
        room -= size(claim) + sum(size(known[id]) + 2 for id in more) + 2
        if claims and room < 0:
            break
        claims.append(claim)
        cited |= more
    return claims, [source for id, source in known.items() if id in cited]


def _left_out(here: ReportTold, claims_from: int, listed: int, wanted: int) -> str:
    parts = []
    end = here.text_start + len(here.text)
    if end < here.text_length:
        parts.append(f"The text is cut: ask `report` with text_from={end} for the rest.")
    if listed < wanted:
        parts.append(f"{wanted - listed} claims are left out: ask `report` with claims_from={claims_from + listed}.")
    return " ".join(parts)


def _as_data(report: Report, empty: ReportTold, room: int) -> ReportTold:
    """The report as data, without parts that do not fit in."""
    data = plain(report)
    gone: list[str] = []
    room -= size(empty) + _SPARE
    for name in (*_LESS_NEEDED, *_REST):
        if size(data) <= room:
            break
        del data[name]
        gone.append(name)
    left_out = ""
    if gone:
        told = f"There was no room for {', '.join(gone)}."
        left_out = f"{told} The resource fathom://session/{report.run_id}/report.json has all of it."
    return empty.model_copy(update={"data": data, "left_out": left_out})
