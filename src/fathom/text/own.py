"""What Fathom has written itself is no source: by what it is known, in whatever format it comes back."""

from __future__ import annotations

import re
from functools import cache

from fathom.languages.packs import packs
from fathom.text.phrases import LANGUAGES, phrases

REPORT_MARK = "<!-- written by Fathom -->"
"""The last line of a report's Markdown; a report in HTML names Fathom as its generator."""
_MARKED = re.compile(rb"<!-{2,}\s{0,9}written by Fathom\s{0,9}-{2,}>|<meta name=\"generator\" content=\"Fathom\"", re.I)
REPORT_FIELDS = frozenset({"run_id", "query", "markdown", "claims", "evidence", "sources", "not_found"})
"""What the JSON of a report holds, whatever its version."""
_FORMER = tuple(filter(None, (each.holds("documents.former") for each in packs())))
"""How reports of 1.x told what was checked."""
_COUNT = re.compile(r"\\\{\w+\\\}")


def is_own(data: bytes, text: str) -> bool:
    """Whether a document holds a report of Fathom: a mark in its bytes, or in its text what ends a report.

    >>> is_own(b"", "Documents in reach: 9. Matched: 5, read: 5,\\nquoted: 2.")
    True
    """
    return _MARKED.search(data) is not None or any(ending.search(text) for ending in _endings())


@cache
def _endings() -> tuple[re.Pattern[str], ...]:
    """How a report ends: what was checked, read and answered, with any counts and broken over any lines."""
    words = [phrases(language) for language in LANGUAGES]
    told = [text for word in words for text in (word.footer.split("{verdicts}")[0], word.coverage, word.nothing_found)]
    fixed = [template.split("{what}")[-1].replace("\u00a0", " ").strip(" .。") for template in (*told, *_FORMER)]
    return tuple(re.compile(_COUNT.sub(r"[\\d,]{1,12}", re.escape(each)).replace(r"\ ", r"\s{1,9}")) for each in fixed)
