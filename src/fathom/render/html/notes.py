"""The footnotes of a report: each quotation to the letter, in its context, with all that says where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fathom.render.html.inert import address, line, lines, link
from fathom.report import EvidenceEntry, Report, SourceEntry

CONTEXT = 180
"""Characters of the snapshot that stand at most on either side of a quotation; of Japanese, half as many."""
LINES = 2
"""Lines of the snapshot that stand at most on either side of a quotation that is set in lines."""
_NARROW = re.compile(r"[A-Za-z]{3}")
_PARAGRAPHS = re.compile(r"\n[^\S\n]*\n\s*")
_SET_IN_LINES = re.compile(r"^(?: {3,}|\t|\||>>> |\.\.\. |\$ )", re.MULTILINE)


@dataclass(frozen=True)
class Note:
    """A footnote."""

    id: str
    """`E1`, as in the report."""
    number: str
    """What stands in the text: `1`."""
    source: SourceEntry
    """Where it was taken from."""
    quote: str
    """To the letter, save for what cannot be seen."""
    before: str
    """What stands before the quotation in the snapshot; empty without one."""
    after: str
    """What stands behind it."""
    in_lines: bool
    """Its line breaks mean something: it is a record, code, or a table."""
    locator: str
    """Where in the source."""
    link: str | None
    """The source's address, if it may be followed."""
    address: str
    """The source's address, to be read."""
    cited_by: tuple[str, ...]
    """Ids of the claims that cite it, in order."""


def notes(report: Report, snapshots: Mapping[str, str]) -> Iterator[Note]:
    """One for each quotation that a sentence of the report rests on, or a side of a contradiction, in their order."""
    sources = {source.id: source for source in report.sources}
    cited_by: dict[str, list[str]] = {}
    for claim in report.claims:
        for id in dict.fromkeys(claim.evidence):
            cited_by.setdefault(id, []).append(claim.id)
    of_sides = frozenset(id for ids in sides(report).values() for id in ids)
    for entry in report.evidence:
        if (entry.id in cited_by or entry.id in of_sides) and entry.source_id in sources:
            source = sources[entry.source_id]
            in_lines = source.kind == "dataset" or bool(_SET_IN_LINES.search(entry.quote))
            before, after = context(entry, snapshots.get(source.sha256), in_lines=in_lines)
            yield Note(
                id=entry.id,
                number=entry.id.removeprefix("E"),
                source=source,
                quote=lines(entry.quote),
                before=before,
                after=after,
                in_lines=in_lines,
                locator=line(entry.locator),
                link=link(source.uri),
                address=address(source.uri),
                cited_by=tuple(cited_by.get(entry.id, ())),
            )


def sides(report: Report) -> dict[str, Sequence[str]]:
    """The evidence of the findings that contradict each other, by finding."""
    in_dispute = {side.finding for each in report.contradictions for side in each.sides}
    return {finding.id: finding.evidence for finding in report.findings if finding.id in in_dispute}


def context(entry: EvidenceEntry, snapshot: str | None, *, in_lines: bool = False) -> tuple[str, str]:
    """The words of its paragraph, or `in_lines` the lines, around a quotation; none when the snapshot is not there.

    >>> entry = EvidenceEntry(id="E1", source_id="S1", quote="is deep", start=8, end=15, locator="")
    >>> context(entry, "The sea is deep and cold.")
    ('The sea ', ' and cold.')
    """
    if snapshot is None or snapshot[entry.start : entry.end] != entry.quote:
        return "", ""
    width = CONTEXT if _NARROW.search(entry.quote) else CONTEXT // 2
    before, after = snapshot[max(0, entry.start - width) : entry.start], snapshot[entry.end : entry.end + width]
    goes_before, goes_on = entry.start > width, entry.end + width < len(snapshot)
    if in_lines:
        return _last_lines(lines(before), cut=goes_before), _first_lines(lines(after), cut=goes_on)
    *above, before = _PARAGRAPHS.split(lines(before))
    after, *below = _PARAGRAPHS.split(lines(after))
    if goes_before and not above:
        before = "…" + re.sub(r"^\S{0,30}\s+", "", before, count=1)
    if goes_on and not below:
        after = re.sub(r"\s+\S{0,30}$", "", after, count=1) + "…"
    return _flowing(before), _flowing(after)


def _last_lines(text: str, *, cut: bool) -> str:
    """Whole lines up to the quotation, and what stands before it on its own."""
    kept = text.split("\n")
    whole = kept[1:] if cut and len(kept) > 1 else kept
    return "\n".join(whole[-LINES - 1 :])


def _first_lines(text: str, *, cut: bool) -> str:
    """What stands behind the quotation on its line, and whole lines from there on."""
    kept = text.split("\n")
    whole = kept[:-1] if cut and len(kept) > 1 else kept
    return "\n".join(whole[: LINES + 1]).rstrip("\n")


def _flowing(text: str) -> str:
    """Lines of a paragraph as one line."""
    return re.sub(r"\s+", " ", text)
