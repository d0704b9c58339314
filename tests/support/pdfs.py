"""PDF files for tests, written byte by byte: lines of text at places, in Helvetica or a font with a map to Unicode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_PATTERN = (
    b"<< /PatternType 2 /Shading << /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 595 0] /Extend [true true] "
    b"/Function << /FunctionType 2 /Domain [0 1] /C0 [0] /C1 [0.5] /N 1 >> >> >>"
)
"""From black to grey."""


@dataclass(frozen=True)
class Put:
    """A line of text at a place of a page, in points from the lower left corner."""

    text: str
    left: float = 60
    bottom: float = 700
    size: float = 10
    color: str = "0 g"
    before: str = ""
    """Commands that paint before it."""
    is_raw: bool = False
    """Whether the text closes its string itself, to draw a part of it otherwise."""


def pdf(
    pages: Sequence[Sequence[Put]],
    *,
    title: str = "",
    author: str = "",
    notes: Sequence[str] = (),
    drawn_by_notes: Sequence[str] = (),
    is_nameless: bool = False,
) -> bytes:
    """A file with these pages, the first with `notes`: annotations, and fields of a form, as the format writes them.

    Each of the first notes draws what `drawn_by_notes` holds, from its lower left corner. Pages know a pattern, `/P1`.

    Japanese text is in a font without glyphs, with a map to Unicode, as is `\ue036`, which stands for a letter of
    mathematics: "\U0001d436". With `is_nameless` the map of Helvetica has control characters for small letters.
    """
    map_of = b"/ToUnicode 8 0 R" if is_nameless else b""
    helvetica = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica %s >>" % map_of
    objects: list[bytes] = [b"", b"", helvetica, *_japanese(4), _to_unicode(b"ff", b"1 beginbfrange <61> <7a> <0003>")]
    noted = b" ".join(b"%d 0 R" % (len(objects) + number) for number in range(1, len(notes) + 1))
    drawings = len(objects) + len(notes)
    for number, note in enumerate(notes, 1):
        draws = b"/AP << /N %d 0 R >>" % (drawings + number) if number <= len(drawn_by_notes) else b""
        objects.append(b"<< /Type /Annot %s %s >>" % (note.encode("latin-1"), draws))
    for drawing in drawn_by_notes:
        form = b"/Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << /Font << /F1 3 0 R >> >>"
        objects.append(b"<< %s /Length %d >>\nstream\n%s\nendstream" % (form, len(drawing), drawing.encode()))
    kids: list[int] = []
    for page in pages:
        drawn = "\n".join(_drawn(put) for put in page).encode()
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn))
        fonts = b"/Resources << /Font << /F1 3 0 R /F2 4 0 R >> /Pattern << /P1 %s >> >>" % _PATTERN
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] %s /Contents %d 0 R /Annots [%s] >>"
            % (fonts, len(objects), b"" if kids else noted)
        )
        kids.append(len(objects))
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [%s] >> >>" % noted
    listed = " ".join(f"{kid} 0 R" for kid in kids).encode()
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (listed, len(kids))
    objects.append(b"<< /Title (%s) /Author (%s) >>" % (title.encode("latin-1"), author.encode("latin-1")))
    return _file(objects)


def lines(*texts: str, top: float = 760, step: float = 14, left: float = 60, size: float = 10) -> list[Put]:
    """Lines one under the other; an empty one leaves a gap."""
    return [Put(text, left, top - number * step, size) for number, text in enumerate(texts) if text]


def _drawn(put: Put) -> str:
    escaped = put.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    if put.text.isascii():
        font, shown = "F1", "(" + (put.text if put.is_raw else escaped) + ")"
    else:
        font, shown = "F2", "<" + put.text.encode("utf-16-be").hex() + ">"
    return f"{put.before} BT {put.color} /{font} {put.size} Tf {put.left} {put.bottom} Td {shown} Tj ET"


def _japanese(number: int) -> list[bytes]:
    """A font of object `number` whose codes are those of UTF-16."""
    ranges = b"".join(b"<%02x00> <%02xff> <%02x00>\n" % (high, high, high) for high in (*range(0x30, 0x93), 0xFF))
    letter = b"1 beginbfchar <e036> <d835dc36> endbfchar"
    return [
        b"<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [%d 0 R] "
        b"/ToUnicode %d 0 R >>" % (number + 1, number + 3),
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) "
        b"/Supplement 0 >> /FontDescriptor %d 0 R /DW 1000 >>" % (number + 2),
        b"<< /Type /FontDescriptor /FontName /X /Flags 4 /FontBBox [0 -200 1000 800] /ItalicAngle 0 /Ascent 800 "
        b"/Descent -200 /CapHeight 700 /StemV 80 >>",
        _to_unicode(b"ffff", letter + b" 100 beginbfrange\n" + ranges),
    ]


def _to_unicode(last: bytes, ranges: bytes) -> bytes:
    """The map of a font with codes up to `last`; the ranges are without their end."""
    head = b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
    codes = b"1 begincodespacerange <%s> <%s> endcodespacerange\n" % (b"0" * len(last), last)
    body = head + codes + ranges + b" endbfrange endcmap end end"
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(body), body)


def _file(objects: Sequence[bytes]) -> bytes:
    data, places = b"%PDF-1.5\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    trailer = b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\n" % (count, count - 1)
    trailer += b"startxref\n%d\n%%%%EOF\n" % len(data)
    return data + b"xref\n0 %d\n0000000000 65535 f \n%s" % (count, table) + trailer
