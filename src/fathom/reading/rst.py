"""reStructuredText, as far as its structure matters to a reader."""

from __future__ import annotations

import re
from dataclasses import replace

from fathom.evidence import Span
from fathom.reading.document import ReadDocument, decode
from fathom.reading.layout import LineParser
from fathom.reading.lines import ParserPosition
from fathom.reading.visible import visible, without
from fathom.text.display import display

_DIRECTIVE = re.compile(r"\.\. (?:\|[^|]+\| )?([A-Za-z][\w:+.-]*?)::(?:\s+|$)")
_FOOTNOTE = re.compile(r"\.\. \[[^\]]+\]\s+(?=\S)")
_FIELD = re.compile(r":(?!\s)([^:\n]{1,80}):(?:\s+|$)(?!`)")
_LONGEST_TITLE = 1_000
_CODE = frozenset(
    "code code-block sourcecode literalinclude math parsed-literal doctest testcode testoutput productionlist prompt "
    "highlight ipython graphviz mermaid".split()
)
_VERSION = re.compile(r"\d[\w.]*(?:[ \t]+|$)", re.MULTILINE)
_NO_TEXT = frozenset(
    "toctree contents image figure include raw index module currentmodule sectnum header footer meta role default-role "
    "replace unicode date automodule autoclass autofunction automethod csv-table tabularcolumns only-html local "
    "sectionauthor moduleauthor codeauthor program rst-class highlightlang".split()
)
_PROSE_ARGUMENT = frozenset(
    "versionadded versionchanged deprecated versionremoved deprecated-removed note warning caution important tip hint "
    "attention danger error seealso todo".split()
)
_TITLED = frozenset("topic sidebar admonition rubric table list-table container only".split())


def read(data: bytes) -> ReadDocument:
    """Read a text; its title is its first heading."""
    text = visible(decode(data))
    parser = RstParser(text)
    blocks = parser.parse()
    if parser.hidden:
        text = without(text, parser.hidden)
        blocks = RstParser(text).parse()
    heading = next((block for block in blocks if block.kind == "heading"), None)
    title = display(text[heading.start : heading.end][:_LONGEST_TITLE], "rst") if heading else ""
    return ReadDocument(text=text, title=title, markup="rst", blocks=blocks)


class RstParser(LineParser):
    """Adds directives, comments, field lists and footnotes."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.hidden: list[tuple[int, int]] = []
        """What is not shown: comments, the addresses of links, and directives that hold no text."""

    def _hide(self, at: int, after: int) -> int:
        self.hidden.append((self.lines[at].start, self.lines[max(after, at + 1) - 1].end))
        return after

    def special(self, at: int, end: int, place: ParserPosition) -> int | None:
        words = self.words(at)
        if self._literal or self.lines[at].indent > place.indent + 1:
            return None
        if footnote := _FOOTNOTE.match(words):
            return self.body(at, end, footnote.end(), replace(place, kind="paragraph", lead_in=None))
        if directive := _DIRECTIVE.match(words):
            return self._directive(at, end, directive, place)
        if words == ".." or words.startswith((".. ", "__ ")):
            return self._hide(at, self.deeper(at + 1, end, self.lines[at].indent))
        if field := _FIELD.match(words):
            start = self.lines[at].start
            name = Span(start=start + 1, end=start + 1 + len(field[1]))
            inside = replace(place, kind="definition", lead_in=name, level=place.lists)
            if at + 1 < end and field.end() == len(words):
                after = self.deeper(at + 1, end, self.lines[at].indent)
                self.blocks(at + 1, after, replace(inside, indent=self._indent(at + 1, after), top=False))
                return after
            return self.body(at, end, field.end(), inside)
        return None

    def opens(self, at: int) -> bool:
        return super().opens(at) or bool(_FIELD.match(self.words(at)))

    def _directive(self, at: int, end: int, directive: re.Match[str], place: ParserPosition) -> int:
        """Add what a directive holds: its argument is prose, a title, a signature or nothing to read."""
        name = directive[1].rpartition(":")[2].lower()
        line = self.lines[at]
        after = max(self.deeper(at + 1, end, line.indent), at + 1)
        if name in _NO_TEXT:
            return self._hide(at, after)
        argument = Span(start=line.start + directive.end(), end=max(line.end, line.start + directive.end()))
        body = at + 1
        while (
            body < after and name not in _PROSE_ARGUMENT and not self.blank(body) and not _FIELD.match(self.words(body))
        ):
            if self.lines[body].indent <= line.indent or name in _CODE:
                break
            argument = Span(
                start=argument.start, end=self.lines[body].end
            )  # a signature, or a title, over several lines
            body += 1
        while body < after and _FIELD.match(self.words(body)) and name not in {"note", "warning"}:
            body += 1
        if name in _CODE:
            self.code(body, after, place)
            return after
        inside = replace(place, kind="paragraph", top=False, indent=self._indent(body, after))
        if name.startswith(("version", "deprecated")) and (version := _VERSION.match(self.text, argument.start)):
            lead_in = Span(start=line.start + 3, end=argument.start + len(version[0].rstrip()))
            argument = Span(start=min(version.end(), argument.end), end=argument.end)
            inside = replace(inside, lead_in=lead_in)
        if name in _PROSE_ARGUMENT:
            if argument.end > argument.start:
                self.lines[at] = replace(line, start=argument.start, indent=inside.indent)
                body = at
            self.blocks(body, after, inside)
            return after
        if argument.end > argument.start:
            inside = replace(inside, lead_in=argument)
            if name not in _TITLED:
                inside = replace(inside, kind="definition", level=place.lists, lists=place.lists + 1)
        self.blocks(body, after, inside)
        return after

    def _indent(self, at: int, end: int) -> int:
        """Indentation of the first line that is not blank."""
        return next((self.lines[number].indent for number in range(at, end) if not self.blank(number)), 0)
