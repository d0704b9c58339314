"""Text whose structure is in its layout: what plain text and reStructuredText share."""

from __future__ import annotations

import re
from dataclasses import replace

from fathom.evidence import Block, BlockKind, Span
from fathom.reading.document import list_lead_in
from fathom.reading.lines import GRID_BORDER, SIMPLE_BORDER, Line, Lines, ParserPosition
from fathom.text.stopwords import FUNCTION_WORDS

_BULLET = re.compile(r"[-*+•‣▪–][ \t\u3000]+(?=\S)|[・●○■□◆◇▲△※◎][ \t\u3000]*(?=\S)")
_ENUMERATOR = re.compile(
    r"\(?(?:\d{1,3}|[A-Za-z]|[ivx]{2,5}|#)[.)][ \t\u3000]+(?=\S)"
    r"|[（(]\d{1,2}[）)][ \t\u3000]*(?=\S)|[①-⑳][ \t\u3000]*(?=\S)"
)
_OPTION = re.compile(r"(-{1,2}[A-Za-z?][\w=,|./<>\[\] -]{0,60}?)[ \t]{2,}(?=\S)")
_MAX_DEPTH = 50
_RUBRIC = re.compile(r"-\[ (.+) \]-$")
RULE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}$")
_CODE_LINE = re.compile(
    r"^\s*(?:>>>|\.\.\. |\$ |# |//|@\w|(?:def|class|import|from|return|print|raise|try|else|async def)\b(?!.*\.$))"
    r"|[;{}]\s*$|::=|[\w\])] ?[-+*/|&<>]?= ?[\w\"'(\[{]|=>|->|\w\([^()]*\)\s*$|^\s*</?\w"
    r"|\s#\s|^\s*(?:with|if|for|while|elif|except|finally|match|case|class|def|else|try)\b.*:\s*$|^\s*[)\]}]+:?\s*$"
)
_STRINGS = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|``[^`\n]*``")
_WORD = re.compile(r"[^\W\d_]+")


class LineParser(Lines):
    """Finds the blocks of a text. A subclass adds what its format has of its own."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._styles: list[str] = []
        self._literal = False

    def parse(self) -> tuple[Block, ...]:
        """The blocks, in order."""
        self.blocks(0, len(self.lines), ParserPosition())
        return tuple(self.out.found)

    def blocks(self, at: int, end: int, place: ParserPosition) -> None:
        """Add the blocks of the lines from `at` to `end`."""
        listed: Span | None = None
        in_list = False
        place = replace(place, depth=place.depth + 1)
        while at < end:
            if self.blank(at):
                at += 1
                continue
            if place.depth > _MAX_DEPTH:
                at = self.until_blank(at, end, place.kind, place)
                continue
            if place.top and not self._literal and (underlined := self.heading(at, end)):
                in_list, at, place = False, underlined, _continued(place)
                continue
            item = self.marker(at)
            if item and not self._literal and self.lines[at].indent <= place.indent + 1:
                if not in_list:
                    in_list, listed = True, self._before_list(place)
                at = self.item(at, end, item, replace(place, lead_in=listed))
                place = _continued(place)
                continue
            in_list = False
            after = self.special(at, end, place)
            if after is None:
                after = self.common(at, end, place)
            if self.out.found:
                place = _continued(place)
            at = after

    def special(self, at: int, end: int, place: ParserPosition) -> int | None:  # noqa: ARG002
        """Handle what only this format has; returns the line behind it, or `None` when there is nothing such."""
        return None

    def common(self, at: int, end: int, place: ParserPosition) -> int:
        """Handle one block that every format has; returns the line behind it."""
        words = self.words(at)
        if self._literal or self.lines[at].indent > place.indent + 1:
            return self.indented(at, end, place)
        if GRID_BORDER.match(words):
            return self.grid_table(at, end, place)
        if SIMPLE_BORDER.match(words) and (after := self.simple_table(at, end, place)):
            return after
        if RULE.match(words) and (at + 1 >= end or self.blank(at + 1) or at == 0 or self.blank(at - 1)):
            return at + 1
        if words.startswith(">>>"):
            return self.until_blank(at, end, "code", place)
        if rubric := _RUBRIC.match(words):
            start = self.lines[at].start
            self.out.add("heading", start + rubric.start(1), start + rubric.end(1), level=len(self._styles) + 1)
            return at + 1
        if after := self.titled(at, end, place):
            return after
        if option := _OPTION.match(words):
            start = self.lines[at].start
            term = Span(start=start, end=start + len(option[1].rstrip()))
            return self.body(at, end, option.end(), replace(place, kind="definition", lead_in=term, level=place.lists))
        if self.is_term(at, end):
            term = Span(start=self.lines[at].start, end=self.lines[at].end)
            after = self.deeper(at + 1, end, self.lines[at].indent)
            inside = replace(
                place, kind="definition", lead_in=term, level=place.lists, lists=place.lists + 1, top=False
            )
            self.blocks(at + 1, after, replace(inside, indent=self.lines[at + 1].indent))
            return after
        return self.paragraph(at, end, place)

    def marker(self, at: int) -> int:
        """Length of the list marker that a line begins with; 0 when it has none."""
        words = self.words(at)
        match = _BULLET.match(words) or _ENUMERATOR.match(words)
        return match.end() if match else 0

    def item(self, at: int, end: int, marker: int, place: ParserPosition) -> int:
        """Add a list item and what stands in it."""
        inside = replace(place, kind="list_item", level=place.lists)
        return self.body(at, end, marker, inside)

    def body(self, at: int, end: int, marker: int, place: ParserPosition) -> int:
        """Add what stands behind a marker, and in the indented lines that follow."""
        line = self.lines[at]
        after = at + 1
        while (
            after < end and not self.blank(after) and not self.marker(after) and self.lines[after].indent >= line.indent
        ):
            if self.lines[after].indent <= line.indent and (self.opens(after) or self.interrupts(after)):
                break
            after += 1
        if after >= end or self.blank(after) or self.lines[after].indent > line.indent:
            after = self.deeper(after, end, line.indent)
        self.lines[at] = Line(line.start + marker, line.end, line.indent + marker)
        first = self.lines[at + 1].indent if at + 1 < after and not self.blank(at + 1) else line.indent + marker
        indent = max(line.indent + marker, first) if first > line.indent else line.indent + marker
        self.blocks(at, after, replace(place, indent=indent, lists=place.lists + 1, top=False))
        return after

    def opens(self, at: int) -> bool:
        """Whether a line begins something that is no part of the list item above it."""
        return bool(_OPTION.match(self.words(at)))

    def deeper(self, at: int, end: int, indent: int) -> int:
        """The first line from `at` on that stands no deeper than `indent`, blank lines before it excluded."""
        last = at
        for line in range(at, end):
            if not self.blank(line):
                if self.lines[line].indent <= indent:
                    break
                last = line + 1
        return last

    def is_term(self, at: int, end: int) -> bool:
        """Whether a line is the term of the indented lines right below it."""
        if at + 1 >= end or self.blank(at + 1) or self.lines[at + 1].indent <= self.lines[at].indent + 1:
            return False
        return self.lines[at].end - self.lines[at].start <= 80 and not self.marker(at + 1)

    def paragraph(self, at: int, end: int, place: ParserPosition) -> int:
        """Add the lines up to the next blank one."""
        after = at + 1
        while after < end and not self.blank(after) and not self.interrupts(after):
            after += 1
        start, stop = self.lines[at].start, self.lines[after - 1].end
        self._literal = self.text.endswith("::", start, stop)
        if self.text[start:stop] != "::":
            self.out.add(place.kind, start, stop, level=place.level, lead_in=place.lead_in)
        return after

    def interrupts(self, at: int) -> bool:  # noqa: ARG002
        """Whether a line ends the paragraph before it without a blank line between."""
        return False

    def indented(self, at: int, end: int, place: ParserPosition) -> int:
        """Add lines that stand deeper than those before: code after `::`, else a quotation."""
        after = max(self.deeper(at, end, place.indent), at + 1)
        literal, self._literal = self._literal and self.lines[at].indent > place.indent, False
        if literal:
            self.code(at, after, place)
        elif self.lines[at].indent <= place.indent:
            return at if self.lines[at].indent <= place.indent + 1 else self.paragraph(at, end, place)
        else:
            kind: BlockKind = "quote" if place.kind == "paragraph" else place.kind
            self.blocks(at, after, replace(place, indent=self.lines[at].indent, kind=kind, top=False))
        return after

    def code(self, at: int, end: int, place: ParserPosition) -> None:
        """Add lines as they stand."""
        if at < end:
            self.out.add(
                "code", self.lines[at].start, self.lines[end - 1].end, level=place.level, lead_in=place.lead_in
            )

    def until_blank(self, at: int, end: int, kind: BlockKind, place: ParserPosition) -> int:
        """Add the lines up to the next blank one as one block."""
        after = self.end_of_run(at + 1, end)
        self.out.add(kind, self.lines[at].start, self.lines[after - 1].end, level=place.level, lead_in=place.lead_in)
        return after

    def heading(self, at: int, end: int) -> int:
        """Add a heading with a line under it, or also one above it; returns the line behind it, or 0."""
        above = bool(RULE.match(self.words(at)))
        title = at + 1 if above else at
        if not self.underlined(title, end) or (self.lines[at].indent and not above):
            return 0
        under = self.words(title + 1)
        if above and under != self.words(at):
            return 0
        style = under[0] * 2 if above else under[0]
        if style not in self._styles:
            self._styles.append(style)
        line = self.lines[title]
        self.out.add("heading", line.start, line.end, level=self._styles.index(style) + 1)
        return title + 2

    def underlined(self, at: int, end: int) -> bool:
        """Whether a line has a rule under it that is about as long."""
        if at + 1 >= end or self.blank(at) or self.lines[at + 1].indent:
            return False
        under, words = self.words(at + 1), self.words(at)
        return bool(RULE.match(under)) and not RULE.match(words) and len(under) * 2 >= len(words)

    def titled(self, at: int, end: int, place: ParserPosition) -> int:
        """`Note:` with indented prose under it: the title is the lead-in of what it says."""
        line = self.lines[at]
        words = self.words(at)
        if len(words) > 40 or words[-1] not in ":：" or at + 2 >= end or not self.blank(at + 1):
            return 0
        first = next((number for number in range(at + 1, end) if not self.blank(number)), end)
        if first >= end or self.lines[first].indent <= line.indent or self.marker(first) or words.endswith("::"):
            return 0
        if self.is_code(first, self.end_of_run(first, end)):
            return 0
        after = self.deeper(first, end, line.indent)
        lead_in = Span(start=line.start, end=line.end)
        self.blocks(first, after, replace(place, indent=self.lines[first].indent, lead_in=lead_in, top=False))
        return after

    def end_of_run(self, at: int, end: int) -> int:
        """The first blank line from `at` on."""
        return next((line for line in range(at, end) if self.blank(line)), end)

    def is_code(self, at: int, end: int) -> bool:
        """Whether indented lines look like a program rather than prose."""
        lines = [self.words(number) for number in range(at, end) if not self.blank(number)]
        coded = sum(bool(_CODE_LINE.search(_STRINGS.sub("s", line))) for line in lines)
        if coded * 2 >= len(lines) or self.marker(at):
            return coded * 2 >= len(lines)
        text = " ".join(lines)
        if not text.isascii() and sum(char > "\u3000" for char in text) * 4 > len(text):
            return False
        words = _WORD.findall(text.lower())
        common = max(sum(word in known for word in words) for known in FUNCTION_WORDS.values())
        return len(words) < 3 or common * 7 < len(words)

    def _before_list(self, place: ParserPosition) -> Span | None:
        before = self.out.found[-1] if self.out.found else None
        return list_lead_in(self.text, before) or place.lead_in


def _continued(place: ParserPosition) -> ParserPosition:
    """The place of what follows the first block of a list item."""
    return replace(place, kind="paragraph", lead_in=None) if place.kind == "list_item" else place
