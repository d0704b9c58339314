"""The key findings of a report as points, each with what it cites."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fathom.render.brief import closing, heading
from fathom.render.markdown import joined, sentences
from fathom.report import Claim, Report
from fathom.text.commonmark import inert
from fathom.text.phrases import Phrases, phrases


def render(report: Report) -> str:
    """The points and the sources that they cite, as Markdown, ending in a line break."""
    words = phrases(report.language)
    found = report.claims_of("summary")
    alone = report.in_words
    texts = [each.model_copy(update={"text": alone[each.id]}) for each in found]
    points = (f"## {words.key_findings}", "\n".join(_points(texts, words))) if found else ()
    return joined(*heading(report, words), *points, *closing(report, found, words))


def _points(told: Sequence[Claim], words: Phrases) -> Iterator[str]:
    """Each sentence as a point of its own; an item behind the sentence that it stands under."""
    lead_ins = {each.lead_in for each in told}
    for each in told:
        if each.text not in lead_ins:
            lead_in = f"{inert(each.lead_in)} " if each.lead_in else ""
            yield f"- {lead_in}{sentences([each], words)}"
