"""What Fathom has written itself is no source: by what it is known, in whatever format it comes back."""

from __future__ import annotations

import re
from functools import cache

from fathom.text.phrases import phrases

REPORT_MARK = "<!-- written by Fathom -->"
"""The last line of a report's Markdown; a report in HTML names Fathom as its generator."""
_MARKED = re.compile(rb"<!-{2,}\s{0,9}written by Fathom\s{0,9}-{2,}>|<meta name=\"generator\" content=\"Fathom\"", re.I)
_LANGUAGES = ("en", "ja")
_COUNT = re.compile(r"\\\{\w+\\\}")


def is_own(data: bytes, text: str) -> bool:
    """Whether a document holds a report of Fathom: a mark in its bytes, or in its text what ends a report.

    >>> is_own(b"", "Documents in reach: 9. Matched: 5, read: 5,\\nquoted: 2.")
    True
    """
    return _MARKED.search(data) is not None or any(ending.search(text) for ending in _endings())


@cache
def _endings() -> tuple[re.Pattern[str], ...]:
    """What was checked and how much was read, as a report tells it, with any counts and broken over any lines."""
    told = [each for language in _LANGUAGES for each in (phrases(language).footer, phrases(language).coverage)]
    fixed = [template.split("{what}")[-1].strip() for template in told]
    return tuple(re.compile(_COUNT.sub(r"[\\d,]{1,12}", re.escape(each)).replace(r"\ ", r"\s{1,9}")) for each in fixed)
