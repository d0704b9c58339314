"""A verbatim quote as a reader should see it, and how long it is."""

from __future__ import annotations

import html
import re

from fathom.evidence import Markup
from fathom.text.characters import CJK

_WIDE = f"{CJK}\u3001-\u303f\uff00-\uff65"
_CJK_BREAK = re.compile(rf"(?<=[{_WIDE}])[ \t]*\n\s*(?=[{_WIDE}])")
QUOTED = re.compile(r"(?:[ \t]?>)++ ?")
"""Before each line that a mail quotes."""
_QUOTED_LINE = re.compile(rf"\n{QUOTED.pattern}")
_CJK_CHAR = re.compile(f"[{CJK}]")
_WORDLIKE = re.compile(r"\w")

_TAG = r"</?[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z-]+(?:=(?:\"[^\"]*\"|'[^']*'|[^\s<>\"']+))?)*\s*/?>"
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_MARKDOWN: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"<!--.*?-->", re.DOTALL), ""),
    (re.compile(r"!\[([^\[\]]{0,500})\](?:\([^()\s]*(?:\s+\"[^\"]*\")?\)|\[[^\]]*\])"), r"\1"),
    (re.compile(r"\[\^[^\]\s]+\]"), ""),
    (re.compile(r"\[([^\[\]]+)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+[\"'(][^\n]*?[\"')])?\)"), r"\1"),
    (re.compile(r"\[([^\[\]]+)\]\[[^\[\]]*\]"), r"\1"),
    (re.compile(r"<((?:https?|mailto|ftp):[^<>\s]+)>"), r"\1"),
    (re.compile(_TAG), ""),
    (re.compile(r"(?<![\\*])(\*{1,3})(?=[^\s*])(.+?)(?<=[^\s*\\])\1(?!\*)", re.DOTALL), r"\2"),
    (re.compile(r"(?<![\w\\])(_{1,3})(?=[^\s_])(.+?)(?<=[^\s_\\])\1(?!\w)", re.DOTALL), r"\2"),
    (re.compile(r"~~(?=\S)(.+?)(?<=\S)~~", re.DOTALL), r"\1"),
    (re.compile(r"(?m)^[ \t]*(?:>[ \t]?)+"), ""),
    (re.compile(r"[ \t]{0,9}\{#[\w-]+\}"), ""),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)
_RST_LITERAL = re.compile(r"``(.+?)``(?!`)", re.DOTALL)
_RST: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?<![\w:])(?::[\w+.-]{1,40}){1,4}:`[!~]?([^`<]+?)\s*<[^`<>]+>`", re.DOTALL), r"\1"),
    (re.compile(r"(?<![\w:])(?::[\w+.-]{1,40}){1,4}:`~(?:[^`]*\.)?([^`.]+)`"), r"\1"),
    (re.compile(r"(?<![\w:])(?::[\w+.-]{1,40}){1,4}:`!?([^`]+)`"), r"\1"),
    (re.compile(r"`([^`<]+?)\s*<[^`<>]+>`__?(?!\w)", re.DOTALL), r"\1"),
    (re.compile(r"`([^`]+)`(?:__?(?!\w)|(?::[\w+.-]{1,40}){1,4}:)?"), r"\1"),
    (re.compile(r"(?<![\w\\*])\*\*(?=\S)(.+?)(?<=[^\s\\])\*\*(?!\w)", re.DOTALL), r"\1"),
    (re.compile(r"(?<![\w\\*])\*(?=[^\s*])([^*]+?)(?<=[^\s\\])\*(?!\w)", re.DOTALL), r"\1"),
    (re.compile(r"(?<![\w|])\|(?=[^\s|])([^|\n]+?)(?<=\S)\|(?:__?)?(?![\w|])"), r"\1"),
    (re.compile(r"[ \t\n]{0,9}\[(?:#[\w-]*|\*|\d+)\]_(?!\w)"), ""),
    (re.compile(r"(?<![\w.+-])([A-Za-z0-9](?:[\w.+-]{0,80}[A-Za-z0-9])?)__?(?![\w(])"), r"\1"),
    (re.compile(r"::(?=\s*$)"), ":"),
    (re.compile(r"\\(.)"), r"\1"),
)
_FRAME = re.compile(r"[ \t]*\|[ \t]*\n[ \t]*\|(?:[ \t]*\|)?[ \t]*")  # of a table drawn with lines, at the end of a line
_BAR = re.compile(r"(?<=\s)\|(?=\s|$)")
_MARK = re.compile(r"[*_`\[\]<>|~\\{}:]")
_HELD = re.compile("\ue000(\\d+)\ue001")


def display(text: str, markup: Markup) -> str:
    """`text` on one line, without the inline marks of its markup.

    Lines of Chinese or Japanese are joined without a space.

    >>> display("Use **`fsync`**,\\nsee [the manual](x.html).", "markdown")
    'Use fsync, see the manual.'
    >>> display("Oak | 12 |\\n| Elm | 7", "markdown")
    'Oak | 12 Elm | 7'
    >>> display("See :func:`os.path.join` and ``a*b``.", "rst")
    'See os.path.join and a*b.'
    """
    match markup:
        case "markdown":
            text = _strip(text, _CODE, 2, _MARKDOWN)
            text = html.unescape(text) if "&" in text else text
        case "rst":
            text = _strip(text, _RST_LITERAL, 1, _RST)
        case "plain":
            text = _QUOTED_LINE.sub("\n", text)
    if "|" in text and _FRAME.search(text):
        text = _FRAME.sub(" ", text) if markup == "markdown" else _undrawn(text)  # there each line is a row
    if not text.isascii():
        text = _CJK_BREAK.sub("", text)
    return " ".join(text.split())


def _undrawn(text: str) -> str:
    """A row of a table drawn with lines, whose cells go on over several lines, cell after cell."""
    rows = [_BAR.split(line.strip().removeprefix("|").removesuffix("|")) for line in text.splitlines()]
    rows[-1] += [""] * (len(rows[0]) - len(rows[-1]))  # a quote ends before the empty cells at its end
    if len({len(row) for row in rows}) > 1:
        return _FRAME.sub(" ", text)
    cells = (" ".join(" ".join(cell).split()) for cell in zip(*rows, strict=True))
    return " | ".join(filter(None, cells))


def word_count(text: str) -> int:
    """Length of `text` in words.

    A word is a stretch without white space that holds a letter or a digit; a Chinese, Japanese or Korean
    letter counts as half a word, and the sum is rounded up.

    >>> word_count("The cost is 5 — really."), word_count("自動バキューム"), word_count("")
    (5, 4, 0)
    """
    wide = 0
    if not text.isascii():
        text, wide = _CJK_CHAR.subn(" ", text)
    return len(list(filter(_WORDLIKE.search, text.split()))) + (wide + 1) // 2


def _strip(text: str, code: re.Pattern[str], group: int, rules: tuple[tuple[re.Pattern[str], str], ...]) -> str:
    """Apply the rules to everything but literal code, whose characters stand for themselves."""
    held: list[str] = []

    def hold(match: re.Match[str]) -> str:
        held.append(match[group].strip())
        return f"\ue000{len(held) - 1}\ue001"

    if not _MARK.search(text):
        return text
    text = code.sub(hold, text)
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    return _HELD.sub(lambda match: held[int(match[1])] if int(match[1]) < len(held) else match[0], text)
