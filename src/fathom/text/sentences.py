"""Where the sentences of a text begin and end."""

from __future__ import annotations

import re
from bisect import bisect_right

from fathom.languages.packs import either, words

_CLOSERS = "\"'”’»)\\]}*_`」』）】》〉］"
_END = re.compile(
    rf"(?P<break>\n[^\S\n]*\n\s*)"
    rf"|(?P<stop>(?<![.!?…])[.!?…]++[{_CLOSERS}]*+)(?=\s|$)"
    rf"|(?P<wide>[。！？．｡]+[!?！？]*[{_CLOSERS}]*)"
)
_EMPHASIS = re.compile(r"\*+|_+")
_ENCLOSED = re.compile(
    r"\([^()]{0,240}\)|（[^（）]{0,240}）|「[^「」]{0,240}」|『[^『』]{0,240}』|“[^“”]{0,240}”"
    r"|`{1,2}[^`]{1,240}`{1,2}|(?<!\w)\"[^\"\n]{0,160}\"(?!\w)|\[[^\[\]]{0,160}\]"
)
_WORD_BEFORE = re.compile(r"(?<![^\s(\[{\"'“‘「（])[^\s(\[{\"'“‘「（]*+$")
_TITLES = words("sentences.titles")
_ABBREVIATIONS = words("sentences.abbreviations")
_MAY_END = words("sentences.may_end")
_BEFORE_NUMBER = words("sentences.before_number")
_ENUMERATOR = re.compile(r"\(?(?:(?:[A-Z]\.)?\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxIVX]{1,4})")
_ORDINAL = re.compile(r"[*_]*\d{1,2}")
_DAY = re.compile(r"(?:[12]?\d|3[01])\.(?:1[0-2]|0?[1-9])")
_MONTH = re.compile(rf"[*_]*(?:{either('sentences.months')})")
_ORDERING = re.compile(rf"(?<!\w)(?:{either('sentences.ordinals')})\s+[*_]*$", re.IGNORECASE)
"""An article or the like, behind which a number with a full stop is an ordinal."""


def sentences(text: str, *, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """The sentences of `text[start:end]` as half-open offsets into `text`, in order.

    They cover everything but white space and do not overlap. A blank line ends a sentence, a line break
    does not. Nothing is cut inside short brackets, quotation marks or code.

    >>> text = "It costs 3.5 ms (e.g. on disk. Or not). See Fig. 2. 次の文。終わり"
    >>> [text[a:b] for a, b in sentences(text)]
    ['It costs 3.5 ms (e.g. on disk. Or not).', 'See Fig. 2.', '次の文。', '終わり']
    >>> text = "要ります。**雨天でも行います。**終わり"
    >>> [text[a:b] for a, b in sentences(text)]
    ['要ります。', '**雨天でも行います。**', '終わり']
    >>> text = "**Q. What does it cost?** A. Nothing."
    >>> [text[a:b] for a, b in sentences(text)]
    ['**Q. What does it cost?**', 'A. Nothing.']
    """
    end = len(text) if end is None else min(end, len(text))
    found: list[tuple[int, int]] = []
    enclosed = [match.span() for match in _ENCLOSED.finditer(text, start, end)]
    opens = [span[0] for span in enclosed]
    opened = set(opens)
    begin = _skip_space(text, start, end)
    for match in _END.finditer(text, start, end):
        if match.start() < begin:
            continue
        stop = match.end()
        if match.lastgroup == "break":  # blanks before it belong to no sentence
            stop = begin + len(text[begin : match.start()].rstrip())
        if match.lastgroup == "wide":  # a mark right behind the sentence may open the next one
            stop = next((at for at in range(match.start() + 1, stop) if at in opened), stop)
            emphasis = _EMPHASIS.search(text, match.start(), stop)
            if emphasis and text.count(emphasis[0], begin, emphasis.start()) % 2 == 0:
                stop = emphasis.start()
        if match.lastgroup != "break":
            inside = _enclosing(enclosed, opens, match.start())
            if inside and inside[1] > stop:
                continue
            if match.lastgroup == "stop" and not _ends_sentence(text, begin, match, end):
                continue
            if match.lastgroup == "wide" and inside and not _closes_wide(text, begin, inside, stop, end):
                continue
        found.append((begin, stop))
        begin = _skip_space(text, stop, end)
    if begin < end:
        found.append((begin, begin + len(text[begin:end].rstrip())))
    return found


def _skip_space(text: str, at: int, end: int) -> int:
    while at < end and text[at].isspace():
        at += 1
    return at


def _enclosing(enclosed: list[tuple[int, int]], opens: list[int], at: int) -> tuple[int, int] | None:
    """The brackets or quotation marks that the character at `at` stands in."""
    index = bisect_right(opens, at) - 1
    return enclosed[index] if index >= 0 and enclosed[index][1] > at else None


def _closes_wide(text: str, begin: int, inside: tuple[int, int], stop: int, end: int) -> bool:
    """Whether `。」` ends the sentence: not when the sentence goes on behind a quotation inside of it."""
    return inside[0] == begin or stop >= end or text[stop].isspace()


def _ends_sentence(text: str, begin: int, match: re.Match[str], end: int) -> bool:
    """Whether a full stop, or a mark like it, followed by white space ends the sentence begun at `begin`."""
    mark = match["stop"]
    follows = _skip_space(text, match.end(), end)
    if follows >= end:
        return True
    next_char = text[follows]
    if mark.startswith(("..", "…")):
        omission = text[match.start() - 1 : match.start()].isspace()  # as in `ALTER TABLE ... ADD COLUMN`
        return next_char.isupper() and not omission
    if not mark.startswith("."):
        return not next_char.islower()
    found = _WORD_BEFORE.search(text, max(begin, match.start() - 40), match.start())
    word = found[0] if found else ""
    bare = word.lstrip("*_`")
    if _ENUMERATOR.fullmatch(bare) and match.start() - len(word) - begin <= 1:
        return False
    key = bare.lower()
    if key in _BEFORE_NUMBER:
        return not next_char.isdigit() and (key in {"no", "app", "art", "line"} or not next_char.islower())
    if key in _ABBREVIATIONS or word in _TITLES:
        return False
    if key in _MAY_END:
        return next_char.isupper()
    if len(bare) == 1 and bare.isalpha():  # as in `J. Smith` and `z. B.`
        return False
    if _ORDINAL.fullmatch(word):
        before = match.start() - len(word)
        counted = next_char.isalpha() and _ORDERING.search(text, max(begin, before - 12), before)
        return not (next_char.islower() or counted or _MONTH.match(text, follows))
    if _DAY.fullmatch(word) and next_char.islower():
        return False
    if mark != "." and next_char.islower():
        return False
    return not next_char.islower() or len(key) > 2
