"""What reading a file gives, and how its bytes become text."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from functools import partial

from fathom.errors import Unreadable
from fathom.evidence import Block, BlockKind, Markup, Span
from fathom.languages.packs import either
from fathom.text.characters import HIRAGANA, KATAKANA
from fathom.text.sentences import sentences

_BOMS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_MEANT = dict(
    pair.split(":")
    for pair in "iso8859-1:cp1252 ascii:cp1252 iso8859-9:cp1254 iso8859-11:cp874 tis-620:cp874 gb2312:gb18030 "
    "gbk:gb18030 shift_jis:cp932 euc_kr:cp949 big5:big5hkscs".split()
)
"""What browsers read where a page names one of these (https://encoding.spec.whatwg.org/#names-and-labels)."""
_KANA = re.compile(f"[{HIRAGANA}{KATAKANA}]")
_HALF_WIDTH = re.compile("[\uff61-\uff9f]")
_NO_LETTER = re.compile(rb"[\x00-\x08]")  # in a text these are halves of characters
_HIGH = bytes(range(128, 256))
_TOGETHER = re.compile(rb"[\x80-\xff]{2,}")
_LEAST = 16  # bytes of a text in UTF-16 without a mark
_SAMPLE = 20_000  # bytes by which an encoding is told, an even number
_ANNOUNCES = re.compile(either("documents.announces"), re.IGNORECASE)
_LONE_BAR = re.compile(r"(?<!\S)\|( |$)")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)?")


@dataclass(frozen=True)
class ReadDocument:
    """A file's text and its structure."""

    text: str
    """The snapshot. For Markdown, reStructuredText and plain text, the file's decoded text, untouched."""
    title: str
    """The document's own title; empty when it has none."""
    markup: Markup
    """Inline markup that the text still holds."""
    blocks: tuple[Block, ...] = ()
    """Its structure, in order, without overlap."""
    dated: str = ""
    """When it was written or changed last, as it says itself (ISO 8601 date); empty when it does not."""
    authors: tuple[str, ...] = ()
    """Who has written it, as it says itself."""
    left_out: tuple[tuple[str, str], ...] = ()
    """What was attached to it and cannot be read: names, with the reasons."""


Reader = Callable[[bytes], ReadDocument]
"""Reads the content of one file. Raises `Unreadable` with the reason."""


def decode(data: bytes, *, declared: str | None = None) -> str:
    """The text in `data`, line ends and byte order mark untouched.

    A byte order mark decides, then UTF-8 if it fits, then what the file declares, then what charset-normalizer
    takes it for (Shift-JIS, EUC-JP, UTF-16, the encodings of other scripts), then those of Western Europe.

    Raises:
        Unreadable: it is not text.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError as error:
                raise Unreadable(f"it begins like {encoding.upper()} and is not") from error
    declarations = ("iso2022_jp" if b"\x1b$" in data else None, "utf-8", declared)
    for declaration in declarations if b"\x00" not in data else ():
        if declaration and (fitting := _decoded(data, declaration)) is not None:
            return fitting
    found = _detected(data)
    text = next((text for each in (found, "cp1252") if each and (text := _decoded(data, each))), "")
    if "\x00" in text or len(_CONTROL.findall(text)) * 100 > len(text):
        raise Unreadable("it is a binary file")
    return text


def _detected(data: bytes) -> str | None:
    """The encoding of a text in which the bytes that are no ASCII stand together, as letters of other scripts do."""
    is_wide = _NO_LETTER.search(data) is not None
    if not is_wide and sum(map(len, _TOGETHER.findall(data))) * 2 <= len(data) - len(data.translate(None, _HIGH)):
        return None
    japanese = max(("euc_jp", "cp932"), key=partial(_kana, data))
    if not is_wide and _kana(data, japanese):  # of which few are enough
        return japanese
    bare = data.replace(b"\x00", b"")
    is_narrow = len(bare) * 3 > len(data) * 2 and not _NO_LETTER.search(bare) and _decoded(bare, "utf-8") is not None
    if is_wide and (len(data) < _LEAST or is_narrow):
        return None
    from charset_normalizer import from_bytes

    lines = b"\n".join(each for each in data.split(b"\n") if not each.isascii())[:_SAMPLE]
    found = from_bytes(data[:_SAMPLE] if is_wide else lines[: lines.rfind(b"\n") + 1] or lines)
    return next((each.encoding for each in found if not _HALF_WIDTH.search(str(each))), None)


def _kana(data: bytes, encoding: str) -> int:
    """How much of a text is kana, if it is a Japanese one in that encoding."""
    text = _decoded(data, encoding) or ""
    kana = len(_KANA.findall(text))
    return 0 if _HALF_WIDTH.search(text) or kana * 5 < sum(not char.isascii() for char in text) else kana


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        name = codecs.lookup(encoding.strip().lower().removeprefix("x-")).name
        name = _MEANT.get(name, name)
        return data.decode(name, "replace" if name == "cp1252" else "strict")
    except (ValueError, LookupError):  # of an encoding that is none, too
        return None


def line_spans(text: str) -> list[tuple[int, int]]:
    """Offsets of each line, its line end excluded."""
    spans: list[tuple[int, int]] = []
    for match in _LINE.finditer(text):
        if match.start() == len(text) and spans:
            break
        spans.append((match.start(), match.start() + len(match[0].rstrip("\r\n"))))
    return spans


@dataclass
class BlockList:
    """Collects the blocks of a document in order."""

    text: str
    found: list[Block] = field(default_factory=list)

    def add(
        self, kind: BlockKind, start: int, end: int, *, level: int = 0, lead_in: Span | None = None
    ) -> Block | None:
        """Add `text[start:end]` without the white space around it, unless that leaves nothing."""
        words = self.text[start:end].strip()
        if not words:
            return None
        start = self.text.index(words[0], start)
        end = start + len(words)
        block = Block(kind=kind, start=start, end=end, level=level, lead_in=lead_in)
        self.found.append(block)
        return block


def iso_day(text: str) -> str:
    """The day with which a date in ISO 8601 begins; empty when it is none."""
    try:
        return date.fromisoformat(text.strip()[:10]).isoformat()
    except ValueError:
        return ""


def row_of(cells: Iterable[str]) -> str:
    """A row of a table with bars between its cells, the empty ones at its end left out.

    >>> row_of(["pipe", "", "ls | more", ""]), row_of(["", "|", "or"])
    ('pipe |  | ls |more', '| ｜ | or')
    """
    told = [_LONE_BAR.sub(lambda bar: "|" if bar[1] else "｜", cell) for cell in cells]
    while told and not told[-1]:
        told.pop()
    return " | ".join(told).lstrip()


def list_lead_in(text: str, before: Block | None, *, announcing: bool = False) -> Span | None:
    """What a reader must have read before a list: the last sentence of the text directly before it.

    `announcing` asks for one that says that something follows: on a page of the web a list may stand behind anything.
    """
    if before is None or before.kind in {"heading", "code", "table_row"}:
        return None
    start, end = sentences(text, start=before.start, end=before.end)[-1]
    return None if announcing and not announces(text[start:end]) else Span(start=start, end=end)


def announces(sentence: str) -> bool:
    """Whether a sentence says that something follows, or does not end as a sentence does."""
    return not sentence.endswith((".", "!", "。", "！")) or _ANNOUNCES.search(sentence) is not None
