"""Documents, presentations and workbooks of Office are read by their structure; what is hostile is refused or inert."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest
from docx.enum.text import WD_COLOR_INDEX
from docx.shared import Pt, RGBColor
from hypothesis import given, settings
from hypothesis import strategies as st
from pptx.util import Inches

from fathom.errors import ConfigurationError, Unreadable
from fathom.reading.chunking import chunks
from fathom.reading.document import ReadDocument
from fathom.reading.readers import read_bytes, read_here
from tests.support.office import altered, package, parts, slides, word, workbook
from tests.support.readers import lead_ins, shown

ROOM = Inches(1), Inches(1), Inches(4), Inches(2)


def _minutes(made: Any) -> None:
    made.add_heading("Minutes of the board", 0)
    made.add_paragraph("The board met in the small hall.")
    made.add_heading("Fees", 1)
    made.add_paragraph("The fees rise as follows:")
    made.add_paragraph("adults pay 30 euros", style="List Bullet")
    made.add_paragraph("children pay 12 euros", style="List Bullet")
    table = made.add_table(rows=2, cols=2)
    for cell, text in zip(table.rows[0].cells, ("Member", "Fee"), strict=True):
        cell.paragraphs[0].add_run(text).bold = True
    for cell, text in zip(table.rows[1].cells, ("Guests", "40 euros"), strict=True):
        cell.text = text
    made.sections[0].header.paragraphs[0].text = "Confidential draft"
    made.core_properties.modified = datetime(2026, 6, 3, tzinfo=UTC)


def test_a_document_of_word_has_headings_lists_tables_and_its_date_and_no_running_heads() -> None:
    read = read_bytes(word(_minutes), ".docx")
    assert shown(read) == [
        ("heading", "Minutes of the board"),
        ("paragraph", "The board met in the small hall."),
        ("heading", "Fees"),
        ("paragraph", "The fees rise as follows:"),
        ("list_item", "adults pay 30 euros"),
        ("list_item", "children pay 12 euros"),
        ("table_row", "Guests | 40 euros"),
    ]
    assert lead_ins(read)["Guests | 40 euros"] == "Member | Fee"
    assert lead_ins(read)["adults pay 30 euros"] == "The fees rise as follows:"
    assert (read.title, read.dated) == ("Minutes of the board", "2026-06-03")


def test_what_is_hidden_white_or_tiny_in_a_document_of_word_is_left_out_and_a_white_head_of_a_table_is_not() -> None:
    def fill(made: Any) -> None:
        paragraph = made.add_paragraph("The tide is high.")
        paragraph.add_run(" HIDDEN").font.hidden = True
        paragraph.add_run(" TINY").font.size = Pt(1)
        paragraph.add_run(" WHITE").font.color.rgb = RGBColor(255, 255, 255)
        marked = paragraph.add_run(" Marked.")
        marked.font.color.rgb, marked.font.highlight_color = RGBColor(255, 255, 255), WD_COLOR_INDEX.BLACK
        cell = made.add_table(rows=1, cols=2).rows[0].cells[0]
        cell.paragraphs[0].add_run("Month").font.color.rgb = RGBColor(255, 255, 255)

    assert shown(read_bytes(word(fill), ".docx")) == [
        ("paragraph", "The tide is high. Marked."),
        ("table_row", "Month"),
    ]


def test_revisions_are_read_as_accepted_and_notes_stand_at_the_end() -> None:
    body = (
        "<w:p><w:ins w:id='1'><w:r><w:t>The fee is 30 euros.</w:t></w:r></w:ins>"
        "<w:del w:id='2'><w:r><w:delText>The fee is 20 euros.</w:delText></w:r></w:del></w:p>"
        "<w:sdt><w:sdtContent><w:p><w:r><w:t>A field of a form.</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    )
    read = read_bytes(_document(body), ".docx")
    assert shown(read) == [("paragraph", "The fee is 30 euros."), ("paragraph", "A field of a form.")]


def _document(body: str, before: str = "") -> bytes:
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    written = f"{before}<w:document xmlns:w='{space}'><w:body>{body}</w:body></w:document>"
    return altered(word(lambda made: made.add_paragraph("x")), {"word/document.xml": written.encode()})


def _deck(made: Any) -> None:
    first = made.slides.add_slide(made.slide_layouts[1])
    first.shapes.title.text = "Fees"
    frame = first.placeholders[1].text_frame
    frame.text = "adults pay 30 euros"
    below = frame.add_paragraph()
    below.text, below.level = "students half of it", 1
    first.notes_slide.notes_text_frame.text = "Say that guests pay more."
    second = made.slides.add_slide(made.slide_layouts[6])
    group = second.shapes.add_group_shape()
    group.shapes.add_textbox(*ROOM).text_frame.text = "A text in a group."
    table = second.shapes.add_table(2, 2, *ROOM).table
    for at, text in enumerate(("Month", "Guests", "May", "12")):
        table.cell(at // 2, at % 2).text = text


def test_slides_stand_under_their_numbers_with_points_tables_and_notes() -> None:
    read = read_bytes(slides(_deck), ".pptx")
    assert [(block.kind, block.level, read.text[block.start : block.end]) for block in read.blocks] == [
        ("heading", 1, "Slide 1: Fees"),
        ("list_item", 0, "adults pay 30 euros"),
        ("list_item", 1, "students half of it"),
        ("heading", 2, "Slide 1, notes"),
        ("paragraph", 0, "Say that guests pay more."),
        ("heading", 1, "Slide 2"),
        ("paragraph", 0, "A text in a group."),
        ("table_row", 0, "May | 12"),
    ]
    assert lead_ins(read)["May | 12"] == "Month | Guests"
    assert read.title == "Fees"
    assert [chunk.headings for chunk in chunks(read)][-1] == ("Slide 2",)


def _book(made: Any) -> None:
    fees = made.add_worksheet("Fees")
    fees.write_row(0, 0, ["Fees of the club"])
    fees.write_row(2, 0, ["Member", "Fee", "Since"])
    fees.write_row(3, 0, ["Adults", 30])
    fees.write_datetime(3, 2, date(2026, 5, 1), made.add_format({"num_format": "yyyy-mm-dd"}))
    fees.write_row(5, 0, ["Guests", 40.5, None, "from June"])
    fees.write_formula(6, 1, "=SUM(B4:B6)", None, 70.5)
    made.add_worksheet("Old").write(0, 0, "HIDDEN")
    made.worksheets()[1].hide()
    made.add_worksheet("Empty")


def test_a_row_of_a_workbook_stands_in_its_sheet_behind_its_number_under_its_head() -> None:
    read = read_bytes(workbook(_book), ".xlsx")
    assert shown(read) == [
        ("heading", "Sheet Fees"),
        ("table_row", "Fees of the club"),
        ("table_row", "Adults | 30 | 2026-05-01"),
        ("table_row", "Guests | 40.5 | | from June"),
        ("table_row", "| 70.5"),
    ]
    assert "\n6\tGuests" in read.text and "HIDDEN" not in read.text
    assert lead_ins(read)["Guests | 40.5 |  | from June"] == "Member | Fee | Since"


@pytest.mark.parametrize(
    ("data", "suffix", "reason"),
    [
        (b"hello", ".docx", "damaged"),
        (b"", ".pptx", "damaged"),
        (b"hello", ".xlsx", "damaged"),
        (word(_minutes)[:9_000], ".docx", "damaged"),
        (b"\xd0\xcf\x11\xe0" + bytes(600), ".docx", "encrypted"),
        (b"\xd0\xcf\x11\xe0" + bytes(600), ".xlsx", "encrypted"),
        (word(lambda made: made), ".docx", "holds no text"),
        (slides(lambda made: made), ".pptx", "holds no text"),
        (workbook(lambda made: made.add_worksheet("A")), ".xlsx", "sheets are empty"),
        (altered(word(lambda made: made), {"word/media/a.png": b"x"}), ".docx", "pictures and no text"),
        (workbook(lambda made: made.add_worksheet("A").write_column(0, 0, range(1_001))), ".xlsx", "given as data"),
        (workbook(lambda made: made.add_worksheet("A").write_row(0, 0, range(501))), ".xlsx", "500 columns"),
        (package({"word/document.xml": bytes(200_000_001)}), ".docx", "unpacks to more than 200 MB"),
        (package({f"a{at}": b"" for at in range(20_001)}), ".xlsx", "20,000 parts"),
        (_document("<w:p/>" * 1_500_001), ".docx", "tags"),
    ],
)  # fmt: skip
def test_what_gives_no_text_says_why(data: bytes, suffix: str, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_bytes(data, suffix)


def _encrypted() -> bytes:
    data = bytearray(word(_minutes))
    data[data.rfind(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def test_an_encrypted_part_is_told_of() -> None:
    with pytest.raises(Unreadable, match="encrypted: save it without a password"):
        read_bytes(_encrypted(), ".docx")


BOMB = "<!DOCTYPE a [<!ENTITY a 'OBEY'><!ENTITY b '&a;&a;'><!ENTITY c SYSTEM 'file:///etc/hostname'>]>"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_neither_unfolded_nor_fetched(encoding: str) -> None:
    text = f"{BOMB}<a xmlns='x'>&b;&c;</a>".encode(encoding)
    for data, suffix, part in (
        (word(_minutes), ".docx", "word/document.xml"),
        (slides(_deck), ".pptx", "ppt/slides/slide1.xml"),
        (workbook(_book), ".xlsx", "xl/sharedStrings.xml"),
    ):
        with pytest.raises(Unreadable, match="declares entities"):
            read_bytes(altered(data, {part: text}), suffix)


def test_macros_are_not_run_and_remote_pictures_are_not_fetched() -> None:
    rels = parts(word(_minutes))["word/_rels/document.xml.rels"].replace(
        b"</Relationships>",
        b"<Relationship Id='rId99' TargetMode='External' Target='http://127.0.0.1:9/a.png' "
        b"Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/image'/></Relationships>",
    )
    drawing = (
        "<w:p><w:r><w:t>A picture: </w:t></w:r><w:r><w:drawing><wp:inline xmlns:wp='http://schemas.openxmlformats.org/"
        "drawingml/2006/wordprocessingDrawing'><a:graphic xmlns:a='http://schemas.openxmlformats.org/drawingml/2006/main'>"
        "<a:graphicData><pic:pic xmlns:pic='http://schemas.openxmlformats.org/drawingml/2006/picture'><pic:blipFill>"
        "<a:blip xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/relationships' r:link='rId99'/>"
        "</pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"
    )
    data = altered(_document(drawing), {"word/_rels/document.xml.rels": rels, "word/vbaProject.bin": b"Sub AutoOpen()"})
    asked: list[str] = []
    sys.addaudithook(lambda event, args: asked.append(str(args)) if event == "urllib.Request" else None)
    assert read_here(data, ".docm").text == "A picture:"
    assert not asked


def test_a_small_file_that_unpacks_to_gigabytes_costs_neither_memory_nor_time() -> None:
    def lying(data: bytes) -> bytes:
        """The directory says of each part that it is small."""
        told = bytearray(data)
        at = bytes(told).rfind(b"PK\x01\x02", 0, bytes(told).rfind(b"xl/worksheets/sheet1.xml"))
        told[at + 24 : at + 28] = (5_000).to_bytes(4, "little")
        return bytes(told)

    rows = b"<worksheet><sheetData>" + b"<row/>" * 33_000_000 + b"</sheetData></worksheet>"
    bomb = altered(workbook(_book), {"xl/worksheets/sheet1.xml": rows})
    assert len(bomb) < 1_000_000
    with pytest.raises(Unreadable, match="damaged"):
        read_bytes(lying(bomb), ".xlsx")
    sparse = workbook(
        lambda made: (sheet := made.add_worksheet("A")).write(0, 0, 1) or sheet.write(1_048_575, 16_383, 1)
    )
    with pytest.raises(Unreadable):
        read_bytes(sparse, ".xlsx")
    assert read_bytes(workbook(_book), ".xlsx").text  # the next one is read


@pytest.mark.parametrize("suffix", [".docx", ".pptx", ".xlsx"])
def test_without_its_package_a_file_says_what_to_install(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fathom.reading.packages.find_spec", lambda _: None)
    with pytest.raises(ConfigurationError, match=r"pip install 'fathom-research\[office\]'"):
        read_here(b"PK", suffix)


WHOLE = {".docx": word(_minutes), ".pptx": slides(_deck), ".xlsx": workbook(_book)}


@pytest.mark.parametrize("suffix", list(WHOLE))
@given(st.data())
@settings(deadline=None)
def test_a_damaged_file_is_read_or_refused_with_a_reason(suffix: str, data: st.DataObject) -> None:
    whole = WHOLE[suffix]
    name = data.draw(st.sampled_from(sorted(each for each in parts(whole) if each.endswith((".xml", ".rels")))))
    content = parts(whole)[name]
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(len(content), start + 300)))
    put = data.draw(
        st.one_of(st.binary(max_size=20), st.sampled_from([b"<a>", b"</w:p>", b"&x;", b"\xff\xfe", b"9" * 9]))
    )
    _is_sound(lambda: read_here(altered(whole, {name: content[:start] + put + content[end:]}), suffix))
    at = data.draw(st.integers(0, len(whole) - 1))
    _is_sound(lambda: read_here(whole[:at] + put + whole[at + len(put) :], suffix))


def _is_sound(read: Callable[[], ReadDocument]) -> None:
    try:
        document = read()
    except Unreadable as error:
        assert str(error)
        return
    last = 0
    for block in document.blocks:
        assert last <= block.start < block.end <= len(document.text)
        assert not block.lead_in or block.lead_in.end <= block.start
        last = block.end


def test_properties_of_a_run_do_not_crash_on_what_is_no_number() -> None:
    body = "<w:p><w:r><w:rPr><w:sz w:val='many'/></w:rPr><w:t>The tide.</w:t></w:r></w:p>"
    assert read_bytes(_document(body), ".docx").text == "The tide."
