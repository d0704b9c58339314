"""The mark by which Fathom knows what it has written itself."""

from __future__ import annotations

REPORT_MARK = "<!-- written by Fathom -->"
"""The last line of a report's Markdown: by it the knowledge base knows a report and does not take it for a source."""
