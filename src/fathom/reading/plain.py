"""Plain text: headings, lists and code as people set them without a markup language."""

from __future__ import annotations

import re
from dataclasses import replace

from fathom.evidence import Span
from fathom.reading.document import ReadDocument, decode
from fathom.reading.layout import LineParser
from fathom.reading.lines import Place
from fathom.reading.visible import visible

_NUMBERED = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2})+\.?|第\s*[\d一二三四五六七八九十]{1,3}\s*[章節部編]|(?:Chapter|Appendix|CHAPTER)\s+\w{1,4}\.?)[\s:：.]+\S"
)
_SQUARE = re.compile(r"[■◆●□◇][ \u3000]*\S[^。．.！？!?]{0,40}$|【[^】]{1,40}】$")
_LETTERS = re.compile(r"[^\W\d_]+")


def read(data: bytes) -> ReadDocument:
    """Read a text; its title is its first heading."""
    text = visible(decode(data))
    blocks = PlainParser(text).parse()
    first = blocks[0] if blocks and blocks[0].kind == "heading" else None
    title = " ".join(text[first.start : first.end].split()) if first else ""
    return ReadDocument(text=text, title=title, markup="plain", blocks=blocks)


class PlainParser(LineParser):
    """Adds headings in capitals, with numbers or squares, notes with a title line, and tables set with spaces."""

    def special(self, at: int, end: int, place: Place) -> int | None:
        if place.top and self.lines[at].indent == 0 and (level := self._heading_level(at, end)):
            self.out.add("heading", self.lines[at].start, self.lines[at].end, level=level)
            return at + 1
        if (
            self.words(at)[0] not in "+|"
            and not self.opens(at)
            and ("  " in self.words(at) or "\t" in self.words(at))
            and self.is_columns(at, end)
            and self.lines[at].indent <= place.indent + 1
            and not self.heading_follows(at, end)
        ):
            return self._columns(at, end, place)
        return None

    def marker(self, at: int) -> int:
        line = self.lines[at]
        return 0 if line.indent == 0 and self._heading_level(at, len(self.lines)) else super().marker(at)

    def interrupts(self, at: int) -> bool:
        if self.text[self.lines[at].start] == "\u3000":  # the indented first line of a Japanese paragraph
            return True
        return bool(self.marker(at)) and not self.words(at)[0].isalnum() and self.words(at)[0] not in "(-–+"

    def is_term(self, at: int, end: int) -> bool:
        return super().is_term(at, end) and self.words(at)[-1] not in ".,;。、"

    def heading_follows(self, at: int, end: int) -> bool:
        """Whether the next line underlines this one."""
        return at + 1 < end and len(set(self.words(at + 1))) == 1

    def indented(self, at: int, end: int, place: Place) -> int:
        after = max(self.deeper(at, end, place.indent), at + 1)
        if self._literal or self.is_code(at, self.end_of_run(at, after)):
            if not self._literal:
                after = self._end_of_code(at, after)
            self._literal = False
            self.code(at, after, place)
        else:
            self.blocks(at, after, replace(place, indent=self.lines[at].indent, top=False))
        return after

    def _end_of_code(self, at: int, end: int) -> int:
        """Code goes on over blank lines as long as what follows is as deep and looks like code."""
        indent = self.lines[at].indent
        after = self.end_of_run(at, end)
        following = after
        while following < end:
            if self.blank(following):
                following += 1
                continue
            stop = self.end_of_run(following, end)
            if self.lines[following].indent < indent or not self.is_code(following, stop):
                break
            after = following = stop
        return after

    def _alone(self, at: int, end: int) -> bool:
        return (at == 0 or self.blank(at - 1)) and (at + 1 >= end or self.blank(at + 1))

    def _heading_level(self, at: int, end: int) -> int:
        """Level of a heading that shows in its own line; 0 when it is none."""
        words = self.words(at)
        if len(words) > 80 or not self._alone(at, end):
            return 0
        if _SQUARE.match(words):
            return 2
        if _NUMBERED.match(words) and words[-1] not in ".。,、:：;":
            return 1 + words.split()[0].rstrip(".").count(".") if words[0].isdigit() else 1
        letters = "".join(_LETTERS.findall(words))
        if words.isascii() and len(letters) > 2 and letters.isupper() and words[-1] not in ".,;:)" and "=" not in words:
            return 1
        return 0

    def _columns(self, at: int, end: int, place: Place) -> int:
        after = self.end_of_run(at, end)
        head: Span | None = None
        if set(self.words(at + 1)) <= set("-= \t+|"):
            head = Span(start=self.lines[at].start, end=self.lines[at].end)
            at += 2
        for number in range(at, after):
            self.out.add("table_row", self.lines[number].start, self.lines[number].end, level=place.lists, lead_in=head)
        return after
