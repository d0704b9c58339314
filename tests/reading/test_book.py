"""A book is read in the order of its spine, without its table of contents."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.errors import Unreadable
from fathom.reading.readers import read_bytes, read_here
from tests.support.office import altered, package
from tests.support.readers import shown

CONTAINER = "<container><rootfiles><rootfile full-path='OEBPS/book.opf'/></rootfiles></container>"
BOOK = """<package xmlns='http://www.idpf.org/2007/opf'><metadata xmlns:dc='http://purl.org/dc/elements/1.1/'>
<dc:title>On Tides</dc:title><dc:date>2025-04-01T00:00:00Z</dc:date></metadata><manifest>
<item id='nav' href='nav.xhtml' media-type='application/xhtml+xml' properties='nav'/>
<item id='b' href='a%20b.xhtml' media-type='application/xhtml+xml'/>
<item id='a' href='one/a.xhtml' media-type='application/xhtml+xml'/>
<item id='p' href='p.png' media-type='image/png'/>
</manifest>
<spine><itemref idref='nav'/><itemref idref='a'/><itemref idref='p'/><itemref idref='b'/></spine></package>"""
PARTS: Mapping[str, str] = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": CONTAINER,
    "OEBPS/book.opf": BOOK,
    "OEBPS/nav.xhtml": "<html><body><nav><a href='a'>Moon</a></nav></body></html>",
    "OEBPS/one/a.xhtml": "<html><body><h1>Moon</h1><p>The moon pulls at the sea.</p></body></html>",
    "OEBPS/a b.xhtml": "<html><body><h1>潮</h1><p>潮は満ち引きする。</p></body></html>",
}


def test_chapters_stand_in_the_order_of_the_book() -> None:
    read = read_bytes(package(PARTS), ".epub")
    assert shown(read) == [
        ("heading", "Moon"),
        ("paragraph", "The moon pulls at the sea."),
        ("heading", "潮"),
        ("paragraph", "潮は満ち引きする。"),
    ]
    assert (read.title, read.dated) == ("On Tides", "2025-04-01")


LOCKED = "<encryption><CipherReference xmlns='http://www.w3.org/2001/04/xmlenc#' URI='OEBPS/one/a.xhtml'/></encryption>"
BOMB = "<!DOCTYPE a [<!ENTITY a SYSTEM 'file:///etc/hostname'><!ENTITY b '&a;&a;'>]><html><p>&b;x</p></html>"


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"META-INF/encryption.xml": LOCKED.encode()}, "encrypted"),
        ({name: b"<html><img src='http://127.0.0.1:9/a.png'></html>" for name in PARTS if "xhtml" in name}, "pictures"),
    ],
)
def test_a_book_that_gives_no_text_says_why(parts: Mapping[str, bytes], reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_bytes(altered(package(PARTS), parts), ".epub")


SEA, TIDE = "The moon pulls at the sea.", "潮は満ち引きする。"


@pytest.mark.parametrize(
    ("parts", "texts", "lost"),
    [
        ({"OEBPS/book.opf": BOOK.replace("one/a", "gone")}, [TIDE], ["OEBPS/gone.xhtml"]),
        ({"OEBPS/book.opf": BOOK.replace("a%20b", "../../etc/passwd")}, [SEA], ["../etc/passwd.xhtml"]),
        ({"OEBPS/book.opf": BOOK.replace("idref='a'", "idref='z'")}, [TIDE], ["z"]),
        ({"OEBPS/one/a.xhtml": "\0\1\2"}, [TIDE], ["OEBPS/one/a.xhtml"]),
        ({"OEBPS/book.opf": BOOK.replace("one/a", "One/A").replace("a%20b", "A B")}, [SEA, TIDE], []),
        ({"OEBPS/book.opf": BOOK.replace("application/xhtml+xml", "text/x-oeb1-document")}, [SEA, TIDE], []),
        ({"OEBPS/book.opf": BOOK.replace("application/xhtml+xml", "text/html")}, [SEA, TIDE], []),
        ({"OEBPS/book.opf": BOOK.replace(" media-type='application/xhtml+xml'", "")}, [SEA, TIDE], []),
        ({"OEBPS/book.opf": BOOK.partition("<spine>")[0] + "</package>"}, [TIDE, SEA], []),
        ({"OEBPS/book.opf": BOOK.replace("<dc:title>", "<dc:title>&nbsp;")}, [SEA, TIDE], []),
        ({"OEBPS/book.opf": "<package>"}, [TIDE, SEA], []),
        ({"META-INF/container.xml": "<container/>"}, [SEA, TIDE], []),
    ],
)
def test_a_book_is_read_as_far_as_it_is_there_and_says_what_is_lost(
    parts: Mapping[str, str], texts: list[str], lost: list[str]
) -> None:
    read = read_bytes(package({**PARTS, **parts}), ".epub")
    assert [text for kind, text in shown(read) if kind == "paragraph"] == texts
    assert [name for name, _ in read.left_out] == lost


def test_struck_text_of_all_chapters_is_one_note() -> None:
    chapters = {name: PARTS[name].replace("<p>", "<p><del>No.</del>") for name in PARTS if name.endswith("xhtml")}
    read = read_bytes(package({**PARTS, **chapters}), ".epub")
    assert read.left_out == (("struck text left out", "2 places"),)


def test_entities_of_a_book_are_not_unfolded() -> None:
    read = read_bytes(altered(package(PARTS), {"OEBPS/a b.xhtml": BOMB.encode()}), ".epub")
    assert "etc" not in read.text and "moon" in read.text


@given(st.data())
@settings(deadline=None)
def test_a_damaged_book_is_read_or_refused_with_a_reason(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(PARTS)))
    content = PARTS[name].encode()
    start = data.draw(st.integers(0, len(content)))
    put = data.draw(st.one_of(st.binary(max_size=20), st.sampled_from([b"<a>", b"</p>", b"&x;", b"\xff\xfe"])))
    try:
        read_here(altered(package(PARTS), {name: content[:start] + put + content[start + len(put) :]}), ".epub")
    except Unreadable as error:
        assert str(error)
