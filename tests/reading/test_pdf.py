"""A PDF is read in paragraphs under the number of its page; a bad one is refused and takes nothing with it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.errors import Unreadable
from fathom.reading import pdf as reading
from fathom.reading.chunking import chunks
from fathom.reading.pdf import read
from fathom.reading.readers import read_bytes
from tests.support.pdfs import Put, lines, pdf

BODY = lines(
    "The tide rises and falls twice a day, because the moon pulls at",
    "the sea more than the sun does, which is larger and far-",
    "ther away.",
    "",
    "Spring tides come at new moon and at full moon.",
)


def shown(data: bytes) -> list[tuple[str, str]]:
    document = read(data)
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


def test_lines_are_joined_to_paragraphs_and_broken_words_put_together() -> None:
    assert shown(pdf([BODY])) == [
        ("heading", "Page 1"),
        (
            "paragraph",
            "The tide rises and falls twice a day, because the moon pulls at the sea more than the sun does, "
            "which is larger and farther away.",
        ),
        ("paragraph", "Spring tides come at new moon and at full moon."),
    ]


def test_a_passage_stands_under_the_number_of_its_page() -> None:
    other = lines("Neap tides come between them, when the sun pulls at a right angle.")
    document = read_bytes(pdf([BODY, other]), ".pdf")
    found = {document.text[chunk.start : chunk.end][:4]: chunk.headings for chunk in chunks(document)}
    assert found == {"The ": ("Page 1",), "Neap": ("Page 2",)}


def test_a_paragraph_that_goes_on_over_the_page_is_one() -> None:
    first = lines("Spring tides come at new moon and at full moon, when the sun")
    second = lines("and the moon pull together.", "", "Neap tides come between them.")
    assert shown(pdf([first, second]))[1:] == [
        ("paragraph", "Spring tides come at new moon and at full moon, when the sun and the moon pull together."),
        ("heading", "Page 2"),
        ("paragraph", "Neap tides come between them."),
    ]


def test_what_is_repeated_at_the_head_and_the_foot_of_pages_is_left_out() -> None:
    words = "moon sun sea coast harbour".split()
    pages = [
        [
            Put("Journal of Tides, Vol. 3", bottom=800),
            *lines(f"The {word} is told of on this page."),
            Put(str(at + 7), bottom=30),
        ]
        for at, word in enumerate(words)
    ]
    assert [text for kind, text in shown(pdf(pages)) if kind != "heading"] == [
        f"The {word} is told of on this page." for word in words
    ]


@pytest.mark.parametrize(("numbers", "is_told"), [((3, 8, 8, 21, 40), False), ((3, 9, 4, 21, 2), True)])
def test_a_table_of_contents_is_left_out_and_a_list_of_prices_is_not(numbers: tuple[int, ...], is_told: bool) -> None:
    words = "tide ebb coast moon harbour".split()
    entries = [f"The {word} {'. ' * 30}{number}" for word, number in zip(words, numbers, strict=True)]
    text = " ".join(text for _, text in shown(pdf([lines(*entries, "All of it is told here.")])))

    assert "All of it is told here." in text
    assert all((word in text) == is_told for word in words)


def test_headings_are_what_is_larger_or_numbered_and_lists_are_lists() -> None:
    page = [
        Put("On Tides", bottom=780, size=18),
        *lines("2.1 Height", "", "It depends on the coast, as everybody knows who has been to both.", "", top=740),
        *lines("- six metres at Brest", "- a hand at Riga", top=660),
    ]
    page = [Put(put.text.replace("- ", "* "), put.left, put.bottom, put.size) for put in page]
    document = read(pdf([page]))
    assert shown(pdf([page])) == [
        ("heading", "Page 1"),
        ("heading", "On Tides"),
        ("heading", "2.1 Height"),
        ("paragraph", "It depends on the coast, as everybody knows who has been to both."),
        ("list_item", "six metres at Brest"),
        ("list_item", "a hand at Riga"),
    ]
    assert document.title == "On Tides"
    assert read(pdf([BODY], title="The Tides")).title == "The Tides"
    assert read(pdf([BODY], title="Microsoft Word - tides.docx")).title == ""


def test_japanese_text_is_read_by_its_map_to_unicode_and_joined_without_spaces() -> None:
    page = lines("潮の満ち引きは月の引力によって起こり、一日に二回くり", "返される。太陽の引力もこれに加わる。")
    assert shown(pdf([page]))[1:] == [
        ("paragraph", "潮の満ち引きは月の引力によって起こり、一日に二回くり返される。太陽の引力もこれに加わる。")
    ]


def test_what_stands_behind_letters_of_mathematics_is_read_to_the_letter() -> None:
    page = [Put("\ue036\ue036\ue036", bottom=780), *lines("The tide is high at noon.", top=740)]
    page.append(Put("The sea.) Tj 1 g ( SECRET) Tj 0 g ( So it is.", bottom=700, is_raw=True))
    ((_, text),) = shown(pdf([page]))[1:]
    assert text == "\U0001d436\U0001d436\U0001d436 The tide is high at noon. The sea. So it is."


def test_a_line_is_as_high_as_most_of_its_letters() -> None:
    page = lines("Spring tides are written about in T", "and in other programs that set books.")
    page.insert(1, Put("E", page[0].left + 163, page[0].bottom - 4))
    page.insert(2, Put("X at new moon,", page[0].left + 170, page[0].bottom))
    ((_, text),) = shown(pdf([page]))[1:]
    assert text == "Spring tides are written about in T E X at new moon, and in other programs that set books."


def test_text_that_a_person_cannot_see_is_not_read() -> None:
    hidden = [
        Put("SECRET one", bottom=500, color="1 g"),
        Put("SECRET two", bottom=480, size=0.5),
        Put("SECRET three", left=-4000, bottom=460),
        Put("SECRET four", bottom=440, color="3 Tr 0 g"),
        Put("White on a dark ground.", bottom=400, color="1 g", before="0.1 g 40 380 400 40 re f"),
    ]
    text = read(pdf([[*BODY, *hidden]])).text
    assert "SECRET" not in text
    assert "White on a dark ground." in text


@pytest.mark.parametrize(
    ("hide", "show"),
    [
        ("3 Tr", "0 Tr"),
        ("7 Tr", "0 Tr"),
        ("1 g", "0 g"),
        ("0.99 1 0.99 rg", "0 g"),
        ("1 Tr 1 G", "0 Tr"),
        ("2 Tr 1 g 1 G", "0 Tr 0 g"),
        ("/F1 0.4 Tf", "/F1 10 Tf"),
        ("0.05 0 0 0.05 200 700 Tm", "1 0 0 1 200 700 Tm"),
        ("500 Ts", "0 Ts"),
        ("2000 0 Td", "-2000 0 Td"),
    ],
)
@pytest.mark.parametrize("words", ["SECRET one", "SECRET"])
def test_words_hidden_in_the_middle_of_a_line_are_not_read(hide: str, show: str, words: str) -> None:
    row = f"The tide is) Tj {hide} ( {words}) Tj {show} ( high today."
    (line,) = [each for each in shown(pdf([[*BODY, Put(row, bottom=500, is_raw=True)]])) if "The tide is" in each[1]]
    assert "SECRET" not in line[1] and "one" not in line[1]
    assert line[1].startswith("The tide is")


def test_words_off_the_page_are_not_read_though_they_are_drawn_with_those_on_it() -> None:
    row = "The sea.) Tj [(Seen) -200000 (SECRET) 203000 ( and seen)] TJ ( So it is."
    text = read(pdf([[*BODY, Put(row, bottom=500, is_raw=True)]])).text
    assert "SECRET" not in text and "Seen" in text and "So it is." in text


@pytest.mark.parametrize(
    "box",
    [
        b"/Rotate 90 /MediaBox [0 0 595 842]",
        b"/MediaBox [-100 -100 595 842]",
        b"/MediaBox [0 600 595 842]",
        b"/CropBox [40 300 595 842] /MediaBox [0 0 595 842]",
    ],
)
def test_a_page_that_is_turned_or_begins_elsewhere_is_read(box: bytes) -> None:
    assert "moon" in read(pdf([BODY]).replace(b"/MediaBox [0 0 595 842]", box)).text


def test_words_outside_the_part_of_a_page_that_is_shown_are_not_read() -> None:
    page = pdf([[*BODY, Put("SECRET words", bottom=80)]])
    assert "SECRET" in read(page).text
    cut = page.replace(b"/MediaBox", b"/CropBox [0 300 595 842] /MediaBox")
    assert "SECRET" not in read(cut).text


@pytest.mark.parametrize(("color", "is_seen"), [("/Pattern cs /P1 scn", True), ("1 g", False), ("3 Tr", False)])
def test_letters_that_are_filled_with_a_pattern_are_read(color: str, is_seen: bool) -> None:
    data = pdf([[*BODY, Put("GRAND OPENING", bottom=500, size=30, color=color)]])
    for box in (b"/MediaBox [0 0 595 842]", b"/Rotate 90 /MediaBox [0 0 595 842]", b"/MediaBox [-40 300 595 8000]"):
        assert ("GRAND OPENING" in read(data.replace(b"/MediaBox [0 0 595 842]", box)).text) == is_seen


def test_the_numbers_of_a_list_are_read() -> None:
    rules = lines("Rules of the pier:", "1. Nobody swims here.", "2. Nobody pays twice.", "(a) Members do not pay.")
    assert [text for kind, text in shown(pdf([rules])) if kind == "list_item"] == [
        "1. Nobody swims here.",
        "2. Nobody pays twice.",
        "(a) Members do not pay.",
    ]


def test_the_text_behind_the_picture_of_a_scan_is_read() -> None:
    assert "scanned" in read(pdf([[*BODY, Put("It was scanned.", color="3 Tr", before="0.9 g 0 0 595 842 re f")]])).text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no PDF"),
        (b"%PDF-1.7\n", "no PDF"),
        (pdf([BODY])[:200], "no PDF"),
        (pdf([[]]), "no text"),
    ],
)
def test_a_file_that_is_broken_or_without_text_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read(data)


def test_only_the_first_pages_of_a_very_long_file_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_PAGES", 2)
    pages = [lines(f"The {word} is told of on this page.") for word in ("moon", "sun", "sea")]
    assert "sun" in read(pdf(pages)).text
    assert "sea" not in read(pdf(pages)).text


@given(st.integers(0, 900), st.binary(min_size=1, max_size=30))
@settings(max_examples=15)
def test_a_damaged_file_is_read_or_refused(at: int, damage: bytes) -> None:
    data = pdf([BODY])
    try:
        document = read(data[:at] + damage + data[at + len(damage) :])
    except Unreadable:
        return
    assert all(document.text[block.start : block.end].strip() for block in document.blocks)


def test_a_table_is_read_row_by_row_with_its_cells_parted() -> None:
    cells = [("Port", "Metres", "Month"), ("Brest", "6.1", "March"), ("Riga", "0.1", "May")]
    table = [
        Put(text, 60 + 120 * column, 700 - 14 * row)
        for row, texts in enumerate(cells)
        for column, text in enumerate(texts)
    ]
    rows = [
        part
        for part in shown(pdf([[*BODY, *[Put(p.text, p.left, p.bottom - 60) for p in table]]]))
        if part[0] == "table_row"
    ]
    assert rows == [("table_row", " | ".join(row)) for row in cells]
