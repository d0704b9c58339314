"""The report in brief: what answers first, the conclusion, what to know before relying on it, and the sources cited."""

from __future__ import annotations

from fathom.render.brief import blocks, claims_told, ending, heading
from fathom.report import Report
from fathom.text.commonmark import inert
from fathom.text.phrases import phrases

LIMITATIONS = 5
"""Limitations that are told, the most important ones."""


def render(report: Report) -> str:
    """An executive summary as Markdown, ending in a line break. Nothing is said that the report does not say."""
    words = phrases(report.language)
    found, concluded = claims_told(report, report.key_findings), claims_told(report, report.conclusions)
    parts = list(heading(report, words))
    if found:
        parts += [f"## {words.summary}", *blocks(found, words)]
    if concluded:
        parts += [f"## {words.conclusion}", *blocks(concluded, words)]
    if report.limitations:
        lines = (f"- {inert(each)}" for each in report.limitations[:LIMITATIONS])
        parts += [f"## {words.limitations}", "\n".join(lines)]
    return "\n\n".join([*parts, *ending(report, [*found, *concluded], words)])
