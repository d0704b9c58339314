from __future__ import annotations

import subprocess
import sys

from fathom.reading.readers import read_bytes
from tests.support.readers import lead_ins, read, shown

NOTES = """---
title: "My notes"
---
# Head *one* #

Before the list:

- item one
  wrapped
  - nested
- item two

| A | B |
|---|---|
| 1 | 2 |

> quote line
> second

```py
code
```

Term
: The definition

<!-- hidden -->

Setext
------
日本語の文。
"""


def test_blocks_are_what_markdown_says() -> None:
    assert shown(read(NOTES, ".md")) == [
        ("heading", "Head *one*"),
        ("paragraph", "Before the list:"),
        ("list_item", "item one wrapped"),
        ("list_item", "nested"),
        ("list_item", "item two"),
        ("table_row", "1 | 2"),
        ("quote", "quote line > second"),
        ("code", "code"),
        ("definition", "The definition"),
        ("heading", "Setext"),
        ("paragraph", "日本語の文。"),
    ]


def test_items_rows_and_definitions_know_what_comes_before_them() -> None:
    found = lead_ins(read(NOTES, ".md"))
    assert found["item two"] == "Before the list:"
    assert found["1 | 2"] == "A | B"
    assert found["The definition"] == "Term"


def test_contents_and_badges_are_no_blocks() -> None:
    text = "# T\n\n[![build](b.svg)](http://x)\n\n- [One](#one)\n  - **[Two](#two)**\n- [Real](http://x) is here\n- [Far](http://x)\n"
    assert shown(read(text, ".md")) == [
        ("heading", "T"),
        ("list_item", "[Real](http://x) is here"),
        ("list_item", "[Far](http://x)"),
    ]


def test_rows_of_a_table_in_html_are_rows() -> None:
    document = read("<table>\n<tr><th>A</th><th>B</th></tr>\n<tr><td>1</td>\n<td>2</td></tr>\n</table>\n", ".md")
    assert shown(document) == [("table_row", "<td>1</td> <td>2</td>")]
    assert list(lead_ins(document).values()) == ["<th>A</th><th>B</th>"]


def test_the_title_is_that_of_the_front_matter_or_the_first_heading() -> None:
    assert read(NOTES, ".md").title == "My notes"
    assert read("Text\n\n# The *head*\n", ".md").title == "The head"


def test_line_ends_of_other_systems_keep_offsets_right() -> None:
    document = read_bytes(NOTES.replace("\n", "\r\n").encode(), ".md")
    assert [text for _, text in shown(document)] == [text for _, text in shown(read(NOTES, ".md"))]


def test_the_rules_are_compiled_before_threads_can_meet() -> None:
    code = "from fathom.reading.markdown import _parser as p; print(p.core.ruler.__cache__, p.block.ruler.__cache__)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "function" in said and "None" not in said


def test_a_row_of_pictures_without_an_end_is_no_navigation_and_is_read() -> None:
    pictures = "[" + "![a](b.png)" * 60
    assert "](#c) " + pictures in read_bytes(f"# Sea\n\n[b](#c) {pictures}\n".encode(), ".md").text


def test_prose_that_is_wrapped_at_a_wide_margin_is_one_paragraph() -> None:
    text = (
        "# Ruby\n\n"
        "Ruby is a general-purpose programming language by Yukihiro Matsumoto, first published in 1995. Everything "
        "is an "
        "object, also\n"
        "numbers. Blocks of code are passed to methods and called with `yield`. Ruby, too, has a global lock, the "
        "GVL; since "
        "Ruby 3.0\n"
        "Ractors run in parallel beside it. Packages are called gems and come from RubyGems, which holds about "
        "180,000 of "
        "them.\n"
    )
    assert [block.kind for block in read(text, ".md").blocks] == ["heading", "paragraph"]
