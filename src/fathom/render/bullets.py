"""The key findings of a report as points, each with what it cites."""

from __future__ import annotations

from fathom.render.brief import ending, heading, points
from fathom.report import Report
from fathom.text.phrases import phrases


def render(report: Report) -> str:
    """The points and the sources that they cite, as Markdown, ending in a line break."""
    words = phrases(report.language)
    found = report.claims_of("summary")
    parts = list(heading(report, words))
    if found:
        parts += [f"## {words.key_findings}", "\n".join(points(found, words))]
    return "\n\n".join([*parts, *ending(report, found, words)])
