"""What the short formats of a report share: how they begin, and how they end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fathom.render.markdown import dataset_lines, ending, head
from fathom.report import Claim, Report
from fathom.text import typeset
from fathom.text.phrases import Phrases


def heading(report: Report, words: Phrases) -> Iterator[str]:
    """The title, why the report is partial, and that nothing, or nothing that answers, was found, where that is so."""
    yield from head(report, words)
    yield typeset.note(None, report, words)


def closing(report: Report, told: Sequence[Claim], words: Phrases) -> Iterator[str]:
    """The sources that are cited, what the sign of a conclusion means, and how much data was read."""
    cited = {id for each in told for id in each.citations}
    sources = [source for source in report.sources if source.id in cited]
    footer = (typeset.conclusion_line(told, words), *dataset_lines(report, words))
    yield from ending(sources, words, tuple(filter(None, footer)))
