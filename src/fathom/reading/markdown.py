"""Markdown: CommonMark with tables, front matter and definition lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from fathom.evidence import BlockKind, Span
from fathom.reading.document import BlockList, ReadDocument, decode, iso_day, line_spans, list_lead_in
from fathom.reading.lines import SENTENCE_ENDS, are_notes, going_on, room_left
from fathom.reading.titles import given_authors
from fathom.reading.visible import hidden_spans, visible, without
from fathom.text.display import display

_FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_TITLE = re.compile(r"^title[ \t]*+:[ \t]*+(.+)$", re.MULTILINE | re.IGNORECASE)
_DATE = re.compile(r"^(?:date|updated|lastmod|last_modified)[ \t]*+:[ \t]*+[\"']?(\d{4}-\d\d-\d\d)", re.MULTILINE)
_AUTHORS = re.compile(r"^authors?[ \t]*+:[ \t]*+(?:\[(?P<within>[^\]\n]*)\]|(?P<told>.*(?:\n[ \t]*-[ \t].*)*))", re.M)
_DASH = re.compile(r"\n[ \t]*-(?:[ \t]*name:)?")
_DEFINITION = re.compile(r"^[ \t]*:[ \t]+", re.MULTILINE)
_RULE = re.compile(r"^[ \t>]*[（(]\d{1,3}[)）][ \t\u3000]*+(?=\S)", re.MULTILINE)
_TAGS = re.compile(r"<[^<>]*>|\s+")
_TICKS = re.compile(r"`+")
_LINK = (
    r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*+\]"
    r"(?:\([^()\s]*(?:\([^()]*\)[^()\s]*)*(?:\s[^()]*)?\)|\[[^\]]*\])"
)
_ONLY_LINKS = re.compile(rf"(?:[\s*_|·•-]*+{_LINK})+[\s*_]*")
_ROW_TAG = re.compile(r"<(/?)tr\b[^<>]*>", re.IGNORECASE)
_LONGEST_TITLE = 1_000
_ROW_EDGE = re.compile(r"[ \t>]*\|?[ \t]*")

_parser = MarkdownIt("commonmark").enable("table")
_parser.core.ruler.disable(["inline", "text_join"])  # only the block structure is needed
_parser.parse("-")  # it compiles its rules at the first text, and a second thread would meet half of them


def read(data: bytes) -> ReadDocument:
    """Read a text; its title is that of its front matter, or its first heading.

    Raises:
        Unreadable: it is not text.
    """
    text = visible(decode(data))
    front = _FRONT_MATTER.match(text)
    skipped = front.end() if front else int(text.startswith("\ufeff"))
    walk = _Walk(text, skipped=skipped)
    if hidden := [(start, end) for start, end in walk.hidden() if start >= skipped]:
        text = without(text, hidden)
        walk = _Walk(text, skipped=skipped)
    walk.blocks()
    title = _TITLE.search(front[1]) if front else None
    heading = next((block for block in walk.out.found if block.kind == "heading"), None)
    first = text[heading.start : heading.end][:_LONGEST_TITLE] if heading else ""
    name = title[1].strip().strip("\"'") if title else display(first, "markdown")
    dated = max(map(iso_day, _DATE.findall(front[1])), default="") if front else ""
    by = _AUTHORS.search(front[1]) if front else None
    named = (by["within"] or "").replace(",", ";") + _DASH.sub(";", by["told"] or "") if by else ""
    return ReadDocument(text, name, "markdown", tuple(walk.out.found), dated, given_authors(named))


@dataclass(frozen=True)
class _Place:
    """Where in the text the walk is."""

    kind: BlockKind = "paragraph"
    lead_in: Span | None = None
    lists: int = 0


class _Walk:
    """Turns the tokens of the parser, which know lines, into blocks, which know characters."""

    def __init__(self, text: str, *, skipped: int) -> None:
        self.text = text
        self.lines = line_spans(text)
        self.out = BlockList(text)
        blank = text.count("\n", 0, skipped)
        rest = text[skipped:] if not blank else text[self.lines[blank][1] :]
        source = "\n" * blank + rest
        self._references: dict[str, Any] = {}
        self.tokens: Sequence[Token] = _parser.parse(source.replace("\x00", "\ufffd"), self._references)

    def hidden(self) -> Iterator[tuple[int, int]]:
        """What of the text is not shown: comments, hidden elements, and where the addresses of links are defined."""
        definitions = (*self._references.get("references", {}).values(), *self._references.get("duplicate_refs", ()))
        yield from (self._lines(each["map"]) for each in definitions)
        if "<" in self.text:
            code = [span for token in self.tokens for span in self._code_spans(token)]
            pieces: list[str] = []
            at = 0
            for start, end in code:
                pieces += (self.text[at:start], " " * (end - start))
                at = end
            yield from hidden_spans("".join((*pieces, self.text[at:])))

    def _lines(self, lines: Sequence[int]) -> tuple[int, int]:
        """The offsets of a stretch of lines."""
        first, last = lines[0], min(lines[1], len(self.lines)) - 1
        return self.lines[first][0], self.lines[last][1]

    def _code_spans(self, token: Token) -> Iterator[tuple[int, int]]:
        """Where code stands, whose tags are shown."""
        if token.map and token.type in {"fence", "code_block"}:
            yield self._lines(token.map)
        if not token.map or token.type != "inline":
            return
        ticks = list(_TICKS.finditer(self.text, *self._lines(token.map)))
        closing: dict[int, list[int]] = {}
        for number in reversed(range(len(ticks))):
            closing.setdefault(len(ticks[number][0]), []).append(number)
        behind = 0
        for number, tick in enumerate(ticks):
            same = closing[len(tick[0])]
            same.pop()
            if number >= behind and same:
                behind = same[-1] + 1
                yield tick.start(), ticks[behind - 1].end()

    def blocks(self) -> None:
        """Add the blocks of all tokens."""
        stack = [_Place()]
        head: Span | None = None
        for at, token in enumerate(self.tokens):
            place = stack[-1]
            match token.type:
                case "bullet_list_open" | "ordered_list_open":
                    before = self.out.found[-1] if self.out.found else None
                    lead_in = list_lead_in(self.text, before) if before else None
                    stack.append(_Place("list_item", lead_in, place.lists + 1))
                case "list_item_open":
                    stack.append(place)
                case "blockquote_open":
                    kind: BlockKind = "quote" if place.kind == "paragraph" else place.kind
                    stack.append(replace(place, kind=kind))
                case "bullet_list_close" | "ordered_list_close" | "list_item_close" | "blockquote_close":
                    stack.pop()
                case "heading_open":
                    self._inline(self.tokens[at + 1], "heading", level=int(token.tag[1]))
                case "paragraph_open":
                    self._paragraph(self.tokens[at + 1], place)
                    if place.kind == "list_item":
                        stack[-1] = _Place("paragraph", None, place.lists)
                case "fence" | "code_block":
                    self._code(token, place)
                case "html_block":
                    self._html(token, place)
                case "thead_open":
                    head = None
                case "tr_open":
                    row = self._row(token)
                    if head is None:
                        head = row
                    elif row:
                        self.out.add("table_row", row.start, row.end, level=place.lists, lead_in=head)

    def _span(self, token: Token) -> Span | None:
        """Where the content of an inline token stands; its lines may have marks of quotation or lists before them."""
        if not token.map or not token.content.strip():
            return None
        first, last = token.map[0], min(token.map[1], len(self.lines)) - 1
        parts = [part.strip() for part in token.content.split("\n") if part.strip()]
        start = self.text.find(parts[0], *self.lines[first]) if parts else -1
        end = self.text.rfind(parts[-1], *self.lines[last]) if parts else -1
        return Span(
            start=start if start >= 0 else self.lines[first][0],
            end=end + len(parts[-1]) if end >= 0 else self.lines[last][1],
        )

    def _inline(self, token: Token, kind: BlockKind, *, level: int = 0, lead_in: Span | None = None) -> None:
        span = self._span(token)
        if span and not _is_navigation(self.text[span.start : span.end]):
            self.out.add(kind, span.start, span.end, level=level, lead_in=lead_in)

    def _paragraph(self, token: Token, place: _Place) -> None:
        """Add a paragraph, a term with the definitions that begin with `: ` in the lines below it, or rules of which
        each has a line and its number in brackets."""
        level = max(place.lists - 1, 0) if place.kind == "list_item" else place.lists
        span = self._span(token)
        marks = list(_DEFINITION.finditer(self.text, span.start, span.end)) if span else []
        rules = list(_RULE.finditer(self.text, span.start, span.end)) if span else []
        if span and len(rules) > 1:
            self.out.add(place.kind, span.start, rules[0].start(), level=level, lead_in=place.lead_in)
            for rule, end in zip(rules, [*(each.start() for each in rules[1:]), span.end], strict=True):
                self.out.add("list_item", rule.end(), end, level=place.lists)
            return
        if span and not marks and (notes := self._notes(span)):
            for note in notes:
                self.out.add("list_item", note.start, note.end, level=place.lists)
            return
        if not span or not marks:
            self._inline(token, place.kind, level=level, lead_in=place.lead_in)
            return
        term = Span(start=span.start, end=max(marks[0].start(), span.start))
        for mark, following in zip(marks, [*marks[1:], None], strict=True):
            end = following.start() if following else span.end
            if term.start < term.end:
                self.out.add("definition", mark.end(), end, level=level, lead_in=_trimmed(self.text, term))
            else:
                before = self.out.found[-1] if self.out.found else None
                lead_in = Span(start=before.start, end=before.end) if before and before.kind == "paragraph" else None
                self.out.add("definition", mark.end(), end, level=level, lead_in=lead_in)

    def _notes(self, span: Span) -> list[Span]:
        """The lines of a paragraph of which each says something of its own, and is no sentence of a text."""
        lines = [
            Span(start=span.start + a, end=span.start + b) for a, b in line_spans(self.text[span.start : span.end])
        ]
        texts = [self.text[line.start : line.end] for line in lines]
        ended = sum(text.rstrip().endswith(SENTENCE_ENDS) for text in texts)
        room = room_left(texts)
        if len(lines) < 2 or ended * 2 >= len(lines) or not are_notes(texts, room):
            return []
        more, whole = going_on(texts, room), list[Span]()
        for at, line in enumerate(lines):
            if at in more:
                whole[-1] = Span(start=whole[-1].start, end=line.end)
            else:
                whole.append(line)
        return whole

    def _code(self, token: Token, place: _Place) -> None:
        if not token.map:
            return
        first, last = token.map[0], min(token.map[1], len(self.lines))
        if token.type == "fence":
            first += 1
            closed = last > first and self.text[slice(*self.lines[last - 1])].strip(" \t>").startswith(token.markup)
            last -= int(closed)
        if first < last:
            self.out.add(
                "code", self.lines[first][0], self.lines[last - 1][1], level=place.lists, lead_in=place.lead_in
            )

    def _html(self, token: Token, place: _Place) -> None:
        """Add the text of an HTML block, when it holds any."""
        if not token.map or not _TAGS.sub("", token.content):
            return
        start = self.lines[token.map[0]][0]
        end = self.lines[min(token.map[1], len(self.lines)) - 1][1]
        rows = list(self._html_rows(start, end))
        if not rows:
            self.out.add("paragraph", start, end, level=place.lists)
            return
        head: Span | None = None
        for a, b in rows:
            if head is None and "<th" in self.text[a:b]:
                head = _trimmed(self.text, Span(start=a, end=b))
            else:
                self.out.add("table_row", a, b, level=place.lists, lead_in=head)

    def _html_rows(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        opened = end
        for tag in _ROW_TAG.finditer(self.text, start, end):
            if not tag[1]:
                opened = min(opened, tag.end())
            elif inner := self.text[opened : tag.start()].lstrip():
                yield tag.start() - len(inner), tag.start()
                opened = end

    def _row(self, token: Token) -> Span | None:
        """A table row without the bars at its ends; with the bar behind its first cell where that is empty."""
        if not token.map or token.map[0] >= len(self.lines):
            return None
        start, end = self.lines[token.map[0]]
        edge = _ROW_EDGE.match(self.text, start, end)
        start = edge.end() if edge else start
        while end > start and self.text[end - 1] in " \t|":
            end -= 1
        return Span(start=start, end=end) if start < end else None


def _is_navigation(text: str) -> bool:
    """Whether a block only holds links into its own document, or pictures: contents, badges."""
    return ("](#" in text or "![" in text) and _ONLY_LINKS.fullmatch(text) is not None


def _trimmed(text: str, span: Span) -> Span:
    return Span(start=span.start, end=span.start + len(text[span.start : span.end].rstrip()))
