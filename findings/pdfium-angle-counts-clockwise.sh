#!/usr/bin/env bash
# pypdfium2 5.15.2 (PyPI): FPDFText_GetCharAngle counts clockwise, against the axes of the page.
#
# In a PDF the y axis points up, and the matrix [0 1 -1 0 x y] turns text by 90 degrees counterclockwise: it runs upwards.
# The boxes of its letters say so, the second one is above the first. The angle that PDFium gives for them is 270 degrees,
# not 90; level text has 0. Whoever turns lines back by that angle turns them upside down.
# Seen: "level 0", "upwards 270" with boxes whose bottoms are 151.5 and 165.8.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --disable-pip-version-check -q install 'pypdfium2==5.15.2'
"$folder/venv/bin/python" - <<'PY'
import math

import pypdfium2
from pypdfium2 import raw


def pdf(matrix: str) -> bytes:
    drawn = f"BT /F1 20 Tf {matrix} 150 150 Tm (Hi) Tj ET".encode()
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    tail = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(data))
    return data + head + table + tail


seen = {}
for name, matrix in (("level", "1 0 0 1"), ("upwards", "0 1 -1 0")):
    page = pypdfium2.PdfDocument(pdf(matrix))[0].get_textpage()
    bottoms = [page.get_charbox(at)[1] for at in (0, 1)]
    seen[name] = round(math.degrees(raw.FPDFText_GetCharAngle(page.raw, 0)))
    print(name, seen[name], [round(bottom, 1) for bottom in bottoms])
assert bottoms[0] < bottoms[1], "the second letter is no longer above the first"
assert seen == {"level": 0, "upwards": 270}, "it has changed"
PY
