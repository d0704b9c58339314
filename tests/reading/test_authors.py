"""Who has written a document is read where its file says so, and what programs put there is nobody."""

from __future__ import annotations

import pytest

from fathom.reading.readers import read_bytes
from tests.support.office import package, slides, word, workbook
from tests.support.pdfs import lines, pdf

TIDE = "The tide is high."
CONTAINER = "<container><rootfiles><rootfile full-path='b.opf'/></rootfiles></container>"
BOOK = """<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:creator>Ada Lovelace</dc:creator>
<dc:creator>山田 花子</dc:creator></metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>
</manifest><spine><itemref idref="a"/></spine></package>"""


def signed(author: str) -> dict[str, bytes]:
    """Files of Office and PDF whose properties name an author, by their endings."""

    def minutes(made: object) -> None:
        made.core_properties.author = author  # type: ignore[attr-defined]
        made.add_paragraph(TIDE)  # type: ignore[attr-defined]

    def deck(made: object) -> None:
        made.core_properties.author = author  # type: ignore[attr-defined]
        made.slides.add_slide(made.slide_layouts[5]).shapes.title.text = TIDE  # type: ignore[attr-defined]

    def book(made: object) -> None:
        made.set_properties({"author": author})  # type: ignore[attr-defined]
        made.add_worksheet("A").write(0, 0, TIDE)  # type: ignore[attr-defined]

    paper = pdf([lines(TIDE)], author=author)
    return {".docx": word(minutes), ".pptx": slides(deck), ".xlsx": workbook(book), ".pdf": paper}


@pytest.mark.parametrize("suffix", [".docx", ".pptx", ".xlsx", ".pdf"])
def test_properties_of_a_file_name_its_authors(suffix: str) -> None:
    assert read_bytes(signed("Lovelace, Ada; Bo")[suffix], suffix).authors == ("Lovelace, Ada", "Bo")
    assert read_bytes(signed("Microsoft Office User")[suffix], suffix).authors == ()
    assert read_bytes(signed("")[suffix], suffix).authors == ()


def test_a_book_names_each_of_its_authors() -> None:
    parts = {"META-INF/container.xml": CONTAINER, "b.opf": BOOK, "a.xhtml": f"<html><body><p>{TIDE}</p></body></html>"}
    assert read_bytes(package(parts), ".epub").authors == ("Ada Lovelace", "山田 花子")


@pytest.mark.parametrize(
    ("sender", "authors"),
    [
        ("Ada Lovelace <ada@example.org>", ("Ada Lovelace",)),
        ("ada@example.org", ("ada@example.org",)),
        ('"Lovelace, Ada" <ada@example.org>, Bo <bo@example.org>', ("Lovelace, Ada", "Bo")),
        ("=?utf-8?B?5bGx55Sw?= <y@example.org>", ("山田",)),
    ],
)
def test_a_mail_is_by_whom_it_is_from(sender: str, authors: tuple[str, ...]) -> None:
    mail = f"From: {sender}\nSubject: Keys\n\nThe keys hang by the door.\n"
    assert read_bytes(mail.encode(), ".eml").authors == authors


@pytest.mark.parametrize(
    ("front", "authors"),
    [
        ("author: Ada Lovelace", ("Ada Lovelace",)),
        ("author: 'Ada Lovelace'\ndate: 2026-01-01", ("Ada Lovelace",)),
        ('authors: [Ada Lovelace, "Bo"]', ("Ada Lovelace", "Bo")),
        ("authors:\n  - Ada Lovelace\n  - name: Bo\ntitle: Tides", ("Ada Lovelace", "Bo")),
        ("author:\ntitle: Tides", ()),
        ("title: The author: a life", ()),
    ],
)
def test_front_matter_names_its_authors(front: str, authors: tuple[str, ...]) -> None:
    assert read_bytes(f"---\n{front}\n---\n\n{TIDE}\n".encode(), ".md").authors == authors


def test_very_many_authors_and_very_long_names_are_cut() -> None:
    named = "; ".join(f"{at} {'x' * 200}" for at in range(90))
    authors = read_bytes(pdf([lines(TIDE)], author=named), ".pdf").authors
    assert len(authors) == 50 and max(map(len, authors)) == 100
