"""A picture: its writing, read like that of a scanned page."""

from __future__ import annotations

from io import BytesIO

from fathom.errors import Unreadable
from fathom.reading.document import ReadDocument
from fathom.reading.ocr import INSTALL, LONGEST_SIDE, written
from fathom.reading.pdf import document_of
from fathom.reading.pdf_places import Line

MOST_PIXELS = 50_000_000


def read(data: bytes) -> ReadDocument:
    """Read a picture: PNG, JPEG or TIFF, of which the first page.

    Raises:
        Unreadable: with the reason.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise Unreadable(f"it is a picture: `{INSTALL}` has its writing read") from error
    try:
        with Image.open(BytesIO(data)) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                raise Unreadable(f"it has more than {MOST_PIXELS:,} pixels")
            picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
            flat = picture.convert("RGBA")
            on_white = Image.alpha_composite(Image.new("RGBA", flat.size, "white"), flat)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise Unreadable("it is no picture, or a broken one") from error
    if not (lines := written(on_white.convert("RGB"))):
        raise Unreadable("it is a picture without writing that can be read")
    return document_of([[Line.of(*line) for line in lines]], "")
