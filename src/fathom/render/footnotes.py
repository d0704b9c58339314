"""The report as Markdown whose marks are footnotes, each with its quotation, the source and the place in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from fathom.render.html.inert import link
from fathom.render.markdown import Marks, footer_of, walked
from fathom.report import Claim, EvidenceEntry, Report, SourceEntry
from fathom.text.commonmark import address, inert
from fathom.text.phrases import phrases
from fathom.text.places import portable

_PAGE = re.compile(r"Page \d")
"""Begins a place in a PDF; elsewhere, but for data, it is a path of headings."""
_CHARACTER = re.compile(r"&(?=#\w+;)")
"""Would make of what follows a character, which may be one that a document cannot hold."""


def render(report: Report, *, snapshots: Mapping[str, str] | None = None) -> str:
    """The report with footnotes as GitHub and Pandoc read them; it tells no folder, and ends in a line break.

    With `snapshots`, the texts of sources by their digest, a note names the line in a file that has no headings.
    """
    report = portable(report)
    return walked(report, footer_of(report), marks=_Footnotes(report, snapshots or {}))


class _Footnotes(Marks):
    """A footnote for each quotation, numbered as they are met in the text."""

    def __init__(self, report: Report, snapshots: Mapping[str, str]) -> None:
        self._snapshots = snapshots
        self._evidence = {entry.id: entry for entry in report.evidence}
        self._sources = {source.id: source for source in report.sources}
        self._words = phrases(report.language)
        self._labels: dict[str, str] = {}
        self._before = ""
        while re.search(rf"\[\^{self._before}\d", report.markdown):  # a text that has such marks itself
            self._before += "n"

    def of(self, claim: Claim) -> Sequence[str]:
        """The quotations that it rests on."""
        return [id for id in claim.evidence if id in self._evidence]

    def behind(self, claims: Sequence[Claim], *, within: Claim | None = None) -> str:
        """A footnote for each quotation that they rest on; in a passage, for those that are not marked above it."""
        known = within.evidence if within else ()
        ids = dict.fromkeys(id for claim in claims for id in self.of(claim))
        return "".join(
            f"[^{self._labels.setdefault(id, f'{self._before}{len(self._labels) + 1}')}]"
            for id in ids
            if id not in known
        )

    def targets(self, sources: Sequence[SourceEntry]) -> str:
        """The footnotes; and of the sources, which figures and contradictions name, the addresses of pages."""
        notes = (f"[^{label}]: {self._note(self._evidence[id])}" for id, label in self._labels.items())
        pages = super().targets([source for source in sources if link(source.uri)])
        return "\n\n".join(filter(None, (*notes, _CHARACTER.sub("%26", pages))))

    def _note(self, entry: EvidenceEntry) -> str:
        source = self._sources[entry.source_id]
        text = self._snapshots.get(source.sha256, "") if source.kind == "file" else ""
        line = f"L{text.count(chr(10), 0, entry.start) + 1}" if text and not entry.locator else ""
        quote, title, place = (inert(text, in_link=True) for text in (entry.quote, source.title, entry.locator))
        page = _CHARACTER.sub("%26", address(link(source.uri) or ""))
        told = f"[{title}](<{page}>)" if page else title
        is_path = place and source.kind != "dataset" and not _PAGE.match(place)
        where = self._words.comma.join(filter(None, (source.id, told, f"§{place}" if is_path else place or line)))
        return f"{self._words.quoted_word.format(word=quote)} — {where}"
