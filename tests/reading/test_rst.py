from __future__ import annotations

from tests.support.readers import lead_ins, read, shown

GUIDE = """\
==========
Main title
==========

:Author: Me
:Version: 2

.. _label:

It has ``code`` and::

    literal block
      more

.. note:: This is a note
   over lines.

.. function:: foo(a, b)
   :module: bar

   Does foo.

   :param a: The value

Section
-------

term one
    Definition one.

    - nested

=====  =====
col A  col B
=====  =====
1      one
=====  =====

.. code-block:: python
   :linenos:

   x = 1

.. toctree::

   a
   b

.. a comment
   hidden

These:

* bullet one
  wrapped
* bullet two

1. enumerated

+-----+-----+
| C   | D   |
+=====+=====+
| c   | d   |
+-----+-----+
"""


def test_blocks_are_what_rst_says() -> None:
    assert shown(read(GUIDE, ".rst")) == [
        ("heading", "Main title"),
        ("definition", "Me"),
        ("definition", "2"),
        ("paragraph", "It has ``code`` and::"),
        ("code", "literal block more"),
        ("paragraph", "This is a note over lines."),
        ("definition", "Does foo."),
        ("definition", "The value"),
        ("heading", "Section"),
        ("definition", "Definition one."),
        ("list_item", "nested"),
        ("table_row", "1 one"),
        ("code", "x = 1"),
        ("paragraph", "These:"),
        ("list_item", "bullet one wrapped"),
        ("list_item", "bullet two"),
        ("list_item", "enumerated"),
        ("table_row", "c | d"),
    ]


def test_items_rows_and_definitions_know_what_comes_before_them() -> None:
    found = lead_ins(read(GUIDE, ".rst"))
    assert found["Does foo."] == "foo(a, b)"
    assert found["Definition one."] == "term one"
    assert found["1      one"] == "col A  col B"
    assert found["bullet two"] == "These:"
    assert found["c   | d"] == "C   | D"


def test_a_version_alone_is_no_sentence() -> None:
    document = read(
        ".. versionadded:: 3.1\n\n.. versionchanged:: 3.5\n   Support for x.\n\n.. deprecated:: 3.6 Use y.\n", ".rst"
    )
    assert shown(document) == [("paragraph", "Support for x."), ("paragraph", "Use y.")]
    assert list(lead_ins(document).values()) == ["versionchanged:: 3.5", "deprecated:: 3.6"]


def test_heading_levels_follow_the_order_of_their_lines() -> None:
    document = read(GUIDE, ".rst")
    assert [block.level for block in document.blocks if block.kind == "heading"] == [1, 2]
    assert document.title == "Main title"
