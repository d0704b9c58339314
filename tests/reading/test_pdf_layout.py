"""What a page of a PDF says is read to the letter: figures at its edges, in forms, in tables, raised or turned."""

from __future__ import annotations

import pytest

from fathom.reading.pdf import read
from fathom.reading.readers import read_bytes
from tests.support.pdfs import Put, lines, pdf

BODY = ("The boat lay at the pier.", "Nights are counted from noon to noon.", "Water is free of charge.")


def text_of(*pages: list[Put], notes: tuple[str, ...] = ()) -> str:
    return read(pdf(pages, notes=notes)).text


def row(*cells: str, bottom: float, step: float = 90) -> list[Put]:
    return [Put(text, 60 + step * at, bottom) for at, text in enumerate(cells) if text]


# ── The edges of pages ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("totals", [(330, 218, 485, 392), (12, 7, 31, 7), (1887, 1904, 2026, 1999)])
def test_lines_at_the_edge_of_pages_that_are_the_same_but_for_their_figures_are_read(totals: tuple[int, ...]) -> None:
    pages = [
        lines(f"Statement {at + 1} of 2026", *BODY, f"Total due: {total} euros") for at, total in enumerate(totals)
    ]
    text = text_of(*pages)
    assert all(f"Total due: {total} euros" in text for total in totals)
    assert all(f"Statement {at + 1} of 2026" in text for at in range(4))


@pytest.mark.parametrize("figures", [("84", "310", "1887"), ("7", "5", "9"), ("2051", "2051", "310")])
def test_a_lone_number_that_does_not_count_up_with_the_pages_is_read(figures: tuple[str, ...]) -> None:
    text = text_of(*([*lines(*BODY), Put(figure, bottom=60, size=30)] for figure in figures))
    assert [part for part in text.split() if part in figures] == list(figures)


@pytest.mark.parametrize(
    "numbers",
    [("1", "2", "3"), ("- 41 -", "- 42 -", "- 43 -"), ("Page 7 of 9", "Page 8 of 9", "Page 9 of 9"), ("iv", "v", "vi")],
)
def test_a_number_that_counts_up_with_the_pages_is_left_out(numbers: tuple[str, ...]) -> None:
    pages = [
        [*lines(f"The {word} is told of here."), Put(number, left=280, bottom=30)]
        for word, number in zip(("moon", "sun", "sea"), numbers, strict=True)
    ]
    assert text_of(*pages).split("\n\n")[1::2] == [f"The {word} is told of here." for word in ("moon", "sun", "sea")]


def test_a_head_with_the_number_of_its_page_is_left_out_and_a_sentence_below_another_is_not() -> None:
    pages = [
        [
            Put("Rules of the harbour", bottom=800),
            Put(str(at + 101), left=500, bottom=800),
            *lines(f"Part {at} says how part {at} works.", "Nobody pays twice."),
        ]
        for at in range(1, 5)
    ]
    assert text_of(*pages).split("\n\n") == [
        part for at in range(1, 5) for part in (f"Page {at}", f"Part {at} says how part {at} works. Nobody pays twice.")
    ]


def test_pages_that_hold_nothing_but_what_is_repeated_are_read() -> None:
    text = text_of(*([Put("Closed for the season", bottom=700), Put(str(at), bottom=30)] for at in (1, 2, 3)))
    assert text.count("Closed for the season") == 3


def test_a_form_whose_lines_lead_to_boxes_is_no_table_of_contents() -> None:
    page = lines(*(text for at in range(7, 13) for text in (f"Wages {at} {'. ' * 20}{at}", "Attach it", "if any", "")))
    assert all(f"Wages {at}" in text_of(page) for at in range(7, 13))


# ── Type that is turned, or raised ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "turn", ["0 1 -1 0 200 100", "0 -1 1 0 200 700", "-1 0 0 -1 500 400", "0.7 0.7 -0.7 0.7 90 90"]
)
@pytest.mark.parametrize("words", ["DISTRICT OFFICE, 37,499.96", "Illinois i.l. 1,111.11 I"])
def test_narrow_letters_of_small_type_that_is_turned_are_read(turn: str, words: str) -> None:
    page = [Put(f") Tj {turn} Tm ({words}", 60, 700, 5, is_raw=True)]
    assert text_of(page) == f"Page 1\n\n{words}"


def test_a_table_that_is_turned_is_read_row_by_row() -> None:
    cells = [("Office", "Date", "Sum"), ("DISTRICT", "04/11/2026", "9.96"), ("ILL", "", "1.1")]
    page = [
        Put(f") Tj 0 1 -1 0 {200 + 8 * down} {100 + 100 * along} Tm ({text}", 60, 700, 5, is_raw=True)
        for down, texts in enumerate(cells)
        for along, text in enumerate(texts)
        if text
    ]
    assert text_of(page) == "Page 1\n\nOffice | Date | Sum\nDISTRICT | 04/11/2026 | 9.96\nILL |  | 1.1"


@pytest.mark.parametrize(
    ("before", "raised", "read_as"),
    [
        ("It holds 4.2 x 10", "6", "10^6 litres"),
        ("It is 10", "-3", "10^-3 litres"),
        ("The club has 1,200", "3", "1,200^3 litres"),
        ("It had 8,935,112", "1,2", "8,935,112^1,2 litres"),
        ("It is m", "2", "m^2 litres"),
        ("It is the 5", "th", "5th litres"),
    ],
)
@pytest.mark.parametrize("size", [7, 10])
def test_raised_figures_are_read_with_a_sign_before_them(before: str, raised: str, read_as: str, size: int) -> None:
    page = lines(*BODY)
    page.append(Put(f"{before}) Tj 4 Ts /F1 {size} Tf ({raised}) Tj 0 Ts /F1 10 Tf ( litres", 60, 600, is_raw=True))
    assert read_as in text_of(page)


def test_lowered_figures_and_letters_of_another_line_are_read_as_they_are() -> None:
    page = [Put("CO) Tj -2 Ts /F1 6 Tf (2) Tj 0 Ts /F1 10 Tf ( and H) Tj -2 Ts (2) Tj 0 Ts (O", 60, 700, is_raw=True)]
    assert "CO2 and H2O" in text_of(page)


# ── Words at the end of a line ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("one", "other", "word"),
    [
        ("a second-", "hand crane", "second-hand"),
        ("it is well-", "known", "well-known"),
        ("the twenty-", "fourth race", "twenty-fourth"),
        ("loads of 5 million-", "ton", "million-ton"),
        ("kept in UTF-", "8 files", "UTF-8"),
        ("the years 1990-", "2000 were good", "1990-2000"),
        ("an EU-", "wide rule", "EU-wide"),
        ("the Anglo-", "Saxon years", "Anglo-Saxon"),
        ("the two-", "and three-year loans", "two- and three-year"),
        ("the exhi-", "bition was held", "exhibition"),
        ("it is inter-", "national", "international"),
        ("nobody was there be-", "cause of it", "because"),
        ("the har-", "bour was full", "harbour"),
        ("the GOVERN-", "MENT OF ALL", "GOVERNMENT"),
    ],
)
def test_a_hyphen_at_the_end_of_a_line_is_kept_where_it_is_of_the_word(one: str, other: str, word: str) -> None:
    text = text_of(lines(f"The office of the north pier says that {one}", f"{other} in this year."))
    assert word in text


@pytest.mark.parametrize("written", ["co-operate", "cooperate"])
def test_a_hyphen_at_the_end_of_a_line_is_as_elsewhere_in_the_document(written: str) -> None:
    text = text_of(lines(f"They {written} in the spring, and then they co-", "operate in the autumn."))
    assert text.count(written) == 2


def test_german_words_that_are_broken_are_put_together() -> None:
    text = text_of(lines("Die Flut steigt, und der Hafen-", "meister ist nicht da, weil er die Ein-", "und Ausfuhr."))
    assert "Hafenmeister" in text and "Ein- und Ausfuhr" in text


# ── Tables and columns ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "rows",
    [
        ["Item|Q1|Q2|Q3|Q4", "Rope|12|||9", "Paint||4||7", "Nets|3|5|6|8", "Oars|||2"],
        ["Name|Jan|Feb|Mar", "Anna|x||x", "Bo||x", "Cy", "Di|x|x|x"],
        ["Rope|12||9", "Paint||4|7", "Nets|3|5"],
    ],
)
def test_a_row_with_blank_cells_keeps_its_columns(rows: list[str]) -> None:
    page = [put for at, cells in enumerate(rows) for put in row(*cells.split("|"), bottom=700 - 16 * at)]
    assert text_of(page) == "Page 1\n\n" + "\n".join(" | ".join(cells.split("|")) for cells in rows)


def test_columns_of_prose_that_are_drawn_across_are_read_one_after_the_other() -> None:
    left = ("The sluice was built in 1887 by the", "county after the great flood of", "that spring, which had broken")
    right = ("Boats are lifted today with the", "crane that the club bought from", "a shipyard in the year 1999, and")
    ends = ("the old dam in three places.", "may be hired by its members.")
    pairs = [*zip(left, right, strict=True), ends, ("", "Guests pay more.")]
    page = [put for at, pair in enumerate(pairs) for put in row(*pair, bottom=700 - 14 * at, step=230)]
    assert text_of(page).split("\n\n")[1:] == [
        " ".join((*left, ends[0])),
        " ".join((*right, ends[1], "Guests pay more.")),
    ]


# ── Forms and notes ────────────────────────────────────────────────────────────────────────────────────────────────

FIELD = "/Subtype /Widget /F 4 /Rect [{}] /T ({}) "
NOTE = "/Subtype /{} /F {} /Rect [{}] /Contents ({})"


def test_what_is_filled_in_is_read_beside_its_label() -> None:
    page = [Put("Name of boat:", bottom=740), Put("Nights:", left=300, bottom=740), Put("Pier:", bottom=700)]
    page += [Put("Power", bottom=660), Put("yes", left=170, bottom=660), Put("no", left=250, bottom=660)]
    page += [Put("Remarks", bottom=620), *lines("The fee is paid in advance.", top=500)]
    states = "/AP << /N << /On << >> /Off << >> >> >>"
    notes = (
        FIELD.format("150 736 280 752", "boat") + "/FT /Tx /V (Sea Otter)",
        FIELD.format("360 736 400 752", "nights") + "/FT /Tx /V (14)",
        FIELD.format("150 696 280 712", "pier") + "/FT /Ch /Ff 131072 /Opt [(North) (South)] /V (South)",
        FIELD.format("150 656 162 668", "yes") + "/FT /Btn /V /On /AS /On " + states,
        FIELD.format("230 656 242 668", "no") + "/FT /Btn /V /Off /AS /Off " + states,
        FIELD.format("60 560 280 612", "remarks") + "/FT /Tx /Ff 4096 /V (Comes\nlate)",
        FIELD.format("60 400 280 412", "word") + "/FT /Tx /Ff 8192 /V (SECRET)",
    )
    words = " ".join(text_of(page, notes=notes).replace("|", " ").split())
    assert "Name of boat: Sea Otter Nights: 14 Pier: South Power ☒ yes ☐ no Remarks Comes late The fee" in words
    assert "SECRET" not in words


def test_typed_notes_and_comments_are_read_and_such_as_are_hidden_are_not() -> None:
    page = [Put("Berth:", bottom=740), *lines("The budget is 40,000 euros.", "It was told in May.", top=700)]
    notes = (
        NOTE.format("FreeText", 4, "120 736 200 752", "17 B"),
        NOTE.format("Text", 4, "400 700 420 720", "Board agreed on 45,000 instead."),
        NOTE.format("Highlight", 4, "60 700 180 710", "The budget is"),
        NOTE.format("Text", 2, "400 600 420 620", "SECRET one"),
        NOTE.format("FreeText", 32, "60 500 200 520", "SECRET two"),
        NOTE.format("FreeText", 4, "60 500 200 520", "SECRET three") + " /DA (1 1 1 rg /Helv 9 Tf)",
        NOTE.format("FreeText", 4, "60 500 200 520", "SECRET four") + " /DA (0 g /Helv 0.2 Tf)",
        NOTE.format("FreeText", 4, "-900 500 -800 520", "SECRET five"),
    )
    assert text_of(page, notes=notes).split("\n\n")[1:] == [
        "Berth: 17 B",
        "The budget is 40,000 euros. It was told in May.",
        "Comment: Board agreed on 45,000 instead.",
    ]


def test_what_only_a_note_draws_is_read_and_what_is_hidden_or_told_anyway_is_not_read_twice() -> None:
    says = "BT /F1 10 Tf 0 g 2 6 Td ({}) Tj ET".format
    notes = (
        FIELD.format("60 600 260 620", "press") + "/FT /Btn /Ff 65536",
        FIELD.format("60 560 260 580", "sign") + "/FT /Sig",
        NOTE.format("Stamp", 4, "60 520 260 540", "Seen by the board."),
        FIELD.format("60 480 260 500", "boat") + "/FT /Tx /V (Sea Otter)",
        NOTE.format("Stamp", 2, "60 440 260 460", ""),
        NOTE.format("Stamp", 32, "60 400 260 420", ""),
        FIELD.format("60 360 260 380", "word") + "/FT /Tx /Ff 8192 /V (xyz)",
        FIELD.format("60 320 260 340", "piers") + "/FT /Ch /Opt [(North) (South)] /V (South)",
        NOTE.format("Stamp", 4, "60 280 260 300", ""),
    )
    drawn = ("Save it", "Signed by Ann Lee", "PAID", "Sea Otter", "SECRET", "SECRET", "SECRET", "North South", "SECRET")
    drawings = [says(text) for text in drawn]
    drawings[-1] = drawings[-1].replace("0 g", "1 g")
    text = read(pdf([lines(*BODY)], notes=notes, drawn_by_notes=drawings)).text
    told = ("The boat lay", "Save it", "Signed by Ann Lee", "PAID", "Seen by the board", "Sea Otter", "North South")
    assert [text.count(words) for words in told] == [1] * len(told)
    assert "SECRET" not in text


def test_a_page_whose_notes_draw_is_read_with_what_all_pages_have() -> None:
    data = pdf([lines(*BODY)], notes=[NOTE.format("Stamp", 4, "60 600 260 620", "")], drawn_by_notes=["0 0 9 9 re f"])
    assert read(data).text == read(pdf([lines(*BODY)])).text


def test_a_page_with_nothing_but_what_is_filled_in_is_read() -> None:
    note = FIELD.format("150 736 280 752", "boat") + "/FT /Tx /V (Sea Otter)"
    assert "Sea Otter" in read_bytes(pdf([[]], notes=[note]), ".pdf").text


# ── Titles ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "claimed",
    [
        "(anonymous)",
        "untitled",
        "Microsoft Word - x.doc",
        "my report final.odt",
        "C:\\docs\\ann\\fees",
        "/home/ann/fees 2026",
        "file:///C|/fees.html",
        "Document1",
    ],
)
def test_what_a_program_puts_in_for_a_title_is_none(claimed: str) -> None:
    assert (
        read(pdf([lines(*BODY)], title=claimed.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)"))).title
        == ""
    )


@pytest.mark.parametrize(
    "claimed", ["Anonymous letters of 1887", "Documents of the club", "Fees / dues", "Book 1 of 2"]
)
def test_a_title_that_only_looks_so_is_kept(claimed: str) -> None:
    assert read(pdf([lines(*BODY)], title=claimed)).title == claimed


def test_a_form_that_only_a_program_of_adobe_shows_is_said_to_be_left_out() -> None:
    data = pdf([lines("Please wait. This form is shown by another program.")])
    made = data.replace(b"/AcroForm << ", b"/NeedsRendering true /AcroForm << /XFA (x) ", 1)
    assert read(data).left_out == ()
    assert read(made).left_out == (("form", "it is made with XFA, which is not read: print it to a PDF"),)
