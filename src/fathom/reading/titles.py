"""Titles and headings as a reader should see them."""

from __future__ import annotations

import re

from lxml import etree

_NUMBER = re.compile(
    r"^(?:(?:chapter|appendix|part|section)\s+(?:\d+|[A-Z]|[IVXLC]+)\b[.:]?(?:\s+|$)|(?:\d+|[A-Z])(?:\.\d+)+\.?\s+|\d+[.)]\s+"
    r"|[IVXLC]+\.\s+|[A-Z]\.\s+|第\s*[\d一二三四五六七八九十]+\s*[章節部編][.．:：]?\s*|付録\s*[A-Z\d]+[.．:：]?\s*)",
    re.IGNORECASE,
)
_SITE = re.compile(r" (?:—|–|\||::|»|·|-) ")


def bare_heading(text: str) -> str:
    """A heading without its section number.

    >>> bare_heading("25.1. Routine Vacuuming"), bare_heading("第 2 章 Debian パッケージ管理"), bare_heading("Part II.")
    ('Routine Vacuuming', 'Debian パッケージ管理', 'Part II.')
    """
    text = " ".join(text.split())
    return _NUMBER.sub("", text, count=1).strip() or text


def page_title(root: etree._Element, heading: str) -> str:
    """The title of a page without the name of its site."""
    element = root.find(".//title")
    title = " ".join("".join(map(str, element.itertext())).split()) if element is not None else ""
    if heading and (not title or bare_heading(heading).casefold() in title.casefold()):
        return heading
    parts = _SITE.split(title)
    return parts[0] if parts[0] else title or heading
