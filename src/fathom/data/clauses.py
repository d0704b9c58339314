"""The parts of a sentence on counts: its clauses, the groups that it names, and which figure belongs to which."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from fathom.data.cues import NOUN
from fathom.data.marks import CONTEXT_MARK, FIELD_MARK, GROUP, GROUP_MARK, Masked, Named
from fathom.data.written import Written, written_in
from fathom.text.numbers import with_digits

_LISTED = re.compile(r"\s*(?:,|、|・|&|/|と|や|および|及び|並びに|,?\s+(?:and|or|plus))\s*(?:the\s+)?")
_RANGED = re.compile(r"\s*(?:から|-|~|to|through|until|till)\s*", re.ASCII)
_BETWEEN = re.compile(r"\bbetween\s*$")
_SPLIT = re.compile(r"[,;]\s|、|。|;|\b(?:and|but|while|whereas|though|although|then|which)\b")
_MADE_UP = re.compile(r"\b(ma(?:k(?:e|es|ing)|de)|add(?:s|ed|ing)?) up\b")
_COMPLEMENT = re.compile(
    r"^\W*(?:(?:well |far |just |clearly )?(?:ahead of|behind|before|above|below|than|compared|in contrast|versus|vs"
    r"|against|followed by|more than|fewer than|less than|over)\b|which\b)"
)
_AFTER_KEY = re.compile(
    rf"\s*(?:{NOUN}\s*)?(?:\([^()]*\)\s*)?(?:(?:are|is|were|was|fall|falls|fell|have|has|had|come|comes)\s+)?"
    r"(?:(?:in|on|for|about|from|with|of|under|tagged|classified as|concern|concerns|concerning|at)\s+"
    r"|の|が|は|\()\s*(?:the (?:first|second) half \()?(?:the |year |month )?"
    rf"(?:{FIELD_MARK}\s*(?:=|is|が|の)?\s*)?"
)
_OWNED = re.compile(r"\s*(?:'s|has|had|have|with|at|=|:|は|が|の|では|には|で|\)?\s*の)\s*")
_FOR_FIELD = re.compile(rf"\s*{NOUN}?\s*(?:have|has|with)\s+{FIELD_MARK}\s*=?\s*")


@dataclass(frozen=True)
class Node:
    """What a figure may belong to: a group, several in a row, or a span of time."""

    start: int
    end: int
    names: tuple[Named, ...]
    form: Literal["single", "list", "range"] = "single"
    rows: frozenset[int] = frozenset()
    """Of one that is not named but described (`the largest group`): its groups in `table`."""
    table: int = -1
    other: bool = False
    """Whether the groups that are not told are meant."""

    @property
    def label(self) -> str:
        """What it is called."""
        return ", ".join(name.label for name in self.names) or "that group"


class Clauses:
    """A sentence taken apart. Offsets are those of `text`, in which names are single characters."""

    def __init__(self, marked: Masked) -> None:
        self.text = _MADE_UP.sub(r"\1", with_digits(marked.text))
        self.fields = marked.fields
        self.plain, self.figures = written_in(self.text)
        self.nodes = list(self._nodes(marked.groups))
        self._depths = list(_depths(self.text))
        self.starts = [0, *(match.end() for match in _SPLIT.finditer(self.text) if self._splits(match))]

    def _nodes(self, groups: Sequence[Named]) -> Iterator[Node]:
        """Names in a row are one: `A, B and C`, `2023 to 2024`."""
        found = [(match.start(), groups[ord(match[0]) - GROUP]) for match in re.finditer(GROUP_MARK, self.text)]
        at = 0
        while at < len(found):
            run, form = [found[at]], "single"
            while at + len(run) < len(found):
                following = found[at + len(run)]
                between = self.text[run[-1][0] + 1 : following[0]]
                if not _alike(run[-1][1], following[1]):
                    break
                if _LISTED.fullmatch(between) and form != "range":
                    form = "list"
                elif _RANGED.fullmatch(between) and form == "single":
                    form = "range"
                else:
                    break
                run.append(following)
                if form == "range":
                    break
            start, end = run[0][0], run[-1][0] + 1
            if form == "list" and len(run) > 1 and self._owns_figure(end) and not self._is_together(start, end):
                run, form = run[:1], "single"  # `A, B (40)`: the figure is that of the last alone
                end = start + 1
            if form == "list" and _BETWEEN.search(self.text[:start]):
                form = "range"
            yield Node(start, end, tuple(name for _, name in run), form)  # type: ignore[arg-type]
            at += len(run)

    def _owns_figure(self, end: int) -> bool:
        return False if end >= len(self.text) else bool(re.match(r"\s*\(\s*\d", self.text[end:]))

    def _is_together(self, start: int, end: int) -> bool:
        around = self.text[max(0, start - 30) : start] + self.text[end : end + 40]
        return bool(re.search(r"together|combined|in total|each|both|tie|tied|合わせて|合計|それぞれ|同数|各", around))

    def _splits(self, match: re.Match[str]) -> bool:
        at = match.start()
        if self._depths[at]:
            return False
        return not any(node.start <= at < node.end for node in self.nodes)

    # ── Where something stands ─────────────────────────────────────────────────────────────────────────────────────

    def clause_at(self, position: int) -> int:
        """The number of the clause that a position is in."""
        return bisect_right(self.starts, position) - 1

    def clause(self, number: int) -> tuple[int, int]:
        """Where a clause begins and ends."""
        end = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.text)
        return self.starts[number], end

    def said(self, number: int) -> str:
        """The words of a clause."""
        start, end = self.clause(number)
        return self.text[start:end]

    def nodes_in(self, start: int, end: int) -> list[Node]:
        """The groups named there."""
        return [node for node in self.nodes if start <= node.start < end]

    def figures_in(self, start: int, end: int) -> list[Written]:
        """The figures written there."""
        return [figure for figure in self.figures if start <= figure.start < end]

    def before(self, position: int, length: int = 40) -> str:
        """What stands right before."""
        return self.text[max(0, position - length) : position]

    def after(self, position: int, length: int = 60) -> str:
        """What stands right behind."""
        return self.text[position : position + length]

    # ── Which figure belongs to which group ────────────────────────────────────────────────────────────────────────

    def node_of(self, figure: Written) -> Node | None:
        """The group that a figure belongs to; `None` when there is none, or it is not clear which.

        The group named right behind it (`50 in AI`) comes before the nearest one before it in its clause (`AI (50)`);
        a clause that names none goes on with the one before, the first clauses with the first group that follows.
        """
        number = self.clause_at(figure.start)
        start, end = self.clause(number)
        here = self.nodes_in(start, end)
        if behind := self._behind(figure, here):
            return behind
        before = [node for node in here if node.end <= figure.start]
        if before:
            return None if self._is_unclear(before, figure) else before[-1]
        if here:
            return here[0] if len(here) == 1 else None
        return self._inherited(number)

    def _behind(self, figure: Written, here: Sequence[Node]) -> Node | None:
        node = next((node for node in here if node.start >= figure.end), None)
        if node is None:
            return None
        between = self.text[figure.end : node.start]
        between = re.sub(r"^\s*\)", "", between)
        if _AFTER_KEY.fullmatch(between) or _FOR_FIELD.fullmatch(between) or re.fullmatch(r"\s*", between):
            return node
        return None

    def _is_unclear(self, before: Sequence[Node], figure: Written) -> bool:
        """Whether two groups stand before the figure and neither has one of its own: `B follows A with 40`."""
        if len(before) < 2:
            return False
        one, other = before[-2:]
        if any(one.end <= each.start < other.start for each in self.figures) or not _same_kind(one, other):
            return False
        between = self.text[other.end : figure.start]
        return not re.match(r"\s*\(", between) and not _OWNED.fullmatch(between)

    def _inherited(self, number: int) -> Node | None:
        complements = []
        for earlier in range(number - 1, -1, -1):
            start, end = self.clause(earlier)
            here = self.nodes_in(start, end)
            if not here:
                continue
            if _COMPLEMENT.match(self.text[start:end]):
                complements.append(here)
                continue
            return here[0] if len(here) == 1 else None
        if complements:
            return None
        start, _ = self.clause(number)
        return next((node for node in self.nodes if node.start > start), None)


def _same_kind(one: Node, other: Node) -> bool:
    """Whether both name the same part of keys of the same table, so that a figure is of one or the other."""
    return any(_alike(first, second) for first in one.names for second in other.names)


def _alike(one: Named, other: Named) -> bool:
    return any((mine.table, mine.dim) == (theirs.table, theirs.dim) for mine in one.places for theirs in other.places)


def _depths(text: str) -> Iterator[int]:
    """How many brackets each character stands in."""
    depth = 0
    for char in text:
        if char == ")":
            depth = max(0, depth - 1)
        yield depth
        if char == "(":
            depth += 1


def without_marks(text: str) -> str:
    """The words alone."""
    return re.sub(f"{GROUP_MARK}|{FIELD_MARK}|{CONTEXT_MARK}|[\ufdd0]", " ", text)
