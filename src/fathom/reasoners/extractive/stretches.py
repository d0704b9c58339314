"""Passages cut into stretches: what a reader is handed as a whole.

A stretch is a paragraph, a list with its lead-in, terms with what they mean, rows with their head, or code with the
text before it; it stands under one heading, and short paragraphs stay with their neighbours.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, groupby, pairwise
from textwrap import dedent

from fathom.evidence import Block, BlockKind, Markup, Passage, Span
from fathom.findings import CUT, Form, Piece, passage_of
from fathom.languages.boilerplate import is_boilerplate
from fathom.languages.dangling import dangles, is_text, points_back
from fathom.reading.document import announces
from fathom.text.analysis import terms
from fathom.text.columns import GAPS, in_columns
from fathom.text.display import display, word_count
from fathom.text.sentences import sentences
from fathom.text.typeset import cells_of

LONGEST, WHOLE = 80, 120
"""Words to which short paragraphs are joined, and of the longest stretch; what is longer is cut between items, rows or
sentences, in parts of about equal length."""
SHORT = 25
"""Words below which a paragraph is told with its neighbour."""
_RUNS = ("list_item", "table_row", "definition")

_COLON = re.compile(r"[:：]$")
_NUMBER = re.compile(r"[(（]?\d{1,3}[.)）]")
ENDS = (".", "!", "?", "。", "！", "？")
_LABEL = re.compile(r"[^\W\d_]+\s?\d+(?:[.-]\d+)*(?=[.:：\s])")
"""At the beginning of a caption: what a text names it by."""

_MARKER = re.compile(r"(?:^|[\s>])((?:\(?\d{1,3}[.)]|[（(]\d{1,3}[)）]|[①-⑳]|\(?[A-Za-z][.)])[ \t\u3000]*)$")
"""Before an item: its number."""
_CODE_LINE = re.compile(r"^.*\S", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class StretchLine:
    """A piece of a stretch that is set by itself."""

    start: int
    end: int
    text: str
    """As a reader sees it."""
    words: int
    form: Form
    block: int
    """Where the block that it is of begins."""
    kind: BlockKind
    """What that is."""
    lead_in: Span | None = None
    """Of an item or a row, what leads it in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Something that can be told as a whole, and where it stands."""

    passage: Passage
    headings: tuple[str, ...]
    lines: tuple[StretchLine, ...]
    lead_in: Span | None
    """What must be read before it and stands elsewhere."""
    lead: str
    """The lead-in as a reader sees it."""
    words: int
    terms: Counter[str]
    """Terms of its lines and its lead-in, but for code, which few ask for by its words."""

    @property
    def text(self) -> str:
        """Its paragraphs, items and rows as a claim (see `passage_of`)."""
        blocks = [list(group) for _, group in groupby(self.lines, key=lambda line: (line.block, line.form))]
        told = passage_of(Piece(group[0].form, self._set(group)) for group in blocks)
        last, behind = self.lines[-1], next((each for each in self.passage.blocks if each.start >= self.end), None)
        is_cut = (behind.kind, behind.lead_in) == (last.kind, last.lead_in) if behind else self.passage.goes_on
        return told + CUT if is_cut and (last.form == "item" or (last.form == "row" and len(self.lines) > 1)) else told

    def _set(self, group: Sequence[StretchLine]) -> str:
        if group[0].form == "code":
            text, at, end = self.passage.text, group[0].start - self.passage.start, group[-1].end - self.passage.start
            first = text.rfind("\n", 0, at) + 1
            return dedent(text[at if text[first:at].strip() else first : end].expandtabs(4))
        text, start = self.passage.text, self.passage.start
        gaps = [text[line.end - start : after.start - start] for line, after in pairwise(group)]
        told = (
            f"{line.text}{gap if gap.isspace() or not gap else ' '}"
            for line, gap in zip(group, [*gaps, ""], strict=True)
        )
        return display("".join(told), "plain")

    @property
    def document(self) -> str:
        """Digest of the document that it stands in."""
        return self.passage.document

    @property
    def place(self) -> tuple[str, int, int]:
        """Where it stands: its document, from where to where."""
        return self.document, self.start, self.end

    @property
    def start(self) -> int:
        """Offset of the stretch in the snapshot."""
        return self.lines[0].start

    @property
    def end(self) -> int:
        """Offset behind it."""
        return self.lines[-1].end


class PassageKey:
    """A passage as a key: its span names its text, and its score does not matter."""

    __slots__ = ("name", "passage")

    def __init__(self, passage: Passage) -> None:
        self.passage = passage
        self.name = (passage.document, passage.start, passage.end, passage.headings, passage.blocks)

    def __hash__(self) -> int:
        return hash(self.name[:3])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PassageKey) and self.name == other.name


def stretches(passage: Passage, *, markup: Markup) -> tuple[Stretch, ...]:
    """The stretches of a passage, in order. The same passage is cut once."""
    return _cut(PassageKey(passage), markup)


@lru_cache(maxsize=4096)
def _cut(key: PassageKey, markup: Markup) -> tuple[Stretch, ...]:
    passage = key.passage
    found: list[Stretch] = []
    groups = [_lines(passage, group, markup) for group in _groups(passage)]
    if not passage.headings and sum(map(_words, groups)) <= WHOLE:  # a short note is told whole
        groups = [[line for group in groups for line in group]]
    for group in _joined(groups):
        for piece in _pieces(group):
            if made := _stretch(passage, piece, markup):
                found.append(made)
    return tuple(found)


def _terms(line: StretchLine) -> frozenset[str]:
    return frozenset(terms(line.text))


_Piece = list[tuple[StretchLine, Block]]


def _groups(passage: Passage) -> Iterator[list[Block]]:
    """Blocks that belong together: a run of items, rows or terms with what leads it, code with the text before it."""
    group: list[Block] = []
    for block in passage.blocks:
        if not passage.start <= block.start < block.end <= passage.end:
            continue
        if block.kind == "heading":
            if group:
                yield group
            group = []
            continue
        led = block.lead_in is not None and bool(group) and group[0].start <= block.lead_in.start < block.start
        follows = bool(group) and (
            block.kind == "code" or led or (block.kind in _RUNS and group[-1].kind == block.kind)
        )
        if not follows and group:
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _lines(passage: Passage, group: Sequence[Block], markup: Markup) -> _Piece:
    """The blocks as lines: an item or a row is one, with its number or its empty cells, a paragraph one for each of its
    sentences, and of code a line is one."""
    found: _Piece = []

    rows = _set_with_spaces(passage, group)

    def add(form: Form, block: Block, start: int, end: int, *, term: Span | None = None, whole: str = "") -> None:
        if text := display(rows.get(start) or passage.quote(start, end), markup):
            if whole and text not in whole and (bare := text.strip("*_")) in whole:  # emphasis of several sentences
                text = bare
            if term:
                text = f"{_COLON.sub('', display(passage.quote(term.start, term.end), markup))}: {text}"
                start = term.start
            lead_in = block.lead_in if form in ("item", "row") and not term else None
            found.append((_line(form, block, start, end, text, lead_in=lead_in), block))

    for block in group:
        new = block.lead_in if not found or block.lead_in != found[-1][1].lead_in else None
        told = any(each.lead_in == new and each.start < block.start for each in passage.blocks)
        if new and (told or not passage.start <= new.start < new.end <= block.start):
            new = None
        match block.kind:
            case "table_row" if block.start in rows and not rows[block.start]:
                start = new.start if new else block.start
                text = display(passage.quote(start, block.end), markup)
                found.append((_line("code", group[0], start, block.end, text), block))
            case "table_row":
                if new:
                    add("head", block, new.start, new.end)
                cells = rows.get(block.start) or passage.quote(block.start, block.end)
                is_lone = not block.lead_in and "|" not in cells
                add("paragraph" if is_lone else "row", block, block.start, block.end)
            case "list_item" | "definition":
                term = new if block.kind == "definition" else None
                add("item", block, numbered_from(passage, block.start), block.end, term=term)
            case "code":
                for shown in _CODE_LINE.finditer(passage.quote(block.start, block.end)):
                    start, end = block.start + shown.start(), block.start + shown.end()
                    found.append((_line("code", block, start, end, shown[0]), block))
            case _ if _LABEL.match(said := passage.quote(block.start, block.end)) and not said.endswith(ENDS):
                add("paragraph", block, block.start, block.end)  # a caption
            case _:
                at, whole = passage.start, display(said, markup)
                for start, end in sentences(passage.text, start=block.start - at, end=block.end - at):
                    add("paragraph", block, start + at, end + at, whole=whole)
    return found


def _line(form: Form, block: Block, start: int, end: int, text: str, *, lead_in: Span | None = None) -> StretchLine:
    words, at = word_count(text), block.start
    return StretchLine(
        start=start, end=end, text=text, words=words, form=form, block=at, kind=block.kind, lead_in=lead_in
    )


def _set_with_spaces(passage: Passage, group: Sequence[Block]) -> dict[int, str]:
    """The rows and the heads of tables in columns of spaces as cells, by where they begin; empty ones where it is not
    certain which cells stand below each other."""
    found: dict[int, str] = {}
    for head, rows in groupby((each for each in group if each.kind == "table_row"), key=lambda row: row.lead_in):
        spans = [*([head] if head else ()), *(Span(start=row.start, end=row.end) for row in rows)]
        quotes = [passage.quote(span.start, span.end) for span in spans]
        if any("|" in quote for quote in quotes) or not any(map(GAPS.search, quotes)):
            continue
        lines = [passage.text[: max(span.start - passage.start, 0)].rpartition("\n")[1:] for span in spans]
        indent = next((before for newline, before in lines if newline), "")  # a passage begins with its first word
        told = in_columns(
            [f"{line[1] if line[0] else indent}{quote}" for line, quote in zip(lines, quotes, strict=True)]
        )
        found |= {span.start: cells for span, cells in zip(spans, told, strict=True)}
    return found


def numbered_from(passage: Passage, start: int) -> int:
    """Where an item begins with its number."""
    at = start - passage.start
    number = _MARKER.search(passage.text[passage.text.rfind("\n", 0, at) + 1 : at])
    return start - len(number[1]) if number else start


def _joined(groups: Sequence[_Piece]) -> Iterator[_Piece]:
    """Short paragraphs with the next, a last one with the one before; what announces the next with it, what points back
    with what it points to, and an example or a table with what names it."""
    held: _Piece = []
    kept: list[_Piece] = []
    for group in filter(None, groups):
        words = _words(held) + _words(group)
        goes_on = _is_named(held, group) or points_back(group[0][0].text) if held else False
        together = held and (_leads(held[-1][0], group[0][0]) or (words <= WHOLE and goes_on))
        if held and not together and (_words(held) >= SHORT or words > LONGEST):
            kept.append(held)
            held = []
        held = held + group
    if held:
        if kept and _words(held) < SHORT and _words(kept[-1]) + _words(held) <= LONGEST:
            kept[-1] = kept[-1] + held
        else:
            kept.append(held)
    yield from kept


def _leads(line: StretchLine, following: StretchLine) -> bool:
    """Whether a line is nothing without what follows: it ends with a colon, or is the caption of a table or of code."""
    is_caption = line.form == "paragraph" and line.start == line.block and not line.text.endswith(ENDS)
    return bool(_COLON.search(line.text)) or (is_caption and following.form in ("head", "row", "code"))


def _is_named(one: _Piece, other: _Piece) -> bool:
    """Whether a paragraph names the example, the table or the figure beside it."""
    for captioned, text in ((one, other), (other, one)):
        label = _LABEL.match(captioned[0][0].text)
        if label and any(re.search(rf"{re.escape(label[0])}(?![.-]?\d)", line.text) for line, _ in text):
            return True
    return False


def _words(piece: _Piece) -> int:
    return sum(line.words for line, _ in piece)


def _pieces(group: _Piece) -> Iterator[_Piece]:
    """No longer than a reader takes in at once: cut before the sentence that leads a list which is short enough, else
    into parts of about equal length."""
    words = _words(group)
    first = group[min(1, len(group) - 1)][0]
    most = (
        WHOLE * 2 if first.form == "item" and _NUMBER.match(first.text) else WHOLE
    )  # steps are told from the first on
    cuts = [at for at in range(1, len(group)) if not _belongs(group[at][0], behind=group[at - 1][0])]
    lead = next((at - 1 for at in range(2, len(group)) if group[at][0].form != group[at - 1][0].form == "paragraph"), 0)
    if words <= most or not cuts:
        yield group
    elif lead in cuts and (_words(group[lead:]) <= WHOLE or _NUMBER.match(group[lead + 1][0].text)):
        yield from _pieces(group[:lead])
        yield from _pieces(group[lead:])
    else:
        told, before = words / -(-words // LONGEST), [0, *accumulate(line.words for line, _ in group)]
        cut = min(cuts, key=lambda at: abs(before[at] - told))
        yield group[:cut]
        yield from _pieces(group[cut:])


def _belongs(line: StretchLine, *, behind: StretchLine) -> bool:
    """Whether a line cannot be parted from the one before: it speaks of that, or is what that one leads."""
    is_led = _leads(behind, line) or line.form != behind.form == "paragraph"
    return is_led or (line.form != "code" and dangles(line.text))


def _tells(line: StretchLine) -> bool:
    """Whether it is text; of a row, whether a cell is."""
    return any(map(is_text, cells_of(line.text))) if line.form == "row" else is_text(line.text)


def _stretch(passage: Passage, piece: _Piece, markup: Markup) -> Stretch | None:
    said = [line for line, _ in piece if line.kind != "code" and not is_boilerplate(line.text)]
    piece = [(line, block) for line, block in piece if line.form != "paragraph" or line in said]
    if not any(line.words > 2 and _tells(line) for line in said):
        return None
    lines = tuple(line for line, _ in piece)
    first = piece[0][1]
    lead_in = first.lead_in if first.lead_in and first.lead_in.start < lines[0].start else None
    lead = display(passage.quote(lead_in.start, lead_in.end), markup) if lead_in else ""
    if first.kind == "list_item" and not announces(lead):  # the sentence before a list of which this is a later part
        lead_in, lead = None, ""
    return Stretch(
        passage=passage,
        headings=passage.headings,
        lines=lines,
        lead_in=lead_in,
        lead=lead,
        words=_words(piece) + word_count(lead),
        terms=Counter(terms(" \n".join((lead, *(line.text for line in lines if line.kind != "code"))))),
    )
