from __future__ import annotations

from tests.reading.test_readers import lead_ins, read, shown

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
