"""Source code, as Pygments tells it apart: what it defines, and what its comments say."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import partial
from itertools import accumulate, groupby

from fathom.reading.composition import Composition
from fathom.reading.document import ReadDocument, Reader, decode, line_spans

_MARKS = re.compile(r"""(?:[#;%*]+(?=\s|$)|//[/!]?|/\*+!?|--+|[rbfuRBFU]{0,2}(?:\"{3}|'{3}))?""")


def __getattr__(language: str) -> Reader:
    """The reader of a language, by the name that Pygments has for it."""
    if language.startswith("__"):
        raise AttributeError(language)
    return partial(read, language=language)


def read(data: bytes, *, language: str) -> ReadDocument:
    """Read a program: what it defines under the number of its line, "Line 12: read"; comments as paragraphs without
    their marks."""
    text, out = decode(data).removeprefix("\ufeff"), Composition()
    lines = [text[start:end] for start, end in line_spans(text)]
    said, defined = _told_apart("\n".join(map(str.strip, lines)), language)  # indentation takes some lexers minutes
    sections = list(accumulate(number in defined for number in range(len(lines))))
    for (_, is_said), group in groupby(range(len(lines)), key=lambda number: (sections[number], number in said)):
        numbers = list(group)
        if numbers[0] in defined or not out.blocks:
            out.write("heading", f"Line {numbers[0] + 1}: {defined.get(numbers[0], '')}".removesuffix(": "), level=1)
        if is_said:
            out.write("paragraph", " ".join(_unmarked(lines[number].strip()) for number in numbers))
        else:
            out.write("code", "\n".join(lines[number] for number in numbers))
    return out.document() if text.strip() else Composition().document()


def _unmarked(line: str) -> str:
    """A line of a comment without its marks.

    >>> _unmarked("# Fees."), _unmarked("/** Fees. */"), _unmarked("* of 2026")
    ('Fees.', 'Fees.', 'of 2026')
    """
    line = line[_MARKS.match(line).end() :]  # type: ignore[union-attr]
    if line.endswith("*/"):
        line = line[:-2].rstrip("*")
    return line.removesuffix('"""').removesuffix("'''").strip()


def _told_apart(text: str, language: str) -> tuple[set[int], dict[int, str]]:
    """The lines that only comment, by their numbers from 0, and what others define."""
    from pygments.lexers import get_lexer_by_name
    from pygments.token import Comment, Name, String

    starts = [start for start, _ in line_spans(text)]
    said, code, defined = set[int](), set[int](), dict[int, str]()
    for start, kind, value in get_lexer_by_name(language).get_tokens_unprocessed(text):
        for piece in re.finditer(r"\S[^\r\n]*", value):
            number = bisect_right(starts, start + piece.start()) - 1
            is_said = (kind in Comment and kind not in Comment.Preproc) or kind in String.Doc
            (said if is_said else code).add(number)
            if kind in Name.Function or kind in Name.Class:
                defined.setdefault(number, value)
    return said - code, defined
