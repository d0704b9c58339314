"""Where the sentences of a report stand: in which paragraph or item of a list, and which figures follow them.

The report's structure knows sections and claims; how claims share paragraphs, only its Markdown holds.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from markdown_it import MarkdownIt

from fathom.report import Claim, Figure, Report
from fathom.text import typeset
from fathom.text.commonmark import inert
from fathom.text.own import REPORT_MARK
from fathom.text.phrases import Phrases

Place = Literal["paragraph", "on", "list", "item"]
"""It begins a paragraph, goes on in the one or the item before, begins a list, or its next item."""


@dataclass
class Block:
    """A paragraph, or a list."""

    is_list: bool
    items: list[list[Claim]] = field(default_factory=list)
    """The sentences of each item; of a paragraph there is one."""


class Layout:
    """How the Markdown of a report lays out its claims and figures."""

    def __init__(self, report: Report, words: Phrases) -> None:
        self._place: dict[str, Place] = {}
        self._claims = report.claims
        ends: list[int] = []
        end = 0
        for claim in report.claims:
            self._place[claim.id], end = _found(typeset.sentence(claim, words, is_marked=False), report.markdown, end)
            marks = typeset.sentence(claim, words).removeprefix(inert(claim.text))
            end += len(marks) if report.markdown.startswith(marks, end) else 0
            ends.append(end)
        self.figures: dict[str, list[Figure]] = {}
        """The figures that follow a claim, by its id."""
        self.loose: list[Figure] = []
        """Those that follow none."""
        for figure in report.figures:
            at = bisect_right(ends, report.markdown.find(f"\n\n{typeset.caption(figure)}\n\n"))
            (self.figures.setdefault(report.claims[at - 1].id, []) if at else self.loose).append(figure)

    def blocks(self, claims: Sequence[Claim]) -> Iterator[Block]:
        """The paragraphs and lists of one section."""
        block: Block | None = None
        for claim in claims:
            place = self._place[claim.id]
            if block is None or place in ("paragraph", "list"):
                if block is not None:
                    yield block
                block = Block(place in ("list", "item"), [[claim]])
            elif place == "item" and block.is_list:
                block.items.append([claim])
            else:
                block.items[-1].append(claim)
        if block is not None:
            yield block


def _found(sentence: str, markdown: str, after: int) -> tuple[Place, int]:
    """How the sentence stands that comes next behind `after`, and where it ends."""
    near: tuple[tuple[str, Place], ...] = ((" ", "on"), ("\n- ", "item"))
    for before, place in near:
        if markdown.startswith(before + sentence, after):
            return place, after + len(before) + len(sentence)
    far: tuple[tuple[str, Place], ...] = (("\n\n- ", "list"), ("\n\n", "paragraph"))
    found = [
        (at, place, at + len(before) + len(sentence))
        for before, place in far
        if (at := markdown.find(before + sentence, after)) >= 0
    ]
    if not found:
        return "paragraph", after
    _, place, end = min(found)
    return place, end


def footer(report: Report) -> list[str]:
    """The lines that end the Markdown: what was checked and how much was read, as plain text."""
    _, rule, last = report.markdown.rpartition("\n\n---\n\n")
    if not rule:
        return []
    parser = MarkdownIt("commonmark", {"html": False})
    told = last.removesuffix("\n").removesuffix(REPORT_MARK).strip()
    return [
        "".join(token.content for token in inline.children or () if token.type in ("text", "code_inline"))
        for told_line in told.split("  \n")
        for inline in parser.parseInline(told_line)
    ]
