"""The footnotes of a report: each quotation to the letter, in its context, with all that says where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fathom.render.html.inert import line, lines, link
from fathom.report import EvidenceEntry, Report, SourceEntry

CONTEXT = 180
"""Characters of the snapshot that stand at most on either side of a quotation."""
_SET_IN_LINES = re.compile(r"^(?: {2,}|\t|\||[-*+•] |>>> |\.\. |\d+[.)] )", re.MULTILINE)


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
            before, after = context(entry, snapshots.get(source.sha256))
            yield Note(
                id=entry.id,
                number=entry.id.removeprefix("E"),
                source=source,
                quote=lines(entry.quote),
                before=before,
                after=after,
                in_lines=source.kind == "dataset" or bool(_SET_IN_LINES.search(entry.quote)),
                locator=line(entry.locator),
                link=link(source.uri),
                address=line(source.uri),
                cited_by=tuple(cited_by.get(entry.id, ())),
            )


def sides(report: Report) -> dict[str, Sequence[str]]:
    """The evidence of the findings that contradict each other, by finding."""
    in_dispute = {side.finding for each in report.contradictions for side in each.sides}
    return {finding.id: finding.evidence for finding in report.findings if finding.id in in_dispute}


def context(entry: EvidenceEntry, snapshot: str | None) -> tuple[str, str]:
    """The words before and behind a quotation; none when the snapshot is not there or is another.

    >>> entry = EvidenceEntry(id="E1", source_id="S1", quote="is deep", start=8, end=15, locator="")
    >>> context(entry, "The sea is deep and cold.")
    ('The sea ', ' and cold.')
    """
    if snapshot is None or snapshot[entry.start : entry.end] != entry.quote:
        return "", ""
    before = snapshot[max(0, entry.start - CONTEXT) : entry.start]
    after = snapshot[entry.end : entry.end + CONTEXT]
    if entry.start > CONTEXT:
        before = "…" + re.sub(r"^\S{0,30}\s+", "", before, count=1)
    if entry.end + CONTEXT < len(snapshot):
        after = re.sub(r"\s+\S{0,30}$", "", after, count=1) + "…"
    return _flowing(before), _flowing(after)


def _flowing(text: str) -> str:
    """Lines of a paragraph as one line; paragraphs stay apart."""
    text = re.sub(r"[^\S\n]+", " ", lines(text))
    return re.sub(r"\s*\n\s*\n\s*", "\n", re.sub(r"(?<!\n) ?\n ?(?!\s*\n)", " ", text))


def by_id(all_notes: Iterable[Note]) -> dict[str, Note]:
    """The notes by their id."""
    return {note.id: note for note in all_notes}
