from __future__ import annotations

from email.message import EmailMessage

import pytest

from fathom.reading.readers import read_bytes
from fathom.text.display import display
from tests.support.readers import lead_ins, read, shown

MANUAL = """\
The "with" statement
********************

It wraps a block with methods of a context manager. The steps are as
follows:

1. The expression is evaluated
   to a manager.

2. Its method is called.

   Note:

     The "with" statement guarantees that the method will always be
     called.

The following code:

   with EXPRESSION as TARGET:
       SUITE

   x = 1

is the same as:

   manager = (EXPRESSION)
   value = enter(manager)

OPTIONS

  -a, --all     Do not ignore what is hidden.
  -b            Short only.

2.1 A numbered part

* one
* two
  wrapped

Name     Size
----     ----
alpha    1
beta     2
"""


def test_blocks_are_what_people_mean_by_the_layout() -> None:
    assert shown(read(MANUAL, ".txt")) == [
        ("heading", 'The "with" statement'),
        ("paragraph", "It wraps a block with methods of a context manager. The steps are as follows:"),
        ("list_item", "The expression is evaluated to a manager."),
        ("list_item", "Its method is called."),
        ("paragraph", 'The "with" statement guarantees that the method will always be called.'),
        ("paragraph", "The following code:"),
        ("code", "with EXPRESSION as TARGET: SUITE x = 1"),
        ("paragraph", "is the same as:"),
        ("code", "manager = (EXPRESSION) value = enter(manager)"),
        ("heading", "OPTIONS"),
        ("definition", "Do not ignore what is hidden."),
        ("definition", "Short only."),
        ("heading", "2.1 A numbered part"),
        ("list_item", "one"),
        ("list_item", "two wrapped"),
        ("table_row", "alpha 1"),
        ("table_row", "beta 2"),
    ]


def test_items_notes_and_options_know_what_comes_before_them() -> None:
    found = lead_ins(read(MANUAL, ".txt"))
    assert found["Its method is called."].split() == "The steps are as follows:".split()
    assert found["Do not ignore what is hidden."] == "-a, --all"
    assert "Note:" in found.values()
    assert found["beta     2"] == "Name     Size"


def test_japanese_layout_is_understood() -> None:
    text = "■ 設定\n\n\u3000一つ目の段落です。\n\u3000二つ目の段落です。\n\n"
    text += "次のとおりです。\n・項目一\n・項目二\n\n第1章 はじめに\n\n本文。\n"
    document = read(text, ".txt")
    assert shown(document) == [
        ("heading", "■ 設定"),
        ("paragraph", "一つ目の段落です。"),
        ("paragraph", "二つ目の段落です。"),
        ("paragraph", "次のとおりです。"),
        ("list_item", "項目一"),
        ("list_item", "項目二"),
        ("heading", "第1章 はじめに"),
        ("paragraph", "本文。"),
    ]
    assert lead_ins(document)["項目二"] == "次のとおりです。"


def test_a_text_without_layout_is_paragraphs() -> None:
    assert shown(read("One\nline.\n\nTwo.", ".txt")) == [("paragraph", "One line."), ("paragraph", "Two.")]


def test_an_underlined_line_is_a_heading_with_a_number_or_with_other_lines_above_it() -> None:
    text = "SUPPLY LTD\nTRAVEL POLICY (2023)\n====================\n\n1. Booking\n----------\nBy the office.\n\n"
    text += "2. Meals\n~~~~~~~~\n8 GBP.\n"
    document = read(text, ".txt")
    assert document.title == "TRAVEL POLICY (2023)"
    assert shown(document) == [
        ("paragraph", "SUPPLY LTD"),
        ("heading", "TRAVEL POLICY (2023)"),
        ("heading", "1. Booking"),
        ("paragraph", "By the office."),
        ("heading", "2. Meals"),
        ("paragraph", "8 GBP."),
    ]


def test_the_last_line_of_a_paragraph_above_a_row_of_dashes_is_no_heading() -> None:
    text = "We have walked over to the harbour and looked at every one of the boats\nthat lay there until noon.\n"
    text += "------------------------\nBob\n"
    assert ("heading", "that lay there until noon.") not in shown(read(text, ".txt"))


def test_a_line_alone_in_capitals_of_any_alphabet_is_a_heading() -> None:
    assert shown(read("ÖFFNUNGSZEITEN\n\nBy the office.\n", ".txt"))[0] == ("heading", "ÖFFNUNGSZEITEN")


def test_a_list_may_follow_its_lead_in_without_a_blank_line() -> None:
    found = lead_ins(read("What he wants:\n1. more rope\n2. Tuesdays\n\nNo.\n", ".txt"))
    assert found == {"more rope": "What he wants:", "Tuesdays": "What he wants:"}


def test_notes_are_read_line_by_line_under_their_first() -> None:
    document = read(
        "Linde E16 (leased)\nlift 1.6 t to 4.3 m, with sideshift 1.1 t\nservice every 500 h\nkeys: Stu\n", ".txt"
    )
    assert [kind for kind, _ in shown(document)] == ["paragraph", "list_item", "list_item", "list_item"]
    assert set(lead_ins(document).values()) == {"Linde E16 (leased)"}


def test_a_paragraph_that_was_broken_because_its_lines_were_full_stays_whole() -> None:
    text = "In the morning they went down to the harbour\nwhere the ships had come in at 5 or at 6 and\n"
    text += "1. had brought the mail, with nothing else in\nit\n"
    assert len(read(text, ".txt").blocks) == 1


@pytest.mark.parametrize("mark", ["", "7. "])
def test_a_paragraph_whose_first_line_is_indented_stays_whole(mark: str) -> None:
    text = f"""\
  You may convey the work under any of these terms, which apply to
it as a whole, and to its parts.

    a) Convey it in, or embodied in, a physical product that is kept
    for it.

  {mark}A portion of the object code, whose source code is excluded
from the Corresponding Source, need not be included in what you do
convey.
"""
    (_, lead), (_, item), (_, last) = shown(read(text, ".txt"))
    assert (lead[:3], lead[-6:], item[-7:]) == ("You", "parts.", "for it.")
    assert last.startswith("A portion") and last.endswith(
        "excluded from the Corresponding Source, need not be included in what you do convey."
    )


def test_a_term_whose_text_hangs_below_itself_is_defined_by_it() -> None:
    text = "roundrobin  Each server is used in turns,\n            according to its weight.\n\n"
    text += "            It is dynamic.\n\nfirst       The first\n            server.\n"
    document = read(text, ".txt")
    assert [kind for kind, _ in shown(document)] == ["definition"] * 3
    assert list(lead_ins(document).values()) == ["roundrobin", "roundrobin", "first"]


@pytest.mark.parametrize(
    ("head", "title", "sender"),
    [
        ("From: Moira <m@x>\nDate: Wed, 3 Jun 2026 07:58\nSubject: Rivers", "Rivers (Wed, 3 Jun 2026)", "Moira"),
        ("Von: Elif\r\nAn: Alle\r\nDatum: 07.07.2026 08:55\r\nBetreff: Nachlese\r", "Nachlese (07.07.2026)", "Elif"),
        ("差出人: 大野\n日付: 2026年9月2日\n件名: 班の合併", "班の合併 (2026年9月2日)", "大野"),
        ("Subject: a folded\n line\nFrom: Ines", "a folded", "Ines"),
    ],
)  # fmt: skip
def test_the_head_of_a_mail_gives_title_and_sender_and_is_never_quoted(head: str, title: str, sender: str) -> None:
    document = read(f"{head}\n\nTwo drums, not four.\n", ".txt")
    assert document.title == title
    assert shown(document) == [("heading", sender), ("paragraph", "Two drums, not four.")]


def test_lines_with_colons_are_no_mail_without_a_subject() -> None:
    assert read("From: Leeds\nDate: Friday\n\nBring a coat.\n", ".txt").title == ""


def test_a_mail_as_it_was_sent_is_read_with_what_is_attached_under_its_name() -> None:
    message = EmailMessage()
    message["From"], message["Date"] = "Jörg <j@x.example>", "Mon, 20 Jul 2026 12:15:00 +0100"
    message["Subject"] = "Schlüssel für alle"
    message.set_content("Nur noch mit Chip, wie besprochen: ä" * 9)
    message.add_alternative("<p>In HTML</p>", subtype="html")
    message.add_attachment("The list.", filename="list.txt")
    document = read_bytes(message.as_bytes(), ".eml")
    assert document.title == "Schlüssel für alle"
    assert "wie besprochen: ä" in document.text
    assert document.text.endswith("list.txt\n\nThe list.\n")
    assert "In HTML" not in document.text


def test_a_mail_of_html_alone_is_read() -> None:
    document = read("Subject: Keys\nContent-Type: text/html\n\n<p>Chips <b>only</b>.</p><p hidden>no</p>", ".eml")
    assert (document.title, shown(document)) == ("Keys", [("paragraph", "Chips only.")])


def test_what_a_mail_quotes_is_read_as_it_was_written_without_the_marks() -> None:
    mail = (
        "From: Ida\nSubject: Boxes\n\nSee below, please.\n\n"
        "> From 1 April the surcharge is 4.95 and the Friday collection of all of them\n> moves to 14:30.\n>\n"
        "> - boxes\n> - bars\n>> That was news to me, and\n>> to Sunil.\n>>> Is it > 225 cm?\n"
    )
    document = read(mail, ".txt")
    told = [(each.kind, display(document.text[each.start : each.end], "plain")) for each in document.blocks]
    assert told[2:] == [
        (
            "paragraph",
            "From 1 April the surcharge is 4.95 and the Friday collection of all of them moves to 14:30.",
        ),
        ("list_item", "boxes"),
        ("list_item", "bars"),
        ("paragraph", "That was news to me, and to Sunil."),
        ("paragraph", "Is it > 225 cm?"),
    ]


def test_a_session_with_python_is_code_where_nothing_is_quoted() -> None:
    assert [kind for kind, _ in shown(read("Try it:\n\n>>> 1 + 1\n2\n", ".txt"))] == ["paragraph", "code"]


def test_notes_of_lines_of_any_length_are_told_line_by_line_and_wrapped_prose_is_not() -> None:
    notes = (
        "cotton 8 kg, easy care 3.5, wool 2 (!), duvet program only up to 2.5 kg\n"
        "fluff filter: right bottom flap, every 2 months, have the baking tray under it\n"
        "F05 = pump blocked   F11 = door   F18 = too much foam, rinse once and use less\n"
        "drum clean 90 empty every 40 washes\n"
        "delay: sets the END time not the start!\n"
        "transport bolts: in the cellar, jar on shelf 3\n"
    )
    assert [block.kind for block in read_bytes(f"WASHING\n-------\n{notes}".encode(), ".txt").blocks] == [
        "heading",
        *["list_item"] * 6,
    ]
    prose = (
        "When a central package defines a directory where other leaf\n"
        "packages may place files, and each of them is required to run\n"
        "a script\nthat updates the whole of it in\ntheir scripts, say so\n"
    )
    assert len(read_bytes(prose.encode(), ".txt").blocks) == 1


def test_a_line_that_was_broken_on_purpose_behind_an_item_is_not_part_of_it() -> None:
    log = (
        "日報 10/2(金) 記入:西田\n・MF-208 作り直し60個 完了。全数ノギスとピンゲージで測った。NG 0\n"
        "・黒田さん 腰痛で早退\n残業 3h(西田)\n"
    )
    found = [log[block.start : block.end] for block in read_bytes(log.encode(), ".txt").blocks]
    assert found[-2:] == ["黒田さん 腰痛で早退", "残業 3h(西田)"]
    letter = "C. Harker          22 June 2026\nTo: Mr D. Szabo, formerly Flat 2\n\nDear Dan,\n\nThanks for the keys.\n"
    assert "list_item" not in [block.kind for block in read_bytes(letter.encode(), ".txt").blocks]


def test_a_number_that_goes_on_counting_begins_an_item_however_full_the_line_before_it_is() -> None:
    minutes = read("1. budget\napproved with cuts, no new NAS\n2. backups\nrestore test ok\n", ".txt")
    assert [text for _, text in shown(minutes)] == [
        "budget", "approved with cuts, no new NAS", "backups", "restore test ok",
    ]  # fmt: skip
    prose = read("We were open in the summer and sold\n2. Of these we kept one, and no more\n", ".txt")
    assert len(shown(prose)) == 1, "it begins to count nowhere"


def test_the_first_chapter_of_rules_that_name_themselves_is_not_their_title() -> None:
    """The name of the file is: `自治会会則.txt`."""
    assert read("みどりヶ丘自治会 会則\n\n第1章 総則\n\n第1条 本会は、集会所に置く。\n", ".txt").title == ""
    assert read("第1章 総則\n\n第1条 本会は、集会所に置く。\n", ".txt").title == "第1章 総則"


SUM = "Rent\n\nBasic rent 1,180.00 €\nHeating 140.00 €\n-------------------\ntogether 1,320.00 €\n\nBy the third.\n"


@pytest.mark.parametrize(
    "text",
    [
        SUM,
        SUM.replace(" €", ""),
        SUM.replace("g 140.00 €", "g       £140"),
        SUM.replace("Basic rent 1,180.00 €\nHeating 140.00 €", "Heating       140.00"),
        "Stock\nNuts 5\nBolts 7\n-------\nSum 12\n=======\nCounted twice\n",
        "TUE    4 pm     everyone\nSAT    10 am    members only\n----------------------------\nBring the bike.\n",
    ],
)
def test_a_row_of_values_above_a_rule_is_no_heading_and_the_rule_is_no_text(text: str) -> None:
    blocks = shown(read(text, ".txt"))
    assert "heading" not in [kind for kind, _ in blocks]
    assert not [said for _, said in blocks if "--" in said or "==" in said]


def test_names_of_columns_above_a_rule_lead_the_rows_below_it() -> None:
    rows = "Qty  Code     Unit\n------------------\n 20  CH-8     7.40\n 10  CH-9     9.95\n------------------\n"
    document = read(f"{rows}     Sum     17.35\n", ".txt")
    assert [kind for kind, _ in shown(document)] == ["table_row"] * 3
    assert set(lead_ins(document).values()) == {"Qty  Code     Unit"}


HEADS = ["Budget 2024", "§ 3  Rent", "Version 3.10", "Minutes of the 2024 AGM", "Rent (1,180.00 €) per month"]


@pytest.mark.parametrize("heading", HEADS)
@pytest.mark.parametrize("above", ["", "The club\n\n", "=========================\n"])
def test_an_underlined_heading_may_hold_numbers(heading: str, above: str) -> None:
    blocks = shown(read(f"{above}{heading}\n=========================\nNot before May.\n", ".txt"))
    expected = [("heading", " ".join(heading.split())), ("paragraph", "Not before May.")]
    assert blocks[-2:] == expected


def test_the_sum_below_a_rule_is_led_like_the_rows_above_it() -> None:
    notes = "Rent\nBasic rent 1,180.00 €\nHeating costs 140.00 €\n-----------\n"
    notes += "together 1,320.00 €\nDue: by the third\nDeposit: three rents, in one sum or in three\n"
    found = lead_ins(read(notes, ".txt"))
    assert found["together 1,320.00 €"] == found["Basic rent 1,180.00 €"] == "Rent"
