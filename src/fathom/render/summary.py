"""The report in brief: what answers first, the conclusion, what to know before relying on it, and the sources cited."""

from __future__ import annotations

from fathom.render.brief import closing, heading
from fathom.render.markdown import blocks, joined
from fathom.report import Report
from fathom.text.commonmark import inert
from fathom.text.phrases import phrases

LIMITATIONS = 5
"""Limitations that are told, the most important ones."""


def render(report: Report) -> str:
    """An executive summary as Markdown, ending in a line break. Nothing is said that the report does not say."""
    words = phrases(report.language)
    parts, claims = list(heading(report, words)), {claim.id: claim for claim in report.claims}
    for section in report.sections:
        if section.role != "section" and section.blocks:
            parts += [f"## {inert(section.heading)}", *blocks(section.blocks, claims, words)]
    if report.limitations:
        lines = (f"- {inert(each)}" for each in report.limitations[:LIMITATIONS])
        parts += [f"## {words.limitations}", "\n".join(lines)]
    return joined(*parts, *closing(report, report.claims_of("summary", "conclusion"), words))
