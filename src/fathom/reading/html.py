"""HTML: the readable text of a page, by its structure, without the navigation around it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from lxml import etree
from lxml.html import HtmlElement

from fathom.errors import Unreadable
from fathom.evidence import Block, BlockKind, Span
from fathom.reading.document import ReadDocument, decode, list_lead_in, row_of
from fathom.reading.inline import collapsed, entry_of, inline, is_inline, is_rubric, preformatted, text_in, within_line
from fathom.reading.page import (
    Element,
    body_of,
    is_bar_text,
    is_caption,
    is_dropped,
    is_link_bar,
    is_link_list,
    length,
    says_something,
    tag_of,
    text_content,
)
from fathom.reading.plain import PlainParser
from fathom.reading.titles import page_title
from fathom.reading.visible import attributes_in, remove_invisible, remove_struck, struck_note, without_hidden_parts
from fathom.reading.widgets import plain_markup

_HEAD = 4_096
"""Bytes in which a page has to say its encoding."""
_TAG = re.compile(
    r"<!--(?:[^-]++|-(?!->))*+|<(?P<text>script|style|title|textarea|noscript)\b(?:[^<]++|<(?!/(?P=text)))*+"
    r"|<\?xml\b[^>]{0,200}?\sencoding\s{0,9}=\s{0,9}[\"'](?P<xml>[\w-]+)|<(?P<tag>/?[a-z][\w:.-]*+)(?P<rest>(?:\"[^\"]*+\"|'[^']*+'|[^\"'<>]++){0,80}+)>",
    re.IGNORECASE | re.DOTALL,
)
_CHARSET = re.compile(r"charset\s*+=\s*+(?:[\"']\s*+)?([\w:.-]+)", re.IGNORECASE)
_FOOTNOTE_MARK = re.compile(r"\W*\d{1,3}\W*")
_PROLOG = re.compile(r"^\ufeff?\s*<\?xml[^>]*\?>")
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_ADMONITIONS = frozenset(
    "admonition note warning caution important tip hint attention danger seealso admonitionblock".split()
)
_ROW_LIKE = frozenset({"list_item", "table_row", "definition"})
_ELEMENTS = etree.ElementDefaultClassLookup(element=HtmlElement)  # as trafilatura asks for, and none by their tags
_MAX_DEPTH = 150
_REACH = re.compile("[1-9][0-9]?")
_REPEATED = 80
"""Characters of a cell that is told again in each row and column that it reaches."""


def read(data: bytes) -> ReadDocument:
    """Read a page. Its snapshot is the text that a person would read, one block after the other."""
    root = parse(data)
    if root is None:
        return ReadDocument(text="", title="", markup="plain")
    root = seen(root, data)
    return read_tree(root, body_of(root))


def seen(root: Element, data: bytes, *, declared: str | None = None) -> Element:
    """The tree of a page without what is invisible; if that says next to nothing, with what waits to fade in."""
    remove_invisible(root)
    if not says_something(root) and (other := parse(data, declared=declared, fading=False)) is not None:
        remove_invisible(other, fading=False)
        return other if says_something(other) else root
    return root


def parse(data: bytes, *, declared: str | None = None, fading: bool | None = True) -> Element | None:
    """The tree of a page; `None` when it holds nothing.

    Args:
        data: its bytes.
        declared: the encoding that its server gives it, which counts for more than what the page says.
        fading: whether what waits to fade in is hidden, too; with `None`, nothing is.

    Raises:
        Unreadable: it is not HTML.
    """
    source = _PROLOG.sub("", decode(data, declared=declared or _declared(data))).replace("\x00", "")
    source = source if fading is None else without_hidden_parts(source, fading=fading)
    parser = etree.HTMLParser(remove_comments=True, remove_pis=True, encoding="utf-8")
    parser.set_element_class_lookup(_ELEMENTS)
    try:
        root: Element | None = etree.fromstring(source.encode("utf-8", "replace"), parser)
    except etree.LxmlError as error:
        raise Unreadable("it is not HTML") from error
    if root is not None:
        plain_markup(root)
    return root


def _declared(data: bytes) -> str | None:
    """The encoding that a page says it has, in no comment, no script and no other attribute."""
    for found in _TAG.finditer(data[:_HEAD].decode("latin-1")):
        if found["xml"]:
            return found["xml"]
        if (found["tag"] or "").lower() == "meta":
            given = attributes_in(found["rest"])
            said = _CHARSET.search(given.get("content", "")) if "http-equiv" in given else None
            label = given.get("charset") or (said[1] if said else "")
            if label and not label.lower().startswith("utf-"):  # UTF-8 is tried first, and no other can be read so far
                return label
    return None


def read_tree(root: Element, content: Element, *, of_the_web: bool = False) -> ReadDocument:
    """The part `content` of a page as text; `root` is the whole page, without what is invisible.

    Of a page `of_the_web` a list is led in only by a sentence that announces it.
    """
    struck = remove_struck(content)
    page = _Page(of_the_web=of_the_web, layouts=_layouts(content))
    page.container(content, _Place())
    text = "".join(page.pieces)
    headings = [text[block.start : block.end] for block in page.blocks if block.kind == "heading"]
    title, left_out = page_title(root, *headings[:2]), struck_note(struck)
    return ReadDocument(text=text, title=title, markup="plain", blocks=tuple(page.blocks), left_out=left_out)


@dataclass(frozen=True)
class _Place:
    """Where in the page the walk is."""

    kind: BlockKind = "paragraph"
    level: int = 0
    lead_in: Span | None = None
    depth: int = 0
    lists: int = 0
    number: str = ""
    """Stands before the text of an item of a numbered list."""


@dataclass
class _Page:
    """The text written so far, and its blocks."""

    pieces: list[str] = field(default_factory=list)
    length: int = 0
    blocks: list[Block] = field(default_factory=list)
    row_like: bool = False
    of_the_web: bool = False
    layouts: dict[Element, str] = field(default_factory=dict)
    """The plain texts in `pre` of which a page mostly is made."""
    heading_level: int = 0
    """Level of the last heading that was set as one."""

    def write(self, text: str, *, row: bool = False) -> Span:
        """Append `text` on lines of its own."""
        gap = "" if not self.length else "\n" if row and self.row_like else "\n\n"
        self.row_like = row
        start = self.length + len(gap)
        self.pieces += (gap, text)
        self.length = start + len(text)
        return Span(start=start, end=self.length)

    def block(
        self, kind: BlockKind, text: str, *, level: int = 0, lead_in: Span | None = None, number: str = ""
    ) -> None:
        """Write a block behind its `number`, unless its text is empty."""
        if text and not (kind == "paragraph" and is_bar_text(text)):
            span = self.write(number + text, row=kind in _ROW_LIKE)
            start = span.end - len(text.lstrip())  # the first line of a program may be indented
            self.blocks.append(Block(kind=kind, start=start, end=span.end, level=level, lead_in=lead_in))

    def layout(self, text: str) -> None:
        """Write a plain text, its blocks those that its layout shows."""
        at = self.write(text).start
        for block in PlainParser(text).parse():
            lead_in = block.lead_in and Span(start=at + block.lead_in.start, end=at + block.lead_in.end)
            level = block.level + self.heading_level * (block.kind == "heading")
            moved = {"start": at + block.start, "end": at + block.end, "level": level, "lead_in": lead_in}
            self.blocks.append(block.model_copy(update=moved))

    def container(self, element: Element, place: _Place) -> None:
        """Write what stands in `element`: loose text as blocks of `place`, block elements as what they are."""
        if place.depth > _MAX_DEPTH:
            self.block(place.kind, text_in(element), level=place.level, lead_in=place.lead_in)
            return
        loose: list[str] = [element.text or ""]
        inside = place
        for child in element:
            if is_dropped(child):
                pass
            elif is_inline(child):
                loose += within_line(child)
            else:
                inside = self._flush(loose, inside)
                inside = self.element(child, replace(inside, depth=place.depth + 1))
            loose.append(child.tail or "")
        self._flush(loose, inside)

    def _flush(self, loose: list[str], place: _Place) -> _Place:
        """Write the loose text gathered so far; what follows it in a list item continues the item."""
        text = collapsed("".join(loose))
        loose.clear()
        if not text:
            return place
        self.block(place.kind, text, level=place.level, lead_in=place.lead_in, number=place.number)
        return _continued(place)

    def element(self, element: Element, place: _Place) -> _Place:
        """Write one block element; returns the place of what comes after it."""
        tag = tag_of(element)
        before = len(self.blocks)
        match tag:
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if next(element.iter("ul", "ol", "p", "table"), None) is None:
                self.heading_level = _HEADINGS[tag]
                self.block("heading", text_in(element), level=self.heading_level)
                return place
            case "summary" if all(map(is_inline, element)):
                self.block("heading", text_in(element), level=self.heading_level + 1)
                return place
            case "ul" | "ol" | "menu" | "dir":
                self.items(element, place)
            case "dl":
                self.definitions(element, place)
            case "table":
                self.table(element, place)
            case "pre" if element in self.layouts and place.kind == "paragraph":
                self.layout(self.layouts[element])
            case "pre":
                self.block("code", preformatted(element), level=place.level, lead_in=place.lead_in)
            case "blockquote":
                kind: BlockKind = "quote" if place.kind == "paragraph" else place.kind
                self.container(element, replace(place, kind=kind))
            case "hr":
                return place
            case "p" | "div" | "figcaption" | "caption" if is_caption(element):
                if tag == "figcaption":  # of what cannot be read
                    self.write(text_in(element))
                else:
                    self.block("paragraph", text_in(element), level=place.level)
                return place
            case "p" if is_rubric(element):
                self.block("heading", text_in(element), level=6)
                return place
            case "div" if self.layouts and (entry := entry_of(element)):
                self.block("heading", entry, level=self.heading_level + 1)
                if entry != text_in(element):
                    self.block("paragraph", text_in(element), level=place.level)
                return place
            case _ if is_link_bar(element):
                return place
            case _:
                if _ADMONITIONS & set((element.get("class") or "").split()):
                    place = self.admonition(element, place)
                else:
                    self.container(element, place)
        return _continued(place) if len(self.blocks) > before else place

    def admonition(self, element: Element, place: _Place) -> _Place:
        """Write a note or warning, its title as the lead-in of what it says."""
        first = next((child for child in element if not is_dropped(child)), None)
        rest = [child for child in element if child is not first]
        if first is not None and tag_of(first) == "table" and not rest:  # DocBook sets notes as tables
            cells = [cell for cell in first.iter("th", "td") if text_content(cell).strip()]
            first, rest = (cells[0], cells[1:]) if len(cells) > 1 else (None, cells)
        elif first is None or not (tag_of(first) in _HEADINGS or "admonition-title" in (first.get("class") or "")):
            self.container(element, place)
            return place
        text = text_in(first) if first is not None else ""
        lead_in = self.write(text) if text and rest else None
        # the term that a note in a definition is about tells more than the word "Note"
        inside = replace(place, kind="paragraph", lead_in=place.lead_in or lead_in, depth=place.depth + 1)
        for child in rest:
            if is_dropped(child):
                continue
            if is_inline(child):
                text = collapsed("".join(inline(child)) + (child.tail or ""))
                self.block("paragraph", text, level=inside.level, lead_in=inside.lead_in)
            else:
                self.element(child, inside)
        return place

    def items(self, element: Element, place: _Place) -> None:
        """Write a list."""
        if is_link_list(element):
            return
        lead_in = None
        if self.blocks and self.blocks[-1].end == self.length:
            before = self.blocks[-1]
            text, offset = self.pieces[-1], self.length - len(self.pieces[-1])
            shifted = before.model_copy(update={"start": before.start - offset, "end": before.end - offset})
            if span := list_lead_in(text, shifted, announcing=self.of_the_web):
                lead_in = Span(start=span.start + offset, end=span.end + offset)
        inside = replace(
            place, kind="list_item", level=place.lists, lists=place.lists + 1, lead_in=lead_in or place.lead_in
        )
        first = element.get("start") or "1"
        number = int(first) if tag_of(element) == "ol" and first.isdecimal() and len(first) < 4 else None
        for child in element:
            if is_dropped(child):
                continue
            if tag_of(child) == "li":
                told = "" if number is None else f"{number}. "
                number = None if number is None else number + 1
                self.container(child, replace(inside, depth=place.depth + 2, number=told))
            else:
                self.element(child, replace(inside, depth=place.depth + 2))

    def definitions(self, element: Element, place: _Place) -> None:
        """Write a definition list: each term as the lead-in of its definitions."""
        term: Span | None = None
        pending: list[str] = []
        for child in _definition_parts(element):
            if is_dropped(child):
                continue
            if tag_of(child) == "dt":
                text = text_in(child)
                pending += [text] if text and not _FOOTNOTE_MARK.fullmatch(text) else []
                term = None
                continue
            if pending:
                term = self._terms(pending)
                pending = []
            inside = replace(place, kind="definition", level=place.lists, lists=place.lists + 1, lead_in=term)
            self.container(child, replace(inside, depth=place.depth + 2))
        for text in pending:
            self.block("definition", text, level=place.lists, lead_in=place.lead_in)

    def _terms(self, texts: list[str]) -> Span:
        spans = [self.write(text, row=True) for text in texts]
        return Span(start=spans[0].start, end=spans[-1].end)

    def table(self, element: Element, place: _Place) -> None:
        """Write a table row by row, its head as the lead-in of each; a table that only lays out is a container."""
        rows = [row for row in element.iter("tr") if next(row.iterancestors("table"), None) is element]
        if _lays_out(element, rows):
            for row in rows:
                for cell in row:
                    if not is_dropped(cell):
                        self.container(cell, replace(place, depth=place.depth + 3))
            return
        if is_link_list(element):
            return
        caption = element.find("caption")
        if caption is not None:
            self.element(caption, place)
        head: Span | None = None
        heads: list[list[str]] = []
        for is_head, texts in _grid(rows):
            if is_head:
                heads.append(texts)
            else:
                head, heads = self._head(heads) or head, []
                self.block("table_row", row_of(texts), level=place.lists, lead_in=head)
        if len(heads) > 1 and not head:  # of which there are no others
            head = self._head(heads[:1])
            heads = heads[1:]
        for texts in heads:
            self.block("table_row", row_of(texts), level=place.lists, lead_in=head)

    def _head(self, rows: list[list[str]]) -> Span | None:
        """Write the head of a table as one row, each column under all its names; a name of them all is its caption."""
        columns = [row for row in rows if any(row[1:])] or rows
        for row in rows:
            if row not in columns:
                self.block("paragraph", row_of(row))
        told = [" · ".join(dict.fromkeys(filter(None, names))) for names in zip_longest(*columns, fillvalue="")]
        return self.write(row_of(told), row=True) if told else None


def _grid(rows: Sequence[Element]) -> list[tuple[bool, list[str]]]:
    """The rows of a table that say something: whether each is of its head, and its texts by column."""
    grid: list[tuple[bool, list[str]]] = []
    down: dict[int, list[str]] = {}
    width, heads, in_body = 0, 0, False
    for row in rows:
        cells = [cell for cell in row if tag_of(cell) in {"td", "th"} and not is_dropped(cell)]
        if len(cells) == 1 and len(cells[0]) > 1 and all(tag_of(part) in {"p", "div"} for part in cells[0]):
            cells = list(cells[0])  # one column whose paragraphs are the columns
        are_names = not in_body and all(tag_of(cell) == "th" for cell in row) and (len(row) > 1 or not heads)
        is_head = tag_of(row.getparent()) == "thead" or are_names
        texts, begun = _texts(cells, down, is_head=is_head)
        if any(texts):
            width, heads, in_body = max(width, begun), heads + is_head, in_body or (not is_head and any(texts[1:]))
            grid.append((is_head, texts))
    return [(is_head, texts[:width]) for is_head, texts in grid]


def _texts(cells: Sequence[Element], down: dict[int, list[str]], *, is_head: bool) -> tuple[list[str], int]:
    """The texts of a row, and in how many columns a cell begins, or one before them; `down` has, by column, what cells
    tell in the rows below theirs. A cell of several columns is told in each, unless it names the row or the table."""
    texts: list[str] = []
    begun = 0
    for cell in (*cells, None):
        while down.get(len(texts)):
            texts.append(down[len(texts)].pop())
        if cell is not None:
            begun = len(texts) + 1
            reach = (_REACH.fullmatch(cell.get(name) or "") for name in ("rowspan", "colspan"))
            rows, columns = (int(match[0]) if match else 1 for match in reach)
            text = text_in(cell)
            again = text if len(text) <= _REPEATED else ""
            across = again if any(texts) or (is_head and len(cells) > 1) else ""
            for told, below in ((text, again), *[(across, across)] * (columns - 1)):
                down[len(texts)] = [below] * (rows - 1)
                texts.append(told)
    return texts, begun


def _layouts(content: Element) -> dict[Element, str]:
    """The `pre` that hold prose and no program, when they hold most of a page."""
    pres = list(content.iter("pre"))
    if sum(map(length, pres)) * 2 <= (whole := length(content)):
        return {}
    parsers = {pre: PlainParser(preformatted(pre)) for pre in pres if pre.find(".//code") is None}
    texts = {pre: parser.text for pre, parser in parsers.items() if not parser.is_code(0, len(parser.lines))}
    return texts if sum(map(length, texts)) * 2 > whole else {}


def _continued(place: _Place) -> _Place:
    """The place of what follows the first text of a list item: a paragraph, without the lead-in of the list."""
    return replace(place, kind="paragraph", lead_in=None, number="") if place.kind == "list_item" else place


def _definition_parts(element: Element) -> Iterator[Element]:
    """`dt` and `dd` of a list, also those that HTML 5 lets stand in a `div`."""
    for child in element:
        if tag_of(child) == "div" and any(tag_of(part) in {"dt", "dd"} for part in child):
            yield from child
        else:
            yield child


def _lays_out(table: Element, rows: list[Element]) -> bool:
    """Whether a table only arranges other blocks."""
    if table.get("role") == "presentation" or not rows:
        return True
    if any(tag_of(inner) in {"table", "h1", "h2", "h3", "pre"} for inner in table.iter() if inner is not table):
        return True
    if table.find("thead") is not None:
        return False
    return max(len(row) for row in rows) == 1 and any(
        tag_of(inner) in {"p", "ul", "ol", "dl"} for inner in table.iter()
    )
