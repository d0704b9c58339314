"""Plain text: headings, lists and code as people set them without a markup language."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby

from fathom.evidence import Block, Span
from fathom.languages.packs import either
from fathom.reading.document import ReadDocument, decode
from fathom.reading.layout import RULE, LineParser
from fathom.reading.lines import SENTENCE_ENDS, Line, ParserPosition, are_notes, going_on, room_left
from fathom.reading.visible import visible
from fathom.text.display import QUOTED

_QUOTES = re.compile(r"^>{1,2}(?!>)", re.MULTILINE)
"""What shows that lines with `>>>` are quoted, too, and no sessions with Python."""
_NUMBERED = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2})+\.?|第\s*[\d一二三四五六七八九十]{1,3}\s*[章節部編]|(?:Chapter|Appendix|CHAPTER)\s+\w{1,4}\.?)[\s:：.]+\S"
)
_SQUARE = re.compile(r"[■◆●□◇][ \u3000]*\S[^。．.！？!?]{0,40}$|【[^】]{1,40}】$")
_COUNT = re.compile(r"(\d{1,2})[.)]\s")
_LETTERS = re.compile(r"[^\W\d_]+")
_SIGNED = re.compile(r"(?:[A-Z]\. ?)+[A-Z][\w'-]+(?:[ \t]{2,}+\S.*)?")
_LETTERHEAD = 200
"""Characters that may stand above the title of a text."""
_HEAD = re.compile(r"\s*+(?:[^\W\d_][\w-]*+[ \t]*+[:：].*\n|[ \t]++\S.*\n)+")
_HEADER = re.compile(
    rf"^(?:(?P<sender>{either('documents.sender')})|(?P<subject>{either('documents.subject')})"
    rf"|(?P<date>{either('documents.sent')}))[ \t]*+[:：][ \t]*+(?P<value>.*)",
    re.IGNORECASE | re.MULTILINE,
)
_SAID = ("sender", "date", "subject")
_GAP = re.compile(r"[ \t\u3000]{2,}|\t")
_FIGURE = re.compile(r"(?<![\w.,/'’-])[-+−]?\d[\d.,'’]*[-–]?$")
_MONEY = r"(?:[€$£¥￥円元₩₹]|\b(?:EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|PLN|CZK|kr|zł)\b)"
_AMOUNT = re.compile(rf"\d[.,–-]*\s?{_MONEY}$|{_MONEY}\s?[-+−]?\d[\d.,'’]*[-–]?$")
"""What ends a line with a price."""
_RULER = re.compile(r"([-=_~*])\1{2,}$")
_HOUR = re.compile(r"(?<![,\s])[,\s]++\d{1,2}:\d\d.*")


def read(data: bytes) -> ReadDocument:
    """Read a text; its title is its first heading, unless a part's; that of a mail its subject and its day."""
    text = visible(decode(data))
    parser = PlainParser(text)
    blocks = parser.parse()
    heads = (block for block in blocks[:2] if block.kind == "heading" and block.start < _LETTERHEAD)
    first = next((head for head in heads if head is blocks[0] or not _NUMBERED.match(text, head.start)), None)
    title = parser.subject or (" ".join(text[first.start : first.end].split()) if first else "")
    return ReadDocument(text=text, title=title, markup="plain", blocks=blocks)


def mail_title(subject: str, date: str) -> str:
    """What a mail is about, and the day when it was written as it gives it.

    >>> mail_title("Re: Two Rivers", "Wed, 03 Jun 2026 07:58:40 +0100")
    'Re: Two Rivers (Wed, 03 Jun 2026)'
    """
    subject, day = subject.strip(), _HOUR.sub("", date).strip()
    return f"{subject} ({day})" if subject and day else subject


class PlainParser(LineParser):
    """Adds headings in capitals, with numbers or squares, notes line by line, the head of a mail, what it quotes, and
    tables set with spaces."""

    def __init__(self, text: str) -> None:
        self._quotes = bool(_QUOTES.search(text))
        super().__init__(text)
        self.subject = ""
        """Title of a mail."""
        self._lead_in: Span | None = None
        self._early: set[int] = set()
        """Lines whose first word had room on the line before: it was broken on purpose."""
        self._counted: set[int] = set()
        """Those whose number is the next one after that of a line above it in its stretch."""
        self._notes: set[int] = set()
        """Those of a stretch of lines of which each says something of its own."""
        for (rest, _), run in groupby(range(len(self.lines)), self._kind):
            if not rest:
                self._look(list(run))

    def _line(self, start: int, end: int) -> Line:
        quoted = QUOTED.match(self.text, start, end) if self._quotes else None
        return super()._line(quoted.end() if quoted else start, end)

    def _kind(self, at: int) -> tuple[bool, int]:
        """Whether a line parts others, and how many mails ago it was written."""
        return self.blank(at) or bool(RULE.match(self.words(at))), self._depth(at)

    def _depth(self, at: int) -> int:
        start = self.text.rfind("\n", 0, self.lines[at].start) + 1
        quoted = QUOTED.match(self.text, start, self.lines[at].start)
        return quoted[0].count(">") if quoted else 0

    def _look(self, run: list[int]) -> None:
        """Find the lines of a stretch that begin where the one before had room for them."""
        words = [self.words(at) for at in run]
        room = room_left([" " * self.lines[at].indent + line for at, line in zip(run, words, strict=True)])
        early = {at for at, left in zip(run[1:], room, strict=True) if left > 0}
        self._early |= early
        counts = {at: int(found[1]) for at, line in zip(run, words, strict=True) if (found := _COUNT.match(line))}
        self._counted |= {at for at in counts if any(each < at and counts[each] + 1 == counts[at] for each in counts)}
        is_hanging = len(run) > 1 and (run[1] not in early or words[1][0].islower())
        if is_hanging and self.lines[run[1]].indent < self.lines[run[0]].indent:
            # only the first line of the paragraph stands deeper
            self.lines[run[0]] = replace(self.lines[run[0]], indent=self.lines[run[1]].indent)
        is_list = sum(LineParser.marker(self, at) > 0 for at in run) * 2 >= len(run)
        if not is_list and are_notes(words, room) and not words[0].endswith(","):
            level = {at for at in run[1:] if self.lines[at].indent == self.lines[run[0]].indent}
            self._notes |= early | level - {run[at] for at in going_on(words, room)}

    def parse(self) -> tuple[Block, ...]:
        head = _HEAD.match(self.text)
        end = head.end() if head else 0
        said = {name: found for found in _HEADER.finditer(self.text, 0, end) for name in _SAID if found[name]}
        if "subject" not in said or len(said) < 2:
            end = 0
        else:
            self.subject = mail_title(*(said[name]["value"] if name in said else "" for name in ("subject", "date")))
            if sender := said.get("sender"):
                start, name = sender.start("value"), sender["value"].partition(" <")[0]
                self.out.add("heading", start, start + len(name), level=1)
        self.blocks(sum(line.end < end for line in self.lines), len(self.lines), ParserPosition())
        return tuple(self.out.found)

    def special(self, at: int, end: int, place: ParserPosition) -> int | None:
        if place.top and self.lines[at].indent == 0 and (level := self._heading_level(at, end)):
            self.out.add("heading", self.lines[at].start, self.lines[at].end, level=level)
            return at + 1
        if not self._literal and _RULER.match(self.words(at)):
            return at + 1
        if not self._literal and self.lines[at].indent <= place.indent + 1 and (column := self._hanging(at, end)):
            return self._definition(at, end, column, place)
        if (
            self.words(at)[0] not in "+|"
            and not self.opens(at)
            and ("  " in self.words(at) or "\t" in self.words(at))
            and self.is_columns(at, end)
            and self.lines[at].indent <= place.indent + 1
        ):
            return self._columns(at, end, place)
        return None

    def marker(self, at: int) -> int:
        if self.lines[at].indent == 0 and self._heading_level(at, len(self.lines)):
            return 0
        return 0 if _SIGNED.fullmatch(self.words(at)) else super().marker(at)

    def underlined(self, at: int, end: int) -> bool:
        return super().underlined(at, end) and not self._has_values(at)

    def _has_values(self, at: int) -> bool:
        """Whether a line above a rule is a row of values, of which the rule makes the head or the sum."""
        words = self.words(at)[LineParser.marker(self, at) :]
        gaps = [gap.end() for gap in _GAP.finditer(words)]
        figure = _FIGURE.search(words)
        if _AMOUNT.search(words) or len(gaps) > 1 or (figure and figure.start() in gaps):
            return True
        if at == 0 or self.blank(at - 1) or self.words(at - 1) == self.words(at + 1):
            return False
        above = self.words(at - 2 if at > 1 and RULE.match(self.words(at - 1)) else at - 1)
        return bool(gaps or (figure and _FIGURE.search(above)))

    def interrupts(self, at: int) -> bool:
        indented = self.text[self.lines[at].start] == "\u3000"  # the first line of a Japanese paragraph
        behind_item = at in self._early and self.marker(at - 1) and self.lines[at].indent <= self.lines[at - 1].indent
        if (
            indented
            or behind_item
            or self._depth(at) != self._depth(at - 1)
            or at in self._notes
            or _RULER.match(self.words(at))
            or (at in self._early and self.underlined(at, len(self.lines)))
        ):
            return True
        if not self.marker(at):
            return False
        first = self.words(at)[0]
        wrapped = at not in self._early and self.words(at - 1)[-1] not in ":：" and at not in self._counted
        return not (wrapped and (first.isalnum() or first in "(-–+"))

    def paragraph(self, at: int, end: int, place: ParserPosition) -> int:
        if place.kind == "paragraph" and (at in self._notes or at + 1 in self._notes):
            line, words = self.lines[at], self.words(at)
            is_sum = at - 2 in self._notes and _RULER.match(self.words(at - 1)) is not None
            if at not in self._notes and not is_sum:
                heads = (at == 0 or self.blank(at - 1)) and ": " not in words and not words.endswith(SENTENCE_ENDS)
                self._lead_in = Span(start=line.start, end=line.end) if heads else None
            if at in self._notes or is_sum or not self._lead_in:
                place = replace(place, kind="list_item", level=place.lists, lead_in=self._lead_in or place.lead_in)
        return super().paragraph(at, end, place)

    def is_term(self, at: int, end: int) -> bool:
        return super().is_term(at, end) and self.words(at)[-1] not in ".,;。、"

    def indented(self, at: int, end: int, place: ParserPosition) -> int:
        after = max(self.deeper(at, end, place.indent), at + 1)
        if self._literal or self.is_code(at, self.end_of_run(at, after)):
            if not self._literal:
                after = self._end_of_code(at, after)
            self._literal = False
            self.code(at, after, place)
            return after
        after = max(self.deeper(at, end, self.lines[at].indent - 1), at + 1)
        self.blocks(at, after, replace(place, indent=self.lines[at].indent, top=False))
        return after

    def _end_of_code(self, at: int, end: int) -> int:
        """Code goes on over blank lines as long as what follows is as deep and looks like code."""
        after = self.end_of_run(at, end)
        while (following := next((line for line in range(after, end) if not self.blank(line)), end)) < end:
            stop = self.end_of_run(following, end)
            if self.lines[following].indent < self.lines[at].indent or not self.is_code(following, stop):
                break
            after = stop
        return after

    def _heading_level(self, at: int, end: int) -> int:
        """Level of a heading that shows in its own line; 0 when it is none."""
        words = self.words(at)
        if len(words) > 80 or (at and not self.blank(at - 1)):
            return 0
        if _SQUARE.match(words) and (at + 1 >= end or not self.words(at + 1).startswith(words[0])):
            return 2
        if at + 1 < end and not self.blank(at + 1):
            return 0
        if _NUMBERED.match(words) and words[-1] not in ".。,、:：;":
            return 1 + words.split()[0].rstrip(".").count(".") if words[0].isdigit() else 1
        letters = "".join(_LETTERS.findall(words))
        if len(letters) > 2 and all(map(str.isupper, letters)) and words[-1] not in ".,;:)" and "=" not in words:
            return 1
        return 0

    def _hanging(self, at: int, end: int) -> int:
        """Where in a line the text begins that the next line goes on below; 0 when it begins with the line."""
        if at + 1 >= end or self.blank(at + 1):
            return 0
        words, column = self.words(at), self.lines[at + 1].indent - self.lines[at].indent
        if not 2 < column < min(len(words), 40) or words[column - 1] != " " or words[column] == " ":
            return 0
        return column if words[column - 2] == " " or len(words) > 40 else 0

    def _definition(self, at: int, end: int, column: int, place: ParserPosition) -> int:
        line, after = self.lines[at], self.deeper(at + 1, end, self.lines[at].indent)
        term = Span(start=line.start, end=line.start + len(self.words(at)[:column].rstrip()))
        self.lines[at] = replace(line, start=line.start + column, indent=line.indent + column)
        inside = replace(place, kind="definition", lead_in=term, level=place.lists, lists=place.lists + 1, top=False)
        self.blocks(at, after, replace(inside, indent=line.indent + column))
        return after

    def _columns(self, at: int, end: int, place: ParserPosition) -> int:
        after = self.end_of_run(at, end)
        head: Span | None = None
        if set(self.words(at + 1)) <= set("-= \t+|"):
            head = Span(start=self.lines[at].start, end=self.lines[at].end)
            at += 2
        for number in range(at, after):
            line = self.lines[number]
            if not RULE.match(self.words(number)):
                self.out.add("table_row", line.start, line.end, level=place.lists, lead_in=head)
        return after
