"""Headings of the sources as they can be quoted."""

from __future__ import annotations

import re

_NUMBERING = re.compile(
    r"^(?:(?:chapter|section|part|appendix)\s+)?(?:\d{1,3}(?:\.\d{1,3})*\.?|[A-Z](?:\.\d+)+\.?|[A-Z]\.)\s+"
    r"|^(?:第\d+(?:\.\d+)*[章節]?|\d{1,3}(?:\.\d+)*[章節.](?!\d))\s*",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[¶#§\u200b]+")


def clean_heading(heading: str) -> str:
    """A heading without its number and without marks of links; a year or a date is no number.

    >>> clean_heading("25.1.6. The Autovacuum Daemon ¶")
    'The Autovacuum Daemon'
    >>> clean_heading("A visit to the bridge"), clean_heading("B. Parts"), clean_heading("Appendix C.2 Tables")
    ('A visit to the bridge', 'Parts', 'Tables')
    >>> clean_heading("2026-01-14-ops"), clean_heading("2024年度決算"), clean_heading("第2章 会計")
    ('2026-01-14-ops', '2024年度決算', '会計')
    """
    text = " ".join(_MARKS.sub(" ", heading).split())
    return _NUMBERING.sub("", text).strip() or text
