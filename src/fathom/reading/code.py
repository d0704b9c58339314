"""Source code, as Pygments tells it apart: what it defines, and what its comments say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from fathom.reading.composition import Composition
from fathom.reading.document import ReadDocument, Reader, decode, line_spans

_MARKS = re.compile(
    r"""^\s*(?:[#;%*]+(?=\s|$)|//[/!]?|/\*+!?|--+|[rbfuRBFU]{0,2}(?:\"{3}|'{3}))\s?|\s*(?:\*+/|\"{3}|'{3})\s*$"""
)
_LONGEST_SECTION = 1_500
"""Characters behind which code that defines nothing has a heading again."""


@dataclass
class _Line:
    text: str
    number: int
    """From 1."""
    is_prose: bool
    """Whether it is a part of a comment."""
    defines: str = ""
    """What it defines."""


def __getattr__(language: str) -> Reader:
    """The reader of a language, by the name that Pygments has for it."""
    if language.startswith("_"):
        raise AttributeError(language)
    return partial(read, language=language)


def read(data: bytes, *, language: str) -> ReadDocument:
    """Read a program: what stands below each other under the line where it begins and what it defines, "Line 12: read";
    its comments as paragraphs, without the marks that make them comments."""
    out, titled, since = Composition(), True, 0
    for section in _sections(_lines(decode(data).removeprefix("\ufeff"), language)):
        defined = next((each.defines for each in section if each.defines), "")
        if defined or titled or out.length - since > _LONGEST_SECTION:
            out.write("heading", f"Line {section[0].number}: {defined}".removesuffix(": "), level=1)
            titled, since = bool(defined), out.length
        for is_prose, lines in groupby(section, lambda each: each.is_prose):
            if is_prose:
                _prose([_MARKS.sub("", each.text).strip() for each in lines], out)
            else:
                out.write("code", "\n".join(each.text for each in lines))
    return out.document()


def _prose(lines: list[str], out: Composition) -> None:
    for is_blank, paragraph in groupby(lines, lambda each: not each):
        if not is_blank:
            out.write("paragraph", " ".join(paragraph))


def _lines(text: str, language: str) -> list[_Line]:
    from pygments.lexers import get_lexer_by_name
    from pygments.token import Comment, Name, String

    spans = line_spans(text)
    lines = [_Line(text[start:end], number, False) for number, (start, end) in enumerate(spans, start=1)]
    code, prose, at = set[int](), set[int](), 0
    for start, kind, value in get_lexer_by_name(language).get_tokens_unprocessed(text):
        for piece in re.finditer(r"\S[^\r\n]*", value):
            while at + 1 < len(spans) and spans[at + 1][0] <= start + piece.start():
                at += 1
            is_said = (kind in Comment and kind not in Comment.Preproc) or kind in String.Doc
            (prose if is_said else code).add(at)
            if kind in Name.Function or kind in Name.Class:
                lines[at].defines = lines[at].defines or value
    for number in prose - code:
        lines[number].is_prose = True
    return lines


def _sections(lines: list[_Line]) -> Iterator[list[_Line]]:
    """What stands together: a blank line parts what begins at the margin from what is before it."""
    section: list[_Line] = []
    for before, each in zip([None, *lines], lines, strict=False):
        at_margin = each.text[:1].strip() and before is not None and not before.text.strip()
        if section and at_margin:
            yield section
            section = []
        section.append(each)
    if section:
        yield section
