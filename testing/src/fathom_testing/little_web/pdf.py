"""As much of PDF as a page of plain English text needs."""

from __future__ import annotations

import textwrap

_LINES = 48
_COLUMNS = 88


def pdf_of(title: str, text: str) -> bytes:
    """The text as a PDF, in Helvetica, with as many pages as it takes; what Latin-1 does not have becomes `?`."""
    lines = [title, ""]
    for line in text.splitlines():
        lines += textwrap.wrap(line, _COLUMNS) or [""]
    sheets = [lines[at : at + _LINES] for at in range(0, len(lines), _LINES)]
    pages = [4 + 2 * number for number in range(len(sheets))]
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(b"%d 0 R" % page for page in pages), len(pages)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for page, sheet in zip(pages, sheets, strict=True):
        drawn = _drawn(sheet)
        objects += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> "
            b"/Contents %d 0 R >>" % (page + 1),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn),
        ]
    return _file(objects, title)


def _drawn(lines: list[str]) -> bytes:
    """The commands that put the lines on a page."""
    shown = b"".join(b"(%s) Tj T*\n" % _escaped(line) for line in lines)
    return b"BT /F1 10 Tf 15 TL 60 780 Td\n" + shown + b"ET"


def _escaped(text: str) -> bytes:
    data = text.encode("latin-1", "replace")
    return data.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _file(objects: list[bytes], title: str) -> bytes:
    numbered = [*objects, b"<< /Title (%s) >>" % _escaped(title)]
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(numbered, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    rows = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(numbered) + 1
    table = b"xref\n0 %d\n0000000000 65535 f \n%s" % (count, rows)
    return (
        data
        + table
        + b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (
            count,
            len(numbered),
            len(data),
        )
    )
