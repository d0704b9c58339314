"""A model's words as plain sentences: whatever markup, link or mark of citation stands in them did not come from us."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fathom.text.harmless import inert

_LONGEST = 3_000
"""Characters that are looked at: a claim, a sentence or a caveat is far shorter."""
_ADDRESS = re.compile(
    r"\s?\(?(?:\b[a-z][a-z0-9+.-]{1,15}://|\b(?:data|javascript|mailto|vbscript|file):|\bwww\.)"
    r"[^\s<>「」（）。、]*[^\s<>「」（）。、.,;:!?\]'\"]",
    re.IGNORECASE,
)
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"<!--.*?-->|<(script|style)\b[^>]*>.*?</\1\s*>", re.IGNORECASE), ""),
    (re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+[\"'][^\"']*[\"'])?\)"), r"\1"),
    (re.compile(r"</?[A-Za-z!?][^<>]*>"), ""),
    (re.compile(r"(`{1,3})([^`]+)\1"), r"\2"),
    (re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*]+?)(?<=[^\s*])\1(?![\w*])"), r"\2"),
    (re.compile(r"(?<!\w)(_{1,3})(?=[^\s_])([^_]+?)(?<=[^\s_])\1(?!\w)"), r"\2"),
    (re.compile(r"~~(?=\S)([^~]+?)(?<=\S)~~"), r"\1"),
    (
        re.compile(
            r"(?<!\s)\s*(?:\[\^?(?:[A-Z]?\d{1,3}|(?:finding|source|citation|id)s?\W{0,2}\d{1,3})(?:\s*[,;–-]\s*[A-Z]?\d{1,3})*\]"
            r"|\((?:finding|source|citation)s?\W{0,2}\d{1,3}(?:\s*(?:,|;|and)\s*\d{1,3})*\)"
            r"|【[^【】]{0,24}】|\bfinding_[0-9a-f]{10}\b)",
            re.IGNORECASE,
        ),
        "",
    ),
    (_ADDRESS, ""),
    (re.compile(r"^(?:#{1,6}\s|[-*+•]\s|>\s?|\|)+\s*"), ""),
)


def plain(text: str, held: Iterable[str] = ()) -> str:
    """`text` on one line, without markup, tags, addresses and marks of citation; empty when nothing else is said.

    What stands to the letter in one of the texts `held` is left: there it is what is spoken of.

    >>> plain("**The sea** is deep [3], see [here](https://evil.example).")
    'The sea is deep, see here.'
    >>> plain("Write `argv[0]` or <b>.", held=["argv[0] and <b>"])
    'Write argv[0] or <b>.'
    """
    text, known = inert(text[:_LONGEST]), tuple(inert(each) for each in held)

    def removed(pattern: re.Pattern[str], instead: str) -> str:
        def replace(match: re.Match[str]) -> str:
            spoken_of = any(_stands_in(match, each) for each in known)
            return match[0] if spoken_of else match.expand(instead)

        return pattern.sub(replace, text)

    for pattern, instead in _RULES:
        text = removed(pattern, instead)
    text = " ".join(text.split())
    return text if any(char.isalnum() for char in text) else ""


def _stands_in(match: re.Match[str], held: str) -> bool:
    """Whether `held` says the same behind the same word: `[0]` behind other words than `argv` is no part of it."""
    said = match[0].strip()
    if match[0] != match[0].lstrip():
        return f" {said}" in f" {held}"
    word = re.search(r"(?<!\w)\w*+$", match.string[: match.start()])
    return f"{word[0] if word else ''}{said}" in held
