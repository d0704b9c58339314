"""A scan is read as its writing stands, column by column; one of nothing says so, and what is missing is named."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import pypdfium2  # type: ignore[import-untyped]
import pytest
from PIL import Image, ImageDraw, ImageFont
from rapidocr.inference_engine.onnxruntime.main import ONNXRuntimeError

from fathom.errors import Unreadable
from fathom.reading import ocr, pdf_lines, picture
from fathom.reading.pdf import read
from fathom.reading.readers import read_bytes
from tests.support.pdfs import lines, pdf

TIDES = ("The tide rises and falls twice a day, because the moon", "pulls at the sea more than the sun does.")
NEAP = ("Neap tides come between them, when the sun", "pulls at a right angle.")
JAPANESE = next(Path("/usr/share/fonts").rglob("ipag.ttf"), None)


def scan(*columns: Sequence[str], font: Path | None = None) -> Image.Image:
    """A page of A4 at 100 dots an inch, with a column of lines beside the other."""
    page = Image.new("RGB", (827, 1169), "white")
    drawn = ImageDraw.Draw(page)
    face = ImageFont.truetype(font, 20) if font else ImageFont.load_default(18)
    for number, column in enumerate(columns):
        for at, line in enumerate(column):
            drawn.text((60 + 400 * number, 100 + 32 * at), line, fill="black", font=face)
    return page


def saved(*pages: Image.Image, kind: str = "PDF") -> bytes:
    held = BytesIO()
    pages[0].save(held, kind, **({"save_all": True, "append_images": pages[1:]} if kind == "PDF" else {}))
    return held.getvalue()


def test_a_scan_is_read_in_the_process_that_reads_all_else() -> None:
    document = read_bytes(saved(scan(TIDES), scan(NEAP)), ".pdf")
    assert document.text.split("\n\n") == ["Page 1", " ".join(TIDES), "Page 2", " ".join(NEAP)]


def test_columns_of_a_scan_are_read_one_after_the_other() -> None:
    left, right = ("The tide rises and falls", "twice a day."), ("Neap tides come", "between them.")
    assert " ".join(read(saved(scan(left, right))).text.split()) == " ".join(("Page 1", *left, *right))


@pytest.mark.skipif(JAPANESE is None, reason="needs a font that has Japanese letters")
def test_japanese_writing_is_read() -> None:
    text = "潮の満ち引きは月の引力によって起こる。"
    assert text in read(saved(scan((text,), font=JAPANESE))).text


def test_a_picture_is_read_like_a_page() -> None:
    for kind in ("PNG", "JPEG", "TIFF"):
        assert " ".join(TIDES) in read_bytes(saved(scan(TIDES), kind=kind), f".{kind.lower()}").text


@pytest.mark.parametrize("kind", ["PDF", "PNG"])
def test_a_scan_of_nothing_says_so(kind: str) -> None:
    with pytest.raises(Unreadable, match="without writing that can be read"):
        read_bytes(saved(scan(), kind=kind), f".{kind.lower()}")


def test_what_is_no_picture_says_so() -> None:
    for data in (b"", b"GIF89a", saved(scan(TIDES), kind="PNG")[:200]):
        with pytest.raises(Unreadable, match="no picture, or a broken one"):
            picture.read(data)
    with pytest.raises(Unreadable, match="more than 50,000,000 pixels"):
        picture.read(saved(Image.new("1", (10_000, 5_001)), kind="PNG"))


def test_without_the_extra_a_scan_names_it_and_pages_of_text_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    ocr.engine.cache_clear()
    for data, reader in ((saved(scan(TIDES)), read), (saved(scan(TIDES), kind="PNG"), picture.read)):
        with pytest.raises(Unreadable, match=r"pip install 'fathom-research\[ocr\]'"):
            reader(data)
    assert "twice" in read(pdf([lines("The tide rises twice a day.")])).text


def test_a_page_whose_letters_have_no_names_is_read_as_it_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    nameless = pdf([lines("The tide rises and falls", "twice a day at the coast.", size=20, step=30)], is_nameless=True)
    assert "twice a day" in read(nameless).text
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    ocr.engine.cache_clear()
    with pytest.raises(Unreadable, match="pip install"):
        read(nameless)


def test_a_page_that_the_model_fails_on_costs_no_other_page(monkeypatch: pytest.MonkeyPatch) -> None:
    read_picture, tried = ocr.engine(), []

    def failing(picture: object) -> object:
        tried.append(picture)
        if len(tried) == 2:
            raise ONNXRuntimeError("bad allocation")
        return read_picture(picture)

    monkeypatch.setattr(ocr, "engine", lambda: failing)
    document = read(saved(scan(TIDES), scan(NEAP)))
    assert " ".join(TIDES) in document.text
    assert document.left_out == (
        ("page 2", "its writing could not be recognised: the model ran out of memory or failed"),
    )


def test_a_scan_of_more_pages_than_time_is_for_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_lines, "MOST_SCANNED", 1)
    with pytest.raises(Unreadable, match="split it into parts"):
        read(saved(scan(TIDES), scan(NEAP)))


def test_a_paper_with_more_pictures_of_pages_than_are_read_says_which_are_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pdf_lines, "MOST_SCANNED", 1)
    whole, held = pypdfium2.PdfDocument.new(), BytesIO()
    for part in (pdf([lines("The tide rises twice a day.")]), saved(scan(NEAP), scan(TIDES), scan(TIDES))):
        whole.import_pages(pypdfium2.PdfDocument(part))
    whole.save(held)
    document = read(held.getvalue())
    assert "twice a day" in document.text and " ".join(NEAP) in document.text and TIDES[0] not in document.text
    ((pages, reason),) = document.left_out
    assert pages == "page 3 and 1 more" and "the first 1 are read" in reason
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    ocr.engine.cache_clear()
    ((pages, reason),) = read(held.getvalue()).left_out
    assert pages == "page 2 and 2 more" and "pip install" in reason
