"""What a page says: blocks of text, which are written out as HTML, as plain text and as a PDF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

Kind = Literal["h2", "p", "ul", "table"]


@dataclass(frozen=True)
class Block:
    """A heading, a paragraph, a list, or a table of two columns."""

    kind: Kind
    rows: tuple[tuple[str, ...], ...]
    """Its items; those of a table have two cells."""


def heading(text: str) -> Block:
    """A heading below the title."""
    return Block("h2", ((text,),))


def paragraph(*sentences: str) -> Block:
    """A paragraph of these sentences."""
    return Block("p", ((" ".join(sentences),),))


def listed(items: Sequence[str]) -> Block:
    """A list."""
    return Block("ul", tuple((item,) for item in items))


def table(rows: Sequence[tuple[str, str]]) -> Block:
    """A table: what it is about, and the value."""
    return Block("table", tuple(rows))


def html_of(blocks: Sequence[Block]) -> str:
    """The blocks as HTML."""
    return "\n".join(_html(block) for block in blocks)


def text_of(blocks: Sequence[Block]) -> str:
    """The blocks as plain text, a line for each paragraph, item and row."""
    return "\n\n".join("\n".join(": ".join(row) for row in block.rows) for block in blocks)


def _html(block: Block) -> str:
    match block.kind:
        case "h2" | "p":
            return f"<{block.kind}>{escape(block.rows[0][0])}</{block.kind}>"
        case "ul":
            return "<ul>\n" + "\n".join(f"<li>{escape(row[0])}</li>" for row in block.rows) + "\n</ul>"
        case "table":
            rows = (f"<tr><th>{escape(label)}</th><td>{escape(value)}</td></tr>" for label, value in block.rows)
            return "<table>\n" + "\n".join(rows) + "\n</table>"
