"""The report as Markdown."""

from __future__ import annotations

from fathom.report import Report


def render(report: Report) -> str:
    """The report's own text, ending in a line break."""
    return report.markdown if report.markdown.endswith("\n") else report.markdown + "\n"
