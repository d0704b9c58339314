"""What a document of Word says in equations, fields, boxes and comments is read; what is struck through is not."""

from __future__ import annotations

from typing import Any

import pytest
from docx.enum.style import WD_STYLE_TYPE

from fathom.reading.readers import read_bytes
from tests.support.office import altered, parts, slides, strict, word
from tests.support.readers import shown

SPACES = (
    "xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main' "
    "xmlns:m='http://schemas.openxmlformats.org/officeDocument/2006/math' "
    "xmlns:mc='http://schemas.openxmlformats.org/markup-compatibility/2006' "
    "xmlns:wps='http://schemas.microsoft.com/office/word/2010/wordprocessingShape' "
    "xmlns:v='urn:schemas-microsoft-com:vml'"
)


def run(text: str, how: str = "") -> str:
    return f"<w:r><w:rPr>{how}</w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r>"


def document(*paragraphs: str) -> bytes:
    body = "".join(f"<w:p>{each}</w:p>" for each in paragraphs)
    written = f"<w:document {SPACES}><w:body>{body}</w:body></w:document>"
    return altered(word(lambda made: made.add_paragraph("x")), {"word/document.xml": written.encode()})


def said(data: bytes) -> list[str]:
    return [text for _, text in shown(read_bytes(data, ".docx"))]


def sign(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def of(name: str, **inner: str) -> str:
    return f"<m:{name}>{''.join(f'<m:{key}>{value}</m:{key}>' for key, value in inner.items())}</m:{name}>"


X2 = of("sSup", e=sign("x"), sup=sign("2"))
MATRIX = f"<m:m><m:mr><m:e>{sign('1')}</m:e><m:e>{sign('0')}</m:e></m:mr></m:m>"


@pytest.mark.parametrize(
    ("equation", "line"),
    [
        (sign("Q=1.84") + sign("L") + of("sSup", e=sign("H"), sup=sign("1.5")), "Q=1.84LH^1.5"),
        (of("f", num=sign("a+b"), den=sign("2c")), "(a+b)/(2c)"),
        (sign("E=") + of("f", num=sign("1"), den=sign("2")) + sign("m") + X2, "E=(1/2)mx^2"),
        (sign("2") + of("f", num=sign("1"), den=sign("3")), "2(1/3)"),
        (of("sSup", e=sign("x"), sup=sign("-1")) + sign("y"), "x^-1 y"),
        (of("sSup", e=sign("e"), sup=sign("ix")), "e^(ix)"),
        (of("sSub", e=sign("v"), sub=sign("max")), "v_max"),
        (of("sSubSup", e=sign("x"), sub=sign("i"), sup=sign("2")), "x_i^2"),
        (of("rad", deg="", e=X2 + sign("+1")), "√(x^2+1)"),
        (of("rad", deg=sign("3"), e=sign("8")), "√[3](8)"),
        (of("nary", naryPr="<m:chr m:val='∑'/>", sub=sign("i=1"), sup=sign("n"), e=sign("i")), "∑_(i=1)^n i"),
        (of("nary", sub=sign("0"), sup=sign("1"), e=sign("f")), "∫_0^1 f"),
        (of("func", fName=sign("sin"), e=sign("t")), "sin t"),
        (of("func", fName=of("sSup", e=sign("sin"), sup=sign("-1")), e=sign("t")), "sin^-1 t"),
        (of("d", dPr="<m:begChr m:val='|'/><m:endChr m:val='|'/>", e=sign("x")), "|x|"),
        (MATRIX, "[1, 0]"),
        (of("d", e=MATRIX), "(1, 0)"),
        (of("eqArr", e=sign("a&amp;=1")), "a=1"),
        (sign("a") + f"<w:del><w:r>{sign('OLD')}</w:r></w:del>" + sign("=b"), "a=b"),
    ],
)
def test_an_equation_is_read_on_one_line_in_its_sentence(equation: str, line: str) -> None:
    paragraph = f"{run('The law ')}<m:oMath>{equation}</m:oMath>{run(' holds.')}"
    alone = f"<m:oMathPara><m:oMath>{equation}</m:oMath></m:oMathPara>"
    assert said(document(paragraph, alone)) == [f"The law {line} holds.", line]


def mark(kind: str) -> str:
    return f"<w:r><w:fldChar w:fldCharType='{kind}'/></w:r>"


def field(code: str, result: str) -> str:
    return f"{mark('begin')}<w:r><w:instrText>{code}</w:instrText></w:r>{mark('separate')}{run(result)}{mark('end')}"


@pytest.mark.parametrize(
    "inner",
    [
        f"<w:fldSimple w:instr='DATE'>{run('5 May 2027')}</w:fldSimple>",
        f"<w:hyperlink><w:fldSimple w:instr='DATE'>{run('5 May')}{run(' 2027')}</w:fldSimple></w:hyperlink>",
        f"<w:fldSimple w:instr='IF'><w:fldSimple w:instr='DATE'>{run('5 May 2027')}</w:fldSimple></w:fldSimple>",
        field("DATE", "5 May 2027"),
        mark("begin") + run("NOT SHOWN") + field("A", "NOR THIS") + mark("separate") + run("5 May 2027") + mark("end"),
        f"<w:dir w:val='ltr'>{run('5 May 2027')}</w:dir>",
        f"<w:r><w:ruby><w:rt>{run('reading')}</w:rt><w:rubyBase>{run('5 May 2027')}</w:rubyBase></w:ruby></w:r>",
    ],
)
def test_what_a_field_has_come_to_stays_in_its_sentence(inner: str) -> None:
    paragraph = f"{run('It is valid until ')}{inner}{run(' and can be prolonged.')}"
    assert said(document(paragraph)) == ["It is valid until 5 May 2027 and can be prolonged."]


def test_a_field_without_an_end_costs_no_more_than_its_paragraph() -> None:
    assert said(document(run("One. ") + mark("begin") + run("CODE"), run("Two."))) == ["One.", "Two."]


@pytest.mark.parametrize("shape", ["v:rect", "v:oval", "wps:txbx", "both"])
def test_a_drawn_box_is_read_once_behind_its_paragraph(shape: str) -> None:
    text = f"<w:txbxContent><w:p>{run('Valve 17.')}</w:p><w:p>{run('Valve 18.')}</w:p></w:txbxContent>"
    drawn = f"<w:drawing><wps:wsp><wps:txbx>{text}</wps:txbx></wps:wsp></w:drawing>"
    if shape.startswith("v:"):
        drawn = f"<w:pict><{shape}><v:textbox>{text}</v:textbox></{shape}></w:pict>"
    if shape == "both":
        old = f"<mc:Fallback><w:pict><v:rect><v:textbox>{text}</v:textbox></v:rect></w:pict></mc:Fallback>"
        drawn = f"<mc:AlternateContent><mc:Choice Requires='wps'>{drawn}</mc:Choice>{old}</mc:AlternateContent>"
    data = document(run("Before.") + f"<w:r>{drawn}</w:r>", run("After."))
    assert said(data) == ["Before.", "Valve 17.", "Valve 18.", "After."]


def _commented(made: Any) -> None:
    gone = made.styles.add_style("Gone", WD_STYLE_TYPE.CHARACTER)
    gone.font.strike = True
    paragraph = made.add_paragraph("The fee is ")
    paragraph.add_run("€ 310", style="Gone")
    made.add_comment([paragraph.add_run(" € 365.")], "Agreed in May.", author="Bo")
    for text in ("oars", "ropes", "sails"):
        item = made.add_paragraph(text, style="List Number")
        if text == "ropes":
            made.add_comment(item.runs, "Which?", author="")


@pytest.mark.parametrize("written", [word(_commented), strict(word(_commented))], ids=["transitional", "strict"])
def test_a_comment_stands_behind_what_it_is_about_with_its_author(written: bytes) -> None:
    read = read_bytes(written, ".docx")
    assert shown(read) == [
        ("paragraph", "The fee is € 365."),
        ("paragraph", "[Comment by Bo: Agreed in May.]"),
        ("list_item", "oars"),
        ("list_item", "ropes [Comment: Which?]"),
        ("list_item", "sails"),
    ]
    assert "3. sails" in read.text
    assert read.left_out == (("struck text left out", "1 place"),)


@pytest.mark.parametrize("how", ["<w:strike/>", "<w:dstrike/>", "<w:strike w:val='true'/>"])
def test_struck_text_is_left_out_and_said_to_be(how: str) -> None:
    off = run(" 365", "<w:strike w:val='0'/>")
    read = read_bytes(document(run("It is ") + run("310", how) + run(" or 320", how) + off, run("All", how)), ".docx")
    assert read.text == "It is 365"
    assert read.left_out == (("struck text left out", "2 places"),)


def test_the_same_is_so_on_slides() -> None:
    def fill(made: Any) -> None:
        frame = made.slides.add_slide(made.slide_layouts[5]).shapes.title.text_frame
        frame.text = "Now "
        frame.paragraphs[0].add_run().text = "PRICE"

    data = slides(fill)
    slide = parts(data)["ppt/slides/slide1.xml"]
    for how, text in ((b"<a:rPr strike='sngStrike'/>", "Slide 1: Now"), (b"", "Slide 1: Now PRICE")):
        changed = slide.replace(b"<a:r><a:t>PRICE", b"<a:r>" + how + b"<a:t>PRICE")
        assert read_bytes(altered(data, {"ppt/slides/slide1.xml": changed}), ".pptx").text == text
    math = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    told = f"<m:oMath xmlns:m='{math}'>{X2}</m:oMath>".encode()
    changed = slide.replace(b"<a:r><a:t>PRICE</a:t></a:r>", told)
    assert read_bytes(altered(data, {"ppt/slides/slide1.xml": changed}), ".pptx").text == "Slide 1: Now x^2"
